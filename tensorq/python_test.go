//go:build !wasm

package tensorq_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"boost/internal/testenv"
	"boost/tensorq"
)

// TestInteropPython has Python, its standard library alone, decode what this package writes.
func TestInteropPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	testenv.Machine(t, err == nil, "python3")
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

// TestInteropPythonQ4_0 has it decode blocks of both kinds.
func TestInteropPythonQ4_0(t *testing.T) {
	python, err := exec.LookPath("python3")
	testenv.Machine(t, err == nil, "python3")
	script := filepath.Join("..", "benchmarks", "python", "interop_segments.py")
	for i, n := range []int{1, 31, 33, 3001} {
		t.Run(fmt.Sprintf("S4.22/S4.40/n=%d", n), func(t *testing.T) {
			values := tensor(uint64(n), n, distributions[i%3].draw)
			blocks, other := q4_0(t, values), gguf(t, values)
			want, otherWant := make([]float32, n), make([]float32, n)
			if err := tensorq.DequantizeQ4_0(blocks, want); err != nil {
				t.Fatal(err)
			}
			if err := tensorq.DequantizeGGUFQ4_0(other, otherWant); err != nil {
				t.Fatal(err)
			}
			for _, form := range []struct {
				name string
				data []byte
				want []float32
			}{{"q4_0", blocks, want}, {"gguf_q4_0", ggufBytes(other), otherWant}} {
				folder := t.TempDir()
				in, out := filepath.Join(folder, "blocks"), filepath.Join(folder, "values")
				if err := os.WriteFile(in, form.data, 0o600); err != nil {
					t.Fatal(err)
				}
				if words, err := exec.Command(python, script, form.name, in, strconv.Itoa(n), out).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", form.name, err, words)
				}
				if !sameFloats(floats(read(t, out)), form.want) {
					t.Errorf("%s: Python reads other values", form.name)
				}
			}
		})
	}
}
