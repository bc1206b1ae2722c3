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

// typeCheck parses and type-checks packages of the tree in one build
// configuration. What they import is read from the go command's export data,
// so that nothing but these packages is compiled a second time. File names in
// positions are slash-separated and below the root.
func (t *Tree) typeCheck(packages []Package, tags string) (*token.FileSet, []checked, error) {
	args := []string{"list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,Error", "-tags=" + tags}
	wanted := map[string]bool{}
	for _, p := range packages {
		args = append(args, "./"+p.Path)
		wanted[t.Module+"/"+p.Path] = true
	}
	command := exec.Command("go", args...)
	command.Dir = t.Root
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
	}
	var targets []listed
	exports := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, err
		}
		exports[p.ImportPath] = p.Export
		if wanted[p.ImportPath] {
			targets = append(targets, p)
		}
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		file, ok := exports[path]
		if !ok || file == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(file)
	})
	var all []checked
	for _, p := range targets {
		c := checked{path: strings.TrimPrefix(p.ImportPath, t.Module+"/")}
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
		if c.info, err = check(fset, p.ImportPath, c.files, imports); err != nil {
			return nil, nil, err
		}
		all = append(all, c)
	}
	return fset, all, nil
}

func check(fset *token.FileSet, path string, files []*ast.File, imports types.Importer) (*types.Info, error) {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	config := types.Config{Importer: imports}
	_, err := config.Check(path, fset, files, info)
	return info, err
}
