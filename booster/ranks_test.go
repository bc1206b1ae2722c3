package booster_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/comm"
	"boost/internal/testenv"
	"boost/tree/grow"
)

// trainOnRanks trains on so many ranks in this process, and returns the hash of each one's model.
func trainOnRanks(t *testing.T, n int, p booster.Params, table *dataset.Table, opts ...booster.Option) (hashes []string, err error) {
	t.Helper()
	return trainOnEnds(t, comm.Local(n), func(c comm.Comm) comm.Comm { return c }, p, table, opts...)
}

// trainOnEnds is trainOnRanks where each rank has an end of another kind.
func trainOnEnds(t *testing.T, ends []comm.Comm, kind func(comm.Comm) comm.Comm, p booster.Params, table *dataset.Table, opts ...booster.Option) (hashes []string, err error) {
	t.Helper()
	hashes = make([]string, len(ends))
	errs := make([]error, len(ends))
	var all sync.WaitGroup
	for rank, c := range ends {
		all.Go(func() {
			defer c.Close()
			m, err := booster.Train(context.Background(), p, table, append([]booster.Option{booster.WithRanks(kind(c))}, opts...)...)
			if errs[rank] = err; err == nil {
				b, err := m.Encode()
				sum := sha256.Sum256(b)
				hashes[rank], errs[rank] = hex.EncodeToString(sum[:]), err
			}
		})
	}
	all.Wait()
	return hashes, errors.Join(errs...)
}

// TestGoldenRanks holds that ranks make the golden models, or say that these are for one process.
func TestGoldenRanks(t *testing.T) {
	testenv.Unraced(t)
	var want goldenFile
	b, err := os.ReadFile(filepath.Join("testdata", "golden_models.json"))
	if err == nil {
		err = json.Unmarshal(b, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	sizes, at, refused := []int{2, 3, 5}, 0, 0
	if testenv.Soak() {
		sizes = append(sizes, 8)
	}
	goldenModels(func(name, set string, p booster.Params) {
		n := sizes[at%len(sizes)]
		at++
		p.Threads = 1 + at%3
		for by, opts := range map[string][]booster.Option{"rows": nil, "features": {booster.ByFeatures()}} {
			hashes, err := trainOnRanks(t, n, p, openShipped(t, set), opts...)
			if err != nil && strings.Contains(err.Error(), "is for one process") {
				refused++
				return
			}
			if err != nil {
				t.Errorf("%s on %d ranks by %s: %v", name, n, by, err)
				continue
			}
			for rank, got := range hashes {
				if got != want.Models[name] {
					t.Errorf("%s on %d ranks by %s: rank %d makes model %s, want %s", name, n, by, rank, got, want.Models[name])
				}
			}
		}
	})
	t.Logf("%d of %d are for one process", refused, at)
}

// TestRanksWithTheLoop holds that ranks make the model of one process where rows are held out or judged on, columns are made, and
// training goes on from a model.
func TestRanksWithTheLoop(t *testing.T) {
	base := func(objective string) booster.Params {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Threads = objective, testenv.UnlessShort(12, 5), 2
		return p
	}
	study := func(p *booster.Params) {
		p.EarlyStopping, p.Retrain, p.MvsFraction, p.Tree.ColNode, p.LevelSplits, p.Tree.MinDataInLeaf = 5, true, 0.7, 0.5, booster.AutoSplits, 3
	}
	for name, c := range map[string]struct {
		set, objective string
		change         func(p *booster.Params)
		valid, from    bool
	}{
		"held out":  {"adult", "binary", func(p *booster.Params) { p.EarlyStopping = 3 }, false, false},
		"retrained": {"ames_housing", "regression", study, false, false},
		"classes":   {"wine_quality", "multiclass", study, false, false},
		"valid":     {"adult", "binary", func(p *booster.Params) { p.EarlyStopping, p.Metrics = 3, []string{"auc", "logloss"} }, true, false},
		"dart":      {"ames_housing", "regression", func(p *booster.Params) { p.Boosting, p.Dart.DropRate = booster.DartBoosting, 0.5 }, true, false},
		"forest":    {"adult", "binary", func(p *booster.Params) { p.Boosting, p.RowFraction = booster.RandomForest, 0.6 }, true, false},
		"goes on":   {"adult", "binary", func(p *booster.Params) {}, true, true},
		"levels":    {"ames_housing", "regression", func(p *booster.Params) { p.LevelSplits, p.Combinations, p.Counts = booster.TargetSplits, 2, true }, false, false},
		"ranking":   {rankedSet, "lambdarank", func(p *booster.Params) { p.EarlyStopping = 4 }, false, false},
		"symmetric": {"adult", "binary", func(p *booster.Params) { p.Tree.Growth, p.Tree.MaxDepth = "symmetric", 5 }, false, false},
		"monotone": {"ames_housing", "regression", func(p *booster.Params) {
			p.Tree.Monotone = map[string]int{"Gr_Liv_Area": 1}
			p.Tree.MonotoneMethod = "advanced"
		}, false, false},
		"extra":      {"wine_quality", "multiclass", func(p *booster.Params) { p.Tree.ExtraTrees = true }, false, false},
		"by columns": {"adult", "binary", func(p *booster.Params) { p.Builder = "feature" }, false, false},
		"csr":        {"ames_housing", "regression", func(p *booster.Params) { p.Binning.Layout = "csr" }, false, false},
		"bundles":    {"ames_housing", "regression", func(p *booster.Params) { p.Binning.Bundle = "on" }, false, false},
		"masked":     {"adult", "binary", func(p *booster.Params) { p.Binning.MissingAs = "mask" }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			table := openShipped(t, c.set)
			p := base(c.objective)
			c.change(&p)
			var opts []booster.Option
			if c.from {
				first, err := booster.Train(context.Background(), base(c.objective), table)
				if err != nil {
					t.Fatal(err)
				}
				opts = append(opts, booster.From(first))
			}
			if c.valid {
				rows := make([]int32, 0, table.NumRows())
				for row := 0; row < table.NumRows(); row += 3 {
					rows = append(rows, int32(row))
				}
				opts = append(opts, booster.Valid("valid", table.Take(rows)))
			}
			want := hash(t, p, table, opts...)
			for _, n := range []int{2, 5}[:testenv.UnlessShort(2, 1)] {
				hashes, err := trainOnRanks(t, n, p, table, opts...)
				if err != nil {
					t.Fatal(err)
				}
				for rank, got := range hashes {
					if got != want {
						t.Errorf("%d ranks: rank %d makes model %s, one process %s", n, rank, got, want)
					}
				}
			}
		})
	}
}

// TestRanksAgree holds that ranks with different settings end before they train, where they share a table, too.
func TestRanksAgree(t *testing.T) {
	table := openShipped(t, "ames_housing")
	errs := make([]error, 2)
	var all sync.WaitGroup
	for rank, c := range comm.Local(2) {
		all.Go(func() {
			defer c.Close()
			p := booster.Defaults()
			p.Objective, p.Rounds, p.Seed = "regression", 2, uint64(rank)
			_, errs[rank] = booster.Train(context.Background(), p, table, booster.WithRanks(c))
		})
	}
	all.Wait()
	for rank, err := range errs {
		if !errors.Is(err, comm.ErrComm) || !strings.Contains(err.Error(), "rank 1: train.seed is 1, and 0 at rank 0") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestRanksCox holds that the gradients of cox, which depend on all rows, are those of one process.
func TestRanksCox(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	x, time := make([]float64, 900), make([]float64, 900)
	for i := range x {
		x[i] = draw.NormFloat64()
		if time[i] = 1 + math.Floor(20*math.Exp(-x[i])*draw.ExpFloat64()); draw.IntN(4) == 0 {
			time[i] = -time[i] // censored
		}
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x}, {Name: "time", Values: time}}, dataset.Label("time"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds = "cox", 10
	want := hash(t, p, table)
	hashes, err := trainOnRanks(t, 3, p, table)
	if err != nil {
		t.Fatal(err)
	}
	for rank, got := range hashes {
		if got != want {
			t.Errorf("rank %d makes another model than one process", rank)
		}
	}
}

// TestRanksKnowTheBestScores holds that ranks that go on from a checkpoint of one process, whose best round lies before its last, say the
// same of the training rows.
func TestRanksKnowTheBestScores(t *testing.T) {
	table := openShipped(t, "adult")
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.EarlyStopping = "binary", 40, 1, 12
	var want booster.Report
	if _, err := booster.Train(context.Background(), p, table, booster.WithReport(&want)); err != nil {
		t.Fatal(err)
	}
	if want.Rounds-want.BestRound != p.EarlyStopping || want.BestRound < 3 {
		t.Fatalf("best after %d of %d rounds", want.BestRound, want.Rounds)
	}
	dir := t.TempDir()
	saves := booster.Checkpoints{Dir: dir, Every: booster.CheckpointEvery{Rounds: 1}, Resume: true}
	part := p
	part.Rounds = want.BestRound + 4
	if _, err := booster.Train(context.Background(), part, table, booster.WithCheckpoints(saves)); err != nil {
		t.Fatal(err)
	}
	reports := make([]booster.Report, 2)
	var all sync.WaitGroup
	for rank, c := range comm.Local(2) {
		all.Go(func() {
			defer c.Close()
			if _, err := booster.Train(context.Background(), p, table, booster.WithRanks(c), booster.WithCheckpoints(saves), booster.WithReport(&reports[rank])); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for rank := range reports {
		if got := &reports[rank]; got.Resumed != part.Rounds || !maps.Equal(got.Metrics["train"], want.Metrics["train"]) {
			t.Errorf("rank %d goes on from %d rounds and says %v of the training rows, want %v", rank, got.Resumed, got.Metrics["train"], want.Metrics["train"])
		}
	}
}

// TestRanksGoOn holds that a training of ranks goes on from its checkpoints with any number of ranks, and one of a single process too.
func TestRanksGoOn(t *testing.T) {
	for name, change := range map[string]func(p *booster.Params){
		"plain":  func(p *booster.Params) { p.EarlyStopping = 5 },
		"dart":   func(p *booster.Params) { p.Boosting, p.Dart.DropRate = booster.DartBoosting, 0.4 },
		"forest": func(p *booster.Params) { p.Boosting, p.RowFraction, p.EarlyStopping = booster.RandomForest, 0.6, 30 },
	} {
		t.Run(name, func(t *testing.T) {
			table := openShipped(t, "adult")
			p := booster.Defaults()
			p.Objective, p.Rounds, p.LearningRate = "binary", 20, 0.5
			change(&p)
			want := hash(t, p, table)
			dir := t.TempDir()
			for _, leg := range []struct {
				ranks, rounds int
				opts          []booster.Option
			}{{3, 6, nil}, {1, 9, nil}, {4, 11, []booster.Option{booster.ByFeatures()}}, {2, 13, nil}, {5, 20, nil}} {
				part := p
				part.Rounds = leg.rounds
				saves := booster.WithCheckpoints(booster.Checkpoints{Dir: dir, Every: booster.CheckpointEvery{Rounds: 2}, Resume: true})
				hashes, err := trainOnRanks(t, leg.ranks, part, table, append(leg.opts, saves)...)
				if err != nil {
					t.Fatal(err)
				}
				if leg.rounds < p.Rounds {
					continue
				}
				for rank, got := range hashes {
					if got != want {
						t.Errorf("rank %d makes another model than a training that was never stopped", rank)
					}
				}
			}
		})
	}
}

// TestRanksRefuse holds that what would depend on the rows of a rank is refused at all.
func TestRanksRefuse(t *testing.T) {
	for key, change := range map[string]func(*booster.Params){
		`train.gradients = "f32"`:                        func(p *booster.Params) { p.Gradients = "f32" },
		`train.gradients = "auto", which is "f32" here,`: func(p *booster.Params) { p.Gradients = "auto" },
		"binning.bundle_conflicts":                       func(p *booster.Params) { p.Binning.Bundle, p.Binning.BundleConflicts = "on", 0.05 },
		"tree.linear":                                    func(p *booster.Params) { p.Tree.Linear = true },
	} {
		p := booster.Defaults()
		p.Rounds = 3
		change(&p)
		_, err := trainOnRanks(t, 2, p, openShipped(t, "ames_housing"))
		if !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), key+" is for one process") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestRanksWithoutFeatures holds that ranks by features make the model of one process where all codes are one feature's, so that most ranks have none.
func TestRanksWithoutFeatures(t *testing.T) {
	x, y := make([]float32, 6000), make([]float32, 6000)
	for i := range x {
		x[i], y[i] = float32(i), float32(i*i%97)
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x}, {Name: "y", Values: y}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.EarlyStopping, p.Binning.MaxBin = "regression", 5, 0, 5000
	want := hash(t, p, table)
	hashes, err := trainOnRanks(t, 3, p, table, booster.ByFeatures())
	if err != nil {
		t.Fatal(err)
	}
	for rank, got := range hashes {
		if got != want {
			t.Errorf("rank %d makes another model than one process", rank)
		}
	}
}

// A rank whose table has other rows than the others' says so, before it trains.
func TestRanksCountTheirRows(t *testing.T) {
	p := booster.Defaults()
	p.Rounds = 3
	table := openShipped(t, "ames_housing")
	rows := make([]int32, table.NumRows()-1)
	for i := range rows {
		rows[i] = int32(i)
	}
	tables := []*dataset.Table{table, table.Take(rows), table}
	errs := make([]error, len(tables))
	var all sync.WaitGroup
	for rank, c := range comm.Local(len(tables)) {
		all.Go(func() {
			defer c.Close()
			_, errs[rank] = booster.Train(context.Background(), p, tables[rank], booster.WithRanks(c))
		})
	}
	all.Wait()
	if err := errors.Join(errs...); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "give all ranks the same tables") {
		t.Error(err)
	}
	if slices.Contains(errs, nil) {
		t.Errorf("a rank trains: %v", errs)
	}
}

// TestRanksSplitInBatches holds that ranks split leaves side by side, with a few exchanges for many leaves, and make the model of one
// process all the same.
func TestRanksSplitInBatches(t *testing.T) {
	const rows, columns, rounds, leaves = 4000, 24, 6, 31
	r := rand.New(rand.NewPCG(4, 0))
	data, y := make([]dataset.ColumnData, columns, columns+2), make([]float64, rows)
	for f := range data {
		values := make([]float64, rows)
		for i := range values {
			values[i] = r.NormFloat64()
			if y[i] += values[i] * math.Sin(float64(f)*values[i]); f%5 == 0 && r.IntN(4) == 0 {
				values[i] = math.NaN()
			}
		}
		data[f] = dataset.ColumnData{Name: fmt.Sprintf("x%d", f), Values: values}
	}
	levels := make([]string, rows)
	for i := range levels {
		n := r.IntN(40)
		levels[i] = fmt.Sprintf("level %d", n)
		y[i] += float64(n * 7 % 11)
	}
	table, err := dataset.FromColumns(append(data, dataset.ColumnData{Name: "level", Values: levels}, dataset.ColumnData{Name: "y", Values: y}), dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(p *booster.Params){
		"plain":    func(*booster.Params) {},
		"i32":      func(p *booster.Params) { p.Gradients = "i32" },
		"columns":  func(p *booster.Params) { p.Tree.ColNode = 0.4 },
		"monotone": func(p *booster.Params) { p.Tree.Monotone = map[string]int{"x1": 1, "x7": -1} },
		"together": func(p *booster.Params) {
			p.Tree.Interaction = [][]string{{"x0", "x1", "x2", "level"}, {"x3", "x4", "x5", "x6"}}
		},
		"few rows": func(p *booster.Params) { p.Tree.MinDataInLeaf = 1 },
		"costs": func(p *booster.Params) {
			p.Tree.FeaturePenalty, p.Tree.ReuseFeature = map[string]float64{"x3": 0.5}, 0.3
		},
		"levels":  func(p *booster.Params) { p.Tree.Growth, p.Tree.MaxDepth = grow.ByDepth, 7 },
		"bagging": func(p *booster.Params) { p.RowFraction = 0.6 },
	} {
		t.Run(name, func(t *testing.T) {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.Tree.Leaves, p.EarlyStopping = "regression", rounds, leaves, 0
			change(&p)
			want := hash(t, p, table)
			for _, by := range []string{"rows", "features"} {
				for threads := 1; threads <= 3; threads += 2 {
					p.Threads = threads
					var opts []booster.Option
					if by == "features" {
						opts = append(opts, booster.ByFeatures())
					}
					var calls atomic.Int64
					hashes := make([]string, 2)
					var all sync.WaitGroup
					for rank, c := range comm.Local(2) {
						all.Go(func() {
							defer c.Close()
							m, err := booster.Train(context.Background(), p, table, append([]booster.Option{booster.WithRanks(c)}, opts...)...)
							if err != nil {
								t.Error(err)
								return
							}
							b, err := m.Encode()
							if err != nil {
								t.Error(err)
							}
							calls.Store(int64(c.Stats().Calls))
							hashes[rank] = fmt.Sprintf("%x", sha256.Sum256(b))
						})
					}
					all.Wait()
					for rank, got := range hashes {
						if got != want {
							t.Errorf("by %s, %d threads: rank %d makes model %s, one process %s", by, threads, rank, got, want)
						}
					}
					t.Logf("by %s, %d threads: %d calls for %d splits", by, threads, calls.Load(), rounds*(leaves-1))
					if most := rounds * (leaves - 1); threads == 1 && name != "i32" && int(calls.Load()) > most {
						t.Errorf("by %s: %d calls for %d splits", by, calls.Load(), most)
					}
				}
			}
		})
	}
}

// otherNumbers is an end of ranks that gets other sums of numbers of rows than the ranks have.
type otherNumbers struct{ comm.Comm }

func (o otherNumbers) Sum32(ctx context.Context, values []uint32) error {
	err := o.Comm.Sum32(ctx, values)
	if len(values) > 600 { // of three nodes or more, which are children of several
		for i := range values {
			values[i]++
		}
	}
	return err
}

// TestRanksCountTheSame holds that ranks end where they do not count rows of the same nodes, which workers may find out side by side.
func TestRanksCountTheSame(t *testing.T) {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Threads, p.EarlyStopping = "binary", 3, 3, 0
	rows := make([]int32, 4000)
	for i := range rows {
		rows[i] = int32(i)
	}
	table := openShipped(t, "adult").Take(rows)
	for range 20 { // one worker may do it all
		errs := make([]error, 2)
		var all sync.WaitGroup
		for rank, c := range comm.Local(2) {
			all.Go(func() {
				defer c.Close()
				_, errs[rank] = booster.Train(context.Background(), p, table, booster.WithRanks(otherNumbers{c}))
			})
		}
		all.Wait()
		for rank, err := range errs {
			if !errors.Is(err, comm.ErrComm) || !strings.Contains(err.Error(), "ranks do not split the same node") {
				t.Fatalf("rank %d: %v", rank, err)
			}
		}
	}
}

// TestRanksWithOtherLayouts holds that ranks whose columns are stored in other ways, as each lays out its own rows, split the same leaves
// at a time: the rows of rank 0 are bundled, those of rank 1 are not.
func TestRanksWithOtherLayouts(t *testing.T) {
	const rows, columns = 100_000, 64
	r := rand.New(rand.NewPCG(1, 2))
	data, y := make([]dataset.ColumnData, columns+1), make([]float64, rows)
	for f := range columns {
		data[f] = dataset.ColumnData{Name: fmt.Sprintf("x%d", f), Values: make([]float64, rows)}
	}
	for i := range rows {
		hot := r.IntN(columns)
		for f := range columns {
			on := f == hot
			if i >= rows/2 {
				on = r.IntN(2) == 0
			}
			if on {
				data[f].Values.([]float64)[i] = 1
				y[i] += float64(f%7) - 3 + r.NormFloat64()
			}
		}
	}
	data[columns] = dataset.ColumnData{Name: "y", Values: y}
	table, err := dataset.FromColumns(data, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.EarlyStopping, p.Threads = "regression", 2, 0, 2
	want := hash(t, p, table)
	hashes, err := trainOnRanks(t, 2, p, table)
	if err != nil {
		t.Fatal(err)
	}
	for rank, got := range hashes {
		if got != want {
			t.Errorf("rank %d makes model %s, one process %s", rank, got, want)
		}
	}
}
