package tensorq_test

import "boost/tensorq"

func init() { tensorq.MustRegister(truncating{}, nil) }

// truncating is a 6-bit quantizer of another kind: it rounds towards zero, and gives every
// value back half a step further out, save zero.
type truncating struct{}

func (truncating) BitWidth() int { return 6 }

func (truncating) QuantizeBlock(values []float32, cfg tensorq.QuantConfig, block *tensorq.QuantizedBlock) error {
	block.Bits, block.TwoLevel, block.Flags, block.SecondaryScale = 6, false, nil, 0
	block.Scale = tensorq.MaxAbs(values) / 31
	block.Codes = block.Codes[:0]
	for _, v := range values {
		code := int8(0)
		if block.Scale > 0 {
			code = int8(max(-31, min(31, v/block.Scale)))
		}
		block.Codes = append(block.Codes, code)
	}
	return nil
}

func (truncating) DequantizeBlock(block *tensorq.QuantizedBlock, out []float32) error {
	for i, code := range block.Codes {
		middle := float32(code)
		switch {
		case code > 0:
			middle += 0.5
		case code < 0:
			middle -= 0.5
		}
		out[i] = middle * block.Scale
	}
	return nil
}

func (truncating) PackedDataSize(n int) int { return (6*n + 7) / 8 }

func (truncating) BlockStorageSize(n int) int { return 4 + (6*n+7)/8 }
