package tensorq_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"boost/tensorq"
)

// gguf returns the blocks of values.
func gguf(t testing.TB, values []float32) []tensorq.GGUFQ4_0Block {
	t.Helper()
	blocks := make([]tensorq.GGUFQ4_0Block, tensorq.GGUFQ4_0Blocks(len(values)))
	n, err := tensorq.QuantizeGGUFQ4_0(blocks, values)
	if err != nil || n != len(blocks) {
		t.Fatalf("%d values: %d blocks, %v; want %d", len(values), n, err, len(blocks))
	}
	return blocks
}

// ggufBytes are the bytes of blocks as a file has them.
func ggufBytes(blocks []tensorq.GGUFQ4_0Block) []byte {
	var all []byte
	for _, b := range blocks {
		all = append(all, b[:]...)
	}
	return all
}

// ggufBlocks is the way back, of whole blocks.
func ggufBlocks(data []byte) []tensorq.GGUFQ4_0Block {
	var blocks []tensorq.GGUFQ4_0Block
	for ; len(data) >= 18; data = data[18:] {
		blocks = append(blocks, tensorq.GGUFQ4_0Block(data))
	}
	return blocks
}

// Blocks that version 0.19.0 of GGUF's Python package makes of these values, but for the first,
// which is in the source document.
func TestGGUFQ4_0Golden(t *testing.T) {
	of := func(value func(i float64) float64) []float32 {
		values := make([]float32, 32)
		for i := range values {
			values[i] = float32(value(float64(i)))
		}
		return values
	}
	first := func(a, b float64) func(i float64) float64 {
		return func(i float64) float64 { return map[float64]float64{0: a, 1: b}[i] + .5*min(1, math.Floor(i/2)) }
	}
	for _, c := range []struct {
		name   string
		values []float32
		want   string
	}{
		{"golden", counted(-16, 32), "00 40 | 80 91 91 a2 a2 b3 b3 c4 c4 d5 d5 e6 e6 f7 f7 f8"},
		{"zeros", make([]float32, 32), "00 80 | 88 88 88 88 88 88 88 88 88 88 88 88 88 88 88 88"},
		{"first_of_two", of(first(3, -3)), "00 b6 | 70 7f 77 77 77 77 77 77 77 77 77 77 77 77 77 77"},
		{"first_of_two_negative", of(first(-3, 3)), "00 36 | 90 9f 99 99 99 99 99 99 99 99 99 99 99 99 99 99"},
		{"mixed", of(func(i float64) float64 { return (math.Mod(i*i*7+3*i, 101) - 50) / 16 }), "40 36 | 40 92 f5 9c 54 3e 3b 6a ab 1e a4 5c 35 22 40 81"},
		{"rounded_scale", of(func(i float64) float64 { return (i + 1) / 7 }), "92 b8 | 48 48 37 37 37 37 26 26 26 26 15 15 15 15 04 04"},
		{"subnormal_scale", of(func(i float64) float64 { return (i - 3) * 0x1p-23 }), "07 80 | 49 49 48 38 38 37 37 27 27 26 16 16 15 15 05 05"},
		// The scale rounds to 0 and all values with it; codes are those of the scale before.
		{"no_scale", of(func(i float64) float64 { return (i - 3) * 0x1p-30 }), "00 80 | 49 49 48 38 38 37 37 27 27 26 16 16 15 15 05 05"},
		{"scale_to_even", of(func(i float64) float64 {
			if i == 0 {
				return -0x1p-11 * (1 + 0x1p-11)
			}
			return 0x1p-12
		}), "00 04 | c0 cc cc cc cc cc cc cc cc cc cc cc cc cc cc cc"},
	} {
		t.Run("S4.40/"+c.name, func(t *testing.T) {
			if got, want := ggufBytes(gguf(t, c.values)), bytesOf(t, c.want); !bytes.Equal(got, want) {
				t.Errorf("% x, want % x", got, want)
			}
		})
	}
	t.Run("S4.40/golden_values", func(t *testing.T) {
		// d = 2, and code 16 is kept at 15: 15 comes back as 14.
		want := []float32{-16, -14, -14, -12, -12, -10, -10, -8, -8, -6, -6, -4, -4, -2, -2, 0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14, 14}
		out := make([]float32, 32)
		if err := tensorq.DequantizeGGUFQ4_0(gguf(t, counted(-16, 32)), out); err != nil || !sameFloats(out, want) {
			t.Errorf("%v %v, want %v", out, err, want)
		}
	})
	t.Run("S4.40/another_form", func(t *testing.T) {
		// The values of S4.22 and this one are the same, the blocks are not.
		a, b := bytesOf(t, goldenQ4_0), ggufBytes(gguf(t, counted(-16, 32)))
		if len(a) == len(b) || bytes.Equal(a[4:], b[2:]) {
			t.Errorf("% x and % x", a, b)
		}
	})
}

func TestGGUFQ4_0Bytes(t *testing.T) {
	t.Run("S4.40/all_bytes", func(t *testing.T) {
		// Halves 1.5, −0.25, the least and the largest.
		for half, d := range map[uint16]float32{0x3e00: 1.5, 0xb400: -.25, 0x8001: -0x1p-24, 0x7bff: 65504} {
			var blocks []tensorq.GGUFQ4_0Block
			var want []float32
			for from := range 16 {
				block := tensorq.GGUFQ4_0Block{byte(half), byte(half >> 8)}
				low, high := make([]float32, 16), make([]float32, 16)
				for j := range 16 {
					b := from*16 + j
					block[2+j] = byte(b)
					low[j], high[j] = float32(b%16-8)*d, float32(b/16-8)*d
				}
				blocks, want = append(blocks, block), append(append(want, low...), high...)
			}
			out := make([]float32, 512)
			if err := tensorq.DequantizeGGUFQ4_0(blocks, out); err != nil || !sameFloats(out, want) {
				t.Fatalf("scale %v: %v %v, want %v", d, out, err, want)
			}
		}
	})
	for n, count := range map[int]int{0: 0, 1: 1, 31: 1, 32: 1, 33: 2, 100: 4} {
		t.Run(fmt.Sprintf("S4.40/n=%d", n), func(t *testing.T) {
			values := tensor(uint64(n), n, heavyTailed)
			full := gguf(t, append(append([]float32(nil), values...), make([]float32, 32*count-n)...))
			blocks := gguf(t, values)
			if len(blocks) != count || !bytes.Equal(ggufBytes(blocks), ggufBytes(full)) {
				t.Fatalf("% x, want % x", blocks, full)
			}
			want, out := make([]float32, 32*count), make([]float32, n)
			if err := tensorq.DequantizeGGUFQ4_0(blocks, want); err != nil {
				t.Fatal(err)
			}
			if err := tensorq.DequantizeGGUFQ4_0(blocks, out); err != nil || !sameFloats(out, want[:n]) {
				t.Fatalf("%v %v, want %v", out, err, want[:n])
			}
			if n == 0 {
				return
			}
			if _, err := tensorq.QuantizeGGUFQ4_0(blocks[1:], values); err != (tensorq.ErrOutputTooSmall{Required: count}) {
				t.Errorf("a block too few: %v", err)
			}
			if err := tensorq.DequantizeGGUFQ4_0(blocks[1:], out); err != (tensorq.ErrBlockBytes{Values: n, Bytes: 18 * (count - 1), Required: 18 * count}) {
				t.Errorf("a block too few: %v", err)
			}
			if err := tensorq.DequantizeGGUFQ4_0(append(blocks, blocks[0]), out); err != (tensorq.ErrBlockBytes{Values: n, Bytes: 18 * (count + 1), Required: 18 * count}) {
				t.Errorf("a block too many: %v", err)
			}
		})
	}
}

func TestGGUFQ4_0Errors(t *testing.T) {
	t.Run("S4.40/not_finite", func(t *testing.T) {
		for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
			for _, at := range []int{0, 31, 32, 64, 65} {
				values := make([]float32, 66)
				values[at], values[65] = bad, bad
				var e tensorq.ErrNotFinite
				if _, err := tensorq.QuantizeGGUFQ4_0(make([]tensorq.GGUFQ4_0Block, 3), values); !errors.As(err, &e) || e.Index != at {
					t.Errorf("%v at %d: %v", bad, at, err)
				}
			}
		}
	})
	t.Run("S4.40/beyond_half_precision", func(t *testing.T) {
		// A scale of 65520 lies in the middle between the largest half and infinity.
		for v, ok := range map[float32]bool{8 * 65519: true, 8 * 65520: false, -8 * 65520: false, math.MaxFloat32: false} {
			values := make([]float32, 40)
			values[35] = v
			blocks := make([]tensorq.GGUFQ4_0Block, 2)
			_, err := tensorq.QuantizeGGUFQ4_0(blocks, values)
			if want := (tensorq.ErrGGUFScale{Index: 35, Scale: v / -8}); ok != (err == nil) || !ok && err != want {
				t.Errorf("%v: %v", v, err)
			}
			if ok && binary.LittleEndian.Uint16(blocks[1][:]) != 0xfbff {
				t.Errorf("%v: % x", v, blocks[1])
			}
		}
	})
	t.Run("S4.40/scale_refused", func(t *testing.T) {
		for _, half := range []uint16{0x7c00, 0xfc00, 0x7e00, 0xffff, 0x7c01} {
			blocks := gguf(t, counted(-16, 64))
			binary.LittleEndian.PutUint16(blocks[1][:], half)
			out := make([]float32, 64)
			var e tensorq.ErrFormat
			if err := tensorq.DequantizeGGUFQ4_0(blocks, out); !errors.As(err, &e) || e.Offset != 18 || out[0] != 0 {
				t.Errorf("%04x: %v", half, err)
			}
		}
	})
	t.Run("S4.40/smallest", func(t *testing.T) {
		// 1/d is infinite below 2⁻¹²⁸: codes are 8, for the scale is 0 anyway.
		blocks := gguf(t, []float32{0x1p-126, -0x1p-149})
		if want := bytesOf(t, "00 80 | 88 88 88 88 88 88 88 88 88 88 88 88 88 88 88 88"); !bytes.Equal(ggufBytes(blocks), want) {
			t.Errorf("% x, want % x", blocks, want)
		}
	})
}

// A value errs by half of d, by a whole one at the far end (whose code would be 16), and by what
// rounding d to a half adds, 2⁻¹¹ of it for each of 8 codes.
func TestGGUFQ4_0ErrorBound(t *testing.T) {
	for _, d := range distributions[:5] {
		t.Run("S4.40/bound/"+d.name, func(t *testing.T) {
			values := tensor(43, 100_000, d.draw)
			out := make([]float32, len(values))
			if err := tensorq.DequantizeGGUFQ4_0(gguf(t, values), out); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				part := values[i/32*32:][:32]
				peak := float64(tensorq.MaxAbs(part))
				bound := peak/8*(.5+8*0x1p-11) + 8*0x1p-25
				for _, x := range part {
					// The sign of the largest magnitude, the first: the other one has 7 codes.
					if math.Abs(float64(x)) == peak {
						if (x < 0) != (v < 0) {
							bound = max(bound, peak/8*(1+8*0x1p-11)+8*0x1p-25)
						}
						break
					}
				}
				if diff := math.Abs(float64(v) - float64(out[i])); diff > bound*(1+0x1p-20) {
					t.Fatalf("value %d, %v, came back as %v: off by %v, at most %v", i, v, out[i], diff, bound)
				}
			}
		})
	}
}

func FuzzGGUFQ4_0S4_40(f *testing.F) {
	f.Add(ggufBytes(gguf(f, counted(-16, 64))), uint16(50))
	f.Add(bytesOf(f, "ff7b 00000000000000000000000000000000"), uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint16) {
		blocks := ggufBlocks(data)
		out := make([]float32, n)
		err := tensorq.DequantizeGGUFQ4_0(blocks, out)
		good := len(blocks) == (int(n)+31)/32
		for _, b := range blocks {
			good = good && b[1]&0x7c != 0x7c
		}
		if (err == nil) != good {
			t.Fatalf("%v: % x", err, data)
		}
		if err != nil {
			return
		}
		for i, v := range out {
			block := blocks[i/32]
			code := int(block[2+i%16]) >> (i % 32 / 16 * 4) & 15
			want := float32(halfAt([]byte{block[0], block[1] & 0x7f})) * float32(code-8)
			if block[1] > 0x7f {
				want = -want
			}
			if v != want {
				t.Fatalf("value %d is %v, want %v", i, v, want)
			}
		}
		again, err := tensorq.QuantizeGGUFQ4_0(make([]tensorq.GGUFQ4_0Block, len(blocks)), out)
		if err != nil || again != len(blocks) {
			t.Fatalf("%d %v", again, err)
		}
	})
}
