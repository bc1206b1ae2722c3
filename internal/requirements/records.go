package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"boost/internal/lint"
)

const recordsFile = "benchmarks/results/requirements.json"

// record is what is kept of a benchmark that ran for one row: benchmarks run by hand, on a quiet
// machine, and their results are believed as long as the code under them stays.
type record struct {
	Row       string   `json:"row"`
	Benchmark string   `json:"benchmark"` // as the row needs it: name, or name/part
	Package   string   `json:"package"`
	Result    string   `json:"result"` // pass or fail
	Parts     []string `json:"parts"`  // the sub-benchmarks that carried the row's id, with their figures
	Commit    string   `json:"commit"`
	Date      string   `json:"date"`
	Machine   string   `json:"machine"`
	Code      string   `json:"code"` // digest of the code that the benchmark reaches
}

// missed returns what the parts that failed said, behind a colon; "" if they said nothing.
func (r record) missed() string {
	var all []string
	for _, part := range r.Parts {
		if name, said, failed := strings.Cut(part, " failed: "); failed {
			all = append(all, name[strings.LastIndexByte(name, '/')+1:]+": "+said)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, "; ")
}

// readRecords returns the records of the tree, none if there is no file.
func readRecords(tree *lint.Tree) ([]record, error) {
	text, err := tree.Read(recordsFile)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var records []record
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&records); err != nil {
		return nil, fmt.Errorf("%s: %w", recordsFile, err)
	}
	return records, nil
}

func writeRecords(tree *lint.Tree, records []record) error {
	records = slices.Clone(records)
	slices.SortFunc(records, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.Benchmark, b.Benchmark), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Package, b.Package))
	})
	text, err := json.MarshalIndent(records, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(tree.Root, recordsFile), append(text, '\n'), 0o644)
}

// codes computes the digests of the code under benchmarks.
type codes struct {
	tree     *lint.Tree
	imports  map[string][]string // of the packages of the tree
	files    map[string][]string // .go and .s files of each folder
	digested map[string][]byte   // by file
}

func newCodes(tree *lint.Tree) (*codes, error) {
	packages, err := tree.Packages()
	if err != nil {
		return nil, err
	}
	files, err := tree.Files()
	if err != nil {
		return nil, err
	}
	c := &codes{tree, map[string][]string{}, map[string][]string{}, map[string][]byte{}}
	for _, p := range packages {
		c.imports[p.Path] = p.Imports
	}
	for _, file := range files {
		if ext := path.Ext(file); ext == ".go" || ext == ".s" {
			c.files[path.Dir(file)] = append(c.files[path.Dir(file)], file)
		}
	}
	return c, nil
}

// under returns a digest of what the benchmark of that name in the folder pkg runs: the test file
// that declares it, its package and all packages of the tree that these reach, for every
// platform. Comments and layout do not count.
func (c *codes) under(pkg, benchmark string) (string, error) {
	name, _, _ := strings.Cut(benchmark, "/")
	reached := map[string]bool{}
	var reach func(pkg string)
	reach = func(pkg string) {
		if !reached[pkg] {
			reached[pkg] = true
			for _, imported := range c.imports[pkg] {
				reach(imported)
			}
		}
	}
	reach(pkg)
	var files []string
	for _, file := range c.files[pkg] {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := c.tree.Read(file)
		if err != nil {
			return "", err
		}
		if !declares(text, name) {
			continue
		}
		files = append(files, file)
		imports, err := c.importsOf(file, text)
		if err != nil {
			return "", err
		}
		for _, imported := range imports {
			reach(imported)
		}
	}
	for pkg := range reached {
		for _, file := range c.files[pkg] {
			if !strings.HasSuffix(file, "_test.go") {
				files = append(files, file)
			}
		}
	}
	slices.Sort(files)
	sum := sha256.New()
	for _, file := range files {
		digest, err := c.digest(file)
		if err != nil {
			return "", err
		}
		sum.Write(digest)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// importsOf returns the packages of the tree that a file imports.
func (c *codes) importsOf(file string, text []byte) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var own []string
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if pkg, ok := strings.CutPrefix(name, c.tree.Module+"/"); ok {
			own = append(own, pkg)
		}
	}
	return own, nil
}

// digest returns a digest of a file's name and of its tokens; an assembly file's are its bytes.
func (c *codes) digest(file string) ([]byte, error) {
	if known := c.digested[file]; known != nil {
		return known, nil
	}
	text, err := c.tree.Read(file)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, file)
	if path.Ext(file) == ".go" {
		writeTokens(sum, text, c.tree.Module)
	} else {
		sum.Write(text)
	}
	c.digested[file] = sum.Sum(nil)
	return c.digested[file], nil
}

// writeTokens writes the tokens of Go source without its comments. The module's path is written as
// one name, so that a renamed tree has the same code.
func writeTokens(w io.Writer, text []byte, module string) {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(text)), text, nil, 0)
	for {
		_, kind, literal := s.Scan()
		switch {
		case kind == token.EOF:
			return
		case kind == token.SEMICOLON: // written or found at a line's end
			literal = ""
		case kind == token.STRING:
			literal = strings.Replace(literal, `"`+module+`/`, `"boost/`, 1)
		}
		fmt.Fprintln(w, kind, literal)
	}
}

// currentOf returns a function that reports whether a record is of the code in the tree.
func currentOf(tree *lint.Tree, records []record) (func(record) bool, error) {
	code, err := newCodes(tree)
	if err != nil {
		return nil, err
	}
	now := map[[2]string]string{}
	for _, r := range records {
		if now[[2]string{r.Package, r.Benchmark}], err = code.under(r.Package, r.Benchmark); err != nil {
			return nil, err
		}
	}
	return func(r record) bool { return now[[2]string{r.Package, r.Benchmark}] == r.Code }, nil
}

// git runs a git command in the tree and returns what it prints, trimmed.
func git(tree *lint.Tree, args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Dir = tree.Root
	out, err := command.Output()
	return strings.TrimSpace(string(out)), err
}

// cleanCommit returns the commit of the work tree: what is recorded can be run again by anyone. Only
// the two files that this program writes may differ from it.
func cleanCommit(tree *lint.Tree) (string, error) {
	changed, err := git(tree, "status", "--porcelain", "--", ".", ":!"+matrixFile, ":!"+recordsFile)
	if err != nil {
		return "", fmt.Errorf("git status: %w (benchmarks are recorded with their commit)", err)
	}
	if changed != "" {
		return "", fmt.Errorf("the work tree differs from its commit, so that no record could name it; commit first:\n%s", changed)
	}
	return git(tree, "rev-parse", "--short=10", "HEAD")
}

// notInHistory returns the commits of records that the history of HEAD does not hold. Where there is
// no whole history (an archive, a shallow clone) that is not known, and nothing is returned.
func notInHistory(tree *lint.Tree, records []record) []string {
	if shallow, err := git(tree, "rev-parse", "--is-shallow-repository"); err != nil || shallow != "false" {
		return nil
	}
	var missing []string
	for _, r := range records {
		if _, err := git(tree, "merge-base", "--is-ancestor", r.Commit, "HEAD"); err != nil && !slices.Contains(missing, r.Commit) {
			missing = append(missing, r.Commit)
		}
	}
	return missing
}
