//go:build amd64 && !purego

package predict

import (
	"unsafe"

	"boost/internal/cpu"
)

func (s *search) code(values []float64, codes *rowCodes, set cpu.Level) (missing bool) {
	if len(s.features) == 0 {
		return false
	}
	switch {
	case set == cpu.AVX512 && s.inOrder:
		return s.codeGroups(values[s.features[0]:][:len(s.features)], codes)
	case set == cpu.AVX512:
		return s.codeGathered(values, codes)
	case set == cpu.AVX2:
		var singles [RowFeatures]float32
		n := uint64(len(s.features))
		return codeRowAVX2(&values[0], &s.features[0], &s.blocks[0], n, &s.pivots[0], &s.cuts[0], &singles, (*[RowFeatures]uint8)(codes)) != 0
	}
	return s.codeInGo(values, codes)
}

// codeGathered brings the values in order first. Loads one by one are no slower than those that
// gather.
func (s *search) codeGathered(values []float64, codes *rowCodes) (missing bool) {
	var ordered [RowFeatures]float64
	for f, index := range s.features {
		ordered[f] = values[index]
	}
	return s.codeGroups(ordered[:len(s.features)], codes)
}

// codeGroups writes the codes of the features' values.
func (s *search) codeGroups(values []float64, codes *rowCodes) (missing bool) {
	n, own := uint64(len(values)), (*[RowFeatures]uint8)(codes)
	if s.single {
		return codeRowSinglesAVX512(&values[0], n, &s.rows[0], unsafe.SliceData(s.ends32), &s.blocks[0], &s.pivots[0], own) != 0
	}
	return codeRowDoublesAVX512(&values[0], n, &s.rows[0], unsafe.SliceData(s.ends64), &s.blocks[0], &s.cuts[0], own) != 0
}
