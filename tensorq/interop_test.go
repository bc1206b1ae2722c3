package tensorq_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/tensorq"
)

// TestInterop compares with segments that benchmarks/python/interop_segments.py wrote and
// decoded, which shares no code with this package: the same bytes from the same values, the
// same values from the same bytes. Files lie in testdata; BOOST_INTEROP names a folder
// with new ones.
func TestInterop(t *testing.T) {
	for _, file := range interopFiles(t, "*.segment", 26) {
		name := strings.TrimSuffix(filepath.Base(file), ".segment")
		ids := "S3.39/S3.24/S3.25/S3.26/S3.27"
		if strings.HasPrefix(name, "v1") {
			ids = "S3.38/S3.40"
		}
		t.Run(ids+"/"+name, func(t *testing.T) {
			var want tensorq.SegmentHeader
			two := 0
			if _, err := fmt.Sscanf(name, "v%d_bits%d_block%d_two%d_len%d_frames%d",
				&want.Version, &want.Bits, &want.BlockSize, &two, &want.TensorLen, &want.Frames); err != nil {
				t.Fatal(err)
			}
			values, decoded, segment := interopParts(read(t, file))
			header, got, err := tensorq.DecodeSegment(segment)
			if err != nil || header != want || !sameFloats(got, decoded) {
				t.Errorf("%+v %v: want %+v and the values of Python", header, err, want)
			}
			if written := write(t, want, two == 1, values); !bytes.Equal(written, segment) {
				t.Errorf("% x\nPython wrote\n% x", written, segment)
			}
		})
	}
}

// TestInteropQ4_0 is TestInterop for blocks of both kinds.
func TestInteropQ4_0(t *testing.T) {
	for _, file := range interopFiles(t, "*.q4_0", 7) {
		t.Run("S4.22/S4.23/"+filepath.Base(file), func(t *testing.T) {
			values, decoded, blocks := interopParts(read(t, file))
			if got := q4_0(t, values); !bytes.Equal(got, blocks) {
				t.Errorf("% x\nPython wrote\n% x", got, blocks)
			}
			out := make([]float32, len(values))
			if err := tensorq.DequantizeQ4_0(blocks, out); err != nil || !sameFloats(out, decoded) {
				t.Errorf("%v %v, want %v", out, err, decoded)
			}
		})
	}
	for _, file := range interopFiles(t, "*.gguf_q4_0", 7) {
		t.Run("S4.40/"+filepath.Base(file), func(t *testing.T) {
			values, decoded, blocks := interopParts(read(t, file))
			if got := ggufBytes(gguf(t, values)); !bytes.Equal(got, blocks) {
				t.Errorf("% x\nPython wrote\n% x", got, blocks)
			}
			out := make([]float32, len(values))
			if err := tensorq.DequantizeGGUFQ4_0(ggufBlocks(blocks), out); err != nil || !sameFloats(out, decoded) {
				t.Errorf("%v %v, want %v", out, err, decoded)
			}
		})
	}
}

// interopFiles returns the files that Python wrote, so many, of a pattern.
func interopFiles(t *testing.T, pattern string, count int) []string {
	t.Helper()
	folder := filepath.Join("testdata", "interop")
	if fresh := os.Getenv("BOOST_INTEROP"); fresh != "" {
		folder = fresh
	}
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(files) != count {
		t.Fatalf("%d files %s in %s (%v), want %d", len(files), pattern, folder, err, count)
	}
	return files
}

// interopParts takes such a file apart.
func interopParts(data []byte) (values, decoded []float32, stored []byte) {
	n := int(binary.LittleEndian.Uint32(data))
	return floats(data[4 : 4+4*n]), floats(data[4+4*n : 4+8*n]), data[4+8*n:]
}

// write makes the one segment that a header tells of.
func write(t *testing.T, h tensorq.SegmentHeader, twoLevel bool, values []float32) []byte {
	t.Helper()
	cfg := tensorq.DefaultQuantConfig()
	cfg.BlockSize, cfg.TwoLevelCold = h.BlockSize, twoLevel
	if h.Version == tensorq.SegmentBlocks {
		segment, err := tensorq.EncodeSegment(values, h.Bits, cfg)
		if err != nil {
			t.Fatal(err)
		}
		return segment
	}
	var out bytes.Buffer
	w, err := tensorq.NewFrameWriter(&out, h.Bits, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for frame := range slices.Chunk(values, h.TensorLen) {
		if err := w.Write(frame); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || w.Segments() != 1 {
		t.Fatalf("%d segments, %v", w.Segments(), err)
	}
	return out.Bytes()
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func floats(data []byte) []float32 {
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return values
}
