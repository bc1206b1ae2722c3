package text_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/text"
)

// endsOf looks at the bytes one by one, 64 of them between two looks at what is left.
func endsOf(list []int32, b []byte, at int, sep byte) (ends []int32) {
	for ; at+64 <= len(b) && len(ends) < len(list)-63; at += 64 {
		for i := at; i < at+64; i++ {
			if b[i] == sep || b[i] == '\n' {
				ends = append(ends, int32(i))
			}
		}
	}
	return ends
}

func TestEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	for range 3000 {
		b := make([]byte, rng.IntN(600))
		often := 1 + rng.IntN(20)
		for i := range b {
			if b[i] = byte(rng.Uint32()); rng.IntN(often) == 0 {
				b[i] = ";\n"[rng.IntN(2)]
			}
		}
		at := rng.IntN(len(b) + 1)
		list := make([]int32, rng.IntN(400))
		want := endsOf(list, b, at, ';')
		if cpu.Used() != cpu.AVX512 {
			want = nil
		}
		if n := text.Ends(list, b, at, ';'); !slices.Equal(list[:n], want) {
			t.Fatalf("from %d in %d bytes, %d elements: %d, want %d", at, len(b), len(list), list[:n], want)
		}
	}
}
