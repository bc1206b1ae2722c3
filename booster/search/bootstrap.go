package search

import (
	"context"
	"math"
	"slices"

	"boost/internal/rng"
	"boost/objectives/metrics"
	"boost/parallel"
)

// bootstrap draws rows with replacement, or groups of rows that stay together, and takes the metrics of each
// draw. Draws are the same for all repeats, over which a metric is averaged.
type bootstrap struct {
	v       *validation
	in      metrics.Input // of all rows of the table; scores aside
	list    []metrics.Metric
	groups  []int32     // of rows that are drawn together; nil for each by itself
	drawn   [][]float64 // by resample and metric, summed over repeats
	pooled  []float64   // by metric, the same
	repeats int
}

// mostWork is what rows × resamples come to at most where the number of resamples is left open.
const mostWork = 20_000_000

func (v *validation) newBootstrap(r *Result) (*bootstrap, error) {
	m := v.models[0]
	b := &bootstrap{v: v}
	names := make([]string, len(r.Metrics))
	for i := range names {
		names[i] = r.Metrics[i].Name
	}
	for _, name := range names {
		metric, err := v.c.Own.Metric(name)
		if err != nil {
			return nil, err
		}
		b.list = append(b.list, metric)
	}
	var err error
	if b.in, err = m.MetricInput(v.table, names); err != nil {
		return nil, err
	}
	b.in.Pool = nil // resamples are taken side by side
	if b.groups, err = v.c.groups(v.table); err != nil {
		return nil, err
	}
	n := v.table.NumRows()
	if r.Resamples = v.c.Resamples; r.Resamples == 0 {
		r.Resamples = max(100, min(1000, mostWork/max(n, 1)))
	}
	if v.c.bags {
		r.Resamples = 0
	}
	b.drawn, b.pooled = make([][]float64, r.Resamples), make([]float64, len(b.list))
	for i := range b.drawn {
		b.drawn[i] = make([]float64, len(b.list))
	}
	return b, nil
}

// add takes the metrics of a repeat: raw scores of all rows, row-major, of which the judged ones count.
func (b *bootstrap) add(ctx context.Context, raw []float64, judged []int32) error {
	b.repeats++
	slices.Sort(judged)
	lists := b.unitsOf(judged)
	for i, value := range b.evaluate(raw, lists, nil) {
		b.pooled[i] += value
	}
	return b.v.pool.DoContext(ctx, len(b.drawn), parallel.Func(func(_, resample int) {
		key := rng.Key(b.v.c.Seed, rng.Resamples, uint64(resample), 0)
		picks := make([]int, len(lists))
		for i := range picks {
			picks[i] = int(rng.Unit(rng.Draw(key, uint64(i))) * float64(len(lists)))
		}
		for i, value := range b.evaluate(raw, lists, picks) {
			b.drawn[resample][i] += value
		}
	}))
}

// unitsOf lists the rows that are drawn together.
func (b *bootstrap) unitsOf(rows []int32) [][]int32 {
	if b.groups == nil {
		lists := make([][]int32, len(rows))
		for i := range rows {
			lists[i] = rows[i : i+1]
		}
		return lists
	}
	byGroup := make([][]int32, slices.Max(b.groups)+1)
	for _, row := range rows {
		byGroup[b.groups[row]] = append(byGroup[b.groups[row]], row)
	}
	return slices.DeleteFunc(byGroup, func(rows []int32) bool { return len(rows) == 0 })
}

// evaluate returns the metrics of the rows of some units, all once for nil.
func (b *bootstrap) evaluate(raw []float64, units [][]int32, picks []int) []float64 {
	var rows []int32
	in, k := b.in, b.in.Outputs
	if in.Queries != nil {
		in.Queries = []int{0}
	}
	for i := range units {
		unit := units[i]
		if picks != nil {
			unit = units[picks[i]]
		}
		for at, row := range unit {
			if in.Queries != nil && at > 0 && b.startsQuery(row) { // a group of several queries
				in.Queries = append(in.Queries, len(rows))
			}
			rows = append(rows, row)
		}
		if in.Queries != nil {
			in.Queries = append(in.Queries, len(rows))
		}
	}
	n := len(rows)
	in.Raw, in.Values, in.Labels = make([]float64, n*k), make([]float64, n*k), make([]float64, n)
	if in.Weights != nil {
		in.Weights = make([]float64, n)
	}
	in.Targets = make([][]float64, len(b.in.Targets))
	for t, all := range b.in.Targets {
		in.Targets[t] = make([]float64, n)
		for i, row := range rows {
			in.Targets[t][i] = all[row]
		}
	}
	if len(in.Targets) == 0 {
		in.Targets = nil
	}
	for i, row := range rows {
		in.Labels[i] = b.in.Labels[row]
		if in.Weights != nil {
			in.Weights[i] = b.in.Weights[row]
		}
		for o := range k {
			in.Raw[o*n+i] = raw[int(row)*k+o]
		}
	}
	return metrics.Evaluate(in, b.v.models[0].Link(), b.list)
}

func (b *bootstrap) startsQuery(row int32) bool {
	_, found := slices.BinarySearch(b.in.Queries, int(row))
	return found
}

// finish sets the metrics of all rows and their bounds.
func (b *bootstrap) finish(r *Result) {
	tail := (1 - b.v.c.Confidence) / 2
	for m := range r.Metrics {
		values := make([]float64, 0, len(b.drawn))
		for _, drawn := range b.drawn {
			if v := drawn[m] / float64(b.repeats); !math.IsNaN(v) { // one class only
				values = append(values, v)
			}
		}
		slices.Sort(values)
		r.Metrics[m].Pooled = b.pooled[m] / float64(b.repeats)
		r.Metrics[m].Low, r.Metrics[m].High = quantile(values, tail), quantile(values, 1-tail)
	}
}

// quantile returns a quantile of ascending values, linear between two of them; NaN without any.
func quantile(values []float64, level float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	at := level * float64(len(values)-1)
	low := min(int(at), len(values)-1)
	high := min(low+1, len(values)-1)
	share := at - float64(low)
	return values[low] + float64(share*(values[high]-values[low]))
}
