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
