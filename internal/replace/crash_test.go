package replace_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"boost/internal/replace"
	"boost/internal/vfs"
	"boost/internal/vfs/crashfs"
)

// Files of the tests: two that are there already, of two sectors when new, and one that is not.
var (
	before = map[string]string{"/d/a": "old", "/d/b": strings.Repeat("old", 300), "/d/c": ""}
	after  = map[string]string{"/d/a": strings.Repeat("new", 300), "/d/b": "new", "/d/c": strings.Repeat("fresh", 200)}
)

// prepare returns a disk with the files of before on it, all safe.
func prepare(t *testing.T) *crashfs.FS {
	t.Helper()
	disk := crashfs.New()
	if err := errors.Join(disk.Mkdir("/d", 0o777), disk.SyncDir("/"), replace.Files(disk, news(before, "/d/a", "/d/b")...)); err != nil {
		t.Fatal(err)
	}
	disk.Mark()
	return disk
}

func news(of map[string]string, paths ...string) []replace.New {
	var all []replace.New
	for _, path := range paths {
		all = append(all, replace.New{Path: path, Write: func(f vfs.File) error {
			half := len(of[path]) / 2
			if _, err := f.Write([]byte(of[path][half:])); err != nil {
				return err
			}
			_, err := f.Write([]byte(of[path][:half]))
			if err == nil {
				_, err = f.WriteAt([]byte(of[path]), 0)
			}
			return err
		}})
	}
	return all
}

// content returns a file's, "" where there is none.
func content(t *testing.T, disk *crashfs.FS, path string) string {
	t.Helper()
	b, err := disk.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

// whole checks that each file is the old or the new one; all are new after written is true, and none is then
// old where a later one is new. Writing them again works, and leaves nothing else.
func whole(t *testing.T, disk *crashfs.FS, written bool, paths ...string) {
	t.Helper()
	old := false
	for _, path := range paths {
		switch got := content(t, disk, path); {
		case got == after[path] && old:
			t.Fatalf("%s is new where one before it is old, after %v", path, disk)
		case got == after[path]:
		case got == before[path] && !written:
			old = true
		default:
			t.Fatalf("%s has %d bytes %.20q, written %v, after %v", path, len(got), got, written, disk)
		}
	}
	if err := replace.Files(disk, news(after, paths...)...); err != nil {
		t.Fatalf("%v, after %v", err, disk)
	}
	names, err := disk.ReadDir("/d")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name.Name(), ".tmp") {
			t.Fatalf("%s is left, after %v", name.Name(), disk)
		}
	}
	for _, path := range paths {
		if got := content(t, disk, path); got != after[path] {
			t.Fatalf("%s written again: %d bytes, after %v", path, len(got), disk)
		}
	}
}

// A loss of power at any moment leaves every file as it was or as it shall be; once the call has returned it is
// as it shall be.
func TestPowerLoss(t *testing.T) {
	for _, paths := range [][]string{{"/d/a"}, {"/d/c"}, {"/d/a", "/d/c", "/d/b"}} {
		disk := prepare(t)
		if err := replace.Files(disk, news(after, paths...)...); err != nil {
			t.Fatal(err)
		}
		disk.Mark()
		n := disk.Crashes(1, func(disk *crashfs.FS, marks int) { whole(t, disk, marks == 2, paths...) })
		t.Logf("%d states", n)
		if n < 50 {
			t.Errorf("%v: only %d states", paths, n)
		}
	}
}

// An error of any call of the system is told, with the file's name, and leaves the old file or the new one, now
// and after a loss of power. Only the sync of the folder can fail when the new one is in place.
func TestDiskErrors(t *testing.T) {
	for _, paths := range [][]string{{"/d/a"}, {"/d/c"}, {"/d/a", "/d/c", "/d/b"}} {
		for name, fault := range map[string]func(n int) (func(crashfs.Call) error, error){
			"error": func(n int) (func(crashfs.Call) error, error) { return crashfs.FailAt(n, syscall.EIO), syscall.EIO },
			"full":  func(n int) (func(crashfs.Call) error, error) { return crashfs.FullFrom(n), syscall.ENOSPC },
			"read-only": func(int) (func(crashfs.Call) error, error) {
				return crashfs.ReadOnly, syscall.EROFS
			},
		} {
			for n := 1; ; n++ {
				disk := prepare(t)
				var want error
				start := disk.Calls()
				disk.Fault, want = fault(start + n)
				err := replace.Files(disk, news(after, paths...)...)
				if disk.Calls() < start+n {
					break // all calls have had their turn
				}
				disk.Fault = nil
				what := fmt.Sprintf("%s at call %d of %v", name, n, paths)
				placed := err == nil || errors.Is(err, replace.ErrUnsafe)
				switch {
				case err == nil && name == "full": // only calls that take no room were left
				case !errors.Is(err, want) || !strings.Contains(err.Error(), "/d/"):
					t.Errorf("%s: got %v, want %v with the path", what, err, want)
				}
				disk.Mark()
				disk.Crashes(2, func(disk *crashfs.FS, _ int) { whole(t, disk, err == nil, paths...) })
				for i, path := range paths {
					got := content(t, disk, path)
					if placed && got != after[path] || !placed && got != before[path] && (i > 0 || len(paths) == 1 || got != after[path]) {
						t.Errorf("%s: %s has %d bytes %.20q", what, path, len(got), got)
					}
				}
				whole(t, disk, placed, paths...)
			}
		}
	}
}
