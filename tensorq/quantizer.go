package tensorq

import (
	"fmt"
	"sync"

	"boost/internal/kernel/codec"
)

// TensorQuantizer turns values into the codes of one width and back (S3.20). It is
// safe for concurrent use. Codes and bytes are separate: how codes of a width are stored
// is the same for every quantizer, see EncodeBlock.
type TensorQuantizer interface {
	// BitWidth is the width of a code in bits, 2 to 8.
	BitWidth() int
	// QuantizeBlock fills block with the codes of values, which share its scale; the
	// block's slices are reused where they are long enough. How many values there are
	// is up to the caller: cfg.BlockSize plays no part. Errors: what cfg.Validate finds,
	// ErrNotFinite; the block is then of no use.
	QuantizeBlock(values []float32, cfg QuantConfig, block *QuantizedBlock) error
	// DequantizeBlock writes the block's values into out, which may be longer. Errors:
	// ErrOutputTooSmall with the number of values, ErrBlock, ErrBitWidth for a block of
	// another width.
	DequantizeBlock(block *QuantizedBlock, out []float32) error
	// PackedDataSize is how many bytes n codes take, without the scale: ⌈n·bits/8⌉.
	PackedDataSize(n int) int
	// BlockStorageSize is how many bytes a block of n values with one scale takes:
	// 4 + ⌈n·bits/8⌉. StorageSize knows blocks with two.
	BlockStorageSize(n int) int
}

// Symmetric returns the quantizer that every built-in width uses, for a width of 2 to 8
// bits: scale = max|x|/(2^(bits−1) − 1), codes rounded to the nearest, halves away from
// zero. Other widths are ErrBitWidth. A new width is one file that registers it:
//
//	func init() { tensorq.MustRegister(tensorq.Symmetric(4)) }
func Symmetric(bits int) (TensorQuantizer, error) {
	if bits < 2 || bits > 8 {
		return nil, ErrBitWidth{Bits: bits}
	}
	return symmetric{bits}, nil
}

type symmetric struct{ bits int }

func (s symmetric) BitWidth() int { return s.bits }

func (s symmetric) PackedDataSize(n int) int { return PackedSize(n, s.bits) }

func (s symmetric) BlockStorageSize(n int) int { return StorageSize(n, s.bits, false) }

func (s symmetric) QuantizeBlock(values []float32, cfg QuantConfig, block *QuantizedBlock) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	peak, err := peakOf(values)
	if err != nil {
		return err
	}
	block.Bits = s.bits
	block.Codes = resized(block.Codes, len(values))
	if s.bits == coldBits && cfg.TwoLevelCold && hasOutliers(values, peak, cfg.TwoLevelThreshold) {
		quantizeTwoLevel(values, peak, cfg.OutlierFraction, block)
		return nil
	}
	qmax := largestCode(s.bits)
	block.Scale = scaleFor(peak, qmax)
	block.SecondaryScale, block.TwoLevel, block.Flags = 0, false, block.Flags[:0]
	if block.Scale == 0 {
		clear(block.Codes)
	} else {
		codec.Multiples(block.Codes, values, block.Scale, qmax)
	}
	return nil
}

func (s symmetric) DequantizeBlock(block *QuantizedBlock, out []float32) error {
	if block.Bits != s.bits {
		return ErrBitWidth{Bits: block.Bits}
	}
	_, err := block.Dequantize(out)
	return err
}

// registry has the quantizer of each width.
var registry struct {
	sync.RWMutex
	byWidth [9]TensorQuantizer
}

// ErrRegistered refuses a second quantizer for a width.
type ErrRegistered struct{ Bits int }

func (e ErrRegistered) Error() string {
	return fmt.Sprintf("tensorq: %d bits have a quantizer already: call Quantize with the other one instead of registering it", e.Bits)
}

// Register makes a quantizer known to Quantizer and to the segments, whose headers carry
// nothing but its width. Errors: ErrBitWidth for a width outside 2 to 8, ErrRegistered, an
// error if the sizes that it states are not those of its width.
func Register(q TensorQuantizer) error {
	bits := q.BitWidth()
	if bits < 2 || bits > 8 {
		return ErrBitWidth{Bits: bits}
	}
	for _, n := range []int{0, 1, 7, 64, 257} {
		if got, want := q.PackedDataSize(n), PackedSize(n, bits); got != want {
			return fmt.Errorf("tensorq: the quantizer of %d bits says that %d codes take %d bytes: expected %d", bits, n, got, want)
		}
		if got, want := q.BlockStorageSize(n), StorageSize(n, bits, false); got != want {
			return fmt.Errorf("tensorq: the quantizer of %d bits says that a block of %d takes %d bytes: expected %d", bits, n, got, want)
		}
	}
	registry.Lock()
	defer registry.Unlock()
	if registry.byWidth[bits] != nil {
		return ErrRegistered{Bits: bits}
	}
	registry.byWidth[bits] = q
	return nil
}

// MustRegister is Register for use in init: it panics where Register, or the call that
// made q, returns an error.
func MustRegister(q TensorQuantizer, err error) {
	if err == nil {
		err = Register(q)
	}
	if err != nil {
		panic(err)
	}
}

// Quantizer returns the registered quantizer of a width: 8, 7, 5 and 3 bits are built in.
// ErrBitWidth if there is none.
func Quantizer(bits int) (TensorQuantizer, error) {
	if bits >= 2 && bits <= 8 {
		registry.RLock()
		q := registry.byWidth[bits]
		registry.RUnlock()
		if q != nil {
			return q, nil
		}
	}
	return nil, ErrBitWidth{Bits: bits}
}

// Widths returns the registered widths in ascending order.
func Widths() []int {
	registry.RLock()
	defer registry.RUnlock()
	var widths []int
	for bits, q := range registry.byWidth {
		if q != nil {
			widths = append(widths, bits)
		}
	}
	return widths
}
