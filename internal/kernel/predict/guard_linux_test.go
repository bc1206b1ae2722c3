package predict_test

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"boost/internal/kernel/predict"
)

// fenced returns so many bytes that end where memory may not be touched.
func fenced(t *testing.T, size int) []byte {
	t.Helper()
	page := os.Getpagesize()
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
	return memory[(pages+1)*page-size : (pages+1)*page : (pages+1)*page]
}

// Codes and scores end where memory may not be touched: a read or a write past their ends
// kills the test.
func TestTileStaysInItsSlices(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(43, 0))
		scores := (*[predict.TileRows]float64)(unsafe.Pointer(&fenced(t, 8*predict.TileRows)[0]))
		for _, leaves := range []int{2, 31, 32, 33, 256} {
			var area predict.Area
			s, codes := newTile(r, leaves, func(n int) []uint8 { return fenced(t, n) })
			s.checkTile(t, r, codes, scores, &area)
		}
	})
}
