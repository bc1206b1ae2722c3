package booster_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/objectives/metrics"
)

// column is a column of a table in memory.
type column = dataset.ColumnData

func tableOf(t *testing.T, columns []column, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	table, err := dataset.FromColumns(columns, append(opts, dataset.Label("y"))...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// constant returns n times a number.
func constant(n int, value float64) []float64 { return slices.Repeat([]float64{value}, n) }

// upTo returns 0 … n−1.
func upTo(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

// A metric weighs the rows of every set by the set's own weights.
func TestMetricsAreWeighted(t *testing.T) {
	// Four rows may not be split, so that the prediction is the weighted mean, (3·0 + 3·0 + 1·4 + 1·4) / 8 = 1.
	weighted := dataset.Weight("w")
	rows := tableOf(t, []column{
		{Name: "y", Values: []float64{0, 0, 4, 4}}, {Name: "w", Values: []float64{3, 3, 1, 1}}, {Name: "x", Values: upTo(4)},
	}, weighted)
	valid := tableOf(t, []column{
		{Name: "y", Values: []float64{1, 5}}, {Name: "w", Values: []float64{3, 1}}, {Name: "x", Values: upTo(2)},
	}, weighted)
	p := booster.Defaults()
	p.Objective, p.Metrics, p.Rounds = "regression", []string{"rmse"}, 1
	var report booster.Report
	m := train(t, p, rows, booster.Valid("valid", valid), booster.WithReport(&report))
	for set, want := range map[string]float64{
		"train": math.Sqrt(3), // (6·1² + 2·3²) / 8
		"valid": 2,            // (3·0² + 1·4²) / 4
	} {
		if got := report.Metrics[set]["rmse"]; math.Abs(got-want) > 1e-6 {
			t.Errorf("the rmse of %s is %v, want %v", set, got, want)
		}
	}
	if got := *m.Contents().History[0].Values[0]; math.Abs(got-2) > 1e-6 {
		t.Errorf("the history has an rmse of %v, want 2", got)
	}
}

// A model keeps the names of metrics in their canonical form, in its history and its parameters.
func TestMetricWithArgument(t *testing.T) {
	rows := tableOf(t, []column{{Name: "y", Values: []float64{1, 3}}, {Name: "x", Values: upTo(2)}})
	p := booster.Defaults()
	p.Objective, p.Metrics, p.Rounds = "regression", []string{"pinball@.250"}, 1
	m := train(t, p, rows, booster.Valid("valid", rows))
	h := m.Contents().History[0]
	if h.Metric != "pinball@0.25" || *h.Values[0] != 0.5 { // (0.75·1 + 0.25·1) / 2
		t.Errorf("the history has a %s of %v, want a pinball@0.25 of 0.5", h.Metric, *h.Values[0])
	}
	kept, err := booster.ParamsOf(m)
	if err != nil || !slices.Equal(kept.Metrics, []string{"pinball@0.25"}) || p.Metrics[0] != "pinball@.250" {
		t.Errorf("the model keeps the metrics %q of %q, %v", kept.Metrics, p.Metrics, err)
	}
	p.Objective, p.Metrics = "cross_entropy", []string{"cross_entropy", "error@0.50"}
	rows = tableOf(t, []column{{Name: "y", Values: []float64{0, 1}}, {Name: "x", Values: upTo(2)}})
	m = train(t, p, rows, booster.Valid("valid", rows))
	if kept, err = booster.ParamsOf(m); err != nil || !slices.Equal(kept.Metrics, []string{"cross_entropy", "error"}) || m.Contents().History[1].Metric != "error" {
		t.Errorf("the model keeps the metrics %q of %q, %v; its history %q", kept.Metrics, p.Metrics, err, m.Contents().History[1].Metric)
	}
}

// counting is a metric that counts how often it is asked.
type counting struct{ evals int }

func (c *counting) Name() string         { return "counting" }
func (c *counting) HigherIsBetter() bool { return false }
func (c *counting) Eval(metrics.Input) float64 {
	c.evals++
	return float64(c.evals)
}

// metrics.every = k evaluates after rounds k, 2k, … and after the last.
func TestMetricsEvery(t *testing.T) {
	rows := tableOf(t, []column{{Name: "y", Values: upTo(60)}, {Name: "x", Values: upTo(60)}})
	for _, c := range []struct {
		every, rounds int
		want          []int // rounds after which sets are evaluated
	}{
		{1, 3, []int{1, 2, 3}},
		{3, 8, []int{3, 6, 8}},
		{3, 6, []int{3, 6}},
		{5, 4, []int{4}},
	} {
		t.Run(fmt.Sprintf("every=%d rounds=%d", c.every, c.rounds), func(t *testing.T) {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.MetricsEvery = "regression", c.rounds, c.every
			asked := &counting{}
			var told []int
			m := train(t, p, rows, booster.Valid("valid", rows), booster.WithMetric(asked), booster.OnRound(func(r booster.Round) {
				if len(r.Evals) > 0 {
					told = append(told, r.Index+1)
				}
			}))
			if !slices.Equal(told, c.want) || asked.evals != len(c.want) {
				t.Errorf("rounds %v are evaluated, the metric is asked %d times, want %v", told, asked.evals, c.want)
			}
			for _, h := range m.Contents().History {
				var known []int
				for i, v := range h.Values {
					if v != nil {
						known = append(known, i+1)
					}
				}
				if len(h.Values) != c.rounds || !slices.Equal(known, c.want) {
					t.Errorf("the history of %s has the rounds %v of %d, want %v of %d", h.Metric, known, len(h.Values), c.want, c.rounds)
				}
			}
		})
	}
}

// Early stopping after a base model waits for as many new rounds as after any best round: for
// those that follow the base model, whether its own value is the best or is undefined.
func TestEarlyStoppingWaitsAfterTheBaseModel(t *testing.T) {
	const baseRounds, wait = 5, 3
	for _, c := range []struct {
		name         string
		objective    string
		metric       string
		first, then  []float64 // labels of the base model and of the rounds after it
		judged       []float64 // labels of the validation set
		kept, rounds int
	}{
		// The base model predicts 2, which is right for the validation set; new rounds learn 5.
		{"the base model is the best", "regression", "rmse", constant(60, 2), constant(60, 5), constant(60, 2), baseRounds, baseRounds + wait},
		// A validation set of one class has no area under the curve.
		{"the metric is undefined", "binary", "auc", halves(60), halves(60), constant(60, 1), baseRounds + wait, baseRounds + wait},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := func(y []float64) *dataset.Table {
				return tableOf(t, []column{{Name: "y", Values: y}, {Name: "x", Values: upTo(len(y))}})
			}
			p := booster.Defaults()
			p.Objective, p.Metrics, p.Rounds = c.objective, []string{c.metric}, baseRounds
			base := train(t, p, rows(c.first))
			p.Rounds, p.EarlyStopping = 100, wait
			var report booster.Report
			m := train(t, p, rows(c.then), booster.From(base), booster.Valid("valid", rows(c.judged)), booster.WithReport(&report))
			if report.Rounds != c.rounds || report.Stopped != booster.StoppedEarly || m.Rounds() != c.kept {
				t.Errorf("%d rounds, stopped %q, %d kept; want %d, %q, %d", report.Rounds, report.Stopped, m.Rounds(), c.rounds, booster.StoppedEarly, c.kept)
			}
		})
	}
}

// halves returns n numbers, 0 and 1 by turns.
func halves(n int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(i % 2)
	}
	return y
}

// The rows held out are ⌊n/10⌋ of each class, and of all rows where there are no classes.
func TestHeldOutByClass(t *testing.T) {
	for _, c := range []struct {
		name    string
		classes map[string]int // rows of each
		want    map[string]int // rows held out
	}{
		// A tenth of all 57 rows would be 5.
		{"three classes", map[string]int{"a": 19, "b": 19, "c": 19}, map[string]int{"a": 1, "b": 1, "c": 1}},
		// A tenth of all 139 rows would be 13.
		{"a rare class", map[string]int{"often": 120, "rare": 19}, map[string]int{"often": 12, "rare": 1}},
		{"a class of less than ten rows", map[string]int{"often": 120, "rare": 9}, map[string]int{"often": 12}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var labels []string
			for class, n := range c.classes {
				labels = append(labels, slices.Repeat([]string{class}, n)...)
			}
			slices.Sort(labels)
			rows := tableOf(t, []column{{Name: "y", Values: labels}, {Name: "x", Values: upTo(len(labels))}})
			p := booster.Defaults()
			p.Rounds = 1
			var report booster.Report
			train(t, p, rows, booster.EarlyStop(2), booster.WithReport(&report))
			got := map[string]int{}
			for _, row := range report.HeldOut {
				got[labels[row]]++
			}
			for class := range c.classes {
				if got[class] != c.want[class] {
					t.Errorf("%d rows of class %s are held out, want %d", got[class], class, c.want[class])
				}
			}
			if !slices.IsSorted(report.HeldOut) {
				t.Errorf("rows %v are not in order", report.HeldOut)
			}
		})
	}
	t.Run("numbers", func(t *testing.T) {
		p := booster.Defaults()
		p.Objective, p.Rounds = "regression", 1
		var report booster.Report
		train(t, p, tableOf(t, []column{{Name: "y", Values: upTo(57)}, {Name: "x", Values: upTo(57)}}), booster.EarlyStop(2), booster.WithReport(&report))
		if len(report.HeldOut) != 5 {
			t.Errorf("%d of 57 rows are held out, want 5", len(report.HeldOut))
		}
	})
}

// Where training ends between two rounds whose metrics are computed, the report has those of its last one: the values of a training that
// was to have so many rounds, in all ways of boosting. The model is a prefix of one that was trained for more rounds, and has none.
func TestLastRoundIsReported(t *testing.T) {
	table, _ := ordered(t)
	rows, valid := table.Take(sequence(0, 2000)), table.Take(sequence(2000, 3000))
	for _, boosting := range []string{booster.PlainBoosting, booster.DartBoosting, booster.RandomForest} {
		p := booster.Defaults()
		p.Objective, p.Boosting, p.MetricsEvery, p.Rounds, p.RowFraction = "regression", boosting, 100, 13, 0.7
		var want, got booster.Report
		train(t, p, rows, booster.Valid("valid", valid), booster.WithReport(&want))
		p.Rounds = 50
		stop := booster.StopWhen(func(r booster.Round) (best int, stop bool) { return r.Index + 1, r.Index == 12 })
		history := train(t, p, rows, booster.Valid("valid", valid), booster.WithReport(&got), stop).Contents().History[0].Values
		if value := got.Metrics["valid"]["rmse"]; value != want.Metrics["valid"]["rmse"] || len(history) != 13 || history[12] != nil {
			t.Errorf("%s: rmse %v, want %v; history %v", boosting, value, want.Metrics["valid"]["rmse"], history)
		}
	}
}
