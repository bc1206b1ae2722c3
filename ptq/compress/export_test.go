package compress

import "boost/booster/model"

// KeepPlaces sets how many bytes the leaves of rows may take that are kept, until it is undone.
func KeepPlaces(bytes int) (undo func()) {
	was := mostPlaces
	mostPlaces = bytes
	return func() { mostPlaces = was }
}

// RangeBound is the bound of raw scores of a pruned model with these leaf values in canonical
// order; rounds are the numbers that its rounds have in the whole one.
func RangeBound(whole, pruned *model.Model, rounds []int, values []float64) []float64 {
	return rangesOf(whole, pruned, rounds).bound(values)
}
