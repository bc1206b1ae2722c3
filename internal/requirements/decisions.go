package main

import (
	"slices"
	"strings"

	"boost/internal/lint"
)

// designFolder holds the decisions: a heading that carries a row's id decides that row.
const designFolder = "docs/design/"

// decisions returns the files whose headings carry each id, in ascending order.
func decisions(tree *lint.Tree) (map[string][]string, error) {
	files, err := tree.Files()
	if err != nil {
		return nil, err
	}
	decided := map[string][]string{}
	for _, file := range files {
		if !strings.HasPrefix(file, designFolder) || !strings.HasSuffix(file, ".md") {
			continue
		}
		text, err := tree.Read(file)
		if err != nil {
			return nil, err
		}
		for _, id := range idsOfHeadings(string(text)) {
			decided[id] = append(decided[id], file)
		}
	}
	return decided, nil
}

// idsOfHeadings returns the ids in the headings of a document, each once.
func idsOfHeadings(text string) []string {
	var ids []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			ids = append(ids, idsIn(line)...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
