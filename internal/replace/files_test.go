package replace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"boost/internal/vfs"
)

func text(s string) func(vfs.File) error {
	return func(f vfs.File) error {
		_, err := f.Write([]byte(s))
		return err
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// All files appear, or none changes.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(a, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	for _, second := range []New{
		{b, func(vfs.File) error { return failed }},
		{dir, text("x")},
		{filepath.Join(dir, "none", "c"), text("x")},
	} {
		if err := Files(vfs.OS, New{a, text("new")}, second); err == nil {
			t.Errorf("%s was written", second.Path)
		}
		if got := read(t, a); got != "old" {
			t.Errorf("after %s failed the first file is %q", second.Path, got)
		}
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != 1 {
			t.Errorf("after %s failed there are %v, %v", second.Path, left, err)
		}
	}
	if err := Files(vfs.OS, New{a, text("new")}, New{b, text("too")}); err != nil {
		t.Fatal(err)
	}
	if read(t, a) != "new" || read(t, b) != "too" {
		t.Errorf("%q, %q", read(t, a), read(t, b))
	}
}
