package bin

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"boost/internal/testenv"
)

// first and last return n elements at either end of memory.
func first[E any](memory []byte, n int) []E {
	return unsafe.Slice((*E)(unsafe.Pointer(&memory[0])), len(memory)/int(unsafe.Sizeof(*new(E))))[:n]
}

func last[E any](memory []byte, n int) []E {
	all := first[E](memory, len(memory)/int(unsafe.Sizeof(*new(E))))
	return all[len(all)-n:]
}

// Values, pivots, cuts and codes lie at the ends of pages beyond which nothing may be
// read or written: an access outside kills the test.
func TestDescentStaysInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	values, single, nodes, cuts, codes := testenv.Pages(t, 1), testenv.Pages(t, 1), testenv.Pages(t, 1), testenv.Pages(t, 1), testenv.Pages(t, 1)
	for _, n := range []int{14, 62, 254, 400} {
		bounds := cutsOf(rng, n, rng.NormFloat64)
		v64 := make([]float64, 130)
		for i := range v64 {
			v64[i] = rng.NormFloat64()
		}
		v32 := narrowed(v64)
		for _, level := range levels() {
			p64, p32 := newPivots64(bounds, level), newPivots32(narrowed(bounds), level)
			for _, place := range []placed{{atEnd: false}, {atEnd: true}} {
				p64.nodes, p64.cuts = inPage(place, nodes, p64.nodes), inPage(place, cuts, p64.cuts)
				for length := range len(v64) + 1 {
					checkInPage(t, place, codes, inPage(place, values, v64[:length]), bounds, p64)
				}
				p32.nodes = inPage(place, nodes, p32.nodes)
				for length := range len(v32) + 1 {
					checkInPage(t, place, codes, inPage(place, single, v32[:length]), narrowed(bounds), p32)
				}
			}
		}
	}
}

type placed struct{ atEnd bool }

// inPage returns a copy of values at an end of memory.
func inPage[E any](p placed, memory []byte, values []E) []E {
	to := first[E](memory, len(values))
	if p.atEnd {
		to = last[E](memory, len(values))
	}
	copy(to, values)
	return to
}

func checkInPage[V Float](t *testing.T, place placed, memory []byte, values, cuts []V, p *pivots) {
	t.Helper()
	if p.depth <= 8 {
		checkFenced(t, inPage(place, memory, make([]uint8, len(values))), values, cuts, p)
	}
	checkFenced(t, inPage(place, memory, make([]uint16, len(values))), values, cuts, p)
}

func checkFenced[C Code, V Float](t *testing.T, got []C, values, cuts []V, p *pivots) {
	t.Helper()
	encode(got, values, p)
	for i, v := range values {
		if want := C(naive(v, cuts)); got[i] != want {
			t.Fatalf("%s, %d cuts, value %d of %d: code %d, want %d", p.level, len(cuts), i, len(values), got[i], want)
		}
	}
}

// Columns and rows end where their pages do.
func TestTransposeStaysInside(t *testing.T) {
	dst := testenv.Pages(t, 1)
	var pages [8][]byte
	for i := range pages {
		pages[i] = testenv.Pages(t, 1)
	}
	const stride = 9
	for _, place := range []placed{{atEnd: false}, {atEnd: true}} {
		for rows := 1; rows <= 70; rows++ {
			var columns [8][]uint8
			for i := range columns {
				columns[i] = inPage(place, pages[i], []uint8(slices.Repeat([]uint8{uint8(10 * i)}, rows)))
			}
			for _, level := range levels() {
				got := inPage(place, dst, make([]byte, (rows-1)*stride+8))
				transpose8(got, stride, &columns, vectorRows8(got, stride, &columns, level))
				if row := got[(rows-1)*stride:]; !slices.Equal(row, []byte{0, 10, 20, 30, 40, 50, 60, 70}) {
					t.Fatalf("%s: %d rows: the last is % x", level, rows, row)
				}
				four := (*[4][]uint8)(columns[:4])
				got = inPage(place, dst, make([]byte, (rows-1)*stride+4))
				transpose4(got, stride, four, vectorRows4(got, stride, four, level))
				if row := got[(rows-1)*stride:]; !slices.Equal(row, []byte{0, 10, 20, 30}) {
					t.Fatalf("%s: %d rows of 4: the last is % x", level, rows, row)
				}
			}
		}
	}
}
