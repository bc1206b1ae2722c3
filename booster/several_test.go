package booster_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/objectives"
)

// severalLabels are columns of 500 rows: numbers a and b, chances p, labels u and v of 0 and 1, weights, and features with gaps and levels.
func severalLabels(t *testing.T, labels ...string) *dataset.Table {
	t.Helper()
	const n = 500
	values := map[string][]float64{}
	names := []string{"a", "b", "p", "u", "v", "w", "x", "z"}
	for _, name := range names {
		values[name] = make([]float64, n)
	}
	level := make([]string, n)
	for i := range n {
		x, z := float64(i*37%61)/60, float64(i*53%29)/28
		values["x"][i], values["z"][i], level[i] = x, z, string(rune('p'+i*7%5))
		values["a"][i] = 1 + x*x + float64(i*7%5)/4
		values["b"][i] = 2 - x*z + float64(i*29%31)/100
		values["p"][i] = x * z
		values["u"][i] = math.Floor(x + float64(i*11%7)/10)
		values["v"][i] = math.Floor(z + float64(i*7%5)/8)
		values["w"][i] = float64(i%4) / 2
		if i%9 == 0 {
			values["x"][i] = math.NaN()
		}
	}
	columns := []dataset.ColumnData{{Name: "level", Values: level}}
	for _, name := range names {
		columns = append(columns, dataset.ColumnData{Name: name, Values: values[name]})
	}
	var left []string // labels that are not learned are no features either
	for _, name := range []string{"a", "b", "p", "u", "v"} {
		if !slices.Contains(labels, name) {
			left = append(left, name)
		}
	}
	table, err := dataset.FromColumns(columns, dataset.Label(labels...), dataset.Weight("w"), dataset.Ignore(left...))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// A model of several labels has for each the trees, scores and metrics of a model of that label alone; its metric is their mean.
func TestSeveralLabels(t *testing.T) {
	for _, c := range []struct {
		objective, single string
		labels            []string
		loss              objectives.Params
	}{
		{"regression", "", []string{"b", "a"}, objectives.Params{}},
		{"l1", "", []string{"a", "b", "p"}, objectives.Params{}},
		{"quantile", "", []string{"a", "b"}, objectives.Params{Alpha: []float64{0.8}}},
		{"huber", "", []string{"a", "b"}, objectives.Params{Delta: 0.3}},
		{"tweedie", "", []string{"a", "b"}, objectives.Params{Power: 1.2}},
		{"squared_log", "", []string{"b", "a"}, objectives.Params{}},
		{"cross_entropy", "", []string{"p", "u"}, objectives.Params{}},
		{"multi_label", "binary", []string{"v", "u"}, objectives.Params{}},
		{"binary", "binary", []string{"u", "v"}, objectives.Params{}},
	} {
		p := booster.Params{Objective: c.objective, Loss: c.loss, Rounds: 8}.OrDefaults()
		p.Tree.MinDataInLeaf = 5
		var report booster.Report
		table := severalLabels(t, c.labels...)
		several := train(t, p, table, booster.WithReport(&report), booster.WithPool(pool(t, 1)))
		if !bytes.Equal(bytesOf(t, train(t, p, table, booster.WithPool(pool(t, 3)))), bytesOf(t, several)) {
			t.Errorf("%s: 3 threads give another model", c.objective)
		}
		got, err := several.Predict(context.Background(), table)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(several.OutputNames(), c.labels) {
			t.Errorf("%s: outputs are called %q", c.objective, several.OutputNames())
		}
		k := len(c.labels)
		sums := map[string]float64{}
		for output, label := range c.labels {
			if p.Objective = c.objective; c.single != "" {
				p.Objective = c.single
			}
			var alone booster.Report
			own := severalLabels(t, label)
			m := train(t, p, own, booster.WithReport(&alone))
			want, err := m.Predict(context.Background(), own)
			if err != nil {
				t.Fatal(err)
			}
			for row, v := range want {
				if got[row*k+output] != v {
					t.Errorf("%s, label %s, row %d: %v, and %v by a model of this label alone", c.objective, label, row, got[row*k+output], v)
					break
				}
			}
			for name, v := range alone.Metrics["train"] {
				sums[name] += v
			}
		}
		for name, v := range report.Metrics["train"] {
			if want := sums[name] / float64(k); math.Abs(v-want) > 1e-12*math.Abs(want) {
				t.Errorf("%s: %s is %v, want the mean %v", c.objective, name, v, want)
			}
		}
	}
}

// By hand: one split at full rate makes leaves of the means, 2 and 6 of a, 2 and 0 of b, so that a has a root mean square of 1, b of 0.
func TestSeveralLabelsByHand(t *testing.T) {
	testenv.Unraced(t)
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "x", Values: []float64{0, 0, 1, 1}}, {Name: "b", Values: []float64{2, 2, 0, 0}}, {Name: "a", Values: []float64{1, 3, 5, 7}},
	}, dataset.Label("a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Params{Rounds: 1, LearningRate: 1}.OrDefaults() // regression, by the labels
	p.Tree.MinDataInLeaf = 1
	var report booster.Report
	m := train(t, p, table, booster.WithReport(&report))
	got, err := m.Predict(context.Background(), table)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{2, 2, 2, 2, 6, 0, 6, 0} {
		if math.Abs(got[i]-want) > 1e-3 { // codes of 16 bits
			t.Errorf("predictions are %v", got)
			break
		}
	}
	if rmse := report.Metrics["train"]["rmse"]; math.Abs(rmse-0.5) > 1e-3 || m.Objective() != "regression" {
		t.Errorf("rmse is %v of objective %s", rmse, m.Objective())
	}
}

// What several labels cannot be.
func TestSeveralLabelsRefused(t *testing.T) {
	own := objectives.FromFunc("mine", objectives.Identity, func(s, y float64) (float64, float64) { return s - y, 1 })
	rising := booster.Params{Objective: "regression"}
	rising.Tree.Monotone = map[string]int{"x": 1}
	for _, c := range []struct {
		labels []string
		p      booster.Params
		opts   []booster.Option
		want   string
	}{
		{[]string{"a", "b"}, booster.Params{Objective: "multiclass"}, nil, "objective multiclass takes one label, and there are 2"},
		{[]string{"a", "b"}, booster.Params{Objective: "cox"}, nil, "objective cox takes one label"},
		{[]string{"u", "v"}, booster.Params{Objective: "lambdarank"}, nil, "objective lambdarank takes one label"},
		{[]string{"u"}, booster.Params{Objective: "multi_label"}, nil, "is of several labels"},
		{[]string{"a", "b"}, booster.Params{Objective: "quantile", Loss: objectives.Params{Alpha: []float64{0.1, 0.9}}}, nil, "has 2 outputs for one label"},
		{[]string{"u", "v"}, booster.Params{Objective: "binary", PositiveWeight: 2}, nil, "objective multi_label has no classes"},
		{[]string{"u", "v"}, booster.Params{Objective: "multi_label", PositiveClass: "1"}, nil, "has no classes"},
		{[]string{"a", "b"}, booster.Params{}, []booster.Option{booster.WithObjective(own)}, "is your own, and takes one label"},
		{[]string{"a", "b"}, rising, nil, "directions are for the predictions of one label, and there are 2 labels: train a model for each"},
	} {
		_, err := booster.Train(context.Background(), c.p, severalLabels(t, c.labels...), c.opts...)
		if !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %s: %v, want %s", c.labels, c.p.Objective, err, c.want)
		}
	}
	for labels, want := range map[string]string{
		"u a": "bad table: row 2: label 2 of 2: 1.8802777777777777, want 0 or 1",
		"a p": "",
	} {
		p := booster.Params{Objective: "multi_label", Rounds: 1}
		if want == "" {
			p.Objective = "gamma" // of which 0 is no label
			want = "label 2 of 2: 0, want a number above 0"
		}
		_, err := booster.Train(context.Background(), p, severalLabels(t, strings.Fields(labels)...))
		if !errors.Is(err, dataset.ErrTable) || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", labels, err, want)
		}
	}
	// A table without one of the labels is no table to go on from, to refit to, or to validate with.
	p := booster.Params{Rounds: 2}
	m := train(t, p, severalLabels(t, "a", "b"))
	one := severalLabels(t, "a")
	const lacks = "the table has 1 of the 2 label columns (\"a\")"
	if _, err := booster.Refit(context.Background(), m, one, 0.5); err == nil || !strings.Contains(err.Error(), lacks) {
		t.Errorf("refit: %v", err)
	}
	if _, err := booster.Train(context.Background(), p, one, booster.From(m)); err == nil || !strings.Contains(err.Error(), lacks) {
		t.Errorf("going on: %v", err)
	}
	if _, err := booster.Train(context.Background(), p, severalLabels(t, "a", "b"), booster.Valid("valid", one)); err == nil || !strings.Contains(err.Error(), lacks) {
		t.Errorf("validation: %v", err)
	}
}
