package booster_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/objectives"
	"boost/objectives/metrics"
)

// survivalSets are the real sets of times, with the columns that are no features.
var survivalSets = []struct{ name, time, event string }{{"veteran", "time", "status"}, {"flchain", "futime", "death"}}

func survivalFile(t *testing.T, set, part string) string {
	shared := os.Getenv("BOOST_SHARED")
	if shared == "" {
		t.Skip("BOOST_SHARED is not set: the real data sets are not here")
	}
	return filepath.Join(shared, "data", set, part+".csv.gz")
}

// judgedTimes returns metrics of a model on a table.
func judgedTimes(t *testing.T, m *booster.Model, table *dataset.Table, names ...string) []float64 {
	t.Helper()
	raw, err := m.PredictRaw(context.Background(), table)
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.MetricInput(table, names)
	if err != nil {
		t.Fatal(err)
	}
	list, err := metrics.List(names)
	if err != nil {
		t.Fatal(err)
	}
	in.Weights, in.Raw, in.Values = nil, raw, make([]float64, len(raw))
	return metrics.Evaluate(in, m.Link(), list)
}

// Beside reference.json: XGBoost with 100 rounds at the same learning rate.
func TestSurvivalOfPeers(t *testing.T) {
	testenv.Unraced(t)
	for _, c := range []struct {
		set, objective, loss string
		most, least          float64 // the peer's loss, of which half a percent more is let pass, and its concordance less 0.003, or 0.05 for 27 test rows
	}{
		{"veteran", "cox", "cox_nloglik", 2.369733, 0.733974 - 0.05}, {"flchain", "cox", "cox_nloglik", 6.50239, 0.790808 - 0.003},
		{"veteran", "aft", "aft_nloglik", 5.566017, 0.641026 - 0.05}, {"flchain", "aft", "aft_nloglik", 2.994705, 0.787857 - 0.003},
	} {
		for _, set := range survivalSets {
			if set.name != c.set {
				continue
			}
			file := survivalFile(t, c.set, "train")
			table := must(dataset.Open(context.Background(), file, dataset.Label(set.time), dataset.Event(set.event)))(t)
			p := booster.Defaults()
			p.Objective, p.Rounds, p.LearningRate = c.objective, 100, 0.05
			m := train(t, p, table, booster.WithPool(pool(t, 1)))
			if other := train(t, p, table, booster.WithPool(pool(t, 3))); !bytes.Equal(bytesOf(t, m), bytesOf(t, other)) {
				t.Errorf("%s of %s: 3 threads give another model", c.objective, c.set)
			}
			test := must(dataset.Open(context.Background(), survivalFile(t, c.set, "test"), dataset.As(m.Schema())))(t)
			got := judgedTimes(t, m, test, c.loss, "concordance")
			t.Logf("%s of %s: %v", c.objective, c.set, got)
			if got[0] > 1.005*c.most || got[1] < c.least {
				t.Errorf("%s of %s: %s %v, concordance %v; want at most %v, at least %v", c.objective, c.set, c.loss, got[0], got[1], c.most, c.least)
			}
		}
	}
}

// timesTable makes a table of times; negative ones are censored where there is no event column.
func timesTable(t *testing.T, events bool, more ...dataset.Option) *dataset.Table {
	t.Helper()
	const n = 600
	times, a, b, w, start := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	event := make([]bool, n)
	for i := range n {
		a[i], b[i], w[i], start[i] = float64(i*37%61), float64(i*53%29), float64(1+i%3), float64(i%5)/5
		times[i], event[i] = math.Floor(1+a[i]/4+float64(i*i%17)), i%4 != 0
		if !events && !event[i] {
			times[i] = -times[i]
		}
	}
	columns := []dataset.ColumnData{
		{Name: "t", Values: times}, {Name: "a", Values: a}, {Name: "b", Values: b}, {Name: "w", Values: w}, {Name: "s", Values: start},
	}
	opts := append([]dataset.Option{dataset.Label("t"), dataset.Weight("w")}, more...)
	if events {
		columns, opts = append(columns, dataset.ColumnData{Name: "e", Values: event}), append(opts, dataset.Event("e"))
	}
	return must(dataset.FromColumns(columns, opts...))(t)
}

// The event column and the sign of the time say the same.
func TestEventsAreSigns(t *testing.T) {
	for _, objective := range []string{"cox", "aft"} {
		p := booster.Defaults()
		p.Objective, p.Rounds = objective, 5
		by, signs := timesTable(t, true), timesTable(t, false)
		m, other := train(t, p, by), train(t, p, signs)
		a, b := must(m.Predict(t.Context(), by))(t), must(other.Predict(t.Context(), signs))(t)
		if !equalBits(a, b) {
			t.Errorf("%s: the models differ", objective)
		}
		if x, y := judgedTimes(t, m, by, "concordance"), judgedTimes(t, other, signs, "concordance"); x[0] != y[0] || !(x[0] > 0.7) {
			t.Errorf("%s: concordance %v and %v", objective, x, y)
		}
	}
}

// must returns a function that returns x, and fails a test with the error that came with it.
func must[T any](x T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

func equalBits(a, b []float64) bool {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// A model of times is refitted to the values that it has, goes on, starts from init scores, stops early on held-out rows, and trains out of
// core by the same bytes.
func TestSurvivalModes(t *testing.T) {
	for _, objective := range []string{"cox", "aft"} {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.MinDataInLeaf = objective, 8, 5
		table := timesTable(t, true)
		m := train(t, p, table)
		refitted, err := booster.Refit(t.Context(), m, table, 0)
		if err != nil {
			t.Fatal(err)
		}
		a, b := must(m.PredictRaw(t.Context(), table))(t), must(refitted.PredictRaw(t.Context(), table))(t)
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-3*max(1, math.Abs(a[i])) { // training rounds gradients
				t.Errorf("%s: row %d has score %v, refitted to the same rows %v", objective, i, a[i], b[i])
				break
			}
		}
		started := timesTable(t, true, dataset.InitScore("s"))
		m = train(t, p, started)
		if got := judgedTimes(t, m, started, "concordance"); !(got[0] > 0.6) {
			t.Errorf("%s from init scores: concordance %v", objective, got)
		}
		p.EarlyStopping = 2
		var report booster.Report
		train(t, p, table, booster.WithReport(&report))
		if len(report.HeldOut) != 60 {
			t.Errorf("%s: %d rows held out", objective, len(report.HeldOut))
		}
	}
}

func TestSurvivalOutOfCore(t *testing.T) {
	var text strings.Builder
	text.WriteString("t,e,a\n")
	for i := range 500 {
		text.WriteString(dataset.FormatNumber(float64(1+i*i%23)) + "," + []string{"1", "0", "1"}[i%3] + "," + dataset.FormatNumber(float64(i*7%31)) + "\n")
	}
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	opts := []dataset.Option{dataset.Label("t"), dataset.Event("e")}
	p := booster.Defaults()
	p.Rounds, p.Objective = 4, "cox"
	whole := train(t, p, must(dataset.Open(t.Context(), file, opts...))(t))
	s := must(dataset.OpenChunked(t.Context(), []string{file}, opts...))(t)
	defer s.Close()
	m, err := booster.TrainOn(t.Context(), p, booster.OutOfCore(s))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := bytesOf(t, whole), bytesOf(t, m); !bytes.Equal(a, b) {
		t.Errorf("another model: %s", model.DiffSections(a, b))
	}
}

// What does not go with times is refused.
func TestSurvivalRefusals(t *testing.T) {
	for _, c := range []struct {
		events bool
		set    func(p *booster.Params)
		want   string
	}{
		{true, func(p *booster.Params) { p.Objective = "regression" }, `data.event = "e": objective regression is not of times`},
		{true, func(p *booster.Params) { p.Metrics = []string{"rmse"} }, "rmse is not defined for objective cox"},
		{false, func(p *booster.Params) { p.Objective, p.Metrics = "regression", []string{"concordance"} }, "concordance is not defined for objective regression"},
		{true, func(p *booster.Params) { p.Loss.Alpha = []float64{.5} }, "objective.alpha is for objective"},
	} {
		p := booster.Defaults()
		p.Objective = "cox"
		c.set(&p)
		if _, err := booster.Train(t.Context(), p, timesTable(t, c.events)); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	p := booster.Defaults()
	m := train(t, p, timesTable(t, true)) // without an objective
	if m.Objective() != "cox" {
		t.Errorf("objective %s is chosen for a table with events", m.Objective())
	}
}

// intervalsTable makes a table of times of which a quarter each are known, open above, between two times, and open below.
func intervalsTable(t *testing.T, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	const n = 600
	lower, upper, a, b := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		a[i], b[i] = float64(i*37%61), float64(i*53%29)
		time := math.Exp(0.03*a[i] + 0.02*b[i] + float64(i*i%17)/17 - 0.5)
		lower[i] = time * []float64{1, 0.7, 0.8, 0}[i%4]
		upper[i] = time * []float64{1, math.Inf(1), 1.3, 1.2}[i%4]
	}
	return must(dataset.FromColumns([]dataset.ColumnData{
		{Name: "from", Values: lower}, {Name: "to", Values: upper}, {Name: "a", Values: a}, {Name: "b", Values: b},
	}, append([]dataset.Option{dataset.Label("from"), dataset.LabelUpper("to")}, opts...)...))(t)
}

// Times in intervals: about XGBoost's loss and share of intervals that are met, after as many rounds (3.2: survival:aft, hist, lossguide, max_leaves 8,
// eta 0.2, reg_lambda 0, min_child_weight 1e-3, scale 0.5; with logistic errors its steps go astray); and the same bytes on any number of threads.
func TestIntervalsOfPeers(t *testing.T) {
	testenv.Unraced(t)
	table := intervalsTable(t)
	for distribution, want := range map[string][2]float64{"normal": {0.871323, 0.505000}, "logistic": {4.474127, 0.438333}, "extreme": {0.914119, 0.526667}} {
		p := booster.Params{Rounds: 40, LearningRate: 0.2}.OrDefaults() // aft, by the upper times
		p.Loss = objectives.Params{Distribution: distribution, Scale: 0.5}
		p.Tree.Leaves, p.Tree.MinDataInLeaf = 8, 0
		p.Objective = "aft"
		m := train(t, p, table, booster.WithPool(pool(t, 1)))
		if !bytes.Equal(bytesOf(t, train(t, p, table, booster.WithPool(pool(t, 3)))), bytesOf(t, m)) {
			t.Errorf("%s: 3 threads give another model", distribution)
		}
		got := judgedTimes(t, m, table, "aft_nloglik", "interval_accuracy", "concordance")
		if got[0] > want[0]*1.01 || got[1] < want[1]-0.02 || !math.IsNaN(got[2]) {
			t.Errorf("%s: %v, want about %v", distribution, got, want)
		}
		refitted, err := booster.Refit(t.Context(), m, table, 0)
		if err != nil {
			t.Fatal(err)
		}
		if again := judgedTimes(t, refitted, table, "aft_nloglik"); math.Abs(again[0]-got[0]) > 0.02*got[0] {
			t.Errorf("%s: refitted to the same rows, the loss is %v, before %v", distribution, again[0], got[0])
		}
	}
	var report booster.Report
	m := train(t, booster.Params{Rounds: 60, EarlyStopping: 5}, table, booster.WithReport(&report))
	if m.Objective() != "aft" || len(report.HeldOut) != 60 || !(report.Metrics["valid"]["aft_nloglik"] < 1.5) {
		t.Errorf("objective %s by itself, %d rows held out, %v", m.Objective(), len(report.HeldOut), report.Metrics)
	}
	for objective, more := range map[string][]dataset.Option{"cox": nil, "regression": nil, "multiclass": nil, "aft": {dataset.Label("from", "b")}} {
		_, err := booster.Train(t.Context(), booster.Params{Objective: objective}, intervalsTable(t, more...))
		if !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), `data.label_upper = "to"`) {
			t.Errorf("%s: %v", objective, err)
		}
	}
}
