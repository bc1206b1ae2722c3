package codec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/codec"
)

// near returns a value whose quotient by the scale is a whole number or a half, up to most, or
// next to one, or anywhere.
func near(r *rand.Rand, scale float32, most int) float32 {
	x := float64(r.IntN(2*most+1)) / 2
	if r.IntN(4) == 0 {
		x = 1.5 * float64(most) * r.Float64()
	}
	v := float32(x * float64(scale))
	for range r.IntN(3) {
		v = math.Nextafter32(v, math.MaxFloat32)
	}
	for range r.IntN(3) {
		v = math.Nextafter32(v, -math.MaxFloat32)
	}
	if r.IntN(2) == 0 {
		return -v
	}
	return v
}

// Codes are what math.Round makes of the quotient in float64, with every instruction set, and
// values are one product each.
func TestMultiples(t *testing.T) {
	onEach(t, func(t *testing.T) {
		t.Run("S3.17/golden", func(t *testing.T) {
			values := []float32{127, -127, .5, -.5, 1.5, 2.5, -2.5, .49}
			want := []int8{0x7f, -0x7f, 1, -1, 2, 3, -3, 0}
			for _, times := range []int{1, 2, 9} {
				codes := make([]int8, 8*times)
				codec.Multiples(codes, slices.Repeat(values, times), 1, 127)
				if !slices.Equal(codes, slices.Repeat(want, times)) {
					t.Errorf("%v, want %v again and again", codes, want)
				}
			}
		})
		// 2 ÷ float32(4/3) is a half in float32 and less in float64.
		t.Run("S3.17/wide_division", func(t *testing.T) {
			values, codes := slices.Repeat([]float32{2, -2}, 20), make([]int8, 40)
			codec.Multiples(codes, values, float32(4.0/3), 3)
			if !slices.Equal(codes, slices.Repeat([]int8{1, -1}, 20)) {
				t.Errorf("%v, want 1 and -1 in turns", codes)
			}
		})
		for _, most := range []int{1, 3, 15, 63, 127} {
			t.Run(fmt.Sprintf("S3.17/S3.7/most=%d", most), func(t *testing.T) {
				r := rand.New(rand.NewPCG(13, uint64(most)))
				for try := range 2000 {
					n := r.IntN(150)
					// Scales from subnormal ones up to those whose largest values are just finite.
					scale := math.Float32frombits(1 + r.Uint32N(0x7a000000))
					if try%10 == 0 {
						scale = math.Float32frombits(1 + r.Uint32N(5))
					}
					const room = 20
					all := slices.Repeat([]int8{77}, n+2*room)
					values, codes := make([]float32, n), all[room:room+n]
					for i := range values {
						values[i] = near(r, scale, most)
					}
					codec.Multiples(codes, values, scale, most)
					for i, v := range values {
						want := max(-float64(most), min(float64(most), math.Round(float64(v)/float64(scale))))
						if float64(codes[i]) != want {
							t.Fatalf("value %d of %d, %v by %v: code %d, want %v", i, n, v, scale, codes[i], want)
						}
					}
					back := slices.Repeat([]float32{77}, n+2*room)
					codec.Values(back[room:room+n], codes, scale)
					for i, c := range codes {
						if want := float32(float64(c) * float64(scale)); math.Float32bits(back[room+i]) != math.Float32bits(want) {
							t.Fatalf("code %d of %d, %d by %v: %v, want %v", i, n, c, scale, back[room+i], want)
						}
					}
					if !fenced(all, room, 77) || !fenced(back, room, 77) {
						t.Fatalf("%d values: written outside of the slices", n)
					}
				}
			})
		}
	})
}
