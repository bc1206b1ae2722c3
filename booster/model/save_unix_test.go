//go:build unix

package model_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"boost/booster/model"
)

// A limit on the size of files stands in for a full disk. It binds the whole process,
// so the test runs itself once more.
func TestSaveOnFullDisk(t *testing.T) {
	if path := os.Getenv("BOOST_TEST_FULL_DISK"); path != "" {
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		small := limit
		small.Cur = 1000
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &small); err != nil {
			t.Fatal(err)
		}
		err := newSmall(t).Save(path)
		// A coverage report that follows needs room.
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(err, unix.EFBIG) || !strings.Contains(err.Error(), "the model cannot be saved") {
			t.Fatalf("Save = %v, want EFBIG", err)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "m.boost")
	old := []byte("the old model")
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	self := exec.Command(os.Args[0], "-test.run=^TestSaveOnFullDisk$", "-test.v")
	self.Env = append(os.Environ(), "BOOST_TEST_FULL_DISK="+path)
	out, err := self.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "PASS: TestSaveOnFullDisk") {
		t.Fatalf("%v\n%s", err, out)
	}
	only(t, path, old)
}

func TestSaveKeepsModeAndLink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	m := newSmall(t)
	path := filepath.Join(elsewhere, "real.boost")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "m.boost")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(link); err != nil {
		t.Fatal(err)
	}
	only(t, path, encode(t, m))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v (%v), want 0640 as before", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v (%v)", info.Mode(), err)
	}
}

func TestSaveRefuses(t *testing.T) {
	m := newSmall(t)
	t.Run("a device", func(t *testing.T) {
		if err := m.Save(os.DevNull); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("Save = %v, want a refusal", err)
		}
	})
	t.Run("a link in place of the temporary file", func(t *testing.T) {
		dir := t.TempDir()
		victim := filepath.Join(t.TempDir(), "victim")
		if err := os.WriteFile(victim, []byte("keep"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, filepath.Join(dir, ".m.boost.tmp")); err != nil {
			t.Fatal(err)
		}
		if err := m.Save(filepath.Join(dir, "m.boost")); !errors.Is(err, unix.ELOOP) {
			t.Errorf("Save = %v, want ELOOP", err)
		}
		only(t, victim, []byte("keep"))
	})
	t.Run("a directory that may not be written", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		if unix.Access(dir, unix.W_OK) == nil {
			t.Skip("this user may write everywhere")
		}
		if err := m.Save(filepath.Join(dir, "m.boost")); !errors.Is(err, os.ErrPermission) {
			t.Errorf("Save = %v, want fs.ErrPermission", err)
		}
	})
}

func TestLoadFromPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	data := encode(t, newSmall(t))
	done := make(chan error, 1)
	go func() { done <- os.WriteFile(path, data, 0o600) }()
	if _, err := model.Load(path); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
