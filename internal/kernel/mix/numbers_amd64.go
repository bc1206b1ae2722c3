//go:build amd64 && !purego

package mix

import (
	"unsafe"

	"boost/internal/cpu"
	"boost/internal/rng"
)

// level is the instruction set in use.
var level = cpu.Used()

// perCall bounds the cells of one call, to a tenth of a millisecond: assembly cannot be interrupted.
const perCall = 1 << 16

// drawsAhead is Draws for as many rows as it can do, and says how many. key is that of the first row.
func drawsAhead(to []uint64, key uint64) (done int) {
	if level != cpu.AVX512 {
		return 0
	}
	for all := len(to) &^ 7; done < all; {
		n := min(all-done, perCall)
		drawsAVX512(&to[done], uint64(n), rng.From(key, uint64(done)))
		done += n
	}
	return done
}

// numbersAhead is Numbers for as many values as it can do, and says how many.
func numbersAhead[F float32 | float64](k Key, first int, values []F) (Sum, int) {
	if level != cpu.AVX512 {
		return Sum{}, 0
	}
	var total Sum
	all := len(values) &^ 7
	for done := 0; done < all; {
		part := values[done:min(done+perCall, all)]
		var sums [2][8]uint64 // of lanes: Lo, Hi
		n, row, out := uint64(len(part)), uint64(first+done)*golden, &sums[0][0]
		if unsafe.Sizeof(part[0]) == 4 {
			numbers32AVX512((*float32)(unsafe.Pointer(&part[0])), n, row, k[0], k[1], out)
		} else {
			numbers64AVX512((*float64)(unsafe.Pointer(&part[0])), n, row, k[0], k[1], out)
		}
		for lane, lo := range sums[0] {
			total.Add(Sum{Hi: sums[1][lane], Lo: lo})
		}
		done += len(part)
	}
	return total, all
}
