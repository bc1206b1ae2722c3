//go:build unix

package registry_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"boost/booster/model"
	"boost/internal/testenv"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// alone runs a test that limits the size of files in a process of its own, and reports whether this
// is that.
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

// A disk that is full after any byte of a change takes the change or leaves things as they were, the call
// says which, and every model predicts on.
func TestFullDisk(t *testing.T) {
	testenv.Unraced(t)
	if !alone(t) {
		return
	}
	base, other := forest(t, 1, 1, 6, 6), forest(t, 2, 1, 6, 6)
	part, err := base.Prefix(2)
	if err != nil {
		t.Fatal(err)
	}
	rule := registry.Prefix{Of: "base", Rounds: 2}
	for _, c := range []struct {
		name  string
		do    func(f *fixture) error
		after func(f *fixture) bool
	}{
		{"add", func(f *fixture) error {
			return f.Add(context.Background(), "new", other, registry.AddOptions{})
		}, func(f *fixture) bool { _, err := f.Info("new"); return err == nil }},
		{"add_by_rule", func(f *fixture) error {
			return f.Add(context.Background(), "new", part, registry.AddOptions{Rule: rule})
		}, func(f *fixture) bool { _, err := f.Info("new"); return err == nil }},
		{"rule", func(f *fixture) error { return f.SetRule("part", rule) }, func(f *fixture) bool { return f.info("part").Source == "prefix" }},
		{"discard", func(f *fixture) error { return f.SetRule("part", registry.Discard{}) }, func(f *fixture) bool { return f.info("part").Discard }},
		{"remove", func(f *fixture) error { return f.Remove("part") }, func(f *fixture) bool { _, err := f.Info("part"); return err != nil }},
		{"pin", func(f *fixture) error { return f.Pin("part", store.Cold) }, func(f *fixture) bool { return f.info("part").Pinned }},
		{"sweep", func(f *fixture) error { _, err := f.Sweep(); return err }, nil},
	} {
		for _, longer := range []string{"models", "tensors"} {
			t.Run("S3.59/full,"+c.name+","+longer, func(t *testing.T) {
				first := newRegistry(t, func(c *store.Config) { c.SyncWrites, c.CompactRatio, c.SweepInterval = true, 1000, 0 })
				first.add("base", base)
				first.add("part", part)
				if longer == "tensors" {
					for range 80 {
						for _, tier := range []store.Tier{store.Cold, store.Warm} {
							if err := first.Pin("base", tier); err != nil {
								t.Fatal(err)
							}
						}
					}
				}
				if err := first.Registry.Close(); err != nil {
					t.Fatal(err)
				}
				started := func() *fixture {
					f := &fixture{t: t, dir: filepath.Join(t.TempDir(), "copy"), cfg: first.cfg, clock: first.clock}
					if err := os.CopyFS(f.dir, os.DirFS(first.dir)); err != nil {
						t.Fatal(err)
					}
					f.open()
					return f
				}
				size := func(f *fixture) int64 { return int64(len(read(t, log(f.dir, longer)))) }
				first.clock.pass(30 * 24 * 3600e9)
				f := started()
				from := size(f)
				if err := c.do(f); err != nil {
					t.Fatal(err)
				}
				if err := f.Registry.Close(); err != nil {
					t.Fatal(err)
				}
				to := size(f)
				if other := map[string]string{"models": "tensors", "tensors": "models"}[longer]; longer == "tensors" && int64(len(read(t, log(f.dir, other)))) > from {
					t.Fatal("the other log is longer")
				}
				stride := max(1, (to-from)/8)
				if testing.Short() {
					stride = max(1, (to-from)/2)
				}
				for limit := to; limit >= from; limit -= stride {
					f := started()
					var err error
					full(t, limit, func() { err = c.do(f) })
					unsynced := (*store.UnsyncedError)(nil)
					made := err == nil || errors.As(err, &unsynced)
					check := func(when string) {
						t.Helper()
						if c.after != nil && c.after(f) != made {
							t.Errorf("%s a limit of %d of %d bytes: %v, and the change was made: %v", when, limit, to, err, !made)
						}
						for id, want := range map[string]*model.Model{"base": base, "part": part, "new": other} {
							if id == "new" && c.name == "add_by_rule" {
								want = part
							}
							if _, err := f.Info(id); err != nil {
								if id == "base" || id == "part" && c.name != "remove" {
									t.Error(err)
								}
								continue
							}
							full, err := f.Full(id)
							if err != nil || sum(t, full) != sum(t, want) {
								t.Errorf("%s a limit of %d: %s is another model, %v", when, limit, id, err)
								continue
							}
							f.get(id)
						}
					}
					check("under")
					_ = f.Registry.Close()
					f.open()
					check("after")
					if err := f.Registry.Close(); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}
