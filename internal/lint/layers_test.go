package lint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func here(t *testing.T) *Tree {
	t.Helper()
	tree, err := Find(".")
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestLayers(t *testing.T) {
	packages, err := here(t).Packages()
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 10 {
		t.Fatalf("found %d packages: the walk over the tree is broken", len(packages))
	}
	findings, err := CheckLayers(packages)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("S2.39/imports", func(t *testing.T) {
		for _, f := range findings {
			t.Error(f)
		}
	})
}

// The program is one static file: only a build for MPI loads libraries of C.
func TestProgramLoadsNoLibrary(t *testing.T) {
	const loader = "github.com/ebitengine/purego"
	for _, tags := range []string{"", "mpi"} {
		packages, err := here(t).list([]string{"-json=ImportPath", "-tags=" + tags, "./cmd/boost"})
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(packages, func(p listed) bool { return p.ImportPath == loader })
		if has != (tags == "mpi") {
			t.Errorf("with the tags %q, cmd/boost contains %s: %v", tags, loader, has)
		}
	}
}

// Every rule of the picture can fail.
func TestLayerRules(t *testing.T) {
	const small = `
	 0: cpu rng
	 0: pool
	 1: math
	 2: tree data
	 3: grow
	 4: tree/internal/file tree/internal/way data/internal/way model
	 5: train
	 tools: lint gen`
	places, err := parsePicture(small)
	if err != nil {
		t.Fatal(err)
	}
	never := map[string][]string{"model": {"grow"}}
	for _, tc := range []struct {
		name     string
		packages []Package
		want     string // part of the one finding; empty: none
	}{
		{"lower layers", []Package{{Path: "grow", Imports: []string{"cpu", "math", "tree"}}}, ""},
		{"further left in layer 0", []Package{{Path: "rng", Imports: []string{"cpu"}}}, ""},
		{"above in layer 0", []Package{{Path: "pool", Imports: []string{"rng"}}}, ""},
		{"further right in layer 0", []Package{{Path: "cpu", Imports: []string{"rng"}}}, "cpu (layer 0) imports rng (layer 0)"},
		{"beside in layer 2", []Package{{Path: "data", Imports: []string{"tree"}}}, "data (layer 2) imports tree (layer 2)"},
		{"further left in one folder internal", []Package{{Path: "tree/internal/way", Imports: []string{"tree/internal/file"}}}, ""},
		{"further right in one folder internal", []Package{{Path: "tree/internal/file", Imports: []string{"tree/internal/way"}}}, "tree/internal/file (layer 4) imports"},
		{"further left in another folder internal", []Package{{Path: "data/internal/way", Imports: []string{"tree/internal/way"}}}, "data/internal/way (layer 4) imports"},
		{"upwards", []Package{{Path: "tree", Imports: []string{"train"}}}, "tree (layer 2) imports train (layer 5)"},
		{"unknown", []Package{{Path: "util"}}, `package "util" has no place`},
		{"tool imports a tool", []Package{{Path: "gen", Imports: []string{"lint"}}}, ""},
		{"tool imports the product", []Package{{Path: "gen", Imports: []string{"cpu"}}}, "gen (tool) imports cpu"},
		{"product imports a tool", []Package{{Path: "train", Imports: []string{"gen"}}}, "train (layer 5) imports gen (tool)"},
		{"forbidden chain", []Package{
			{Path: "model", Imports: []string{"tree"}},
			{Path: "tree", Imports: []string{"math"}},
			{Path: "math", Imports: []string{}},
		}, ""},
		{"forbidden import", []Package{{Path: "model", Imports: []string{"grow"}}, {Path: "grow"}}, "model → grow"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := checkLayers(tc.packages, places, never)
			if tc.want == "" && len(got) > 0 || tc.want != "" && (len(got) != 1 || !strings.Contains(got[0], tc.want)) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	// A chain is found through packages that each keep the layers.
	chain := checkLayers([]Package{
		{Path: "train", Imports: []string{"model"}},
		{Path: "model", Imports: []string{"tree"}},
		{Path: "tree", Imports: []string{"rng"}},
	}, places, map[string][]string{"train": {"rng"}})
	if len(chain) != 1 || !strings.Contains(chain[0], "train → model → tree → rng") {
		t.Errorf("got %q, want the chain from train to rng", chain)
	}
}

func TestPictureShowsWhatExists(t *testing.T) {
	places, err := parsePicture("0: cpu gone\ntools: lint")
	if err != nil {
		t.Fatal(err)
	}
	got := checkPicture([]Package{{Path: "cpu"}, {Path: "lint"}}, places)
	if len(got) != 1 || !strings.Contains(got[0], `"gone"`) {
		t.Errorf("got %q, want a finding about gone", got)
	}
}

func TestPictureErrors(t *testing.T) {
	for _, bad := range []string{"0 cpu", "low: cpu", "0: cpu\n1: cpu", "0.5: cpu"} {
		if _, err := parsePicture(bad); err == nil {
			t.Errorf("parsePicture(%q): want an error", bad)
		}
	}
}

// A layer holds whatever the module is called, and nested modules, testdata
// and tests are not packages of it.
func TestPackagesOfAnyModule(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                "module example.org/gbt // the product\n",
		"tree/tree.go":          "package tree\n\nimport (\n\t\"fmt\"\n\n\t\"example.org/gbt/parallel\"\n)\n",
		"tree/tree_test.go":     "package tree\n\nimport _ \"example.org/gbt/booster\"\n",
		"tree/testdata/x/x.go":  "package x\n",
		"parallel/pool.go":      "package parallel\n",
		"_asm/gen.go":           "package main\n",
		"examples/embed/go.mod": "module example.org/gbt/examples/embed\n",
		"examples/embed/m.go":   "package main\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := Find(filepath.Join(root, "tree"))
	if err != nil {
		t.Fatal(err)
	}
	if tree.Module != "example.org/gbt" {
		t.Errorf("module %q", tree.Module)
	}
	packages, err := tree.Packages()
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) != 2 || packages[0].Path != "parallel" || packages[1].Path != "tree" {
		t.Fatalf("got %v, want parallel and tree", packages)
	}
	if p := packages[1]; !slices.Equal(p.Imports, []string{"parallel"}) || !slices.Equal(p.Outside, []string{"fmt"}) {
		t.Errorf("imports of tree: %v and %v", p.Imports, p.Outside)
	}
}
