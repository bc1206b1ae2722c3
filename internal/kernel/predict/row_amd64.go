//go:build amd64 && !purego

package predict

import (
	"unsafe"

	"boost/internal/cpu"
)

func (r *Row) code(values []float64, codes *rowCodes, set cpu.Level) (missing bool) {
	if len(r.features) == 0 {
		return false
	}
	n := uint64(len(r.features))
	var singles [RowFeatures]float32
	switch set {
	case cpu.AVX512:
		return codeRowAVX512(&values[0], &r.features[0], &r.blocks[0], n, &r.pivots[0], &r.cuts[0], &singles, (*[2][RowFeatures]uint8)(codes)) != 0
	case cpu.AVX2:
		return codeRowAVX2(&values[0], &r.features[0], &r.blocks[0], n, &r.pivots[0], &r.cuts[0], &singles, (*[2][RowFeatures]uint8)(codes)) != 0
	}
	return r.codeInGo(values, codes)
}

func (f *forest) add(codes *rowCodes, missing bool, sum float64, set cpu.Level) float64 {
	groups, trees, stride := uint64(len(f.places)), uint64(f.trees), uint64(f.stride)
	// There is not one byte where no tree has a node.
	bytes, leaves, own := unsafe.SliceData(f.bytes), &f.leaves[0], (*[2][RowFeatures]uint8)(codes)
	switch {
	case set == cpu.AVX512 && f.many && missing:
		return addForestManyMissingAVX512(groups, trees, &f.places[0], bytes, leaves, stride, own, sum)
	case set == cpu.AVX512 && f.many:
		return addForestManyAVX512(groups, trees, &f.places[0], bytes, leaves, stride, own, sum)
	case set == cpu.AVX512 && missing:
		return addForestMissingAVX512(groups, trees, &f.places[0], bytes, leaves, stride, own, sum)
	case set == cpu.AVX512:
		return addForestAVX512(groups, trees, &f.places[0], bytes, leaves, stride, own, sum)
	case set == cpu.AVX2 && f.many && missing:
		return addForestManyMissingAVX2(groups, trees, &f.places[0], bytes, leaves, stride, own, sum)
	case set == cpu.AVX2 && f.many:
		return addForestManyAVX2(groups, trees, &f.places[0], bytes, leaves, stride, own, sum)
	case set == cpu.AVX2 && missing:
		return addForestMissingAVX2(groups, trees, &f.places[0], bytes, leaves, stride, own, sum)
	case set == cpu.AVX2:
		return addForestAVX2(groups, trees, &f.places[0], bytes, leaves, stride, own, sum)
	}
	return f.addInGo(codes, sum)
}
