package booster_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boost/booster"
	"boost/booster/traindata"
	"boost/dataset"
	"boost/internal/testenv"
)

// cacheRun is a training run that may use a cache.
type cacheRun struct {
	input  traindata.Input
	params booster.Params
	log    bytes.Buffer
	cached bool
}

// train runs it and returns the sum of the model.
func (r *cacheRun) train(t *testing.T) string {
	t.Helper()
	r.log.Reset()
	logger := slog.New(slog.NewTextHandler(&r.log, nil))
	r.input.Log = logger
	l, err := traindata.Load(context.Background(), r.params, r.input)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r.cached = l.Cached
	m, err := booster.TrainOn(context.Background(), r.params, l.Train, append(l.Options(), booster.Logger(logger))...)
	return sumOf(t, m, err)
}

func TestCache(t *testing.T) {
	for i, c := range waysToTrain {
		t.Run(c.name, func(t *testing.T) {
			r := &cacheRun{params: waysParams(c.change), input: traindata.Input{Train: mixedFiles(t, uint64(i), 900, c.dirty), Options: c.options}}
			if c.dirty {
				r.input.ValidOptions = []dataset.Option{dataset.SkipBadRows()}
			}
			if c.valid {
				r.input.Valid = mixedFiles(t, 99, 300, c.dirty)[:2]
			}
			want := r.train(t)
			for _, outOfCore := range []string{traindata.OutOfCoreFalse, traindata.OutOfCoreTrue} {
				r.input.Cache, r.input.OutOfCore = filepath.Join(t.TempDir(), "c.cache"), outOfCore
				if got := r.train(t); got != want || r.cached || !strings.Contains(r.log.String(), "cache written") {
					t.Fatalf("written, out of core %s: model %s, want %s; log:\n%s", outOfCore, got, want, &r.log)
				}
				for range 2 {
					if got := r.train(t); got != want || !r.cached {
						t.Fatalf("used, out of core %s: model %s, want %s (cached %v); log:\n%s", outOfCore, got, want, r.cached, &r.log)
					}
				}
			}
		})
	}
}

// What a cache follows from may change between two runs; then it is made anew, and
// the run says why.
func TestStaleCache(t *testing.T) {
	testenv.Unraced(t)
	paths := mixedFiles(t, 3, 300, false)
	options := []dataset.Option{dataset.Label("y"), dataset.ID("id"), dataset.Ignore("class")}
	touch := func(path string, edit func([]byte) []byte) {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, edit(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		change func(r *cacheRun)
		reason string // "" where the cache still serves
	}{
		{"nothing", func(*cacheRun) {}, ""},
		{"rounds", func(r *cacheRun) { r.params.Rounds = 3 }, ""},
		{"layout", func(r *cacheRun) { r.params.Binning.Layout = "row" }, ""},
		{"bundle_conflicts", func(r *cacheRun) { r.params.Binning.BundleConflicts = 0.05 }, ""},
		{"threads", func(r *cacheRun) { r.input.Options = append(slices.Clone(options), dataset.Threads(1)) }, ""},
		{"time", func(r *cacheRun) {
			if err := os.Chtimes(paths[0], time.Time{}, time.Unix(1_600_000_000, 0)); err != nil {
				t.Fatal(err)
			}
		}, ""},
		{"max_bin", func(r *cacheRun) { r.params.Binning.MaxBin = 17 }, "binning.max_bin was 255 and is 17"},
		{"seed", func(r *cacheRun) { r.params.Seed = 7 }, "train.seed"},
		{"held out", func(r *cacheRun) { r.params.EarlyStopping = 3 }, "held out"},
		{"label", func(r *cacheRun) { r.input.Options = append(slices.Clone(options), dataset.Weight("w")) }, "other settings"},
		{"valid", func(r *cacheRun) { r.input.Valid = paths[:1] }, "0 validation sets"},
		{"fewer files", func(r *cacheRun) { r.input.Train = paths[:2] }, "3 files were read, with those beside the tables, and 2 are: part2.csv is gone"},
		{"longer", func(*cacheRun) {
			touch(paths[1], func(b []byte) []byte { return append(b, "r,1,1,2023-01-01,red,1,1,1,1,1,a\n"...) })
		}, "bytes and has"},
		{"same size and time", func(*cacheRun) {
			info, err := os.Stat(paths[2])
			if err != nil {
				t.Fatal(err)
			}
			touch(paths[2], func(b []byte) []byte { return bytes.Replace(b, []byte("green"), []byte("groen"), 1) })
			if err := os.Chtimes(paths[2], time.Time{}, info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, "contents of part2.csv have changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &cacheRun{params: waysParams(nil), input: traindata.Input{Train: paths, Options: options, Cache: filepath.Join(t.TempDir(), "c.cache")}}
			r.train(t)
			c.change(r)
			got := r.train(t)
			if said := r.log.String(); r.cached != (c.reason == "") || !strings.Contains(said, c.reason) || !r.cached && !strings.Contains(said, "cache is rebuilt") {
				t.Fatalf("cached %v; log:\n%s", r.cached, said)
			}
			if again := r.train(t); again != got || !r.cached {
				t.Errorf("the run after it: model %s, want %s (cached %v)", again, got, r.cached)
			}
			r.input.Cache = ""
			if plain := r.train(t); plain != got {
				t.Errorf("without a cache: model %s, with one %s", plain, got)
			}
		})
	}
}

// The files that stand beside a table are part of what a cache follows from: one that
// comes, changes or goes makes it stale.
func TestCacheSideFiles(t *testing.T) {
	for _, kind := range []struct{ ending, text, other string }{
		{".weight", strings.Repeat("1\n2\n3\n", 30), strings.Repeat("2\n2\n3\n", 30)},
		{".init", strings.Repeat("1\n0\n3\n", 30), strings.Repeat("2\n0\n3\n", 30)},
		{".query", "45\n45\n", "50\n40\n"},
	} {
		t.Run(kind.ending, func(t *testing.T) {
			paths := mixedFiles(t, 8, 270, false)
			r := &cacheRun{params: waysParams(func(p *booster.Params) { p.Objective = "regression" }), input: traindata.Input{Train: paths[:1], Valid: paths[1:2],
				Options: []dataset.Option{dataset.Label("y"), dataset.ID("id"), dataset.Ignore("class", "late")}, Cache: filepath.Join(t.TempDir(), "c.cache")}}
			r.train(t)
			for _, side := range []string{paths[0] + kind.ending, paths[1] + kind.ending} {
				base := filepath.Base(side)
				for _, step := range []struct{ text, reason string }{
					{kind.text, "1 files were read, with those beside the tables, and 2 are: " + base + " is new"},
					{kind.other, "the contents of " + base + " have changed"},
					{"", "2 files were read, with those beside the tables, and 1 are: " + base + " is gone"},
				} {
					err := os.WriteFile(side, []byte(step.text), 0o600)
					if err == nil && step.text == "" {
						err = os.Remove(side)
					}
					if err != nil {
						t.Fatal(err)
					}
					got := r.train(t)
					if r.cached || !strings.Contains(r.log.String(), step.reason) {
						t.Fatalf("cached %v, want %q; log:\n%s", r.cached, step.reason, &r.log)
					}
					if again := r.train(t); again != got || !r.cached {
						t.Errorf("the run after it: model %s, want %s (cached %v)", again, got, r.cached)
					}
				}
			}
		})
	}
}

// Whatever is wrong with the file, the run trains from the tables and writes it anew.
func TestDamagedCache(t *testing.T) {
	testenv.Unraced(t)
	r := &cacheRun{params: waysParams(func(p *booster.Params) { p.EarlyStopping = 2 }), input: traindata.Input{
		Train: mixedFiles(t, 4, 90, false), Options: []dataset.Option{dataset.Label("y"), dataset.Ignore("id")}, Cache: filepath.Join(t.TempDir(), "c.cache")}}
	want := r.train(t)
	sound, err := os.ReadFile(r.input.Cache)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, damaged []byte) {
		t.Helper()
		if err := os.WriteFile(r.input.Cache, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := r.train(t); got != want || r.cached || !strings.Contains(r.log.String(), "cache is rebuilt") {
			t.Fatalf("%s: model %s, want %s (cached %v); log:\n%s", what, got, want, r.cached, &r.log)
		}
		if now, err := os.ReadFile(r.input.Cache); err != nil || !bytes.Equal(now, sound) {
			t.Fatalf("%s: the cache was not written as before (%v)", what, err)
		}
	}
	check("empty", nil)
	check("the magic only", sound[:8])
	check("cut short", sound[:len(sound)-1])
	check("longer", append(bytes.Clone(sound), 0))
	if testing.Short() {
		return
	}
	for at := 8; at < len(sound); at += 1 + len(sound)/40 {
		flipped := bytes.Clone(sound)
		flipped[at] ^= 1 << (at % 8)
		check("flipped", flipped)
	}
}

// A folder that is not there is no reason not to train.
func TestCacheIntoAbsentFolder(t *testing.T) {
	r := &cacheRun{params: waysParams(nil), input: traindata.Input{Train: mixedFiles(t, 1, 90, false), Options: []dataset.Option{dataset.Label("y")},
		Cache: filepath.Join(t.TempDir(), "absent", "c.cache")}}
	if r.train(t); !strings.Contains(r.log.String(), "cannot be written") {
		t.Errorf("log:\n%s", &r.log)
	}
}
