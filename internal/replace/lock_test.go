//go:build unix

package replace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestLockedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".m.tmp")
	first, err := lockedFile(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockedFile(path, time.Millisecond); !errors.Is(err, ErrBusy) {
		t.Errorf("a second writer got %v, want %v", err, ErrBusy)
	}
	// The first writer is done while the second holds the file it renamed away.
	stale, err := openTemp(path)
	if err != nil {
		t.Fatal(err)
	}
	defer stale.Close()
	target := filepath.Join(filepath.Dir(path), "m")
	if err := publish(first, path, target); err != nil {
		t.Fatal(err)
	}
	if sameFile(stale, path) {
		t.Error("a renamed file still counts as the temporary one")
	}
	second, err := lockedFile(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	discard(second, path)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the temporary file is still there: %v", err)
	}
}
