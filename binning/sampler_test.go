package binning_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/binning"
	"boost/internal/rng"
)

// TestSample cuts a table's rows up in many ways, gives the pieces to several samples
// in any order and unites these in any order: the rows are always those with the
// smallest hashes.
func TestSample(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, c := range []struct{ rows, size int }{{0, 5}, {10, 3}, {10, 10}, {10, 11}, {5000, 1}, {5000, 300}, {5000, 4999}, {100_000, 700}} {
		t.Run(fmt.Sprintf("S0.31/%d_of_%d", c.size, c.rows), func(t *testing.T) {
			want := rowsBySmallestHash(c.rows, c.size, 9)
			for range 12 {
				samples := make([]*binning.Sample, 1+random.IntN(4))
				for i := range samples {
					samples[i] = binning.NewSample(c.size, 9)
				}
				for _, piece := range randomPieces(random, c.rows) {
					s := samples[random.IntN(len(samples))]
					candidates := s.Add(piece[0], piece[1], nil)
					for _, row := range want {
						if int(row) >= piece[0] && int(row) < piece[1] && !slices.Contains(candidates, row) {
							t.Fatalf("row %d is chosen, and was no candidate when it was added", row)
						}
					}
				}
				random.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
				for _, other := range samples[1:] {
					samples[0].Merge(other)
				}
				if got := samples[0].Rows(); !slices.Equal(got, want) || samples[0].Seen() != c.rows {
					t.Fatalf("%d samples: %d rows of %d seen, not the %d with the smallest hashes", len(samples), len(got), samples[0].Seen(), len(want))
				}
			}
		})
	}
}

// rowsBySmallestHash sorts all rows by hash, as docs/architecture.md, Numerics 7 words it.
func rowsBySmallestHash(rows, size int, seed uint64) []uint32 {
	key := rng.Key(seed, rng.CutSample, 0, 0)
	all := make([]uint32, rows)
	for row := range all {
		all[row] = uint32(row)
	}
	slices.SortStableFunc(all, func(a, b uint32) int {
		return cmp.Compare(rng.Draw(key, uint64(a)), rng.Draw(key, uint64(b)))
	})
	chosen := all[:min(rows, size)]
	slices.Sort(chosen)
	return chosen
}

// randomPieces cuts 0 … rows into pieces, in random order.
func randomPieces(random *rand.Rand, rows int) [][2]int {
	var pieces [][2]int
	longest := 1 + random.IntN(rows+1)
	for lo := 0; lo < rows; {
		hi := min(rows, lo+1+random.IntN(longest))
		pieces = append(pieces, [2]int{lo, hi})
		lo = hi
	}
	random.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	return pieces
}
