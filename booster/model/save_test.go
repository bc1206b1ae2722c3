package model_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"boost/booster/model"
	"boost/internal/vfs/crashfs"
)

// only checks that the directory holds nothing but the named file with these bytes.
func only(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s has %d bytes (%v), want the %d that belong there", path, len(got), err, len(want))
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v (%v), want only %s", entries, err, filepath.Base(path))
	}
}

// A loss of power or an error of the disk leaves the model of before or the new one, each whole.
func TestSaveDiskFaults(t *testing.T) {
	m := newSmall(t)
	part, err := m.Prefix(1)
	if err != nil {
		t.Fatal(err)
	}
	save := func(m *model.Model) func(*crashfs.FS) error {
		return func(disk *crashfs.FS) error { return model.SaveOn(disk, m, "/d/m.boost") }
	}
	if n := crashfs.Replaced(t, "/d/m.boost", save(part), save(m)); n < 100 {
		t.Errorf("only %d states", n)
	}
}

func TestSave(t *testing.T) {
	m := newSmall(t)
	data := encode(t, m)
	t.Run("new file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "m.boost")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		only(t, path, data)
		if _, err := model.Load(path); err != nil {
			t.Error(err)
		}
	})
	t.Run("over an old file and what a killed run has left", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "m.boost")
		long := bytes.Repeat([]byte("old"), 5000)
		for _, p := range []string{path, filepath.Join(filepath.Dir(path), ".m.boost.tmp")} {
			if err := os.WriteFile(p, long, 0o640); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		only(t, path, data)
	})
	t.Run("to a directory", func(t *testing.T) {
		dir := t.TempDir()
		if err := m.Save(dir); err == nil || !strings.Contains(err.Error(), "is a directory") {
			t.Errorf("Save = %v, want an error that says it is a directory", err)
		}
	})
	t.Run("into no directory", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "absent", "m.boost")
		err := m.Save(path)
		if err == nil || !os.IsNotExist(unwrapAll(err)) || !strings.Contains(err.Error(), filepath.Dir(path)) {
			t.Errorf("Save = %v, want an error with the directory", err)
		}
	})
	t.Run("two at once", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "m.boost")
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				if err := m.Save(path); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		only(t, path, data)
	})
}

func unwrapAll(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = u.Unwrap()
	}
}
