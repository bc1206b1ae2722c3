package binning

import (
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Width is the number of bits a column spends on a code.
type Width uint8

// The widths of stored columns.
const (
	U4  Width = 4
	U8  Width = 8
	U16 Width = 16
	U32 Width = 32
)

// WidthOf returns the narrowest width that holds so many codes.
func WidthOf(nCodes uint32) Width {
	switch {
	case nCodes <= 1<<4:
		return U4
	case nCodes <= 1<<8:
		return U8
	case nCodes <= 1<<16:
		return U16
	}
	return U32
}

// String returns "U4", "U8", "U16" or "U32".
func (w Width) String() string { return fmt.Sprintf("U%d", uint8(w)) }

// bytes returns what rows codes take, without padding: an odd U4 column has one spare nibble.
func (w Width) bytes(rows int) uint64 { return (uint64(rows)*uint64(w) + 7) / 8 }

// alignment is that of columns in bytes: a cache line, and a vector register of 512 bits.
const alignment = 64

func padded(bytes uint64) uint64 { return (bytes + alignment - 1) &^ (alignment - 1) }

// Info places one feature in the matrix (SEEDS S0.12).
type Info struct {
	Offset uint64 // bytes from the start of the matrix data, a multiple of 64
	NBins  uint32 // all codes, the missing code included
	Bits   Width
}

// Matrix holds the codes of all features, column by column: the code of
// (row, feature) is entry `row` of the feature's column. Every column starts at
// a 64-byte boundary. It is immutable once built.
//
//	data   [ column 0 | 0…63 zero bytes | column 1 | 0…63 zero bytes | … ]
type Matrix struct {
	rows    int
	infos   []Info
	offsets []uint32 // global bin index: running sum of NBins, length F+1
	data    []byte   // 64-byte aligned
}

// ErrSize is wrapped by errors about a table or a matrix too large to be numbered.
var ErrSize = errors.New("too large")

// newMatrix lays out a matrix of zeros.
func newMatrix(rows int, nCodes []uint32, storage string) (*Matrix, error) {
	m := &Matrix{rows: rows, infos: make([]Info, len(nCodes)), offsets: make([]uint32, len(nCodes)+1)}
	common := commonWidth(nCodes, storage)
	var size, codes uint64
	for f, n := range nCodes {
		width := max(common, WidthOf(n))
		m.infos[f] = Info{Offset: size, NBins: n, Bits: width}
		size += padded(width.bytes(rows))
		if codes += uint64(n); codes > math.MaxUint32 {
			return nil, fmt.Errorf("%w: the features have more than %d codes in all (lower binning.max_bin)", ErrSize, uint32(math.MaxUint32))
		}
		m.offsets[f+1] = uint32(codes)
	}
	m.data = alignedBytes(size)
	return m, nil
}

// commonWidth returns the least width of a column: that of the widest feature, U8 at
// least, under uniform storage, else U4.
func commonWidth(nCodes []uint32, storage string) Width {
	width := U4
	if storage == Uniform {
		width = U8
		for _, n := range nCodes {
			width = max(width, WidthOf(n))
		}
	}
	return width
}

// alignedBytes returns size zero bytes that start at a 64-byte boundary.
func alignedBytes(size uint64) []byte {
	data := make([]byte, size+alignment-1)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(data))) & (alignment - 1)
	return data[skip : uint64(skip)+size : uint64(skip)+size]
}

// FromCodes makes a matrix of given codes: columns[f][row], each below nCodes[f].
// storage is Adaptive or Uniform.
func FromCodes(columns [][]uint32, nCodes []uint32, storage string) (*Matrix, error) {
	if len(columns) != len(nCodes) {
		return nil, fmt.Errorf("%d columns of codes come with %d numbers of codes", len(columns), len(nCodes))
	}
	rows := 0
	if len(columns) > 0 {
		rows = len(columns[0])
	}
	m, err := newMatrix(rows, nCodes, storage)
	if err != nil {
		return nil, err
	}
	for f, codes := range columns {
		if len(codes) != rows {
			return nil, fmt.Errorf("feature %d has %d rows, feature 0 has %d", f, len(codes), rows)
		}
		for row, code := range codes {
			if code >= nCodes[f] {
				return nil, fmt.Errorf("feature %d, row %d: code %d is not below %d", f, row, code, nCodes[f])
			}
		}
		m.Column(f).set(codes)
	}
	return m, nil
}

// NRows returns the number of rows.
func (m *Matrix) NRows() int { return m.rows }

// NFeatures returns the number of features.
func (m *Matrix) NFeatures() int { return len(m.infos) }

// FeatureInfo returns where and how feature f is stored.
func (m *Matrix) FeatureInfo(f int) Info { return m.infos[f] }

// Offsets returns the global bin index of each feature's code 0; the last entry
// is the total number of codes (SEEDS S1.11). The slice must not be changed.
func (m *Matrix) Offsets() []uint32 { return m.offsets }

// Bytes returns the memory of the codes, padding included.
func (m *Matrix) Bytes() uint64 { return uint64(len(m.data)) }

// Bin returns the code of a cell. Out of range it panics like a slice.
func (m *Matrix) Bin(feature, row int) uint32 { return m.Column(feature).At(row) }

// Column returns a view of feature f.
func (m *Matrix) Column(f int) Column {
	info := m.infos[f]
	c := Column{Bits: info.Bits, N: m.rows}
	bytes := m.data[info.Offset : info.Offset+info.Bits.bytes(m.rows)]
	start := unsafe.Pointer(unsafe.SliceData(bytes))
	switch info.Bits {
	case U4:
		c.u4 = bytes
	case U8:
		c.u8 = bytes
	case U16:
		c.u16 = unsafe.Slice((*uint16)(start), m.rows)
	default:
		c.u32 = unsafe.Slice((*uint32)(start), m.rows)
	}
	return c
}

// Widths returns how many features are stored in each width.
func (m *Matrix) Widths() map[Width]int {
	widths := map[Width]int{}
	for _, info := range m.infos {
		widths[info.Bits]++
	}
	return widths
}

// String returns the shape and the share of each width, for a log:
// "1000 × 28 codes: 12 U4, 16 U8, 22.0 KiB".
func (m *Matrix) String() string {
	text := fmt.Sprintf("%d × %d codes:", m.rows, len(m.infos))
	widths := m.Widths()
	for _, w := range []Width{U4, U8, U16, U32} {
		if widths[w] > 0 {
			text += fmt.Sprintf(" %d %v,", widths[w], w)
		}
	}
	return text + " " + readableBytes(m.Bytes())
}

func readableBytes(n uint64) string {
	value, unit := float64(n), 0
	for value >= 1024 && unit < 4 {
		value /= 1024
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %ciB", value, "KMGT"[unit-1])
}
