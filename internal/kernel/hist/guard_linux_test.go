package hist_test

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
)

// The codes of a row-major block lie between two pages that may not be touched: a
// read past either end kills the test.
func TestRowMajorStaysInItsCodes(t *testing.T) {
	page := os.Getpagesize()
	const pages = 16
	memory, err := syscall.Mmap(-1, 0, (pages+2)*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Munmap(memory) }()
	for _, at := range []int{0, (pages + 1) * page} {
		if err := syscall.Mprotect(memory[at:at+page], syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	inner := memory[page : (pages+1)*page]
	r := rand.New(rand.NewPCG(4, 0))
	for _, features := range []int{1, 3, 4, 5, 62, 63, 64, 65, 127, 128, 129} {
		stride := (features + 3) &^ 3
		rows := min(len(inner)/stride, 300)
		b := randomBlock(r, rows, features, 256, 0.3)
		b.rows = append(b.rows[:0], 0, uint16(rows/2), uint16(rows-1))
		// The last row ends with its last feature: what pads it to the stride is not there.
		size := (rows-1)*stride + features
		checkRowMajor(t, b, stride, inner[len(inner)-size:])
		checkRowMajor(t, b, stride, inner[:size])
	}
}
