package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"boost/internal/lint"
)

// modulePath is the form of the module paths that a go.mod can hold.
var modulePath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.~-]*(/[A-Za-z0-9_][A-Za-z0-9_.~-]*)*$`)

// Rename changes the module path of tree to module and returns how many files
// it wrote. Every file is worked out before the first is written, so that a
// file that cannot be read leaves the tree as it was.
func Rename(tree *lint.Tree, module string) (int, error) {
	if !modulePath.MatchString(module) {
		return 0, fmt.Errorf("%q is not a module path: want elements of letters, digits, . _ ~ - between slashes, as in example.org/gbt", module)
	}
	files, err := tree.Files()
	if err != nil {
		return 0, err
	}
	changes := map[string][]byte{}
	for _, file := range files {
		rename := renamer(file)
		if rename == nil {
			continue
		}
		old, err := tree.Read(file)
		if err != nil {
			return 0, err
		}
		text, err := rename(old, tree.Module, module)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		if !bytes.Equal(text, old) {
			changes[file] = text
		}
	}
	for file, text := range changes {
		if err := os.WriteFile(filepath.Join(tree.Root, filepath.FromSlash(file)), text, 0o644); err != nil {
			return 0, err
		}
	}
	return len(changes), nil
}

// renamer returns what changes the module path in a file of that name, nil
// for files that hold none.
func renamer(file string) func(text []byte, from, to string) ([]byte, error) {
	switch {
	case strings.Contains(file, "/testdata/"):
		return nil
	case path.Ext(file) == ".go":
		return renameGo
	case path.Base(file) == "go.mod":
		return renameMod
	case path.Ext(file) == ".md":
		return renameQuoted
	}
	return nil
}

// renameGo changes import paths and formats the file again, since the imports
// of a block are sorted by path. A file without such an import is left as it
// is, generated ones included.
func renameGo(text []byte, from, to string) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	end := 0
	for _, spec := range file.Imports {
		renamed, ok := below(spec, from, to)
		if !ok {
			continue
		}
		out.Write(text[end:fset.Position(spec.Path.Pos()).Offset])
		out.WriteString(strconv.Quote(renamed))
		end = fset.Position(spec.Path.End()).Offset
	}
	if end == 0 {
		return text, nil
	}
	out.Write(text[end:])
	return format.Source(out.Bytes())
}

func below(spec *ast.ImportSpec, from, to string) (string, bool) {
	imported, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "", false
	}
	if rest, ok := strings.CutPrefix(imported, from); ok && (rest == "" || rest[0] == '/') {
		return to + rest, true
	}
	return "", false
}

// renameMod changes the path in the lines of a go.mod: module, require and
// replace, whatever nested module it belongs to.
func renameMod(text []byte, from, to string) ([]byte, error) {
	lines := strings.SplitAfter(string(text), "\n")
	for i, line := range lines {
		code, comment, commented := strings.Cut(line, "//")
		if commented {
			comment = "//" + comment
		}
		word := regexp.MustCompile(`(^|[\s"])` + regexp.QuoteMeta(from) + `($|[\s"/])`)
		lines[i] = word.ReplaceAllString(code, "${1}"+strings.ReplaceAll(to, "$", "$$")+"${2}") + comment
	}
	return []byte(strings.Join(lines, "")), nil
}

// renameQuoted changes import paths in the Go examples of a document, and the
// go.mod lines that it shows.
func renameQuoted(text []byte, from, to string) ([]byte, error) {
	old := regexp.QuoteMeta(from)
	imports := regexp.MustCompile(`"` + old + `/([a-z][a-z0-9_/]*)"`)
	text = imports.ReplaceAll(text, []byte(`"`+to+`/$1"`))
	mod := regexp.MustCompile(`(?m)^(module |require |replace )` + old + `( |$)`)
	return mod.ReplaceAll(text, []byte(`${1}`+to+`${2}`)), nil
}
