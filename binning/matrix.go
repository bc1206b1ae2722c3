package binning

import (
	"errors"
	"fmt"
	"math"
	"sort"
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

// Info places one feature in the matrix.
type Info struct {
	// Offset is where the feature's column, or that of its bundle, starts: bytes from
	// the start of the matrix data, a multiple of 64; 0 in layouts without columns.
	Offset uint64
	NBins  uint32 // all codes, the missing code included
	Bits   Width  // that the feature's own codes need, or the width of its column
}

// Matrix holds the codes of all features, in one of these layouts:
//
//   - by columns: the code of (row, feature) is entry `row` of the feature's column.
//     Every column starts at a 64-byte boundary. A column may hold a bundle of
//     several features (see FeatureGroup), and a mask of missing values may lie beside them.
//   - by rows: the same columns as a RowMajor, and nothing else.
//   - sparse: a CSR or an Ellpack, which store no cell with its feature's default bin.
//
// All give the same codes. A Matrix is immutable once built.
//
//	data   [ column 0 | 0…63 zero bytes | column 1 | 0…63 zero bytes | … ]
type Matrix struct {
	rows      int
	offsets   []uint32       // global bin index: running sum of NBins, length F+1
	locations []location     // by feature
	groups    []FeatureGroup // stored columns, by columns or by rows
	data      []byte         // 64-byte aligned; nil unless the layout is by columns
	byRow     *RowMajor
	csr       *CSR
	ellpack   *Ellpack
	mask      []byte // missing cells, bit row + feature*rows, lowest bit first; nil for none
	reason    string // why the layout was chosen
}

// FeatureGroup is a stored column: the codes of one feature, or those of a bundle of
// features of which no row has more than one outside its default bin.
//
//	code of a bundle   0: every feature has its default bin
//	                   first … first+n-2: a feature of n codes has another one
type FeatureGroup struct {
	Features []int  // ascending
	NBins    uint32 // codes of the column
	Bits     Width
	offset   uint64 // in bytes
}

// location says where a feature's codes are.
type location struct {
	group      int32  // stored column, -1 in sparse layouts
	first      uint32 // bundles: the column's code for the first of the feature's codes that is not the default bin
	defaultBin uint32 // bundles and sparse layouts: the code that is not stored
}

// ErrSize is wrapped by errors about a table or a matrix too large to be numbered.
var ErrSize = errors.New("too large")

// newMatrix lays out a matrix of zeros, every feature in a column of its own.
func newMatrix(rows int, nCodes []uint32, storage string) (*Matrix, error) {
	m, err := newFrame(rows, nCodes)
	if err != nil {
		return nil, err
	}
	m.groups = make([]FeatureGroup, len(nCodes))
	features := make([]int, len(nCodes))
	for f, n := range nCodes {
		features[f] = f
		m.groups[f] = FeatureGroup{Features: features[f : f+1 : f+1], NBins: n}
		m.locations[f].group = int32(f)
	}
	m.allocate(storage)
	return m, nil
}

// newFrame numbers the features' codes and stores none.
func newFrame(rows int, nCodes []uint32) (*Matrix, error) {
	if err := checkRows(rows); err != nil {
		return nil, err
	}
	m := &Matrix{
		rows: rows, offsets: make([]uint32, len(nCodes)+1), locations: make([]location, len(nCodes)),
	}
	var codes uint64
	for f, n := range nCodes {
		m.locations[f].group = -1
		if codes += uint64(n); codes > maxCodes {
			return nil, fmt.Errorf("%w: the features have more than %d codes in all (lower binning.max_bin)", ErrSize, uint64(maxCodes))
		}
		m.offsets[f+1] = uint32(codes)
	}
	return m, nil
}

// maxCodes is what the global bin index can number; tests lower it.
var maxCodes uint64 = math.MaxUint32

// allocate gives every group its width and its place in the data.
func (m *Matrix) allocate(storage string) {
	size := m.layOut(storage)
	m.data = alignedBytes(size)
}

// layOut gives every group its width and offset and returns the bytes they take.
func (m *Matrix) layOut(storage string) uint64 {
	nCodes := make([]uint32, len(m.groups))
	for u := range m.groups {
		nCodes[u] = m.groups[u].NBins
	}
	common := commonWidth(nCodes, storage)
	for u := range m.groups {
		m.groups[u].Bits = max(common, WidthOf(m.groups[u].NBins))
	}
	return m.place()
}

// place gives every group, whose width is known, its offset and returns the bytes they take.
func (m *Matrix) place() (size uint64) {
	for u := range m.groups {
		group := &m.groups[u]
		group.offset = size
		size += padded(group.Bits.bytes(m.rows))
	}
	return size
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
func (m *Matrix) NFeatures() int { return len(m.locations) }

// nCodes returns the number of codes of feature f, the missing code included.
func (m *Matrix) nCodes(f int) uint32 { return m.offsets[f+1] - m.offsets[f] }

// FeatureInfo returns where and how feature f is stored.
func (m *Matrix) FeatureInfo(f int) Info {
	n := m.nCodes(f)
	if u := m.locations[f].group; u >= 0 {
		return Info{Offset: m.groups[u].offset, NBins: n, Bits: m.groups[u].Bits}
	}
	return Info{NBins: n, Bits: WidthOf(n)}
}

// Offsets returns the global bin index of each feature's code 0; the last entry
// is the total number of codes. The slice must not be changed.
func (m *Matrix) Offsets() []uint32 { return m.offsets }

// Local returns the feature that a global bin index belongs to, and its code. The index
// must be below the last of Offsets.
func (m *Matrix) Local(global uint32) (feature int, code uint32) {
	feature = sort.Search(len(m.locations), func(f int) bool { return m.offsets[f+1] > global })
	return feature, global - m.offsets[:len(m.locations)][feature]
}

// Bytes returns the memory of the codes and of what belongs to them: padding, row
// pointers, column indices, the mask.
func (m *Matrix) Bytes() uint64 {
	n := uint64(len(m.data)) + uint64(len(m.mask))
	if m.byRow != nil {
		n += uint64(len(m.byRow.Data))
	}
	if m.csr != nil {
		n += m.csr.Bytes()
	}
	if m.ellpack != nil {
		n += m.ellpack.Bytes()
	}
	return n
}

// IndexBytes returns the memory of what says where the features' codes are, and of cells
// that are kept by feature too.
func (m *Matrix) IndexBytes() uint64 {
	n := uint64(len(m.locations)) * uint64(4+unsafe.Sizeof(location{})+unsafe.Sizeof(0))
	n += uint64(len(m.groups)) * uint64(unsafe.Sizeof(FeatureGroup{}))
	if m.csr != nil {
		n += 4*uint64(len(m.csr.Counts)) + uint64(len(m.csr.lists))*uint64(unsafe.Sizeof(&list{}))
		for i := range m.csr.lists {
			l := m.csr.lists[i]
			if l == constant {
				continue
			}
			n += uint64(unsafe.Sizeof(list{}))
			n += 4*uint64(len(l.rows)) + l.codes.Bits.bytes(l.codes.N)
		}
	}
	return n
}

// DropLists returns the matrix without the cells by feature that Codes.KeepLists asked
// for.
func (m *Matrix) DropLists() *Matrix {
	if m.csr == nil || m.csr.lists == nil {
		return m
	}
	without, csr := *m, *m.csr
	csr.lists, without.csr = nil, &csr
	return &without
}

// Layout returns how the codes are kept: "col", "row", "csr" or "ellpack".
func (m *Matrix) Layout() string {
	switch {
	case m.csr != nil:
		return LayoutCSR
	case m.ellpack != nil:
		return LayoutEllpack
	case m.byRow != nil:
		return LayoutRow
	}
	return LayoutCol
}

// Reason says why the layout was chosen, for a log.
func (m *Matrix) Reason() string { return m.reason }

// FeatureGroups returns the stored columns; none in sparse layouts. They must not be changed.
func (m *Matrix) FeatureGroups() []FeatureGroup { return m.groups }

// GroupOf returns the stored column that holds feature f, -1 in sparse layouts.
func (m *Matrix) GroupOf(f int) int { return int(m.locations[f].group) }

// ByRow returns the codes of the layout "row", nil in others.
func (m *Matrix) ByRow() *RowMajor { return m.byRow }

// CSR returns the codes of the layout "csr", nil in others.
func (m *Matrix) CSR() *CSR { return m.csr }

// Ellpack returns the codes of the layout "ellpack", nil in others.
func (m *Matrix) Ellpack() *Ellpack { return m.ellpack }

// Masked reports whether missing values are bits beside the codes.
func (m *Matrix) Masked() bool { return m.mask != nil }

// Bundled reports whether some column holds more than one feature.
func (m *Matrix) Bundled() bool {
	return m.byRow == nil && m.csr == nil && m.ellpack == nil && len(m.groups) < len(m.locations)
}

// ByColumns reports whether every code is in a stored column, of one feature or of a bundle.
func (m *Matrix) ByColumns() bool {
	return m.byRow == nil && m.csr == nil && m.ellpack == nil && m.mask == nil
}

// OwnColumns reports whether every feature has a column of its own, whose codes are read as
// they are.
func (m *Matrix) OwnColumns() bool { return m.ByColumns() && len(m.groups) == len(m.locations) }

// DefaultBin returns the code of feature f that a bundle or a sparse layout does not
// store, and whether there is one.
func (m *Matrix) DefaultBin(f int) (code uint32, ok bool) {
	p := &m.locations[f]
	if p.group >= 0 && len(m.groups[p.group].Features) == 1 {
		return 0, false
	}
	return p.defaultBin, true
}

// First returns the code of a bundle's column that stands for the lowest of feature
// f's codes that is not its default bin; further codes follow in order.
func (m *Matrix) First(f int) uint32 { return m.locations[f].first }

// hasOwnColumn reports whether feature f has a column of its own without a mask.
func (m *Matrix) hasOwnColumn(f int) bool {
	u := m.locations[f].group
	return u >= 0 && m.byRow == nil && m.mask == nil && len(m.groups[u].Features) == 1
}

// Column returns a view of feature f's codes. For a feature that is not stored as a
// column of its own it returns a copy made for this call; see Block.
func (m *Matrix) Column(f int) Column {
	if m.hasOwnColumn(f) {
		return m.GroupColumn(int(m.locations[f].group))
	}
	return m.Block(f, 0, m.rows, nil, new(Scratch))
}

// GroupColumn returns a view of a stored column, in layouts by columns.
func (m *Matrix) GroupColumn(u int) Column {
	group := &m.groups[u]
	c := Column{Bits: group.Bits, N: m.rows}
	bytes := m.data[group.offset : group.offset+group.Bits.bytes(m.rows)]
	start := unsafe.Pointer(unsafe.SliceData(bytes))
	switch group.Bits {
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

// Widths returns how many columns are stored in each width; none in sparse layouts.
func (m *Matrix) Widths() map[Width]int {
	widths := map[Width]int{}
	for _, group := range m.groups {
		widths[group.Bits]++
	}
	return widths
}

// String returns the shape, the share of each width and the layout, for a log:
// "1000 × 28 codes: 12 U4, 16 U8, 22.0 KiB".
func (m *Matrix) String() string {
	text := fmt.Sprintf("%d × %d codes:", m.rows, len(m.locations))
	switch {
	case m.csr != nil:
		text += fmt.Sprintf(" %d stored in CSR,", m.csr.Entries())
	case m.ellpack != nil:
		text += fmt.Sprintf(" %d to a row of ELLPACK,", m.ellpack.RowStride)
	case m.Bundled():
		text += fmt.Sprintf(" bundled into %d columns:", len(m.groups))
	case m.byRow != nil:
		text += " by rows:"
	}
	widths := m.Widths()
	for _, w := range []Width{U4, U8, U16, U32} {
		if widths[w] > 0 {
			text += fmt.Sprintf(" %d %v,", widths[w], w)
		}
	}
	return text + " " + readableBytes(m.Bytes())
}

func readableBytes(n uint64) string {
	value, group := float64(n), 0
	for value >= 1024 && group < 4 {
		value /= 1024
		group++
	}
	if group == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %ciB", value, "KMGT"[group-1])
}

// CommonCode returns the most frequent code of a feature in about 512 of the rows, or that which is not stored; 0 where the matrix has no
// columns. counts holds a 0 for each code.
func (m *Matrix) CommonCode(f int, counts []int) int {
	if code, ok := m.DefaultBin(f); ok {
		return int(code)
	}
	if !m.ByColumns() {
		return 0
	}
	const some = 512
	column, common := m.Column(f), 0
	for row, step := 0, max(1, m.NRows()/some); row < m.NRows(); row += step {
		code := int(column.At(row))
		if counts[code]++; counts[code] > counts[common] {
			common = code
		}
	}
	return common
}
