package lint

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Tree is a checkout of the module.
type Tree struct {
	Root   string // folder of the main go.mod
	Module string // module path, from go.mod, so that a renamed tree holds the same rules
}

// Find returns the tree that dir lies in: the nearest folder upwards whose
// go.mod belongs to a module that is not nested in another one of the tree.
func Find(dir string) (*Tree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for {
		module, err := moduleOf(dir)
		if err == nil {
			return &Tree{Root: dir, Module: module}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, errors.New("lint: no go.mod in this folder or above it")
		}
		dir = parent
	}
}

func moduleOf(dir string) (string, error) {
	name := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "module" {
			return strings.Trim(f[1], `"`), nil
		}
	}
	return "", fmt.Errorf("%s: no module line", name)
}

// Files returns the tree's files as slash-separated paths below Root, sorted.
// Hidden folders other than .ci, and what builds leave behind (dist, bin), are
// not part of the tree.
func (t *Tree) Files() ([]string, error) {
	var files []string
	err := filepath.WalkDir(t.Root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(t.Root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			hidden := strings.HasPrefix(d.Name(), ".") && rel != "." && rel != ".ci"
			if hidden || rel == "dist" || rel == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		if rel == ".git" { // a file in a second work tree of a repository
			return nil
		}
		if d.Type().IsRegular() {
			files = append(files, rel)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}

// Read returns the text of a file of the tree.
func (t *Tree) Read(file string) ([]byte, error) {
	return os.ReadFile(filepath.Join(t.Root, filepath.FromSlash(file)))
}

// isText reports whether data may be shown to a person: nothing that holds a zero
// byte in its first 8 KiB.
func isText(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8192)], 0) < 0
}

// Package is a package of the main module with its non-test files.
type Package struct {
	Path    string   // below the module path; "" is the root
	Files   []string // .go files except tests, below Root, sorted
	Imports []string // packages of the project, below the module path, sorted
	Outside []string // imports from elsewhere, the standard library included, sorted
}

// Packages returns the packages of the main module, whatever their build tags.
// Folders that the go command ignores (testdata, names that begin with _) and
// nested modules are left out.
func (t *Tree) Packages() ([]Package, error) {
	files, err := t.Files()
	if err != nil {
		return nil, err
	}
	nested := map[string]bool{}
	for _, f := range files {
		if dir, base := path.Split(f); base == "go.mod" && dir != "" {
			nested[path.Clean(dir)] = true
		}
	}
	byDir := map[string][]string{}
	for _, f := range files {
		if strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, "_test.go") && buildable(f, nested) {
			dir := path.Dir(f)
			byDir[dir] = append(byDir[dir], f)
		}
	}
	var packages []Package
	for dir, files := range byDir {
		p := Package{Path: strings.TrimPrefix(dir, "."), Files: files}
		if err := t.readImports(&p); err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	slices.SortFunc(packages, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return packages, nil
}

// buildable reports whether the go command would see the file as part of the main
// module.
func buildable(file string, nested map[string]bool) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		base := path.Base(dir)
		if nested[dir] || base == "testdata" || strings.HasPrefix(base, "_") {
			return false
		}
	}
	return !strings.HasPrefix(path.Base(file), "_")
}

func (t *Tree) readImports(p *Package) error {
	for _, f := range p.Files {
		name := filepath.Join(t.Root, filepath.FromSlash(f))
		syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if below, ok := strings.CutPrefix(imported, t.Module+"/"); ok {
				p.Imports = append(p.Imports, below)
			} else {
				p.Outside = append(p.Outside, imported)
			}
		}
	}
	for _, list := range []*[]string{&p.Imports, &p.Outside} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return nil
}
