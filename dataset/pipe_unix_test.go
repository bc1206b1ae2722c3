//go:build unix

package dataset_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"boost/dataset"
)

// TestNamedPipe reads what can be read once, as a shell's <(…) gives it, and needs
// it twice.
func TestNamedPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	wrote := make(chan error, 1)
	go func() {
		text := "x\n" + strings.Repeat("1\n", 50_000) + strings.Repeat("a\n", 50_000)
		wrote <- os.WriteFile(name, []byte(text), 0o600)
	}()
	table, err := dataset.Open(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	if x := table.Column("x"); x.Kind() != dataset.Category || x.Len() != 100_000 {
		t.Errorf("x is %v of %d rows", x.Kind(), x.Len())
	}
}
