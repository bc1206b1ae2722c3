//go:build amd64 && !purego

package hist

import (
	"math"

	"boost/internal/cpu"
)

// lanes is how many words a vector holds; 0: words are not taken by vectors.
func lanes() int {
	switch unpacking {
	case cpu.AVX512:
		return 8
	case cpu.AVX2:
		return 4
	}
	return 0
}

// steps returns how many of n entries of a block vectors take, so many at a time.
func steps(n, at int) int {
	if at == 0 {
		return 0
	}
	return min(n, BlockRows) &^ (at - 1)
}

// packVectors is Pack for as many entries as vectors take, and returns their number.
func packVectors(entries []uint64, grad []int16, hess []uint16) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		packAVX512(&entries[0], &grad[0], &hess[0], uint64(n))
	default:
		packAVX2(&entries[0], &grad[0], &hess[0], uint64(n))
	}
	return n
}

// packEqualVectors is PackEqual of rows in order for as many entries as vectors take, and returns
// their number.
func packEqualVectors(entries []uint64, grad []int16, hess uint16) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		packEqualAVX512(&entries[0], &grad[0], uint64(hess), uint64(n))
	default:
		packEqualAVX2(&entries[0], &grad[0], uint64(hess), uint64(n))
	}
	return n
}

// pack8Vectors is Pack8 of rows in order for as many entries as vectors take, and returns their number.
func pack8Vectors(entries []uint64, packed []uint16) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		pack8AVX512(&entries[0], &packed[0], uint64(n))
	default:
		pack8AVX2(&entries[0], &packed[0], uint64(n))
	}
	return n
}

// pack4Vectors is pack8Vectors for Pack4.
func pack4Vectors(entries []uint64, packed []uint8) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		pack4AVX512(&entries[0], &packed[0], uint64(n))
	default:
		pack4AVX2(&entries[0], &packed[0], uint64(n))
	}
	return n
}

// packIndexVectors is PackIndex of rows in order for as many entries as vectors take, and returns their number.
func packIndexVectors(entries []uint64) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		packIndexAVX512(&entries[0], uint64(n))
	default:
		packIndexAVX2(&entries[0], uint64(n))
	}
	return n
}

// packListVectors is packIndexVectors for listed rows.
func packListVectors(entries []uint64, rows []uint16) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		packListAVX512(&entries[0], &rows[0], uint64(n))
	default:
		packListAVX2(&entries[0], &rows[0], uint64(n))
	}
	return n
}

// sumCodesVectors adds up the codes of as many rows as vectors take, if they are of 32 bits, and returns
// their number.
func sumCodesVectors[G int16 | int32, H uint16 | uint32](grad []G, hess []H) (gradSum int64, hessSum uint64, n int) {
	g, isGrad := any(grad).([]int32)
	h, isHess := any(hess).([]uint32)
	if n = steps(len(grad), 2*lanes()); n == 0 || !isGrad || !isHess {
		return 0, 0, 0
	}
	if unpacking == cpu.AVX512 {
		gradSum, hessSum = totalCodesAVX512(&g[0], &h[0], uint64(n))
	} else {
		gradSum, hessSum = totalCodesAVX2(&g[0], &h[0], uint64(n))
	}
	return gradSum, hessSum, n
}

// totalVectors adds up the packed words of as many entries as vectors take, and returns their number.
func totalVectors(entries []uint64) (packed uint64, n int) {
	n = steps(len(entries), 2*lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		packed = totalAVX512(&entries[0], uint64(n))
	default:
		packed = totalAVX2(&entries[0], uint64(n))
	}
	return packed, n
}

// sumFloatsVectors is SumFloats for as many entries as vectors take, and returns their number.
func sumFloatsVectors(entries []uint64, grad, hess []float32, gradUp, hessUp float64) (gradSum, hessSum int64, n int) {
	n = steps(len(entries), lanes())
	if n == 0 {
		return 0, 0, 0
	}
	_, _ = grad[Row(entries[n-1])], hess[Row(entries[n-1])] // rows ascend
	if unpacking == cpu.AVX512 {
		gradSum, hessSum = sumFloatsAVX512(&entries[0], uint64(n), &grad[0], &hess[0], gradUp, hessUp)
	} else {
		gradSum, hessSum = sumFloatsAVX2(&entries[0], uint64(n), &grad[0], &hess[0], gradUp, hessUp)
	}
	return gradSum, hessSum, n
}

// unpacking is the instruction set that words are packed, added up and unpacked with.
var unpacking = cpu.Used()

// unpackAhead is Unpack for as many sums as vectors take, and returns their number.
func unpackAhead(grad []int64, hess []uint64, sums []uint64) int {
	n := min(len(sums), 1<<20)
	switch unpacking {
	case cpu.AVX512:
		if n &^= 7; n > 0 {
			unpackAVX512(&grad[0], &hess[0], &sums[0], uint64(n))
		}
		return n
	case cpu.AVX2:
		if n &^= 3; n > 0 {
			unpackAVX2(&grad[0], &hess[0], &sums[0], uint64(n))
		}
		return n
	}
	return 0
}

// unpackToAhead is UnpackTo for as many sums as vectors take, and returns their number.
func unpackToAhead(grad []int64, hess []uint64, sums []uint64) int {
	n := min(len(sums), 1<<20)
	switch unpacking {
	case cpu.AVX512:
		if n &^= 7; n > 0 {
			unpackToAVX512(&grad[0], &hess[0], &sums[0], uint64(n))
		}
		return n
	case cpu.AVX2:
		if n &^= 3; n > 0 {
			unpackToAVX2(&grad[0], &hess[0], &sums[0], uint64(n))
		}
		return n
	}
	return 0
}

// splitVectors is Split for as many sums as vectors take, and returns their number.
func splitVectors(grad []int64, hess []uint64, sums []uint64) int {
	n := steps(len(sums), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		splitAVX512(&grad[0], &hess[0], &sums[0], uint64(n))
	default:
		splitAVX2(&grad[0], &hess[0], &sums[0], uint64(n))
	}
	return n
}

// mergeVectors is Merge for as many sums as vectors take, and returns their number.
func mergeVectors(to, from []uint64) int {
	n := steps(len(from), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		mergeAVX512(&to[0], &from[0], uint64(n))
	default:
		mergeAVX2(&to[0], &from[0], uint64(n))
	}
	return n
}

// moveVectors is Move for as many sums as vectors take, and returns their number.
func moveVectors(to, from []uint64) int {
	n := steps(len(from), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		moveAVX512(&to[0], &from[0], uint64(n))
	default:
		moveAVX2(&to[0], &from[0], uint64(n))
	}
	return n
}

// leastVectors is LeastHess for as many entries as vectors take, and returns their number.
func leastVectors(entries []uint64) (least uint64, n int) {
	if unpacking == cpu.Generic {
		return math.MaxUint16, 0
	}
	if n = len(entries) &^ 15; n == 0 {
		return math.MaxUint16, 0
	}
	return leastAVX2(&entries[0], uint64(n)), n
}
