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
		if some && p.Codes != nil {
			row = slices.IndexFunc(p.Codes, func(code int32) bool { return code >= 0 && level[code] })
		}
		if some && p.Summary != nil {
			for i, l := range p.Summary.Levels {
				if level[l] {
					row = int(p.Summary.Firsts[i])
					break
				}
			}
		}
		if row >= 0 {
			return a.Firsts[k] + row
		}
	}
	return -1
}
