package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What does not compile on one platform is found there and not elsewhere, in tests too.
func TestCheckPlatform(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":              "module m\n\ngo 1.26\n",
		"a.go":                "package m\n\nimport \"m/b\"\n\nvar A = b.B\n",
		"b/b.go":              "package b\n\nvar B = size\n",
		"b/b_linux.go":        "package b\n\nconst size = 1\n",
		"b/b_windows.go":      "package b\n\nconst size = 2\n",
		"b/b_darwin.go":       "package b\n\nfunc size() {}\n\nfunc other() { undefined() }\n",
		"a_windows_test.go":   "package m\n\nvar _ = missing\n",
		"b/b_amd64.go":        "package b\n\nfunc asm(x int) int\n",
		"b/use_linux.go":      "package b\n\nvar _ = asm\n",
		"b/ext_linux_test.go": "package b_test\n\nimport \"m/b\"\n\nvar _ int = b.B\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tree := &Tree{Root: dir, Module: "m"}
	for platform, want := range map[string]string{
		"linux/amd64": "", "linux/arm64": "undefined: asm", "darwin/arm64": "undefined: undefined", "windows/amd64": "undefined: missing",
	} {
		goos, goarch, _ := strings.Cut(platform, "/")
		n, err := tree.CheckPlatform(goos, goarch)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", platform, err, want)
		}
		if n < 2 {
			t.Errorf("%s: %d packages", platform, n)
		}
	}
}
