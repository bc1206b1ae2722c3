package chunk

import (
	"slices"

	"boost/dataset/internal/missing"
)

// Summary stands for the values of a column chunk that are not kept: it holds what inferring
// a column's type and dictionary needs to know of them.
type Summary struct {
	Rows int
	Wide bool // numbers: at least one is not exact in float32
	// Infinite is how many numbers are infinite, and FirstInfinite the row of the first, counted as Rows are.
	Infinite, FirstInfinite int
	counts                  []int32 // levels: the cells that hold each of the column chunk's fresh levels
	Firsts                  []int32 // levels: the first row of each, counted from the start of the chunk
	Levels                  []int32 // levels: the fresh ones, as indices of the column's merged dictionary
}

// Summarize takes the values off a column chunk of a chunk of rows rows. Rows in bad,
// ascending, do not count: they are left out of the table.
func (p *ColumnChunk) Summarize(rows int, bad []int32) {
	s := &Summary{Rows: rows - len(bad)}
	switch {
	case p.Numeric():
		if len(bad) > 0 {
			p.dropNumbers(bad)
		}
		// A row of a wrong shape, which is left out, can be what made the column chunk wide.
		s.Wide = p.F64 != nil && !AllExact(p.F64)
		if s.Infinite, s.FirstInfinite = missing.Infinite64(p.F64); p.F64 == nil {
			s.Infinite, s.FirstInfinite = missing.Infinite32(p.F32)
		}
		p.F32, p.F64 = []float32{}, nil // of no capacity: a slice of the values would keep them all
	case p.Codes != nil:
		s.count(p, bad)
		p.Codes = nil
	default:
		p.Words = &noWords
	}
	p.Summary = s
}

// dropNumbers leaves out the rows in bad, which the odd cells are among.
func (p *ColumnChunk) dropNumbers(bad []int32) {
	if p.F64 != nil {
		p.F64 = DropRows(p.F64, bad)
		p.Present = Present(p.F64)
	} else {
		p.F32 = DropRows(p.F32, bad)
		p.Present = Present(p.F32)
	}
	p.DropOdd()
}

// count counts the levels of the rows that are not bad, and finds their order anew
// where bad rows may have changed it.
func (s *Summary) count(p *ColumnChunk, bad []int32) {
	at := make(map[int32]int32, len(p.Fresh)) // by level: its place in fresh, plus 1
	var fresh []int32
	p.Present = 0
	for row, code := range p.Codes {
		if len(bad) > 0 && int(bad[0]) == row {
			bad = bad[1:]
			continue
		}
		if code < 0 {
			continue
		}
		p.Present++
		i := at[code]
		if i == 0 {
			fresh = append(fresh, code)
			s.counts, s.Firsts = append(s.counts, 0), append(s.Firsts, int32(row))
			i = int32(len(fresh))
			at[code] = i
		}
		s.counts[i-1]++
	}
	p.Fresh = fresh
}

// Count returns how many cells hold the level that Levels has at i.
func (s *Summary) Count(i int) int { return int(s.counts[i]) }

// merge translates the levels to the merged dictionary and adds up their cells.
func (s *Summary) merge(p *ColumnChunk, counts []int) {
	s.Levels = make([]int32, len(p.Fresh))
	for i, code := range p.Fresh {
		s.Levels[i] = p.Dictionary.Merged[code]
		counts[s.Levels[i]] += int(s.counts[i])
	}
}

// DropRows returns values without the rows in bad, which ascend.
func DropRows[T any](values []T, bad []int32) []T {
	if len(bad) == 0 || len(values) == 0 {
		return values
	}
	kept := make([]T, 0, len(values)-len(bad))
	for row, v := range values {
		if len(bad) > 0 && int(bad[0]) == row {
			bad = bad[1:]
			continue
		}
		kept = append(kept, v)
	}
	return kept
}

// FirstOf returns the first row, counted from the start of the chunk, whose level is marked, −1 without one.
func (p *ColumnChunk) FirstOf(marked []bool) int {
	if p.Summary != nil {
		for i, level := range p.Summary.Levels {
			if marked[level] {
				return int(p.Summary.Firsts[i])
			}
		}
	}
	return slices.IndexFunc(p.Codes, func(code int32) bool { return code >= 0 && marked[code] })
}
