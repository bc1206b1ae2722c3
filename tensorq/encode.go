package tensorq

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// BlockCodec turns blocks into bytes and back. Its zero value packs with
// StandardBitCodec.
//
// A block of N values has, with numbers little-endian, F = ⌈N/8⌉ and D = ⌈N·bits/8⌉:
//
//	one scale                            two scales (3 bits only)
//	offset size                          offset size
//	0      4    scale, float32           0      4    scale, float32
//	4      D    codes                    4      4    second scale, float32
//	                                     8      F    flags, lowest bit first
//	                                     8+F    D    codes
//
// Codes of 8 bits are stored as they are, in two's complement; narrower ones are the
// biased stream of PackBits (S3.23 to S3.27). Spare bits of the last byte are 0.
// A block says neither its width nor its length nor its kind: segments do.
type BlockCodec struct{ Codec BitCodec }

// StorageSize is how many bytes a block of n values takes (S3.28): 4 + ⌈n·bits/8⌉,
// with two scales 8 + ⌈n/8⌉ + ⌈n·bits/8⌉.
func StorageSize(n, bits int, twoLevel bool) int {
	if twoLevel {
		return 8 + flagBytes(n) + PackedSize(n, bits)
	}
	return 4 + PackedSize(n, bits)
}

// EncodeBlock writes a block's bytes into out and returns how many they are. Errors:
// ErrOutputTooSmall with the bytes needed, ErrBitWidth, ErrBlock for fields that
// contradict each other, ErrCodeOutOfRange, an error for a scale that DecodeBlock would
// refuse; what out holds after an error is not defined beyond the first three.
func EncodeBlock(b *QuantizedBlock, out []byte) (int, error) { return BlockCodec{}.Encode(b, out) }

// AppendBlock appends a block's bytes to dst: see EncodeBlock.
func AppendBlock(dst []byte, b *QuantizedBlock) ([]byte, error) {
	return BlockCodec{}.appendBlock(dst, b)
}

// DecodeBlock reads a block of n values from the front of data into b, whose slices are
// reused, and returns how many bytes it took. Width, n and kind come from whoever stored
// the block. Errors: ErrBitWidth, ErrBlock for two levels at another width than 3,
// ErrInputTooSmall with the bytes needed, and ErrFormat for a scale that is NaN,
// infinite, negative or so large that a value would be infinite, for a code that is never
// written (wrapping ErrCodeOutOfRange), and for spare bits that are not 0.
func DecodeBlock(data []byte, n, bits int, twoLevel bool, b *QuantizedBlock) (int, error) {
	return BlockCodec{}.Decode(data, n, bits, twoLevel, b)
}

func (c BlockCodec) codec() BitCodec {
	if c.Codec == nil {
		return StandardBitCodec{}
	}
	return c.Codec
}

func (c BlockCodec) appendBlock(dst []byte, b *QuantizedBlock) ([]byte, error) {
	if err := b.check(); err != nil {
		return dst, err
	}
	from := len(dst)
	dst = extended(dst, b.StorageSize())
	if _, err := c.Encode(b, dst[from:]); err != nil {
		return dst[:from], err
	}
	return dst, nil
}

// Encode is EncodeBlock with the codec of c.
func (c BlockCodec) Encode(b *QuantizedBlock, out []byte) (int, error) {
	if err := b.check(); err != nil {
		return 0, err
	}
	size := b.StorageSize()
	if len(out) < size {
		return 0, ErrOutputTooSmall{Required: size}
	}
	out = out[:size]
	if err := checkScale(b.Scale, b.Bits); err != nil {
		return 0, ErrBlock{err.Error()}
	}
	binary.LittleEndian.PutUint32(out, math.Float32bits(b.Scale))
	codes := out[4:]
	if b.TwoLevel {
		if err := checkScale(b.SecondaryScale, b.Bits); err != nil {
			return 0, ErrBlock{"second " + err.Error()}
		}
		if spareBits(b.Flags, len(b.Codes)) {
			return 0, ErrBlock{"flags beyond the last value: expected 0"}
		}
		binary.LittleEndian.PutUint32(out[4:], math.Float32bits(b.SecondaryScale))
		codes = out[8+copy(out[8:], b.Flags):]
	}
	if b.Bits < 8 {
		_, err := c.codec().Pack(b.Codes, b.Bits, codes)
		return size, err
	}
	for i, v := range b.Codes {
		if v == math.MinInt8 {
			return 0, ErrCodeOutOfRange{Index: i, Value: int(v)}
		}
		codes[i] = byte(v)
	}
	return size, nil
}

// Decode is DecodeBlock with the codec of c.
func (c BlockCodec) Decode(data []byte, n, bits int, twoLevel bool, b *QuantizedBlock) (int, error) {
	b.Bits, b.TwoLevel, b.SecondaryScale = bits, twoLevel, 0
	b.Codes, b.Flags = b.Codes[:0], b.Flags[:0]
	switch {
	case bits < 2 || bits > 8:
		return 0, ErrBitWidth{Bits: bits}
	case twoLevel && bits != coldBits:
		return 0, ErrBlock{fmt.Sprintf("a second scale at %d bits: expected %d bits", bits, coldBits)}
	}
	size := StorageSize(n, bits, twoLevel)
	if len(data) < size {
		return 0, ErrInputTooSmall{Required: size}
	}
	data = data[:size]
	b.Scale = math.Float32frombits(binary.LittleEndian.Uint32(data))
	if err := checkScale(b.Scale, bits); err != nil {
		return 0, ErrFormat{Text: err.Error()}
	}
	at := 4
	if twoLevel {
		b.SecondaryScale = math.Float32frombits(binary.LittleEndian.Uint32(data[4:]))
		if err := checkScale(b.SecondaryScale, bits); err != nil {
			return 0, ErrFormat{Offset: 4, Text: "second " + err.Error()}
		}
		at = 8 + flagBytes(n)
		if spareBits(data[8:at], n) {
			return 0, ErrFormat{Offset: int64(at - 1), Text: "flags beyond the last value: expected 0"}
		}
		b.Flags = append(b.Flags, data[8:at]...)
	}
	b.Codes = resized(b.Codes, n)
	if err := c.decodeCodes(data[at:], bits, b.Codes); err != nil {
		return 0, moved(err, int64(at))
	}
	return size, nil
}

// decodeCodes reads the codes of a block, which are all of data.
func (c BlockCodec) decodeCodes(data []byte, bits int, codes []int8) error {
	if bits < 8 {
		return unpackChecked(c.codec(), data, bits, codes)
	}
	for i, v := range data {
		if v == 0x80 {
			return ErrFormat{Offset: int64(i), Text: "a code that is never written", Err: ErrCodeOutOfRange{Index: i, Value: math.MinInt8}}
		}
		codes[i] = int8(v)
	}
	return nil
}

// unpackChecked unpacks a stream that is all of data and refuses spare bits that are not
// 0.
func unpackChecked(codec BitCodec, data []byte, bits int, codes []int8) error {
	if spareBits(data, len(codes)*bits) {
		return ErrFormat{Offset: int64(len(data) - 1), Text: "bits beyond the last code: expected 0"}
	}
	if _, err := codec.Unpack(data, bits, codes); err != nil {
		e := ErrFormat{Text: "a code that is never written", Err: err}
		if code, ok := err.(ErrCodeOutOfRange); ok {
			e.Offset = int64(code.Index) * int64(bits) / 8
		}
		return e
	}
	return nil
}

// spareBits reports whether a bit of data is set from the bit-th on, lowest bit first. The
// bit-th lies in the last byte or just behind it.
func spareBits(data []byte, bit int) bool {
	return bit&7 != 0 && data[len(data)-1]>>(bit&7) != 0
}

// checkScale refuses a scale that no quantizer gives: NaN, infinite, negative, −0, or so
// large that the largest code would be infinite.
func checkScale(scale float32, bits int) error {
	if math.Signbit(float64(scale)) || !(float32(largestCode(bits))*scale <= math.MaxFloat32) {
		return fmt.Errorf("scale %v: expected 0 or more, and a finite product with code %d", scale, largestCode(bits))
	}
	return nil
}

// extended returns dst with n more elements, which may hold anything.
func extended[T any](dst []T, n int) []T {
	return slices.Grow(dst, n)[:len(dst)+n]
}

// ErrFormat refuses bytes that are no block or segment, or a damaged one.
type ErrFormat struct {
	Offset int64  // of the first wrong byte, from the start of the block or segment
	Text   string // what stands there, and what was expected
	Err    error  // the cause, where there is one
}

func (e ErrFormat) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("tensorq: byte %d: %s: %v", e.Offset, e.Text, e.Err)
	}
	return fmt.Sprintf("tensorq: byte %d: %s", e.Offset, e.Text)
}

func (e ErrFormat) Unwrap() error { return e.Err }

// moved shifts the offset of an ErrFormat by what stands before the part that it is about.
func moved(err error, by int64) error {
	if e, ok := err.(ErrFormat); ok {
		e.Offset += by
		return e
	}
	return err
}
