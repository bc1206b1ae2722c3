package metrics

import (
	"math"
	"sync"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
	"boost/parallel"
)

// blockRows is the number of rows of a piece of work. Sums are exact, so that it
// changes no result.
const blockRows = 4096

// rowLosses writes the losses of rows lo … hi-1 to out.
type rowLosses func(in *Input, lo, hi int, out []float64)

// ByRow is a metric that is the weighted mean of what each row loses (or gains, where higher is better), or the square root of
// one: what can be resampled row by row.
type ByRow interface {
	Metric
	// Losses writes the losses of rows lo … hi-1 to out; in has what Eval gets.
	Losses(in *Input, lo, hi int, out []float64)
	// Root reports whether the metric is the square root of the mean.
	Root() bool
}

// mean is the weighted mean of a loss of rows.
type mean struct {
	name    string
	row     rowLosses
	outputs int // that it takes: 0 for one, several for two or more, or any number
}

const (
	several   = -1
	anyNumber = -2
)

func (m mean) Name() string         { return m.name }
func (m mean) HigherIsBetter() bool { return false }

func (m mean) Eval(in Input) float64 {
	if !m.takes(in.Outputs) {
		return math.NaN()
	}
	total, weight := weightedSums(&in, m.row)
	if !(weight > 0) {
		return math.NaN()
	}
	return total / weight
}

func (m mean) takes(outputs int) bool {
	switch m.outputs {
	case anyNumber:
		return true
	case several:
		return outputs > 1
	}
	return outputs == max(m.outputs, 1)
}

func (mean) ofShares() {}

// ofShares reports whether a metric is computed by Input.Share where each process has a part of the rows.
func ofShares(m Metric) bool {
	_, ok := m.(interface{ ofShares() })
	return ok
}

func (m mean) Losses(in *Input, lo, hi int, out []float64) { m.row(in, lo, hi, out) }
func (m mean) Root() bool                                  { return false }

// share is the weighted mean of what each row gains.
type share struct{ mean }

func (share) HigherIsBetter() bool { return true }

// rootMean is the square root of a mean.
type rootMean struct{ mean }

func (m rootMean) Root() bool { return true }

func (m rootMean) Eval(in Input) float64 { return math.Sqrt(m.mean.Eval(in)) }

var (
	rmseInfo = Info{
		Name: "rmse",
		Aliases: []string{
			"root_mean_squared_error", "l2_root", "l2", "mse", "mean_squared_error", "regression", "regression_l2", "squared_error",
		},
		Links: append([]string{logistic}, numeric...), // of probabilities it is the root of Brier's score
		build: func(name string, _ []float64) Metric { return rootMean{mean{name: name, row: squaredError}} },
	}
	maeInfo = Info{
		Name:    "mae",
		Aliases: []string{"l1", "mean_absolute_error", "regression_l1", "absolute_error"},
		Links:   append([]string{logistic}, numeric...),
		build:   ofRows(absoluteError),
	}
	logLossInfo = Info{
		Name:    "logloss",
		Aliases: []string{"binary_logloss", "binary", "binary_crossentropy"},
		Links:   []string{logistic},
		build:   ofRows(logLoss),
	}
	errorInfo = Info{
		Name:     "error",
		Aliases:  []string{"binary_error"},
		Links:    []string{logistic},
		Argument: &thresholdArgument,
		build:    func(name string, argument []float64) Metric { return mean{name: name, row: wrongSide(argument)} },
	}
	multiLogLossInfo = Info{
		Name: "multi_logloss",
		Aliases: []string{
			"multiclass", "softmax", "multi:softprob", "mlogloss", "multiclass_logloss", "categorical_crossentropy",
		},
		Links: []string{softmax, oneVsAll},
		build: ofClasses(multiLogLoss),
	}
	multiErrorInfo = Info{
		Name:    "multi_error",
		Aliases: []string{"merror"},
		Links:   []string{softmax, oneVsAll},
		build:   ofClasses(multiError),
	}
)

// ofRows makes a weighted mean of a loss of one output.
func ofRows(row rowLosses) func(string, []float64) Metric {
	return func(name string, _ []float64) Metric { return mean{name: name, row: row} }
}

// ofArgument makes a weighted mean of a loss of one output that takes a number.
func ofArgument(row func(argument float64) rowLosses) func(string, []float64) Metric {
	return func(name string, argument []float64) Metric { return mean{name: name, row: row(argument[0])} }
}

// ofClasses makes a weighted mean of a loss of several outputs.
func ofClasses(row rowLosses) func(string, []float64) Metric {
	return func(name string, _ []float64) Metric { return mean{name: name, row: row, outputs: several} }
}

// weightedSums returns Σ weight·loss and Σ weight over all rows. Each product is
// rounded, the sums are exact and rounded once. Rows of weight 0 do not count,
// whatever their loss.
func weightedSums(in *Input, row rowLosses) (total, weight float64) {
	t := sumTasks.Get().(*sumTask)
	defer sumTasks.Put(t)
	t.begin(in, row)
	run(in.Pool, parallel.Blocks(len(in.Labels), blockRows), t)
	t.in, t.row = nil, nil
	var sum, weights detmath.Sum
	for i := range t.parts {
		sum.Merge(&t.parts[i].total)
		weights.Merge(&t.parts[i].weight)
	}
	if in.Weights == nil {
		weights.Add(float64(len(in.Labels)))
	}
	if in.Share != nil {
		words := weights.Words(sum.Words(nil))
		in.Share(words)
		sum.SetWords(words)
		weights.SetWords(words[detmath.SumWords:])
	}
	return sum.Round(), weights.Round()
}

// sumTask adds the losses of one block of rows. A worker adds to sums of its own:
// which blocks it got does not show, because the sums are exact.
type sumTask struct {
	in    *Input
	row   rowLosses
	parts []sumPart // one per worker
}

type sumPart struct {
	total, weight detmath.Sum
	losses        [blockRows]float64
}

// sumTasks keeps the workers' memory between rounds.
var sumTasks = sync.Pool{New: func() any { return new(sumTask) }}

// begin makes the sums of as many workers as there are 0.
func (t *sumTask) begin(in *Input, row rowLosses) {
	t.in, t.row = in, row
	n := threadsOf(in.Pool)
	if cap(t.parts) < n {
		t.parts = make([]sumPart, n)
	}
	t.parts = t.parts[:n]
	for i := range t.parts {
		t.parts[i].total, t.parts[i].weight = detmath.Sum{}, detmath.Sum{}
	}
}

func (t *sumTask) Run(worker, index int) {
	part := &t.parts[worker]
	lo, hi := parallel.Block(index, len(t.in.Labels), blockRows)
	losses := part.losses[:hi-lo]
	t.row(t.in, lo, hi, losses)
	if t.in.Weights == nil {
		loss.AddUp(&part.total, losses)
		return
	}
	weights := t.in.Weights[lo:hi]
	for i, w := range weights {
		if w == 0 {
			losses[i] = 0 // whatever it was
		} else {
			losses[i] *= w
		}
	}
	loss.AddUp(&part.total, losses)
	loss.AddUp(&part.weight, weights)
}

// run is Pool.Do; without a pool the caller does all the work.
func run(pool *parallel.Pool, n int, task parallel.Task) {
	if pool != nil {
		pool.Do(n, task)
		return
	}
	for i := range n {
		task.Run(0, i)
	}
}

func threadsOf(pool *parallel.Pool) int {
	if pool == nil {
		return 1
	}
	return pool.Threads()
}

func squaredError(in *Input, lo, hi int, out []float64) {
	for i := range out {
		d := in.Values[lo+i] - in.Labels[lo+i]
		out[i] = d * d
	}
}

func absoluteError(in *Input, lo, hi int, out []float64) {
	for i := range out {
		out[i] = math.Abs(in.Values[lo+i] - in.Labels[lo+i])
	}
}

// logLoss is -log of the probability of the class that came, clipped at 1e-15.
func logLoss(in *Input, lo, hi int, out []float64) {
	for i := range out {
		p := in.Values[lo+i]
		if in.Labels[lo+i] == 0 {
			p = 1 - p
		}
		out[i] = loss.LogLoss(p)
	}
}

// wrongSide is 1 where the prediction, positive above the threshold, is not the label.
func wrongSide(threshold []float64) rowLosses {
	return func(in *Input, lo, hi int, out []float64) {
		above := in.above(threshold)
		for i := range out {
			p := in.Values[lo+i]
			switch {
			case math.IsNaN(p):
				out[i] = p
			case (p > above) == (in.Labels[lo+i] == 1):
				out[i] = 0
			default:
				out[i] = 1
			}
		}
	}
}

func multiLogLoss(in *Input, lo, hi int, out []float64) {
	n := len(in.Labels)
	for i := range out {
		out[i] = loss.LogLoss(in.Values[int(in.Labels[lo+i])*n+lo+i])
	}
}

// multiError is 1 unless the label's class alone has the highest prediction: a tie
// is an error, as in LightGBM (MultiErrorMetric counts classes with score ≥ the
// label's, itself included, and more than one is an error).
func multiError(in *Input, lo, hi int, out []float64) {
	n := len(in.Labels)
	for i := range out {
		label := int(in.Labels[lo+i])
		p := in.Values[label*n+lo+i]
		out[i] = 0
		for c := range in.Outputs {
			q := in.Values[c*n+lo+i]
			if math.IsNaN(q) {
				out[i] = q
				break
			}
			if c != label && q >= p {
				out[i] = 1
			}
		}
	}
}
