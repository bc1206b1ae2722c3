package lint

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestNumerics(t *testing.T) {
	tree := here(t)
	packages, err := tree.Packages()
	if err != nil {
		t.Fatal(err)
	}
	if packages, err = ModelPackages(packages); err != nil {
		t.Fatal(err)
	}
	for _, tags := range []string{"", "purego,invariants"} {
		fset, all, err := tree.typeCheck(packages, tags)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != len(packages) {
			t.Fatalf("tags %q: checked %d of %d packages", tags, len(all), len(packages))
		}
		for _, p := range all {
			for _, f := range checkNumerics(fset, p.files, p.info) {
				t.Errorf("tags %q: %s", tags, f)
			}
			for _, f := range mapRanges(fset, p.files, p.info) {
				t.Logf("to look at: %s", f)
			}
		}
	}
}

// Every rule of numerics finds the snippet that breaks it, and lets the right
// form pass.
func TestNumericsRules(t *testing.T) {
	const product = "float product in a sum"
	const held = "holds a float product"
	for _, tc := range []struct {
		name string
		body string // of a file after its package clause
		want string // part of the finding; empty: none
	}{
		{"product first", `func f(x, y, z float64) float64 { return x*y + z }`, product},
		{"product last", `func f(x, y, z float64) float64 { return z - x*y }`, product},
		{"float32", `func f(x, y, z float32) float32 { return x*y + z }`, product},
		{"brackets and sign", `func f(x, y, z float64) float64 { return -(x*y) + z }`, product},
		{"three factors", `func f(x, y, z float64) float64 { return x*y*z + z }`, product},
		{"named type", `type gain float64; func f(x, y, z gain) gain { return z + x*y }`, product},
		{"accumulate", `func f(x, y []float64) (s float64) { for i := range x { s += x[i] * y[i] }; return s }`, product},
		{"take away", `func f(s *float64, x, y float64) { *s -= x * y }`, product},
		{"type parameter", `func f[T float32 | float64](x, y, z T) T { return x*y + z }`, product},
		{"constraint", `type real interface{ ~float32 | ~float64 }; func f[T real](x, y, z T) T { return x*y + z }`, product},
		{"complex", `func f(x, y, z complex128) complex128 { return x*y + z }`, product},
		{"variable", `func f(x, y, z float64) float64 { p := x * y; return p + z }`, held},
		{"declared variable", `func f(x, y, z float64) float64 { var p = x * y; return z - p }`, held},
		{"multiplied variable", `func f(x, y, z float64) float64 { x *= y; return x + z }`, held},
		{"multiplied sum", `func f(x, y, z float64) float64 { x *= y; x += z; return x }`, held},
		{"barrier", `func f(x, y, z float64) float64 { return float64(x*y) + z }`, ""},
		{"variable behind a barrier", `func f(x, y, z float64) float64 { p := float64(x * y); return p + z }`, ""},
		{"integers", `func f(x, y, z int) int { return x*y + z }`, ""},
		{"integer parameter", `func f[T int32 | int64](x, y, z T) T { return x*y + z }`, ""},
		{"constants", `const c = 2.5*4 + 1; var v = 2.5*4 + 1`, ""},
		{"quotient", `func f(x, y, z float64) float64 { return x/y + z }`, ""},
		{"integer product as float", `func f(x, y int, z float64) float64 { return float64(x*y) + z }`, ""},

		{"foreign exp", `import "math"; var v = math.Exp(1.5)`, "math.Exp has other bits"},
		{"foreign log as a value", `import "math"; var f = math.Log`, "math.Log has other bits"},
		{"renamed import", `import m "math"; var v = m.Pow(2, 3)`, "math.Pow has other bits"},
		{"fused", `import "math"; func f(x, y, z float64) float64 { return math.FMA(x, y, z) }`, "math.FMA outside"},
		{"exact functions", `import "math"; var v = math.Sqrt(2) + math.Floor(1.5) + math.MaxFloat64 + math.Inf(1)`, ""},
		{"bits", `import "math"; var v = math.Float64bits(1)`, ""},

		{"foreign random numbers", `import "math/rand/v2"; var v = rand.Float64()`, "imports math/rand/v2"},
		{"complex functions", `import "math/cmplx"; var v = cmplx.Exp(1)`, "imports math/cmplx"},
		{"bit tricks", `import "math/bits"; var v = bits.Len(3)`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := snippet(t, "tree/snippet.go", tc.body)
			if tc.want == "" && len(got) > 0 || tc.want != "" && (len(got) != 1 || !strings.Contains(got[0], tc.want)) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if got := snippet(t, fmaFile, `import "math"; func f(x, y, z float64) float64 { return math.FMA(x, y, z) }`); len(got) > 0 {
		t.Errorf("%s may ask for a fused multiply-add: got %q", fmaFile, got)
	}
}

// gonum is refused below layer 7.
func TestNumericsForeignImports(t *testing.T) {
	for _, tc := range []struct {
		file, imported string
		bad            bool
	}{
		{"tree/walk.go", "gonum.org/v1/gonum/mat", true},
		{"objectives/binary.go", "gonum.org/v1/gonum", true},
		{"objectives/binary.go", "math/bits", false},
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, tc.file, "package p\n\nimport _ \""+tc.imported+"\"\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		c := &numerics{fset: fset}
		c.checkImports(file)
		if bad := len(c.findings) > 0; bad != tc.bad {
			t.Errorf("%s imports %s: findings %v", tc.file, tc.imported, c.findings)
		}
	}
}

func TestMapRanges(t *testing.T) {
	fset, files := parse(t, "tree/snippet.go", `func f(m map[int]int, s []int) { for range m {}; for range s {} }`)
	_, info, err := check(fset, "p", files, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := mapRanges(fset, files, info); len(got) != 1 {
		t.Errorf("got %v, want the one range over a map", got)
	}
}

func parse(t *testing.T, name, body string) (*token.FileSet, []*ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, "package p; "+body, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return fset, []*ast.File{file}
}

var standard = importer.ForCompiler(token.NewFileSet(), "source", nil)

func snippet(t *testing.T, name, body string) []string {
	t.Helper()
	fset, files := parse(t, name, body)
	_, info, err := check(fset, "p", files, standard, false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range checkNumerics(fset, files, info) {
		got = append(got, f.String())
	}
	return got
}
