package testenv

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// Pages returns so many pages of zeros between two that may not be touched, until the test ends.
func Pages(t testing.TB, pages int) []byte {
	t.Helper()
	page := os.Getpagesize()
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
	return memory[page : (pages+1)*page : (pages+1)*page]
}

// FencedFirst returns n elements that begin where memory may not be touched before.
func FencedFirst[E any](t testing.TB, n int) []E {
	t.Helper()
	memory := Pages(t, pagesOf[E](n))
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(memory))), n)
}

// FencedLast returns n elements that end where memory may not be touched behind.
func FencedLast[E any](t testing.TB, n int) []E {
	t.Helper()
	memory := Pages(t, pagesOf[E](n))
	return unsafe.Slice((*E)(unsafe.Pointer(&memory[len(memory)-n*sizeOf[E]()])), n)
}

func sizeOf[E any]() int { return int(unsafe.Sizeof(*new(E))) }

// pagesOf returns how many pages n elements fill, at least one.
func pagesOf[E any](n int) int {
	page := os.Getpagesize()
	return max((n*sizeOf[E]()+page-1)/page, 1)
}
