//go:build !wasm

package tensorq_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"

	"boost/tensorq"
)

func ExampleEncodeSegment() {
	values := []float32{0.5, -1.25, 3, 0}
	segment, err := tensorq.EncodeSegment(values, 7, tensorq.DefaultQuantConfig())
	if err != nil {
		log.Fatal(err)
	}
	header, back, err := tensorq.DecodeSegment(segment)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(header.Bits, "bits,", len(segment), "bytes")
	fmt.Printf("%.3f\n", back)
	// Output:
	// 7 bits, 35 bytes
	// [0.476 -1.238 3.000 0.000]
}

func ExampleQuantizeBits() {
	blocks, err := tensorq.QuantizeBits([]float32{1, -2, 3, 0.4}, 3, tensorq.DefaultQuantConfig())
	if err != nil {
		log.Fatal(err)
	}
	b := &blocks[0]
	fmt.Println("scale", b.Scale, "codes", b.Codes, "in", b.StorageSize(), "bytes")
	fmt.Printf("no value errs by more than %.2f\n", b.ErrorBound())
	// Output:
	// scale 1 codes [1 -2 3 0] in 6 bytes
	// no value errs by more than 0.50
}

// Q4_0 needs no settings: blocks of 32 values, 20 bytes each.
func Example_fourBits() {
	values := []float32{0.5, -1.25, 3.5, 0}
	blocks := make([]byte, tensorq.Q4_0Size(len(values)))
	if _, err := tensorq.QuantizeQ4_0(blocks, values); err != nil {
		log.Fatal(err)
	}
	back := make([]float32, len(values))
	if err := tensorq.DequantizeQ4_0(blocks, back); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(blocks), "bytes", back)
	// Output: 20 bytes [0.5 -1.5 3.5 0]
}

// GGUF's blocks of the same name are others: here as a file has them.
func Example_gguf() {
	values := []float32{0.5, -1.25, 4, 0}
	blocks := make([]tensorq.GGUFQ4_0Block, tensorq.GGUFQ4_0Blocks(len(values)))
	if _, err := tensorq.QuantizeGGUFQ4_0(blocks, values); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("% x\n", blocks[0][:6])
	back := make([]float32, len(values))
	if err := tensorq.DequantizeGGUFQ4_0(blocks, back); err != nil {
		log.Fatal(err)
	}
	fmt.Println(back)
	// Output:
	// 00 b8 87 8b 80 88
	// [0.5 -1.5 4 -0]
}

// Frames of one tensor over time share scales until one drifts too far.
func ExampleFrameWriter() {
	cfg := tensorq.DefaultQuantConfig()
	cfg.BlockSize = 8
	var stream bytes.Buffer
	w, err := tensorq.NewFrameWriter(&stream, 8, cfg)
	if err != nil {
		log.Fatal(err)
	}
	for _, frame := range [][]float32{{1, 0.5}, {1.05, 0.4}, {2, 0.4}} {
		if err := w.Write(frame); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	var r tensorq.SegmentReader
	for {
		if err := r.Reset(&stream); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		values := make([]float32, r.Header().Values())
		if err := r.ReadInto(values); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d frames of %d values: %.2f\n", r.Header().Frames, r.Header().TensorLen, values)
	}
	// Output:
	// 2 frames of 2 values: [1.00 0.50 1.05 0.40]
	// 1 frames of 2 values: [2.00 0.40]
}

// A width without a quantizer is added by registering one, as a rule in an init function.
func ExampleSymmetric() {
	q, err := tensorq.Symmetric(2)
	if err != nil {
		log.Fatal(err)
	}
	blocks, err := tensorq.Quantize([]float32{0.2, -0.9, 1, 0.6}, q, tensorq.DefaultQuantConfig())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(blocks[0].Codes, "in", q.BlockStorageSize(4), "bytes")
	// Output: [0 -1 1 1] in 5 bytes
}
