package dataset

// summary stands for the values of a piece that are not kept: it holds what settling
// a column's type and dictionary needs to know of them.
type summary struct {
	rows   int
	wide   bool    // numbers: at least one is not exact in float32
	counts []int32 // levels: the cells that hold each of the piece's fresh levels
	firsts []int32 // levels: the first row of each, counted from the start of the chunk
	levels []int32 // levels: the fresh ones, as indices of the column's merged dictionary
}

// summarize takes the values off a piece of a chunk of rows rows. Rows in bad,
// ascending, do not count: they are left out of the table.
func (p *piece) summarize(rows int, bad []int32) {
	s := &summary{rows: rows - len(bad)}
	switch {
	case p.numeric():
		if len(bad) > 0 {
			p.dropNumbers(bad)
		}
		// A row of a wrong shape, which is left out, can be what made the piece wide.
		s.wide = p.f64 != nil && !allExact(p.f64)
		p.f32, p.f64 = []float32{}, nil // of no capacity: a slice of the values would keep them all
	case p.codes != nil:
		s.count(p, bad)
		p.codes = nil
	default:
		p.text, p.offsets = nil, nil
	}
	p.summary = s
}

// dropNumbers leaves out the rows in bad, which the odd cells are among.
func (p *piece) dropNumbers(bad []int32) {
	if p.f64 != nil {
		p.f64 = dropRows(p.f64, bad)
		p.present = present(p.f64)
	} else {
		p.f32 = dropRows(p.f32, bad)
		p.present = present(p.f32)
	}
	p.odd = oddCells{}
}

// count counts the levels of the rows that are not bad, and finds their order anew
// where bad rows may have changed it.
func (s *summary) count(p *piece, bad []int32) {
	at := make(map[int32]int32, len(p.fresh)) // by level: its place in fresh, plus 1
	var fresh []int32
	p.present = 0
	for row, code := range p.codes {
		if len(bad) > 0 && int(bad[0]) == row {
			bad = bad[1:]
			continue
		}
		if code < 0 {
			continue
		}
		p.present++
		i := at[code]
		if i == 0 {
			fresh = append(fresh, code)
			s.counts, s.firsts = append(s.counts, 0), append(s.firsts, int32(row))
			i = int32(len(fresh))
			at[code] = i
		}
		s.counts[i-1]++
	}
	p.fresh = fresh
}

// merge translates the levels to the merged dictionary and adds up their cells.
func (s *summary) merge(p *piece, counts []int) {
	s.levels = make([]int32, len(p.fresh))
	for i, code := range p.fresh {
		s.levels[i] = p.dictionary.merged[code]
		counts[s.levels[i]] += int(s.counts[i])
	}
}

// dropRows returns values without the rows in bad, which ascend.
func dropRows[T any](values []T, bad []int32) []T {
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
