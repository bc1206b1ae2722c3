package booster_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"boost/binning"
	"boost/booster"
	"boost/booster/traindata"
	"boost/dataset"
	"boost/internal/testenv"
)

// mixedFiles writes a table of everything that files can hold: gaps, dates, text,
// numbers in quotes, a column that turns to text late, one that needs float64 late,
// bad cells and rows of a wrong shape where dirty.
func mixedFiles(t *testing.T, seed uint64, rows int, dirty bool) []string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	dir := t.TempDir()
	var paths []string
	const files = 3
	for file := range files {
		var b strings.Builder
		b.WriteString("id,num,gaps,day,color,late,wide,level,w,y,class\n")
		for i := range rows / files {
			row := file*rows/files + i
			num := fmt.Sprint(r.IntN(400))
			late, wide, gaps := fmt.Sprint(r.IntN(7)), fmt.Sprint(r.IntN(3)), fmt.Sprint(float32(r.NormFloat64()))
			if row > rows/2 {
				late = "t" + late
			}
			if file == files-1 {
				wide = fmt.Sprint(r.Float64())
			}
			if r.IntN(3) == 0 {
				gaps = ""
			}
			color := []string{"red", "green", "\"blue, dark\"", ""}[r.IntN(4)]
			y := float64(r.IntN(5))
			if color == "red" {
				y += 3
			}
			class := []string{"a", "b", "c"}[int(y)/3]
			if dirty && r.IntN(60) == 0 {
				switch r.IntN(4) {
				case 0:
					num = "odd"
				case 1:
					class = ""
				case 2:
					num += ",1"
				case 3:
					color, num = "only here", "many"
				}
			}
			fmt.Fprintf(&b, "r%d,%s,%s,2023-%02d-%02d,%s,%s,%s,%d,%d,%v,%s\n", row, num, gaps,
				1+r.IntN(12), 1+r.IntN(28), color, late, wide, r.IntN(9), r.IntN(4), y, class)
		}
		path := filepath.Join(dir, fmt.Sprintf("part%d.csv", file))
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// sumOf returns the sha256 of a model's bytes.
func sumOf(t *testing.T, m *booster.Model, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// waysToTrain are settings under which every way of reading the data must end in the
// same bytes.
var waysToTrain = []struct {
	name    string
	change  func(p *booster.Params)
	options []dataset.Option
	valid   bool
	dirty   bool
}{
	{name: "regression", options: []dataset.Option{dataset.Label("y"), dataset.ID("id"), dataset.Ignore("class")}},
	{name: "holdout of classes", options: []dataset.Option{dataset.Label("class"), dataset.ID("id"), dataset.Ignore("y")},
		change: func(p *booster.Params) { p.EarlyStopping = 3 }},
	{name: "holdout, small sample, weights", options: []dataset.Option{dataset.Label("y"), dataset.ID("id"), dataset.Weight("w"), dataset.Ignore("class")},
		change: func(p *booster.Params) {
			p.EarlyStopping, p.Binning.Sample, p.Binning.WeightedCuts, p.Binning.MaxBin = 3, 200, true, 30
		}},
	{name: "valid set, small sample", options: []dataset.Option{dataset.Label("y"), dataset.Ignore("class"), dataset.DropTextLike()},
		change: func(p *booster.Params) { p.EarlyStopping, p.Binning.Sample = 4, 333 }, valid: true},
	{name: "skipped rows", options: []dataset.Option{dataset.Label("class"), dataset.ID("id"), dataset.Categorical("level"), dataset.SkipBadRows()}, dirty: true},
	{name: "skipped rows, holdout, valid", options: []dataset.Option{dataset.Label("class"), dataset.Weight("w"), dataset.SkipBadRows(), dataset.DropTextLike()},
		change: func(p *booster.Params) { p.EarlyStopping, p.Binning.MinDataPerCat = 4, 20 }, dirty: true, valid: true},
	{name: "init scores", options: []dataset.Option{dataset.Label("y"), dataset.InitScore("w"), dataset.Ignore("class")},
		change: func(p *booster.Params) { p.Objective, p.EarlyStopping = "regression", 3 }, valid: true},
	{name: "minimal variance, holdout, weights", options: []dataset.Option{dataset.Label("class"), dataset.ID("id"), dataset.Weight("w"), dataset.Ignore("y")},
		change: func(p *booster.Params) { p.EarlyStopping, p.MvsFraction, p.Gradients = 3, 0.4, "i8" }},
	{name: "by rows, uniform", options: []dataset.Option{dataset.Label("y"), dataset.ID("id"), dataset.Ignore("class")},
		change: func(p *booster.Params) {
			p.EarlyStopping, p.Binning.Layout, p.Binning.Storage = 3, binning.LayoutRow, binning.Uniform
		}},
	{name: "csr", options: []dataset.Option{dataset.Label("y"), dataset.ID("id"), dataset.Ignore("class")},
		change: func(p *booster.Params) { p.EarlyStopping, p.Binning.Layout = 3, binning.LayoutCSR }},
	{name: "crossed", options: []dataset.Option{dataset.Label("y"), dataset.ID("id"), dataset.Categorical("num", "level"), dataset.Ignore("class")}, change: crossing},
	{name: "crossed, holdout of classes, weights", options: []dataset.Option{dataset.Label("class"), dataset.ID("id"), dataset.Categorical("num", "level"), dataset.Weight("w"), dataset.Ignore("y")},
		change: func(p *booster.Params) { crossing(p); p.EarlyStopping = 3 }},
	{name: "crossed, holdout, small sample", options: []dataset.Option{dataset.Label("y"), dataset.Categorical("num"), dataset.Ignore("class"), dataset.DropTextLike()},
		change: func(p *booster.Params) {
			crossing(p)
			p.LevelSplits, p.EarlyStopping, p.AllRows, p.Binning.Sample = booster.TargetSplits, 3, true, 300
		}},
	{name: "crossed, retrained", options: []dataset.Option{dataset.Label("y"), dataset.Categorical("num"), dataset.Ignore("class"), dataset.DropTextLike()},
		change: func(p *booster.Params) {
			p.LevelSplits, p.Combinations, p.EarlyStopping, p.Retrain = booster.AutoSplits, -1, 3, true
		}},
	{name: "crossed, skipped rows, valid", options: []dataset.Option{dataset.Label("class"), dataset.Categorical("num", "level"), dataset.SkipBadRows(), dataset.DropTextLike()},
		change: func(p *booster.Params) { crossing(p); p.EarlyStopping = 4 }, dirty: true, valid: true},
}

// crossing has columns made of others.
func crossing(p *booster.Params) {
	p.LevelSplits, p.Combinations, p.Counts = booster.AutoSplits, 3, true
}

// waysParams returns the parameters of an entry of waysToTrain.
func waysParams(change func(p *booster.Params)) booster.Params {
	p := booster.Defaults()
	p.Rounds, p.Tree.Leaves = 5, 7
	if change != nil {
		change(&p)
	}
	return p
}

func TestOutOfCore(t *testing.T) {
	ctx := context.Background()
	for i, c := range waysToTrain {
		t.Run(c.name, func(t *testing.T) {
			p := waysParams(c.change)
			paths := mixedFiles(t, uint64(i), 1500, c.dirty)
			table, err := dataset.OpenAll(ctx, paths, c.options...)
			if err != nil {
				t.Fatal(err)
			}
			read := []dataset.Option{dataset.As(table.Schema())}
			if c.dirty {
				read = append(read, dataset.SkipBadRows())
			}
			validPaths := mixedFiles(t, 99, 300, c.dirty)
			var inMemory []booster.Option
			if c.valid {
				valid, err := dataset.OpenAll(ctx, validPaths, read...)
				if err != nil {
					t.Fatal(err)
				}
				inMemory = append(inMemory, booster.Valid("valid", valid))
			}
			m, err := booster.Train(ctx, p, table, inMemory...)
			want := sumOf(t, m, err)
			for _, chunk := range []int{500, 1 << 20, 7000}[:testenv.ByLength(3, 2, 1)] {
				s, err := dataset.OpenChunked(ctx, paths, append([]dataset.Option{dataset.ChunkSize(chunk)}, c.options...)...)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				var opts []booster.Option
				if c.valid {
					valid, err := dataset.OpenChunked(ctx, validPaths, append([]dataset.Option{dataset.ChunkSize(chunk)}, read...)...)
					if err != nil {
						t.Fatal(err)
					}
					defer valid.Close()
					opts = append(opts, booster.ValidOn("valid", booster.OutOfCore(valid)))
				}
				trainings := 1
				if chunk == 500 { // nothing of a training is left in the tables
					trainings = 2
				}
				for range trainings {
					m, err := booster.TrainOn(ctx, p, booster.OutOfCore(s), opts...)
					if got := sumOf(t, m, err); got != want {
						t.Errorf("chunks of %d bytes: model %s, in memory %s", chunk, got, want)
					}
				}
			}
			for threads := range testenv.ByLength(3, 2, 2) {
				more := []dataset.Option{dataset.Threads(threads + 1), dataset.ChunkSize(1 << (9 + 2*threads))}
				in := traindata.Input{Train: paths, Options: append(more, c.options...), ValidOptions: append(more, read[1:]...), OutOfCore: traindata.OutOfCoreTrue}
				if c.valid {
					in.Train, in.Valid = []string{filepath.Join(filepath.Dir(paths[0]), "part*.csv")}, []string{filepath.Join(filepath.Dir(validPaths[0]), "*.csv")}
				}
				p.Threads = threads + 1
				if got, _ := loadAndTrain(t, p, in); got != want {
					t.Errorf("by Load, %d threads: model %s, in memory %s", threads+1, got, want)
				}
			}
		})
	}
}

// loadAndTrain returns the sum of a run's model, and its log.
func loadAndTrain(t *testing.T, p booster.Params, in traindata.Input) (sum, log string) {
	t.Helper()
	var b bytes.Buffer
	in.Log = slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
	l, err := traindata.Load(context.Background(), p, in)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m, err := booster.TrainOn(context.Background(), p, l.Train, append(l.Options(), booster.Logger(in.Log))...)
	return sumOf(t, m, err), b.String()
}

// svmFiles writes LibSVM text: a dense feature, rare ones, one of few levels, one that is a
// weight.
func svmFiles(t *testing.T, seed uint64, rows int, queries bool) []string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	dir := t.TempDir()
	var paths []string
	for file := range 2 {
		var b strings.Builder
		for row := range rows / 2 {
			x := r.IntN(3)
			fmt.Fprintf(&b, "%d", (x+r.IntN(2))%3)
			if queries {
				fmt.Fprintf(&b, " qid:%d", file*rows+row/9)
			}
			fmt.Fprintf(&b, " 1:%d 2:%d 3:%v", x, 1+r.IntN(4), r.NormFloat64())
			for index := 4; index < 60; index++ {
				if r.IntN(12) == 0 {
					fmt.Fprintf(&b, " %d:%v", index, []any{1, float32(r.NormFloat64()), r.Float64(), "nan", 0}[(index+r.IntN(2))%5])
				}
			}
			b.WriteString("\n")
		}
		path := filepath.Join(dir, fmt.Sprintf("part%d.svm", file))
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// TestOutOfCoreLibSVM trains on LibSVM text in chunks and in memory.
func TestOutOfCoreLibSVM(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []dataset.Option
		change  func(*booster.Params)
		valid   bool
		passes  int
	}{
		{name: "plain", passes: 2},
		{name: "small sample", change: func(p *booster.Params) { p.Binning.Sample, p.Binning.MaxBin = 100, 20 }, passes: 2},
		{name: "absent is missing", options: []dataset.Option{dataset.Absent("missing")}, change: func(p *booster.Params) { p.Binning.Sample = 300 }, passes: 2},
		{name: "held out", change: func(p *booster.Params) { p.EarlyStopping, p.Binning.Sample = 3, 200 }, passes: 3},
		{name: "valid, weights, categories", options: []dataset.Option{dataset.Weight("f2"), dataset.Categorical("f1", "f9")},
			change: func(p *booster.Params) { p.EarlyStopping, p.Binning.WeightedCuts, p.Binning.Sample = 3, true, 400 }, valid: true, passes: 2},
		{name: "csr", change: func(p *booster.Params) { p.Binning.Layout = binning.LayoutCSR }, passes: 2},
		{name: "by columns, bundled", change: func(p *booster.Params) { p.Binning.Layout, p.Binning.Bundle = binning.LayoutCol, binning.BundleOn }, passes: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := waysParams(c.change)
			in := traindata.Input{Train: svmFiles(t, 4, 900, c.name == "held out"), Options: c.options, OutOfCore: traindata.OutOfCoreFalse}
			if c.valid {
				in.Valid = svmFiles(t, 5, 200, false)
			}
			want, _ := loadAndTrain(t, p, in)
			for threads, chunk := range []int{1 << 20, 999, 20_000} {
				in := in
				in.OutOfCore, p.Threads = traindata.OutOfCoreTrue, threads+1
				more := []dataset.Option{dataset.ChunkSize(chunk), dataset.Threads(threads + 1)}
				in.Options, in.ValidOptions = append(more, c.options...), more
				got, log := loadAndTrain(t, p, in)
				if got != want {
					t.Errorf("chunks of %d bytes: model %s, in memory %s", chunk, got, want)
				}
				if !strings.Contains(log, fmt.Sprintf("times=%d\n", c.passes)) {
					t.Errorf("%d times were to be said in\n%s", c.passes, log)
				}
			}
		})
	}
}

// Files are gone through twice: once for types, dictionaries and the rows that cuts are
// taken from, once for codes; more often only where rows are held out or left out, or a
// column turns to text late.
func TestOutOfCorePasses(t *testing.T) {
	for _, c := range []struct {
		name   string
		dirty  bool
		change func(*booster.Params, *traindata.Input)
		want   int
	}{
		{name: "plain", want: 2},
		{name: "late text", change: func(_ *booster.Params, in *traindata.Input) { in.Options = in.Options[:2] }, want: 3},
		{name: "rows held out", change: func(p *booster.Params, _ *traindata.Input) { p.EarlyStopping = 3 }, want: 3},
		{name: "early stopping on a validation set", change: func(p *booster.Params, in *traindata.Input) { p.EarlyStopping, in.Valid = 3, in.Train[:1] }, want: 2},
		{name: "bad rows", dirty: true, change: func(_ *booster.Params, in *traindata.Input) { in.Options = append(in.Options, dataset.SkipBadRows()) }, want: 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := waysParams(nil)
			p.Binning.Sample = 100
			in := traindata.Input{Train: mixedFiles(t, 5, 600, c.dirty), OutOfCore: traindata.OutOfCoreTrue,
				Options: []dataset.Option{dataset.Label("y"), dataset.ID("id"), dataset.ChunkSize(2000), dataset.Ignore("class", "late")}}
			if c.change != nil {
				c.change(&p, &in)
			}
			got, log := loadAndTrain(t, p, in)
			if !strings.Contains(log, fmt.Sprintf("times=%d\n", c.want)) {
				t.Errorf("%d times were to be said in\n%s", c.want, log)
			}
			in.OutOfCore = traindata.OutOfCoreFalse
			if want, _ := loadAndTrain(t, p, in); got != want {
				t.Errorf("model %s, in memory %s", got, want)
			}
		})
	}
}

// TestOutOfCoreMemory holds that all that is allocated out of core, garbage counted, is
// the codes, the sampled rows and a quarter more, what the rounds hold of a row, and a few
// chunks: nothing that grows with the size of the files beside.
func TestOutOfCoreMemory(t *testing.T) {
	testenv.Memory(t)
	const rows, columns, sample, chunk = 100_000, 40, 2000, 256 << 10
	var text bytes.Buffer
	for c := range columns {
		fmt.Fprintf(&text, "x%d,", c)
	}
	text.WriteString("y\n")
	r := rand.New(rand.NewPCG(5, 6))
	for range rows {
		for range columns {
			fmt.Fprintf(&text, "%.5f,", r.NormFloat64())
		}
		fmt.Fprintf(&text, "%d\n", r.IntN(9))
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Threads, p.Binning.Sample = "regression", 2, 2, sample
	in := traindata.Input{Train: []string{path}, OutOfCore: traindata.OutOfCoreTrue,
		Options: []dataset.Option{dataset.Label("y"), dataset.Threads(2), dataset.ChunkSize(chunk)}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	loadAndTrain(t, p, in)
	runtime.ReadMemStats(&after)
	// Per row: label, score, gradients, codes, entries, what metrics take. Chunks: text,
	// values, and their buffers again in each pass, of up to 8 at once. What is known of
	// every chunk and column, two histograms of a leaf, and the model are the rest.
	const limit = rows*columns + sample*5/4*columns*8*2 + rows*100 + 2*8*3*chunk + 16<<20
	if got := after.TotalAlloc - before.TotalAlloc; got > limit {
		t.Errorf("%d bytes were allocated for a file of %d, want up to %d", got, text.Len(), limit)
	} else {
		t.Logf("%d bytes allocated of %d; the file has %d", got, limit, text.Len())
	}
}

func TestOutOfCoreRefuses(t *testing.T) {
	ctx := context.Background()
	paths := mixedFiles(t, 1, 90, false)
	open := func(opts ...dataset.Option) booster.Data {
		s, err := dataset.OpenChunked(ctx, paths, append(opts, dataset.Label("y"))...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return booster.OutOfCore(s)
	}
	for _, c := range []struct {
		name, want string
		change     func(p *booster.Params)
		opts       []booster.Option
		is         error
	}{
		{"float gradients", `train.gradients = "f32"`, func(p *booster.Params) { p.Gradients = "f32" }, nil, booster.ErrParams},
		{"cuts from all rows", "binning.sample = 0", func(p *booster.Params) { p.Binning.Sample = 0 }, nil, booster.ErrParams},
		{"valid set of its own types", "dataset.As", func(*booster.Params) {},
			[]booster.Option{booster.ValidOn("valid", open(dataset.Ignore("late")))}, dataset.ErrTable},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := booster.Defaults()
			c.change(&p)
			if _, err := booster.TrainOn(ctx, p, open(), c.opts...); !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// Training goes on from a model with crossed columns in files as in memory.
func TestCrossedGoesOnInFiles(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	options := []dataset.Option{dataset.Label("y"), dataset.Categorical("num", "level"), dataset.Ignore("class"), dataset.DropTextLike()}
	p := waysParams(crossing)
	base, err := booster.Train(ctx, p, must(dataset.OpenAll(ctx, mixedFiles(t, 1, 1500, false), options...))(t))
	if err != nil || !base.HasCrossed() {
		t.Fatal(err, "or nothing is crossed")
	}
	paths := mixedFiles(t, 2, 1200, false)
	for name, change := range map[string]func(p *booster.Params){
		"plain": func(*booster.Params) {}, "held out": func(p *booster.Params) { p.EarlyStopping = 3 },
	} {
		p := waysParams(change)
		in := traindata.Input{Train: paths, Options: options, From: base}
		want, _ := loadAndTrain(t, p, in)
		in.OutOfCore = traindata.OutOfCoreTrue
		if got, _ := loadAndTrain(t, p, in); got != want {
			t.Errorf("%s: from files it is another model", name)
		}
		in.OutOfCore, in.Cache = "", filepath.Join(t.TempDir(), "x.cache")
		for range 2 {
			if got, _ := loadAndTrain(t, p, in); got != want {
				t.Errorf("%s: with a cache it is another model", name)
			}
		}
	}
}
