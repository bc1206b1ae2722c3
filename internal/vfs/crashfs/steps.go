package crashfs

import (
	"errors"
	"fmt"
	"os"
	"testing"
)

// Writer is a program that changes what is on a disk in steps. Each is on the disk when it has returned, and one
// that is done again changes nothing.
type Writer struct {
	Steps []func() error
	Close func()
}

// Survives tests a writer in the folder /d. State returns what a disk holds, opened for reading or, after a crash,
// for writing. After a loss of power at any moment, and after an error of any call, it is what it was when the last
// step had returned, or what the step under way was to make of it; and the rest of the steps can be done. It returns
// how many states of the disk there were.
func Survives(t testing.TB, open func(disk *FS) (*Writer, error), state func(disk *FS, reading bool) (string, error)) int {
	t.Helper()
	prepare := func() *FS {
		disk := New()
		if err := errors.Join(disk.Mkdir("/d", 0o777), disk.SyncDir("/")); err != nil {
			t.Fatal(err)
		}
		return disk
	}
	disk := prepare()
	w, err := open(disk)
	if err != nil {
		t.Fatal(err)
	}
	var want []string // before each step, and after the last
	note := func() {
		s, err := state(disk, true)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, s)
		disk.Mark()
	}
	note()
	for i, step := range w.Steps {
		if err := step(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		note()
	}
	w.Close()
	// is checks the state after so many steps had returned, and reports whether one more was done.
	is := func(disk *FS, what string, done int) int {
		got, err := state(disk, false)
		if err != nil {
			t.Fatalf("%s: %v, after %v", what, err, disk)
		}
		for more := range 2 {
			if done+more < len(want) && got == want[done+more] {
				return done + more
			}
		}
		t.Fatalf("%s: after %d steps there is\n%s\nand there should be\n%s\nor what comes next, after %v", what, done, got, want[done], disk)
		return 0
	}
	states := disk.Crashes(1, func(disk *FS, marks int) { is(disk, "loss of power", marks-1) })
	for name, fault := range Faults {
		stride, every := 5, 100
		switch {
		case os.Getenv("BOOST_SOAK") != "":
			stride, every = 1, 1
		case name == "one error":
			stride = 1
		}
		for n := 1; ; n += stride {
			disk := prepare()
			start := disk.Calls()
			disk.Fault = fault.At(start + n)
			done, w, err := resume(disk, open, 0)
			if disk.Calls() < start+n {
				break // all calls have had their turn
			}
			what := fmt.Sprintf("%s from call %d on", name, n)
			if err != nil && !errors.Is(err, fault.Err) {
				t.Fatalf("%s: got error %v, want %v", what, err, fault.Err)
			}
			if w != nil {
				w.Close()
			}
			disk.Fault = nil
			done = is(disk, what, done)
			if _, w, err = resume(disk, open, done); err != nil {
				t.Fatalf("%s: then %v", what, err)
			}
			disk.Mark()
			w.Close()
			is(disk, what, len(want)-1)
			if n%every != 1%every {
				continue
			}
			states += disk.Crashes(1, func(disk *FS, _ int) { is(disk, what+", then loss of power", len(want)-1) })
		}
	}
	return states
}

// resume opens a writer and does what is left of its steps. It returns how many are done.
func resume(disk *FS, open func(disk *FS) (*Writer, error), done int) (int, *Writer, error) {
	w, err := open(disk)
	if err != nil {
		return done, nil, err
	}
	for _, step := range w.Steps[done:] {
		if err := step(); err != nil {
			return done, w, err
		}
		done++
	}
	return done, w, nil
}
