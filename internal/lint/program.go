package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// flagDeclared finds the flags that boost declares.
var flagDeclared = regexp.MustCompile(`(?:Var(?:P)?\([^,]*&[^,]+, |Flags\(\)\.Bool\()"([a-z-]+)"|\{Name: "([a-z-]+)", (?:Short|Key): "`)

// CheckProgramPage returns the flags of boost that its page leaves out, and those
// that it names though boost has none of that name.
func (t *Tree) CheckProgramPage() ([]string, error) {
	const page = "docs/cli.md"
	text, err := t.Read(page)
	if err != nil {
		return nil, err
	}
	known, err := t.knownCommands()
	if err != nil {
		return nil, err
	}
	return checkProgramPage(page, string(text), known.flags), nil
}

func checkProgramPage(page, text, sources string) []string {
	declared := map[string]bool{"help": true}
	for _, m := range flagDeclared.FindAllStringSubmatch(sources, -1) {
		declared[m[1]+m[2]] = true
	}
	named := map[string]bool{"help": true}
	for _, m := range regexp.MustCompile("--([a-z][a-z-]*)").FindAllStringSubmatch(text, -1) {
		named[m[1]] = true
	}
	var findings []string
	for flag := range declared {
		if !named[flag] {
			findings = append(findings, fmt.Sprintf("%s: does not mention --%s", page, flag))
		}
	}
	for flag := range named {
		if !declared[flag] {
			findings = append(findings, fmt.Sprintf("%s: boost has no flag --%s", page, flag))
		}
	}
	slices.SortFunc(findings, strings.Compare)
	return findings
}
