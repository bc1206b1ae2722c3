package compress

import "boost/booster/model"

// KeepPlaces sets how many bytes the leaves of rows may take that are kept.
func KeepPlaces(bytes int) Option { return func(o *options) { o.mostPlaces = bytes } }

// ManyLeaves sets beyond how many leaves a model is large.
func ManyLeaves(n int) Option { return func(o *options) { o.manyLeaves = n } }

// Made is how many times leaves were put into a form.
func (t *Tensor) Made() int { return len(t.leaves) }

// RangeBound is the bound of raw scores of a pruned model with these leaf values in canonical
// order; rounds are the numbers that its rounds have in the whole one.
func RangeBound(whole, pruned *model.Model, rounds []int, values []float64) []float64 {
	return rangesOf(whole, pruned, rounds).bound(values)
}
