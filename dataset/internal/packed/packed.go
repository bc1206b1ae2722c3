// Package packed writes the values of columns as bytes, little-endian, and reads them again.
//
// In: numbers, codes, texts. Out: bytes, and from bytes of any origin the values, or that they are none; nothing is
// allocated that the number of bytes does not justify. It must not know tables, roles or files.
package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// AppendFloat32s appends values, 4 bytes each.
func AppendFloat32s(b []byte, values []float32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// AppendFloat64s appends values, 8 bytes each.
func AppendFloat64s(b []byte, values []float64) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// AppendInt32s appends values, 4 bytes each.
func AppendInt32s(b []byte, values []int32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// AppendInts appends values, 8 bytes each.
func AppendInts(b []byte, values ...int) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// AppendTexts appends texts, each as its length and its bytes.
func AppendTexts(b []byte, texts []string) []byte {
	for _, text := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return b
}

// Reader takes values off the front of bytes.
type Reader struct {
	unread []byte
	short  bool
}

// NewReader returns a Reader of b.
func NewReader(b []byte) *Reader { return &Reader{unread: b} }

// Ended reports whether there were as many bytes as were taken, and no more.
func (r *Reader) Ended() bool { return !r.short && len(r.unread) == 0 }

// Short reports whether there were fewer bytes than were taken.
func (r *Reader) Short() bool { return r.short }

func (r *Reader) take(n int) []byte {
	if n > len(r.unread) {
		r.short = true
		return nil
	}
	taken := r.unread[:n]
	r.unread = r.unread[n:]
	return taken
}

// Float32s takes n values; nil if there are fewer.
func (r *Reader) Float32s(n int) []float32 {
	return read(r.take(4*n), 4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) })
}

// Float64s takes n values; nil if there are fewer.
func (r *Reader) Float64s(n int) []float64 {
	return read(r.take(8*n), 8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
}

// Int32s takes n values; nil if there are fewer.
func (r *Reader) Int32s(n int) []int32 {
	return read(r.take(4*n), 4, func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) })
}

// Ints takes n numbers; nil if there are fewer.
func (r *Reader) Ints(n int) []int {
	return read(r.take(8*n), 8, func(b []byte) int { return int(int64(binary.LittleEndian.Uint64(b))) })
}

// read reads values of some width.
func read[T any](b []byte, width int, value func([]byte) T) []T {
	values := make([]T, len(b)/width)
	for i := range values {
		values[i] = value(b[width*i:])
	}
	return values
}

// Texts reads so many texts, which are different, and all bytes.
func Texts(b []byte, count int) ([]string, error) {
	// One has no letters, 256 have one, the others two at least.
	if count < 0 || count > len(b) || max(count-1, 0)+max(count-257, 0) > len(b)-count {
		return nil, fmt.Errorf("%d levels in %d bytes", count, len(b))
	}
	texts, all := make([]string, 0, count), string(b) // the texts are parts of it
	for len(b) > 0 {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return nil, errors.New("levels cut short")
		}
		at := len(all) - len(b) + size
		texts = append(texts, all[at:at+int(n)])
		b = b[size+int(n):]
	}
	if len(texts) != count {
		return nil, fmt.Errorf("%d levels instead of %d", len(texts), count)
	}
	return texts, nil
}
