package dataset

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v17/arrow/array"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/fingerprint"
	"boost/dataset/internal/sample"
	"boost/internal/kernel/mix"
)

// ChunkedTable is a table whose features are not held: they are read in chunks, as often
// as Chunks is called. Types, dictionaries, notes and errors are those of Open, which reads
// the same table whole. Columns that are neither features nor ids are held.
//
// A ChunkedTable is for one goroutine; close it after use.
type ChunkedTable struct {
	in *input

	rows        int
	schema      Schema
	metaColumns *Table
	features    []*chunkedFeature
	chunks      []knownChunk
	print       string // fingerprint, once a pass has seen all cells
	passes      int    // over the files so far

	counter  chunk.CellCounter // the source, if it is one
	fill     float64           // of cells that are not stored
	sample   *sample.Rows      // while types are inferred
	keptRows []uint32
	kept     *Table // of keptRows; nil where none are kept
}

// knownChunk is what is known of a chunk of the input before it is read again.
type knownChunk struct {
	rows  int     // bad ones too
	first int     // row of the table that it begins with
	bad   []int32 // rows that are left out, counted in the chunk, ascending
}

// OpenChunked prepares reading files in chunks; paths and options are those of OpenAll.
// It reads everything once, for types, dictionaries and the rows of KeepRows, and once
// more if rows are left out for bad cells. Columns in which text comes late are
// read once more, and no others. Standard input cannot be read without a copy, so that
// NoSpool is an error with it.
func OpenChunked(ctx context.Context, paths []string, opts ...Option) (*ChunkedTable, error) {
	in, err := resolveInputs(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	return in.chunked(ctx)
}

// ReadChunked is OpenChunked for a stream, which is copied to an unlinked temporary file.
func ReadChunked(ctx context.Context, stream io.Reader, name string, opts ...Option) (*ChunkedTable, error) {
	in, err := streamInput(ctx, stream, name, opts)
	if err != nil {
		return nil, err
	}
	return in.chunked(ctx)
}

// chunked prepares reading the inputs in chunks.
func (in *input) chunked(ctx context.Context) (*ChunkedTable, error) {
	s := &ChunkedTable{in: in}
	if err := s.prepare(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *ChunkedTable) prepare(ctx context.Context) error {
	for _, in := range s.in.inputs {
		if in.Spool != nil && s.in.Split {
			return chunk.Errorf("%s can be read once, from its beginning, and a rank reads a part of a file: write it to one", in.Name)
		}
		if in.Spool != nil && !in.Spool.Keep {
			return chunk.Errorf("%s has to be read several times to train out of core, and no copy may be kept of it (leave out --no-spool, or read from a file)", in.Name)
		}
	}
	s.in.ChunkSize = chunkedSize(s.in.Options, s.in.inputs)
	if s.in.ChunkRows == 0 {
		s.in.ChunkRows = chunkedRows
	}
	if err := s.in.openShared(ctx); err != nil {
		return err
	}
	if counter, is := chunk.Find[chunk.CellCounter](s.in.source); is {
		s.counter = counter
		counter.CountCells()
		s.passes++
	}
	targets, err := s.in.targets(ctx)
	if err := s.in.meet(ctx, targets, err); err != nil {
		return err
	}
	return s.inferTypes(ctx, targets)
}

// A chunk is larger than in a table that is read whole, as something is kept of every
// chunk, but small beside the table.
const (
	chunkShare   = 256
	largestChunk = 16 << 20
	// chunkedRows is the size of a chunk where the format has rows, not bytes.
	chunkedRows = 1 << 16
)

func chunkedSize(o *chunk.Options, inputs []chunk.Input) int {
	if o.ChunkSize != chunk.DefaultChunk {
		return o.ChunkSize
	}
	size := int64(0)
	for _, in := range inputs {
		size += in.Size
	}
	if o.Split {
		size /= int64(o.Ranks.Size())
	}
	return int(min(max(size/chunkShare, chunk.DefaultChunk), largestChunk))
}

// Close frees what is held of its inputs.
func (s *ChunkedTable) Close() { s.in.close() }

// NumRows returns the number of rows.
func (s *ChunkedTable) NumRows() int { return s.rows }

// Missing returns for each feature the number of rows without a value.
func (s *ChunkedTable) Missing() []int {
	missing := make([]int, len(s.features))
	for f, c := range s.features {
		missing[f] = c.missing
	}
	return missing
}

// Counts returns for each categorical feature the number of rows by level, nil for a
// numeric one.
func (s *ChunkedTable) Counts() [][]int {
	counts := make([][]int, len(s.features))
	for f, c := range s.features {
		counts[f] = c.counts
	}
	return counts
}

// Stored returns for each feature the number of cells that its columns store where they
// are sparse, and -1 where they are dense; fill is the value of the cells that sparse
// ones do not store. It returns nil where none is sparse.
func (s *ChunkedTable) Stored() (cells []int, fill float64) {
	if s.counter == nil {
		return nil, 0
	}
	cells = make([]int, len(s.features))
	sparse := false
	for f, c := range s.features {
		if cells[f] = -1; c.sparse {
			cells[f], sparse = c.cells, true
		}
	}
	if !sparse {
		return nil, 0
	}
	return cells, s.fill
}

// Schema describes the table's columns as Table.Schema does.
func (s *ChunkedTable) Schema() Schema { return s.schema }

// MetaColumns returns the columns that are neither features nor ids, with the locations of the
// rows, and the notes about the whole table.
func (s *ChunkedTable) MetaColumns() *Table { return s.metaColumns }

// Passes returns how many times the files were gone through so far, be it for some of
// their columns.
func (s *ChunkedTable) Passes() int { return s.passes }

// Kept returns the features of the rows that KeepRows chose, and these rows; nil without
// it. The table lets go of them, so that they are returned once.
func (s *ChunkedTable) Kept() (rows []uint32, features *Table) {
	rows, features = s.keptRows, s.kept
	s.keptRows, s.kept = nil, nil
	if features == nil {
		return nil, nil
	}
	return rows, features
}

// Changed returns the error that the files are not what they were.
func (s *ChunkedTable) Changed() error { return s.in.changed() }

// Fingerprint returns what Table.Fingerprint does. A call of Chunks must have come
// before, and have seen all chunks.
func (s *ChunkedTable) Fingerprint() string {
	if s.print == "" {
		panic("dataset: the fingerprint of a Scan before its chunks were read")
	}
	return s.print
}

// Chunks reads the features once more. It calls f with tables of consecutive rows, by
// several goroutines at once and in any order; first is the row that a table begins
// with. The columns have the kinds and dictionaries of the whole table. Their memory is
// used for other rows once f has returned. It returns
// the first error of f, of the input, or of ctx, and an error that wraps ErrTable if
// the input is not what it was.
func (s *ChunkedTable) Chunks(ctx context.Context, f func(first int, features *Table) error) error {
	r := &featurePass{ChunkedTable: s, visit: f}
	if r.hashing = s.print == ""; r.hashing {
		for _, c := range s.features {
			r.hashes = append(r.hashes, fingerprint.NewColumn(c.Name, c.levels))
		}
	}
	s.passes++
	if err := s.in.eachChunk(ctx, &chunk.Pass{Targets: s.featureTargets(), ChunkRows: s.in.ChunkRows}, r.chunk); err != nil {
		return err
	}
	if r.seen != len(s.ownChunks()) {
		return s.in.changed()
	}
	if r.hashing {
		sum, err := s.addSums(ctx, r.sum)
		if err != nil {
			return err
		}
		r.print = r.fingerprint(sum)
	}
	return nil
}

// featureTargets returns the targets of the features.
func (s *ChunkedTable) featureTargets() []chunk.Target {
	targets := make([]chunk.Target, len(s.features))
	for i, c := range s.features {
		targets[i] = c.Target
	}
	return targets
}

// featurePass is one pass over the features, whose types are known.
type featurePass struct {
	*ChunkedTable
	visit   func(first int, features *Table) error
	hashing bool
	hashes  []*fingerprint.Column

	mutex sync.Mutex
	sum   mix.Sum
	seen  int
}

// chunk turns a chunk into a table and shows it.
func (r *featurePass) chunk(ch *chunk.Chunk) error {
	chunks := r.ownChunks()
	if ch.Index >= len(chunks) || ch.Rows != chunks[ch.Index].rows || !ch.Shape.Allows(r.in.SkipBadRows) {
		return r.in.changed()
	}
	known := chunks[ch.Index]
	if ch.Cells != nil {
		return r.sparse(ch.Cells, known.first)
	}
	var owned []chunk.Buffers
	defer func() { ch.Spare.PutAll(owned) }()
	t := &Table{rows: ch.Rows - len(known.bad), index: new(nameIndex)}
	var sum mix.Sum
	for i, c := range r.features {
		owned = append(owned, ch.Columns[i].Buffers())
		column, err := c.column(&ch.Columns[i], known.bad, r.ChunkedTable)
		if err != nil {
			return err
		}
		t.columns = append(t.columns, column)
		r.hash(&sum, i, column, known.first)
		ch.Columns[i] = *chunk.NewColumn()
	}
	return r.show(known.first, t, sum)
}

// hash adds what a feature's cells from row first on mean for the fingerprint.
func (r *featurePass) hash(sum *mix.Sum, feature int, column *Column, first int) {
	if r.hashing {
		sum.Add(column.mixed(r.hashes[feature], first, 0, column.Len()))
	}
}

// show adds up what was seen of a chunk, and shows it.
func (r *featurePass) show(first int, t *Table, sum mix.Sum) error {
	r.mutex.Lock()
	r.sum.Add(sum)
	r.seen++
	r.mutex.Unlock()
	if t.rows == 0 {
		return nil
	}
	return r.visit(first, t)
}

// fingerprint hashes the sum over the features' cells together with the other columns.
func (s *ChunkedTable) fingerprint(sum mix.Sum) string {
	hash := fingerprint.NewTable()
	for _, c := range s.schema.Columns {
		if c.Role == IDRole {
			continue
		}
		hash.Add(c.Name, c.Role)
		if c.Role != Feature {
			column := s.metaColumns.Column(c.Name)
			sum.Add(column.mixed(fingerprint.NewColumn(c.Name, column.Levels()), 0, 0, s.rows))
		}
	}
	return hash.Digits(s.rows, sum)
}

// chunkedFeature is a feature with its type.
type chunkedFeature struct {
	chunk.Target
	kind          Kind
	levels        []string
	texts         *array.String // levels
	numericLevels bool
	index         map[string]int32 // by a level's text in the input: its code
	missing       int
	counts        []int // rows by level
	sparse        bool  // LibSVM: its columns are, and that many cells are stored
	cells         int
	infinite      int // cells
	firstInfinite int // row
}

// shape returns the column without values.
func (c *chunkedFeature) shape() *Column {
	column := &Column{name: c.Name, kind: c.kind, role: c.Role, missing: c.missing}
	if c.kind == Category {
		column.texts = &columnTexts{levels: c.levels, numericLevels: c.numericLevels}
	}
	return column
}

// column makes the column of a column chunk, without the rows in bad.
func (c *chunkedFeature) column(p *chunk.ColumnChunk, bad []int32, s *ChunkedTable) (*Column, error) {
	if c.kind == Category {
		codes, known := c.codes(p, bad)
		if !known {
			return nil, s.in.changed()
		}
		return codedColumn(c.Name, c.Role, codes, c.levels, c.texts, c.numericLevels), nil
	}
	odd, count := p.Odd().Rows, p.Odd().Count
	if p.Codes != nil {
		odd = p.LevelsToNumbers(&c.Target, &s.in.Options.Dialect)
		count = len(odd)
	}
	if count != len(odd) || !contains(bad, odd) {
		return nil, s.in.changed()
	}
	column, err := c.numbers(p, bad)
	if err != nil {
		return nil, s.in.changed()
	}
	return column, nil
}

// errNotExact is a number that the kind of the column cannot hold.
var errNotExact = errors.New("a number is not exact in float32")

// contains reports whether all rows are in bad; both ascend.
func contains(bad, rows []int32) bool {
	for _, row := range rows {
		if _, found := slices.BinarySearch(bad, row); !found {
			return false
		}
	}
	return true
}

// numbers makes a column of the kind of the column, whatever the column chunk holds.
func (c *chunkedFeature) numbers(p *chunk.ColumnChunk, bad []int32) (*Column, error) {
	f32, f64 := chunk.DropRows(p.F32, bad), chunk.DropRows(p.F64, bad)
	switch {
	case c.kind == Float32 && p.F64 != nil:
		f32 = make([]float32, len(f64))
		for i, v := range f64 {
			f32[i] = float32(v)
			if float64(f32[i]) != v && v == v {
				return nil, errNotExact
			}
		}
	case c.kind == Float64 && p.F64 == nil:
		f64 = make([]float64, len(f32))
		for i, v := range f32 {
			f64[i] = float64(v)
		}
	}
	if c.kind == Float32 {
		return float32Column(c.Name, c.Role, f32), nil
	}
	return float64Column(c.Name, c.Role, f64), nil
}

// codes translates a column chunk's levels to those of the column, without the rows in bad.
func (c *chunkedFeature) codes(p *chunk.ColumnChunk, bad []int32) (codes []int32, known bool) {
	d := p.Dictionary
	if d == nil {
		return nil, false
	}
	// A dictionary belongs to one worker, so that what merged holds stays right from
	// chunk to chunk of a pass.
	for len(d.Merged) < len(d.Levels) {
		d.Merged = append(d.Merged, chunk.BrokenCode)
	}
	for _, code := range p.Fresh {
		if at, ok := c.index[d.Levels[code]]; ok && d.Merged[code] < 0 {
			d.Merged[code] = at
		}
	}
	codes = chunk.DropRows(p.Codes, bad)
	for row, code := range codes {
		if code >= 0 {
			code = d.Merged[code]
			codes[row] = code
		}
		if code < chunk.MissingCode { // no level of the table
			return nil, false
		}
	}
	return codes, true
}
