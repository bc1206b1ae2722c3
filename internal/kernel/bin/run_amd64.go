//go:build amd64 && !purego

package bin

import (
	"unsafe"

	"boost/internal/cpu"
)

// pass is the number of values that the kernels take at a time.
const pass = 32

// run writes codes as wide as the depth asks for: bytes up to 8 levels, words of 16
// bits above. What the last pass lacks is made up by zeros.
func run[K Code, V Float](dst []K, values []V, p *pivots) {
	if p.level == cpu.Generic {
		descend(dst, values, p)
		return
	}
	dst = dst[:len(values)]
	full := len(values) &^ (pass - 1)
	vector(dst[:full], values[:full], p)
	if full < len(values) {
		var last [pass]V
		var codes [pass]K
		copy(last[:], values[full:])
		vector(codes[:], last[:], p)
		copy(dst[full:], codes[:])
	}
}

// vector is run by a kernel in assembly, for a multiple of pass values.
func vector[K Code, V Float](dst []K, values []V, p *pivots) {
	n := len(values)
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(values))
	switch words, double := unsafe.Sizeof(K(0)) == 2, unsafe.Sizeof(V(0)) == 8; {
	case !words && !double:
		p.bytes32(unsafe.Slice((*uint8)(to), n), unsafe.Slice((*float32)(from), n))
	case !words:
		p.bytes64(unsafe.Slice((*uint8)(to), n), unsafe.Slice((*float64)(from), n))
	case !double:
		p.words32(unsafe.Slice((*uint16)(to), n), unsafe.Slice((*float32)(from), n))
	default:
		p.words64(unsafe.Slice((*uint16)(to), n), unsafe.Slice((*float64)(from), n))
	}
}

func (p *pivots) bytes32(dst []uint8, values []float32) {
	avx512 := p.level == cpu.AVX512
	switch {
	case p.depth == 4 && avx512:
		descend32L4AVX512(dst, values, p.nodes, p.missing)
	case p.depth == 4:
		descend32L4AVX2(dst, values, p.nodes, p.missing)
	case p.depth == 6 && avx512:
		descend32L6AVX512(dst, values, p.nodes, p.missing)
	case p.depth == 6:
		descend32L6AVX2(dst, values, p.nodes, p.missing)
	case avx512:
		descend32L8AVX512(dst, values, p.nodes, p.missing)
	default:
		descend32L8AVX2(dst, values, p.nodes, p.missing)
	}
}

func (p *pivots) bytes64(dst []uint8, values []float64) {
	avx512 := p.level == cpu.AVX512
	switch {
	case p.depth == 4 && avx512:
		descend64L4AVX512(dst, values, p.nodes, p.missing, p.cuts, p.half)
	case p.depth == 4:
		descend64L4AVX2(dst, values, p.nodes, p.missing, p.cuts, p.half)
	case p.depth == 6 && avx512:
		descend64L6AVX512(dst, values, p.nodes, p.missing, p.cuts, p.half)
	case p.depth == 6:
		descend64L6AVX2(dst, values, p.nodes, p.missing, p.cuts, p.half)
	case avx512:
		descend64L8AVX512(dst, values, p.nodes, p.missing, p.cuts, p.half)
	default:
		descend64L8AVX2(dst, values, p.nodes, p.missing, p.cuts, p.half)
	}
}

func (p *pivots) words32(dst []uint16, values []float32) {
	if p.level == cpu.AVX512 {
		descend32DeepAVX512(dst, values, p.nodes, p.missing, uint64(p.depth-8))
	} else {
		descend32DeepAVX2(dst, values, p.nodes, p.missing, uint64(p.depth-8))
	}
}

func (p *pivots) words64(dst []uint16, values []float64) {
	if p.level == cpu.AVX512 {
		descend64DeepAVX512(dst, values, p.nodes, p.missing, uint64(p.depth-8), p.cuts, p.half)
	} else {
		descend64DeepAVX2(dst, values, p.nodes, p.missing, uint64(p.depth-8), p.cuts, p.half)
	}
}
