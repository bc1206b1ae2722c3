//go:build amd64 && !purego

package text

import (
	"math/bits"
	"unsafe"

	"boost/internal/cpu"
)

// Usable reports whether Read and Ends ever find anything on this machine.
func Usable() bool { return cpu.Used() == cpu.AVX512 }

func ends(list []int32, text []byte, at int, sep byte) int {
	to := at + (len(text)-at)&^63
	want := len(list) - 63
	if !Usable() || at >= to || to > 1<<31-1 || want < 1 {
		return 0
	}
	return int(cellEndsAVX512(&list[0], unsafe.SliceData(text), uint64(at), uint64(to), uint64(want), uint64(sep)))
}

func (w *Window) read(text []byte, at int, sep, decimal byte) (cells, numbers int) {
	w.n, w.next, w.ok = 0, 0, 0
	to := at + (len(text)-at)&^63
	if !Usable() || at < 16 || at >= to || to > 1<<31-1 {
		return 0, 0
	}
	start := unsafe.SliceData(text)
	found := cellEndsAVX512(&w.ends[1], start, uint64(at), uint64(to), Cells, uint64(sep))
	w.n = min(int(found), Cells)
	w.ends[0] = int32(at - 1)
	// Cells that are none have no length and end where there is something to read.
	groups := (w.n + 7) / 8
	for i := range w.ends[w.n+1 : 8*groups+1] {
		w.ends[w.n+1+i] = w.ends[w.n]
	}
	if w.n > 0 {
		w.ok = numbersAVX512(&w.values[0], &w.ends[0], start, uint64(groups), 0x0101010101010101*uint64(decimal), &powers)
	}
	return w.n, bits.OnesCount64(w.ok)
}
