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
	folder := filepath.Join("testdata", "interop")
	if fresh := os.Getenv("BOOST_INTEROP"); fresh != "" {
		folder = fresh
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.segment"))
	if err != nil || len(files) != 26 {
		t.Fatalf("%d segments in %s (%v), want 26", len(files), folder, err)
	}
	for _, file := range files {
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
			data := read(t, file)
			n := int(binary.LittleEndian.Uint32(data))
			values, decoded, segment := floats(data[4:4+4*n]), floats(data[4+4*n:4+8*n]), data[4+8*n:]
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
