package tensorq_test

import (
	"bytes"
	"fmt"
	"testing"

	"boost/tensorq"
)

// Rates are of float32 values, 4 bytes each: 64 KiB of them in blocks of 64.
const benchValues = 1 << 14

func BenchmarkQuantizeBlocks(b *testing.B) {
	values := tensor(1, benchValues, heavyTailed)
	out := make([]float32, benchValues)
	for _, c := range []struct {
		bits     int
		twoLevel bool
	}{{8, false}, {7, false}, {5, false}, {3, false}, {3, true}} {
		cfg := tensorq.DefaultQuantConfig()
		cfg.TwoLevelCold = c.twoLevel
		q, _ := tensorq.Quantizer(c.bits)
		blocks, err := tensorq.Quantize(values, q, cfg)
		if err != nil {
			b.Fatal(err)
		}
		name := fmt.Sprintf("bits=%d/two=%v", c.bits, c.twoLevel)
		b.Run(name+"/quantize", func(b *testing.B) {
			b.SetBytes(4 * benchValues)
			for b.Loop() {
				if blocks, err = tensorq.QuantizeInto(blocks, values, q, cfg); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/dequantize", func(b *testing.B) {
			b.SetBytes(4 * benchValues)
			for b.Loop() {
				if _, err := tensorq.Dequantize(blocks, out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSegment(b *testing.B) {
	values := tensor(1, benchValues, heavyTailed)
	out := make([]float32, benchValues)
	for _, bits := range []int{8, 7, 5, 3} {
		encoder, err := tensorq.NewSegmentEncoder(bits, tensorq.DefaultQuantConfig())
		if err != nil {
			b.Fatal(err)
		}
		segment, err := encoder.Append(nil, values)
		if err != nil {
			b.Fatal(err)
		}
		var reader tensorq.SegmentReader
		for name, call := range map[string]func() error{
			"encode": func() (err error) {
				segment, err = encoder.Append(segment[:0], values)
				return err
			},
			"decode": func() error {
				if err := reader.ResetBytes(segment); err != nil {
					return err
				}
				return reader.ReadInto(out)
			},
			"read": func() error {
				if err := reader.Reset(bytes.NewReader(segment)); err != nil {
					return err
				}
				return reader.ReadInto(out)
			},
		} {
			b.Run(fmt.Sprintf("bits=%d/%s", bits, name), func(b *testing.B) {
				b.SetBytes(4 * benchValues)
				for b.Loop() {
					if err := call(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// Blocks of Q4_0 are measured with their kernels, in internal/kernel/codec.
func BenchmarkGGUFQ4_0(b *testing.B) {
	values := tensor(1, benchValues, heavyTailed)
	blocks := make([]tensorq.GGUFQ4_0Block, tensorq.GGUFQ4_0Blocks(benchValues))
	b.Run("quantize", func(b *testing.B) {
		b.SetBytes(4 * benchValues)
		for b.Loop() {
			if _, err := tensorq.QuantizeGGUFQ4_0(blocks, values); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("dequantize", func(b *testing.B) {
		b.SetBytes(4 * benchValues)
		for b.Loop() {
			if err := tensorq.DequantizeGGUFQ4_0(blocks, values); err != nil {
				b.Fatal(err)
			}
		}
	})
}
