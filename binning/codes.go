package binning

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"boost/internal/kernel/bin"
	"boost/parallel"
)

// Codes are the codes of a table before they are laid out: of every feature those of all rows or, if its
// column was sparse, those outside its default bin. A cache keeps them, because any layout can be made of
// them.
type Codes struct {
	rows     int
	features []coded // nil with plain
	plain    *Matrix // where no feature is sparse: all of them, in columns of their own
	missing  []bool  // plain: the features whose last code is the missing code
	limit    uint64  // bytes that a matrix may take; 0 = any
	keep     bool    // CSR keeps the cells by feature
}

// Codes returns the codes of m, which keeps every feature in a column of its own, to be
// laid out in another way. hasMissing says which features' last code is a missing code.
func (m *Matrix) Codes(hasMissing []bool) (*Codes, error) {
	if len(hasMissing) != m.NFeatures() {
		return nil, fmt.Errorf("%w: %d features, %d words on their missing codes", ErrMismatch, m.NFeatures(), len(hasMissing))
	}
	for f := range m.locations {
		if !m.hasOwnColumn(f) {
			return nil, fmt.Errorf("%w: feature %d has no column of its own", ErrMismatch, f)
		}
	}
	return m.codes(slices.Clone(hasMissing)), nil
}

// codes is Codes for a matrix of plain columns.
func (m *Matrix) codes(missing []bool) *Codes {
	return &Codes{rows: m.rows, plain: m, missing: missing}
}

// nFeatures returns the number of features.
func (c *Codes) nFeatures() int {
	if c.plain != nil {
		return c.plain.NFeatures()
	}
	return len(c.features)
}

// feature returns a feature; one of a plain matrix has neither list nor codes, see column.
func (c *Codes) feature(f int) coded {
	if c.plain != nil {
		return coded{nCodes: c.plain.nCodes(f), hasMissing: c.missing[f]}
	}
	return c.features[f]
}

// column returns the codes of a feature without a list.
func (c *Codes) column(f int) Column {
	if c.plain != nil {
		return c.plain.GroupColumn(f)
	}
	return *c.features[f].all
}

// Matrix lays the codes out. It may keep their memory as its own.
func (c *Codes) Matrix(ctx context.Context, p Params, pool *parallel.Pool) (*Matrix, error) {
	p.fillLayout()
	if p.Storage == "" {
		p.Storage = Adaptive
	}
	if err := p.checkLayout(); err != nil {
		return nil, err
	}
	a := &assembler{Codes: c, params: p, pool: pool}
	return a.finish(ctx)
}

// KeepLists makes a matrix in the layout "csr" keep its cells by feature too, as they
// are before they are gathered by rows: 4 bytes a cell, which it shares with a sparse
// table, and the code. See Matrix.DropLists.
func (c *Codes) KeepLists() { c.keep = true }

// NRows returns the number of rows.
func (c *Codes) NRows() int { return c.rows }

// codesHead says how the bytes of stored codes are to be read.
type codesHead struct {
	Rows     int            `json:"rows"`
	Storage  string         `json:"storage,omitempty"` // of plain columns, "" where there are sparse ones
	Features []codesFeature `json:"features"`
}

type codesFeature struct {
	Codes   uint32 `json:"codes"`
	Missing bool   `json:"missing,omitempty"`
	Sparse  bool   `json:"sparse,omitempty"`
	Default uint32 `json:"rest,omitempty"`  // sparse: the default bin, which is not stored
	Cells   int    `json:"cells,omitempty"` // sparse: those that are
}

// Encode returns the codes as a head, which is JSON, and pieces of bytes, which are the
// codes' own memory in the byte order of the machine and must not be changed.
// storage is what they were made with.
//
//	plain   [ the columns as they lie in a matrix ]
//	else    per feature  [ rows int32 × cells, if sparse | codes, as wide as they need, 0…7 zero bytes ]
func (c *Codes) Encode(storage string) (head []byte, pieces [][]byte, err error) {
	h := codesHead{Rows: c.rows, Features: make([]codesFeature, c.nFeatures())}
	if c.plain != nil {
		h.Storage, pieces = storage, [][]byte{c.plain.data}
	}
	for f := range h.Features {
		feature := c.feature(f)
		h.Features[f] = codesFeature{Codes: feature.nCodes, Missing: feature.hasMissing}
		if c.plain != nil {
			continue
		}
		var column Column
		if l := feature.list; l == nil {
			column = c.column(f)
		} else {
			h.Features[f].Sparse, h.Features[f].Default, h.Features[f].Cells = true, l.defaultBin, len(l.rows)
			pieces = append(pieces, bytesOf(l.rows))
			column = l.codes
		}
		stored := column.stored()
		pieces = append(pieces, stored, make([]byte, -len(stored)&7))
	}
	head, err = json.Marshal(h)
	return head, pieces, err
}

// stored returns the bytes of a column's codes.
func (c Column) stored() []byte {
	switch c.Bits {
	case U4:
		return c.u4
	case U8:
		return c.u8
	case U16:
		return bytesOf(c.u16)
	}
	return bytesOf(c.u32)
}

// bytesOf returns the memory of numbers.
func bytesOf[T int32 | uint16 | uint32](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(values[0])))
}

// ErrCodes is wrapped by errors about stored codes that cannot be right.
var ErrCodes = errors.New("damaged codes")

// DecodeCodes reads codes that Encode gave out. read fills a slice with the next of
// size bytes in all; nothing is allocated that size does not justify. The cuts are
// those that the codes were made with.
func DecodeCodes(c *Cuts, head []byte, size uint64, read func([]byte) error) (*Codes, error) {
	// A feature is an object: those of a head that names others are not made.
	if n := bytes.Count(head, []byte("{")) - 1; n != len(c.Features) {
		return nil, fmt.Errorf("%w: %d features where the cuts have %d", ErrCodes, n, len(c.Features))
	}
	var h codesHead
	if err := json.Unmarshal(head, &h); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCodes, err)
	}
	if h.Rows < 0 || uint64(h.Rows) > maxRows || len(h.Features) != len(c.Features) {
		return nil, fmt.Errorf("%w: %d rows, %d features where the cuts have %d", ErrCodes, h.Rows, len(h.Features), len(c.Features))
	}
	for f, feature := range h.Features {
		own := &c.Features[f]
		if n := own.NCodes(); feature.Codes != n && (feature.Codes != own.MissingCode()+1 || !feature.Missing) ||
			feature.Cells < 0 || feature.Cells > h.Rows || feature.Default >= feature.Codes {
			return nil, fmt.Errorf("%w: feature %q has %d codes, its cuts make %d", ErrCodes, own.Name, feature.Codes, n)
		}
	}
	if h.Storage != "" {
		return decodePlain(&h, size, read)
	}
	return decodeFeatures(&h, size, read)
}

// decodePlain reads columns as they lie in a matrix.
func decodePlain(h *codesHead, size uint64, read func([]byte) error) (*Codes, error) {
	if h.Storage != Adaptive && h.Storage != Uniform {
		return nil, fmt.Errorf("%w: storage %q", ErrCodes, h.Storage)
	}
	nCodes, missing := make([]uint32, len(h.Features)), make([]bool, len(h.Features))
	for f, feature := range h.Features {
		nCodes[f], missing[f] = feature.Codes, feature.Missing
	}
	if want := EstimateBytes(h.Rows, nCodes, h.Storage); want != size {
		return nil, fmt.Errorf("%w: %d bytes instead of %d", ErrCodes, size, want)
	}
	m, err := newMatrix(h.Rows, nCodes, h.Storage)
	if err != nil {
		return nil, err
	}
	if err := read(m.data); err != nil {
		return nil, err
	}
	codes := m.codes(missing)
	for f := range nCodes {
		if err := codes.column(f).check(nCodes[f]); err != nil {
			return nil, err
		}
	}
	return codes, nil
}

// decodeFeatures reads features one by one, some of which are sparse.
func decodeFeatures(h *codesHead, size uint64, read func([]byte) error) (*Codes, error) {
	want := uint64(0)
	for _, feature := range h.Features {
		n := uint64(h.Rows)
		if feature.Sparse {
			n = uint64(feature.Cells)
			want += 4 * n
		}
		want += (storedWidth(feature.Codes).bytes(int(n)) + 7) &^ 7
	}
	if want != size {
		return nil, fmt.Errorf("%w: %d bytes instead of %d", ErrCodes, size, want)
	}
	codes := &Codes{rows: h.Rows, features: make([]coded, len(h.Features))}
	for f, feature := range h.Features {
		into := &codes.features[f]
		into.nCodes, into.hasMissing = feature.Codes, feature.Missing
		if !feature.Sparse {
			all := newColumn(storedWidth(feature.Codes), h.Rows)
			into.all = &all
			if err := readColumn(all, feature.Codes, read); err != nil {
				return nil, err
			}
			continue
		}
		l := &list{defaultBin: feature.Default, rows: make([]int32, feature.Cells), codes: newColumn(storedWidth(feature.Codes), feature.Cells)}
		if err := read(bytesOf(l.rows)); err != nil {
			return nil, err
		}
		if err := readColumn(l.codes, feature.Codes, read); err != nil {
			return nil, err
		}
		if err := l.check(h.Rows); err != nil {
			return nil, err
		}
		into.list = l
	}
	return codes, nil
}

// storedWidth is the width of columns that are not in a matrix yet.
func storedWidth(nCodes uint32) Width { return newColumn(WidthOf(nCodes), 0).Bits }

// readColumn reads a column's codes and the zeros behind them.
func readColumn(c Column, nCodes uint32, read func([]byte) error) error {
	stored := c.stored()
	if err := read(stored); err != nil {
		return err
	}
	if err := read(make([]byte, -len(stored)&7)); err != nil {
		return err
	}
	return c.check(nCodes)
}

// check refuses codes that the feature does not have: no later step looks again.
func (c Column) check(nCodes uint32) error {
	most := uint32(0)
	switch c.Bits {
	case U4:
		for row := range c.N {
			most = max(most, c.At(row))
		}
	case U8:
		most = greatest(c.u8)
	case U16:
		most = greatest(c.u16)
	default:
		most = greatest(c.u32)
	}
	if c.N > 0 && most >= nCodes {
		return fmt.Errorf("%w: code %d of %d", ErrCodes, most, nCodes)
	}
	return nil
}

func greatest[C bin.Code](codes []C) uint32 {
	most := C(0)
	for _, code := range codes {
		most = max(most, code)
	}
	return uint32(most)
}

// check refuses rows that do not ascend within the table, and a default bin that is stored.
func (l *list) check(rows int) error {
	last := int32(-1)
	for i, row := range l.rows {
		if row <= last || int(row) >= rows || l.codes.At(i) == l.defaultBin {
			return fmt.Errorf("%w: the cells of a sparse feature", ErrCodes)
		}
		last = row
	}
	return nil
}

// Feature writes the codes of a feature to dst, one per row.
func (c *Codes) Feature(f int, dst []uint32) {
	if l := c.feature(f).list; l != nil {
		for row := range dst {
			dst[row] = l.defaultBin
		}
		for i, row := range l.rows {
			dst[row] = l.codes.At(i)
		}
		return
	}
	column := c.column(f)
	for row := range dst {
		dst[row] = column.At(row)
	}
}

// Recoded is a feature whose rows get other codes.
type Recoded struct {
	Feature int
	Codes   []uint32 // one per row
	Regular uint32   // codes of present values; the next one is the missing code
}

// Recode returns codes in which some features have others. It shares the memory of the rest.
func (c *Codes) Recode(others []Recoded) *Codes {
	out := &Codes{rows: c.rows, features: make([]coded, c.nFeatures()), limit: c.limit, keep: c.keep}
	for f := range out.features {
		if out.features[f] = c.feature(f); c.plain != nil {
			column := c.column(f)
			out.features[f].all = &column
		}
	}
	for _, o := range others {
		feature := &out.features[o.Feature]
		feature.list, feature.nCodes = nil, o.Regular
		if feature.hasMissing {
			feature.nCodes++
		}
		column := newColumn(WidthOf(feature.nCodes), c.rows)
		column.set(o.Codes)
		feature.all = &column
	}
	return out
}
