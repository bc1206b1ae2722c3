package lint

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The checker finds what a compiler really prints, on both targets that fuse,
// also where the code was inlined, and skips the one file that may.
func TestFusedInstructions(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                  "module m\n\ngo 1.26\n",
		"tree/sum.go":             "package tree\n\nimport \"m/internal/detmath\"\n\nfunc Plain(x, y, z float64) float64 { return float64(x*y) + z }\n\nfunc Fused(x, y, z float64) float64 {\n\tp := x * y\n\treturn p + z\n}\n\nfunc Inlined(x, y, z float64) float64 { return detmath.FMA(x, y, z) }\n",
		"internal/detmath/fma.go": "package detmath\n\nimport \"math\"\n\nfunc FMA(x, y, z float64) float64 { return math.FMA(x, y, z) }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	compile := exec.Command("go", "build", "-gcflags=-S", "./tree", "./internal/detmath")
	compile.Dir = dir
	compile.Env = append(os.Environ(), "GOARCH=amd64", "GOAMD64=v3", "GOWORK=off")
	listing, err := compile.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, listing)
	}
	findings, instructions, err := tree.FusedInstructions(bytes.NewReader(listing))
	if err != nil {
		t.Fatal(err)
	}
	if instructions < 10 {
		t.Errorf("read %d instructions of\n%s", instructions, listing)
	}
	if len(findings) != 1 || !strings.HasPrefix(findings[0], "tree/sum.go:9: compiled to VFMADD") {
		t.Errorf("got %q, want line 9 of tree/sum.go alone in\n%s", findings, listing)
	}
}

// The lines of other architectures, as the compiler prints them.
func TestFusedListingLines(t *testing.T) {
	tree := &Tree{Root: "/src/m", Module: "m"}
	for _, tc := range []struct {
		line string
		bad  bool
	}{
		{"\t0x0000 00000 (/src/m/tree/sum.go:9)\tFMADDD\tF0, F2, F1, F0", true},
		{"\t0x0004 00004 (m/tree/sum.go:9)\tFNMSUBS\tF0, F2, F1, F0", true},
		{"\t0x0004 00004 (/src/m/internal/detmath/fma.go:9)\tFMADDD\tF0, F2, F1, F0", false},
		{"\t0x0004 00004 (m/internal/detmath/fma.go:9)\tFMADDD\tF0, F2, F1, F0", false},
		{"\t0x0000 00000 (/src/m/tree/sum.go:9)\tFMULD\tF0, F2, F1", false},
		{"\trel 4+4 t=R_CALL VFMADD+0", false},
	} {
		findings, _, err := tree.FusedInstructions(strings.NewReader(tc.line + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if bad := len(findings) > 0; bad != tc.bad {
			t.Errorf("%q: got %q", tc.line, findings)
		}
	}
}
