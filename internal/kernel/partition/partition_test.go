package partition_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/partition"
	"boost/internal/testenv"
)

// reference splits entries into two new lists.
func reference(entries []uint64, codes []uint32, left []uint8) (l, r []uint64) {
	for _, e := range entries {
		if left[codes[hist.Row(e)]] == 1 {
			l = append(l, e)
		} else {
			r = append(r, e)
		}
	}
	return l, r
}

func TestPartition(t *testing.T) {
	for _, set := range sets {
		t.Run(set.String(), func(t *testing.T) {
			testenv.Vectors(t, set)
			defer partition.Use(set)()
			testPartition(t)
		})
	}
}

// sets are the instruction sets that entries are divided with.
var sets = []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512}

func testPartition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for try := range 2000 {
		n := 1 + r.IntN(400)
		nCodes := uint32([]int{1, 2, 16, 17, 256, 300}[r.IntN(6)])
		codes, left := make([]uint32, n), make([]uint8, max(nCodes, 256))
		for i := range codes {
			codes[i] = r.Uint32N(nCodes)
		}
		goLeft := r.Float64()
		for c := range left {
			if r.Float64() < goLeft {
				left[c] = 1
			}
		}
		var entries []uint64
		share := []float64{0.01, 0.3, 1}[r.IntN(3)]
		for i := range n {
			if r.Float64() < share {
				entries = append(entries, hist.Entry(int16(r.Uint32()), uint16(r.Uint32()), uint16(i)))
			}
		}
		wantL, wantR := reference(entries, codes, left)
		check := func(width string, split func(entries, scratch []uint64) int) {
			t.Helper()
			// Words around the entries and the scratch belong to other leaves.
			const canary = 0xfeedfacefeedface
			room := make([]uint64, len(entries)+2)
			scratchRoom := make([]uint64, len(entries)+2)
			room[0], room[len(room)-1] = canary, canary
			scratchRoom[0], scratchRoom[len(room)-1] = canary, canary
			own := room[1 : len(entries)+1]
			copy(own, entries)
			at := split(own, scratchRoom[1:len(entries)+1])
			if !slices.Equal(own[:at], wantL) || !slices.Equal(own[at:], wantR) {
				t.Fatalf("try %d, %s, %d entries, %d codes: split at %d, want %d in stable order", try, width, len(entries), nCodes, at, len(wantL))
			}
			if room[0] != canary || room[len(room)-1] != canary || scratchRoom[0] != canary || scratchRoom[len(room)-1] != canary {
				t.Fatalf("try %d, %s: wrote outside of its slices", try, width)
			}
		}
		check("U32", func(e, s []uint64) int { return partition.Column(e, codes, left, s) })
		codes16, codes8, codes4 := make([]uint16, n), make([]uint8, n), make([]byte, (n+1)/2)
		for i, c := range codes {
			codes16[i], codes8[i] = uint16(c), uint8(c)
			codes4[i/2] |= byte(c&15) << (4 * (i & 1))
		}
		check("U16", func(e, s []uint64) int { return partition.Column(e, codes16, left, s) })
		check("U16 by vectors", func(e, s []uint64) int { return partition.Words(e, codes16, left, s) })
		if nCodes <= 256 {
			check("U8", func(e, s []uint64) int { return partition.Bytes(e, codes8, (*[256]uint8)(left), s) })
		}
		if nCodes <= 16 {
			check("U4", func(e, s []uint64) int { return partition.Nibbles(e, codes4, (*[16]uint8)(left), s) })
		}
	}
}
