package scan_test

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"boost/internal/cpu"
	"boost/internal/kernel/scan"
	"boost/internal/need"
)

// fenced returns words that end where memory may not be touched.
func fenced[T int64 | uint64](t *testing.T, n int) []T {
	t.Helper()
	page := os.Getpagesize()
	pages := (8*n + page - 1) / page
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
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[(pages+1)*page-8*n])), n)
}

// A read past the end of a feature's sums kills the test.
func TestStaysInItsSlices(t *testing.T) {
	need.Vectors(t, cpu.AVX512)
	scan.UseGo(false)
	for codes := 2; codes < 70; codes++ {
		f := &scan.Feature[int64, uint64]{Grad: fenced[int64](t, codes), Hess: fenced[uint64](t, codes), Regular: codes}
		for c := range codes {
			f.Grad[c], f.Hess[c] = int64(c)-7, uint64(c+1)
			f.Total.Grad += f.Grad[c]
			f.Total.Hess += f.Hess[c]
		}
		rule := scan.Rule{MinChild: 1e-3, GradScale: 1, HessScale: 1, MinRows: 1}
		bothForms(t, codes, f, &rule)
	}
}
