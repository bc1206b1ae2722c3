package tensorq_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"boost/tensorq"
)

// goldenQ4_0 is S4.22: the block of −16 … 15, whose scale is 16/7.
const goldenQ4_0 = "25 49 12 40 | 99 aa bb cc dd ed fe 0f 00 11 22 33 43 54 65 76"

// counted returns n values that count up from first.
func counted(first, n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(first + i)
	}
	return values
}

// q4_0 returns the blocks of values.
func q4_0(t testing.TB, values []float32) []byte {
	t.Helper()
	blocks := make([]byte, tensorq.Q4_0Size(len(values)))
	n, err := tensorq.QuantizeQ4_0(blocks, values)
	if err != nil || n != len(blocks) {
		t.Fatalf("%d values: %d bytes, %v; want %d bytes", len(values), n, err, len(blocks))
	}
	return blocks
}

// naiveQ4_0 decodes blocks nibble by nibble, straight from the layout of S4.22; false for what
// are no blocks of n values.
func naiveQ4_0(blocks []byte, n int) ([]float32, bool) {
	if len(blocks) != (n+31)/32*20 {
		return nil, false
	}
	values := make([]float32, n)
	for i := range len(blocks) / 20 * 32 {
		block := blocks[i/32*20:]
		scale := math.Float32frombits(uint32(block[0]) | uint32(block[1])<<8 | uint32(block[2])<<16 | uint32(block[3])<<24)
		code := int(block[4+i%32/2])
		if i%2 == 0 {
			code %= 16
		} else {
			code /= 16
		}
		if code > 7 {
			code -= 16
		}
		value := float32(code) * scale
		if !(scale >= 0) || math.Signbit(float64(scale)) || math.IsInf(float64(scale*7), 0) || math.IsInf(float64(value), 0) || i >= n && code != 0 {
			return nil, false
		}
		if i < n {
			values[i] = value
		}
	}
	return values, true
}

func TestQ4_0Golden(t *testing.T) {
	t.Run("S4.22/golden", func(t *testing.T) {
		if got, want := q4_0(t, counted(-16, 32)), bytesOf(t, goldenQ4_0); !bytes.Equal(got, want) {
			t.Errorf("% x, want % x", got, want)
		}
	})
	t.Run("S4.23/golden", func(t *testing.T) {
		// Signed codes of the block, two a byte, low one first; by 16/7 as float32.
		codes := []int{-7, -7, -6, -6, -5, -5, -4, -4, -3, -3, -3, -2, -2, -1, -1, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7}
		scale := math.Float32frombits(0x40124925)
		want := make([]float32, 32)
		for i, c := range codes {
			want[i] = float32(c) * scale
		}
		out := make([]float32, 32)
		if err := tensorq.DequantizeQ4_0(bytesOf(t, goldenQ4_0), out); err != nil || !sameFloats(out, want) {
			t.Errorf("%v %v, want %v", out, err, want)
		}
	})
	// Each of these has a scale of 1 (a 7), or of 2⁻¹⁴⁹ times the number said.
	const smallest = 0x1p-149
	for _, c := range []struct {
		name   string
		values []float32
		want   string
	}{
		{"halves_away", []float32{7, .5, -.5, 1.5, 2.5, -2.5, -6.5, 6.5}, "0000803f | 17 2f d3 79 000000000000000000000000"},
		{"below_halves", []float32{7, math.Nextafter32(.5, 0), -math.Nextafter32(.5, 0), math.Nextafter32(6.5, 0), math.Nextafter32(-6.5, 0), 0}, "0000803f | 07 60 0a 00000000000000000000000000"},
		{"zeros", []float32{0, float32(math.Copysign(0, -1)), 0}, "00000000 | 00000000000000000000000000000000"},
		// 3/7 of the smallest number rounds to 0, 4/7 to 1, 10/7 to 1: −10 is kept at −8.
		{"scale_0", []float32{3 * smallest, -3 * smallest}, "00000000 | 00000000000000000000000000000000"},
		{"scale_1", []float32{4 * smallest, -4 * smallest, smallest}, "01000000 | c4 01 0000000000000000000000000000"},
		{"beyond_codes", []float32{-10 * smallest, 10 * smallest, -8 * smallest, 8 * smallest}, "01000000 | 78 78 0000000000000000000000000000"},
		// The largest float32 is 7·2396745·2¹⁰⁴ exactly.
		{"largest", []float32{math.MaxFloat32, -math.MaxFloat32}, "2449127e | 97 000000000000000000000000000000"},
	} {
		t.Run("S4.22/"+c.name, func(t *testing.T) {
			blocks := q4_0(t, c.values)
			if want := bytesOf(t, c.want); !bytes.Equal(blocks, want) {
				t.Fatalf("% x, want % x", blocks, want)
			}
			out := make([]float32, len(c.values))
			want, ok := naiveQ4_0(blocks, len(out))
			if err := tensorq.DequantizeQ4_0(blocks, out); err != nil || !ok || !sameFloats(out, want) {
				t.Errorf("%v %v, want %v", out, err, want)
			}
		})
	}
}

// Every byte of codes stands for two values: above 7 means −16.
func TestQ4_0Bytes(t *testing.T) {
	t.Run("S4.23/all_bytes", func(t *testing.T) {
		for _, scale := range []float32{1, .3, 0x1p-149, 0x1p124} {
			var blocks []byte
			var want []float32
			bits := math.Float32bits(scale)
			for b := range 256 {
				if b%16 == 0 {
					blocks = append(blocks, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
				}
				blocks = append(blocks, byte(b))
				for _, c := range []int{b & 15, b >> 4} {
					if c > 7 {
						c -= 16
					}
					want = append(want, float32(c)*scale)
				}
			}
			out := make([]float32, 512)
			if err := tensorq.DequantizeQ4_0(blocks, out); err != nil || !sameFloats(out, want) {
				t.Fatalf("scale %v: %v %v, want %v", scale, out, err, want)
			}
		}
	})
}

func TestQ4_0Lengths(t *testing.T) {
	for n, size := range map[int]int{0: 0, 1: 20, 31: 20, 32: 20, 33: 40, 63: 40, 64: 40, 65: 60, 1000: 640} {
		t.Run(fmt.Sprintf("S4.23/S4.24/n=%d", n), func(t *testing.T) {
			values := tensor(uint64(n), n, heavyTailed)
			// Blocks are those of the values filled up with zeros, and nothing behind is touched.
			padded := append(append([]float32(nil), values...), make([]float32, size/20*32-n)...)
			want := q4_0(t, padded)
			dst := bytes.Repeat([]byte{0xa5}, size+3)
			if used, err := tensorq.QuantizeQ4_0(dst, values); err != nil || used != size || !bytes.Equal(dst[:size], want) || !bytes.Equal(dst[size:], []byte{0xa5, 0xa5, 0xa5}) {
				t.Fatalf("%d %v % x, want % x", used, err, dst, want)
			}
			out := make([]float32, n)
			naive, ok := naiveQ4_0(want, n)
			if err := tensorq.DequantizeQ4_0(want, out); err != nil || !ok || !sameFloats(out, naive) {
				t.Fatalf("%v %v, want %v", out, err, naive)
			}
			if size > 0 {
				dst := bytes.Repeat([]byte{0xa5}, size-1)
				if _, err := tensorq.QuantizeQ4_0(dst, values); err != (tensorq.ErrOutputTooSmall{Required: size}) || dst[0] != 0xa5 {
					t.Errorf("a byte too few: %v % x", err, dst[:1])
				}
			}
			for _, bytes := range []int{size - 20, size - 1, size + 1, size + 20} {
				if bytes < 0 {
					continue
				}
				want := tensorq.ErrBlockBytes{Values: n, Bytes: bytes, Required: size}
				if err := tensorq.DequantizeQ4_0(make([]byte, bytes), out); err != want || !sameFloats(out, naive) {
					t.Errorf("%d bytes: %v, want %v", bytes, err, want)
				}
			}
		})
	}
}

func TestQ4_0Sizes(t *testing.T) {
	t.Run("S4.24", func(t *testing.T) {
		const n = 4096 * 4096
		f32, global := 4*n, tensorq.PackedSize(n, 4)
		if f32 != 67_108_864 || global != 8_388_608 {
			t.Fatalf("%d and %d bytes", f32, global)
		}
		got := tensorq.Q4_0Size(n)
		if got != 10_485_760 || got/tensorq.Q4_0Bytes != 524_288 || float64(got)/float64(global) != 1.25 {
			t.Errorf("%d bytes in %d blocks, want 10485760 in 524288", got, got/tensorq.Q4_0Bytes)
		}
		if blocks := q4_0(t, make([]float32, n)); len(blocks) != got {
			t.Errorf("%d bytes are written, not %d", len(blocks), got)
		}
	})
}

func TestQ4_0Errors(t *testing.T) {
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		for _, at := range []int{0, 31, 32, 95, 96, 98} {
			t.Run(fmt.Sprintf("S4.22/not_finite/%v_at_%d", bad, at), func(t *testing.T) {
				values := make([]float32, 99)
				values[at] = bad
				if at < 98 {
					values[98] = float32(math.NaN()) // not the first offender
				}
				var e tensorq.ErrNotFinite
				if _, err := tensorq.QuantizeQ4_0(make([]byte, 80), values); !errors.As(err, &e) || e.Index != at || math.Float32bits(e.Value) != math.Float32bits(bad) {
					t.Errorf("%v", err)
				}
			})
		}
	}
	good := q4_0(t, counted(-20, 65))
	for _, c := range []struct {
		name   string
		at     int
		bytes  string
		offset int64 // −1: no error
	}{
		{"nan", 20, "0000c07f", 20},
		{"infinite", 40, "0000807f", 40},
		{"negative", 0, "000080bf", 0},
		{"minus_zero", 20, "00000080", 20},
		{"zero", 20, "00000000", -1},
		{"largest_scale", 40, "2449127e | 07 00", -1},
		{"scale_too_large", 40, "2549127e | 00 00", 40},
		{"largest_scale_and_code_-8", 40, "2449127e | 08 00", 44},
		{"8_times_is_finite", 40, "ffffff7d | 08 00", -1},
		{"8_times_is_not", 20, "0000007e | 70 07 07 80", 27},
		{"code_behind", 40, "0000803f | 17", 44},
		{"code_far_behind", 40, "0000803f | 07 00 00 00 00 00 00 00 00 00 00 00 00 00 00 40", 59},
		{"last_code", 40, "0000803f | 0f", -1},
	} {
		t.Run("S4.23/refused/"+c.name, func(t *testing.T) {
			blocks := append([]byte(nil), good...)
			copy(blocks[c.at:], bytesOf(t, c.bytes))
			out := make([]float32, 65)
			out[0] = 77
			err := tensorq.DequantizeQ4_0(blocks, out)
			var e tensorq.ErrFormat
			switch {
			case c.offset < 0 && err != nil:
				t.Errorf("%v, want none", err)
			case c.offset >= 0 && (!errors.As(err, &e) || e.Offset != c.offset || out[0] != 77):
				t.Errorf("%v, want one at byte %d; out begins with %v", err, c.offset, out[0])
			}
		})
	}
}

// No value errs by more than half a scale and the roundings.
func TestQ4_0ErrorBound(t *testing.T) {
	for _, d := range distributions {
		t.Run("S4.22/S4.23/bound/"+d.name, func(t *testing.T) {
			values := tensor(42, 300_017, d.draw)
			blocks := q4_0(t, values)
			out := make([]float32, len(values))
			if err := tensorq.DequantizeQ4_0(blocks, out); err != nil {
				t.Fatal(err)
			}
			largest := 0.0
			for i, v := range values {
				peak := tensorq.MaxAbs(values[i/32*32 : min(i/32*32+32, len(values))])
				scale := float64(float32(float64(peak) / 7))
				// As for blocks of other widths: 7·2⁻¹⁵⁰ is what rounding a subnormal scale does.
				bound := scale/2*(1+0x1p-20) + 7*0x1p-150
				if diff := math.Abs(float64(v) - float64(out[i])); diff > bound {
					t.Fatalf("value %d, %v, came back as %v: off by %v, scale %v", i, v, out[i], diff, scale)
				} else if scale > 0 {
					largest = max(largest, diff/scale)
				}
			}
			if d.name == "uniform" && largest < .499 {
				t.Errorf("the largest error is %.3f scales, want about a half", largest)
			}
		})
	}
}

func TestQ4_0Allocations(t *testing.T) {
	t.Run("S4.22/S4.23/S4.40", func(t *testing.T) {
		values := tensor(1, 1001, heavyTailed)
		blocks, gguf := make([]byte, tensorq.Q4_0Size(1001)), make([]tensorq.GGUFQ4_0Block, tensorq.GGUFQ4_0Blocks(1001))
		out := make([]float32, len(values))
		if n := testing.AllocsPerRun(20, func() {
			_, err1 := tensorq.QuantizeQ4_0(blocks, values)
			err2 := tensorq.DequantizeQ4_0(blocks, out)
			_, err3 := tensorq.QuantizeGGUFQ4_0(gguf, values)
			err4 := tensorq.DequantizeGGUFQ4_0(gguf, out)
			if err := errors.Join(err1, err2, err3, err4); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func FuzzDequantizeQ4_0S4_23(f *testing.F) {
	f.Add(bytesOf(f, goldenQ4_0), uint16(32))
	f.Add(q4_0(f, counted(-20, 65)), uint16(65))
	f.Add(bytesOf(f, "0000007e | 70 07 07 80 000000000000000000000000"), uint16(9))
	f.Fuzz(func(t *testing.T, blocks []byte, n uint16) {
		out := make([]float32, n)
		want, ok := naiveQ4_0(blocks, int(n))
		err := tensorq.DequantizeQ4_0(blocks, out)
		if (err == nil) != ok || ok && !sameFloats(out, want) {
			t.Fatalf("%v %v, want %v %v: % x", out, err, want, ok, blocks)
		}
		if err != nil {
			return
		}
		// What comes out goes in again, and stays within the bound.
		again := q4_0(t, out)
		back := make([]float32, n)
		if err := tensorq.DequantizeQ4_0(again, back); err != nil {
			t.Fatal(err)
		}
		for i, v := range out {
			peak := tensorq.MaxAbs(out[i/32*32 : min(i/32*32+32, len(out))])
			if diff := math.Abs(float64(v) - float64(back[i])); diff > float64(peak)/14*(1+0x1p-20)+7*0x1p-150 {
				t.Fatalf("%v came back as %v, of at most %v", v, back[i], peak)
			}
		}
	})
}
