//go:build amd64 && !purego

package predict

import (
	"unsafe"

	"boost/internal/cpu"
)

func (f *forest) add(codes *rowCodes, missing bool, sum float64, set cpu.Level) float64 {
	groups, trees, stride := uint64(len(f.places)), uint64(f.trees), uint64(f.stride)
	// There is not one byte where no tree has a node.
	bytes, lefts, leaves, own := unsafe.SliceData(f.bytes), unsafe.SliceData(f.lefts), &f.leaves[0], (*[RowFeatures]uint8)(codes)
	switch {
	case set == cpu.AVX512 && f.many && missing:
		return addForestManyMissingAVX512(groups, trees, &f.places[0], bytes, lefts, leaves, stride, own, sum)
	case set == cpu.AVX512 && f.many:
		return addForestManyAVX512(groups, trees, &f.places[0], bytes, lefts, leaves, stride, own, sum)
	case set == cpu.AVX512 && missing:
		return addForestMissingAVX512(groups, trees, &f.places[0], bytes, lefts, leaves, stride, own, sum)
	case set == cpu.AVX512:
		return addForestAVX512(groups, trees, &f.places[0], bytes, lefts, leaves, stride, own, sum)
	case set == cpu.AVX2 && f.many && missing:
		return addForestManyMissingAVX2(groups, trees, &f.places[0], bytes, lefts, leaves, stride, own, sum)
	case set == cpu.AVX2 && f.many:
		return addForestManyAVX2(groups, trees, &f.places[0], bytes, lefts, leaves, stride, own, sum)
	case set == cpu.AVX2 && missing:
		return addForestMissingAVX2(groups, trees, &f.places[0], bytes, lefts, leaves, stride, own, sum)
	case set == cpu.AVX2:
		return addForestAVX2(groups, trees, &f.places[0], bytes, lefts, leaves, stride, own, sum)
	}
	return f.addInGo(codes, sum)
}
