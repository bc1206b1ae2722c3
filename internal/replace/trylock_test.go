package replace_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"boost/internal/replace"
)

func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	if err := replace.TryLock(first); err != nil {
		t.Fatal(err)
	}
	if err := replace.TryLock(second); !errors.Is(err, replace.ErrBusy) {
		t.Fatalf("a second lock of the same file: %v, want %v", err, replace.ErrBusy)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := replace.TryLock(second); err != nil {
		t.Fatalf("after the first file was closed: %v", err)
	}
}
