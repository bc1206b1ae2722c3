package compress

import (
	"context"

	"boost/booster/model"
	"boost/dataset"
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
		if names == nil {
			if names, err = c.DefaultMetrics(); err != nil {
				return nil, err
			}
		}
		if metrics.NeedQueries(names) {
			t, _ = t.ByQuery()
			j.table = t
		}
		if j.in, err = m.MetricInput(t, names); err != nil {
			return nil, err
		}
		if j.metrics, err = metrics.List(names); err != nil {
			return nil, err
		}
	}
	if j.pool == nil {
		j.pool, j.own = parallel.NewPool(threadsFor(t.NumRows(), m)), true
	}
	j.in.Outputs, j.in.Pool = c.Outputs, j.pool
	return j, nil
}

// each does n things side by side, each on one thread, and returns the error of the first that has one.
func (j *judge) each(n int, do func(i int) error) error {
	errs := make([]error, n)
	j.pool.Do(n, parallel.Func(func(_, i int) { errs[i] = do(i) }))
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
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
	raw := make([]float64, len(rowMajor))
	metrics.OutputMajor(rowMajor, m.Outputs(), raw)
	return j.of(m, raw), nil
}

// of evaluates raw scores, by outputs, as those of a model.
func (j *judge) of(m *model.Model, raw []float64) judged {
	out := judged{raw: raw, values: make([]float64, len(raw))}
	in := j.in
	in.Raw, in.Values = out.raw, out.values
	out.metrics = metrics.Evaluate(in, m.Contents().Link, j.metrics)
	return out
}

// metric returns the i-th metric, nil if there are not so many.
func (j *judge) metric(i int) metrics.Metric {
	if i < len(j.metrics) {
		return j.metrics[i]
	}
	return nil
}
