package build

import (
	"math"
	"slices"

	"boost/dataset/internal/chunk"
)

// LargeRow returns the row of the first whole number from 2⁵³ on of a column that becomes
// numbers, values being those of its levels; −1 without one.
func (a *Builder) LargeRow(c *Column, values []float64) int {
	level := make([]bool, len(values))
	some := false
	for i, v := range values {
		level[i] = math.Abs(v) >= chunk.ExactWhole
		some = some || level[i]
	}
	if slices.ContainsFunc(values, func(v float64) bool { return !chunk.IsNumbering(v) }) ||
		slices.ContainsFunc(c.Chunks, func(p *chunk.ColumnChunk) bool { return p.Large < 0 }) {
		return -1
	}
	for k, p := range c.Chunks {
		row := int(p.Large) - 1
		if some && row < 0 {
			row = p.FirstOf(level)
		}
		if row >= 0 {
			return a.Firsts[k] + row
		}
	}
	return -1
}
