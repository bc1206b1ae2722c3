package calibrate_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/calibrate"
	"boost/booster/model"
	"boost/booster/trust"
	"boost/dataset"
	"boost/parallel"
)

// rows makes a table of n rows whose label follows from x but for noise; a and b are other labels, w weights.
func rows(t *testing.T, seed uint64, n int, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	x, y, w, query := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	class := make([]string, n)
	for i := range n {
		x[i] = r.Float64()
		y[i] = 3*x[i] + r.Float64()
		w[i] = float64(r.IntN(3))
		query[i] = float64(i / 10)
		class[i] = []string{"no", "yes", "maybe"}[min(int(y[i]/1.4), 2)]
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "x", Values: x}, {Name: "y", Values: y}, {Name: "w", Values: w}, {Name: "query", Values: query}, {Name: "class", Values: class},
	}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func trained(t *testing.T, p booster.Params, table *dataset.Table) *model.Model {
	t.Helper()
	if p.Rounds == 0 {
		p.Rounds = 20
	}
	m, err := booster.Train(context.Background(), p, table)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What a model is calibrated to be depends on the rows, not on threads, and not on what it was before.
func TestFitIsDeterministic(t *testing.T) {
	options := []dataset.Option{dataset.Label("class"), dataset.Ignore("y", "w", "query")}
	m := trained(t, booster.Params{Objective: "multiclass"}, rows(t, 1, 400, options...))
	held := rows(t, 2, 900, options...)
	var first []byte
	for threads := range 3 {
		pool := parallel.NewPool(threads + 1)
		fitted, _, err := calibrate.Fit(context.Background(), m, held, calibrate.Params{Level: 0.9, Method: trust.Isotonic, Pool: pool})
		pool.Close()
		if err != nil {
			t.Fatal(err)
		}
		data, err := fitted.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		}
		if !bytes.Equal(data, first) {
			t.Errorf("%d threads make another model", threads+1)
		}
		m = fitted
	}
}

// A row of weight 0 counts for nothing, and one of weight 2 like two rows; of a table where all weigh alike nothing changes.
func TestWeightsCount(t *testing.T) {
	weighted := []dataset.Option{dataset.Label("y"), dataset.Weight("w"), dataset.Ignore("class", "query")}
	m := trained(t, booster.Params{Objective: "regression"}, rows(t, 1, 400, weighted...))
	held := rows(t, 2, 2000, weighted...)
	fitted, found, err := calibrate.Fit(context.Background(), m, held, calibrate.Params{Level: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	test := rows(t, 3, 20_000, weighted...)
	bounds, err := fitted.PredictIntervals(context.Background(), test)
	if err != nil {
		t.Fatal(err)
	}
	labels, _ := test.NumericLabels()
	weights, _ := test.Weights()
	inside, all := 0.0, 0.0
	for i, y := range labels {
		if all += weights[i]; bounds[2*i] <= y && y <= bounds[2*i+1] {
			inside += weights[i]
		}
	}
	// 1,300 rows of some weight: a standard deviation of 0.012.
	if got := inside / all; math.Abs(got-0.8) > 0.035 || math.Abs(found.Intervals.Coverage-0.8) > 0.035 {
		t.Errorf("intervals of 0.8 cover %v by weight, said is %v", got, found.Intervals.Coverage)
	}
}

func TestFitRefuses(t *testing.T) {
	number := []dataset.Option{dataset.Label("y"), dataset.Ignore("class", "query", "w")}
	train := rows(t, 1, 300, number...)
	numbers := trained(t, booster.Params{Objective: "regression"}, train)
	ofClass := []dataset.Option{dataset.Label("class"), dataset.Ignore("y", "w", "query")}
	classes := trained(t, booster.Params{Objective: "multiclass"}, rows(t, 1, 300, ofClass...))
	ranking := []dataset.Option{dataset.Label("w"), dataset.Group("query"), dataset.Ignore("y", "class")}
	ranker := trained(t, booster.Params{Objective: "lambdarank"}, rows(t, 1, 300, ranking...))
	times := []dataset.Option{dataset.Label("y"), dataset.Ignore("class", "query", "w")}
	cox := trained(t, booster.Params{Objective: "cox"}, rows(t, 1, 300, times...))
	several := []dataset.Option{dataset.Label("y", "w"), dataset.Ignore("class", "query")}
	two := trained(t, booster.Params{Objective: "regression"}, rows(t, 1, 300, several...))
	interval := calibrate.Params{Level: 0.9}
	for _, c := range []struct {
		name   string
		model  *model.Model
		table  *dataset.Table
		params calibrate.Params
		kind   error
		want   string
	}{
		{"the training rows", numbers, train, interval, calibrate.ErrTrainingData, "trained on"},
		{"a ranking", ranker, rows(t, 2, 300, ranking...), interval, calibrate.ErrParams, "objective lambdarank predicts an order"},
		{"times", cox, rows(t, 2, 300, times...), interval, calibrate.ErrParams, "objective cox is of times"},
		{"two labels", two, rows(t, 2, 300, several...), interval, calibrate.ErrParams, "a model of 2 labels"},
		{"few rows", numbers, rows(t, 2, 8, number...), interval, dataset.ErrTable, "8 rows are too few"},
		{"few rows of a class", classes, rows(t, 2, 9, ofClass...), calibrate.Params{}, dataset.ErrTable, `class "`},
		{"no labels", numbers, rows(t, 2, 300, dataset.Ignore("class", "query", "w", "y")), interval, dataset.ErrTable, "label"},
		{"a level", numbers, rows(t, 2, 300, number...), calibrate.Params{Level: 1.5}, calibrate.ErrParams, "intervals that cover 1.5"},
		{"costs and a threshold", classes, rows(t, 2, 300, ofClass...), calibrate.Params{FalsePositive: 1, FalseNegative: 1, Threshold: 0.2}, calibrate.ErrParams, "give one of them"},
	} {
		got, _, err := calibrate.Fit(context.Background(), c.model, c.table, c.params)
		if got != nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error of kind %q with %q", c.name, err, c.kind, c.want)
		}
	}
	if _, _, err := calibrate.Fit(context.Background(), classes, rows(t, 2, 9, ofClass...), calibrate.Params{}); !errors.As(err, new(*trust.FewRowsError)) {
		t.Errorf("few rows of a class: %v", err)
	}
	fitted, found, err := calibrate.Fit(context.Background(), numbers, train, calibrate.Params{Level: 0.9, AllowTrainingData: true})
	if err != nil || fitted.Trust() == nil || !found.TrainingData {
		t.Errorf("the training rows, allowed: %v, %+v", err, found)
	}
}
