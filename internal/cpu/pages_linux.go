package cpu

import (
	"syscall"
	"unsafe"
)

// largePage is the size of the pages that LargePages asks for.
const largePage = 2 << 20

// LargePages asks the system to keep memory that nothing was written to yet in large
// pages, where it has any: reads all over it then find their page without a search. It is
// a wish; what comes of it does not matter to what is read.
func LargePages(b []byte) {
	const hugePage = 14 // MADV_HUGEPAGE, which package syscall does not name everywhere
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := (largePage - start%largePage) % largePage
	if uintptr(len(b)) < skip+largePage {
		return
	}
	whole := (uintptr(len(b)) - skip) / largePage * largePage
	_ = syscall.Madvise(b[skip:skip+whole], hugePage) // a system without such pages says so
}
