package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"boost/internal/lint"
)

func rowID(seed, number int) string { return fmt.Sprintf("S%d.%d", seed, number) }

// figure is a number with a unit or a decimal, not a row's id or a heading's
// number.
var figure = regexp.MustCompile(`[0-9][0-9.,]*\s*(%|×|ns|µs|ms|s\b|B\b|KB|MB|GB|GiB|bits?\b|bytes?\b|times\b)`)

// TestDoc/<id>: the section that decides a row exists in docs/design, says
// why at some length, and carries a figure where the row needs one. A row
// whose section has not been written has no subtest, and so stays open.
func TestDoc(t *testing.T) {
	tree, err := lint.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	text, err := tree.Read(matrixFile)
	if err != nil {
		t.Fatal(err)
	}
	m, err := parseMatrix(text)
	if err != nil {
		t.Fatal(err)
	}
	sections, err := decisions(tree)
	if err != nil {
		t.Fatal(err)
	}
	if len(sections) == 0 {
		t.Fatal("no section of docs/design is headed by a row's id")
	}
	for _, id := range slices.Sorted(maps.Keys(sections)) {
		t.Run(id, func(t *testing.T) {
			body := strings.Join(sections[id], "\n")
			r := m.rows[id]
			switch {
			case r == nil:
				t.Fatalf("%s is no row", id)
			case len(strings.Fields(body)) < 25:
				t.Errorf("the section says too little: %q", body)
			case slices.Contains(r.needs, need{kind: "figure"}) && !figure.MatchString(body):
				t.Errorf("the row needs a figure, the section has none: %q", body)
			}
		})
	}
}

// decisions returns the sections of docs/design by the ids in their headings.
func decisions(tree *lint.Tree) (map[string][]string, error) {
	files, err := tree.Files()
	if err != nil {
		return nil, err
	}
	sections := map[string][]string{}
	for _, file := range files {
		if !strings.HasPrefix(file, "docs/design/") || !strings.HasSuffix(file, ".md") {
			continue
		}
		text, err := tree.Read(file)
		if err != nil {
			return nil, err
		}
		var ids []string
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "#") {
				ids = idsIn(line)
				continue
			}
			for _, id := range ids {
				sections[id] = append(sections[id], line)
			}
		}
	}
	return sections, nil
}

func TestFigure(t *testing.T) {
	for text, want := range map[string]bool{
		"a step of 14.3 % of the maximum": true,
		"0.31 ns per update":              true,
		"half the 128 bytes":              true,
		"see S3.61 and DESIGN 4":          false,
		"too coarse":                      false,
	} {
		if got := figure.MatchString(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
