package booster_test

import (
	"context"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/traindata"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/parallel"
)

// rankedPrices is the shipped set of prices in queries of 1 to 40 rows, labelled by which fifth of the range of prices a row is in, with weights.
func rankedPrices(t testing.TB, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	source := openShipped(t, "ames_housing")
	prices, err := source.NumericLabels()
	if err != nil {
		t.Fatal(err)
	}
	n := len(prices)
	grade, qid, w, area, year := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	query, left := 0, 1
	for i, price := range prices {
		if left == 0 {
			query++
			left = 1 + query*7%40
		}
		left--
		grade[i], qid[i], w[i] = math.Floor(min(4, price/80_000)), float64(query), float64(1+query%3)/2
		area[i], year[i] = math.Sqrt(price)+float64(i*31%197), float64(i*13%11)
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "grade", Values: grade}, {Name: "qid", Values: qid}, {Name: "w", Values: w}, {Name: "area", Values: area}, {Name: "year", Values: year},
	}, append([]dataset.Option{dataset.Label("grade"), dataset.Group("qid"), dataset.Weight("w")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// rankingLosses are the losses of queries, with parameters.
var rankingLosses = []struct {
	name, objective string
	p               objectives.Params
}{
	{"lambdarank", "lambdarank", objectives.Params{}},
	{"lambdarank_map", "lambdarank", objectives.Params{Target: "map", Norm: "off", Truncation: 5}},
	{"lambdarank_gains", "lambdarank", objectives.Params{LabelGain: []float64{0, 1, 2, 3, 4}, Sigmoid: 2}},
	{"rank_xendcg", "rank_xendcg", objectives.Params{}},
	{"pairwise", "pairwise", objectives.Params{}},
}

// rankedSet names rankedPrices beside the shipped sets.
const rankedSet = "ames_housing, ranked"

// Losses of queries train to the same bytes on any number of threads, rank better than chance, save and load, and go on from half of the
// rounds as if never stopped.
func TestRanking(t *testing.T) {
	table := rankedPrices(t)
	for _, c := range rankingLosses {
		p := booster.Params{Objective: c.objective, Loss: c.p, Rounds: 20, EarlyStopping: 20}.OrDefaults()
		var sums []string
		for _, threads := range []int{1, 3} {
			p.Threads = threads
			pool := parallel.NewPool(threads)
			m, err := booster.Train(context.Background(), p, table, booster.WithPool(pool))
			pool.Close()
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			sum, err := m.SHA256()
			if err != nil {
				t.Fatal(err)
			}
			sums = append(sums, sum)
			if threads == 3 {
				continue
			}
			history := m.Contents().History[0]
			want := "ndcg@10"
			if c.p.Target == "map" {
				want = "map@10"
			}
			if first, last := *history.Values[0], *history.Values[len(history.Values)-1]; history.Metric != want || !(last > first-0.01) || last < 0.8 {
				t.Errorf("%s: %s goes from %v to %v", c.name, history.Metric, first, last)
			}
			if in, err := m.MetricInput(table, []string{want}); err != nil || in.Queries == nil || (in.Gains != nil) != (c.p.LabelGain != nil) {
				t.Errorf("%s: %d gains for metrics (%v)", c.name, len(in.Gains), err)
			}
		}
		if sums[0] != sums[1] {
			t.Errorf("%s: 1 and 3 threads give different models", c.name)
		}
		p.EarlyStopping, p.Rounds = 0, 10
		half, err := booster.Train(context.Background(), p, table)
		if err != nil {
			t.Fatal(err)
		}
		on, err := booster.Train(context.Background(), p, table, booster.From(half))
		if err != nil {
			t.Fatal(err)
		}
		p.Rounds = 20
		all, err := booster.Train(context.Background(), p, table)
		if err != nil {
			t.Fatal(err)
		}
		if !sameTrees(all, on) {
			t.Errorf("%s: 10 rounds and 10 more are not 20", c.name)
		}
	}
}

// sameTrees reports whether two models have the same leaves.
func sameTrees(a, b *booster.Model) bool {
	x, y := a.Contents().Trees, b.Contents().Trees
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if len(x[i].Leaf) != len(y[i].Leaf) {
			return false
		}
		for l := range x[i].Leaf {
			if x[i].Leaf[l] != y[i].Leaf[l] {
				return false
			}
		}
	}
	return true
}

// Out of core a ranking model has the same bytes, with rows held out for early stopping and without.
func TestRankingOutOfCore(t *testing.T) {
	for _, early := range []int{0, 5} {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.EarlyStopping = "lambdarank", 10, early
		in := traindata.Input{Train: svmFiles(t, 4, 900, true), OutOfCore: traindata.OutOfCoreFalse}
		want, _ := loadAndTrain(t, p, in)
		in.OutOfCore, p.Threads = traindata.OutOfCoreTrue, 3
		if got, _ := loadAndTrain(t, p, in); got != want {
			t.Errorf("early stopping %d: model %s out of core, %s in memory", early, got, want)
		}
	}
}

// Metrics of queries fit losses of rows, on the training rows too; the log says what could be.
func TestQueryMetricsOfOtherLosses(t *testing.T) {
	var report booster.Report
	var log strings.Builder
	p := booster.Params{Rounds: 8, EarlyStopping: 8, Metrics: []string{"ndcg", "mrr@3"}}.OrDefaults()
	p.Objective = "regression"
	train(t, p, rankedPrices(t), booster.WithReport(&report))
	for _, set := range []string{"train", "valid"} {
		for name, v := range report.Metrics[set] {
			if !(v > 0.5 && v <= 1) {
				t.Errorf("%s on %s is %v", name, set, v)
			}
		}
		if len(report.Metrics[set]) != 2 {
			t.Errorf("%s has %v", set, report.Metrics[set])
		}
	}
	p.Objective, p.Metrics = "", nil
	train(t, p, rankedPrices(t), booster.Logger(slog.New(slog.NewTextHandler(&log, nil))))
	if !strings.Contains(log.String(), "lambdarank") {
		t.Errorf("nothing is said of queries: %s", log.String())
	}
}

// Refitting to the training rows with their own trees gives leaves near the old ones.
func TestRefitRanking(t *testing.T) {
	table := rankedPrices(t)
	for _, name := range []string{"lambdarank", "rank_xendcg"} {
		m, err := booster.Train(context.Background(), booster.Params{Objective: name, Rounds: 8, Gradients: "i32"}, table)
		if err != nil {
			t.Fatal(err)
		}
		again, err := booster.Refit(context.Background(), m, table, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, tree := range m.Contents().Trees {
			for l, v := range tree.Leaf {
				if got := again.Contents().Trees[i].Leaf[l]; math.Abs(got-v) > 1e-3*(math.Abs(v)+0.01) {
					t.Fatalf("%s, tree %d, leaf %d: %v, refitted %v", name, i, l, v, got)
				}
			}
		}
	}
}

func TestRankingErrors(t *testing.T) {
	plain := openShipped(t, "ames_housing")
	mixed, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "y", Values: []float64{0, 1, 2}}, {Name: "q", Values: []float64{1, 2, math.NaN()}}, {Name: "x", Values: []float64{1, 2, 3}},
	}, dataset.Label("y"), dataset.Group("q"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p     booster.Params
		table *dataset.Table
		want  string
	}{
		{booster.Params{Objective: "lambdarank"}, plain, "data.group"},
		{booster.Params{Objective: "regression", Metrics: []string{"ndcg@5"}, EarlyStopping: 5}, plain, "data.group"},
		{booster.Params{Objective: "lambdarank"}, mixed, "every row needs one"},
		{booster.Params{Objective: "regression", Loss: objectives.Params{Truncation: 5}}, plain, "objective.truncation is for objective"},
	} {
		if _, err := booster.Train(context.Background(), c.p, c.table); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.p.Objective, err, c.want)
		}
	}
}

// Beside reference.json: LightGBM and XGBoost at the same settings.
func TestRankingOfPeers(t *testing.T) {
	testenv.Unraced(t)
	shared := os.Getenv("BOOST_SHARED")
	switch {
	case shared == "":
		t.Skip("BOOST_SHARED is not set: the real data sets are not here")
	case testing.Short():
		t.Skip("six trainings on real sets")
	}
	for _, c := range []struct {
		set, objective string
		worst          float64 // ndcg@10 of the worse of the peers' losses of the kind, less 0.02 for 150 test queries and less for many
	}{
		{"lightgbm_lambdarank", "lambdarank", 0.7612 - 0.03}, {"lightgbm_lambdarank", "rank_xendcg", 0.7095 - 0.03}, {"lightgbm_lambdarank", "pairwise", 0.7466 - 0.03},
		{"car_choice", "lambdarank", 0.6699 - 0.005}, {"car_choice", "rank_xendcg", 0.6691 - 0.005}, {"car_choice", "pairwise", 0.6815 - 0.01},
	} {
		dir := filepath.Join(shared, "data", c.set)
		train, err := dataset.Open(context.Background(), filepath.Join(dir, "train.csv.gz"), dataset.Label("label"), dataset.Group("qid"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := booster.Train(context.Background(), booster.Params{Objective: c.objective, Rounds: 200}, train)
		if err != nil {
			t.Fatal(err)
		}
		test, err := dataset.Open(context.Background(), filepath.Join(dir, "test.csv.gz"), dataset.As(m.Schema()))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := m.PredictRaw(context.Background(), test)
		if err != nil {
			t.Fatal(err)
		}
		labels, _ := test.NumericLabels()
		queries, err := test.Groups()
		if err != nil {
			t.Fatal(err)
		}
		metric, _ := metrics.New("ndcg@10")
		got := metric.Eval(metrics.Input{Outputs: 1, Raw: raw, Values: raw, Labels: labels, Queries: queries})
		if got < c.worst {
			t.Errorf("%s of %s: ndcg@10 %v, want %v", c.objective, c.set, got, c.worst)
		}
	}
}

// A table whose queries stand apart trains to the bytes of the table that has them together, also where they are held out, drawn, or only
// measured; refits and metrics agree, and predictions keep the order of the rows.
func TestQueriesApart(t *testing.T) {
	together := rankedPrices(t)
	queries, err := together.Groups()
	if err != nil {
		t.Fatal(err)
	}
	var order []int32 // the first rows of all queries, their second rows, …
	for at := 0; len(order) < together.NumRows(); at++ {
		for q := range len(queries) - 1 {
			if row := queries[q] + at; row < queries[q+1] {
				order = append(order, int32(row))
			}
		}
	}
	apart := together.Take(order)
	gathered, rows := apart.ByQuery()
	for i, row := range rows {
		if order[row] != int32(i) {
			t.Fatalf("row %d comes from %d", i, order[row])
		}
	}
	if same, rows := gathered.ByQuery(); same != gathered || rows != nil {
		t.Error("a gathered table is gathered again")
	}
	for name, p := range map[string]booster.Params{
		"lambdarank": {Objective: "lambdarank", Rounds: 6},
		"held out":   {Objective: "rank_xendcg", Rounds: 6, EarlyStopping: 3},
		"drawn":      {Objective: "pairwise", Rounds: 6, Sampling: booster.Sampling{RowFraction: 0.5, RowBy: booster.ByQuery}},
		"measured":   {Objective: "regression", Rounds: 6, Metrics: []string{"ndcg@5"}},
	} {
		p = p.OrDefaults()
		var report, other booster.Report
		m := train(t, p, together, booster.WithReport(&report), booster.Valid("valid", together.Take(sequence(0, 900))))
		n := train(t, p, apart, booster.WithReport(&other), booster.Valid("valid", together.Take(sequence(0, 900))))
		if p.EarlyStopping > 0 {
			m, n = train(t, p, together, booster.WithReport(&report)), train(t, p, apart, booster.WithReport(&other))
			held := make([]int32, len(other.HeldOut))
			for i, row := range other.HeldOut {
				held[i] = order[row]
			}
			slices.Sort(held)
			if !slices.Equal(held, report.HeldOut) || len(held) == 0 {
				t.Errorf("%s: other rows are held out", name)
			}
		}
		if string(bytesOf(t, m)) != string(bytesOf(t, n)) {
			t.Errorf("%s: another model", name)
		}
		if a, b := report.Metrics["train"], other.Metrics["train"]; !maps.Equal(a, b) {
			t.Errorf("%s: metrics %v and %v", name, a, b)
		}
		one, err := m.PredictRaw(context.Background(), together)
		if err != nil {
			t.Fatal(err)
		}
		two, err := n.PredictRaw(context.Background(), apart)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range order {
			if two[i] != one[row] {
				t.Fatalf("%s: row %d is predicted as another", name, i)
			}
		}
		if p.Objective == "regression" {
			continue
		}
		x, err := booster.Refit(context.Background(), m, together, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		y, err := booster.Refit(context.Background(), m, apart, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		if string(bytesOf(t, x)) != string(bytesOf(t, y)) {
			t.Errorf("%s: refitted to other leaves", name)
		}
	}
}
