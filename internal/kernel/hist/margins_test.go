package hist_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/hist"
)

// Sums by the codes of each of two groups are those of a table's columns and rows, for all sizes that a packed group may have, and
// nothing beside them is touched.
func TestMargins(t *testing.T) {
	defer hist.Use(cpu.Used())
	for _, set := range []cpu.Level{cpu.Generic, cpu.Used()} {
		hist.Use(set)
		r := rand.New(rand.NewPCG(4, 0))
		for size := 1; size <= 128; size++ {
			for _, rows := range []int{1, 2, 7, 8, 9, 16, 256 / size} {
				const guard = 9
				own, sums := make([]uint64, size+2*guard), make([]uint64, size*rows+2*guard)
				for i := range own {
					own[i] = r.Uint64()
				}
				for i := range sums {
					sums[i] = r.Uint64()
				}
				wantOwn, wantSums := slices.Clone(own), slices.Clone(sums)
				for row := range rows {
					all := uint64(0)
					for code := range size {
						all += sums[guard+row*size+code]
						wantOwn[guard+code] += sums[guard+row*size+code]
					}
					wantSums[guard+row] = all
				}
				if n := hist.Margins(own[guard:guard+size], sums[guard:guard+size*rows]); n != rows {
					t.Fatalf("%v: %d rows of %d, want %d", set, n, size, rows)
				}
				// What is left of the table is not said.
				copy(wantSums[guard+rows:guard+rows*size], sums[guard+rows:])
				if !slices.Equal(own, wantOwn) || !slices.Equal(sums, wantSums) {
					t.Fatalf("%v: %d rows of %d words: %v and %v, want %v and %v", set, rows, size, own, sums, wantOwn, wantSums)
				}
			}
		}
	}
}
