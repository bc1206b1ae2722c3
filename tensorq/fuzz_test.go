package tensorq_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"testing"

	"boost/tensorq"
)

// naiveSegment decodes a segment bit by bit, straight from the layouts of S3.23 to
// S3.27, S3.38 and S3.39; false for anything that is not one. It is for segments of at most a
// million values with the built-in widths.
func naiveSegment(data []byte) (values []float32, ok bool) {
	defer func() {
		if recover() != nil { // ran off the end of data
			values, ok = nil, false
		}
	}()
	at := 0
	number := func(bytes int) int {
		n := 0
		for i := range bytes {
			n |= int(data[at+i]) << (8 * i)
		}
		at += bytes
		return n
	}
	codes := func(n, bits int) []int {
		out, bit := make([]int, n), 0
		for i := range out {
			u := 0
			for k := range bits {
				u |= int(data[at+bit/8]>>(bit%8)&1) << k
				bit++
			}
			if out[i] = u - (1<<(bits-1) - 1); u == 1<<bits-1 {
				panic("a code that is never written")
			}
		}
		for ; bit%8 != 0; bit++ {
			if data[at+bit/8]>>(bit%8)&1 != 0 {
				panic("a spare bit")
			}
		}
		at += bit / 8
		return out
	}
	float := func(qmax int) float32 {
		f := math.Float32frombits(uint32(number(4)))
		if !(f >= 0) || math.Signbit(float64(f)) || math.IsInf(float64(f*float32(qmax)), 0) {
			panic("a scale")
		}
		return f
	}
	if number(4) != 0x43545154 {
		return nil, false
	}
	version, bits, size, n := number(1), number(1), number(4), number(4)
	qmax := 1<<(bits-1) - 1
	if !slices.Contains([]int{3, 5, 7, 8}, bits) || size < 1 || size > 65536 || n > 1<<20 {
		return nil, false
	}
	switch version {
	case 1:
		frames, scales := number(4), number(4)
		if n == 0 || frames == 0 || size%8 != 0 || scales != (n+size-1)/size || frames*n > 1<<20 {
			return nil, false
		}
		var scale []float32
		for range scales {
			half := number(2)
			if half > 0x7bff {
				return nil, false
			}
			scale = append(scale, float32(halfAt([]byte{byte(half), byte(half >> 8)})))
		}
		if number(4) != frames*((n*bits+7)/8) {
			return nil, false
		}
		for range frames {
			for i, c := range codes(n, bits) {
				values = append(values, float32(c)*scale[i/size])
			}
		}
		return values, at == len(data)
	case 2:
		blocks := number(4)
		if blocks != (n+size-1)/size {
			return nil, false
		}
		modes := data[at:][:(blocks+7)/8]
		at += len(modes)
		for b := blocks; b%8 != 0; b++ {
			if modes[b/8]>>(b%8)&1 != 0 {
				return nil, false
			}
		}
		length := number(4)
		start := at
		for b := range blocks {
			count := min(size, n-b*size)
			scale := [2]float32{float(qmax)}
			var flags []byte
			if modes[b/8]>>(b%8)&1 == 1 {
				if bits != 3 {
					return nil, false
				}
				scale[1] = float(qmax)
				flags = data[at:][:(count+7)/8]
				at += len(flags)
				for i := count; i%8 != 0; i++ {
					if flags[i/8]>>(i%8)&1 != 0 {
						return nil, false
					}
				}
			}
			var block []int
			if bits == 8 {
				for range count {
					c := int(int8(number(1)))
					if c == -128 {
						return nil, false
					}
					block = append(block, c)
				}
			} else {
				block = codes(count, bits)
			}
			for i, c := range block {
				flag := 0
				if flags != nil {
					flag = int(flags[i/8] >> (i % 8) & 1)
				}
				values = append(values, float32(c)*scale[flag])
			}
		}
		if at-start != length || at+4 != len(data) {
			return nil, false
		}
		return values, crc32.Checksum(data[:at], crc32.MakeTable(crc32.Castagnoli)) == binary.LittleEndian.Uint32(data[at:])
	}
	return nil, false
}

// seedSegments are segments of every width and kind.
func seedSegments(t testing.TB) [][]byte {
	segments := [][]byte{bytesOf(t, goldenSegment1), bytesOf(t, goldenSegment2)}
	cfg := tensorq.DefaultQuantConfig()
	cfg.BlockSize, cfg.TwoLevelCold = 16, true
	for _, bits := range []int{8, 7, 5, 3} {
		for _, n := range []int{0, 1, 15, 16, 50} {
			values := tensor(uint64(n), n, heavyTailed)
			segment, err := tensorq.EncodeSegment(values, bits, cfg)
			if err != nil {
				t.Fatal(err)
			}
			segments = append(segments, segment)
			if n == 0 {
				continue
			}
			group, err := tensorq.NewFrameGroup(bits, cfg)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if err := group.Add(values); err != nil {
					t.Fatal(err)
				}
			}
			segments = append(segments, group.AppendSegment(nil))
		}
	}
	return segments
}

func TestNaiveReader(t *testing.T) {
	for _, id := range []string{"S3.38", "S3.39"} {
		t.Run(id+"/second_reader", func(t *testing.T) {
			for _, segment := range seedSegments(t) {
				if (segment[4] == 1) != (id == "S3.38") {
					continue
				}
				_, got, err := tensorq.DecodeSegment(segment)
				want, ok := naiveSegment(segment)
				if err != nil || !ok || !sameFloats(got, want) {
					t.Fatalf("% x: %v %v, want %v", segment, got, err, want)
				}
			}
		})
	}
}

func FuzzDecodeSegmentS3_42(f *testing.F) {
	for _, segment := range seedSegments(f) {
		f.Add(segment)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkDecoding(t, data)
		// Most changes end at the checksum: try what comes behind it too.
		if len(data) >= 26 && data[4] == 2 {
			data = slices.Clone(data)
			resum(data)
			checkDecoding(t, data)
		}
	})
}

func checkDecoding(t *testing.T, data []byte) {
	var (
		values []float32
		header tensorq.SegmentHeader
		err    error
		reader tensorq.SegmentReader
	)
	used := allocated(func() { header, values, err = tensorq.DecodeSegment(data) })
	if limit := uint64(2*4*len(values) + 16_384); used > limit {
		t.Fatalf("%d bytes allocated for %d values (%v)", used, len(values), err)
	}
	if err == nil {
		if header.Values() != len(values) {
			t.Fatalf("%+v and %d values", header, len(values))
		}
		for i, v := range values {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Fatalf("value %d is %v", i, v)
			}
		}
		if err := reader.ResetBytes(data); err != nil {
			t.Fatal(err)
		}
		again := make([]float32, len(values))
		if err := reader.ReadInto(again); err != nil || !sameFloats(again, values) {
			t.Fatalf("in parts: %v", err)
		}
	}
	// The second reader takes the built-in widths, up to a million values.
	if len(data) > 5 && slices.Contains([]byte{3, 5, 7, 8}, data[5]) && len(data) < 1<<17 {
		naive, ok := naiveSegment(data)
		if ok != (err == nil) || ok && !sameFloats(naive, values) {
			t.Fatalf("%v, the second reader says %v: % x", err, ok, data)
		}
	}
	in := bytes.NewReader(data)
	var streamed []float32
	var streamErr error
	used = allocated(func() { _, streamed, streamErr = tensorq.ReadSegment(in) })
	// A header may announce what never comes: then memory follows what did.
	if limit := uint64(2*4*max(len(streamed), 16*len(data)) + 4*tensorq.MaxBlockSize + 300_000); used > limit {
		t.Fatalf("%d bytes allocated for %d values of %d bytes (%v)", used, len(streamed), len(data), streamErr)
	}
	if err == nil && (streamErr != nil || !sameFloats(streamed, values)) {
		t.Fatalf("from a stream: %v", streamErr)
	}
	if err != nil && streamErr == nil {
		// Only what stands behind the segment may be wrong.
		end := len(data) - in.Len()
		if _, _, err := tensorq.DecodeSegment(data[:end]); err != nil || end == len(data) {
			t.Fatalf("a stream is taken, its bytes are not: %v", err)
		}
	}
	if err == nil && streamErr == io.EOF {
		t.Fatal("a segment of no bytes")
	}
}

func FuzzDecodeBlockS3_29(f *testing.F) {
	for _, g := range goldenBlocks() {
		f.Add(bytesOf(f, g.bytes), uint16(len(g.values)), uint8(g.bits), g.name == "S3.32/S3.27")
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint16, bits uint8, twoLevel bool) {
		var b tensorq.QuantizedBlock
		used, err := tensorq.DecodeBlock(data, int(n), int(bits), twoLevel, &b)
		if err != nil {
			return
		}
		// What is taken is what would be written.
		again, err := tensorq.AppendBlock(nil, &b)
		if err != nil || used != b.StorageSize() || !bytes.Equal(again, data[:used]) {
			t.Fatalf("% x became % x (%v)", data[:used], again, err)
		}
		out := make([]float32, n)
		if _, err := b.Dequantize(out); err != nil {
			t.Fatal(err)
		}
		for i, v := range out {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Fatalf("value %d is %v", i, v)
			}
		}
	})
}

// FuzzSegmentRoundTripS3_33 takes any floats through every width.
func FuzzSegmentRoundTripS3_33(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63, 0, 0, 0, 192}, uint16(8), true)
	f.Add([]byte{255, 255, 127, 127, 1, 0, 0, 0}, uint16(1), false)
	f.Fuzz(func(t *testing.T, data []byte, blockSize uint16, twoLevel bool) {
		values := make([]float32, len(data)/4)
		finite := true
		for i := range values {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
			finite = finite && !math.IsNaN(float64(values[i])) && !math.IsInf(float64(values[i]), 0)
		}
		cfg := tensorq.DefaultQuantConfig()
		cfg.BlockSize, cfg.TwoLevelCold = int(blockSize)+1, twoLevel
		for _, bits := range []int{8, 7, 5, 3} {
			segment, err := tensorq.EncodeSegment(values, bits, cfg)
			if (err == nil) != finite {
				t.Fatalf("%v: %v", values, err)
			}
			if err != nil {
				continue
			}
			q, _ := tensorq.Quantizer(bits)
			blocks, err := tensorq.Quantize(values, q, cfg)
			if err != nil {
				t.Fatal(err)
			}
			_, back, err := tensorq.DecodeSegment(segment)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				diff := math.Abs(float64(v) - float64(back[i]))
				if bound := blocks[i/cfg.BlockSize].ErrorBound(); diff > bound {
					t.Fatalf("%d bits: %v became %v, off by %v, bound %v", bits, v, back[i], diff, bound)
				}
			}
		}
	})
}
