//go:build unix

package cache

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe that nobody writes to is no cache, and is not waited for.
func TestCachePipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Open(path, nil)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, errNoRegular) {
			t.Errorf("%v, want %v", err, errNoRegular)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("opening waits for a writer")
	}
}
