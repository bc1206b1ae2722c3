package tensorq

import (
	"math"
	"testing"
)

// halfValue is the number of a half without a sign by IEEE 754-2019, table 3.5: exponent
// of 5 bits with bias 15, fraction of 10.
func halfValue(bits uint16) float64 {
	exponent, fraction := int(bits>>10), float64(bits&1023)
	switch exponent {
	case 0:
		return math.Ldexp(fraction, -24)
	case 31:
		if fraction == 0 {
			return math.Inf(1)
		}
		return math.NaN()
	}
	return math.Ldexp(1024+fraction, exponent-25)
}

func TestF16(t *testing.T) {
	t.Run("S3.40/values", func(t *testing.T) {
		for bits := range uint16(1 << 15) {
			want := halfValue(bits)
			plus, minus := float64(f16Value(bits)), float64(f16Value(bits|1<<15))
			if math.IsNaN(want) {
				if !math.IsNaN(plus) || !math.IsNaN(minus) {
					t.Fatalf("%04x is %v and %v, want NaN", bits, plus, minus)
				}
			} else if plus != want || minus != -want || !math.Signbit(minus) {
				t.Fatalf("%04x is %v and %v, want ±%v", bits, plus, minus, want)
			}
		}
	})
	t.Run("S3.40/rounded_up", func(t *testing.T) {
		for bits := range uint16(f16Largest) {
			low, high := halfValue(bits), halfValue(bits+1)
			for _, c := range []struct {
				x    float64
				want uint16
			}{
				{low, bits},
				{math.Nextafter(low, high), bits + 1},
				{low + (high-low)/2, bits + 1},
				{math.Nextafter(high, low), bits + 1},
				{high, bits + 1},
			} {
				if got, ok := f16Up(c.x); !ok || got != c.want {
					t.Fatalf("%v became %04x (%v), want %04x", c.x, got, ok, c.want)
				}
			}
		}
		if one, _ := f16Up(1); one != 0x3c00 {
			t.Errorf("1 is %04x", one)
		}
		if got, ok := f16Up(math.SmallestNonzeroFloat64); !ok || got != 1 {
			t.Errorf("the smallest number became %04x %v", got, ok)
		}
	})
	t.Run("S3.40/beyond", func(t *testing.T) {
		for _, x := range []float64{math.Nextafter(65504, 1e6), 65505, 1e300, math.Inf(1), math.NaN(), -1, math.Inf(-1)} {
			if got, ok := f16Up(x); ok {
				t.Errorf("%v became %04x", x, got)
			}
		}
		if got, ok := f16Up(65504); !ok || got != 0x7bff {
			t.Errorf("65504 became %04x %v", got, ok)
		}
	})
}

func TestF16Nearest(t *testing.T) {
	t.Run("S4.40/half_to_even", func(t *testing.T) {
		check := func(x float32, want uint16) {
			t.Helper()
			for _, sign := range []uint16{0, 1 << 15} {
				if got, ok := f16Nearest(x); !ok || got != want|sign {
					t.Fatalf("%v became %04x (%v), want %04x", x, got, ok, want|sign)
				}
				x = -x
			}
		}
		for bits := range uint16(f16Largest) {
			low, high := float32(halfValue(bits)), float32(halfValue(bits+1))
			middle := low + (high-low)/2
			check(low, bits)
			check(math.Nextafter32(middle, low), bits)
			check(middle, bits+bits&1)
			check(math.Nextafter32(middle, high), bits+1)
		}
		check(65504, f16Largest)
		check(math.Nextafter32(65520, 0), f16Largest)
		check(math.SmallestNonzeroFloat32, 0)
	})
	t.Run("S4.40/beyond_half_precision", func(t *testing.T) {
		for _, x := range []float32{65520, -65520, math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())} {
			if got, ok := f16Nearest(x); ok {
				t.Errorf("%v became %04x", x, got)
			}
		}
	})
}

func TestCheckScales(t *testing.T) {
	// By IEEE 754-2019, table 3.5: the largest half, infinity, NaN, a half below zero.
	for half, valid := range map[uint16]bool{0: true, 0x7bff: true, 0x7c00: false, 0x7c01: false, 0x8001: false} {
		if err := checkScales([]byte{0, 0, byte(half), byte(half >> 8)}, 64); (err == nil) != valid {
			t.Errorf("scale %04x: %v", half, err)
		}
	}
}
