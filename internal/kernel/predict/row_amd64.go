//go:build amd64 && !purego

package predict

import "boost/internal/cpu"

func rowVectors() bool { return vectors == cpu.AVX512 }

func (r *Row) code(values []float64, codes *[2][RowFeatures]uint32) (missing bool) {
	if vectors != cpu.AVX512 {
		return r.codeInGo(values, codes)
	}
	if len(r.features) == 0 {
		return false
	}
	return codeRowAVX512(&values[0], &r.features[0], &r.regular[0], uint64(len(r.features)), &r.pivots[0], &r.cuts[0], codes) != 0
}

func (f *forest) add(codes *[2][RowFeatures]uint32, missing bool, sum float64) float64 {
	switch {
	case vectors != cpu.AVX512:
		return f.addInGo(codes, sum)
	case missing:
		return addForestMissingAVX512(uint64(f.groups()), &f.words[0], &f.leaves[0], codes, sum)
	}
	return addForestAVX512(uint64(f.groups()), &f.words[0], &f.leaves[0], codes, sum)
}
