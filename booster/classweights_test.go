package booster_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives/metrics"
)

// Weights of classes are weights of their rows: the same trees as from a column that holds the products. "balanced" gives
// scikit-learn's, n/(classes·count).
func TestClassWeights(t *testing.T) {
	labels := make([]float64, 600)
	feature, other, weight := make([]float64, 600), make([]float64, 600), make([]float64, 600)
	for i := range labels {
		labels[i] = float64(min(i*7%10/4, 2)) // 40, 40 and 20 in a hundred
		feature[i], other[i] = float64(i*31%97)+10*labels[i], float64(i*i%53)
		weight[i] = float64(1 + i%3)
	}
	build := func(labels, weights []float64) *dataset.Table {
		table, err := dataset.FromColumns([]dataset.ColumnData{
			{Name: "y", Values: labels}, {Name: "w", Values: weights}, {Name: "a", Values: feature}, {Name: "b", Values: other},
		}, dataset.Label("y"), dataset.Weight("w"))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	two := make([]float64, len(labels))
	for i, y := range labels {
		two[i] = min(y, 1)
	}
	for _, c := range []struct {
		name   string
		labels []float64
		change func(p *booster.Params)
		factor func(class int) float64
	}{
		{"table", labels, func(p *booster.Params) { p.ClassWeight = map[string]float64{"0": 0.5, "2": 4} }, func(c int) float64 { return []float64{.5, 1, 4}[c] }},
		{"balanced", labels, func(p *booster.Params) { p.ClassWeight = map[string]float64{booster.Balanced: 1} }, func(c int) float64 {
			sum, all := 0.0, 0.0
			for i, y := range labels {
				all += weight[i]
				if int(y) == c {
					sum += weight[i]
				}
			}
			return all / (3 * sum)
		}},
		{"scale_pos_weight", two, func(p *booster.Params) { p.PositiveWeight = 3 }, func(c int) float64 { return float64(1 + 2*c) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			product := make([]float64, len(weight))
			for i := range product {
				product[i] = weight[i] * c.factor(int(c.labels[i]))
			}
			p := booster.Defaults()
			p.Objective, p.Rounds = map[bool]string{true: "multiclass", false: "binary"}[c.name != "scale_pos_weight"], 5
			want := train(t, p, build(c.labels, product))
			c.change(&p)
			var report booster.Report
			table := build(c.labels, weight)
			got := train(t, p, table, booster.WithReport(&report))
			for i, leaf := range want.Leaves() {
				if math.Abs(got.Leaves()[i]-leaf) > 1e-12*math.Abs(leaf) {
					t.Fatalf("leaf %d is %v, want %v", i, got.Leaves()[i], leaf)
				}
			}
			// Metrics count by the column alone.
			name := map[bool]string{true: "multi_logloss", false: "logloss"}[p.Objective == "multiclass"]
			m, _ := metrics.New(name)
			raw, err := got.PredictRaw(context.Background(), table)
			if err != nil {
				t.Fatal(err)
			}
			in := metrics.Input{Outputs: got.Outputs(), Raw: make([]float64, len(raw)), Values: make([]float64, len(raw)), Labels: c.labels, Weights: weight}
			metrics.OutputMajor(raw, got.Outputs(), in.Raw)
			if v := metrics.Evaluate(in, got.Link(), []metrics.Metric{m})[0]; math.Abs(v-report.Metrics["train"][name]) > 1e-12 {
				t.Errorf("%s of the training rows is %v in the report, and %v by the weight column", name, report.Metrics["train"][name], v)
			}
			again, err := booster.Refit(context.Background(), got, table, 0)
			if err != nil {
				t.Fatal(err)
			}
			for i, leaf := range got.Leaves() {
				if math.Abs(again.Leaves()[i]-leaf) > 1e-3*math.Abs(leaf)+1e-6 {
					t.Fatalf("refit: leaf %d is %v, want %v", i, again.Leaves()[i], leaf)
				}
			}
			if _, err := model.Decode(bytesOf(t, got)); err != nil {
				t.Error(err)
			}
		})
	}
	for _, c := range []struct {
		change func(p *booster.Params)
		want   string
	}{
		{func(p *booster.Params) { p.Objective, p.PositiveWeight = "regression", 2 }, "objective.scale_pos_weight: objective regression has no classes"},
		{func(p *booster.Params) { p.Objective, p.PositiveWeight = "multiclass", 2 }, "objective.scale_pos_weight is for two classes, and there are 3"},
		{func(p *booster.Params) { p.Objective, p.ClassWeight = "multiclass", map[string]float64{"7": 1} }, `names class "7": the classes are 0, 1, 2`},
		{func(p *booster.Params) { p.ClassWeight, p.PositiveWeight = map[string]float64{"1": 1}, 2 }, "leave one of them out"},
		{func(p *booster.Params) { p.ClassWeight = map[string]float64{"1": -1} }, "must be ≥ 0"},
		{func(p *booster.Params) {
			p.Objective, p.ClassWeight = "multiclass", map[string]float64{"0": 0, "1": 0, "2": 0}
		}, "all weights are 0"},
	} {
		p := booster.Defaults()
		c.change(&p)
		if _, err := booster.Train(context.Background(), p, build(labels, weight)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
