package tensorq_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"

	"boost/internal/testenv"
	"boost/tensorq"
)

const goldenSegment1 = "54 51 54 43 01 03 | 08 00 00 00 | 08 00 00 00 | 01 00 00 00 | 01 00 00 00 | 00 3c | 03 00 00 00 | 88 c6 7a"

const goldenSegment2 = "54 51 54 43 02 03 | 08 00 00 00 | 10 00 00 00 | 02 00 00 00 | 02 | 13 00 00 00 |" +
	"00 00 80 3f 06 55 63 | 00 00 80 3f 00 00 20 41 40 8c 35 db | cc 8f a9 f0"

// goldenTensor is the 3-bit block of S3.18, then that of S3.32.
func goldenTensor() ([]float32, tensorq.QuantConfig) {
	cfg := tensorq.DefaultQuantConfig()
	cfg.BlockSize, cfg.TwoLevelCold, cfg.OutlierFraction = 8, true, .25
	return append(startingWith(3, eight[2:]...), outliers...), cfg
}

// readers are the ways to decode one segment.
var readers = map[string]func(data []byte) (tensorq.SegmentHeader, []float32, error){
	"memory": tensorq.DecodeSegment,
	"stream": func(data []byte) (tensorq.SegmentHeader, []float32, error) {
		return tensorq.ReadSegment(bytes.NewReader(data))
	},
	"one_byte_at_a_time": func(data []byte) (tensorq.SegmentHeader, []float32, error) {
		return tensorq.ReadSegment(iotest.OneByteReader(bytes.NewReader(data)))
	},
	"data_with_end": func(data []byte) (tensorq.SegmentHeader, []float32, error) {
		return tensorq.ReadSegment(iotest.DataErrReader(bytes.NewReader(data)))
	},
}

func TestSegmentGoldens(t *testing.T) {
	t.Run("S3.38/written", func(t *testing.T) {
		cfg := tensorq.DefaultQuantConfig()
		cfg.BlockSize, cfg.Headroom = 8, 0
		var out bytes.Buffer
		w, err := tensorq.NewFrameWriter(&out, 3, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write([]float32{-3, -2, -1, 0, 1, 2, 3, 0}), w.Close()); err != nil {
			t.Fatal(err)
		}
		if want := bytesOf(t, goldenSegment1); !bytes.Equal(out.Bytes(), want) || w.Segments() != 1 {
			t.Errorf("% x\nwant % x", out.Bytes(), want)
		}
	})
	t.Run("S3.39/written", func(t *testing.T) {
		values, cfg := goldenTensor()
		want := bytesOf(t, goldenSegment2)
		if got, err := tensorq.EncodeSegment(values, 3, cfg); err != nil || !bytes.Equal(got, want) {
			t.Errorf("% x %v\nwant % x", got, err, want)
		}
		var out bytes.Buffer
		if err := writeSegment(&out, values, 3, cfg); err != nil || !bytes.Equal(out.Bytes(), want) {
			t.Errorf("stream % x %v\nwant % x", out.Bytes(), err, want)
		}
	})
	for name, read := range readers {
		t.Run("S3.38/read/"+name, func(t *testing.T) {
			h, values, err := read(bytesOf(t, goldenSegment1))
			if want := (tensorq.SegmentHeader{Version: 1, Bits: 3, BlockSize: 8, TensorLen: 8, Frames: 1}); err != nil || h != want {
				t.Fatalf("%+v %v, want %+v", h, err, want)
			}
			if want := []float32{-3, -2, -1, 0, 1, 2, 3, 0}; !sameFloats(values, want) {
				t.Errorf("%v, want %v", values, want)
			}
		})
		t.Run("S3.39/read/"+name, func(t *testing.T) {
			h, values, err := read(bytesOf(t, goldenSegment2))
			if want := (tensorq.SegmentHeader{Version: 2, Bits: 3, BlockSize: 8, TensorLen: 16, Frames: 1}); err != nil || h != want {
				t.Fatalf("%+v %v, want %+v", h, err, want)
			}
			if want := []float32{3, -3, 1, -1, 2, 3, -3, 0, 1, -2, 3, -1, 0, 3, 30, 3}; !sameFloats(values, want) {
				t.Errorf("%v, want %v", values, want)
			}
		})
	}
}

func TestSegmentRoundTrip(t *testing.T) {
	for _, bits := range []int{8, 7, 5, 4, 3} {
		for _, blockSize := range []int{1, 7, 8, 64, 128, 65536} {
			t.Run(fmt.Sprintf("S3.39/%d_bits_in_%d", bits, blockSize), func(t *testing.T) {
				cfg := tensorq.DefaultQuantConfig()
				cfg.BlockSize, cfg.TwoLevelCold = blockSize, true
				for _, n := range []int{0, 1, 7, 8, 9, 64, 65, 1000, testenv.UnlessShort(70_000, 2*blockSize)} {
					values := tensor(uint64(n), n, heavyTailed)
					q, _ := tensorq.Quantizer(bits)
					blocks, err := tensorq.Quantize(values, q, cfg)
					if err != nil {
						t.Fatal(err)
					}
					want := make([]float32, n)
					if _, err := tensorq.Dequantize(blocks, want); err != nil {
						t.Fatal(err)
					}
					segment, err := tensorq.EncodeSegment(values, bits, cfg)
					if err != nil {
						t.Fatal(err)
					}
					var stream bytes.Buffer
					if err := writeSegment(&stream, values, bits, cfg); err != nil || !bytes.Equal(stream.Bytes(), segment) {
						t.Fatalf("%d values: the stream has other bytes (%v)", n, err)
					}
					for name, read := range readers {
						h, got, err := read(segment)
						if err != nil || !sameFloats(got, want) || h.TensorLen != n || h.BlockSize != blockSize || h.Bits != bits {
							t.Fatalf("%d values by %s: %+v %v", n, name, h, err)
						}
					}
				}
			})
		}
	}
	t.Run("S3.39/one_after_another", func(t *testing.T) {
		var stream bytes.Buffer
		for n := range 5 {
			if err := writeSegment(&stream, tensor(1, 100*n, heavyTailed), 7, tensorq.DefaultQuantConfig()); err != nil {
				t.Fatal(err)
			}
		}
		stream.WriteString("rest")
		var r tensorq.SegmentReader
		for n := range 5 {
			if err := r.Reset(&stream); err != nil || r.Header().TensorLen != 100*n {
				t.Fatalf("segment %d: %+v %v", n, r.Header(), err)
			}
			out := make([]float32, 100*n)
			if err := r.ReadInto(out); err != nil {
				t.Fatal(err)
			}
		}
		if rest := stream.String(); rest != "rest" {
			t.Errorf("%q is left, want what stands behind the last segment", rest)
		}
		if err := r.Reset(bytes.NewReader(nil)); err != io.EOF {
			t.Errorf("at the end: %v", err)
		}
	})
	t.Run("S3.39/block_by_block", func(t *testing.T) {
		values, cfg := goldenTensor()
		segment, err := tensorq.EncodeSegment(values, 3, cfg)
		if err != nil {
			t.Fatal(err)
		}
		r, err := tensorq.NewSegmentReader(bytes.NewReader(segment))
		if err != nil {
			t.Fatal(err)
		}
		out := []float32{99}
		for want := 9; want <= 17; want += 8 {
			if out, err = r.Next(out); err != nil || len(out) != want || out[0] != 99 {
				t.Fatalf("%v %v", out, err)
			}
		}
		for range 2 {
			if out, err = r.Next(out); err != io.EOF || len(out) != 17 {
				t.Errorf("behind the last block: %v %v", out, err)
			}
		}
		if err := r.ReadInto(make([]float32, 16)); err != io.EOF {
			t.Errorf("reading on: %v", err)
		}
	})
}

func TestBlockSizeFromHeader(t *testing.T) {
	values := tensor(41, 1000, heavyTailed)
	for _, id := range []string{"S3.41", "S3.65"} {
		for _, blockSize := range []int{64, 128, 1000} {
			t.Run(fmt.Sprintf("%s/%d", id, blockSize), func(t *testing.T) {
				cfg := tensorq.DefaultQuantConfig()
				cfg.BlockSize = blockSize
				segment, err := tensorq.EncodeSegment(values, 7, cfg)
				if err != nil {
					t.Fatal(err)
				}
				blocks, _ := tensorq.QuantizeBits(values, 7, cfg)
				want := make([]float32, len(values))
				if _, err := tensorq.Dequantize(blocks, want); err != nil {
					t.Fatal(err)
				}
				if h, got, err := tensorq.DecodeSegment(segment); err != nil || h.BlockSize != blockSize || !sameFloats(got, want) {
					t.Errorf("%+v %v", h, err)
				}
				// The header says another size: lengths contradict it, whatever the checksum.
				for _, other := range []uint32{1, 32, 256, 999, 65536} {
					if int(other) >= len(values) && blockSize >= len(values) {
						continue // one block either way
					}
					lie := slices.Clone(segment)
					binary.LittleEndian.PutUint32(lie[6:], other)
					resum(lie)
					for name, read := range readers {
						if _, _, err := read(lie); !errors.As(err, new(tensorq.ErrFormat)) {
							t.Errorf("blocks of %d said to be of %d, by %s: %v", blockSize, other, name, err)
						}
					}
				}
			})
		}
	}
}

// resum gives a changed segment of version 2 the checksum of its bytes.
func resum(segment []byte) {
	end := len(segment) - 4
	binary.LittleEndian.PutUint32(segment[end:], crc32.Checksum(segment[:end], crc32.MakeTable(crc32.Castagnoli)))
}

func TestHostileSegments(t *testing.T) {
	le := binary.LittleEndian
	one, two := bytesOf(t, goldenSegment1), bytesOf(t, goldenSegment2)
	hugeAt := int64(14) // the count of blocks contradicts it
	if math.MaxInt == math.MaxInt32 {
		hugeAt = 6 // nobody here could address the values
	}
	for _, c := range []struct {
		name   string
		good   []byte
		lie    func(b []byte) []byte
		offset int64
	}{
		{"empty_magic", two, func(b []byte) []byte { b[0] = 0; return b }, 0},
		{"version_0", two, func(b []byte) []byte { b[4] = 0; return b }, 4},
		{"version_3", two, func(b []byte) []byte { b[4] = 3; return b }, 4},
		{"bits_0", two, func(b []byte) []byte { b[5] = 0; return b }, 5},
		{"bits_2", two, func(b []byte) []byte { b[5] = 2; return b }, 5},
		{"bits_9", one, func(b []byte) []byte { b[5] = 9; return b }, 5},
		{"bits_255", one, func(b []byte) []byte { b[5] = 255; return b }, 5},
		{"block_size_0", two, func(b []byte) []byte { le.PutUint32(b[6:], 0); return b }, 6},
		{"block_size_65537", two, func(b []byte) []byte { le.PutUint32(b[6:], 65537); return b }, 6},
		{"block_size_huge", two, func(b []byte) []byte { le.PutUint32(b[6:], 1<<32-1); return b }, 6},
		{"tensor_len_huge", two, func(b []byte) []byte { le.PutUint32(b[10:], 1<<32-1); return b }, hugeAt},
		{"block_count_huge", two, func(b []byte) []byte { le.PutUint32(b[14:], 1<<32-1); return b }, 14},
		{"both_huge", two, func(b []byte) []byte {
			le.PutUint32(b[10:], 1<<32-8)
			le.PutUint32(b[14:], 1<<29-1)
			return b
		}, 39 + 6},
		{"one_block_less", two, func(b []byte) []byte { le.PutUint32(b[14:], 1); return b }, 14},
		{"modes_spare", two, func(b []byte) []byte { b[18] |= 4; return b }, 18},
		{"modes_other", two, func(b []byte) []byte { b[18] = 3; return b }, 19},
		{"modes_of_7_bits", two, func(b []byte) []byte { b[5] = 7; return b }, 18},
		{"data_len", two, func(b []byte) []byte { b[19]++; return b }, 19},
		{"data_len_huge", two, func(b []byte) []byte { le.PutUint32(b[19:], 1<<32-1); return b }, 19},
		{"nan_scale", two, func(b []byte) []byte { le.PutUint32(b[23:], 0x7fc00000); return b }, 23},
		{"negative_scale", two, func(b []byte) []byte { b[26] |= 0x80; return b }, 23},
		{"infinite_second_scale", two, func(b []byte) []byte { le.PutUint32(b[34:], 0x7f800000); return b }, 34},
		{"code_never_written", two, func(b []byte) []byte { b[27] |= 7; return b }, 27},
		{"checksum", two, nil, 42},
		{"group_len_12", one, func(b []byte) []byte { b[6] = 12; return b }, 6},
		{"tensor_len_0", one, func(b []byte) []byte { b[10] = 0; return b }, 6},
		{"frames_0", one, func(b []byte) []byte { b[14] = 0; return b }, 6},
		{"frames_huge", one, func(b []byte) []byte { le.PutUint32(b[14:], 1<<32-1); return b }, 6},
		{"frames_2", one, func(b []byte) []byte { b[14] = 2; return b }, 24},
		{"scale_count", one, func(b []byte) []byte { b[18] = 2; return b }, 18},
		{"scale_infinite", one, func(b []byte) []byte { le.PutUint16(b[22:], 0x7c00); return b }, 22},
		{"scale_nan", one, func(b []byte) []byte { le.PutUint16(b[22:], 0x7e00); return b }, 22},
		{"scale_negative", one, func(b []byte) []byte { le.PutUint16(b[22:], 0xbc00); return b }, 22},
		{"v1_code_never_written", one, func(b []byte) []byte { b[28] |= 7; return b }, 28},
	} {
		t.Run("S3.42/"+c.name, func(t *testing.T) {
			bad := slices.Clone(c.good)
			if c.lie == nil {
				bad[len(bad)-1]++
			} else if bad = c.lie(bad); bad[4] == 2 {
				resum(bad)
			}
			for name, read := range readers {
				var format tensorq.ErrFormat
				if _, _, err := read(bad); !errors.As(err, &format) {
					t.Errorf("%s: %v", name, err)
				} else if format.Offset != c.offset && c.name != "both_huge" {
					t.Errorf("%s: %v, want it at byte %d", name, err, c.offset)
				}
			}
		})
	}
	for version, segment := range map[int][]byte{1: one, 2: two} {
		t.Run(fmt.Sprintf("S3.42/cut/%d", version), func(t *testing.T) {
			for n := range segment {
				for name, read := range readers {
					_, _, err := read(segment[:n])
					if atEnd := n == 0 && name != "memory"; atEnd && err != io.EOF || !atEnd && !errors.Is(err, io.ErrUnexpectedEOF) {
						t.Errorf("%d of %d bytes by %s: %v", n, len(segment), name, err)
					}
				}
			}
			if _, _, err := tensorq.DecodeSegment(append(slices.Clone(segment), 0)); !errors.As(err, new(tensorq.ErrFormat)) {
				t.Errorf("a byte behind the segment: %v", err)
			}
		})
	}
	t.Run("S3.42/flips", func(t *testing.T) {
		values := tensor(42, 300, heavyTailed)
		cfg := tensorq.DefaultQuantConfig()
		cfg.TwoLevelCold = true
		for _, bits := range []int{8, 7, 5, 3} {
			segment, err := tensorq.EncodeSegment(values, bits, cfg)
			if err != nil {
				t.Fatal(err)
			}
			for bit := range 8 * len(segment) {
				segment[bit/8] ^= 1 << (bit % 8)
				for name, read := range readers {
					if _, _, err := read(segment); err == nil {
						t.Fatalf("%d bits: bit %d flipped and not found by %s", bits, bit, name)
					}
				}
				segment[bit/8] ^= 1 << (bit % 8)
			}
		}
	})
	t.Run("S3.42/failing_stream", func(t *testing.T) {
		broken := errors.New("the disk is gone")
		for n := range two {
			r := io.MultiReader(bytes.NewReader(two[:n]), iotest.ErrReader(broken))
			if _, _, err := tensorq.ReadSegment(r); !errors.Is(err, broken) {
				t.Errorf("after %d bytes: %v", n, err)
			}
		}
		values, cfg := goldenTensor()
		if err := writeSegment(failing{broken}, values, 3, cfg); !errors.Is(err, broken) {
			t.Errorf("writing: %v", err)
		}
	})
	// A header of 22 bytes that announces gigabytes.
	t.Run("S3.42/allocation", func(t *testing.T) {
		h := []byte("TQTC\x02\x08")
		h = le.AppendUint32(h, 64)
		h = le.AppendUint32(h, 3<<30)
		h = le.AppendUint32(h, 3<<30/64)
		h = append(h, make([]byte, 1000)...)
		for name, read := range readers {
			if n := allocated(func() {
				_, _, err := read(h)
				if refused := math.MaxInt == math.MaxInt32 && errors.As(err, new(tensorq.ErrFormat)); !refused && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s: %v", name, err)
				}
			}); n > 300_000 {
				t.Errorf("%s allocates %d bytes for a segment of %d", name, n, len(h))
			}
		}
		values := tensor(42, 1<<20, heavyTailed)
		for _, bits := range []int{8, 3} {
			segment, err := tensorq.EncodeSegment(values, bits, tensorq.DefaultQuantConfig())
			if err != nil {
				t.Fatal(err)
			}
			for name, read := range readers {
				if name == "one_byte_at_a_time" {
					continue
				}
				if n := allocated(func() {
					if _, _, err := read(segment); err != nil {
						t.Error(err)
					}
				}); n > 2*4*uint64(len(values)) {
					t.Errorf("%d bits: %s allocates %d bytes for %d of values", bits, name, n, 4*len(values))
				}
			}
		}
	})
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// allocated returns how many bytes call allocates, garbage included.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// writeSegment writes a segment to a stream.
func writeSegment(w io.Writer, values []float32, bits int, cfg tensorq.QuantConfig) error {
	e, err := tensorq.NewSegmentEncoder(bits, cfg)
	if err != nil {
		return err
	}
	return e.Encode(w, values)
}
