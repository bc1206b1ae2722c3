package crashfs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

// Faults are ways in which a disk can fail from call n on, and the errors that a program gets then.
var Faults = map[string]struct {
	At  func(n int) func(Call) error
	Err error
}{
	"one error":   {func(n int) func(Call) error { return FailAt(n, syscall.EIO) }, syscall.EIO},
	"a full disk": {FullFrom, syscall.ENOSPC},
	"a read-only disk": {func(n int) func(Call) error {
		return func(c Call) error {
			if c.N < n {
				return nil
			}
			return syscall.EROFS
		}
	}, syscall.EROFS},
}

// Replaced tests a writer of one file that is to be there whole or not at all: first makes it, and second
// makes it anew. After a loss of power at any moment, and after an error of any call, it is as one of them
// has left it: as the last that had returned, if there was no error. A call whose error is that of the disk is
// made again when the disk is well, and nothing else is left then. It returns how many states there were.
func Replaced(t testing.TB, path string, first, second func(disk *FS) error) int {
	t.Helper()
	prepare := func() (*FS, []byte) {
		disk := New()
		if err := errors.Join(disk.Mkdir(filepath.Dir(path), 0o777), disk.SyncDir(filepath.Dir(filepath.Dir(path)))); err != nil {
			t.Fatal(err)
		}
		disk.Mark()
		if err := first(disk); err != nil {
			t.Fatal(err)
		}
		disk.Mark()
		b, err := disk.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return disk, b
	}
	disk, a := prepare()
	if err := second(disk); err != nil {
		t.Fatal(err)
	}
	disk.Mark()
	b, err := disk.ReadFile(path)
	if err != nil || bytes.Equal(a, b) {
		t.Fatalf("the second file is as the first, or %v", err)
	}
	is := func(disk *FS, allowed ...[]byte) error {
		got, err := disk.ReadFile(path)
		for _, want := range allowed {
			if err == nil && want != nil && bytes.Equal(got, want) || want == nil && errors.Is(err, fs.ErrNotExist) {
				return nil
			}
		}
		return fmt.Errorf("%s: %d bytes %.20q, %v: none of the %d files that it may be, after %v", path, len(got), got, err, len(allowed), disk)
	}
	again := func(disk *FS) error {
		if err := second(disk); err != nil {
			return fmt.Errorf("written again: %w, after %v", err, disk)
		}
		names, err := disk.ReadDir(filepath.Dir(path))
		if err != nil || len(names) != 1 {
			return fmt.Errorf("written again: files %v, %v", names, err)
		}
		return is(disk, b)
	}
	failed := 0
	check := func(err error) {
		if err == nil {
			return
		}
		if failed++; failed < 5 { // one fault shows in many states
			t.Error(err)
		}
	}
	states := disk.Crashes(1, func(disk *FS, marks int) {
		check(is(disk, [][][]byte{{nil, a}, {a, b}, {b}}[marks-1]...))
		check(again(disk))
	})
	for name, fault := range Faults {
		for n := 1; ; n++ {
			disk, _ := prepare()
			start := disk.Calls()
			disk.Fault = fault.At(start + n)
			err := second(disk)
			if disk.Calls() < start+n {
				break // all calls have had their turn
			}
			disk.Fault = nil
			disk.Mark()
			allowed := [][]byte{a, b}
			switch {
			case err == nil && fault.Err == syscall.ENOSPC: // only calls that take no room were left
				allowed = allowed[1:]
			case !errors.Is(err, fault.Err):
				check(fmt.Errorf("%s from call %d on: got error %v, want %v", name, n, err, fault.Err))
			}
			check(is(disk, allowed...))
			states += disk.Crashes(3, func(disk *FS, _ int) { check(is(disk, allowed...)) })
			check(again(disk))
		}
	}
	t.Logf("%d states", states)
	return states
}
