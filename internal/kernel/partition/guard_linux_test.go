package partition_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/hist"
	"boost/internal/kernel/partition"
	"boost/internal/testenv"
)

// Codes, entries and scratch begin or end where memory may not be touched: a read or a write
// past their ends kills the test.
func TestStaysInItsSlices(t *testing.T) {
	for _, set := range sets {
		t.Run(set.String(), func(t *testing.T) {
			testenv.Vectors(t, set)
			defer partition.Use(set)()
			staysInItsSlices(t, memory{testenv.FencedFirst[uint8], testenv.FencedFirst[uint16], testenv.FencedFirst[uint64]})
			staysInItsSlices(t, memory{testenv.FencedLast[uint8], testenv.FencedLast[uint16], testenv.FencedLast[uint64]})
		})
	}
}

// memory is where slices are put.
type memory struct {
	bytes func(testing.TB, int) []uint8
	words func(testing.TB, int) []uint16
	longs func(testing.TB, int) []uint64
}

func staysInItsSlices(t *testing.T, in memory) {
	t.Helper()
	r := rand.New(rand.NewPCG(41, 0))
	for _, rows := range []int{16, 17, 18, 19, 63, 64, 127, 128, 129, 140, 255, 256, 257, 300, 1000, 4096} {
		for _, share := range []float64{0.1, 0.3, 0.9, 1} {
			var entries []uint64
			for row := range rows {
				if row == 0 || row == rows-1 || r.Float64() < share {
					entries = append(entries, hist.Entry(int16(r.Uint32()), uint16(r.Uint32()), uint16(row)))
				}
			}
			codes, nibbles := in.bytes(t, rows), in.bytes(t, (rows+1)/2)
			work, scratch := in.longs(t, len(entries)), in.longs(t, len(entries))
			plain := make([]uint32, rows)
			var left [256]uint8
			for c := range left {
				left[c] = uint8(r.IntN(2))
			}
			for row := range codes {
				codes[row] = uint8(r.Uint32())
				plain[row] = uint32(codes[row])
			}
			wantL, wantR := reference(entries, plain, left[:])
			copy(work, entries)
			if n := partition.Bytes(work, codes, &left, scratch); !slices.Equal(work[:n], wantL) || !slices.Equal(work[n:], wantR) {
				t.Fatalf("%d rows, share %v: divided at %d, want %d", rows, share, n, len(wantL))
			}
			words, table := in.words(t, rows), in.bytes(t, 1000)
			for code := range table {
				table[code] = uint8(r.IntN(2))
			}
			for row := range rows {
				plain[row] = r.Uint32N(uint32(len(table)))
				words[row] = uint16(plain[row])
			}
			wantL, wantR = reference(entries, plain, table)
			copy(work, entries)
			if n := partition.Words(work, words, table, scratch); !slices.Equal(work[:n], wantL) || !slices.Equal(work[n:], wantR) {
				t.Fatalf("%d rows, share %v: by words divided at %d, want %d", rows, share, n, len(wantL))
			}
			for row := range rows {
				plain[row] = r.Uint32N(16)
				nibbles[row/2] = nibbles[row/2]&^(15<<(4*(row&1))) | byte(plain[row])<<(4*(row&1))
			}
			wantL, wantR = reference(entries, plain, left[:])
			copy(work, entries)
			if n := partition.Nibbles(work, nibbles, (*[16]uint8)(left[:]), scratch); !slices.Equal(work[:n], wantL) || !slices.Equal(work[n:], wantR) {
				t.Fatalf("%d rows, share %v: nibbles divided at %d, want %d", rows, share, n, len(wantL))
			}
		}
	}
}
