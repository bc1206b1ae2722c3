//go:build unix

package store_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"boost/internal/testenv"
	"boost/tensorq/store"
)

// alone runs a test that limits the size of files in a process of its own, and reports whether this
// is that: the limit is the whole process's, and the log that go test keeps of a test's files would
// end at it too.
func alone(t *testing.T) bool {
	t.Helper()
	const mark = "BOOST_TEST_ALONE"
	if os.Getenv(mark) == t.Name() {
		return true
	}
	args := []string{"-test.run=^" + t.Name() + "$", "-test.v"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), mark+"="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, out)
	}
	return false
}

// full makes every file end at a size, as a full disk does, while do runs.
func full(t *testing.T, size int64, do func()) {
	t.Helper()
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limited := before
	limited.Cur = min(uint64(size), before.Max)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limited); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
	}()
	do()
}

// A disk that is full after any byte of a change either takes the change, with room for the mark behind it or
// without, or leaves things as they were, and the call says which; opening the store anew does not change that.
func TestFullDisk(t *testing.T) {
	testenv.Unraced(t)
	if !alone(t) {
		return
	}
	before, after := []float32{1, -2, 127}, []float32{5, 127, -6}
	reads := func(f *fixture, want []float32) bool { return slices.Equal(f.read("x"), want) }
	for _, c := range []struct {
		name  string
		do    func(f *fixture) error
		after func(f *fixture) bool
	}{
		{"put", func(f *fixture) error {
			return f.Put("x", []int{3}, after, store.PutOptions{Master: true})
		}, func(f *fixture) bool { return reads(f, after) && f.info("x").Master }},
		{"put_without_lossless_values", func(f *fixture) error {
			return f.Put("x", []int{3}, after, store.PutOptions{})
		}, func(f *fixture) bool { return reads(f, after) && !f.info("x").Master }},
		{"remove", func(f *fixture) error { return f.Remove("x") }, func(f *fixture) bool { return !slices.Contains(f.IDs(), "x") }},
		{"rule", func(f *fixture) error { return f.SetRule("x", store.Discard{}, 0) }, func(f *fixture) bool {
			i := f.info("x")
			return reads(f, before) && i.HasRule && i.Base == "" && i.Master
		}},
		{"retire", func(f *fixture) error { return f.Retire("x") }, func(f *fixture) bool {
			i := f.info("x")
			return reads(f, before) && i.Tier == store.Absent && !i.Master
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			// A store whose x has lossless values, a rule and a use on disk, and copies of it.
			first := newStore(t, func(c *store.Config) { c.SyncWrites = true })
			first.put("base", before)
			first.put("x", before, store.PutOptions{Master: true})
			first.rule("x", store.Scale{Of: "base", By: 1})
			first.read("x")
			if err := first.Store.Close(); err != nil {
				t.Fatal(err)
			}
			started := func() *fixture {
				f := &fixture{t: t, dir: filepath.Join(t.TempDir(), "copy"), cfg: first.cfg, clock: newClock(), source: &source{}}
				if err := os.CopyFS(f.dir, os.DirFS(first.dir)); err != nil {
					t.Fatal(err)
				}
				f.clock.pass(30 * day)
				f.open()
				return f
			}
			f := started()
			_, from := f.Log().Size()
			if err := c.do(f); err != nil {
				t.Fatal(err)
			}
			_, to := f.Log().Size()
			if err := f.Store.Close(); err != nil {
				t.Fatal(err)
			}
			stride := int64(5)
			switch {
			case testing.Short():
				stride = 17
			case os.Getenv("BOOST_SOAK") != "":
				stride = 1
			}
			kinds := map[string]int{}
			for size := to; size >= from; size -= stride {
				f := started()
				var err error
				full(t, size, func() { err = c.do(f) })
				made := err == nil
				check := func(when string) {
					t.Helper()
					if made && !c.after(f) {
						t.Errorf("%d of %d bytes: %v, and %s the change is not there", size-from, to-from, err, when)
					}
					if i, e := f.Info("x"); !made && (e != nil || !reads(f, before) || !i.Master || i.Base != "base" || i.Tier == store.Absent) {
						t.Errorf("%d of %d bytes: %v, and %s things are not as they were: %+v", size-from, to-from, err, when, i)
					}
				}
				check("at once")
				// What a failed write left is cut off.
				_, total := f.Log().Size()
				if info, e := os.Stat(filepath.Join(f.dir, "00000001.log")); e != nil || info.Size() != total {
					t.Errorf("%d of %d bytes: a file of %d, want %d (%v)", size-from, to-from, info.Size(), total, e)
				}
				switch {
				case made:
					kinds["made"]++
				case !errors.Is(err, unix.EFBIG):
					t.Errorf("%d of %d bytes: %v", size-from, to-from, err)
				default:
					kinds["refused"]++
				}
				lossless := func() {
					t.Helper()
					n, want := len(f.Log().Entries(store.RecordMaster))+len(f.Log().Entries(store.RecordOther)), 0
					if i, e := f.Info("x"); e == nil && i.Master {
						want = 1
					}
					if n != want {
						t.Errorf("%d of %d bytes: %d records of lossless values, want %d", size-from, to-from, n, want)
					}
				}
				if c.name == "put" && made {
					// Once there is room, what is to be removed has the place that the next values take.
					if err := c.do(f); err != nil {
						t.Fatal(err)
					}
					lossless()
				}
				f.reopen()
				check("once opened anew")
				f.reopen()
				lossless() // what could not be removed is gone by now
				if err := f.Store.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if kinds["refused"] < 2 || kinds["made"] < 2 {
				t.Errorf("the sizes came to %v", kinds)
			}
		})
	}
}

// A log that is mostly old is written anew by a sweep though the disk has no room to record the use of
// tensors: that has room afterwards.
func TestSweepOfAFullDisk(t *testing.T) {
	if !alone(t) {
		return
	}
	f := newStore(t, alwaysWarm, func(c *store.Config) { c.SyncWrites = true })
	for range 400 {
		f.warm("x", values(1, 4096))
	}
	f.clock.pass(time.Hour)
	f.read("x")
	_, total := f.Log().Size()
	var report store.Report
	var err error
	full(t, total, func() { report, err = f.Sweep() })
	if err != nil || len(report.Failures) > 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if _, now := f.Log().Size(); now > total/100 {
		t.Errorf("the log has %d bytes and had %d", now, total)
	}
	if n := f.Unrecorded(); n != 0 {
		t.Errorf("the use of %d tensors is not recorded", n)
	}
	// Where there is no room for the new log either, the old one stays, and that is said.
	for range 400 {
		f.warm("x", values(1, 4096))
	}
	f.clock.pass(time.Hour)
	f.read("x")
	full(t, 1000, func() { _, err = f.Sweep() })
	if !errors.Is(err, unix.EFBIG) {
		t.Errorf("a sweep without room: %v", err)
	}
	f.within("x", values(1, 4096))
	f.clock.pass(time.Hour)
	f.sweep()
	f.reopen()
	f.within("x", values(1, 4096))
}

// Random histories on a disk that is full at random moments: after every call the store holds what the calls
// said that it does, and so it does once it is opened anew.
func TestFullDiskHistories(t *testing.T) {
	testenv.Unraced(t)
	if !alone(t) {
		return
	}
	steps := 1000
	if testing.Short() {
		steps = 250
	}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 77))
		f := newStore(t, capped(100), func(c *store.Config) {
			c.SyncWrites, c.MemoryCap, c.CompactRatio = seed%2 == 0, int64(seed)*250, 1.2
		})
		held := map[string][]float32{}
		kinds := map[string]int{}
		for step := range steps {
			id := fmt.Sprint(r.IntN(8))
			_, size := f.Log().Size()
			size += int64(r.IntN(700))
			if r.IntN(2) == 0 {
				size += 1 << 30
			}
			kind := r.IntN(12)
			v := values(uint64(step), 70)
			var err error
			full(t, size, func() {
				switch {
				case kind < 4:
					err = f.Put(id, []int{70}, v, store.PutOptions{Master: r.IntN(2) == 0, Tier: store.Tier(1 + r.IntN(3))})
				case kind == 4:
					err = f.Remove(id)
				case kind == 5:
					f.clock.pass(time.Duration(r.IntN(100)) * time.Second)
					_, err = f.Sweep()
				case kind == 6:
					err = f.Sync()
				case kind == 7:
					err = f.Compact()
				case kind == 8:
					err = f.Store.Close()
				default:
					_, err = f.Read(id, make([]float32, 70))
				}
			})
			switch {
			case err == nil:
				kinds["made"]++
			case errors.Is(err, unix.EFBIG):
				kinds["refused"]++
			case !errors.Is(err, store.ErrNotFound) || held[id] != nil:
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
			if err == nil && kind < 4 {
				held[id] = v
			} else if err == nil && kind == 4 {
				delete(held, id)
			}
			if kind == 8 {
				f.open()
			}
			if ids := f.IDs(); !slices.Equal(ids, slices.Sorted(maps.Keys(held))) {
				t.Fatalf("seed %d, step %d, %v: the store has %v", seed, step, err, ids)
			}
			for id, v := range held {
				f.within(id, v)
			}
		}
		if err := f.Verify(); err != nil {
			t.Error(err)
		}
		if kinds["made"] < steps/4 || kinds["refused"] < steps/50 {
			t.Errorf("the calls came to %v", kinds)
		}
	}
}
