package registry_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"boost/booster/model"
	"boost/internal/testenv"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

const writerVariable = "BOOST_TEST_REGISTRY_WRITER"

// TestMain lets the test binary be the writer that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVariable); dir != "" {
		if err := endlessly(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// killModels are what the writer adds and removes: three that stand alone, and a part of each.
func killModels(t testing.TB) (whole, part [3]*model.Model) {
	for i := range whole {
		whole[i] = forest(t, uint64(i), 1, 6, 6)
		var err error
		if part[i], err = whole[i].Prefix(3); err != nil {
			t.Fatal(err)
		}
	}
	return whole, part
}

// endlessly adds, moves, drops and removes models, and says what it has done.
func endlessly(dir string) error {
	// A failure of a helper ends the process, which the test that started it sees.
	t := &quiet{}
	whole, part := killModels(t)
	c := newClock()
	r, err := registry.Open(dir, config(func(c *store.Config) { c.CompactRatio, c.SweepInterval = 1.01, 0 }), registry.Options{Clock: c.Now})
	if err != nil {
		return err
	}
	for _, id := range r.IDs() {
		i, err := r.Info(id)
		if err != nil {
			return err
		}
		c.pass(max(0, i.LastAccess.Sub(c.Now())))
	}
	ctx := context.Background()
	say := func(what string, i int) error {
		_, err := fmt.Println(what, i)
		return err
	}
	for step := 0; ; step++ {
		i := step % 3
		a, b := fmt.Sprint("whole", i), fmt.Sprint("part", i)
		for _, id := range []string{b, a} {
			if err := r.Remove(id); err != nil && !errors.Is(err, registry.ErrNotFound) {
				return err
			}
		}
		if err := say("removed", i); err != nil {
			return err
		}
		if err := r.Add(ctx, a, whole[i], registry.AddOptions{}); err != nil {
			return err
		}
		if err := r.Add(ctx, b, part[i], registry.AddOptions{}); err != nil {
			return err
		}
		if err := say("added", i); err != nil {
			return err
		}
		if err := r.SetRule(b, registry.Prefix{Of: a, Rounds: 3}); err != nil {
			return err
		}
		for _, wait := range []time.Duration{time.Minute, 25 * time.Hour, time.Second} {
			c.pass(wait)
			if report, err := r.Sweep(); err != nil || len(report.Failures) > 0 {
				return fmt.Errorf("%v %v", report.Failures, err)
			}
		}
		for range 300 {
			if _, err := r.Get(b); err != nil {
				return err
			}
		}
		if report, err := r.Sweep(); err != nil || len(report.Failures) > 0 {
			return fmt.Errorf("%v %v", report.Failures, err)
		}
		if step%2 == 1 {
			if err := r.Compact(); err != nil {
				return err
			}
		}
	}
}

// quiet is a testing.TB outside of a test.
type quiet struct{ testing.TB }

func (*quiet) Helper()           {}
func (*quiet) Fatal(args ...any) { panic(fmt.Sprint(args...)) }
func (*quiet) Fatalf(f string, args ...any) {
	panic(fmt.Sprintf(f, args...))
}

// The process that writes is killed at random moments: what it said it had added is there, whole, and makes
// the same bytes, and nothing is there by half.
func TestKill(t *testing.T) {
	kills := testenv.ByLength(200, 12, 4)
	whole, part := killModels(t)
	random := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	there := map[int]bool{}
	for range kills {
		last := -1
		testenv.Kill(t, random.IntN, writerVariable+"="+dir, 12, 3_000_000, func(line string) {
			var what string
			var i int
			if _, err := fmt.Sscan(line, &what, &i); err != nil {
				t.Fatal(err)
			}
			there[i] = what == "added"
			last = i
			if there[i] { // the next is on its way out
				last = (i + 1) % 3
			}
		})
		checkKilled(t, dir, there, last, whole, part)
	}
}

func checkKilled(t *testing.T, dir string, there map[int]bool, unsure int, whole, part [3]*model.Model) {
	t.Helper()
	for _, readOnly := range []bool{true, false} {
		clock := newClock()
		r, err := registry.Open(dir, config(), registry.Options{Clock: clock.Now, ReadOnly: readOnly})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Verify(); err != nil {
			t.Error(err)
		}
		for i := range whole {
			for id, want := range map[string]*model.Model{fmt.Sprint("whole", i): whole[i], fmt.Sprint("part", i): part[i]} {
				full, err := r.Full(id)
				if errors.Is(err, registry.ErrNotFound) {
					if there[i] && i != unsure {
						t.Errorf("%s is lost", id)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", id, err)
					continue
				}
				if sum(t, full) != sum(t, want) {
					t.Errorf("%s is another model", id)
				}
				if _, err := r.Get(id); err != nil {
					t.Errorf("%s: %v", id, err)
				}
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(filepath.Join(to, name), 0o777))
		}
		if filepath.Ext(name) == ".index" {
			return nil // it tells of bytes that are cut off
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}
