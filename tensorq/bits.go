package tensorq

import "boost/internal/kernel/codec"

// A stream of b bits a code, b from 1 to 8, is the little-endian number Σ u[i]·2^(i·b): its
// first code lies in the lowest bits of its first byte. Bits behind the last code are 0.
//
//	3 bits, u = 0 1 2 3 4 5 6 3, 8 codes in 3 bytes, highest bit leftmost
//
//	    byte 0     byte 1     byte 2
//	   10001000   11000110   01111010
//	   22111000   54443332   77766655    code that a bit belongs to
//
// Signed codes v are stored as u = v + qmax, qmax = 2^(b−1) − 1. They go from −qmax to qmax,
// so that u = 2^b − 1 never occurs. Unsigned codes are stored as they are.

// PackedSize returns how many bytes n codes take: ⌈n·bits/8⌉.
func PackedSize(n, bits int) int { return n/8*bits + (n%8*bits+7)/8 }

// PackBits writes signed codes as a stream of 1 to 8 bits each (S3.1) and returns the
// number of bytes written, PackedSize(len(codes), bits). What out holds behind them stays.
// out and codes must not share memory.
//
// Errors, of which the first that applies is returned and all leave out as it was:
// ErrBitWidth, ErrOutputTooSmall (in bytes), ErrCodeOutOfRange.
func PackBits(codes []int8, bits int, out []byte) (int, error) {
	size, err := packedInto(len(codes), bits, out)
	if err != nil {
		return 0, err
	}
	if i := codec.OutOfRange(codes, bits); i >= 0 {
		return 0, ErrCodeOutOfRange{i, int(codes[i])}
	}
	codec.Pack(out[:size], codes, bits)
	return size, nil
}

// UnpackBits reads exactly len(out) signed codes from the beginning of a stream and returns
// the number of bytes that they take, PackedSize(len(out), bits). Bits behind the last code
// are not looked at. out and data must not share memory.
//
// Errors, of which the first that applies is returned and all leave out as it was:
// ErrBitWidth, ErrInputTooSmall, and ErrCodeOutOfRange for a code with all bits set, which
// PackBits never writes.
func UnpackBits(data []byte, bits int, out []int8) (int, error) {
	size, err := packedIn(data, bits, len(out))
	if err != nil {
		return 0, err
	}
	if i := codec.NeverWritten(data[:size], len(out), bits); i >= 0 {
		return 0, ErrCodeOutOfRange{i, 1 << (bits - 1)}
	}
	codec.Unpack(out, data[:size], bits)
	return size, nil
}

// PackUnsigned is PackBits for codes of 0 … 2^bits − 1, which are stored as they are
// (S3.14).
func PackUnsigned(codes []uint8, bits int, out []byte) (int, error) {
	size, err := packedInto(len(codes), bits, out)
	if err != nil {
		return 0, err
	}
	if i := codec.TooLarge(codes, bits); i >= 0 {
		return 0, ErrCodeOutOfRange{i, int(codes[i])}
	}
	codec.PackUnsigned(out[:size], codes, bits)
	return size, nil
}

// UnpackUnsigned is UnpackBits for streams of PackUnsigned. Every code is a valid one.
func UnpackUnsigned(data []byte, bits int, out []uint8) (int, error) {
	size, err := packedIn(data, bits, len(out))
	if err != nil {
		return 0, err
	}
	codec.UnpackUnsigned(out, data[:size], bits)
	return size, nil
}

// packedInto returns the size of a stream of n codes, for which out has to have room.
func packedInto(n, bits int, out []byte) (int, error) {
	if bits < 1 || bits > 8 {
		return 0, ErrBitWidth{bits}
	}
	size := PackedSize(n, bits)
	if len(out) < size {
		return 0, ErrOutputTooSmall{size}
	}
	return size, nil
}

// packedIn returns the size of a stream of n codes, which data has to hold.
func packedIn(data []byte, bits, n int) (int, error) {
	if bits < 1 || bits > 8 {
		return 0, ErrBitWidth{bits}
	}
	size := PackedSize(n, bits)
	if len(data) < size {
		return 0, ErrInputTooSmall{size}
	}
	return size, nil
}

// MaxAbs returns the largest |value|: 0 of none and of zeros of either sign, NaN as soon as
// one is NaN, so that one pass finds the scale and whether all values are finite. The result
// is the same on every platform.
func MaxAbs(values []float32) float32 { return codec.MaxAbs(values) }

// BitCodec turns signed codes into bytes and back, as PackBits and UnpackBits do.
type BitCodec interface {
	// Pack writes codes of a width to out and returns the number of bytes written.
	Pack(codes []int8, bits int, out []byte) (int, error)
	// Unpack reads len(out) codes of a width and returns the number of bytes read.
	Unpack(data []byte, bits int, out []int8) (int, error)
}

// StandardBitCodec is the BitCodec of PackBits and UnpackBits.
type StandardBitCodec struct{}

// Pack is PackBits.
func (StandardBitCodec) Pack(codes []int8, bits int, out []byte) (int, error) {
	return PackBits(codes, bits, out)
}

// Unpack is UnpackBits.
func (StandardBitCodec) Unpack(data []byte, bits int, out []int8) (int, error) {
	return UnpackBits(data, bits, out)
}
