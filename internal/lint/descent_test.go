package lint

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// descents are the functions that take a row down a tree by its codes, by package.
var descents = map[string][]string{
	"tree":                      {"GoesLeft", "LeafIndex"},
	"internal/kernel/predict":   {"AddRange", "AddRows", "AddTile", "addInGo", "Walk"},
	"internal/kernel/partition": {"Column", "Bytes", "Nibbles"},
}

// Going down a tree by codes compares integers and nothing else, so that it takes the
// same way on every platform.
func TestCodeDescent(t *testing.T) {
	t.Run("S1.20/no_float_comparison", func(t *testing.T) {
		tree := here(t)
		var packages []Package
		for path := range descents {
			packages = append(packages, Package{Path: path})
		}
		fset, all, err := tree.typeCheck(packages, "")
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != len(descents) {
			t.Fatalf("checked %d of %d packages", len(all), len(descents))
		}
		for _, p := range all {
			functions := reachable(p.files, p.info, descents[p.path])
			for _, name := range descents[p.path] {
				if !slices.ContainsFunc(functions, func(f *ast.FuncDecl) bool { return f.Name.Name == name }) {
					t.Errorf("%s has no function %s: say here how rows go down a tree now", p.path, name)
				}
			}
			for _, f := range functions {
				for _, finding := range floatComparisons(fset, f, p.info) {
					t.Error(finding)
				}
			}
		}
	})
	t.Run("S1.20/finds_one", func(t *testing.T) {
		for name, c := range map[string]struct {
			text string
			want int
		}{
			"codes":           {`func Walk(a, b uint32) bool { return a <= b }`, 0},
			"sums":            {`func Walk(a []float64, b float64) { a[0] += b }`, 0},
			"values":          {`func Walk(a, b float32) bool { return a <= b }`, 1},
			"a call away":     {`func Walk(a, b float64) bool { return less(a, b) }; func less(a, b float64) bool { return a < b }`, 1},
			"method":          {`type n struct{}; func Walk(a float64) bool { return n{}.left(a) }; func (n) left(a float64) bool { return a != 0 }`, 1},
			"type parameter":  {`func Walk[T uint8 | float32](a, b T) bool { return a < b }`, 1},
			"built-in":        {`func Walk(a, b float64) float64 { return min(a, b) }`, 1},
			"not on the way":  {`func Walk(a, b uint32) bool { return a < b }; func Gain(a, b float64) bool { return a < b }`, 0},
			"function value":  {`func Walk(a, b float64) bool { f := less; return f(a, b) }; func less(a, b float64) bool { return a < b }`, 1},
			"switch on float": {`func Walk(a float64) int { switch a { case 1: return 1 }; return 0 }`, 1},
		} {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, "walk.go", "package p\n"+strings.ReplaceAll(c.text, "; ", "\n"), 0)
			if err != nil {
				file, err = parser.ParseFile(fset, "walk.go", "package p\n"+c.text, 0)
			}
			if err != nil {
				t.Fatal(name, err)
			}
			_, info, err := check(fset, "p", []*ast.File{file}, importer.Default(), false)
			if err != nil {
				t.Fatal(name, err)
			}
			found := 0
			for _, f := range reachable([]*ast.File{file}, info, []string{"Walk"}) {
				found += len(floatComparisons(fset, f, info))
			}
			if found != c.want {
				t.Errorf("%s: %d findings, want %d", name, found, c.want)
			}
		}
	})
}

// reachable returns the functions of the package that those named mention, directly or
// through others, they themselves included.
func reachable(files []*ast.File, info *types.Info, names []string) []*ast.FuncDecl {
	declared := map[types.Object]*ast.FuncDecl{}
	var found []*ast.FuncDecl
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				declared[info.Defs[f.Name]] = f
				if slices.Contains(names, f.Name.Name) {
					found = append(found, f)
				}
			}
		}
	}
	for i := 0; i < len(found); i++ {
		ast.Inspect(found[i].Body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := info.Uses[id]
			if f, ok := used.(*types.Func); ok {
				used = f.Origin()
			}
			if f := declared[used]; f != nil && !slices.Contains(found, f) {
				found = append(found, f)
			}
			return true
		})
	}
	return found
}

// floatComparisons lists the places in f that order floats or tell them apart.
func floatComparisons(fset *token.FileSet, f *ast.FuncDecl, info *types.Info) []string {
	var list []string
	report := func(n ast.Node) {
		list = append(list, fmt.Sprintf("%s: %s compares floats", fset.Position(n.Pos()), f.Name.Name))
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			switch n.Op {
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				if holdsFloat(info.TypeOf(n.X)) || holdsFloat(info.TypeOf(n.Y)) {
					report(n)
				}
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "min" || id.Name == "max") && holdsFloat(info.TypeOf(n)) {
				report(n)
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && holdsFloat(info.TypeOf(n.Tag)) {
				report(n)
			}
		}
		return true
	})
	return list
}

// holdsFloat reports whether t is a float or a type parameter that may be one.
func holdsFloat(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := t.(*types.TypeParam); ok {
		return anyTerm(p.Constraint().Underlying(), holdsFloat)
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

func anyTerm(t types.Type, yes func(types.Type) bool) bool {
	i, ok := t.(*types.Interface)
	if !ok {
		return false
	}
	for e := range i.EmbeddedTypes() {
		switch e := e.(type) {
		case *types.Union:
			for term := range e.Terms() {
				if yes(term.Type()) {
					return true
				}
			}
		default:
			if yes(e) || anyTerm(e.Underlying(), yes) {
				return true
			}
		}
	}
	return false
}
