package tensorq_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"boost/tensorq"
)

func TestSizes(t *testing.T) {
	type column struct {
		bits     int
		twoLevel bool
	}
	columns := []column{{8, false}, {7, false}, {5, false}, {3, false}, {3, true}}
	for n, sizes := range map[int][5]int{
		64:  {68, 60, 44, 28, 40},
		100: {104, 92, 67, 42, 59},
		10:  {14, 13, 11, 8, 14},
		128: {132, 116, 84, 52, 72},
		1:   {5, 5, 5, 5, 10},
	} {
		for i, want := range sizes {
			c := columns[i]
			t.Run(fmt.Sprintf("S3.28/%d_values/%d_bits_%v", n, c.bits, c.twoLevel), func(t *testing.T) {
				if got := tensorq.StorageSize(n, c.bits, c.twoLevel); got != want {
					t.Errorf("StorageSize: %d bytes, want %d", got, want)
				}
				q, _ := tensorq.Quantizer(c.bits)
				if got := q.BlockStorageSize(n); !c.twoLevel && got != want {
					t.Errorf("BlockStorageSize: %d bytes, want %d", got, want)
				}
			})
		}
	}
	// Bytes that are really made, against a count of bits by hand.
	for _, c := range columns {
		t.Run(fmt.Sprintf("S3.28/bytes/%d_bits_%v", c.bits, c.twoLevel), func(t *testing.T) {
			q, _ := tensorq.Quantizer(c.bits)
			for n := 1; n <= 257; n++ {
				want := 32
				if c.twoLevel {
					want += 32 + n
					want += -want & 7
				}
				want += n * c.bits
				want = (want + 7) / 8
				block := tensorq.QuantizedBlock{Bits: c.bits, TwoLevel: c.twoLevel, Scale: 1, SecondaryScale: 2, Codes: make([]int8, n)}
				if c.twoLevel {
					block.Flags = make([]byte, (n+7)/8)
				}
				got, err := tensorq.AppendBlock(nil, &block)
				if err != nil || len(got) != want || block.StorageSize() != want {
					t.Fatalf("%d values: %d bytes, said %d, want %d (%v)", n, len(got), block.StorageSize(), want, err)
				}
				if q.PackedDataSize(n) != (n*c.bits+7)/8 {
					t.Fatalf("%d values: %d bytes of codes", n, q.PackedDataSize(n))
				}
				if _, err := tensorq.EncodeBlock(&block, got[:want-1]); err != (tensorq.ErrOutputTooSmall{Required: want}) {
					t.Fatalf("%d values into %d bytes: %v", n, want-1, err)
				}
				if _, err := tensorq.DecodeBlock(got[:want-1], n, c.bits, c.twoLevel, &block); err != (tensorq.ErrInputTooSmall{Required: want}) {
					t.Fatalf("%d values from %d bytes: %v", n, want-1, err)
				}
			}
		})
	}
}

func TestRatios(t *testing.T) {
	round := func(x float64) float64 { return math.Round(100*x) / 100 }
	for _, c := range []struct {
		bits             int
		asymptotic, of64 float64
	}{{8, 4, 3.76}, {7, 4.57, 4.27}, {5, 6.4, 5.82}, {3, 10.67, 9.14}} {
		t.Run(fmt.Sprintf("S3.30/%d_bits", c.bits), func(t *testing.T) {
			const many = 1 << 20
			if got := round(4 * many / float64(tensorq.PackedSize(many, c.bits))); got != c.asymptotic {
				t.Errorf("without scales %v, want %v", got, c.asymptotic)
			}
			if got := round(256 / float64(tensorq.StorageSize(64, c.bits, false))); got != c.of64 {
				t.Errorf("a block of 64: %v, want %v", got, c.of64)
			}
		})
	}
	t.Run("S3.30/two_levels", func(t *testing.T) {
		if got := round(256 / float64(tensorq.StorageSize(64, 3, true))); got != 6.4 {
			t.Errorf("%v, want 6.4", got)
		}
	})
	t.Run("S3.30/frames", func(t *testing.T) {
		// 100 frames of 64 values of 8 bits that share one float32.
		if bytes := tensorq.StorageSize(100*64, 8, false); bytes != 6404 || 100*256 != 25600 {
			t.Errorf("%d bytes", bytes)
		} else if got := math.Round(25600/float64(bytes)*1e4) / 1e4; got != 3.9975 {
			t.Errorf("%v, want 3.9975", got)
		}
	})
}

func TestNoGaps(t *testing.T) {
	for _, bits := range []int{8, 7, 5, 3} {
		t.Run(fmt.Sprintf("S3.29/%d_bits", bits), func(t *testing.T) {
			cfg := tensorq.DefaultQuantConfig()
			for n := range 200 {
				cfg.BlockSize = 1 + n%31
				values := tensor(uint64(n), n, heavyTailed)
				q, _ := tensorq.Quantizer(bits)
				blocks, err := tensorq.Quantize(values, q, cfg)
				if err != nil {
					t.Fatal(err)
				}
				var data []byte
				sum := 0
				for i := range blocks {
					sum += blocks[i].StorageSize()
					if data, err = tensorq.AppendBlock(data, &blocks[i]); err != nil {
						t.Fatal(err)
					}
				}
				segment, err := tensorq.EncodeSegment(values, bits, cfg)
				if err != nil {
					t.Fatal(err)
				}
				at := 22 + (len(blocks)+7)/8
				if len(data) != sum || len(segment) != at+sum+4 || !slices.Equal(segment[at:at+sum], data) {
					t.Fatalf("%d values in blocks of %d: %d bytes of blocks, %d of segment; sizes add up to %d", n, cfg.BlockSize, len(data), len(segment), sum)
				}
			}
		})
	}
	// A block of 5 codes ends inside a byte, and its flags too.
	for _, c := range []struct {
		bits     int
		twoLevel bool
	}{{7, false}, {5, false}, {3, false}, {3, true}} {
		t.Run(fmt.Sprintf("S3.29/spare_bits/%d_bits_%v", c.bits, c.twoLevel), func(t *testing.T) {
			block := tensorq.QuantizedBlock{Bits: c.bits, TwoLevel: c.twoLevel, Scale: 1, Codes: make([]int8, 5)}
			if c.twoLevel {
				block.Flags = []byte{31}
			}
			data, err := tensorq.AppendBlock(nil, &block)
			if err != nil {
				t.Fatal(err)
			}
			var back tensorq.QuantizedBlock
			refused := func(at, bit int) bool {
				changed := slices.Clone(data)
				changed[at] |= 1 << bit
				_, err := tensorq.DecodeBlock(changed, 5, c.bits, c.twoLevel, &back)
				var format tensorq.ErrFormat
				if err != nil && (!errors.As(err, &format) || format.Offset != int64(at)) {
					t.Errorf("bit %d of byte %d: %v", bit, at, err)
				}
				return err != nil
			}
			if _, err := tensorq.DecodeBlock(data, 5, c.bits, c.twoLevel, &back); err != nil {
				t.Fatal(err)
			}
			for bit := 5 * c.bits % 8; bit < 8; bit++ {
				if !refused(len(data)-1, bit) {
					t.Errorf("bit %d behind the codes is taken", bit)
				}
			}
			for bit := 5; bit < 8 && c.twoLevel; bit++ {
				if !refused(8, bit) {
					t.Errorf("flag %d of 5 is taken", bit)
				}
				block.Flags[0] = 31 | 1<<bit
				if _, err := tensorq.AppendBlock(nil, &block); err == nil {
					t.Errorf("flag %d of 5 is written", bit)
				}
			}
		})
	}
}

// Every input of small widths: all pairs of 2-bit to 4-bit codes in all places of a short
// block, and all bytes as 8-bit codes.
func TestEveryInput(t *testing.T) {
	var back tensorq.QuantizedBlock
	for bits := 2; bits <= 4; bits++ {
		n := 8 / bits * 2
		codes := make([]int8, n)
		qmax := 1<<(bits-1) - 1
		for i := range n {
			for j := range n {
				for a := -qmax; a <= qmax; a++ {
					for b := -qmax; b <= qmax; b++ {
						clear(codes)
						codes[i], codes[j] = int8(a), int8(b)
						block := tensorq.QuantizedBlock{Bits: bits, Scale: .25, Codes: codes}
						data, err := tensorq.AppendBlock(nil, &block)
						if err != nil {
							t.Fatal(err)
						}
						if _, err := tensorq.DecodeBlock(data, n, bits, false, &back); err != nil || !slices.Equal(back.Codes, codes) {
							t.Fatalf("%d bits, %v: %v %v", bits, codes, back.Codes, err)
						}
					}
				}
			}
		}
	}
	// Every block of three 2-bit bytes there is: what decodes encodes to the same bytes.
	taken := 0
	for word := range 1 << 16 {
		data := []byte{0, 0, 128, 63, byte(word), byte(word >> 8)}
		if _, err := tensorq.DecodeBlock(data, 7, 2, false, &back); err != nil {
			continue
		}
		taken++
		again, err := tensorq.AppendBlock(nil, &back)
		if err != nil || !slices.Equal(again, data) {
			t.Fatalf("% x became % x (%v)", data, again, err)
		}
	}
	if want := 3 * 3 * 3 * 3 * 3 * 3 * 3; taken != want {
		t.Errorf("%d blocks of 7 codes of 2 bits, want 3^7 = %d", taken, want)
	}
	for b := range 256 {
		_, err := tensorq.DecodeBlock([]byte{0, 0, 128, 63, byte(b)}, 1, 8, false, &back)
		if b == 0x80 {
			var code tensorq.ErrCodeOutOfRange
			if !errors.As(err, &code) || code != (tensorq.ErrCodeOutOfRange{Index: 0, Value: -128}) {
				t.Errorf("-128: %v", err)
			}
		} else if err != nil || back.Codes[0] != int8(b) {
			t.Errorf("byte %d: %v %v", b, back.Codes, err)
		}
	}
}

func TestBadCodesAndScales(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name  string
		block tensorq.QuantizedBlock
		want  error
	}{
		{"code_4_of_3_bits", tensorq.QuantizedBlock{Bits: 3, Scale: 1, Codes: []int8{0, 4}}, tensorq.ErrCodeOutOfRange{Index: 1, Value: 4}},
		{"code_-128", tensorq.QuantizedBlock{Bits: 8, Scale: 1, Codes: []int8{0, 0, -128}}, tensorq.ErrCodeOutOfRange{Index: 2, Value: -128}},
		{"nan", tensorq.QuantizedBlock{Bits: 8, Scale: nan, Codes: []int8{0}}, nil},
		{"infinite", tensorq.QuantizedBlock{Bits: 8, Scale: float32(math.Inf(1)), Codes: []int8{0}}, nil},
		{"negative", tensorq.QuantizedBlock{Bits: 8, Scale: -1, Codes: []int8{0}}, nil},
		{"negative_zero", tensorq.QuantizedBlock{Bits: 8, Scale: float32(math.Copysign(0, -1)), Codes: []int8{0}}, nil},
		{"too_large", tensorq.QuantizedBlock{Bits: 8, Scale: 0x1p122, Codes: []int8{0}}, nil},
		{"second", tensorq.QuantizedBlock{Bits: 3, TwoLevel: true, Scale: 1, SecondaryScale: nan, Codes: []int8{0}, Flags: []byte{0}}, nil},
	} {
		data := make([]byte, 20)
		_, err := tensorq.EncodeBlock(&c.block, data)
		if err == nil || c.want != nil && err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for name, data := range map[string]string{
		"NaN":       "00 00 c0 7f 00",
		"infinite":  "00 00 80 7f 00",
		"negative":  "00 00 80 bf 00",
		"-0":        "00 00 00 80 00",
		"too_large": "00 00 80 7c 00",
		"code":      "00 00 80 3f 80",
	} {
		var format tensorq.ErrFormat
		if _, err := tensorq.DecodeBlock(bytesOf(t, data), 1, 8, false, new(tensorq.QuantizedBlock)); !errors.As(err, &format) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var format tensorq.ErrFormat
	if _, err := tensorq.DecodeBlock(bytesOf(t, "00 00 80 3f 00 00 80 ff 00 03"), 1, 3, true, new(tensorq.QuantizedBlock)); !errors.As(err, &format) || format.Offset != 4 {
		t.Errorf("second scale: %v", err)
	}
	if _, err := tensorq.DecodeBlock(make([]byte, 99), 8, 5, true, new(tensorq.QuantizedBlock)); !errors.As(err, new(tensorq.ErrBlock)) {
		t.Errorf("two levels of 5 bits: %v", err)
	}
	for _, bits := range []int{-1, 0, 1, 9} {
		if _, err := tensorq.DecodeBlock(make([]byte, 99), 8, bits, false, new(tensorq.QuantizedBlock)); err != (tensorq.ErrBitWidth{Bits: bits}) {
			t.Errorf("%d bits: %v", bits, err)
		}
	}
}

// inverted is a codec of its own: it stores the complement of the standard stream.
type inverted struct{ calls *int }

func (c inverted) Pack(codes []int8, bits int, out []byte) (int, error) {
	*c.calls++
	n, err := tensorq.PackBits(codes, bits, out)
	for i := range out[:n] {
		out[i] = ^out[i]
	}
	return n, err
}

func (c inverted) Unpack(data []byte, bits int, out []int8) (int, error) {
	*c.calls++
	plain := slices.Clone(data)
	for i := range plain {
		plain[i] = ^plain[i]
	}
	return tensorq.UnpackBits(plain, bits, out)
}

func TestInjectedCodec(t *testing.T) {
	t.Run("S3.13/injected", func(t *testing.T) {
		calls := 0
		other := tensorq.BlockCodec{Codec: inverted{&calls}}
		block := tensorq.QuantizedBlock{Bits: 3, Scale: 1, Codes: []int8{3, -3, 1, -1, 2, 3, -3, 0}}
		data := make([]byte, 7)
		if n, err := other.Encode(&block, data); err != nil || n != 7 || !slices.Equal(data, bytesOf(t, "00 00 80 3f | f9 aa 9c")) {
			t.Fatalf("% x %v, want the complement of 06 55 63", data, err)
		}
		var back tensorq.QuantizedBlock
		if _, err := other.Decode(data, 8, 3, false, &back); err != nil || !slices.Equal(back.Codes, block.Codes) || calls != 2 {
			t.Errorf("%v %v after %d calls", back.Codes, err, calls)
		}
	})
	t.Run("S3.13/standard", func(t *testing.T) {
		var codec tensorq.BitCodec = tensorq.StandardBitCodec{}
		out, back := make([]byte, 3), make([]int8, 8)
		codes := []int8{-3, -2, -1, 0, 1, 2, 3, 0}
		if n, err := codec.Pack(codes, 3, out); err != nil || n != 3 || !slices.Equal(out, bytesOf(t, "88 c6 7a")) {
			t.Errorf("% x %v", out, err)
		}
		if n, err := codec.Unpack(out, 3, back); err != nil || n != 3 || !slices.Equal(back, codes) {
			t.Errorf("%v %v", back, err)
		}
	})
}

func TestRegistry(t *testing.T) {
	t.Run("S3.20/widths", func(t *testing.T) {
		if got := tensorq.Widths(); !slices.Equal(got, []int{3, 4, 5, 6, 7, 8}) {
			t.Errorf("widths %v: built in are 3, 5, 7 and 8, this test adds 4 and 6", got)
		}
		for _, bits := range []int{-1, 0, 1, 2, 9} {
			if _, err := tensorq.Quantizer(bits); err != (tensorq.ErrBitWidth{Bits: bits}) {
				t.Errorf("%d bits: %v", bits, err)
			}
		}
	})
	t.Run("S3.20/refused", func(t *testing.T) {
		q, _ := tensorq.Symmetric(4)
		if err := tensorq.Register(q); err != (tensorq.ErrRegistered{Bits: 4}) {
			t.Errorf("twice: %v", err)
		}
		for _, bits := range []int{0, 1, 9} {
			if _, err := tensorq.Symmetric(bits); err != (tensorq.ErrBitWidth{Bits: bits}) {
				t.Errorf("%d bits: %v", bits, err)
			}
		}
		if err := tensorq.Register(wrongSize{}); err == nil {
			t.Error("a quantizer with sizes of another width was taken")
		}
	})
	for _, bits := range []int{4, 6} {
		t.Run(fmt.Sprintf("S3.20/%d_bits", bits), func(t *testing.T) {
			q, err := tensorq.Quantizer(bits)
			if err != nil || q.BitWidth() != bits {
				t.Fatalf("%v %v", q, err)
			}
			if q.PackedDataSize(10) != (10*bits+7)/8 || q.BlockStorageSize(10) != 4+(10*bits+7)/8 {
				t.Errorf("10 values: %d and %d bytes", q.PackedDataSize(10), q.BlockStorageSize(10))
			}
			// Through a segment and back: a step is max/qmax, and either rule errs by half of it.
			values := tensor(3, 1000, heavyTailed)
			segment, err := tensorq.EncodeSegment(values, bits, tensorq.DefaultQuantConfig())
			if err != nil {
				t.Fatal(err)
			}
			header, back, err := tensorq.DecodeSegment(segment)
			if err != nil || header.Bits != bits || len(back) != len(values) {
				t.Fatalf("%+v %v", header, err)
			}
			for i := range values {
				block := values[i/64*64 : min(i/64*64+64, len(values))]
				step := float64(tensorq.MaxAbs(block)) / float64(int(1)<<(bits-1)-1)
				bound := step / 2 * 1.0001
				if bits == 6 && math.Abs(float64(values[i])) < step {
					bound *= 2 // rounded to zero, and zero it stays
				}
				if diff := math.Abs(float64(values[i]) - float64(back[i])); diff > bound {
					t.Fatalf("value %d: %v came back as %v, a step is %v", i, values[i], back[i], step)
				}
			}
		})
	}
}

type wrongSize struct{ truncating }

func (wrongSize) BitWidth() int { return 2 }
