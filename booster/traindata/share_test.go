package traindata_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"boost/booster"
	"boost/booster/traindata"
	"boost/dataset"
	"boost/internal/comm"
)

// parts writes a table in files of so many rows each: numbers with gaps, dates, levels that come late, and a column that is text in its
// last file only.
func parts(t *testing.T, rows ...int) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	draw := rand.New(rand.NewPCG(3, 4))
	for i, n := range rows {
		var b strings.Builder
		b.WriteString("number,whole,date,level,late,many,w,y\n")
		for range n {
			number := fmt.Sprintf("%.3f", draw.NormFloat64())
			if draw.IntN(9) == 0 {
				number = ""
			}
			late := fmt.Sprint(draw.IntN(5))
			if i == len(rows)-1 {
				late = "text"
			}
			level, many := draw.IntN(3+2*i), draw.IntN(150)
			class := "no"
			if float64(level)+float64(many%7)+2*draw.NormFloat64() > 5 {
				class = "yes"
			}
			fmt.Fprintf(&b, "%s,%d,2024-0%d-11,l%d,%s,m%d,%d,%s\n", number, draw.IntN(300), 1+draw.IntN(9), level, late, many, 1+draw.IntN(3), class)
		}
		path := filepath.Join(dir, fmt.Sprintf("part-%d.csv", i))
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// train trains on files and returns the model's hash.
func train(ctx context.Context, p booster.Params, in traindata.Input, opts ...booster.Option) (hash string, err error) {
	in.Options = append([]dataset.Option{dataset.Label("y"), dataset.Weight("w"), dataset.InOrder()}, in.Options...)
	tables, err := traindata.Load(ctx, p, in)
	if err != nil {
		return "", err
	}
	defer tables.Close()
	m, err := booster.TrainOn(ctx, p, tables.Train, append(tables.Options(), opts...)...)
	if err != nil {
		return "", err
	}
	b, err := m.Encode()
	sum := sha256.Sum256(b)
	return string(sum[:]), err
}

// trainShared trains on ranks that have a file each.
func trainShared(p booster.Params, in traindata.Input, paths []string) (hashes []string, errs []error) {
	hashes, errs = make([]string, len(paths)), make([]error, len(paths))
	var all sync.WaitGroup
	for rank, c := range comm.Local(len(paths)) {
		all.Go(func() {
			defer c.Close()
			own := in
			own.Train, own.Ranks = paths[rank:rank+1], c
			if hashes[rank], errs[rank] = train(context.Background(), p, own, booster.WithRanks(c)); errs[rank] != nil {
				c.Abort(errs[rank])
			}
		})
	}
	all.Wait()
	return hashes, errs
}

func TestShare(t *testing.T) {
	valid := parts(t, 900)
	for name, c := range map[string]struct {
		rows   []int
		valid  bool
		change func(*booster.Params)
	}{
		"held out":       {[]int{700, 1300, 400}, false, func(p *booster.Params) { p.EarlyStopping = 4 }},
		"a rank of none": {[]int{700, 0, 1300}, false, func(p *booster.Params) { p.EarlyStopping = 4 }},
		"first of none":  {[]int{0, 1500}, false, func(*booster.Params) {}},
		"valid":          {[]int{500, 501}, true, func(p *booster.Params) { p.EarlyStopping = 3 }},
		"retrained": {[]int{1500, 600, 900}, false, func(p *booster.Params) {
			p.EarlyStopping, p.Retrain, p.MvsFraction, p.Tree.ColNode = 5, true, 0.7, 0.5
		}},
		"ordered levels":     {[]int{1100, 900}, false, func(p *booster.Params) { p.LevelSplits = booster.TargetSplits }},
		"levels, one of all": {[]int{0, 2000}, false, func(p *booster.Params) { p.LevelSplits = booster.TargetSplits }},
		"few sampled":        {[]int{900, 800, 1000}, false, func(p *booster.Params) { p.Binning.Sample, p.Binning.MaxBin = 500, 31 }},
		"sampled, held":      {[]int{900, 800}, false, func(p *booster.Params) { p.Binning.Sample, p.EarlyStopping = 500, 4 }},
		"weighted cuts":      {[]int{900, 800}, false, func(p *booster.Params) { p.Binning.WeightedCuts, p.Binning.MaxBin = true, 31 }},
	} {
		t.Run(name, func(t *testing.T) {
			paths := parts(t, c.rows...)
			p := booster.Defaults()
			p.Rounds, p.Threads = 15, 1
			c.change(&p)
			in := traindata.Input{}
			if c.valid {
				in.Valid = valid
			}
			one := in
			one.Train, one.OutOfCore = paths, traindata.OutOfCoreTrue
			want, err := train(context.Background(), p, one)
			if err != nil {
				t.Fatal(err)
			}
			hashes, errs := trainShared(p, in, paths)
			for rank, got := range hashes {
				if errs[rank] != nil || got != want {
					t.Errorf("rank %d: %v, not the model of one process", rank, errs[rank])
				}
			}
		})
	}
}

// What is wrong at one rank ends the training at all of them, and says so.
func TestShareRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(paths []string, in *traindata.Input) error
		want   string
	}{
		"rows": {func(_ []string, in *traindata.Input) error { in.ShareRows = 1001; return nil }, "the ranks have 1000 rows, and there should be 1001"},
		"columns": {func(paths []string, _ *traindata.Input) error {
			return os.WriteFile(paths[1], []byte("number,y,w\n1,no,1\n"), 0o600)
		}, "column"},
		"a cell": {func(paths []string, _ *traindata.Input) error {
			return os.WriteFile(paths[1], []byte("number,whole,date,level,late,many,w,y\n1,1,,l1,1,m1,heavy,no\n"), 0o600)
		}, `part-1.csv:2: column "w": "heavy" is not a number`},
		"no file": {func(paths []string, _ *traindata.Input) error { return os.Remove(paths[1]) }, "part-1.csv"},
		"in memory": {func(_ []string, in *traindata.Input) error {
			in.OutOfCore = traindata.OutOfCoreFalse
			return nil
		}, `data.out_of_core = "false"`},
		"a cache": {func(paths []string, in *traindata.Input) error {
			in.Cache = paths[0] + ".cache"
			return nil
		}, "data.cache keeps the codes of one process"},
		"no rows": {func(paths []string, _ *traindata.Input) error {
			header := []byte("number,whole,date,level,late,many,w,y\n")
			return errors.Join(os.WriteFile(paths[0], header, 0o600), os.WriteFile(paths[1], header, 0o600))
		}, "no rows"},
	} {
		t.Run(name, func(t *testing.T) {
			paths := parts(t, 400, 600)
			in := traindata.Input{}
			if err := c.change(paths, &in); err != nil {
				t.Fatal(err)
			}
			p := booster.Defaults()
			p.Rounds = 5
			_, errs := trainShared(p, in, paths)
			for rank, err := range errs {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("rank %d: %v, want %q in it", rank, err, c.want)
				}
			}
		})
	}
}
