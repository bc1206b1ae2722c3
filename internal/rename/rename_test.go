package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/internal/lint"
)

func write(t *testing.T, root string, files map[string]string) *lint.Tree {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := lint.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestRename(t *testing.T) {
	const old = "boost"
	for _, tc := range []struct{ name, file, before, after string }{
		{"import, sorted again", "cmd/x/main.go",
			"package main\n\nimport (\n\t\"context\"\n\n\t\"" + old + "/tree\"\n\t\"example.org/z\"\n)\n\nvar s = \"" + old + "/tree\"\n",
			"package main\n\nimport (\n\t\"context\"\n\n\t\"example.org/gbt/tree\"\n\t\"example.org/z\"\n)\n\nvar s = \"" + old + "/tree\"\n"},
		{"named and dot imports", "a.go",
			"package a\n\nimport t \"" + old + "/tree\"\nimport . \"" + old + "\"\n",
			"package a\n\nimport t \"example.org/gbt/tree\"\nimport . \"example.org/gbt\"\n"},
		{"longer names are others", "b.go",
			"package b\n\nimport _ \"" + old + "er/tree\"\n",
			"package b\n\nimport _ \"" + old + "er/tree\"\n"},
		{"tests", "tree/tree_test.go",
			"package tree_test\n\nimport _ \"" + old + "/tree\"\n",
			"package tree_test\n\nimport _ \"example.org/gbt/tree\"\n"},
		{"nested module", "examples/embed/go.mod",
			"module " + old + "/examples/embed\n\ngo 1.26\n\nrequire " + old + " v0.0.0 // " + old + " itself\n\nrequire (\n\t" + old + "er v1.0.0\n)\n\nreplace " + old + " => ../..\n",
			"module example.org/gbt/examples/embed\n\ngo 1.26\n\nrequire example.org/gbt v0.0.0 // " + old + " itself\n\nrequire (\n\t" + old + "er v1.0.0\n)\n\nreplace example.org/gbt => ../..\n"},
		{"document", "README.md",
			"```go\nimport \"" + old + "/dataset\"\n```\n```\nreplace " + old + " => ../" + old + "\n```\n" + old + " trains\n",
			"```go\nimport \"example.org/gbt/dataset\"\n```\n```\nreplace example.org/gbt => ../" + old + "\n```\n" + old + " trains\n"},
		{"testdata", "tree/testdata/a.go", "package x\n\nimport _ \"" + old + "/tree\"\n", "package x\n\nimport _ \"" + old + "/tree\"\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			tree := write(t, root, map[string]string{"go.mod": "module boost\n", tc.file: tc.before})
			if _, err := Rename(tree, "example.org/gbt"); err != nil {
				t.Fatal(err)
			}
			got, err := tree.Read(tc.file)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tc.after {
				t.Errorf("got\n%s\nwant\n%s", got, tc.after)
			}
			if again, err := lint.Find(root); err != nil || again.Module != "example.org/gbt" {
				t.Errorf("module is %v, %v", again, err)
			}
		})
	}
}

func TestRenameRefuses(t *testing.T) {
	for _, bad := range []string{"", "/gbt", "gbt/", "a b", "example.org//gbt", "-x", "é.org"} {
		tree := write(t, t.TempDir(), map[string]string{"go.mod": "module boost\n"})
		if n, err := Rename(tree, bad); err == nil || n != 0 {
			t.Errorf("Rename(%q) = %d, %v; want an error", bad, n, err)
		}
	}
}

// A file that does not parse leaves the whole tree as it was.
func TestRenameAllOrNothing(t *testing.T) {
	tree := write(t, t.TempDir(), map[string]string{
		"go.mod": "module boost\n",
		"a.go":   "package a\n\nimport _ \"boost/tree\"\n",
		"b.go":   "not go\n",
	})
	_, err := Rename(tree, "example.org/gbt")
	if err == nil || !strings.Contains(err.Error(), "b.go") {
		t.Fatalf("got %v, want an error that names b.go", err)
	}
	if text, _ := tree.Read("a.go"); !strings.Contains(string(text), `"boost/tree"`) {
		t.Errorf("a.go was changed: %s", text)
	}
}
