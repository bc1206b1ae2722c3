package codec_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/codec"
	"boost/internal/testenv"
)

// A read or a write past either end of codes, streams, floats or blocks kills the test.
func TestStaysInItsMemory(t *testing.T) {
	onEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 3))
		for n := 1; n < 200; n += 1 + n/100*6 {
			for bits := 1; bits <= 8; bits++ {
				want := signedCodes(r, n, bits)
				for _, place := range []struct {
					codes, back []int8
					data        []byte
				}{
					{testenv.FencedFirst[int8](t, n), testenv.FencedFirst[int8](t, n), testenv.FencedFirst[byte](t, size(n, bits))},
					{testenv.FencedLast[int8](t, n), testenv.FencedLast[int8](t, n), testenv.FencedLast[byte](t, size(n, bits))},
				} {
					copy(place.codes, want)
					if codec.OutOfRange(place.codes, bits) != -1 {
						t.Fatalf("%d codes of %d bits are not all right", n, bits)
					}
					codec.Pack(place.data, place.codes, bits)
					if codec.NeverWritten(place.data, n, bits) != -1 {
						t.Fatalf("%d codes of %d bits do not come out right", n, bits)
					}
					codec.Unpack(place.back, place.data, bits)
					if !slices.Equal(place.back, want) {
						t.Fatalf("%d codes of %d bits: %v, want %v", n, bits, place.back, want)
					}
				}
			}
			for _, place := range []struct {
				values []float32
				codes  []int8
			}{
				{testenv.FencedFirst[float32](t, n), testenv.FencedFirst[int8](t, n)},
				{testenv.FencedLast[float32](t, n), testenv.FencedLast[int8](t, n)},
			} {
				place.values[n-1] = -3
				if got := codec.MaxAbs(place.values); got != 3 {
					t.Fatalf("%d values: %v, want 3", n, got)
				}
				codec.Multiples(place.codes, place.values, 1.5, 3)
				codec.Values(place.values, place.codes, 2)
				if place.codes[n-1] != -2 || place.values[n-1] != -4 {
					t.Fatalf("%d values: code %d and value %v of the last, want -2 and -4", n, place.codes[n-1], place.values[n-1])
				}
			}
		}
		for n := 1; n < 9; n++ {
			for _, place := range []struct {
				values []float32
				blocks []byte
			}{
				{testenv.FencedFirst[float32](t, n*codec.Q4Values), testenv.FencedFirst[byte](t, n*codec.Q4Bytes)},
				{testenv.FencedLast[float32](t, n*codec.Q4Values), testenv.FencedLast[byte](t, n*codec.Q4Bytes)},
			} {
				last := n*codec.Q4Values - 1
				place.values[last] = -14
				codec.QuantizeQ4(place.blocks, place.values)
				place.values[last] = 0
				codec.DequantizeQ4(place.values, place.blocks)
				if place.values[last] != -14 {
					t.Fatalf("%d blocks: the last value is %v, want -14", n, place.values[last])
				}
			}
		}
	})
}
