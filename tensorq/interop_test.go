package tensorq_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
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

// TestInteropPython has Python decode what this package writes. BOOST_PYTHON names the
// interpreter; make interop sets it.
func TestInteropPython(t *testing.T) {
	python := os.Getenv("BOOST_PYTHON")
	if python == "" {
		t.Skip("BOOST_PYTHON names no Python")
	}
	folder := t.TempDir()
	for i, h := range []tensorq.SegmentHeader{
		{Version: 2, Bits: 8, BlockSize: 64, TensorLen: 3001, Frames: 1},
		{Version: 2, Bits: 7, BlockSize: 100, TensorLen: 1001, Frames: 1},
		{Version: 2, Bits: 5, BlockSize: 65536, TensorLen: 777, Frames: 1},
		{Version: 2, Bits: 3, BlockSize: 64, TensorLen: 2000, Frames: 1},
		{Version: 1, Bits: 8, BlockSize: 64, TensorLen: 301, Frames: 9},
		{Version: 1, Bits: 7, BlockSize: 8, TensorLen: 77, Frames: 3},
		{Version: 1, Bits: 5, BlockSize: 128, TensorLen: 500, Frames: 2},
		{Version: 1, Bits: 3, BlockSize: 64, TensorLen: 65, Frames: 30},
	} {
		values := tensor(uint64(i), h.TensorLen, distributions[i%3].draw)
		for range h.Frames - 1 {
			values = append(values, values[:h.TensorLen]...)
		}
		segment := write(t, h, true, values)
		in, out := filepath.Join(folder, "segment"), filepath.Join(folder, "values")
		if err := os.WriteFile(in, segment, 0o600); err != nil {
			t.Fatal(err)
		}
		script := filepath.Join("..", "benchmarks", "python", "interop_segments.py")
		if words, err := exec.Command(python, script, "decode", in, out).CombinedOutput(); err != nil {
			t.Fatalf("%+v: %v\n%s", h, err, words)
		}
		if _, want, err := tensorq.DecodeSegment(segment); err != nil || !sameFloats(floats(read(t, out)), want) {
			t.Errorf("%+v: Python reads other values (%v)", h, err)
		}
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
