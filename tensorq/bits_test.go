package tensorq_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/tensorq"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func qmax(bits int) int { return 1<<(bits-1) - 1 }

// bitByBit writes the stream by its definition: bit j of stored code i is bit i·width + j.
func bitByBit(codes []int, bits, bias int) []byte {
	out := make([]byte, (len(codes)*bits+7)/8)
	for i, code := range codes {
		for j := range bits {
			if (code+bias)>>j&1 == 1 {
				out[(i*bits+j)/8] |= 1 << ((i*bits + j) % 8)
			}
		}
	}
	return out
}

func ints[C int8 | uint8](codes []C) []int {
	out := make([]int, len(codes))
	for i, c := range codes {
		out[i] = int(c)
	}
	return out
}

func TestPackedSize(t *testing.T) {
	for _, c := range []struct{ n, bits, want int }{
		{0, 3, 0}, {1, 1, 1}, {1, 8, 1}, {8, 3, 3}, {9, 3, 4}, {64, 7, 56}, {100, 7, 88}, {100, 5, 63}, {100, 3, 38}, {1000, 8, 1000},
		{math.MaxInt / 8 * 8, 7, math.MaxInt / 8 * 7},
	} {
		if got := tensorq.PackedSize(c.n, c.bits); got != c.want {
			t.Errorf("PackedSize(%d, %d) = %d, want %d", c.n, c.bits, got, c.want)
		}
	}
}

func TestBits(t *testing.T) {
	t.Run("S3.2/golden", func(t *testing.T) {
		for _, c := range []struct {
			bits  int
			codes []int8
			want  string
		}{
			{8, []int8{-127, -31, -1, 0, 1, 31, 127, 5}, "00 60 7e 7f 80 9e fe 84"},
			{7, []int8{-63, -31, -1, 0, 1, 31, 63, 5}, "00 90 ef 07 f4 fa 89"},
			{5, []int8{-15, -7, -1, 0, 1, 7, 15, 3}, "00 b9 07 ad 97"},
			{3, []int8{-3, -2, -1, 0, 1, 2, 3, 0}, "88 c6 7a"},
			{3, []int8{-3, 3, 1}, "30 01"},
			{2, []int8{-1, 0, 1, 0, -1, 1, 0, 0}, "64 58"},
			{4, []int8{-7, 0, 7, 0, -7, 7, 0, 0}, "70 7e e0 77"},
			{6, []int8{-31, 0, 31, 0, -31, 31, 0, 0}, "c0 e7 7f 80 ff 7d"},
			{1, make([]int8, 8), "00"},
		} {
			// Alone, and often enough that every kernel has work: 8 codes end on a byte.
			for _, times := range []int{1, 40} {
				if times > 1 && len(c.codes) != 8 {
					continue
				}
				codes, want := slices.Repeat(c.codes, times), bytes.Repeat(unhex(t, c.want), times)
				out := make([]byte, len(want))
				if n, err := tensorq.PackBits(codes, c.bits, out); err != nil || n != len(want) || !bytes.Equal(out, want) {
					t.Errorf("PackBits of %d bits, %d codes: % x, %d bytes, %v; want % x", c.bits, len(codes), out, n, err, want)
				}
				back := make([]int8, len(codes))
				if n, err := tensorq.UnpackBits(want, c.bits, back); err != nil || n != len(want) || !slices.Equal(back, codes) {
					t.Errorf("UnpackBits of %d bits: %v, %d bytes, %v; want %v", c.bits, back, n, err, codes)
				}
			}
		}
	})

	t.Run("S3.1/nothing", func(t *testing.T) {
		for bits := 1; bits <= 8; bits++ {
			if n, err := tensorq.PackBits(nil, bits, nil); n != 0 || err != nil {
				t.Errorf("PackBits of no code: %d, %v", n, err)
			}
			if n, err := tensorq.UnpackBits(nil, bits, nil); n != 0 || err != nil {
				t.Errorf("UnpackBits of no code: %d, %v", n, err)
			}
		}
	})

	t.Run("S3.1/definition", func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 3))
		for bits := 1; bits <= 8; bits++ {
			for n := range 300 {
				codes := validCodes(r, n, bits)
				want := bitByBit(ints(codes), bits, qmax(bits))
				out := bytes.Repeat([]byte{0xa5}, len(want)+9)
				if got, err := tensorq.PackBits(codes, bits, out); err != nil || got != len(want) || !bytes.Equal(out[:got], want) {
					t.Fatalf("%d codes of %d bits: % x, %v; want % x", n, bits, out[:got], err, want)
				}
				if !bytes.Equal(out[len(want):], bytes.Repeat([]byte{0xa5}, 9)) {
					t.Fatalf("%d codes of %d bits: written behind the stream: % x", n, bits, out[len(want):])
				}
			}
		}
	})

	t.Run("S3.14/golden", func(t *testing.T) {
		codes, want := []uint8{1, 9, 10, 5, 10, 10, 2, 3, 8}, unhex(t, "91 5a aa 32 08")
		out := make([]byte, len(want))
		if n, err := tensorq.PackUnsigned(codes, 4, out); err != nil || n != 5 || !bytes.Equal(out, want) {
			t.Errorf("% x, %d bytes, %v; want % x", out, n, err, want)
		}
		back := make([]uint8, len(codes))
		if n, err := tensorq.UnpackUnsigned(want, 4, back); err != nil || n != 5 || !slices.Equal(back, codes) {
			t.Errorf("%v, %d bytes, %v; want %v", back, n, err, codes)
		}
	})

	t.Run("S3.14/definition", func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 3))
		for bits := 1; bits <= 8; bits++ {
			for n := range 300 {
				codes := make([]uint8, n)
				for i := range codes {
					codes[i] = uint8(r.IntN(1 << bits))
				}
				want := bitByBit(ints(codes), bits, 0)
				out := bytes.Repeat([]byte{0x5a}, len(want)+9)
				if got, err := tensorq.PackUnsigned(codes, bits, out); err != nil || got != len(want) || !bytes.Equal(out[:got], want) {
					t.Fatalf("%d codes of %d bits: % x, %v; want % x", n, bits, out[:got], err, want)
				}
				if !bytes.Equal(out[len(want):], bytes.Repeat([]byte{0x5a}, 9)) {
					t.Fatalf("%d codes of %d bits: written behind the stream: % x", n, bits, out[len(want):])
				}
				back := make([]uint8, n)
				if got, err := tensorq.UnpackUnsigned(want, bits, back); err != nil || got != len(want) || !slices.Equal(back, codes) {
					t.Fatalf("%d codes of %d bits: %v, %v; want %v", n, bits, back, err, codes)
				}
			}
		}
	})
}

func validCodes(r *rand.Rand, n, bits int) []int8 {
	codes := make([]int8, n)
	for i := range codes {
		codes[i] = int8(r.IntN(2*qmax(bits)+1) - qmax(bits))
	}
	return codes
}

// Each function with each error, and nothing written then.
func TestBitsErrors(t *testing.T) {
	pack := func(n, bits, room int) (int, error, bool) {
		out := bytes.Repeat([]byte{0xa5}, room)
		m, err := tensorq.PackBits(make([]int8, n), bits, out)
		return m, err, bytes.Equal(out, bytes.Repeat([]byte{0xa5}, room))
	}
	packUnsigned := func(n, bits, room int) (int, error, bool) {
		out := bytes.Repeat([]byte{0xa5}, room)
		m, err := tensorq.PackUnsigned(make([]uint8, n), bits, out)
		return m, err, bytes.Equal(out, bytes.Repeat([]byte{0xa5}, room))
	}
	unpack := func(n, bits, have int) (int, error, bool) {
		out := slices.Repeat([]int8{77}, n)
		m, err := tensorq.UnpackBits(make([]byte, have), bits, out)
		return m, err, slices.Equal(out, slices.Repeat([]int8{77}, n))
	}
	unpackUnsigned := func(n, bits, have int) (int, error, bool) {
		out := slices.Repeat([]uint8{77}, n)
		m, err := tensorq.UnpackUnsigned(make([]byte, have), bits, out)
		return m, err, slices.Equal(out, slices.Repeat([]uint8{77}, n))
	}
	type call func(n, bits, bytes int) (int, error, bool)

	t.Run("S3.3/width", func(t *testing.T) {
		for _, f := range []call{pack, packUnsigned, unpack, unpackUnsigned} {
			for _, bits := range []int{0, 9, -1, 64, math.MaxInt, math.MinInt} {
				var e tensorq.ErrBitWidth
				// The width comes first: there is no room either.
				if n, err, untouched := f(5, bits, 0); n != 0 || !errors.As(err, &e) || e.Bits != bits || !untouched {
					t.Errorf("%d bits: %d, %v, untouched %v", bits, n, err, untouched)
				}
			}
		}
	})
	t.Run("S3.3/room", func(t *testing.T) {
		for bits := 1; bits <= 8; bits++ {
			for n := 1; n < 70; n++ {
				need := (n*bits + 7) / 8
				for _, f := range []call{pack, packUnsigned} {
					var e tensorq.ErrOutputTooSmall
					if m, err, untouched := f(n, bits, need-1); m != 0 || !errors.As(err, &e) || e.Required != need || !untouched {
						t.Fatalf("%d codes of %d bits into %d bytes: %d, %v, untouched %v", n, bits, need-1, m, err, untouched)
					}
				}
				for _, f := range []call{unpack, unpackUnsigned} {
					var e tensorq.ErrInputTooSmall
					if m, err, untouched := f(n, bits, need-1); m != 0 || !errors.As(err, &e) || e.Required != need || !untouched {
						t.Fatalf("%d codes of %d bits from %d bytes: %d, %v, untouched %v", n, bits, need-1, m, err, untouched)
					}
				}
				for _, f := range []call{pack, packUnsigned, unpack, unpackUnsigned} {
					for _, more := range []int{0, 1, 100} {
						if m, err, _ := f(n, bits, need+more); m != need || err != nil {
							t.Fatalf("%d codes of %d bits, %d bytes: %d, %v", n, bits, need+more, m, err)
						}
					}
				}
			}
		}
	})
	t.Run("S3.4/three_bits", func(t *testing.T) {
		for _, v := range []int8{4, -4} {
			var e tensorq.ErrCodeOutOfRange
			if _, err := tensorq.PackBits([]int8{3, -3, v}, 3, make([]byte, 2)); !errors.As(err, &e) || e.Index != 2 || e.Value != int(v) {
				t.Errorf("%d in 3 bits: %v", v, err)
			}
		}
		var e tensorq.ErrCodeOutOfRange
		if _, err := tensorq.UnpackBits([]byte{0b00_111_000}, 3, make([]int8, 2)); !errors.As(err, &e) || e.Index != 1 || e.Value != 4 {
			t.Errorf("111 in 3 bits: %v", err)
		}
	})
	t.Run("S3.4/every_value", func(t *testing.T) {
		for bits := 1; bits <= 8; bits++ {
			for v := -128; v <= 127; v++ {
				_, err := tensorq.PackBits([]int8{int8(v)}, bits, make([]byte, 1))
				if inside := v >= -qmax(bits) && v <= qmax(bits); inside != (err == nil) {
					t.Errorf("%d in %d bits: %v", v, bits, err)
				}
				u := uint8(v + 128)
				_, err = tensorq.PackUnsigned([]uint8{u}, bits, make([]byte, 1))
				if inside := int(u) < 1<<bits; inside != (err == nil) {
					t.Errorf("%d in %d bits: %v", u, bits, err)
				}
			}
		}
	})
	// One bad code among good ones at each place of long streams; a second one behind it does
	// not change what is said.
	t.Run("S3.4/every_place", func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 3))
		for bits := 1; bits <= 8; bits++ {
			const n = 333
			codes := validCodes(r, n, bits)
			stream := bitByBit(ints(codes), bits, qmax(bits))
			for at := range n {
				var e tensorq.ErrCodeOutOfRange
				bad := qmax(bits) + 1
				if at%2 == 1 || bits == 8 {
					bad = -bad
				}
				broken := slices.Clone(codes)
				broken[at], broken[n-1] = int8(bad), int8(bad)
				out := bytes.Repeat([]byte{0xa5}, len(stream))
				m, err := tensorq.PackBits(broken, bits, out)
				if m != 0 || !errors.As(err, &e) || e.Index != at || e.Value != bad || bytes.Count(out, []byte{0xa5}) != len(out) {
					t.Fatalf("%d bits, code %d at %d: %d, %v", bits, bad, at, m, err)
				}

				broken[at], broken[n-1] = codes[at], codes[n-1]
				damaged := ints(broken)
				damaged[at], damaged[n-1] = qmax(bits)+1, qmax(bits)+1
				back := slices.Repeat([]int8{77}, n)
				m, err = tensorq.UnpackBits(bitByBit(damaged, bits, qmax(bits)), bits, back)
				if m != 0 || !errors.As(err, &e) || e.Index != at || e.Value != qmax(bits)+1 || slices.ContainsFunc(back, func(c int8) bool { return c != 77 }) {
					t.Fatalf("%d bits, all bits set at %d: %d, %v", bits, at, m, err)
				}

				if bits < 8 {
					unsigned := make([]uint8, n)
					unsigned[at], unsigned[n-1] = 1<<bits, 0xff
					if at == n-1 {
						unsigned[at] = 1 << bits
					}
					out := bytes.Repeat([]byte{0xa5}, len(stream))
					m, err = tensorq.PackUnsigned(unsigned, bits, out)
					if m != 0 || !errors.As(err, &e) || e.Index != at || e.Value != 1<<bits || bytes.Count(out, []byte{0xa5}) != len(out) {
						t.Fatalf("%d bits, code %d at %d: %d, %v", bits, 1<<bits, at, m, err)
					}
				}
			}
		}
	})
	t.Run("S3.4/bits_behind", func(t *testing.T) { // which are no code
		for bits := 1; bits <= 8; bits++ {
			for n := 1; n < 70; n++ {
				stream := bitByBit(make([]int, n), bits, qmax(bits))
				if rest := n * bits % 8; rest != 0 {
					stream[len(stream)-1] |= 0xff << rest
				}
				stream = append(stream, bytes.Repeat([]byte{0xff}, 20)...)
				out := make([]int8, n)
				if _, err := tensorq.UnpackBits(stream, bits, out); err != nil || slices.ContainsFunc(out, func(c int8) bool { return c != 0 }) {
					t.Fatalf("%d codes of %d bits: %v, %v", n, bits, out, err)
				}
			}
		}
	})
	t.Run("S3.3/texts", func(t *testing.T) {
		for _, c := range []struct {
			err  error
			says []string
		}{
			{tensorq.ErrBitWidth{9}, []string{"9 bits", "1 to 8"}},
			{tensorq.ErrOutputTooSmall{12}, []string{"output", "12"}},
			{tensorq.ErrInputTooSmall{13}, []string{"input", "13 bytes"}},
			{tensorq.ErrCodeOutOfRange{7, -4}, []string{"-4", "index 7"}},
		} {
			for _, part := range c.says {
				if !strings.Contains(c.err.Error(), part) {
					t.Errorf("%q does not say %q", c.err, part)
				}
			}
		}
	})
}

// backwards is a codec with another stream: the last code comes first.
type backwards struct{ tensorq.StandardBitCodec }

func (b backwards) Pack(codes []int8, bits int, out []byte) (int, error) {
	codes = slices.Clone(codes)
	slices.Reverse(codes)
	return b.StandardBitCodec.Pack(codes, bits, out)
}

func (b backwards) Unpack(data []byte, bits int, out []int8) (int, error) {
	n, err := b.StandardBitCodec.Unpack(data, bits, out)
	slices.Reverse(out)
	return n, err
}

// What takes a BitCodec takes the standard one and any other.
func TestBitCodec(t *testing.T) {
	codes := []int8{-3, 3, 1}
	for name, c := range map[string]struct {
		codec tensorq.BitCodec
		want  string
	}{"standard": {tensorq.StandardBitCodec{}, "30 01"}, "backwards": {backwards{}, "34 00"}} {
		t.Run("S3.13/"+name, func(t *testing.T) {
			out, back := make([]byte, 2), make([]int8, 3)
			n, err := c.codec.Pack(codes, 3, out)
			if err != nil || n != 2 || !bytes.Equal(out, unhex(t, c.want)) {
				t.Errorf("% x, %d, %v; want %s", out, n, err, c.want)
			}
			if n, err = c.codec.Unpack(out, 3, back); err != nil || n != 2 || !slices.Equal(back, codes) {
				t.Errorf("%v, %d, %v; want %v", back, n, err, codes)
			}
		})
	}
}

// maxAbs is MaxAbs by its definition.
func maxAbs(values []float32) float64 {
	most := 0.0
	for _, v := range values {
		if v != v {
			return math.NaN()
		}
		most = math.Max(most, math.Abs(float64(v)))
	}
	return most
}

func TestMaxAbs(t *testing.T) {
	odd := []float32{
		float32(math.NaN()), math.Float32frombits(0xffc00000), math.Float32frombits(0x7f800001), math.Float32frombits(0xff800001),
		float32(math.Inf(1)), float32(math.Inf(-1)), math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32,
		math.Float32frombits(0x007fffff), math.MaxFloat32, -math.MaxFloat32, 0, float32(math.Copysign(0, -1)),
	}
	t.Run("S3.21/every_place", func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 3))
		for n := range 300 {
			if n > 67 && n%16 != 5 {
				continue
			}
			values := make([]float32, n)
			for kind := range 3 { // plain numbers, tiny ones, zeros of both signs
				for i := range values {
					switch kind {
					case 0:
						values[i] = float32(r.NormFloat64())
					case 1:
						values[i] = math.Float32frombits(r.Uint32() & 0x80000fff)
					case 2:
						values[i] = math.Float32frombits(r.Uint32() & 0x80000000)
					}
				}
				check := func(what string) {
					want, got := maxAbs(values), tensorq.MaxAbs(values)
					if same := float64(got) == want || got != got && want != want; !same || math.Signbit(float64(got)) {
						t.Fatalf("%s, %d values: %v, want %v", what, n, got, want)
					}
				}
				check("as they are")
				for at := range values {
					was := values[at]
					for _, v := range odd {
						values[at] = v
						check(fmt.Sprintf("%v at %d", v, at))
					}
					values[at] = was
				}
			}
		}
	})
	t.Run("S3.21/nothing", func(t *testing.T) {
		for _, values := range [][]float32{nil, {}, {0}, {float32(math.Copysign(0, -1))}} {
			if got := tensorq.MaxAbs(values); math.Float32bits(got) != 0 {
				t.Errorf("MaxAbs(%v) = %v, want 0", values, got)
			}
		}
	})
}
