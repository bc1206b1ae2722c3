//go:build unix

package replace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"boost/internal/vfs"
)

func TestLockedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".m.tmp")
	first, err := lockedFile(vfs.OS, path, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockedFile(vfs.OS, path, time.Millisecond); !errors.Is(err, vfs.ErrBusy) {
		t.Errorf("a second writer got %v, want %v", err, vfs.ErrBusy)
	}
	// The first writer is done while the second holds the file it renamed away.
	stale, err := openTemp(vfs.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	defer stale.Close()
	target := filepath.Join(filepath.Dir(path), "m")
	if err := (&Draft{File: first, fsys: vfs.OS, temp: path, target: target}).publish(); err != nil {
		t.Fatal(err)
	}
	if sameFile(vfs.OS, stale, path) {
		t.Error("a renamed file still counts as the temporary one")
	}
	second, err := lockedFile(vfs.OS, path, 0)
	if err != nil {
		t.Fatal(err)
	}
	(&Draft{File: second, fsys: vfs.OS, temp: path}).Discard()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the temporary file is still there: %v", err)
	}
}
