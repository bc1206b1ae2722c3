package grow

import "boost/binning"

// shape is what a search has to know of a feature.
type shape struct {
	from, to int // its slots
	regular  int // codes of present values
	common   int // a code that many rows have
	numeric  bool
	flags    int // how many features from this one on are numeric ones of two codes without a missing one
}

func shapesOf(features []binning.Feature, m *binning.Matrix) []shape {
	shapes, offsets := make([]shape, len(features)), m.Offsets()
	flags := 0
	var counts []int
	for f := len(features) - 1; f >= 0; f-- {
		feature := &features[f]
		s := shape{from: int(offsets[f]), to: int(offsets[f+1]), regular: int(feature.Regular), numeric: feature.Kind != binning.Categorical}
		if flags++; !s.numeric || s.regular != 2 || feature.HasMissing {
			flags = 0
		}
		s.flags = flags
		if s.numeric {
			counts = append(counts[:0], make([]int, s.to-s.from)...)
			s.common = commonCode(m, f, counts)
		}
		shapes[f] = s
	}
	return shapes
}

// commonCode returns the most frequent code of a feature in some rows, or that which is not stored. counts
// holds a 0 for each code.
func commonCode(m *binning.Matrix, f int, counts []int) int {
	if code, ok := m.Rest(f); ok {
		return int(code)
	}
	if !m.ByColumns() {
		return 0
	}
	const some = 512
	column, common := m.Column(f), 0
	for row, step := 0, max(1, m.NRows()/some); row < m.NRows(); row += step {
		code := int(column.At(row))
		if counts[code]++; counts[code] > counts[common] {
			common = code
		}
	}
	return common
}
