package metrics

import (
	"math"

	"boost/parallel"
)

var (
	medaeInfo = Info{
		Name:    "medae",
		Aliases: []string{"median_absolute_error"},
		Links:   numeric,
		build:   func(string, []float64) Metric { return medae{} },
	}
	maxErrorInfo = Info{
		Name:  "max_error",
		Links: numeric,
		build: func(string, []float64) Metric { return maxError{} },
	}
)

// medae is the weighted median of |v − y|: the smallest that has at least half of the weight up to it,
// and the mean of it and the next where it has exactly half. Weights are taken in steps, as in auc. It is NaN
// where an error is.
type medae struct{}

func (medae) Name() string         { return "medae" }
func (medae) HigherIsBetter() bool { return false }

func (medae) Eval(in Input) float64 {
	if in.Outputs != 1 || len(in.Labels) == 0 {
		return math.NaN()
	}
	n := len(in.Labels)
	buffer := takeRankBuffer(n)
	defer rankBuffers.Put(buffer)
	run(in.Pool, parallel.Blocks(n, blockRows), &errorTask{in: &in, rows: buffer.rows[:n], shift: stepShift(in.Weights)})
	rows := buffer.sort(n, in.Pool)
	if rows[n-1].key == nanKey {
		return math.NaN()
	}
	var total, below, zero wide
	for _, row := range rows {
		total.add(wide{uint64(row.count)})
	}
	if total == zero {
		return math.NaN()
	}
	for i, row := range rows {
		below.add(wide{uint64(row.count)})
		twice := below
		twice.add(below)
		switch twice.compare(total) {
		case 1:
			return math.Float64frombits(row.key)
		case 0:
			// Rows without weight come first, so that the next one has some.
			return float64(math.Float64frombits(row.key)/2) + float64(math.Float64frombits(rows[i+1].key)/2)
		}
	}
	return math.NaN()
}

// errorTask fills one block of rows with absolute errors, whose bits compare like the numbers.
type errorTask struct {
	in    *Input
	rows  []ranked
	shift int
}

func (t *errorTask) Run(_, index int) {
	lo, hi := parallel.Block(index, len(t.rows), blockRows)
	for i := lo; i < hi; i++ {
		d := math.Abs(t.in.Values[i] - t.in.Labels[i])
		row := ranked{key: math.Float64bits(d), count: 1}
		if math.IsNaN(d) {
			row.key = nanKey
		}
		if t.in.Weights != nil {
			row.count = steps(t.in.Weights[i], t.shift)
			if row.count == 0 {
				row.key = 0 // an error without weight does not count
			}
		}
		t.rows[i] = row
	}
}

// maxError is the largest |v − y| of the rows that have a weight.
type maxError struct{}

func (maxError) Name() string         { return "max_error" }
func (maxError) HigherIsBetter() bool { return false }

func (maxError) Eval(in Input) float64 {
	if in.Outputs != 1 {
		return math.NaN()
	}
	t := &maxTask{in: &in, largest: make([]float64, threadsOf(in.Pool))}
	for i := range t.largest {
		t.largest[i] = -1
	}
	run(in.Pool, parallel.Blocks(len(in.Labels), blockRows), t)
	largest := -1.0
	for _, x := range t.largest {
		largest = max(largest, x)
	}
	if largest < 0 {
		return math.NaN()
	}
	return largest
}

// maxTask keeps the largest error that each worker has seen, -1 for none. The largest of all does not
// depend on who saw what.
type maxTask struct {
	in      *Input
	largest []float64
}

func (t *maxTask) Run(worker, index int) {
	lo, hi := parallel.Block(index, len(t.in.Labels), blockRows)
	largest := t.largest[worker]
	for i := lo; i < hi; i++ {
		if t.in.Weights == nil || t.in.Weights[i] != 0 {
			largest = max(largest, math.Abs(t.in.Values[i]-t.in.Labels[i]))
		}
	}
	t.largest[worker] = largest
}
