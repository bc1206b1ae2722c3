package lint

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxLines is the length at which a file must be split.
const maxLines = 900

// maxPackageLines is the length outside tests at which a package must be split.
const maxPackageLines = 5000

// CheckLength returns the Go files that are too long to be one idea, and the packages that are too long to be one thing. Generated
// files and tables in testdata are not read as text and may be any length.
func (t *Tree) CheckLength() ([]string, error) {
	packages := map[string]int{}
	findings, err := t.eachText(func(file string, text []byte) []string {
		if path.Ext(file) != ".go" || generated.Match(text) || strings.Contains(file, "/testdata/") {
			return nil
		}
		n := bytes.Count(text, []byte("\n"))
		if !strings.HasSuffix(file, "_test.go") {
			packages[path.Dir(file)] += n
		}
		if n > maxLines {
			return []string{fmt.Sprintf("%s: %d lines; the end is %d: split it by ideas", file, n, maxLines)}
		}
		return nil
	})
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if n := packages[dir]; n > maxPackageLines {
			findings = append(findings, fmt.Sprintf("%s: %d lines outside tests; the end is %d: give what stands on its own a package", dir, n, maxPackageLines))
		}
	}
	return findings, err
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// machinePath is an absolute path of a person's or a builder's own folder.
var machinePath = regexp.MustCompile("(?:^|[\\s\"'`(=:])(/(?:work|root|home|Users)/[A-Za-z0-9_.-]+)")

// CheckPaths returns where the tree's texts name a folder that exists on one
// machine only.
func (t *Tree) CheckPaths() ([]string, error) {
	return t.eachText(checkPaths)
}

func checkPaths(file string, text []byte) []string {
	var findings []string
	for i, line := range bytes.Split(text, []byte("\n")) {
		if m := machinePath.FindSubmatch(line); m != nil {
			findings = append(findings, fmt.Sprintf("%s:%d: %s exists on one machine only: use a path below the tree or a variable", file, i+1, m[1]))
		}
	}
	return findings
}

// fusedMnemonic matches the vector and scalar instructions that round a
// product and a sum once, on every architecture that Go compiles for.
var fusedMnemonic = regexp.MustCompile(`^V?FN?M(?:ADD|SUB|LA|LS)[A-Z0-9]*$`)

// CheckAssembly returns fused multiply-adds in the tree's assembly, where no
// compiler listing would show them.
func (t *Tree) CheckAssembly() ([]string, error) {
	return t.eachText(checkAssembly)
}

func checkAssembly(file string, text []byte) []string {
	if path.Ext(file) != ".s" {
		return nil
	}
	var findings []string
	for i, line := range strings.Split(string(text), "\n") {
		code, _, _ := strings.Cut(line, "//")
		for _, word := range strings.FieldsFunc(code, func(r rune) bool { return r == ' ' || r == '\t' || r == ';' }) {
			if fusedMnemonic.MatchString(word) {
				findings = append(findings, fmt.Sprintf("%s:%d: %s rounds once where the Go form rounds twice", file, i+1, word))
			}
		}
	}
	return findings
}

// eachText collects what check finds in the text files of the tree.
func (t *Tree) eachText(check func(file string, text []byte) []string) ([]string, error) {
	files, err := t.Files()
	if err != nil {
		return nil, err
	}
	var findings []string
	for _, file := range files {
		text, err := t.Read(file)
		if err != nil {
			return nil, err
		}
		if isText(text) {
			findings = append(findings, check(file, text)...)
		}
	}
	return findings, nil
}
