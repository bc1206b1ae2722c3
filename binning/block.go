package binning

import (
	"boost/internal/kernel/bin"
	"boost/internal/kernel/hist"
)

// Scratch is the memory of one caller of Block; the zero value is ready. It grows to
// one code per row of the longest stretch asked for.
type Scratch struct {
	u8  []uint8
	u16 []uint16
	u32 []uint32
}

// Block returns the codes of feature f for rows lo … hi-1, as a column of hi-lo rows.
// lo is even. Where the feature has no column of its own the codes are written to
// the scratch, and only those of the entries' rows, which count from lo; nil entries
// mean all rows. The column is valid until the scratch is used again.
func (m *Matrix) Block(f, lo, hi int, entries []uint64, s *Scratch) Column {
	if m.hasOwnColumn(f) {
		return m.GroupColumn(int(m.locations[f].group)).Part(lo, hi)
	}
	n := hi - lo
	c := Column{Bits: max(U8, WidthOf(m.nCodes(f))), N: n}
	switch c.Bits {
	case U8:
		s.u8 = reserve(s.u8, n)
		c.u8 = s.u8[:n]
		gather(m, f, lo, entries, c.u8)
	case U16:
		s.u16 = reserve(s.u16, n)
		c.u16 = s.u16[:n]
		gather(m, f, lo, entries, c.u16)
	default:
		s.u32 = reserve(s.u32, n)
		c.u32 = s.u32[:n]
		gather(m, f, lo, entries, c.u32)
	}
	return c
}

// Reserve makes the scratch large enough for blocks of n rows of any feature.
func (m *Matrix) Reserve(s *Scratch, n int) {
	for f := range m.locations {
		if m.hasOwnColumn(f) {
			continue
		}
		switch max(U8, WidthOf(m.nCodes(f))) {
		case U8:
			s.u8 = reserve(s.u8, n)
		case U16:
			s.u16 = reserve(s.u16, n)
		default:
			s.u32 = reserve(s.u32, n)
		}
	}
}

// reserve returns the slice with room for n entries; what it held is lost.
func reserve[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Part returns rows lo … hi-1 of a column, lo being even.
func (c Column) Part(lo, hi int) Column {
	p := Column{Bits: c.Bits, N: hi - lo}
	switch c.Bits {
	case U4:
		p.u4 = c.u4[lo/2 : (hi+1)/2]
	case U8:
		p.u8 = c.u8[lo:hi]
	case U16:
		p.u16 = c.u16[lo:hi]
	default:
		p.u32 = c.u32[lo:hi]
	}
	return p
}

// Shared returns the stored column that feature f shares with others, and sets
// byGroupCode[c] to byCode[code of f] for each code c of that column. So a table of f's codes can be applied to the
// stored column as it is. It returns -1 if f shares no column, or one of more than 256 codes.
func (m *Matrix) Shared(f int, byCode []uint8, byGroupCode *[256]uint8) int {
	u := m.locations[f].group
	if u < 0 || m.byRow != nil || m.mask != nil || len(m.groups[u].Features) == 1 || m.groups[u].NBins > 256 {
		return -1
	}
	t := m.translation(f)
	for c := range m.groups[u].NBins {
		byGroupCode[c] = byCode[t.code(c)]
	}
	return int(u)
}

// gather writes the codes of the entries' rows, or of all rows, to dst[row-lo].
func gather[C bin.Code](m *Matrix, f, lo int, entries []uint64, dst []C) {
	p := &m.locations[f]
	switch {
	case m.csr != nil && m.csr.lists != nil && (entries == nil || denseEntries*len(entries) >= len(dst)):
		writeList(m.csr.lists[f], lo, dst)
	case p.group < 0 || m.mask != nil:
		for row := range rowsOf(entries, len(dst)) {
			dst[row] = C(m.Bin(f, lo+row))
		}
	case m.byRow != nil:
		t := m.translation(f)
		for row := range rowsOf(entries, len(dst)) {
			dst[row] = C(t.code(m.byRow.at(lo+row, int(p.group))))
		}
	default:
		gatherBundled(m.GroupColumn(int(p.group)), m.translation(f), lo, entries, dst)
	}
}

// denseEntries: where at least one row in this many is asked for, writing the default bin
// to all rows of a block and then its listed cells costs less than a search in each row.
const denseEntries = 64

// writeList writes the codes of rows lo … lo+len(dst)-1 of a list.
func writeList[C bin.Code](l *list, lo int, dst []C) {
	for row := range dst {
		dst[row] = C(l.defaultBin)
	}
	rows, first := l.between(lo, lo+len(dst))
	for i, row := range rows {
		dst[int(row)-lo] = C(l.codes.At(first + i))
	}
}

// rowsOf yields the entries' rows, or 0 … n-1 for nil.
func rowsOf(entries []uint64, n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if entries == nil {
			for row := range n {
				if !yield(row) {
					return
				}
			}
			return
		}
		for _, e := range entries {
			if !yield(int(hist.Row(e))) {
				return
			}
		}
	}
}

// translation turns the codes of a group into those of one of its features.
type translation struct {
	first, count uint32 // the feature's codes other than the default bin are first … first+count-1
	defaultBin   uint32
}

func (m *Matrix) translation(f int) translation {
	p := &m.locations[f]
	if len(m.groups[p.group].Features) == 1 {
		return translation{count: ^uint32(0), defaultBin: ^uint32(0)} // every code stands for itself
	}
	return translation{first: p.first, count: m.nCodes(f) - 1, defaultBin: p.defaultBin}
}

func (t translation) code(group uint32) uint32 {
	c := group - t.first
	if c >= t.count {
		return t.defaultBin
	}
	if c >= t.defaultBin {
		c++
	}
	return c
}

func gatherBundled[C bin.Code](c Column, t translation, lo int, entries []uint64, dst []C) {
	switch c.Bits {
	case U4:
		for row := range rowsOf(entries, len(dst)) {
			dst[row] = C(t.code(c.At(lo + row)))
		}
	case U8:
		translate(c.u8[lo:], t, entries, dst)
	case U16:
		translate(c.u16[lo:], t, entries, dst)
	default:
		translate(c.u32[lo:], t, entries, dst)
	}
}

func translate[C, U bin.Code](codes []U, t translation, entries []uint64, dst []C) {
	if entries == nil {
		codes = codes[:len(dst)]
		for row, c := range codes {
			dst[row] = C(t.code(uint32(c)))
		}
		return
	}
	for _, e := range entries {
		row := hist.Row(e)
		dst[row] = C(t.code(uint32(codes[row])))
	}
}

// Bin returns the code of a cell. Out of range it panics like a slice.
func (m *Matrix) Bin(feature, row int) uint32 {
	p := &m.locations[feature]
	switch {
	case m.csr != nil:
		return m.csr.at(row, uint32(feature), p.defaultBin)
	case m.ellpack != nil:
		return m.ellpack.at(row, m.offsets[feature], m.offsets[feature+1], p.defaultBin)
	case m.byRow != nil:
		return m.translation(feature).code(m.byRow.at(row, int(p.group)))
	case m.mask != nil && m.masked(feature, row):
		return m.nCodes(feature) - 1
	}
	return m.translation(feature).code(m.GroupColumn(int(p.group)).At(row))
}

// masked reports whether the cell's bit is set.
func (m *Matrix) masked(feature, row int) bool {
	bit := uint64(feature)*uint64(m.rows) + uint64(row)
	return m.mask[bit/8]>>(bit%8)&1 == 1
}

// Expansion is the memory of one caller of Expand; the zero value is ready.
type Expansion struct {
	Columns []Column // of the features asked for, in their order
	codes   []uint32
	slot    []int32 // per feature, the first column that it has among them, plus 1
}

// Expand sets e.Columns to the codes of the listed features for rows lo … hi-1, row lo
// first, or for the listed rows if rows is not nil. It costs one pass over these rows'
// stored cells in the layout "csr", however many features there are. A feature that
// is listed twice has the same column twice.
func (m *Matrix) Expand(features []int32, lo, hi int, rows []uint32, e *Expansion) {
	n := hi - lo
	if rows != nil {
		n = len(rows)
	}
	row := func(i int) int {
		if rows != nil {
			return int(rows[i])
		}
		return lo + i
	}
	e.Columns = e.Columns[:0]
	if len(e.slot) < len(m.locations) {
		e.slot = make([]int32, len(m.locations))
	}
	distinct := 0
	for _, f := range features {
		if e.slot[f] == 0 {
			distinct++
		}
		e.slot[f] = -1
	}
	e.codes = reserve(e.codes, n*distinct)
	free := e.codes
	for i, f := range features {
		if s := e.slot[f]; s > 0 {
			e.Columns = append(e.Columns, e.Columns[s-1])
			continue
		}
		e.slot[f] = int32(i) + 1
		column := free[:n:n]
		free = free[n:]
		e.Columns = append(e.Columns, Column{Bits: U32, N: n, u32: column})
		if m.csr != nil {
			for r := range column {
				column[r] = m.locations[f].defaultBin
			}
			continue
		}
		for r := range column {
			column[r] = m.Bin(int(f), row(r))
		}
	}
	if m.csr != nil {
		m.expandCells(n, row, e)
	}
	for _, f := range features {
		e.slot[f] = 0
	}
}

// expandCells writes the stored cells of n rows.
func (m *Matrix) expandCells(n int, row func(int) int, e *Expansion) {
	switch c := &m.csr.ColIdx; c.Bits {
	case U8:
		expandRows(m.csr, c.u8, n, row, e)
	case U16:
		expandRows(m.csr, c.u16, n, row, e)
	default:
		expandRows(m.csr, c.u32, n, row, e)
	}
}

func expandRows[I bin.Code](csr *CSR, features []I, n int, row func(int) int, e *Expansion) {
	slot := e.slot
	for r := range n {
		lo, hi := csr.row(row(r))
		for i, f := range features[lo:hi] {
			if s := slot[f]; s > 0 {
				e.Columns[s-1].u32[r] = csr.Values.At(int(lo) + i)
			}
		}
	}
}

// HaveOwnColumns reports whether every listed feature has a column of its own, so that Column does
// not copy.
func (m *Matrix) HaveOwnColumns(features []int32) bool {
	for _, f := range features {
		if !m.hasOwnColumn(int(f)) {
			return false
		}
	}
	return true
}
