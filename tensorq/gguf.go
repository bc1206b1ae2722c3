package tensorq

import (
	"encoding/binary"
	"fmt"
	"math"
)

// GGUFQ4_0Block is 32 values as files of GGUF hold them under the name Q4_0 (S4.40), for
// exchange with programs that read and write such files:
//
//	offset size
//	0      2    d, IEEE half, little-endian, of either sign
//	2      16   byte j has code j in its low, code j+16 in its high four bits
//
// A code is a whole number from 0 to 15, a value (code − 8)·d. The blocks of QuantizeQ4_0 are
// others: their scale has four bytes and no sign, their codes are signed, and neighbours share a
// byte. Neither can be read as the other.
type GGUFQ4_0Block [18]byte

// ErrGGUFScale refuses values for which d is beyond half precision.
type ErrGGUFScale struct {
	Index int // of the largest value of the first such block
	Scale float32
}

func (e ErrGGUFScale) Error() string {
	return fmt.Sprintf("tensorq: value %d needs a scale of %v, beyond half precision, at most %d: use Q4_0, whose scale is a float32", e.Index, e.Scale, maxF16)
}

// GGUFQ4_0Blocks is how many blocks n values take: ⌈n/32⌉.
func GGUFQ4_0Blocks(n int) int { return blockCount(n, Q4_0Values) }

// QuantizeGGUFQ4_0 writes the blocks of w to dst and returns their number,
// GGUFQ4_0Blocks(len(w)). What dst holds behind them stays.
//
// With v the first value of the largest magnitude, d is v/(−8), and a code
// min(15, ⌊w·(1/d) + 8.5⌋). Every step is rounded to float32, as GGUF's Python package does and
// its C source says; compilers that fuse the product and the sum get a code one off now and
// then. Codes belong to d before it is rounded to the nearest half; where 1/d is infinite they
// are 8. A last block that is not full is filled up with zeros; GGUF itself knows
// only rows of full blocks.
//
// Errors: ErrOutputTooSmall in blocks, with nothing written; ErrNotFinite and ErrGGUFScale, for
// the first block that has one, after which dst is of no use.
func QuantizeGGUFQ4_0(dst []GGUFQ4_0Block, w []float32) (int, error) {
	count := GGUFQ4_0Blocks(len(w))
	if len(dst) < count {
		return 0, ErrOutputTooSmall{Required: count}
	}
	for i := range count {
		from, to := blockRange(i, len(w), Q4_0Values)
		if to-from == Q4_0Values {
			if err := dst[i].quantize((*[Q4_0Values]float32)(w[from:to])); err != nil {
				return 0, shifted(err, from)
			}
			continue
		}
		var last [Q4_0Values]float32
		copy(last[:], w[from:])
		if err := dst[i].quantize(&last); err != nil {
			return 0, shifted(err, from)
		}
	}
	return count, nil
}

func (b *GGUFQ4_0Block) quantize(w *[Q4_0Values]float32) error {
	at, most := 0, uint32(0)
	for i, v := range w {
		if m := math.Float32bits(v) & math.MaxInt32; m > most {
			at, most = i, m
		}
	}
	if most > math.Float32bits(math.MaxFloat32) {
		_, err := peakOf(w[:])
		return err
	}
	// Zeros give −0, as GGUF has it.
	peak := w[at]
	if most == 0 {
		peak = 0
	}
	d := peak / -8
	half, ok := f16Nearest(d)
	if !ok {
		return ErrGGUFScale{Index: at, Scale: d}
	}
	binary.LittleEndian.PutUint16(b[:], half)
	times := 1 / d
	if math.IsInf(float64(times), 0) {
		times = 0
	}
	for j := range Q4_0Values / 2 {
		b[2+j] = ggufCode(w[j], times) | ggufCode(w[j+Q4_0Values/2], times)<<4
	}
	return nil
}

// ggufCode is from 0 on, as w·times is at least −8 and no more than two roundings below.
func ggufCode(w, times float32) byte { return byte(min(15, int32(float32(w*times)+8.5))) }

// DequantizeGGUFQ4_0 writes the values of blocks into out, of which there are len(out):
// (code − 8)·d, which is exact in float32. Codes beyond the last value are not looked at.
//
// Errors, both of which leave out as it was: ErrBlockBytes if there are not exactly
// GGUFQ4_0Blocks(len(out)) blocks, with their bytes; ErrFormat for a d that is NaN or infinite,
// with the offset from the first block.
func DequantizeGGUFQ4_0(blocks []GGUFQ4_0Block, out []float32) error {
	if count := GGUFQ4_0Blocks(len(out)); len(blocks) != count {
		const bytes = len(GGUFQ4_0Block{})
		return ErrBlockBytes{Values: len(out), Bytes: bytes * len(blocks), Required: bytes * count}
	}
	for i := range blocks {
		if half := binary.LittleEndian.Uint16(blocks[i][:]); half&0x7fff > f16Largest {
			return ErrFormat{
				Offset: int64(i) * int64(len(blocks[i])),
				Text:   fmt.Sprintf("scale %v: expected a finite number", f16Value(half)),
			}
		}
	}
	for i := range blocks {
		from, to := blockRange(i, len(out), Q4_0Values)
		if to-from == Q4_0Values {
			blocks[i].dequantize((*[Q4_0Values]float32)(out[from:to]))
			continue
		}
		var last [Q4_0Values]float32
		blocks[i].dequantize(&last)
		copy(out[from:], last[:])
	}
	return nil
}

func (b *GGUFQ4_0Block) dequantize(out *[Q4_0Values]float32) {
	d := f16Value(binary.LittleEndian.Uint16(b[:]))
	for j, c := range (*[Q4_0Values / 2]byte)(b[2:]) {
		out[j] = float32(int(c&15)-8) * d
		out[j+Q4_0Values/2] = float32(int(c>>4)-8) * d
	}
}
