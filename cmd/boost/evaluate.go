package main

import (
	"context"
	"math"
	"slices"
	"strings"

	"boost/booster/model"
	"boost/configs"
	"boost/dataset"
	"boost/objectives/metrics"
	"boost/parallel"
)

// chooseMetrics translates and checks the names that were asked for; none means all
// that fit. predictions is the name of an objective or of a link.
func chooseMetrics(asked []string, predictions string) ([]string, error) {
	if len(asked) == 0 {
		return metrics.For(predictions), nil
	}
	var names []string
	for _, written := range asked {
		name := configs.MetricName(written)
		switch {
		case !slices.Contains(metrics.Names(), name):
			return nil, usagef("unknown metric %q%s: there are %s", written,
				configs.DidYouMean(configs.Nearest(written, metrics.Names())), strings.Join(metrics.Names(), ", "))
		case !metrics.Fits(name, predictions):
			return nil, usagef("metric %q does not fit this model: take %s", written, strings.Join(metrics.For(predictions), ", "))
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	return names, nil
}

// figure is one metric's value; undefined ones are NaN.
type figure struct {
	name  string
	value float64
}

// evaluate computes the metrics on a table that was read with the model's schema
// and has the label. Rows count by the weight column where the table has it.
func evaluate(ctx context.Context, m *model.Model, t *dataset.Table, names []string, pool *parallel.Pool) ([]figure, error) {
	contents := m.Contents()
	labels, err := labelsOf(contents, t)
	if err != nil {
		return nil, err
	}
	weights, err := t.Weights()
	if err != nil {
		return nil, err
	}
	rowMajor, err := m.PredictRaw(ctx, t, model.Pool(pool))
	if err != nil {
		return nil, err
	}
	n, k := t.NumRows(), contents.Outputs
	in := metrics.Input{
		Outputs: k, Raw: make([]float64, n*k), Values: make([]float64, n*k),
		Labels: labels, Weights: weights, Pool: pool,
	}
	for row := range n {
		for output := range k {
			in.Raw[output*n+row] = rowMajor[row*k+output]
		}
	}
	contents.Link.Apply(k, in.Raw, in.Values, 0, n, n)
	figures := make([]figure, len(names))
	for i, name := range names {
		metric, err := metrics.New(name)
		if err != nil {
			return nil, usagef("%v", err)
		}
		figures[i] = figure{name, metric.Eval(in)}
	}
	return figures, nil
}

// labelsOf returns the table's labels as the model counts them.
func labelsOf(c *model.Contents, t *dataset.Table) ([]float64, error) {
	if c.Classes != nil {
		return t.EncodeClasses(c.Classes, c.NumericClasses)
	}
	return t.NumericLabels()
}

// jsonNumber is null for a value that JSON has no number for.
func jsonNumber(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// figuresJSON maps metrics to values, undefined ones to null.
func figuresJSON(figures []figure) map[string]*float64 {
	out := map[string]*float64{}
	for _, f := range figures {
		out[f.name] = jsonNumber(f.value)
	}
	return out
}
