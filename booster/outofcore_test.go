package booster_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/binning"
	"boost/booster"
	"boost/dataset"
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
	{name: "by rows, uniform", options: []dataset.Option{dataset.Label("y"), dataset.ID("id"), dataset.Ignore("class")},
		change: func(p *booster.Params) {
			p.EarlyStopping, p.Binning.Layout, p.Binning.Storage = 3, binning.LayoutRow, binning.Uniform
		}},
	{name: "csr", options: []dataset.Option{dataset.Label("y"), dataset.ID("id"), dataset.Ignore("class")},
		change: func(p *booster.Params) { p.EarlyStopping, p.Binning.Layout = 3, binning.LayoutCSR }},
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
			for _, chunk := range []int{500, 7000, 1 << 20} {
				s, err := dataset.OpenScan(ctx, paths, append([]dataset.Option{dataset.ChunkSize(chunk)}, c.options...)...)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				var opts []booster.Option
				if c.valid {
					valid, err := dataset.OpenScan(ctx, validPaths, append([]dataset.Option{dataset.ChunkSize(chunk)}, read...)...)
					if err != nil {
						t.Fatal(err)
					}
					defer valid.Close()
					opts = append(opts, booster.ValidOn("valid", booster.OutOfCore(valid)))
				}
				m, err := booster.TrainOn(ctx, p, booster.OutOfCore(s), opts...)
				if got := sumOf(t, m, err); got != want {
					t.Errorf("chunks of %d bytes: model %s, in memory %s", chunk, got, want)
				}
			}
		})
	}
}

func TestOutOfCoreRefuses(t *testing.T) {
	ctx := context.Background()
	paths := mixedFiles(t, 1, 90, false)
	open := func(opts ...dataset.Option) booster.Data {
		s, err := dataset.OpenScan(ctx, paths, append(opts, dataset.Label("y"))...)
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
