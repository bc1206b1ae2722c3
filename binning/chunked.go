package binning

import (
	"fmt"
	"sync"

	"boost/dataset"
	"boost/internal/kernel/bin"
)

// Chunked makes the matrix of a table that comes in chunks of rows: what Build makes
// of the whole table, without the table in memory. Beside the codes it takes memory
// for one chunk's codes per goroutine.
type Chunked struct {
	cuts    *Cuts
	rows    int
	matrix  *Matrix       // nil where lists are made
	lists   *chunkedLists // of a table with sparse columns
	missing []bool

	edges sync.Mutex // guards the bytes of U4 columns that two chunks share
	once  []sync.Once
	index []*bin.Index // by feature, made for the first chunk
	free  sync.Pool    // *[nibbleRows]uint8
}

// NewChunked prepares the matrix of all rows that the population describes; its
// Missing and Counts say which features have the missing code. Only Params.Storage is
// used. Errors are those of Build.
func NewChunked(c *Cuts, pop Population, p Params) (*Chunked, error) {
	if err := p.checkStorage(); err != nil {
		return nil, err
	}
	n := len(c.Features)
	if len(pop.Missing) != n || len(pop.Counts) != n {
		return nil, fmt.Errorf("%w: a population of %d features, the cuts have %d", ErrMismatch, len(pop.Missing), n)
	}
	if pop.Stored != nil && len(pop.Stored) != n {
		return nil, fmt.Errorf("%w: a population with stored cells of %d features, the cuts have %d", ErrMismatch, len(pop.Stored), n)
	}
	b := &Chunked{cuts: c, rows: pop.Rows, missing: make([]bool, n), once: make([]sync.Once, n), index: make([]*bin.Index, n)}
	b.free.New = func() any { return new([nibbleRows]uint8) }
	nCodes := make([]uint32, n)
	for f := range nCodes {
		feature := &c.Features[f]
		nCodes[f], b.missing[f] = feature.NCodes(), feature.HasMissing
		if pop.Missing[f] > 0 || feature.lacksCode(pop.Counts[f]) {
			nCodes[f], b.missing[f] = feature.MissingCode()+1, true
		}
	}
	if pop.Stored != nil {
		b.lists = newChunkedLists(c, pop, nCodes, b.missing)
		return b, nil
	}
	var err error
	b.matrix, err = newMatrix(pop.Rows, nCodes, p.Storage)
	return b, err
}

// lacksCode reports whether a row holds a level without a code; counts are the rows by level.
func (f *Feature) lacksCode(counts []int) bool {
	for level, count := range counts {
		if count > 0 && (level >= len(f.Codes) || f.Codes[level] == NoCode) {
			return true
		}
	}
	return false
}

// Add codes the features of a chunk, whose rows are the matrix's from first on. It may
// be called by several goroutines at once, for different rows. The columns must have
// the same kind in all chunks, and a value that is missing in one of them must be
// counted in the population.
func (b *Chunked) Add(first int, t *dataset.Table) error {
	columns, rows := t.Features(), t.NumRows()
	if len(columns) != len(b.cuts.Features) {
		return fmt.Errorf("%w: the chunk has %d features, the cuts %d", ErrMismatch, len(columns), len(b.cuts.Features))
	}
	if first < 0 || first+rows > b.rows {
		return fmt.Errorf("%w: rows %d to %d of %d", ErrMismatch, first, first+rows, b.rows)
	}
	if rows == 0 {
		return nil
	}
	prepared := func(f int) (encoding, error) {
		e, err := b.encoding(f, columns[f])
		if err == nil && !b.missing[f] && e.takesMissing(columns[f]) {
			err = fmt.Errorf("%w: column %q lacks values that were not counted", ErrMismatch, columns[f].Name())
		}
		return e, err
	}
	if b.lists != nil {
		return b.lists.add(first, t, prepared)
	}
	for f := range columns {
		e, err := prepared(f)
		if err != nil {
			return err
		}
		b.write(&e, b.matrix.GroupColumn(f), first, rows)
	}
	return nil
}

// encoding prepares a chunk's column with the index that the feature's chunks share.
func (b *Chunked) encoding(f int, column *dataset.Column) (encoding, error) {
	e, err := newEncoding(b.cuts, f, column, 0, 0)
	if err != nil || column.Sparse() != nil {
		return e, err
	}
	switch column.Kind() {
	case dataset.Category:
		e.levels = column.Codes()
		return e, nil
	case dataset.Float32:
		e.f32 = column.Float32s()
	default:
		e.f64 = column.Float64s()
	}
	b.once[f].Do(func() {
		if bin.IndexPays(max(len(e.cuts32), len(e.cuts64)), b.rows) {
			b.index[f] = e.newIndex()
		}
	})
	e.index = b.index[f]
	return e, nil
}

// write codes rows of a chunk into those of a column from first on. A chunk that begins or ends between the two
// nibbles of a byte shares that byte with its neighbour.
func (b *Chunked) write(e *encoding, c Column, first, rows int) {
	if c.Bits != U4 {
		e.writeRows(c.Part(first, first+rows), 0, rows)
		return
	}
	row, end := first&1, rows-(first+rows)&1
	if row == 1 {
		b.writeEdge(e, c, first, 0)
	}
	if row < end {
		buffer := b.free.Get().(*[nibbleRows]uint8)
		defer b.free.Put(buffer)
		if bad := e.writeNibbles(c.u4[(first+row)/2:], row, end, buffer); bad >= 0 {
			panic(fmt.Sprintf("binning: row %d: a code that is too large for a U4 column", first+bad))
		}
	}
	if end < rows {
		b.writeEdge(e, c, first, end)
	}
}

func (b *Chunked) writeEdge(e *encoding, c Column, first, row int) {
	var code [1]uint8
	encode(e, row, row+1, code[:])
	at := first + row
	b.edges.Lock()
	c.u4[at/2] |= code[0] << (4 * (at & 1))
	b.edges.Unlock()
}

// Codes returns the codes, once every row was added.
func (b *Chunked) Codes() *Codes {
	if b.lists != nil {
		return &Codes{rows: b.rows, features: b.lists.features}
	}
	return b.matrix.codes(b.missing)
}
