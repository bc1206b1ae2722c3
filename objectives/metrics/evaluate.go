package metrics

import "boost/parallel"

// Link makes predictions of raw scores, as objectives.Link does.
type Link interface {
	// Apply writes the predictions of rows lo … hi-1 of n. Both slices are output-major.
	Apply(outputs int, raw, values []float64, lo, hi, n int)
}

// Evaluate writes the predictions that belong to in.Raw into in.Values, and returns each metric of the
// list.
func Evaluate(in Input, link Link, list []Metric) []float64 {
	n := len(in.Raw) / in.Outputs
	run(in.Pool, parallel.Blocks(n, blockRows), parallel.Func(func(_, block int) {
		lo, hi := parallel.Block(block, n, blockRows)
		link.Apply(in.Outputs, in.Raw, in.Values, lo, hi, n)
	}))
	out := make([]float64, len(list))
	for i, m := range list {
		out[i] = m.Eval(in)
	}
	return out
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
