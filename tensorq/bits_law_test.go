package tensorq_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/testenv"
	"boost/tensorq"
)

// throughAccumulator is the stream as S3.1 describes how it is made: codes enter a
// 64-bit accumulator above the bits that wait there, whole bytes leave it.
func throughAccumulator(codes []int8, bits int) (stream []byte, mostPending int) {
	var waiting uint64
	pending := 0
	for _, code := range codes {
		mostPending = max(mostPending, pending)
		waiting |= uint64(int(code)+qmax(bits)) << pending
		for pending += bits; pending >= 8; pending -= 8 {
			stream = append(stream, byte(waiting))
			waiting >>= 8
		}
	}
	if pending > 0 {
		stream = append(stream, byte(waiting))
	}
	return stream, mostPending
}

// roundTrip packs codes and unpacks them, and compares the stream with that of the
// accumulator.
func roundTrip(t *testing.T, codes []int8, bits int) {
	t.Helper()
	want, mostPending := throughAccumulator(codes, bits)
	if mostPending >= 8 {
		t.Fatalf("%d bits wait between codes", mostPending)
	}
	out, back := make([]byte, tensorq.PackedSize(len(codes), bits)), make([]int8, len(codes))
	if n, err := tensorq.PackBits(codes, bits, out); err != nil || n != len(want) || !bytes.Equal(out, want) {
		t.Fatalf("%d codes of %d bits: %d bytes, %v; the stream is not that of the accumulator", len(codes), bits, n, err)
	}
	if n, err := tensorq.UnpackBits(out, bits, back); err != nil || n != len(want) || !slices.Equal(back, codes) {
		t.Fatalf("%d codes of %d bits: %d bytes, %v; they do not come back", len(codes), bits, n, err)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Run("S3.5/lengths", func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 3))
		for bits := 1; bits <= 8; bits++ {
			for n := range 1001 {
				roundTrip(t, validCodes(r, n, bits), bits)
			}
			for _, n := range []int{1_000_000, 1_000_001, 1_000_037}[:testenv.UnlessShort(3, 0)] {
				roundTrip(t, validCodes(r, n, bits), bits)
			}
		}
	})
	// Every code at each of 8 places of a byte's worth of words, in streams so short that they are
	// a rest and so long that vectors take them, between codes of all bits 0 and of all bits
	// but the lowest set, from which a bit that strays would show.
	t.Run("S3.5/every_code_and_place", func(t *testing.T) {
		for bits := 1; bits <= 8; bits++ {
			for code := -qmax(bits); code <= qmax(bits); code++ {
				for _, n := range []int{8, 15, 207} {
					for _, around := range []int{-qmax(bits), qmax(bits)} {
						for place := range 8 {
							codes := slices.Repeat([]int8{int8(around)}, n)
							for i := place; i < n; i += 24 {
								codes[i] = int8(code)
							}
							roundTrip(t, codes, bits)
						}
					}
				}
			}
		}
	})
	// All streams of two bytes are what unsigned codes pack to, and unpacking says of each whether
	// it has a code that is never written.
	t.Run("S3.5/every_stream_of_two_bytes", func(t *testing.T) {
		for bits := 1; bits <= 8; bits++ {
			n := 16 / bits
			for word := 0; word < 1<<16; word += testenv.UnlessShort(1, 13) {
				data := []byte{byte(word), byte(word >> 8)}
				u, v := make([]uint8, n), make([]int8, n)
				if _, err := tensorq.UnpackUnsigned(data, bits, u); err != nil {
					t.Fatal(err)
				}
				_, err := tensorq.UnpackBits(data, bits, v)
				if full := slices.Contains(u, uint8(1<<bits-1)); full != (err != nil) {
					t.Fatalf("% x of %d bits: %v, %v", data, bits, u, err)
				}
				again := []byte{0xff, byte(word >> 8)}
				m, err := tensorq.PackUnsigned(u, bits, again)
				if kept := 1<<(n*bits) - 1; err != nil || int(again[0])|int(again[1])<<8 != word&kept && m == 2 || m != (n*bits+7)/8 {
					t.Fatalf("% x of %d bits: packed again to % x, %v", data, bits, again, err)
				}
			}
		}
	})
	t.Run("S3.8/ten_million_codes", func(t *testing.T) {
		n := 10_000_000
		if testing.Short() {
			n = 1_000_000
		}
		r := rand.New(rand.NewPCG(12, 3))
		for bits := 1; bits <= 8; bits++ {
			// The codes of a shorter run over and over, of a length that fits no vector.
			some := validCodes(r, 9973, bits)
			codes := slices.Repeat(some, n/len(some)+1)[:n]
			roundTrip(t, codes, bits)
		}
	})
}

// Nothing is put on the heap, an error included.
func TestNoHeapUse(t *testing.T) {
	codes, unsigned, values := make([]int8, 1000), make([]uint8, 1000), make([]float32, 1000)
	bad := slices.Clone(codes)
	bad[900] = -128
	out := make([]byte, 1000)
	var err error
	for name, f := range map[string]func(){
		"pack":            func() { _, err = tensorq.PackBits(codes, 5, out) },
		"unpack":          func() { _, err = tensorq.UnpackBits(out, 5, codes) },
		"pack_unsigned":   func() { _, err = tensorq.PackUnsigned(unsigned, 5, out) },
		"unpack_unsigned": func() { _, err = tensorq.UnpackUnsigned(out, 5, unsigned) },
		"interface":       func() { _, err = tensorq.BitCodec(tensorq.StandardBitCodec{}).Pack(codes, 3, out) },
		"max_abs":         func() { values[0] = tensorq.MaxAbs(values) },
	} {
		t.Run("S3.6/"+name, func(t *testing.T) {
			clear(codes)
			if _, e := tensorq.PackBits(codes, 5, out); e != nil {
				t.Fatal(e)
			}
			if n := testing.AllocsPerRun(100, f); n != 0 || err != nil {
				t.Errorf("%v allocations a call, error %v", n, err)
			}
		})
	}
}

// FuzzPackBitsS3_5 packs any bytes as codes: what packs is the stream of the definition and
// comes back, what does not is refused for its first code beyond the range.
func FuzzPackBitsS3_5(f *testing.F) {
	f.Add([]byte{0x81, 0xe1, 0xff, 0, 1, 0x1f, 0x7f, 5}, uint8(8))
	f.Add([]byte{0xfd, 0xfe, 0xff, 0, 1, 2, 3, 0}, uint8(3))
	f.Add(bytes.Repeat([]byte{0xc1, 63, 0}, 50), uint8(7))
	f.Add(bytes.Repeat([]byte{4}, 90), uint8(3))
	f.Fuzz(func(t *testing.T, raw []byte, width uint8) {
		bits := int(width)%8 + 1
		codes := make([]int8, len(raw))
		first := -1
		for i, b := range raw {
			codes[i] = int8(b)
			if v := int(codes[i]); first < 0 && (v > qmax(bits) || v < -qmax(bits)) {
				first = i
			}
		}
		out := make([]byte, tensorq.PackedSize(len(codes), bits))
		_, err := tensorq.PackBits(codes, bits, out)
		if first < 0 {
			roundTrip(t, codes, bits)
		} else if want := (tensorq.ErrCodeOutOfRange{Index: first, Value: int(codes[first])}); err != want {
			t.Fatalf("%v in %d bits: %v, want %v", codes, bits, err, want)
		}
		unsigned, back := slices.Clone(raw), make([]uint8, len(raw))
		for i := range unsigned {
			unsigned[i] &= 1<<bits - 1
		}
		if _, err := tensorq.PackUnsigned(unsigned, bits, out); err != nil {
			t.Fatal(err)
		}
		if _, err := tensorq.UnpackUnsigned(out, bits, back); err != nil || !bytes.Equal(back, unsigned) {
			t.Fatalf("%v in %d bits: %v, %v", unsigned, bits, back, err)
		}
	})
}

// FuzzUnpackBitsS3_5 unpacks any bytes: the codes are those of the definition and pack to the
// same bytes, the bits behind the last one aside, or the first with all bits set is named.
func FuzzUnpackBitsS3_5(f *testing.F) {
	f.Add([]byte{0x88, 0xc6, 0x7a}, uint8(2), uint16(8))
	f.Add([]byte{0x30, 0x01}, uint8(2), uint16(3))
	f.Add(bytes.Repeat([]byte{0x00, 0x90, 0xef, 0x07, 0xf4, 0xfa, 0x89}, 20), uint8(6), uint16(160))
	f.Add(bytes.Repeat([]byte{0xff}, 50), uint8(4), uint16(70))
	f.Fuzz(func(t *testing.T, data []byte, width uint8, count uint16) {
		bits, n := int(width)%8+1, int(count)%4096
		size := tensorq.PackedSize(n, bits)
		codes := slices.Repeat([]int8{77}, n)
		read, err := tensorq.UnpackBits(data, bits, codes)
		if len(data) < size {
			if err != (tensorq.ErrInputTooSmall{Required: size}) {
				t.Fatalf("%d codes of %d bits in %d bytes: %v", n, bits, len(data), err)
			}
			return
		}
		for i := range n {
			u := 0
			for j := range bits {
				u |= int(data[(i*bits+j)/8]) >> ((i*bits + j) % 8) & 1 << j
			}
			if u == 1<<bits-1 {
				if err != (tensorq.ErrCodeOutOfRange{Index: i, Value: u - qmax(bits)}) || slices.ContainsFunc(codes, func(c int8) bool { return c != 77 }) {
					t.Fatalf("code %d of %d bits has all bits set: %v", i, bits, err)
				}
				return
			}
			if err == nil && int(codes[i]) != u-qmax(bits) {
				t.Fatalf("code %d of %d bits is %d, want %d", i, bits, codes[i], u-qmax(bits))
			}
		}
		again := make([]byte, size)
		if _, e := tensorq.PackBits(codes, bits, again); err != nil || read != size || e != nil {
			t.Fatalf("%d codes of %d bits: %d bytes, %v; packed: %v", n, bits, read, err, e)
		}
		if rest := n * bits % 8; rest > 0 {
			again[size-1] |= data[size-1] &^ (1<<rest - 1)
		}
		if !bytes.Equal(again, data[:size]) {
			t.Fatalf("%d codes of %d bits: % x packed again is % x", n, bits, data[:size], again)
		}
	})
}
