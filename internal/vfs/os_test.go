package vfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"boost/internal/vfs"
)

func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() vfs.File {
		f, err := vfs.OS.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	if err := first.TryLock(); err != nil {
		t.Fatal(err)
	}
	if err := second.TryLock(); !errors.Is(err, vfs.ErrBusy) {
		t.Fatalf("a second lock of the same file: %v, want %v", err, vfs.ErrBusy)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.TryLock(); err != nil {
		t.Fatalf("after the first file was closed: %v", err)
	}
}
