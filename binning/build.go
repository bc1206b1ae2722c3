package binning

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"boost/dataset"
	"boost/internal/kernel/bin"
	"boost/parallel"
)

// buildBlock is the number of rows that a task codes: even, so that no nibble pair of
// a U4 column belongs to two tasks, and small enough that two columns occupy many
// threads.
const buildBlock = 1 << 15

// Build codes the features of t, matched with those of c by position. The codes are
// those of Encoder. Where training had no missing values and t has some, or levels
// that training has not seen, the feature has one code more in this matrix, the
// feature's MissingCode. The matrix does not depend on the pool. Of the parameters
// only Storage, Layout, MissingAs, Bundle and BundleConflicts are used; all but the
// last change the matrix's memory and nothing else.
//
// A table with sparse columns never becomes dense on the way: it costs 5 to 8 bytes
// per stored cell beside the matrix.
func Build(ctx context.Context, c *Cuts, t *dataset.Table, p Params, pool *parallel.Pool) (*Matrix, error) {
	p.fillLayout()
	if err := p.checkLayout(); err != nil {
		return nil, err
	}
	codes, err := Code(ctx, c, t, p, pool)
	if err != nil {
		return nil, err
	}
	return codes.Matrix(ctx, p, pool)
}

// Code is Build up to where the layout matters: of the parameters it uses Storage only.
func Code(ctx context.Context, c *Cuts, t *dataset.Table, p Params, pool *parallel.Pool) (*Codes, error) {
	if err := p.checkStorage(); err != nil {
		return nil, err
	}
	rows := t.NumRows()
	if err := checkRows(rows); err != nil {
		return nil, err
	}
	columns := t.Features()
	if len(columns) != len(c.Features) {
		return nil, fmt.Errorf("%w: the table has %d features, the cuts %d", ErrMismatch, len(columns), len(c.Features))
	}
	if slices.ContainsFunc(columns, func(c *dataset.Column) bool { return c.Sparse() != nil }) {
		return codeSparse(ctx, c, columns, rows, pool)
	}
	b := &builder{
		cuts:    c,
		columns: columns,
		blocks:  parallel.Blocks(rows, buildBlock),
		nibbles: make([][nibbleRows]uint8, pool.Threads()),
	}
	nCodes, missing, err := b.prepare(ctx, rows, pool)
	if err != nil {
		return nil, err
	}
	if b.matrix, err = newMatrix(rows, nCodes, p.Storage); err != nil {
		return nil, err
	}
	return b.matrix.codes(missing), pool.DoContext(ctx, len(columns)*b.blocks, b)
}

// fillLayout gives the words about layout that are not set their defaults.
func (p *Params) fillLayout() {
	usual := Defaults()
	p.Layout, p.MissingAs, p.Bundle = cmp.Or(p.Layout, usual.Layout), cmp.Or(p.MissingAs, usual.MissingAs), cmp.Or(p.Bundle, usual.Bundle)
}

// nibbleRows is the number of codes of a U4 column that are packed together.
const nibbleRows = 4096

// builder is the Task that codes one block of rows of one feature per index.
type builder struct {
	matrix   *Matrix
	cuts     *Cuts
	columns  []*dataset.Column
	features []encoding // nil where each is needed once: they take more than the cells of a short table
	blocks   int
	nibbles  [][nibbleRows]uint8 // per worker: codes of a U4 column before packing
}

// prepare returns how many codes each feature has here, and whether the last of them is the missing code.
func (b *builder) prepare(ctx context.Context, rows int, pool *parallel.Pool) ([]uint32, []bool, error) {
	nCodes, missing := make([]uint32, len(b.columns)), make([]bool, len(b.columns))
	if b.blocks > 1 {
		b.features = make([]encoding, len(b.columns))
	}
	var failed firstError
	err := pool.DoContext(ctx, len(b.columns), parallel.Func(func(_, f int) {
		column, end := b.columns[f], rows
		if b.features == nil && column.Kind() != dataset.Category {
			end = 0 // no index of the cuts is made twice
		}
		e, err := newEncoding(b.cuts, f, column, 0, end)
		if err != nil {
			failed.add(f, err)
			return
		}
		nCodes[f], missing[f] = e.codesOf(&b.cuts.Features[f], column)
		if b.features != nil {
			b.features[f] = e
		}
	}))
	if err == nil {
		err = failed.err
	}
	return nCodes, missing, err
}

// codesOf returns how many codes a feature has in a column, and whether the last of them is the missing code.
func (e *encoding) codesOf(feature *Feature, column *dataset.Column) (nCodes uint32, missing bool) {
	if e.takesMissing(column) {
		return feature.MissingCode() + 1, true
	}
	return feature.NCodes(), feature.HasMissing
}

// firstError keeps the error of the lowest index.
type firstError struct {
	sync.Mutex
	at  int
	err error
}

func (e *firstError) add(at int, err error) {
	e.Lock()
	defer e.Unlock()
	if e.err == nil || at < e.at {
		e.at, e.err = at, err
	}
}

// codeSparse codes the stored cells of sparse columns and all cells of others, also of
// sparse columns that store more than half: all codes are less memory than a list of
// these, and the code that most rows have may be another than that of the fill value.
func codeSparse(ctx context.Context, c *Cuts, columns []*dataset.Column, rows int, pool *parallel.Pool) (*Codes, error) {
	codes := &Codes{rows: rows, features: make([]coded, len(columns))}
	var failed firstError
	err := pool.DoContext(ctx, len(columns), parallel.Func(func(_, f int) {
		e, err := newEncoding(c, f, columns[f], 0, rows)
		if err != nil {
			failed.add(f, err)
			return
		}
		feature := &codes.features[f]
		feature.nCodes, feature.hasMissing = e.codesOf(&c.Features[f], columns[f])
		if s := columns[f].Sparse(); s != nil && 2*len(s.Rows) <= rows {
			feature.list = e.list(s, feature.nCodes)
			return
		}
		all := newColumn(WidthOf(feature.nCodes), rows)
		feature.all = &all
		e.writeRows(all, 0, rows)
	}))
	if err == nil {
		err = failed.err
	}
	return codes, err
}

// constant is the list of a feature with one code. It must not be changed.
var constant = &list{codes: newColumn(WidthOf(1), 0)}

// list codes the stored cells of a sparse column; those with the code of the fill
// value are left out.
func (e *encoding) list(s *dataset.Sparse, nCodes uint32) *list {
	if nCodes == 1 {
		return constant
	}
	l := &list{defaultBin: e.fillCode(), rows: s.Rows, codes: newColumn(WidthOf(nCodes), len(s.Rows))}
	e.writeStored(l.codes, len(s.Rows))
	kept := 0
	for i := range s.Rows {
		if l.codes.At(i) == l.defaultBin {
			kept++
		}
	}
	if kept == 0 {
		return l
	}
	all := *l
	l.rows, l.codes = make([]int32, 0, len(s.Rows)-kept), newColumn(WidthOf(nCodes), len(s.Rows)-kept)
	for i, row := range all.rows {
		if code := all.codes.At(i); code != l.defaultBin {
			l.codes.put(len(l.rows), code)
			l.rows = append(l.rows, row)
		}
	}
	return l
}

// writeStored codes the n stored cells of a sparse column into a column of as many entries.
func (e *encoding) writeStored(c Column, n int) {
	switch c.Bits {
	case U8:
		encodeValues(e, 0, n, c.u8)
	case U16:
		encodeValues(e, 0, n, c.u16)
	default:
		encodeValues(e, 0, n, c.u32)
	}
}

// writeRows codes rows lo … hi-1 into the first entries of a column, whether or not a sparse column stores them.
func (e *encoding) writeRows(c Column, lo, hi int) {
	switch c.Bits {
	case U8:
		encode(e, lo, hi, c.u8)
	case U16:
		encode(e, lo, hi, c.u16)
	default:
		encode(e, lo, hi, c.u32)
	}
}

// Run codes one block of rows of one feature.
func (b *builder) Run(worker, index int) {
	f := index / b.blocks
	lo, hi := parallel.Block(index%b.blocks, b.matrix.rows, buildBlock)
	column := b.matrix.GroupColumn(f)
	var e *encoding
	if b.features != nil {
		e = &b.features[f]
	} else {
		own := mustEncode(b.cuts, f, b.columns[f], 0, hi)
		e = &own
	}
	if column = column.Part(lo, hi); column.Bits != U4 {
		e.writeRows(column, lo, hi)
		return
	}
	if bad := e.writeNibbles(column.u4, lo, hi, &b.nibbles[worker]); bad >= 0 {
		panic(fmt.Sprintf("binning: feature %d, row %d: a code that is too large for a U4 column", f, bad))
	}
}

// writeNibbles codes rows lo … hi-1, two to a byte. It returns the first row whose code half a byte cannot hold, or -1.
func (e *encoding) writeNibbles(dst []byte, lo, hi int, buffer *[nibbleRows]uint8) (bad int) {
	for row := lo; row < hi; row += nibbleRows {
		codes := buffer[:min(nibbleRows, hi-row)]
		encode(e, row, row+len(codes), codes)
		if bad := bin.PackNibbles(dst[(row-lo)/2:], codes); bad >= 0 {
			return row + bad
		}
	}
	return -1
}
