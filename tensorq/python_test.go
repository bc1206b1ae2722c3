//go:build !wasm

package tensorq_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"boost/internal/need"
	"boost/tensorq"
)

// TestInteropPython has Python, its standard library alone, decode what this package writes.
func TestInteropPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	need.Machine(t, err == nil, "python3")
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
