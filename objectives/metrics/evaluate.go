package metrics

import (
	"slices"

	"boost/parallel"
)

// Link makes predictions of raw scores, as objectives.Link does.
type Link interface {
	// Apply writes the predictions of rows lo … hi-1 of n. Both slices are output-major.
	Apply(outputs int, raw, values []float64, lo, hi, n int)
}

// Evaluate writes the predictions that belong to in.Raw into in.Values, and returns each metric of the
// list. Of several labels it is the mean over them, undefined where it is so of one; Input.Target has those of one.
func Evaluate(in Input, link Link, list []Metric) []float64 {
	out := make([]float64, len(list))
	own := func(m Metric) bool { return in.Share == nil || ofShares(m) }
	if slices.ContainsFunc(list, own) {
		evaluate(in, link, list, own, out)
	}
	if others := func(m Metric) bool { return !own(m) }; slices.ContainsFunc(list, others) {
		evaluate(in.All(), link, list, others, out)
	}
	return out
}

// evaluate is Evaluate for those of the metrics that are meant.
func evaluate(in Input, link Link, list []Metric, meant func(Metric) bool, out []float64) {
	n := len(in.Raw) / in.Outputs
	run(in.Pool, parallel.Blocks(n, blockRows), parallel.Func(func(_, block int) {
		lo, hi := parallel.Block(block, n, blockRows)
		link.Apply(in.Outputs, in.Raw, in.Values, lo, hi, n)
	}))
	for i, m := range list {
		switch {
		case !meant(m):
		case in.Targets == nil:
			out[i] = m.Eval(in)
		default:
			for k := range in.Targets {
				out[i] += m.Eval(in.Target(k))
			}
			out[i] /= float64(len(in.Targets))
		}
	}
}

// Target returns the input of the k-th of several labels alone, whose output it has.
func (in Input) Target(k int) Input {
	n := len(in.Labels)
	of := func(scores []float64) []float64 {
		if scores == nil {
			return nil
		}
		return scores[k*n : (k+1)*n]
	}
	in.Labels, in.Raw, in.Values, in.Outputs, in.Targets = in.Targets[k], of(in.Raw), of(in.Values), 1, nil
	return in
}

// OutputMajor copies row-major scores to entries output*n + row.
func OutputMajor(rowMajor []float64, outputs int, to []float64) {
	n := len(rowMajor) / outputs
	for row := range n {
		for output := range outputs {
			to[output*n+row] = rowMajor[row*outputs+output]
		}
	}
}
