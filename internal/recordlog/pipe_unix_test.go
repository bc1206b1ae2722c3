//go:build unix

package recordlog_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"boost/internal/recordlog"
)

// A pipe where a file should be is refused: nobody waits for its other end.
func TestPipes(t *testing.T) {
	for _, name := range []string{"00000001.log", "00000001.index"} {
		dir := t.TempDir()
		if name != "00000001.log" {
			open(t, dir)
		}
		if err := unix.Mkfifo(filepath.Join(dir, name), 0o666); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := recordlog.OpenReader(dir, recordlog.Options{})
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), name+": is not a regular file") {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: waits", name)
		}
	}
}
