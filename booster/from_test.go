package booster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/booster/traindata"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/objectives"
	"boost/parallel"
)

func bytesOf(t testing.TB, m *booster.Model) []byte {
	t.Helper()
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// unbased returns a continued model as if it had been trained at once by the parameters of
// another: without its origin.
func unbased(t *testing.T, m, like *booster.Model) []byte {
	t.Helper()
	c := *m.Contents()
	c.Origin, c.Params = nil, like.Contents().Params
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return bytesOf(t, m)
}

// 5 rounds and 4 more from them on are 9: the same file but for the origin and the number of
// rounds asked for, with the history of validation sets and all that random numbers
// decide. A base of an odd number of rounds lies in the middle of a sample that lasts for
// two.
func TestFromIsOneRun(t *testing.T) {
	testenv.Unraced(t)
	ways := map[string]func(p *booster.Params){
		"i16": func(p *booster.Params) {},
		"f32": func(p *booster.Params) { p.Gradients = "f32" },
		"i8":  func(p *booster.Params) { p.Gradients = "i8" },
		"i4 sampled": func(p *booster.Params) {
			p.Gradients, p.RowFraction, p.RowEvery, p.Tree.ColTree, p.Tree.ColNode = "i4", 0.7, 2, 0.8, 0.9
		},
		"goss":       func(p *booster.Params) { p.GossTop, p.GossOther, p.LearningRate = 0.2, 0.1, 0.3 },
		"mvs":        func(p *booster.Params) { p.MvsFraction = 0.4 },
		"feedback":   func(p *booster.Params) { p.QuantizeDType, p.ErrorFeedback = "Q4_0", true },
		"held out":   func(p *booster.Params) { p.EarlyStopping, p.Gradients = 20, "i8" },
		"asymmetric": func(p *booster.Params) { p.GradientMode = "asymmetric" },
		"reuse":      func(p *booster.Params) { p.Tree.ReuseFeature, p.Tree.ReuseCut = 0.2, 0.4 },
	}
	for _, set := range shipped {
		if testing.Short() && set.name != "ames_housing" {
			continue
		}
		table := openShipped(t, set.name)
		if !testenv.Soak() {
			table = table.Take(sequence(0, 2000))
		}
		for name, change := range ways {
			t.Run("S3.52/"+set.name+"/"+name, func(t *testing.T) {
				p := booster.Defaults()
				p.Objective = set.objective
				change(&p)
				var opts []booster.Option
				if p.EarlyStopping == 0 {
					opts = append(opts, booster.Valid("valid", table.Take([]int32{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9})))
				}
				p.Rounds = 9
				whole := train(t, p, table, opts...)
				p.Rounds = 5
				base := train(t, p, table, opts...)
				p.Rounds = 4
				for _, threads := range []int{1, 3} {
					pool := parallel.NewPool(threads)
					more := train(t, p, table, append(opts, booster.From(base), booster.WithPool(pool))...)
					pool.Close()
					if got, want := unbased(t, more, whole), bytesOf(t, whole); !bytes.Equal(got, want) {
						t.Errorf("%d threads: 5 rounds and 4 more are not 9: they differ in %s", threads, model.DiffSections(got, want))
					}
					sum, _ := base.SHA256()
					if o := more.Contents().Origin; o == nil || o.How != model.Continued || o.Rounds != 5 || !slices.Equal(o.Models, []string{sum}) {
						t.Errorf("origin %+v", o)
					}
					if more.Contents().Segments != nil && len(more.Contents().Segments) > 0 {
						t.Errorf("segments %+v, though nothing has changed", more.Contents().Segments)
					}
				}
			})
		}
	}
}

// The promise behind checkpoints: what a run has after k rounds is the prefix of what it has
// in the end.
func TestPrefixIsTheInterruptedRun(t *testing.T) {
	testenv.Unraced(t)
	table := openShipped(t, "wine_quality")
	valid := table.Take([]int32{10, 20, 30, 40, 50, 60, 70})
	interrupted := func(p booster.Params, k int, opts ...booster.Option) *booster.Model {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		m, err := booster.Train(ctx, p, table, append(opts, booster.OnRound(func(r booster.Round) {
			if r.Index+1 == k {
				cancel()
			}
		}))...)
		if m == nil || err != nil && !errors.Is(err, booster.ErrInterrupted) {
			t.Fatal(err)
		}
		return m
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Gradients, p.MetricsEvery = "multiclass", 7, "i8", 3
	p.RowFraction, p.RowEvery = 0.6, 2
	whole := train(t, p, table, booster.Valid("valid", valid))
	for k := 1; k <= 7; k += testenv.UnlessShort(1, 3) {
		t.Run(fmt.Sprintf("S3.53/checkpoint %d", k), func(t *testing.T) {
			cut, err := whole.Prefix(k)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := bytesOf(t, cut), bytesOf(t, interrupted(p, k, booster.Valid("valid", valid))); !bytes.Equal(got, want) {
				t.Errorf("the prefix differs from the interrupted run in %s", model.DiffSections(got, want))
			}
		})
	}
	t.Run("S3.53/early stopping", func(t *testing.T) {
		p.MetricsEvery, p.EarlyStopping, p.LearningRate, p.Rounds = 1, 5, 0.5, 60
		whole := train(t, p, table, booster.Valid("valid", valid))
		same := 0
		for k := 1; k <= whole.Rounds(); k += testenv.UnlessShort(1, 4) {
			run := interrupted(p, k, booster.Valid("valid", valid))
			cut, err := whole.Prefix(k)
			if err != nil {
				t.Fatal(err)
			}
			if equal := bytes.Equal(bytesOf(t, cut), bytesOf(t, run)); equal != (run.Rounds() == k) {
				t.Errorf("round %d: the run keeps %d rounds, and equal is %v", k, run.Rounds(), equal)
			} else if equal {
				same++
			}
		}
		if same == 0 {
			t.Error("no round was the best so far")
		}
	})
	t.Run("S3.53/of a continued run", func(t *testing.T) {
		p.EarlyStopping, p.LearningRate, p.Rounds = 0, 0.1, 4
		base, err := whole.Prefix(3)
		if err != nil {
			t.Fatal(err)
		}
		opts := []booster.Option{booster.Valid("valid", valid), booster.From(base)}
		more := train(t, p, table, opts...)
		for k := 4; k <= 7; k++ {
			cut, err := more.Prefix(k)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := bytesOf(t, cut), bytesOf(t, interrupted(p, k, opts...)); !bytes.Equal(got, want) {
				t.Errorf("round %d: the prefix differs in %s", k, model.DiffSections(got, want))
			}
		}
		if cut, err := more.Prefix(2); err != nil || cut.Rounds() != 2 {
			t.Errorf("a prefix of the base's rounds: %v", err)
		}
	})
}

// shops is a table of a label, a number and a level; the label follows from both.
func shops(t *testing.T, n int, names ...string) *dataset.Table {
	t.Helper()
	x, shop, y := make([]float64, n), make([]string, n), make([]float64, n)
	for i := range n {
		x[i], shop[i] = float64(i%17), names[i%len(names)]
		y[i] = x[i]/4 + float64(len(shop[i]))
		if i%23 == 0 && len(names) > 3 {
			x[i], shop[i] = math.NaN(), ""
		}
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "y", Values: y}, {Name: "x", Values: x}, {Name: "shop", Values: shop},
	}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func rawOf(t *testing.T, m *booster.Model, table *dataset.Table, opts ...model.Option) []float64 {
	t.Helper()
	raw, err := m.PredictRaw(context.Background(), table, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A table with levels and gaps that the base has not seen: they get codes behind the others, the
// base's trees go on taking them for missing, and new trees tell them apart.
func TestFromWithNewLevels(t *testing.T) {
	testenv.Unraced(t)
	old, fresh := shops(t, 2000, "a", "bbb", "ccccc"), shops(t, 3000, "ddddddddddd", "bbb", "a", "eeeeeeeeeeeeeeeeeeeeee")
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.MinPerGroup = "regression", 6, 10
	base := train(t, p, old)
	more := train(t, p, fresh, booster.From(base))
	c := more.Contents()
	if levels := c.Schema.Columns[2].Levels; !slices.Equal(levels, []string{"a", "bbb", "ccccc", "eeeeeeeeeeeeeeeeeeeeee", "ddddddddddd"}) &&
		!slices.Equal(levels, []string{"a", "bbb", "ccccc", "ddddddddddd", "eeeeeeeeeeeeeeeeeeeeee"}) {
		t.Errorf("levels %q", levels)
	}
	was, is := base.Contents().Cuts, c.Cuts
	if !slices.Equal(was.Features[1].Codes, is.Features[1].Codes[:3]) || is.Features[1].Regular != was.Features[1].Regular+2 {
		t.Errorf("codes %v of %v", is.Features[1].Codes, was.Features[1].Codes)
	}
	if was.Features[0].HasMissing || !is.Features[0].HasMissing || !is.Features[1].HasMissing || !slices.Equal(was.Values, is.Values) {
		t.Errorf("missing values %+v, cuts %v of %v", is.Features, is.Values, was.Values)
	}
	for name, table := range map[string]*dataset.Table{"old rows": old, "new rows": fresh, "others": shops(t, 100, "zz", "a", "", "q")} {
		if !slices.Equal(rawOf(t, base, table), rawOf(t, more, table, model.Rounds(6))) {
			t.Errorf("%s: the base's rounds predict something else than the base", name)
		}
	}
	rmse := func(m *booster.Model) float64 {
		sum, labels := 0.0, mustLabels(t, fresh)
		for i, v := range rawOf(t, m, fresh) {
			sum += (v - labels[i]) * (v - labels[i])
		}
		return math.Sqrt(sum / float64(len(labels)))
	}
	if before, after := rmse(base), rmse(more); !(after < 0.6*before) {
		t.Errorf("rmse on the new rows %v, of the base %v: new levels are not told apart", after, before)
	}
	t.Run("again", func(t *testing.T) {
		last := train(t, p, shops(t, 1000, "a", "f", "gg"), booster.From(more))
		if !slices.Equal(rawOf(t, more, fresh), rawOf(t, last, fresh, model.Rounds(12))) || last.Rounds() != 18 {
			t.Errorf("a model that was continued twice, %d rounds, does not begin with the first", last.Rounds())
		}
	})
	t.Run("out of core and cached", func(t *testing.T) {
		dir := t.TempDir()
		var csv strings.Builder
		csv.WriteString("y,x,shop\n")
		labels := mustLabels(t, fresh)
		for row := range fresh.NumRows() {
			shop, x := "", ""
			if code := fresh.Column("shop").Codes()[row]; code >= 0 {
				shop, x = fresh.Column("shop").Levels()[code], fmt.Sprint(row%17)
			}
			fmt.Fprintf(&csv, "%v,%s,%s\n", labels[row], x, shop)
		}
		path := filepath.Join(dir, "fresh.csv")
		if err := os.WriteFile(path, []byte(csv.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, stop := range []int{0, 3} {
			p := p
			p.EarlyStopping = stop
			want := bytesOf(t, train(t, p, fresh, booster.From(base)))
			for _, input := range []traindata.Input{
				{OutOfCore: traindata.OutOfCoreFalse}, {OutOfCore: traindata.OutOfCoreTrue},
				{Cache: filepath.Join(dir, fmt.Sprint("c", stop))}, {Cache: filepath.Join(dir, fmt.Sprint("c", stop))},
			} {
				input.Train, input.From, input.Options = []string{path}, base, []dataset.Option{dataset.Label("y")}
				l, err := traindata.Load(context.Background(), p, input)
				if err != nil {
					t.Fatal(err)
				}
				m, err := booster.TrainOn(context.Background(), p, l.Train, l.Options()...)
				l.Close()
				if err != nil {
					t.Fatal(err)
				}
				if got := bytesOf(t, m); !bytes.Equal(got, want) {
					t.Errorf("out of core %q, cached %v: the model differs in %s", input.OutOfCore, l.Cached, model.DiffSections(got, want))
				}
			}
			l, err := traindata.Load(context.Background(), p, traindata.Input{Train: []string{path}, Options: []dataset.Option{dataset.Label("y")}, Cache: filepath.Join(dir, fmt.Sprint("c", stop))})
			if err != nil || l.Cached {
				t.Errorf("codes of a continued run serve one from nothing: %v", err)
			}
		}
	})
}

func mustLabels(t *testing.T, table *dataset.Table) []float64 {
	t.Helper()
	labels, err := table.NumericLabels()
	if err != nil {
		t.Fatal(err)
	}
	return labels
}

// Where the new rows have nothing to add, nothing is added.
func TestFromKeepsNone(t *testing.T) {
	table := scored(t, 960, dataset.Ignore("s"))
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.Tree.Leaves = "regression", 1, 1, 2
	base := train(t, p, table)
	worse, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "y", Values: []float64{-9, 9, -9, 9, -9, 9}}, {Name: "x", Values: []float64{0, 15, 0, 15, 0, 15}},
	}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	var report booster.Report
	p.Tree.MinDataInLeaf, p.Rounds, p.EarlyStopping, p.LearningRate = 1, 20, 3, 2
	p.Seed = 7
	m := train(t, p, worse, booster.From(base), booster.Valid("valid", table), booster.WithReport(&report),
		booster.Logger(slog.New(slog.NewTextHandler(&log, nil))))
	if m.Rounds() != 1 || report.BestRound != 1 || report.Rounds != 4 || report.Stopped != booster.StoppedEarly {
		t.Errorf("%d rounds, report %+v", m.Rounds(), report)
	}
	if !strings.Contains(log.String(), "none is kept") {
		t.Errorf("nothing is said: %s", &log)
	}
	if !slices.Equal(rawOf(t, m, table), rawOf(t, base, table)) {
		t.Error("the model is not the base")
	}
	// The history has what the base scores on the set, and what the rounds after it did.
	if h := m.Contents().History[0]; len(h.Values) != 4 || h.Values[0] == nil || *h.Values[0] >= *h.Values[1] {
		t.Errorf("history %+v", h)
	}
}

// Rows that the base has learned from tell too little of new rounds: a warning says so, and none comes without reason.
func TestFromWarnsOfSeenRows(t *testing.T) {
	testenv.Unraced(t)
	const held, order = "trained on the rows that are held out", "order of these rows' own labels"
	const rows = 2000
	y, x, level := make([]float64, rows), make([]float64, rows), make([]string, rows)
	for i := range y {
		y[i], x[i], level[i] = float64(i*i%97), float64(i%53), fmt.Sprint("level ", i%90)
	}
	tableOf := func(lo, hi int) *dataset.Table {
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: y[lo:hi]}, {Name: "x", Values: x[lo:hi]}, {Name: "l", Values: level[lo:hi]}}, dataset.Label("y"))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	table, other := tableOf(0, 1500), tableOf(500, rows)
	for name, c := range map[string]struct {
		base, more func(*booster.Params)
		on         *dataset.Table
		held       bool
		order      bool
	}{
		"all rows, then some held out": {func(p *booster.Params) {}, func(p *booster.Params) { p.EarlyStopping = 5 }, table, true, false},
		"retrained":                    {func(p *booster.Params) { p.EarlyStopping, p.Retrain = 5, true }, func(p *booster.Params) { p.EarlyStopping = 5 }, table, true, false},
		"the same held out":            {func(p *booster.Params) { p.EarlyStopping = 5 }, func(p *booster.Params) { p.EarlyStopping = 5 }, table, false, false},
		"others held out":              {func(p *booster.Params) { p.EarlyStopping = 5 }, func(p *booster.Params) { p.EarlyStopping, p.Seed = 5, 8 }, table, true, false},
		"another share held out":       {func(p *booster.Params) { p.EarlyStopping = 5 }, func(p *booster.Params) { p.EarlyStopping, p.ValidShare = 5, 0.3 }, table, true, false},
		"other rows":                   {func(p *booster.Params) {}, func(p *booster.Params) { p.EarlyStopping = 5 }, other, false, false},
		"none held out":                {func(p *booster.Params) {}, func(p *booster.Params) {}, table, false, false},
		"order":                        {func(p *booster.Params) { p.LevelSplits = booster.TargetSplits }, func(p *booster.Params) {}, table, false, true},
		"order, other rows":            {func(p *booster.Params) { p.LevelSplits = booster.TargetSplits }, func(p *booster.Params) {}, other, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.EarlyStopping, p.LevelSplits = "regression", 5, 0, booster.SetSplits
			more := p
			c.base(&p)
			c.more(&more)
			var log bytes.Buffer
			train(t, more, c.on, booster.From(train(t, p, table)), booster.Logger(slog.New(slog.NewTextHandler(&log, nil))))
			if strings.Contains(log.String(), held) != c.held || strings.Contains(log.String(), order) != c.order {
				t.Errorf("held out %v, order %v: %s", c.held, c.order, &log)
			}
		})
	}
}

func TestFromInitScores(t *testing.T) {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.Tree.Leaves = "regression", 2, 0.5, 2
	with, without := scored(t, 960, dataset.InitScore("s")), scored(t, 960, dataset.Ignore("s"))
	p.Rounds = 5
	whole := train(t, p, with)
	p.Rounds = 2
	base := train(t, p, with)
	p.Rounds = 3
	more := train(t, p, with, booster.From(base))
	if !bytes.Equal(unbased(t, more, whole), bytesOf(t, whole)) {
		t.Error("2 rounds from init scores and 3 more are not 5")
	}
	if _, err := booster.Train(context.Background(), p, without, booster.From(base)); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "give the table its own") {
		t.Errorf("a table without them: %v", err)
	}
	plain := train(t, p, without)
	if _, err := booster.Train(context.Background(), p, with, booster.From(plain)); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), `column "s" holds init scores`) {
		t.Errorf("a base without them: %v", err)
	}
	if _, err := booster.Refit(context.Background(), base, without, 0.5); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("refit without them: %v", err)
	}
	if _, err := booster.Refit(context.Background(), base, with, 0.5); err != nil {
		t.Errorf("refit with them: %v", err)
	}
}

func TestFromWeights(t *testing.T) {
	columns := []dataset.ColumnData{{Name: "y"}, {Name: "x"}, {Name: "w"}}
	var y, x, w []float64
	for i := range 500 {
		y, x, w = append(y, float64(i%7)), append(x, float64(i%31)), append(w, float64(i%3))
	}
	columns[0].Values, columns[1].Values, columns[2].Values = y, x, w
	table, err := dataset.FromColumns(columns, dataset.Label("y"), dataset.Weight("w"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds = "regression", 6
	whole := train(t, p, table)
	p.Rounds = 2
	base := train(t, p, table)
	p.Rounds = 4
	if more := train(t, p, table, booster.From(base)); !bytes.Equal(unbased(t, more, whole), bytesOf(t, whole)) {
		t.Error("2 rounds with weights and 4 more are not 6")
	}
}

// A model without trees is a base like any other: only the start.
func TestFromNoTrees(t *testing.T) {
	table := openShipped(t, "wine_quality")
	p := booster.Defaults()
	p.Objective, p.Rounds = "multiclass", 3
	whole := train(t, p, table)
	none, err := whole.Prefix(0)
	if err != nil {
		t.Fatal(err)
	}
	more := train(t, p, table, booster.From(none))
	if !bytes.Equal(unbased(t, more, whole), bytesOf(t, whole)) {
		t.Error("training from no round is not training")
	}
}

func TestFromRefuses(t *testing.T) {
	ctx := context.Background()
	table := shops(t, 500, "a", "b", "c")
	p := booster.Defaults()
	p.Rounds = 2
	p.Objective = "regression"
	base := train(t, p, table)
	classes := func(names ...string) *dataset.Table {
		var y []string
		var x []float64
		for i := range 200 {
			y, x = append(y, names[i%len(names)]), append(x, float64(i%9))
		}
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: y}, {Name: "x", Values: x}}, dataset.Label("y"))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	binary := booster.Defaults()
	binary.Rounds, binary.Objective = 2, "binary"
	two := train(t, binary, classes("no", "yes"))
	columns := func(list []dataset.ColumnData, opts ...dataset.Option) *dataset.Table {
		table, err := dataset.FromColumns(list, append(opts, dataset.Label("y"))...)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	ones := []float64{1, 2, 3, 4}
	otherLabel, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "z", Values: ones}, {Name: "x", Values: ones}, {Name: "shop", Values: []string{"a", "b", "a", "b"}},
	}, dataset.Label("z"))
	if err != nil {
		t.Fatal(err)
	}
	tail, err := base.Tail(1)
	if err != nil {
		t.Fatal(err)
	}
	of := func(change func(p *booster.Params)) booster.Params {
		q := booster.Defaults()
		q.Rounds = 2
		change(&q)
		return q
	}
	same := of(func(*booster.Params) {})
	for _, c := range []struct {
		name  string
		base  *booster.Model
		p     booster.Params
		table *dataset.Table
		is    error
		want  string
	}{
		{"a column is lacking", base, same, columns([]dataset.ColumnData{{Name: "y", Values: ones}, {Name: "x", Values: ones}}), dataset.ErrTable, "shop"},
		{"another label", base, same, otherLabel, dataset.ErrTable, `no column "y"`},
		{"text for numbers", base, same, columns([]dataset.ColumnData{{Name: "y", Values: ones}, {Name: "x", Values: []string{"u", "v", "u", "v"}}, {Name: "shop", Values: []string{"a", "b", "a", "b"}}}), dataset.ErrTable, `"x"`},
		{"numbers for text", base, same, columns([]dataset.ColumnData{{Name: "y", Values: ones}, {Name: "x", Values: ones}, {Name: "shop", Values: ones}}), dataset.ErrTable, `"shop"`},
		{"another class", two, same, classes("no", "yes", "perhaps"), dataset.ErrTable, "perhaps"},
		{"another objective", two, of(func(p *booster.Params) { p.Objective = "regression" }), classes("no", "yes"), booster.ErrParams, `"binary"`},
		{"another positive class", two, of(func(p *booster.Params) { p.PositiveClass = "no" }), classes("no", "yes"), booster.ErrParams, "data.positive_class"},
		{"a tail", tail, same, table, nil, "tail"},
	} {
		m, err := booster.Train(ctx, c.p, c.table, booster.From(c.base))
		if m != nil || err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	// What the base has and the parameters leave open is the base's: fewer classes do, in any order.
	m, err := booster.Train(ctx, of(func(p *booster.Params) { p.Tree.MinDataInLeaf = 1 }), classes("yes", "no"), booster.From(two))
	if err != nil || !slices.Equal(m.Classes(), []string{"no", "yes"}) || m.Contents().Objective != "binary" {
		t.Errorf("objective and classes of the base: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if m, err := booster.Train(cancelled, same, table, booster.From(base)); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted before the first new round: %v, %v", m, err)
	}
	// Objectives of one's own have to be given again.
	absolute := objectives.FromFunc("absolute", objectives.Identity, func(score, label float64) (gradient, hessian float64) {
		return math.Copysign(1, score-label), 1
	})
	if m, err = booster.Train(ctx, same, table, booster.WithObjective(absolute)); err != nil {
		t.Fatal(err)
	}
	if _, err := booster.Train(ctx, same, table, booster.From(m)); !errors.Is(err, booster.ErrParams) {
		t.Errorf("an objective of one's own is left out: %v", err)
	}
	if _, err := booster.Train(ctx, same, table, booster.From(m), booster.WithObjective(absolute)); err != nil {
		t.Errorf("an objective of one's own: %v", err)
	}
	if _, err := booster.Train(ctx, same, table, booster.From(base), booster.WithObjective(absolute)); !errors.Is(err, booster.ErrParams) {
		t.Errorf("another objective of one's own: %v", err)
	}
	// Cuts are the base's whatever is asked for, which is said.
	for key, change := range map[string]func(p *booster.Params){
		"binning.max_bin":            func(p *booster.Params) { p.Binning.MaxBin = 7 },
		"binning.max_bin_by_feature": func(p *booster.Params) { p.Binning.MaxBinByFeature = map[string]int{"x": 4} },
		"binning.forced_cuts":        func(p *booster.Params) { p.Binning.ForcedCuts = map[string][]float64{"x": {0}} },
		"categorical.splits":         func(p *booster.Params) { p.LevelSplits = booster.TargetSplits },
		"":                           func(p *booster.Params) { p.Tree.Leaves = 9 },
	} {
		var log bytes.Buffer
		if m, err = booster.Train(ctx, of(change), table, booster.From(base), booster.Logger(slog.New(slog.NewTextHandler(&log, nil)))); err != nil ||
			!slices.Equal(m.Contents().Cuts.Values, base.Contents().Cuts.Values) || key != "" && !strings.Contains(log.String(), "parameters="+key+"\n") || key == "" && strings.Contains(log.String(), "parameters=") {
			t.Errorf("%s: %v, %s", key, err, &log)
		}
	}
}
