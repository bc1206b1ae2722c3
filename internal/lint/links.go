package lint

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// markdownLink is a link to another file of the tree; an address has a colon.
var markdownLink = regexp.MustCompile(`\]\(([^():\s]+)\)`)

// CheckLinks returns the links of the tree's documents that lead nowhere: to a
// file that is not there, or a heading that its page does not have.
func (t *Tree) CheckLinks() ([]string, error) {
	return t.eachText(func(file string, text []byte) []string {
		if !strings.HasSuffix(file, ".md") {
			return nil
		}
		var findings []string
		inside := false
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				inside = !inside
			}
			if inside {
				continue
			}
			for _, m := range markdownLink.FindAllStringSubmatch(line, -1) {
				if why := t.leadsNowhere(file, m[1]); why != "" {
					findings = append(findings, fmt.Sprintf("%s:%d: link to %s: %s", file, i+1, m[1], why))
				}
			}
		}
		return findings
	})
}

// namedDocument is the name of a page of docs in a comment.
var namedDocument = regexp.MustCompile(`\bdocs/[A-Za-z0-9_./-]+\.md`)

// CheckNamedDocuments returns where a comment of a Go file names a page of docs that is not there.
func (t *Tree) CheckNamedDocuments() ([]string, error) {
	return t.eachText(t.namedDocuments)
}

func (t *Tree) namedDocuments(file string, text []byte) []string {
	if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
		return nil
	}
	var findings []string
	for i, line := range strings.Split(string(text), "\n") {
		_, comment, _ := strings.Cut(line, "//")
		for _, name := range namedDocument.FindAllString(comment, -1) {
			if _, err := os.Stat(filepath.Join(t.Root, filepath.FromSlash(name))); err != nil {
				findings = append(findings, fmt.Sprintf("%s:%d: %s is not in the tree", file, i+1, name))
			}
		}
	}
	return findings
}

func (t *Tree) leadsNowhere(from, link string) string {
	target, heading, _ := strings.Cut(link, "#")
	to := from
	if target != "" {
		to = path.Join(path.Dir(from), target)
	}
	if _, err := os.Stat(filepath.Join(t.Root, filepath.FromSlash(to))); err != nil {
		return "no such file"
	}
	if heading == "" {
		return ""
	}
	text, err := t.Read(to)
	if err != nil {
		return err.Error()
	}
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(line, "#"); ok && anchor(title) == heading {
			return ""
		}
	}
	return "no such heading"
}

// anchor returns the name that a page gives a heading.
func anchor(heading string) string {
	heading = strings.ToLower(strings.TrimSpace(strings.TrimLeft(heading, "#")))
	var name strings.Builder
	for _, r := range heading {
		switch {
		case r == ' ':
			name.WriteByte('-')
		case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
			name.WriteRune(r)
		}
	}
	return name.String()
}
