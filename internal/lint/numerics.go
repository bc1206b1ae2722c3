package lint

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Finding is one place that breaks a rule.
type Finding struct {
	Pos  token.Position
	Text string // what is wrong, and what to write instead
}

func (f Finding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.Pos.Filename, f.Pos.Line, f.Pos.Column, f.Text)
}

// exactMath lists the functions of package math whose results are exact or
// rounded once, so that they have the same bits on every platform.
var exactMath = map[string]bool{
	"Sqrt": true, "Floor": true, "Ceil": true, "Trunc": true, "Round": true, "RoundToEven": true,
	"Abs": true, "Copysign": true, "Nextafter": true, "Nextafter32": true,
	"IsNaN": true, "IsInf": true, "Inf": true, "NaN": true, "Frexp": true, "Ldexp": true,
	"Signbit": true, "Float32bits": true, "Float32frombits": true, "Float64bits": true, "Float64frombits": true,
}

// fmaFile is the one file that may ask for a fused multiply-add.
const fmaFile = "internal/detmath/fma.go"

// foreignImports are packages whose numbers differ between builds or machines
// and what serves instead.
var foreignImports = []struct{ prefix, instead string }{
	{"math/rand", "random numbers come from internal/rng"},
	{"math/cmplx", "complex functions differ between platforms"},
	{"gonum.org/v1/gonum", "gonum's results differ between builds; it serves in tests and above layer 6"},
}

// checkNumerics returns the places in files, all of one type-checked package,
// that could give a model other bytes on another platform.
func checkNumerics(fset *token.FileSet, files []*ast.File, info *types.Info) []Finding {
	c := &numerics{fset: fset, info: info, products: map[types.Object]bool{}}
	for _, file := range files {
		c.collectProducts(file)
	}
	for _, file := range files {
		c.checkImports(file)
		ast.Inspect(file, func(n ast.Node) bool {
			c.check(fset.Position(file.Package).Filename, n)
			return true
		})
	}
	slices.SortFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	})
	return c.findings
}

// numerics carries what the rules need while they walk a package.
type numerics struct {
	fset     *token.FileSet
	info     *types.Info
	products map[types.Object]bool // variables that hold an unrounded float product somewhere
	findings []Finding
}

func (c *numerics) report(at token.Pos, format string, args ...any) {
	c.findings = append(c.findings, Finding{c.fset.Position(at), fmt.Sprintf(format, args...)})
}

func (c *numerics) checkImports(file *ast.File) {
	for _, spec := range file.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		for _, bad := range foreignImports {
			if imported == bad.prefix || strings.HasPrefix(imported, bad.prefix+"/") {
				c.report(spec.Pos(), "imports %s: %s", imported, bad.instead)
			}
		}
	}
}

func (c *numerics) check(name string, n ast.Node) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		c.checkMath(name, n)
	case *ast.BinaryExpr:
		if (n.Op == token.ADD || n.Op == token.SUB) && c.isFloat(n) {
			c.checkAddend(n.X)
			c.checkAddend(n.Y)
		}
	case *ast.AssignStmt:
		if (n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN) && c.isFloat(n.Lhs[0]) {
			c.checkAddend(n.Lhs[0])
			c.checkAddend(n.Rhs[0])
		}
	}
}

// checkMath refuses what package math computes differently on some platform.
func (c *numerics) checkMath(name string, n *ast.SelectorExpr) {
	f, ok := c.info.Uses[n.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "math" || exactMath[f.Name()] {
		return
	}
	if f.Name() == "FMA" {
		if name != fmaFile {
			c.report(n.Pos(), "math.FMA outside %s: write float64(x*y) + z", fmaFile)
		}
		return
	}
	c.report(n.Pos(), "math.%s has other bits on other platforms: use internal/detmath", f.Name())
}

// checkAddend refuses a product that a compiler may fuse with the addition it
// stands in. A variable is no barrier: p := x*y; p+z is fused on GOAMD64=v3
// and arm64. A conversion is one.
func (c *numerics) checkAddend(e ast.Expr) {
	e = unsigned(e)
	if c.isProduct(e) {
		c.report(e.Pos(), "float product in a sum may be fused: write float64(x*y) + z")
		return
	}
	if id, ok := e.(*ast.Ident); ok && c.products[c.info.ObjectOf(id)] {
		c.report(e.Pos(), "%s holds a float product, which may be fused with this sum: write %s = float64(x*y) where it is set", id.Name, id.Name)
	}
}

// unsigned strips parentheses and signs, which do not keep a product from
// being fused.
func unsigned(e ast.Expr) ast.Expr {
	for {
		switch inner := e.(type) {
		case *ast.ParenExpr:
			e = inner.X
		case *ast.UnaryExpr:
			if inner.Op != token.SUB && inner.Op != token.ADD {
				return e
			}
			e = inner.X
		default:
			return e
		}
	}
}

func (c *numerics) isProduct(e ast.Expr) bool {
	b, ok := unsigned(e).(*ast.BinaryExpr)
	return ok && b.Op == token.MUL && c.isFloat(b)
}

// isFloat reports whether e is computed at run time in floating point, complex or
// a type parameter that may be either.
func (c *numerics) isFloat(e ast.Expr) bool {
	tv, ok := c.info.Types[e]
	return ok && tv.Value == nil && tv.Type != nil && mayBeFloat(tv.Type)
}

func mayBeFloat(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Interface: // a constraint, or a union embedded in one
		for i := range u.NumEmbeddeds() {
			union, ok := u.EmbeddedType(i).(*types.Union)
			if !ok {
				if mayBeFloat(u.EmbeddedType(i)) {
					return true
				}
				continue
			}
			for j := range union.Len() {
				if mayBeFloat(union.Term(j).Type()) {
					return true
				}
			}
		}
	}
	return false
}

// collectProducts notes every variable that is given a product somewhere.
func (c *numerics) collectProducts(file *ast.File) {
	note := func(lhs, rhs ast.Expr) {
		if id, ok := lhs.(*ast.Ident); ok && c.isProduct(rhs) {
			if obj := c.info.ObjectOf(id); obj != nil {
				c.products[obj] = true
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			switch {
			case n.Tok == token.MUL_ASSIGN:
				if id, ok := n.Lhs[0].(*ast.Ident); ok && c.isFloat(id) {
					c.products[c.info.ObjectOf(id)] = true
				}
			case (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) && len(n.Lhs) == len(n.Rhs):
				for i := range n.Lhs {
					note(n.Lhs[i], n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			if len(n.Names) == len(n.Values) {
				for i := range n.Names {
					note(n.Names[i], n.Values[i])
				}
			}
		}
		return true
	})
}

// mapRanges returns where files range over a map: a place to look at, since
// the order must not reach an output, but not wrong by itself.
func mapRanges(fset *token.FileSet, files []*ast.File, info *types.Info) []Finding {
	var findings []Finding
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if r, ok := n.(*ast.RangeStmt); ok {
				if t := info.TypeOf(r.X); t != nil {
					if _, isMap := t.Underlying().(*types.Map); isMap {
						findings = append(findings, Finding{fset.Position(r.Pos()), "ranges over a map: the order must not reach an output"})
					}
				}
			}
			return true
		})
	}
	return findings
}
