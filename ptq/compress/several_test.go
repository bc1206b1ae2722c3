package compress_test

import (
	"context"
	"math"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/ptq"
	"boost/ptq/compress"
)

// twinTable has a label and, under other names, copies of it.
func twinTable(t *testing.T, from, to int, labels ...string) *dataset.Table {
	t.Helper()
	n := to - from
	y, a, b := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		row := from + i
		a[i], b[i] = float64(row*37%101), float64(row*53%29)
		y[i] = math.Sin(a[i]/9) + b[i]/20 + float64(row*7919%997)/900
	}
	columns := []dataset.ColumnData{{Name: "a", Values: a}, {Name: "b", Values: b}}
	for _, name := range labels {
		values := y
		if name == "two" {
			values = make([]float64, n)
			for i := range values {
				values[i] = math.Cos(a[i]/11) - b[i]/30 + float64((from+i)*31%101)/80
			}
		}
		columns = append(columns, dataset.ColumnData{Name: name, Values: values})
	}
	table, err := dataset.FromColumns(columns, dataset.Label(labels...))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func trainedOn(t *testing.T, table *dataset.Table) *booster.Model {
	t.Helper()
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves = "regression", 30, 15
	m, err := booster.Train(context.Background(), p, table)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A model of two labels that are the same is certified as that of one of them, if all its splits stay: the metric is the mean of both.
func TestSearchOfEqualLabels(t *testing.T) {
	ctx := context.Background()
	for name, s := range map[string]compress.Settings{
		"one form": {Formats: []compress.Format{{Form: ptq.FormOf(ptq.I4)}}, MaxLoss: math.NaN()},
		"feedback": {Formats: []compress.Format{{Form: ptq.FormOf(ptq.I4)}}, MaxLoss: math.NaN(), Feedback: compress.FeedbackOn},
		"a bound":  {Formats: []compress.Format{{Form: ptq.FormOf(ptq.I8)}, {Form: ptq.FormOf(ptq.I4)}, {Form: ptq.FormOf(ptq.I2)}}, MaxLoss: 0.02, Prune: compress.PruneOff},
	} {
		var certificates []*compress.Certificate
		for _, labels := range [][]string{{"y"}, {"y", "copy"}} {
			s.Data = twinTable(t, 3000, 7000, labels...)
			r, err := compress.Quantize(ctx, trainedOn(t, twinTable(t, 0, 3000, labels...)), s)
			if err != nil {
				t.Fatalf("%s of %d labels: %v", name, len(labels), err)
			}
			c, err := compress.CertificateOf(r.Model)
			if err != nil {
				t.Fatal(err)
			}
			certificates = append(certificates, c)
		}
		one, two := certificates[0], certificates[1]
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(a) }
		if two.Metric != "rmse" || two.Rows != one.Rows || !near(one.Before, two.Before) || !near(one.After, two.After) || !near(one.LossBound, two.LossBound) {
			t.Errorf("%s: two labels are certified %+v, one is %+v", name, two, one)
		}
	}
}

// Of two labels the certificate has the means of their metrics, and a search keeps its bound by them, pruned models tried too.
func TestSearchOfSeveralLabels(t *testing.T) {
	ctx := context.Background()
	m := trainedOn(t, twinTable(t, 0, 3000, "y", "two"))
	data := twinTable(t, 3000, 9000, "y", "two")
	r, err := compress.Quantize(ctx, m, compress.Settings{Data: data, MaxLoss: 0.05, Prune: compress.PruneOn})
	if err != nil {
		t.Fatal(err)
	}
	c, err := compress.CertificateOf(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	_, certified, err := compress.Halves(data)
	if err != nil {
		t.Fatal(err)
	}
	rows := data.Take(certified)
	mean := func(m *booster.Model) float64 {
		raw, err := m.PredictRaw(ctx, rows)
		if err != nil {
			t.Fatal(err)
		}
		sums := [2]float64{}
		for k, name := range []string{"y", "two"} {
			want := labelValues(t, rows, name)
			for i := range want {
				d := raw[2*i+k] - want[i]
				sums[k] += d * d
			}
			sums[k] = math.Sqrt(sums[k] / float64(len(want)))
		}
		return (sums[0] + sums[1]) / 2
	}
	if before, after := mean(m), mean(r.Model); math.Abs(before-c.Before) > 1e-9 || math.Abs(after-c.After) > 1e-9 {
		t.Errorf("the means of the rmse are %v and %v, the certificate has %v and %v", before, after, c.Before, c.After)
	}
	if !(c.LossBound <= 0.05) || c.LossBound < c.Loss() {
		t.Errorf("the loss is %v, its bound %v: want one of at most 0.05", c.Loss(), c.LossBound)
	}
	pruned := false
	for _, candidate := range r.Candidates {
		pruned = pruned || candidate.Kept < 1
	}
	if !pruned {
		t.Error("no pruned model was tried")
	}
}

// labelValues returns the values of a label column.
func labelValues(t *testing.T, table *dataset.Table, name string) []float64 {
	t.Helper()
	for _, c := range table.Columns() {
		if c.Name() == name {
			switch c.Kind() {
			case dataset.Float64:
				return c.Float64s()
			case dataset.Float32:
				values := make([]float64, c.Len())
				for i, v := range c.Float32s() {
					values[i] = float64(v)
				}
				return values
			}
		}
	}
	t.Fatalf("no column %q of numbers", name)
	return nil
}
