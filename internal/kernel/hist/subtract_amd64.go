//go:build amd64 && !purego

package hist

import (
	"unsafe"

	"boost/internal/cpu"
)

// subtracting is the instruction set that sums are subtracted with, and added up by Margins.
var subtracting = cpu.Used()

// subtractVectors is Subtract for the first sums, and says how many. A call takes half a
// millisecond at most: assembly cannot be interrupted.
func subtractVectors[T int64 | uint64](from, what []T) (done int) {
	for {
		n := min(len(what)-done, 1<<18)
		switch subtracting {
		case cpu.AVX512:
			n &^= 15
		case cpu.AVX2:
			n &^= 7
		default:
			n = 0
		}
		if n == 0 {
			return done
		}
		to, less := (*uint64)(unsafe.Pointer(&from[done])), (*uint64)(unsafe.Pointer(&what[done]))
		if subtracting == cpu.AVX512 {
			subtractAVX512(to, less, uint64(n))
		} else {
			subtractAVX2(to, less, uint64(n))
		}
		done += n
	}
}
