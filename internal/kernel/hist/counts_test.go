package hist_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/hist"
)

// Both forms count the rows of a whole block, of one code and of any, and add to what is there.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 0))
	hist.EachForm(func(form string) {
		for _, nCodes := range []uint32{1, 2, 16, 17, 255, 256} {
			for _, n := range []int{0, 1, 300, 5000, hist.BlockRows - 1, hist.BlockRows} {
				bytes, entries := make([]uint8, hist.BlockRows), make([]uint64, n)
				hist.PackIndex(entries, nil)
				want := make([]uint32, max(nCodes, 16))
				for i := range want {
					want[i] = r.Uint32() // a count begins anywhere, modulo 2³²
				}
				counts := slices.Clone(want)
				for row := range bytes {
					if bytes[row] = uint8(r.Uint32N(nCodes)); row < n {
						want[bytes[row]]++
					}
				}
				hist.CountColumn(counts, bytes, entries)
				if !slices.Equal(counts, want) {
					t.Errorf("%s: %d bytes below %d count %v, want %v", form, n, nCodes, counts, want)
				}
				if nCodes > 16 {
					continue
				}
				halves := make([]uint8, hist.BlockRows/2)
				for row, c := range bytes {
					if halves[row/2] |= c << (4 * (row % 2)); row < n {
						want[c]++
					}
				}
				hist.CountNibbles(counts, halves, entries)
				if !slices.Equal(counts, want) {
					t.Errorf("%s: %d nibbles below %d count %v, want %v", form, n, nCodes, counts, want)
				}
			}
		}
	})
}

// Loops over rows allocate nothing, whichever form and element types they have.
func TestRowLoopsAllocateNothing(t *testing.T) {
	const n, features = 1000, 20
	b := randomBlock(rand.New(rand.NewPCG(42, 0)), n, features, 16, 1)
	entries, codes := b.entries(), narrow[uint8](b.codes[0])
	rows, halves := make([]uint8, n*features), nibbles(b.codes[0])
	one, two := make([]uint64, features*hist.Slots), make([]hist.Slot[int64, uint64], features*hist.Slots)
	floats, counts := make([]hist.Slot[float64, float64], features*hist.Slots), make([]uint32, features*hist.Slots)
	hist.EachForm(func(form string) {
		for name, run := range map[string]func(){
			"OneWordRows":            func() { hist.OneWordRows(one, rows, features, features, entries, true) },
			"TwoWordRows":            func() { hist.TwoWordRows(two, nil, rows, features, features, 16*features, b.grad32, b.hess32, entries) },
			"TwoWordRows, of floats": func() { hist.TwoWordRows(floats, counts, rows, features, features, 0, b.gradF, b.hessF, entries) },
			"CountColumn":            func() { hist.CountColumn(counts, codes, entries) },
			"CountNibbles":           func() { hist.CountNibbles(counts, halves, entries) },
			"TotalCodes":             func() { hist.TotalCodes(entries, b.grad32, b.hess32) },
			"TotalCodes, of 16 bits": func() { hist.TotalCodes(entries, b.grad, b.hess) },
		} {
			if got := testing.AllocsPerRun(10, run); got != 0 {
				t.Errorf("%s, %s: %v allocations", form, name, got)
			}
		}
	})
}
