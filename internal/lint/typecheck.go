package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checked is a package with its types.
type checked struct {
	path  string // below the module path
	files []*ast.File
	info  *types.Info
}

// typeCheck parses and type-checks packages of the tree in one build configuration, and the
// packages of the tree that they import, but for their functions. What others have is read from the
// export data of the ordinary build, so that nothing is compiled for the tags. File names in positions
// are slash-separated and below the root.
func (t *Tree) typeCheck(packages []Package, tags string) (*token.FileSet, []checked, error) {
	var paths []string
	wanted := map[string]bool{}
	for _, p := range packages {
		paths = append(paths, "./"+p.Path)
		wanted[t.Module+"/"+p.Path] = true
	}
	sources, err := t.list(append([]string{"-tags=" + tags, "-json=ImportPath,Dir,GoFiles"}, paths...))
	if err != nil {
		return nil, nil, err
	}
	exported, err := t.list(append([]string{"-export", "-json=ImportPath,Export"}, paths...))
	if err != nil {
		return nil, nil, err
	}
	exports := map[string]string{}
	for _, p := range exported {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	known := ownFirst{map[string]*types.Package{}, importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		file, ok := exports[path]
		if !ok || file == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(file)
	})}
	var all []checked
	for _, p := range sources { // what is imported comes before what imports it
		path, own := strings.CutPrefix(p.ImportPath, t.Module+"/")
		if !own {
			continue
		}
		c := checked{path: path}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, nil, err
			}
			file, err := parser.ParseFile(fset, c.path+"/"+name, text, parser.SkipObjectResolution)
			if err != nil {
				return nil, nil, err
			}
			c.files = append(c.files, file)
		}
		if known.own[p.ImportPath], c.info, err = check(fset, p.ImportPath, c.files, known, !wanted[p.ImportPath]); err != nil {
			return nil, nil, err
		}
		if wanted[p.ImportPath] {
			all = append(all, c)
		}
	}
	return fset, all, nil
}

// listed is a package as go list tells of it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// list runs go list -deps.
func (t *Tree) list(args []string) ([]listed, error) {
	command := exec.Command("go", append([]string{"list", "-deps"}, args...)...)
	command.Dir = t.Root
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// ownFirst imports packages of the tree that are checked, and others.
type ownFirst struct {
	own    map[string]*types.Package
	others types.Importer
}

func (i ownFirst) Import(path string) (*types.Package, error) {
	if p := i.own[path]; p != nil {
		return p, nil
	}
	return i.others.Import(path)
}

func check(fset *token.FileSet, path string, files []*ast.File, imports types.Importer, signatures bool) (*types.Package, *types.Info, error) {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	config := types.Config{Importer: imports, IgnoreFuncBodies: signatures}
	p, err := config.Check(path, fset, files, info)
	return p, info, err
}
