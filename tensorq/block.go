package tensorq

import (
	"fmt"
	"math"

	"boost/internal/kernel/codec"
)

// coldBits is the width whose blocks may have a second scale.
const coldBits = 3

// QuantizedBlock is a run of values as small whole numbers and the scale that they are
// multiples of (S3.16). Its slices are reused by the methods that fill it, so that
// one block can serve a whole tensor.
type QuantizedBlock struct {
	// Scale is the value of code 1; 0 where all values are 0.
	Scale float32
	// SecondaryScale is the value of code 1 where a flag is set; 0 without TwoLevel.
	SecondaryScale float32
	// TwoLevel reports whether SecondaryScale and Flags count. Only 3-bit blocks have it.
	TwoLevel bool
	// Flags has a bit for each value, lowest bit first, set where the second scale is
	// the value's; ⌈len(Codes)/8⌉ bytes, empty without TwoLevel. Spare bits are 0.
	Flags []byte
	// Codes has one whole number for each value, between ±(2^(Bits−1) − 1).
	Codes []int8
	// Bits is the width of a stored code, 2 to 8.
	Bits int
}

// ErrNotFinite refuses a tensor with a value that has no multiple of a scale near it.
type ErrNotFinite struct {
	Index int // of the first such value
	Value float32
}

func (e ErrNotFinite) Error() string {
	return fmt.Sprintf("tensorq: value %d is %v: only finite numbers can be quantized", e.Index, e.Value)
}

// ErrBlock refuses a block whose fields contradict each other.
type ErrBlock struct{ Text string }

func (e ErrBlock) Error() string { return "tensorq: block: " + e.Text }

// QuantizeS8 quantizes a tensor to 8 bits (S3.17): scale = max|x|/127 in each block
// of cfg.BlockSize values, code = x/scale rounded to the nearest whole number, halves away
// from zero. No values give no blocks. Errors: what cfg.Validate finds, ErrNotFinite.
func QuantizeS8(values []float32, cfg QuantConfig) ([]QuantizedBlock, error) {
	return Quantize(values, symmetric{8}, cfg)
}

// QuantizeBits quantizes a tensor to 7, 5 or 3 bits (S3.18): as QuantizeS8, with
// 2^(bits−1) − 1 in place of 127. With cfg.TwoLevelCold, 3-bit blocks with outliers get a
// second scale. Errors: ErrBitWidth for any other width, what cfg.Validate finds,
// ErrNotFinite. Quantize takes all registered widths.
func QuantizeBits(values []float32, bits int, cfg QuantConfig) ([]QuantizedBlock, error) {
	if bits != 7 && bits != 5 && bits != coldBits {
		return nil, ErrBitWidth{Bits: bits}
	}
	return Quantize(values, symmetric{bits}, cfg)
}

// Quantize cuts a tensor into blocks of cfg.BlockSize values and quantizes each with q.
// The blocks share one array of codes.
func Quantize(values []float32, q TensorQuantizer, cfg QuantConfig) ([]QuantizedBlock, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	blocks := make([]QuantizedBlock, blockCount(len(values), cfg.BlockSize))
	codes := make([]int8, len(values))
	for i := range blocks {
		from, to := blockRange(i, len(values), cfg.BlockSize)
		blocks[i].Codes = codes[from:from:to]
	}
	return blocks, quantizeInto(values, q, cfg, blocks)
}

// QuantizeInto is Quantize into blocks that are used again: it returns them, cut or
// grown to the number needed, and allocates nothing once their slices are long enough.
func QuantizeInto(blocks []QuantizedBlock, values []float32, q TensorQuantizer, cfg QuantConfig) ([]QuantizedBlock, error) {
	if err := cfg.Validate(); err != nil {
		return blocks, err
	}
	n := blockCount(len(values), cfg.BlockSize)
	if n <= cap(blocks) {
		blocks = blocks[:n]
	} else {
		blocks = append(blocks[:cap(blocks)], make([]QuantizedBlock, n-cap(blocks))...)
	}
	return blocks, quantizeInto(values, q, cfg, blocks)
}

func quantizeInto(values []float32, q TensorQuantizer, cfg QuantConfig, blocks []QuantizedBlock) error {
	for i := range blocks {
		from, to := blockRange(i, len(values), cfg.BlockSize)
		if err := q.QuantizeBlock(values[from:to], cfg, &blocks[i]); err != nil {
			return shifted(err, from)
		}
	}
	return nil
}

// shifted moves the index of a value in a block to its place in the tensor.
func shifted(err error, from int) error {
	switch e := err.(type) {
	case ErrNotFinite:
		e.Index += from
		return e
	case ErrGGUFScale:
		e.Index += from
		return e
	}
	return err
}

func blockCount(n, size int) int {
	if n == 0 {
		return 0
	}
	return (n-1)/size + 1
}

func blockRange(i, n, size int) (from, to int) {
	from = i * size
	return from, from + min(size, n-from)
}

// Dequantize writes the values of blocks, one after another, into out and returns how
// many they are. Errors: ErrOutputTooSmall with the number of values if out is shorter,
// with nothing written; ErrBlock.
func Dequantize(blocks []QuantizedBlock, out []float32) (int, error) {
	n := 0
	for i := range blocks {
		if err := blocks[i].check(); err != nil {
			return 0, err
		}
		n += len(blocks[i].Codes)
	}
	if len(out) < n {
		return 0, ErrOutputTooSmall{Required: n}
	}
	rest := out
	for i := range blocks {
		blocks[i].dequantize(rest)
		rest = rest[len(blocks[i].Codes):]
	}
	return n, nil
}

// Dequantize writes the block's values into out and returns how many they are: code·Scale,
// or code·SecondaryScale by flag, rounded once to float32 (S3.19). Errors:
// ErrOutputTooSmall with the number of values if out is shorter, ErrBlock.
func (b *QuantizedBlock) Dequantize(out []float32) (int, error) {
	if err := b.check(); err != nil {
		return 0, err
	}
	if len(out) < len(b.Codes) {
		return 0, ErrOutputTooSmall{Required: len(b.Codes)}
	}
	b.dequantize(out)
	return len(b.Codes), nil
}

func (b *QuantizedBlock) dequantize(out []float32) {
	if b.TwoLevel {
		dequantizeTwoLevel(b.Codes, b.Flags, [2]float32{b.Scale, b.SecondaryScale}, out)
	} else {
		codec.Values(out[:len(b.Codes)], b.Codes, b.Scale)
	}
}

// check finds fields that contradict each other.
func (b *QuantizedBlock) check() error {
	switch {
	case b.Bits < 2 || b.Bits > 8:
		return ErrBitWidth{Bits: b.Bits}
	case !b.TwoLevel:
		return nil
	case b.Bits != coldBits:
		return ErrBlock{fmt.Sprintf("a second scale at %d bits: expected %d bits", b.Bits, coldBits)}
	case len(b.Flags) != flagBytes(len(b.Codes)):
		return ErrBlock{fmt.Sprintf("%d bytes of flags for %d codes: expected %d", len(b.Flags), len(b.Codes), flagBytes(len(b.Codes)))}
	}
	return nil
}

// StorageSize is how many bytes EncodeBlock makes of the block.
func (b *QuantizedBlock) StorageSize() int { return StorageSize(len(b.Codes), b.Bits, b.TwoLevel) }

// ErrorBound is the most by which a value that Dequantize returns can differ from the one
// that was quantized: half the larger scale (S3.33), and the roundings of the
// scale and of the result to float32, which add less than a hundred-thousandth of a scale.
func (b *QuantizedBlock) ErrorBound() float64 {
	scale := float64(max(b.Scale, b.SecondaryScale))
	qmax := float64(largestCode(b.Bits))
	// Half a unit in the last place of a float32: a share of 2⁻²⁴ of the result, and
	// 2⁻¹⁵⁰ of each scale in the scale where that is subnormal or was rounded to 0.
	return float64(scale/2) + float64(scale*qmax*0x1p-24) + float64(qmax*0x1p-150)
}

// largestCode is the largest magnitude of a code of a width: 2^(bits−1) − 1.
func largestCode(bits int) int { return 1<<(bits-1) - 1 }

// scaleFor returns the scale for values up to peak: peak/qmax, rounded to float32.
func scaleFor(peak float32, qmax int) float32 {
	scale := float32(float64(peak) / float64(qmax))
	// Rounded up, the scale of the very largest float32 would give the value back as
	// infinity.
	if math.IsInf(float64(float32(qmax)*scale), 0) {
		scale = math.Nextafter32(scale, 0)
	}
	return scale
}

// peakOf returns the largest magnitude of values, or ErrNotFinite.
func peakOf(values []float32) (float32, error) {
	peak := MaxAbs(values)
	if peak <= math.MaxFloat32 {
		return peak, nil
	}
	for i, v := range values {
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return peak, ErrNotFinite{Index: i, Value: v}
		}
	}
	panic("tensorq: a maximum that is not finite, of finite values")
}
