package traindata_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"boost/booster"
	"boost/booster/internal/crosses"
	"boost/booster/traindata"
	"boost/dataset"
	"boost/dataset/write"
	"boost/internal/comm"
)

// Tables of tests are small.
func init() { crosses.FewestRows = 300 }

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
	m, err := fit(ctx, p, in, opts...)
	if err != nil {
		return "", err
	}
	b, err := m.Encode()
	sum := sha256.Sum256(b)
	return string(sum[:]), err
}

// fit trains on files.
func fit(ctx context.Context, p booster.Params, in traindata.Input, opts ...booster.Option) (*booster.Model, error) {
	in.Options = append([]dataset.Option{dataset.Label("y"), dataset.Weight("w"), dataset.InOrder()}, in.Options...)
	tables, err := traindata.Load(ctx, p, in)
	if err != nil {
		return nil, err
	}
	defer tables.Close()
	return booster.TrainOn(ctx, p, tables.Train, append(tables.Options(), opts...)...)
}

// trainShared trains on ranks that have a file each.
func trainShared(p booster.Params, in traindata.Input, paths []string) (hashes []string, errs []error) {
	return trainOver(len(paths), p, func(rank int) traindata.Input {
		own := in
		own.Train = paths[rank : rank+1]
		return own
	})
}

// trainOver trains on n ranks.
func trainOver(n int, p booster.Params, of func(rank int) traindata.Input) (hashes []string, errs []error) {
	hashes, errs = make([]string, n), make([]error, n)
	var all sync.WaitGroup
	for rank, c := range comm.Local(n) {
		all.Go(func() {
			defer c.Close()
			own := of(rank)
			own.Ranks = c
			if hashes[rank], errs[rank] = train(context.Background(), p, own, booster.WithRanks(c)); errs[rank] != nil {
				c.Abort(errs[rank])
			}
		})
	}
	all.Wait()
	return hashes, errs
}

// crossing has columns made of others.
func crossing(p *booster.Params) {
	p.LevelSplits, p.Combinations, p.Counts = booster.AutoSplits, 3, true
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
		"crossed":            {[]int{1100, 0, 900}, false, crossing},
		"crossed, held out":  {[]int{1100, 900}, false, func(p *booster.Params) { crossing(p); p.EarlyStopping, p.Binning.Sample = 4, 500 }},
		"crossed, retrained": {[]int{1100, 900}, false, func(p *booster.Params) { crossing(p); p.EarlyStopping, p.Retrain = 4, true }},
		"crossed, valid":     {[]int{500, 501}, true, func(p *booster.Params) { crossing(p); p.EarlyStopping = 3 }},
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

// split writes tables in a format, beside them.
func split(t *testing.T, paths []string, format string) (written []string) {
	t.Helper()
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		names := strings.Split(lines[0], ",")
		table := write.Table{Rows: len(lines) - 1}
		for _, name := range names {
			table.Columns = append(table.Columns, write.Column{Name: name, Texts: make([]string, table.Rows)})
		}
		var objects strings.Builder
		for row, line := range lines[1:] {
			object := map[string]string{}
			for k, cell := range strings.Split(line, ",") {
				table.Columns[k].Texts[row], object[names[k]] = cell, cell
			}
			if err := json.NewEncoder(&objects).Encode(object); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		switch {
		case format == "mix" && i%2 == 1, format == "csv.gz":
			z := gzip.NewWriter(&b)
			_, _ = z.Write(text)
			err = z.Close()
		case format == "tsv":
			b.WriteString(strings.ReplaceAll(string(text), ",", "\t"))
		case format == "jsonl":
			b.WriteString(objects.String())
		case format == "mix":
			b.Write(text)
		default:
			err = write.All(t.Context(), &b, format, []write.Table{table})
		}
		path += "." + format
		if err = errors.Join(err, os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		written = append(written, path)
	}
	return written
}

// Ranks that read a part each of the same files return the model of one process.
func TestSplit(t *testing.T) {
	for name, c := range map[string]struct {
		format string
		rows   []int
		ranks  []int
		change func(*booster.Params)
	}{
		"a file":         {"csv", []int{2000}, []int{1, 2, 3, 5, 8}, func(p *booster.Params) { p.EarlyStopping = 4 }},
		"several":        {"csv", []int{500, 1, 1500}, []int{2, 3, 5}, func(p *booster.Params) { p.EarlyStopping, p.Retrain = 4, true }},
		"more ranks":     {"csv", []int{5}, []int{8}, func(*booster.Params) {}},
		"tabs":           {"tsv", []int{900}, []int{3}, func(*booster.Params) {}},
		"JSON lines":     {"jsonl", []int{700, 900}, []int{2, 5}, func(*booster.Params) {}},
		"compressed":     {"csv.gz", []int{300, 400, 500}, []int{2, 5}, func(*booster.Params) {}},
		"half of them":   {"mix", []int{300, 400, 500}, []int{2, 3, 8}, func(*booster.Params) {}},
		"Parquet":        {"parquet", []int{300, 400, 500}, []int{2, 5}, func(*booster.Params) {}},
		"record batches": {"arrow", []int{140_000}, []int{3}, func(p *booster.Params) { p.Rounds = 2 }},
	} {
		t.Run(name, func(t *testing.T) {
			paths := split(t, parts(t, c.rows...), c.format)
			p := booster.Defaults()
			p.Rounds, p.Threads = 10, 1
			c.change(&p)
			rows := 0
			for _, n := range c.rows {
				rows += n
			}
			want, err := train(context.Background(), p, traindata.Input{Train: paths, OutOfCore: traindata.OutOfCoreTrue})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range c.ranks {
				hashes, errs := trainOver(n, p, func(int) traindata.Input { return traindata.Input{Train: paths, Split: true, ShareRows: rows} })
				for rank, got := range hashes {
					if errs[rank] != nil || got != want {
						t.Errorf("rank %d of %d: %v, not the model of one process", rank, n, errs[rank])
					}
				}
			}
		})
	}
}

// A model that goes on is trained so too, and misses the columns that the rows of no rank have.
func TestSplitGoesOn(t *testing.T) {
	paths := split(t, parts(t, 800, 700), "jsonl")
	p := booster.Defaults()
	p.Rounds, p.Threads = 5, 1
	in := traindata.Input{Train: paths, OutOfCore: traindata.OutOfCoreTrue}
	base, err := fit(t.Context(), p, in)
	if err != nil {
		t.Fatal(err)
	}
	in.From = base
	want, err := train(t.Context(), p, in)
	if err != nil {
		t.Fatal(err)
	}
	in.Split = true
	hashes, errs := trainOver(3, p, func(int) traindata.Input { return in })
	for rank, got := range hashes {
		if errs[rank] != nil || got != want {
			t.Errorf("rank %d: %v, not the model of one process", rank, errs[rank])
		}
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, bytes.ReplaceAll(text, []byte(`"late"`), []byte(`"early"`)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_, errs = trainOver(3, p, func(int) traindata.Input { return in })
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), `"late"`) {
			t.Errorf("rank %d: %v, want that column late is missing", rank, err)
		}
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

// What needs a table in memory is refused before ranks read their files.
func TestShareNeedsNoMemory(t *testing.T) {
	for want, change := range map[string]func(p *booster.Params){
		"train.valid_by needs them in memory": func(p *booster.Params) { p.ValidBy = "level" },
		"sampling.row_by needs them in memory": func(p *booster.Params) {
			p.RowBy, p.RowFraction = "level", 0.5
		},
		"linear leaves (tree.linear) need the values": func(p *booster.Params) { p.Tree.Linear = true },
		`train.gradients = "f32" needs`:               func(p *booster.Params) { p.Gradients = "f32" },
	} {
		p := booster.Defaults()
		p.Rounds = 5
		change(&p)
		_, errs := trainShared(p, traindata.Input{}, parts(t, 40, 60))
		for rank, err := range errs {
			if !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "which stay in their files, and "+want) {
				t.Errorf("rank %d: %v, want %q in it", rank, err, want)
			}
		}
	}
}
