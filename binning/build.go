package binning

import (
	"context"
	"fmt"

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
// feature's MissingCode. The matrix does not depend on the pool; Params.Storage, the
// only parameter used, changes its memory and nothing else.
func Build(ctx context.Context, c *Cuts, t *dataset.Table, p Params, pool *parallel.Pool) (*Matrix, error) {
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
	b := &builder{
		features: make([]encoding, len(columns)),
		blocks:   parallel.Blocks(rows, buildBlock),
		nibbles:  make([][nibbleRows]uint8, pool.Threads()),
	}
	nCodes, err := b.prepare(ctx, c, columns, rows, pool)
	if err != nil {
		return nil, err
	}
	if b.matrix, err = newMatrix(rows, nCodes, p.Storage); err != nil {
		return nil, err
	}
	if err := pool.DoContext(ctx, len(columns)*b.blocks, b); err != nil {
		return nil, err
	}
	return b.matrix, nil
}

// nibbleRows is the number of codes of a U4 column that are packed together.
const nibbleRows = 4096

// builder is the Task that codes one block of rows of one feature per index.
type builder struct {
	matrix   *Matrix
	features []encoding
	blocks   int
	nibbles  [][nibbleRows]uint8 // per worker: codes of a U4 column before packing
}

// prepare makes the features' encodings and returns how many codes each has here.
func (b *builder) prepare(ctx context.Context, c *Cuts, columns []*dataset.Column, rows int, pool *parallel.Pool) ([]uint32, error) {
	nCodes := make([]uint32, len(columns))
	errs := make([]error, len(columns))
	err := pool.DoContext(ctx, len(columns), parallel.Func(func(_, f int) {
		if b.features[f], errs[f] = newEncoding(c, f, columns[f], 0, rows); errs[f] != nil {
			return
		}
		nCodes[f] = c.Features[f].NCodes()
		if b.features[f].takesMissing(columns[f]) {
			nCodes[f] = c.Features[f].MissingCode() + 1
		}
	}))
	if err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return nCodes, nil
}

// Run codes one block of rows of one feature.
func (b *builder) Run(worker, index int) {
	f := index / b.blocks
	lo, hi := parallel.Block(index%b.blocks, b.matrix.rows, buildBlock)
	e, column := &b.features[f], b.matrix.Column(f)
	switch column.Bits {
	case U4:
		for ; lo < hi; lo += nibbleRows {
			codes := b.nibbles[worker][:min(nibbleRows, hi-lo)]
			encode(e, lo, lo+len(codes), codes)
			if bad := bin.PackNibbles(column.u4[lo/2:], codes); bad >= 0 {
				panic(fmt.Sprintf("binning: feature %d, row %d: code %d in a U4 column", f, lo+bad, codes[bad]))
			}
		}
	case U8:
		encode(e, lo, hi, column.u8[lo:hi])
	case U16:
		encode(e, lo, hi, column.u16[lo:hi])
	default:
		encode(e, lo, hi, column.u32[lo:hi])
	}
}
