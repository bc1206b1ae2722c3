package compress

import (
	"context"

	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/parallel"
)

// judge evaluates models on a table.
type judge struct {
	table   *dataset.Table
	metrics []metrics.Metric
	in      metrics.Input
	pool    *parallel.Pool
	own     bool
}

// judged is what a model predicts, by outputs, and how good that is.
type judged struct{ raw, values, metrics []float64 }

func newJudge(m *model.Model, t *dataset.Table, names []string, opts []Option) (*judge, error) {
	c := m.Contents()
	t, err := t.As(m.Schema())
	if err != nil {
		return nil, err
	}
	j := &judge{table: t, pool: optionsOf(opts).pool}
	if t.LabelColumn() != nil {
		if j.in.Labels, err = labelsOf(m, t); err != nil {
			return nil, err
		}
		if j.in.Weights, err = t.Weights(); err != nil {
			return nil, err
		}
		if names == nil {
			if names, err = objectives.DefaultMetrics(c.Objective, c.Link); err != nil {
				return nil, err
			}
		}
		for _, name := range names {
			metric, err := metrics.New(name)
			if err != nil {
				return nil, err
			}
			j.metrics = append(j.metrics, metric)
		}
	}
	if j.pool == nil {
		j.pool, j.own = parallel.NewPool(threadsFor(t.NumRows(), m)), true
	}
	j.in.Outputs, j.in.Pool = c.Outputs, j.pool
	return j, nil
}

func (j *judge) close() {
	if j.own {
		j.pool.Close()
	}
}

func (j *judge) judge(ctx context.Context, m *model.Model) (judged, error) {
	rowMajor, err := m.PredictRaw(ctx, j.table, model.Pool(j.pool))
	if err != nil {
		return judged{}, err
	}
	n, k := j.table.NumRows(), m.Outputs()
	raw := make([]float64, n*k)
	for row := range n {
		for output := range k {
			raw[output*n+row] = rowMajor[row*k+output]
		}
	}
	return j.of(m, raw), nil
}

// of evaluates raw scores, by outputs, as those of a model.
func (j *judge) of(m *model.Model, raw []float64) judged {
	n := j.table.NumRows()
	out := judged{raw: raw, values: make([]float64, len(raw))}
	m.Contents().Link.Apply(m.Outputs(), out.raw, out.values, 0, n, n)
	in := j.in
	in.Raw, in.Values = out.raw, out.values
	for _, metric := range j.metrics {
		out.metrics = append(out.metrics, metric.Eval(in))
	}
	return out
}

// labelsOf returns the table's labels as the model counts them.
func labelsOf(m *model.Model, t *dataset.Table) ([]float64, error) {
	if c := m.Contents(); c.Classes != nil {
		return t.EncodeClasses(c.Classes, c.NumericClasses)
	}
	return t.NumericLabels()
}

// metric returns the i-th metric, nil if there are not so many.
func (j *judge) metric(i int) metrics.Metric {
	if i < len(j.metrics) {
		return j.metrics[i]
	}
	return nil
}
