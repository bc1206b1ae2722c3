package metrics

import "boost/parallel"

// Input is what a metric is computed from. Score arrays are output-major: entry k*n + row.
type Input struct {
	Outputs int
	Raw     []float64   // raw scores, K × n
	Values  []float64   // predictions after the link, K × n
	Labels  []float64   // n: the number, the class index 0 … K-1, or the time, see Survival
	Targets [][]float64 // where a row has several labels, each with an output of its own: each of them, by row; Labels is the first
	Weights []float64   // n, or nil for all 1
	Upper   []float64   // n, of times in intervals: up to when the event came, where Labels is from when on; nil otherwise
	Queries []int       // row with which each query begins, and n behind them; nil without queries
	Gains   []float64   // of labels 0, 1, … in ndcg; nil for 2^label − 1
	Pool    *parallel.Pool

	// Threshold is the probability above which the positive of two classes is predicted, where a metric's name says no
	// other; 0 means a half.
	Threshold float64

	Survival *Survival // nil for models that are not of times

	// Share adds numbers up over the processes that have the other rows, of which these are a part; nil where these are all.
	// Means over rows need no more. For other metrics All returns the input of all rows, whose Values Evaluate may have changed.
	Share func(words []uint64)
	All   func() Input
}

// Metric is a figure of merit. Implement it to watch one of your own.
type Metric interface {
	Name() string
	// HigherIsBetter says which way early stopping looks.
	HigherIsBetter() bool
	// Eval returns the metric, NaN where it is undefined (no rows, one class only, …).
	Eval(in Input) float64
}

// Direction says which values of a metric are better.
type Direction bool

// The directions.
const (
	LowerIsBetter  Direction = false
	HigherIsBetter Direction = true
)

// FromFunc returns a metric of your own: its name, which values are better, and what Eval returns.
func FromFunc(name string, better Direction, eval func(in Input) float64) Metric {
	return custom{name, better, eval}
}

// custom is a metric made of a function.
type custom struct {
	name   string
	better Direction
	eval   func(in Input) float64
}

func (c custom) Name() string          { return c.name }
func (c custom) HigherIsBetter() bool  { return bool(c.better) }
func (c custom) Eval(in Input) float64 { return c.eval(in) }
