package accuracy

import (
	"context"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// WidthFigure is how narrow the columns of a set are.
type WidthFigure struct {
	Features int
	Few      int     // of at most 15 distinct values, gaps not counted
	U4       int     // whose codes take half a byte with the default parameters
	Saved    float64 // share of the bytes that one byte and more for every code would take
}

// MeasureWidths counts the columns of a set's training part that S0.20 is about.
func MeasureWidths(ctx context.Context, s *Set) (WidthFigure, error) {
	var f WidthFigure
	table, err := s.Open(ctx)
	if err != nil {
		return f, err
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	p := binning.Defaults()
	cuts, _, err := binning.Fit(ctx, table, nil, p, 1, pool)
	if err != nil {
		return f, err
	}
	const few = 15
	codes, wide := cuts.NCodes(), uint64(0)
	f.Features = len(codes)
	for i, column := range table.Features() {
		if distinct(column, few) <= few {
			f.Few++
		}
		if width := binning.WidthOf(codes[i]); width == binning.U4 {
			f.U4++
		}
		wide += binning.EstimateBytes(table.NumRows(), codes[i:i+1], binning.Uniform)
	}
	f.Saved = 1 - float64(binning.EstimateBytes(table.NumRows(), codes, p.Storage))/float64(wide)
	return f, nil
}

// distinct counts a column's values, up to one more than most.
func distinct(c *dataset.Column, most int) int {
	seen := map[float64]bool{}
	add := func(v float64) bool {
		if v == v {
			seen[v] = true
		}
		return len(seen) <= most
	}
	switch c.Kind() {
	case dataset.Category:
		for _, code := range c.Codes() {
			if code >= 0 && !add(float64(code)) {
				break
			}
		}
	case dataset.Float32:
		for _, v := range c.Float32s() {
			if !add(float64(v)) {
				break
			}
		}
	default:
		for _, v := range c.Float64s() {
			if !add(v) {
				break
			}
		}
	}
	return len(seen)
}
