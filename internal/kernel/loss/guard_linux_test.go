package loss_test

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"boost/internal/cpu"
	"boost/internal/kernel/loss"
)

// fenced copies numbers to where no memory may be touched before or after them: they
// begin a page, or they end one.
func fenced[T float32 | float64](t *testing.T, numbers []T, ends bool) []T {
	t.Helper()
	page, width := os.Getpagesize(), int(unsafe.Sizeof(T(0)))
	size := len(numbers) * width
	pages := (size + page - 1) / page
	memory, err := syscall.Mmap(-1, 0, (pages+2)*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	for _, at := range []int{0, (pages + 1) * page} {
		if err := syscall.Mprotect(memory[at:at+page], syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	start := page
	if ends {
		start = (pages+1)*page - size
	}
	kept := unsafe.Slice((*T)(unsafe.Pointer(&memory[start])), len(numbers))
	copy(kept, numbers)
	return kept
}

// A read or a write past either end of a slice kills the test.
func TestStaysInItsSlices(t *testing.T) {
	everyLevel(t, func(t *testing.T, _ cpu.Level) {
		r := rand.New(rand.NewPCG(13, 0))
		const k = 3
		for _, n := range []int{1, 3, 4, 7, 8, 9, 16, 31, 63, 64, 512, 513} {
			for _, ends := range []bool{false, true} {
				s, l, w := rowsOf(r, n, k, false)
				scores, labels, weights := fenced(t, s, ends), fenced(t, l, ends), fenced(t, w, ends)
				grad, hess := fenced(t, make([]float32, n*k), ends), fenced(t, make([]float32, n*k), ends)
				for _, own := range [][]float64{nil, weights} {
					loss.Softmax(grad, hess, scores, labels, own, k, n, 0, n, 1.5)
				}
				loss.SoftmaxValues(scores, scores, k, n, 0, n)
				for i := range labels {
					labels[i] = float64(i & 1)
				}
				scores, grad, hess = fenced(t, s[:n], ends), fenced(t, make([]float32, n), ends), fenced(t, make([]float32, n), ends)
				for _, own := range [][]float64{nil, weights} {
					loss.Logistic(grad, hess, scores, labels, own)
					loss.Squared(grad, hess, scores, labels, own)
				}
			}
		}
	})
}
