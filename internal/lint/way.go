package lint

import (
	"fmt"
	"slices"
	"strings"
)

// wayPage is the document that draws the data's way.
const wayPage = "docs/architecture.md"

// CheckWay compares the drawing of the data's way in a document, the block of code with the info string
// `way`, with the imports of the packages: in `a → b`, b imports a, and a does not reach b.
func CheckWay(document string, packages []Package) []string {
	imports := map[string][]string{}
	for _, p := range packages {
		imports[p.Path] = p.Imports
	}
	_, block, found := strings.Cut(document, "\n```way\n")
	block, _, closed := strings.Cut(block, "\n```")
	if !found || !closed {
		return []string{fmt.Sprintf("%s: no block of code with the info string way", wayPage)}
	}
	var findings []string
	for line := range strings.Lines(block) {
		var stops []string
		for stop := range strings.SplitSeq(line, "→") {
			stops = append(stops, strings.TrimSpace(stop))
		}
		if len(stops) < 2 {
			findings = append(findings, fmt.Sprintf("%s: %q is no arrow", wayPage, strings.TrimSpace(line)))
		}
		for i, to := range stops[1:] {
			from := stops[i]
			switch {
			case imports[from] == nil && !slices.ContainsFunc(packages, func(p Package) bool { return p.Path == from }):
				findings = append(findings, fmt.Sprintf("%s: there is no package %q", wayPage, from))
			case !slices.Contains(imports[to], from):
				findings = append(findings, fmt.Sprintf("%s: %s → %s, but %s does not import %s", wayPage, from, to, to, from))
			case reach(from, to, imports, map[string]bool{}) != nil:
				findings = append(findings, fmt.Sprintf("%s: %s → %s, but %s reaches %s too", wayPage, from, to, from, to))
			}
		}
	}
	return findings
}
