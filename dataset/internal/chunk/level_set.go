package chunk

// levelSet is the dictionary of a column in the making: the levels of column chunks that are
// added in the order of their rows, in row order of first appearance.
type levelSet struct {
	levels []string
	index  map[string]int32
}

// add adds the levels of a column chunk. The indices of all its codes are then in the merged ones
// of its dictionary.
func (s *levelSet) add(p *ColumnChunk) {
	if s.index == nil {
		s.index = make(map[string]int32)
	}
	d := p.Dictionary
	for len(d.Merged) < len(p.Levels) {
		d.Merged = append(d.Merged, -1)
	}
	for _, code := range p.Fresh {
		if d.Merged[code] >= 0 {
			continue
		}
		level := p.Levels[code]
		at, ok := s.index[level]
		if !ok {
			at = int32(len(s.levels))
			s.index[level] = at
			s.levels = append(s.levels, level)
		}
		d.Merged[code] = at
		d.moved = d.moved || at != code
	}
}

// translate writes the indices of codes to to, which may be codes. Those of no level stay
// as they are.
func (d *Dictionary) translate(to, codes []int32) {
	if !d.moved {
		copy(to, codes)
		return
	}
	merged := d.Merged
	to = to[:len(codes)]
	for i, code := range codes {
		none := code >> 31 // all ones where there is no level; gaps are hard to foresee
		to[i] = merged[code&^none]&^none | code&none
	}
}

// Merge joins the column chunks of text of a column into one dictionary, in row order of first
// appearance. It returns the levels and how many cells hold each; nil instead where that
// was not counted, see columnBuilder.count.
func Merge(columns []*ColumnChunk) (levels []string, counts []int) {
	all := new(levelSet)
	for _, p := range columns {
		switch {
		case p.joined != nil:
			return p.joined.levels, nil
		case p.Dictionary != nil:
			all.add(p)
		}
	}
	counts = make([]int, len(all.levels))
	for _, p := range columns {
		if p.Dictionary == nil {
			continue
		}
		p.Dictionary.translate(p.Codes, p.Codes)
		CountCodes(p.Codes, counts)
		if p.Summary != nil {
			p.Summary.merge(p, counts)
		}
		p.Dictionary = nil
	}
	return all.levels, counts
}

func CountCodes(codes []int32, counts []int) {
	for _, code := range codes {
		if code >= 0 {
			counts[code]++
		}
	}
}
