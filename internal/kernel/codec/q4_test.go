package codec_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/codec"
)

// q4Block is a block by its definition: divisions, math.Round, a limit.
func q4Block(values []float32) []byte {
	peak := 0.0
	for _, v := range values {
		peak = max(peak, math.Abs(float64(v)))
	}
	scale := float32(peak / 7)
	block := binary.LittleEndian.AppendUint32(nil, math.Float32bits(scale))
	codes := make([]int, len(values))
	for i, v := range values {
		if scale != 0 {
			codes[i] = int(max(-8, min(7, math.Round(float64(v)/float64(scale)))))
		}
	}
	for j := range len(codes) / 2 {
		block = append(block, byte(codes[2*j]&15|codes[2*j+1]&15<<4))
	}
	return block
}

// q4Values draws a block: codes and halves of a scale and what lies next to them, magnitudes far
// apart, any bits that are finite, few steps of the smallest number, zeros of either sign, the largest
// numbers.
func q4Values(r *rand.Rand, values []float32) {
	kind := r.IntN(6)
	scale := math.Float32frombits(1 + r.Uint32N(0x7d800000)) // 10.5 times as much is finite
	if r.IntN(2) == 0 {
		// float32 holds every half of this one.
		scale = math.Float32frombits(math.Float32bits(scale)&^15 + 16)
	}
	for i := range values {
		switch kind {
		case 0:
			values[i] = max(-7*scale, min(7*scale, near(r, scale, 7)))
		case 1:
			values[i] = float32(math.Ldexp(r.NormFloat64(), r.IntN(60)-30))
		case 2:
			values[i] = math.Float32frombits(r.Uint32() & 0xff7fffff &^ (r.Uint32() & 0x40000000))
		case 3:
			values[i] = math.Float32frombits(r.Uint32N(1+r.Uint32N(200)) | r.Uint32()&0x80000000)
		case 4:
			values[i] = math.Float32frombits(r.Uint32() & 0x80000000)
		case 5:
			values[i] = math.MaxFloat32 * float32(1-2*r.IntN(2))
			if r.IntN(4) > 0 {
				values[i] = math.Nextafter32(values[i], 0)
			}
		}
	}
	if kind == 0 { // the largest magnitude makes this the scale
		values[r.IntN(len(values))] = 7 * scale
	}
}

// Blocks are those of the definition with every instruction set, and values one product each.
func TestQ4(t *testing.T) {
	onEach(t, func(t *testing.T) {
		t.Run("S4.22/S4.23", func(t *testing.T) {
			r := rand.New(rand.NewPCG(4, 0))
			const room = 40
			for try := range 6000 {
				n := try % 7
				if try%1000 == 999 {
					n = 1<<18/codec.Q4Values + 3 // more than one call
				}
				values := make([]float32, n*codec.Q4Values)
				var want []byte
				most := float32(0)
				for i := range n {
					part := values[i*codec.Q4Values:][:codec.Q4Values]
					q4Values(r, part)
					want = append(want, q4Block(part)...)
				}
				for _, v := range values {
					most = max(most, v, -v)
				}
				all := slices.Repeat([]byte{0xa5}, len(want)+2*room)
				blocks := all[room : room+len(want)]
				if peak := codec.QuantizeQ4(blocks, values); peak != math.Float32bits(most) {
					t.Fatalf("%d blocks: largest magnitude %08x, want %v", n, peak, most)
				}
				for i := range n {
					got, want := blocks[i*codec.Q4Bytes:][:codec.Q4Bytes], want[i*codec.Q4Bytes:][:codec.Q4Bytes]
					if !slices.Equal(got, want) {
						t.Fatalf("block %d of %d: % x, want % x, of %x", i, n, got, want, values[i*codec.Q4Values:][:codec.Q4Values])
					}
				}
				if !fenced(all, room, 0xa5) {
					t.Fatalf("%d blocks: written outside of them", n)
				}

				for i := range blocks { // any codes, and now and then any scale
					if i%codec.Q4Bytes >= 4 || try%3 == 0 {
						blocks[i] = byte(r.Uint32())
					}
				}
				floats := slices.Repeat([]float32{77}, len(values)+2*room)
				back := floats[room : room+len(values)]
				codec.DequantizeQ4(back, blocks)
				for i, got := range back {
					block := blocks[i/codec.Q4Values*codec.Q4Bytes:]
					code := int(block[4+i%codec.Q4Values/2]>>(4*(i%2))) & 15
					if code > 7 {
						code -= 16
					}
					scale := math.Float32frombits(binary.LittleEndian.Uint32(block))
					want := float32(code) * scale
					if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
						t.Fatalf("code %d of %d, %d by %v: %v, want %v", i, len(back), code, scale, got, want)
					}
				}
				if !fenced(floats, room, 77) {
					t.Fatalf("%d blocks: written outside of the values", n)
				}
			}
		})
		// What is not finite shows in the largest magnitude, wherever it is.
		t.Run("S4.22/not_finite", func(t *testing.T) {
			values, blocks := make([]float32, 5*codec.Q4Values), make([]byte, 5*codec.Q4Bytes)
			for at := range values {
				for _, bits := range []uint32{0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff} {
					values[at] = math.Float32frombits(bits | uint32(at%2)<<31)
					if got := codec.QuantizeQ4(blocks, values); got != bits {
						t.Fatalf("%08x at %d: %08x", bits, at, got)
					}
				}
				values[at] = float32(at)
			}
		})
	})
}

// The product rounds as the quotient does, next to every half that a scale has.
func TestQ4Rounding(t *testing.T) {
	t.Run("S4.22/product_for_quotient", func(t *testing.T) {
		step := uint32(13)
		if testing.Short() {
			step = 1009
		}
		check := func(scale float32) {
			times := codec.Q4Raised / float64(scale)
			for k := range 9 {
				middle := float32((float64(k) + .5) * float64(scale))
				for _, v := range [3]float32{math.Nextafter32(middle, 0), middle, math.Nextafter32(middle, math.MaxFloat32)} {
					want := int32(math.Round(float64(v) / float64(scale)))
					if plus, minus := codec.Q4Whole(v, times), codec.Q4Whole(-v, times); plus != want || minus != -want {
						t.Fatalf("%v by %v: %d and %d, want ±%d", v, scale, plus, minus, want)
					}
				}
			}
		}
		for bits := uint32(1 << 23); bits <= 2<<23; bits += step { // every exponent is like this one
			check(math.Float32frombits(64<<23 + bits))
		}
		for bits := uint32(1); bits < 1<<12; bits++ { // subnormal
			check(math.Float32frombits(bits))
		}
	})
}

// The largest magnitude of 10 steps has the scale 10/7, which is rounded to one step: the code would be ±10.
func TestQ4Limits(t *testing.T) {
	onEach(t, func(t *testing.T) {
		for step, want := range map[float32]byte{-10: 0x88, -8: 0x88, 10: 0x77} {
			values, block := make([]float32, codec.Q4Values), make([]byte, codec.Q4Bytes)
			for i := range values {
				values[i] = step * math.SmallestNonzeroFloat32
			}
			codec.QuantizeQ4(block, values)
			for i, code := range block[4:] {
				if code != want {
					t.Errorf("%g steps: byte %d of the codes is %#x, want %#x", step, i, code, want)
				}
			}
		}
	})
}
