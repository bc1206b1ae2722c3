package recordlog_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"boost/internal/recordlog"
	"boost/internal/testenv"
	"boost/internal/vfs/crashfs"
)

// life is a log on a disk that may fail, and what it may hold after a loss of power: one of states from safe on.
type life struct {
	t      *testing.T
	disk   *crashfs.FS
	log    *recordlog.Log
	states []content // after each change
	safe   int       // the state that is on the disk
	marks  [][2]int  // by mark: safe, and the last state that may have been begun
}

func openOn(disk *crashfs.FS) (*recordlog.Log, error) {
	return recordlog.Open("/d/deep/log", recordlog.Options{FS: disk})
}

// step is a call of a log, and what it makes of what the log holds.
type step struct {
	name string
	do   func(l *life) error
	next func(c content) // nil: nothing
	safe bool            // all is on the disk when it has returned
}

func writing(kind uint8, id, payload string) step {
	return step{"write", func(l *life) error {
		_, err := l.log.Append(kind, id, []byte("h"), []byte(payload))
		return err
	}, func(c content) { c[name(kind, id)] = "h|" + payload }, false}
}

func removing(kind uint8, id string) step {
	return step{"remove", func(l *life) error { return l.log.Remove(kind, id) }, func(c content) { delete(c, name(kind, id)) }, false}
}

var (
	syncing    = step{"sync", func(l *life) error { return l.log.Sync() }, nil, true}
	compacting = step{"compact", func(l *life) error { return l.log.Compact() }, nil, true}
	reopening  = step{"reopen", func(l *life) error {
		if l.log != nil {
			if err := l.log.Close(); err != nil && !errors.Is(err, recordlog.ErrClosed) {
				return err
			}
		}
		log, err := openOn(l.disk)
		if err == nil {
			l.log = log
		}
		return err
	}, nil, true}
)

// steps is a log's life: every call of it, in the orders that matter.
func steps() []step {
	long := strings.Repeat("long ", 120) // more than a sector
	return []step{
		reopening,
		writing(1, "a", "first"), writing(1, "b", long), syncing,
		writing(1, "a", "second"), removing(1, "b"), syncing,
		writing(2, "c", ""), writing(1, "a", long), compacting,
		writing(1, "d", "after"), syncing, compacting, reopening,
		writing(1, "e", long), removing(2, "c"), writing(1, "e", "short"), syncing,
		reopening, removing(1, "e"), syncing, reopening, compacting, writing(1, "g", "after"), syncing,
		writing(1, "f", "unsafe"),
	}
}

func begin(t *testing.T) *life {
	t.Helper()
	l := &life{t: t, disk: crashfs.New(), states: []content{{}}, marks: [][2]int{{0, 0}}}
	if err := errors.Join(l.disk.Mkdir("/d", 0o777), l.disk.SyncDir("/")); err != nil {
		t.Fatal(err)
	}
	l.disk.Mark()
	return l
}

// run does a step and notes what may be on the disk while it runs and after it.
func (l *life) run(s step) error {
	held := maps.Clone(l.states[len(l.states)-1])
	if s.next != nil {
		s.next(held)
		l.states = append(l.states, held)
	}
	l.marks = append(l.marks, [2]int{l.safe, len(l.states) - 1})
	err := s.do(l)
	if err == nil && s.safe {
		l.safe = len(l.states) - 1
	}
	l.disk.Mark()
	return err
}

// holds opens a log after a crash and checks that it is in one of these states.
func holds(t *testing.T, disk *crashfs.FS, states []content) (*recordlog.Log, content) {
	t.Helper()
	l, err := openOn(disk)
	if err != nil {
		t.Fatalf("%v, after %v", err, disk)
	}
	got, err := read(t, l)
	if err != nil {
		t.Fatalf("%v, after %v", err, disk)
	}
	for _, want := range states {
		if maps.Equal(got, want) {
			return l, got
		}
	}
	t.Fatalf("the log holds %.300v, want one of %.1000v, after %v", got, states, disk)
	return nil, nil
}

// At a loss of power at any moment a log holds all that was synced, and of what was written since the first of the
// records. It goes on from there, and a second loss of power takes nothing that was not lost at the first.
func TestPowerLossAnywhere(t *testing.T) {
	testenv.Unraced(t)
	l := begin(t)
	for _, s := range steps() {
		if err := l.run(s); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
	}
	l.marks = append(l.marks, [2]int{l.safe, len(l.states) - 1})
	every := 3
	if os.Getenv("BOOST_SOAK") != "" {
		every = 1
	}
	first, torn, second := 0, 0, 0
	l.disk.Crashes(1, func(disk *crashfs.FS, marks int) {
		allowed := l.states[l.marks[marks][0] : l.marks[marks][1]+1]
		log, got := holds(t, disk, allowed)
		first++
		if log.Torn() == 0 {
			return
		}
		if torn++; torn%every != 0 {
			return
		}
		// It writes less than was cut off, so that what is behind it could come back.
		more := maps.Clone(got)
		more["3/new"] = "|x"
		put(t, log, 3, "new", "", "x")
		if err := log.Sync(); err != nil {
			t.Fatal(err)
		}
		disk.Mark()
		second += disk.Crashes(0, func(again *crashfs.FS, marks int) {
			states := []content{got, more}
			_, _ = holds(t, again, states[marks:])
		})
	})
	t.Logf("%d states after one loss of power, %d after two", first, second)
	if first < 1000 || second < 1000 {
		t.Errorf("only %d states, %d after a second loss", first, second)
	}
}

// Whichever call to the disk fails, a log tells it, loses nothing that it holds, and does the same again when the
// disk is well.
func TestDiskErrors(t *testing.T) {
	testenv.Unraced(t)
	soak := os.Getenv("BOOST_SOAK") != ""
	for name, fault := range crashfs.Faults {
		stride := 1
		if name != "one error" && !soak {
			stride = 7
		}
		for n := 1; ; n += stride {
			l := begin(t)
			start := l.disk.Calls()
			l.disk.Fault = fault.At(start + n)
			failed := false
			for _, s := range steps() {
				before := len(l.states) - 1
				err := l.run(s)
				if err == nil {
					continue
				}
				failed = true
				if !errors.Is(err, fault.Err) {
					t.Fatalf("%s from call %d on: %s: got %v, want %v", name, n, s.name, err, fault.Err)
				}
				l.disk.Fault = nil
				l.recover(fmt.Sprintf("%s from call %d on: %s", name, n, s.name), s, err, before)
			}
			if !failed && l.disk.Calls() < start+n {
				break // all calls have had their turn
			}
			l.marks = append(l.marks, [2]int{l.safe, len(l.states) - 1})
			from := len(l.marks) - 1 // the end
			if soak {
				from = 1
			}
			l.disk.Crashes(from, func(disk *crashfs.FS, marks int) {
				holds(t, disk, l.states[l.marks[marks][0]:l.marks[marks][1]+1])
			})
		}
	}
}

// recover checks what a log holds after a step that failed, and does the step again. Only ErrBroken leaves it open
// whether the step was done.
func (l *life) recover(what string, s step, cause error, before int) {
	l.t.Helper()
	reopen := func() {
		if l.log != nil {
			_ = l.log.Close()
			l.log = nil
		}
		if err := reopening.do(l); err != nil {
			l.t.Fatalf("%s: opened anew: %v", what, err)
		}
	}
	broken := errors.Is(cause, recordlog.ErrBroken)
	if broken || s.name == "reopen" {
		reopen()
	}
	got := mustRead(l.t, l.log)
	switch {
	case maps.Equal(got, l.states[before]):
		l.states = l.states[:before+1]
	case !broken || !maps.Equal(got, l.states[len(l.states)-1]):
		l.t.Fatalf("%s: %v: the log holds %.300v, want %.300v", what, cause, got, l.states[before])
	}
	// What the step has left must not take the place of what is written now.
	for _, s := range []step{writing(3, "since", what), syncing, s} {
		err := l.run(s)
		if errors.Is(err, recordlog.ErrBroken) { // by the step before
			reopen()
			err = l.run(s)
		}
		if err != nil {
			l.t.Fatalf("%s: then %s: %v", what, s.name, err)
		}
		if s.safe {
			l.disk.Crashes(len(l.marks), func(disk *crashfs.FS, _ int) { holds(l.t, disk, l.states[l.safe:]) })
		}
	}
}

// A writer that is stopped at any call leaves a log to the next one, which syncs what that has not.
func TestStoppedWriter(t *testing.T) {
	for n := 1; ; n++ {
		l := begin(t)
		l.disk.Fault = crashfs.Faults["a read-only disk"].At(l.disk.Calls() + n)
		stopped := slices.ContainsFunc(steps(), func(s step) bool { return l.run(s) != nil })
		if !stopped {
			break
		}
		if l.log != nil {
			_ = l.log.Close()
		}
		l.disk.Fault = nil
		log, got := holds(t, l.disk, l.states[l.safe:])
		got["3/new"] = "|x"
		put(t, log, 3, "new", "", "x")
		if err := log.Sync(); err != nil {
			t.Fatal(err)
		}
		l.disk.Mark()
		l.disk.Crashes(len(l.marks)+1, func(disk *crashfs.FS, _ int) { holds(t, disk, []content{got}) })
	}
}

// A log on a disk that takes no change can be read, and a writer is refused.
func TestReadOnlyDisk(t *testing.T) {
	l := begin(t)
	for _, s := range append(steps(), reopening) {
		if err := l.run(s); err != nil {
			t.Fatal(err)
		}
	}
	want := l.states[len(l.states)-1]
	if err := l.log.Close(); err != nil {
		t.Fatal(err)
	}
	l.disk.Fault = crashfs.ReadOnly
	r, err := recordlog.OpenReader("/d/deep/log", recordlog.Options{FS: l.disk})
	if err != nil {
		t.Fatal(err)
	}
	same(t, mustRead(t, r), want)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := openOn(l.disk); !errors.Is(err, syscall.EROFS) {
		t.Errorf("a writer: %v, want %v", err, syscall.EROFS)
	}
}
