package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"boost/booster"
	"boost/booster/search"
	"boost/dataset"
)

// example makes a table of n rows: two numbers with gaps, levels, a group, a time, and a label that depends on them.
func example(t *testing.T, n int, kind string) *dataset.Table {
	table, _, _ := exampleOf(t, n, kind, nil)
	return table
}

// exampleOf is example with weights, of which the listed rows have 0. It returns groups and times too.
func exampleOf(t *testing.T, n int, kind string, without []int32) (table *dataset.Table, group, when []float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(n)))
	y, a, b, g, when, w := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	c := make([]string, n)
	for i := range n {
		a[i], b[i], c[i] = r.NormFloat64(), float64(r.IntN(40)), string('p'+rune(r.IntN(5)))
		g[i], when[i], w[i] = float64(r.IntN(n/6+1)), float64(r.IntN(n)), 1
		y[i] = math.Sin(2*a[i]) + b[i]/20 + r.NormFloat64()*0.5
		switch kind {
		case "binary":
			y[i] = math.Round(1 / (1 + math.Exp(3-2*y[i])))
		case "multiclass":
			y[i] = float64(min(max(int(y[i]+0.5), 0), 2))
		}
		if r.IntN(8) == 0 {
			a[i] = math.NaN()
		}
	}
	opts := []dataset.Option{dataset.Label("y")}
	if without != nil {
		opts = append(opts, dataset.Weight("w"))
	}
	for _, row := range without {
		w[row] = 0
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "y", Values: y}, {Name: "a", Values: a}, {Name: "b", Values: b}, {Name: "c", Values: c}, {Name: "g", Values: g}, {Name: "when", Values: when}, {Name: "w", Values: w},
	}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return table, g, when
}

func params(objective string) booster.Params {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves, p.Tree.MinDataInLeaf = objective, 12, 6, 5
	return p
}

func validate(t *testing.T, p booster.Params, table *dataset.Table, c search.Params) *search.Result {
	t.Helper()
	r, err := search.CrossValidate(t.Context(), p, table, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// described is a result without its models, and their bytes.
func described(t *testing.T, r *search.Result) string {
	t.Helper()
	var all bytes.Buffer
	for _, m := range r.Models {
		b, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	short := *r
	short.Models = nil
	return fmt.Sprintf("%+v %x", short, all.Bytes())
}

// With its own cuts, a fold is a training on its rows: the same trees, metrics and predictions.
func TestStrictIsSeparateTrainings(t *testing.T) {
	for _, boosting := range []string{booster.PlainBoosting, booster.DartBoosting, booster.RandomForest} {
		table := example(t, 400, "regression")
		p := params("regression")
		p.Boosting, p.Tree.ColNode = boosting, 0.7
		r := validate(t, p, table, search.Params{Division: search.Division{Folds: 4, Seed: 3}, Strict: true})
		if r.By != search.ByRows || len(r.Models) != 4 || r.Rounds != p.Rounds {
			t.Fatalf("%s: %d models by %s, %d rounds", boosting, len(r.Models), r.By, r.Rounds)
		}
		means := make([]float64, p.Rounds)
		for f, fold := range r.Folds {
			m, err := booster.Train(t.Context(), p, table.Take(fold.Train), booster.Valid("valid", table.Take(fold.Valid)))
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range m.Contents().History[0].Values {
				means[i] += *v / 4
			}
			if got := r.Metrics[0].Folds[f]; got != *m.Contents().History[0].Values[r.Best-1] {
				t.Errorf("%s: fold %d: %s is %v, trained alone %v", boosting, f, r.Metrics[0].Name, got, *m.Contents().History[0].Values[r.Best-1])
			}
			m, err = m.Prefix(r.Best)
			if err != nil {
				t.Fatal(err)
			}
			want, err := m.Predict(t.Context(), table.Take(fold.Valid))
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range fold.Valid {
				if r.Values[row] != want[i] || int(r.Fold[row]) != f {
					t.Fatalf("%s: row %d of fold %d is predicted as %v, by the model trained alone %v", boosting, row, f, r.Values[row], want[i])
				}
			}
		}
		for i, want := range means {
			if got := r.Metrics[0].MeanByRound[i]; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: the mean of round %d is %v, want %v", boosting, i, got, want)
			}
		}
	}
}

// On the cuts of all rows a fold's trees are those of the whole table whose other rows have no weight.
func TestSharedCutsAreRowsWithoutWeight(t *testing.T) {
	for _, objective := range []string{"regression", "binary", "multiclass"} {
		table, _, _ := exampleOf(t, 600, objective, []int32{})
		p := params(objective)
		p.Tree.MinDataInLeaf, p.Tree.OneHotMax = 0, 8 // counts of rows would tell them apart, which larger sets of levels go by
		r := validate(t, p, table, search.Params{Division: search.Division{Folds: 3, Seed: 1}})
		for f, fold := range r.Folds {
			weighted, _, _ := exampleOf(t, 600, objective, fold.Valid)
			m, err := booster.Train(t.Context(), p, weighted)
			if err != nil {
				t.Fatal(err)
			}
			if m, err = m.Prefix(r.Best); err != nil {
				t.Fatal(err)
			}
			want, err := m.Predict(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Models[f].Predict(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if math.Abs(got[i]-want[i]) > 1e-9 {
					t.Fatalf("%s, fold %d: prediction %d is %v, want %v", objective, f, i, got[i], want[i])
				}
			}
		}
	}
}

// The result, models included, is the same on any number of threads, also where all folds stop by their mean.
func TestSameOnAnyThreads(t *testing.T) {
	for _, boosting := range []string{booster.PlainBoosting, booster.DartBoosting, booster.RandomForest} {
		for _, patience := range []int{0, 3} {
			table := example(t, 500, "binary")
			p := params("")
			p.Boosting, p.Tree.ColNode, p.Rounds, p.LearningRate, p.EarlyStopping = boosting, 0.7, 40, 0.5, patience
			if patience > 0 {
				p.MetricsEvery = 2
			}
			want := ""
			for _, threads := range []int{1, 2, 5, 24} {
				p.Threads = threads
				r := validate(t, p, table, search.Params{Division: search.Division{Folds: 5, Repeats: 2, Seed: 9}, Resamples: 40})
				if want == "" {
					want = described(t, r)
				}
				if got := described(t, r); got != want {
					t.Errorf("%s, patience %d: another result on %d threads", boosting, patience, threads)
				}
				if r.By != search.ByClass || len(r.Models) != 10 || patience > 0 && boosting == booster.PlainBoosting && (r.Rounds == 40 || r.Rounds-r.Best < patience) {
					t.Errorf("%s, patience %d: %s, %d models, %d rounds, best %d", boosting, patience, r.By, len(r.Models), r.Rounds, r.Best)
				}
				for _, m := range r.Models {
					if m.Rounds() != r.Best {
						t.Errorf("%s, patience %d: a model of %d rounds, want %d", boosting, patience, m.Rounds(), r.Best)
					}
				}
			}
		}
	}
}

// Rows are judged once in each repeat; classes are spread to a row, groups stay whole, times come after those that are trained on.
func TestDivide(t *testing.T) {
	table, group, when := exampleOf(t, 500, "multiclass", nil)
	labels, err := table.NumericLabels()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []search.Division{
		{Folds: 2}, {Folds: 7, Repeats: 3}, {Folds: 5, Plain: true}, {Folds: 5, GroupBy: "g", Seed: 8}, {Folds: 4, Time: "when"}, {Folds: 4, Time: "when", Sliding: true},
	} {
		folds, by, err := d.Divide(table, "multiclass")
		if err != nil || len(folds) != d.Folds*max(d.Repeats, 1) {
			t.Fatalf("%+v: %d folds, %v", d, len(folds), err)
		}
		judged := make([]int, 500)
		byClass := map[float64][]int{}
		for f, fold := range folds {
			counts := map[float64]int{}
			in := map[float64]bool{}
			last := math.Inf(-1)
			for _, row := range fold.Train {
				in[group[row]] = true
				last = max(last, when[row])
			}
			for _, row := range fold.Valid {
				judged[row]++
				counts[labels[row]]++
				if d.GroupBy != "" && in[group[row]] {
					t.Fatalf("%+v: group %v is on both sides of fold %d", d, group[row], f)
				}
				if d.Time != "" && when[row] <= last {
					t.Fatalf("%+v: fold %d judges on time %v and trains up to %v", d, f, when[row], last)
				}
			}
			for class, n := range counts {
				byClass[class] = append(byClass[class], n)
			}
			if d.Time == "" && len(fold.Train)+len(fold.Valid) != 500 {
				t.Errorf("%+v: fold %d has %d + %d rows", d, f, len(fold.Train), len(fold.Valid))
			}
			if d.GroupBy != "" && math.Abs(float64(len(fold.Valid))-100) > 12 {
				t.Errorf("%+v: fold %d judges on %d rows", d, f, len(fold.Valid))
			}
			if d.Sliding && math.Abs(float64(len(fold.Train))-100) > 12 {
				t.Errorf("%+v: fold %d trains on %d rows", d, f, len(fold.Train))
			}
		}
		if d.Time == "" && (slices.Min(judged) != max(d.Repeats, 1) || slices.Max(judged) != max(d.Repeats, 1)) {
			t.Errorf("%+v: rows are judged %d to %d times", d, slices.Min(judged), slices.Max(judged))
		}
		for class, counts := range byClass {
			if by == search.ByClass && slices.Max(counts)-slices.Min(counts) > 1 {
				t.Errorf("%+v: class %v has %v rows in the folds", d, class, counts)
			}
		}
	}
	// sklearn.model_selection.TimeSeriesSplit(n_splits=3) of 12 rows.
	when12, y12 := []float64{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, make([]float64, 12)
	short, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: y12}, {Name: "when", Values: when12}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	folds, _, err := search.Division{Folds: 3, Time: "when"}.Divide(short, "regression")
	if got, want := fmt.Sprint(folds, err), "[{[9 10 11] [6 7 8]} {[6 7 8 9 10 11] [3 4 5]} {[3 4 5 6 7 8 9 10 11] [0 1 2]}] <nil>"; got != want {
		t.Errorf("by time: %s, want %s", got, want)
	}
}

func TestRefuses(t *testing.T) {
	table := example(t, 60, "regression")
	for _, c := range []struct {
		change func(p *booster.Params, c *search.Params)
		kind   error
		want   string
	}{
		{func(_ *booster.Params, c *search.Params) { c.Folds = 1 }, booster.ErrParams, "needs 2 folds or more, not 1"},
		{func(_ *booster.Params, c *search.Params) { c.Folds = 61 }, dataset.ErrTable, "61 folds of 60 rows: take fewer"},
		{func(_ *booster.Params, c *search.Params) { c.GroupBy = "gg" }, dataset.ErrTable, `no column "gg"`},
		{func(_ *booster.Params, c *search.Params) { c.Time = "b" }, dataset.ErrTable, "too few different times"},
		{func(_ *booster.Params, c *search.Params) { c.Time = "a" }, dataset.ErrTable, "has no value"},
		{func(_ *booster.Params, c *search.Params) { c.Sliding = true }, booster.ErrParams, "name the column"},
		{func(_ *booster.Params, c *search.Params) { c.Time, c.Repeats = "when", 2 }, booster.ErrParams, "neither grouped nor repeated"},
		{func(_ *booster.Params, c *search.Params) { c.Confidence = 1 }, booster.ErrParams, "confidence 1"},
		{func(p *booster.Params, _ *search.Params) { p.ValidShare = 0.2 }, booster.ErrParams, "leave train.valid_share"},
		{func(p *booster.Params, _ *search.Params) { p.Tree.Leaves = 1 }, booster.ErrParams, "tree.leaves = 1"},
		{func(p *booster.Params, _ *search.Params) { p.Objective = "poisson" }, dataset.ErrTable, "want 0 or more: objective poisson"},
	} {
		p, s := params("regression"), search.Params{Division: search.Division{Folds: 25}}
		c.change(&p, &s)
		if _, err := search.CrossValidate(t.Context(), p, table, s); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// Times that are texts, of an id column or of categories, are numbers or ISO dates: the alphabet has no order of time.
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		name   string
		texts  []string // of rows in the order of time
		refuse string
	}{
		{"numbers", []string{"-3", "0.5", "9", "10"}, ""},
		{"dates", []string{"2019-12-31", "2020-01-01", "2020-01-02", "2020-11-01"}, ""},
		{"months", []string{"2019-12", "2020-01", "2020-02", "2020-11"}, ""},
		{"zones", []string{"2020-01-01T23:00:00+05:00", "2020-01-01T19:00:00Z", "2020-01-01 19:30:00", "2020-01-01T18:00-04:00"}, ""},
		{"days first", []string{"03.02.2019", "01.03.2019"}, `row 1: column "t", which rows are to be ordered by, has "03.02.2019", which is neither a number nor an ISO date: write dates as 2024-12-31`},
		{"names of months", []string{"2019-01-01", "Feb 2019", "Mar 2019"}, `row 2: column "t", which rows are to be ordered by, has "Feb 2019"`},
		{"one digit", []string{"2019-1-9", "2019-1-10"}, `has "2019-1-9", which is neither`},
		{"no such day", []string{"2019-02-28", "2019-02-30"}, `has "2019-02-30", which is neither`},
		{"both", []string{"2019", "2020-01-01"}, `row 2: column "t", which rows are to be ordered by, has "2020-01-01", and "2019" elsewhere: write numbers alone, or ISO dates alone`},
		{"nan", []string{"1", "nan"}, `has "nan", which is neither`},
		{"none", []string{"1", ""}, `row 2: column "t", which rows are to be ordered by, has no value`},
	} {
		for _, as := range []dataset.Option{dataset.ID("t"), dataset.Categorical("t")}[:map[bool]int{true: 1, false: 2}[c.name == "both" || c.name == "nan"]] { // which categories make numbers and missing
			rows := 3 * len(c.texts)
			t1, y := make([]string, rows), make([]float64, rows)
			for row := range t1 {
				t1[row], y[row] = c.texts[row%len(c.texts)], float64(row%len(c.texts))
			}
			table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "t", Values: t1}, {Name: "y", Values: y}}, dataset.Label("y"), as)
			if err != nil {
				t.Fatal(err)
			}
			folds, _, err := search.Division{Folds: len(c.texts) - 1, Time: "t"}.Divide(table, "regression")
			if c.refuse != "" {
				if _, _, err := (search.Division{Folds: 2, Time: "t"}).Divide(table, "regression"); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), c.refuse) {
					t.Errorf("%s: got %v, want %q", c.name, err, c.refuse)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			for f, fold := range folds {
				for _, row := range fold.Valid {
					if int(y[row]) != f+1 {
						t.Errorf("%s: fold %d judges on %s", c.name, f, t1[row])
					}
				}
			}
		}
	}
}

// A column that was left out as text is said to be so.
func TestLeftOut(t *testing.T) {
	text, y := make([]string, 150), make([]float64, 150)
	for row := range text {
		text[row], y[row] = fmt.Sprintf("n%d", row), float64(row)
	}
	large := []float64{1 << 53}
	large = append(large, y[1:]...)
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "n", Values: text}, {Name: "x", Values: y}, {Name: "large", Values: large}, {Name: "y", Values: y}}, dataset.Label("y"), dataset.DropTextLike())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		d    search.Division
		want string
	}{
		{search.Division{Folds: 2, GroupBy: "n"}, `column "n", whose rows are to stay together, was left out of the features as text: set id = ["n"]`},
		{search.Division{Folds: 2, GroupBy: "large"}, `column "large", whose rows are to stay together, has numbers from 2⁵³ on`},
		{search.Division{Folds: 2, Time: "n"}, `column "n", which rows are to be ordered by, was left out as text: read its dates by data.parse`},
	} {
		if _, _, err := c.d.Divide(table, "regression"); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// Groups never divide the rows of a query.
func TestQueriesStayTogether(t *testing.T) {
	query, group, y := make([]float64, 60), make([]float64, 60), make([]float64, 60)
	for row := range query {
		query[row], group[row], y[row] = float64(row/5), float64(row/15), float64(row%3)
	}
	divide := func() error {
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "q", Values: query}, {Name: "g", Values: group}, {Name: "x", Values: y}, {Name: "y", Values: y}}, dataset.Label("y"), dataset.Group("q"))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = search.Division{Folds: 2, GroupBy: "g"}.Divide(table, "lambdarank")
		return err
	}
	if err := divide(); err != nil {
		t.Error(err)
	}
	group[7] = 3
	if err := divide(); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "row 8: the rows of a query stay together") {
		t.Errorf("a divided query: %v", err)
	}
}

// Bounds are those of the normal distribution for a mean of many rows: the distances here.
func TestBounds(t *testing.T) {
	table := example(t, 3000, "regression")
	p := params("regression")
	p.Metrics = []string{"mae"}
	r := validate(t, p, table, search.Params{Division: search.Division{Folds: 3}, Resamples: 1000, Confidence: 0.9})
	labels, _ := table.NumericLabels()
	mean, spread := 0.0, 0.0
	for i, y := range labels {
		mean += math.Abs(y-r.Values[i]) / 3000
	}
	for i, y := range labels {
		d := math.Abs(y-r.Values[i]) - mean
		spread += d * d / 3000
	}
	half := 1.6449 * math.Sqrt(spread/3000)
	m := r.Metrics[0]
	if math.Abs(m.Pooled-mean) > 1e-12 || math.Abs(m.Low-(mean-half)) > 0.1*half || math.Abs(m.High-(mean+half)) > 0.1*half {
		t.Errorf("%v in %v … %v, want %v ± %v", m.Pooled, m.Low, m.High, mean, half)
	}
}

// A limit of time ends all folds at one round; a cancelled run is an interruption.
func TestEnds(t *testing.T) {
	table := example(t, 400, "regression")
	p := params("regression")
	p.Rounds, p.TimeLimit = 1_000_000, 50*time.Millisecond
	r := validate(t, p, table, search.Params{Division: search.Division{Folds: 3}})
	if !r.TimedOut || r.Rounds == 0 || r.Rounds == p.Rounds || r.Best > r.Rounds || r.Models[0].Rounds() != r.Best {
		t.Errorf("a limit of time: %d rounds, best %d, out of time %v", r.Rounds, r.Best, r.TimedOut)
	}
	for _, patience := range []int{0, 1000} {
		p.TimeLimit, p.EarlyStopping = 0, patience
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := search.CrossValidate(ctx, p, table, search.Params{Division: search.Division{Folds: 3}, OnRound: func(done, _ int) {
			if done > 6 {
				cancel()
			}
		}})
		if !errors.Is(err, booster.ErrInterrupted) {
			t.Errorf("patience %d: cancelled: %v", patience, err)
		}
	}
}

// On the folds of the seed, adult's mean log loss after 110 rounds is 0.2778 with sklearn.model_selection.cross_val_score of
// lightgbm.LGBMClassifier 4.7.0 (PredefinedSplit, text columns as categories, else defaults), its standard deviation 0.0049.
func TestBesideLightGBM(t *testing.T) {
	if testing.Short() {
		t.Skip("trains 550 rounds")
	}
	table, err := dataset.Open(t.Context(), "../../examples/adult/train.csv.gz", dataset.Label("income"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.MetricsEvery, p.Metrics = "binary", 110, 110, []string{"logloss"}
	r := validate(t, p, table, search.Params{Division: search.Division{Folds: 5, Seed: 1}, Resamples: 1})
	if m := r.Metrics[0]; math.Abs(m.Mean/0.2778-1) > 0.01 || math.Abs(m.Deviation-0.0049) > 0.001 {
		t.Errorf("log loss %v ± %v", m.Mean, m.Deviation)
	}
}

// The averaged model's raw scores are the mean of those of the folds' models, with every kind of leaf and split.
func TestAverage(t *testing.T) {
	for name, set := range map[string]func(p *booster.Params, c *search.Params){
		"plain":  func(*booster.Params, *search.Params) {},
		"strict": func(_ *booster.Params, c *search.Params) { c.Strict = true },
		"linear": func(p *booster.Params, _ *search.Params) { p.Tree.Linear = true },
		"target": func(p *booster.Params, _ *search.Params) { p.LevelSplits = booster.TargetSplits },
		"dart":   func(p *booster.Params, _ *search.Params) { p.Boosting = booster.DartBoosting },
		"rf":     func(p *booster.Params, _ *search.Params) { p.Boosting, p.RowFraction = booster.RandomForest, 0.6 },
		"stop": func(p *booster.Params, _ *search.Params) {
			p.EarlyStopping, p.MinDelta, p.Retrain = 4, 0.001, true
		},
		"time":   func(_ *booster.Params, c *search.Params) { c.Time = "when" },
		"sparse": func(p *booster.Params, _ *search.Params) { p.Binning.Layout = "csr" },
	} {
		table := example(t, 300, "multiclass")
		p, c := params("multiclass"), search.Params{Division: search.Division{Folds: 3}, Resamples: 5}
		set(&p, &c)
		r := validate(t, p, table, c)
		m, err := r.Average()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := m.PredictRaw(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		mean := make([]float64, len(got))
		for _, one := range r.Models {
			raw, err := one.PredictRaw(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range raw {
				mean[i] += v / float64(len(r.Models))
			}
		}
		for i := range got {
			if math.Abs(got[i]-mean[i]) > 1e-9 {
				t.Errorf("%s: raw score %d is %v, the mean is %v", name, i, got[i], mean[i])
				break
			}
		}
	}
}

// Queries whose rows stand apart are cross-validated as if they stood together, and rows keep the numbers that they have.
func TestQueriesApart(t *testing.T) {
	var y, x, q []float64
	for i := range 240 {
		x, q = append(x, float64(i*37%101)), append(q, float64(i%24))
		y = append(y, float64(int(x[i])/34))
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: y}, {Name: "x", Values: x}, {Name: "q", Values: q}}, dataset.Label("y"), dataset.Group("q"))
	if err != nil {
		t.Fatal(err)
	}
	for _, strict := range []bool{false, true} {
		p := params("lambdarank")
		r := validate(t, p, table, search.Params{Division: search.Division{Folds: 4}, Strict: strict, Resamples: 10})
		foldOf := map[float64]int32{}
		for row, f := range r.Fold {
			if was, ok := foldOf[q[row]]; ok && was != f || !slices.Contains(r.Folds[f].Valid, int32(row)) || slices.Contains(r.Folds[f].Train, int32(row)) {
				t.Fatalf("strict %v: row %d of query %v is in fold %d, others in %d", strict, row, q[row], f, was)
			}
			foldOf[q[row]] = f
			want, err := r.Models[f].PredictRaw(t.Context(), table.Take([]int32{int32(row)}))
			if err != nil || want[0] != r.Raw[row] {
				t.Fatalf("strict %v: row %d has raw score %v, want %v (%v)", strict, row, r.Raw[row], want, err)
			}
		}
	}
}
