package dataset

import (
	"context"
	"io"
	"math"
	"slices"

	"boost/dataset/internal/build"
	"boost/dataset/internal/chunk"
	"boost/dataset/internal/csv"
	"boost/dataset/internal/dictionary"
	"boost/dataset/internal/notes"
	"boost/internal/cpu"
)

// Stream is a table that passes by once, in parts of consecutive rows. Each part is a
// Table. About two parts for each thread are in memory at a time, and what files beside the table
// hold. Nothing else grows with the rows.
//
// A Stream is for one goroutine; close it after use.
type Stream struct {
	in      *input
	columns []chunk.Target
	levels  map[*ColumnSchema]*dictionary.Index // of the categorical columns

	whole *Table          // LibSVM text with ids: the table, read at once
	rows  int             // of the parts so far
	first int             // row at which work begins
	end   int             // row before which it ends
	blank int             // blank lines in them
	read  bool            // Each was called
	dates map[string]bool // names of columns in which dates were seen
	// filled has those of columns that were dates in training and have cells.
	filled   map[string]bool
	infinite infinities
}

// OpenStream prepares reading files part by part; paths and options are those of OpenAll.
// As has to be among them, because types and levels cannot follow from rows that have not
// come yet. A part has the cells that Open would read. Errors are those of Open, too: the first
// bad cell by its place in the files. Rows cannot be left out for bad cells. The column
// that names queries is left out, because all rows decide whether it holds numbers or text.
//
// Parts of text are about as large as ChunkSize says, or larger where there are many columns.
// Parts of Parquet and Arrow files have up to 65,536 rows, fewer where there are many columns.
func OpenStream(ctx context.Context, paths []string, opts ...Option) (*Stream, error) {
	in, err := resolveInputs(ctx, paths, append(slices.Clip(opts), once))
	if err != nil {
		return nil, err
	}
	return in.stream(ctx)
}

// once is the option that spares the copy of standard input where it is read once.
func once(o *chunk.Options) { o.NoSpool, o.Once = true, !o.NoSpool }

// ReadStream is OpenStream for a stream, of which a copy is made only where the format
// needs one: Parquet and Arrow do.
func ReadStream(ctx context.Context, stream io.Reader, name string, opts ...Option) (*Stream, error) {
	in, err := streamInput(ctx, stream, name, append(slices.Clip(opts), once))
	if err != nil {
		return nil, err
	}
	return in.stream(ctx)
}

// stream prepares reading the inputs part by part.
func (in *input) stream(ctx context.Context) (*Stream, error) {
	s := &Stream{in: in, end: math.MaxInt, levels: make(map[*ColumnSchema]*dictionary.Index), dates: make(map[string]bool), filled: make(map[string]bool), infinite: make(infinities)}
	if err := s.prepare(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Stream) prepare(ctx context.Context) (err error) {
	switch {
	case s.in.Schema == nil:
		return chunk.Errorf("%s can be read part by part with dataset.As(schema) only: the type of a column follows from all of its cells", s.in.name())
	case s.in.SkipBadRows:
		return chunk.Errorf("%s cannot be read part by part and without its bad rows", s.in.name())
	}
	if err := s.in.open(); err != nil {
		return err
	}
	if whole, is := chunk.Find[chunk.PartReader](s.in.source); is {
		if namesIDs(s.in.Options) {
			s.whole, err = s.in.table(ctx)
			return err
		}
		whole.ReadInParts()
	}
	if s.columns, err = s.in.targets(ctx); err != nil {
		return err
	}
	s.columns = slices.DeleteFunc(s.columns, func(t chunk.Target) bool { return t.Role == GroupRole })
	for i := range s.columns {
		if c := s.columns[i].Schema; c != nil && c.Kind == Category {
			s.levels[c] = dictionary.NewIndex(c, levelArray(c.Levels), &s.in.Dialect)
		}
	}
	s.size()
	return nil
}

// namesIDs reports whether the model or an option names ids.
func namesIDs(o *chunk.Options) bool {
	for i := range o.Schema.Columns {
		if o.Schema.Columns[i].Role == IDRole {
			return true
		}
	}
	return len(o.IDs) > 0
}

const (
	// streamRows is the most rows of a part where the format has rows, not bytes, and
	// streamCells about the most cells: a part is to stay near the processor.
	streamRows  = 1 << 16
	streamCells = 1 << 21
	leastRows   = 1 << 10
	// fewestParts leaves the threads something to share.
	fewestParts = 16
)

// size decides how large parts are.
func (s *Stream) size() {
	if s.in.ChunkRows == 0 {
		s.in.ChunkRows = max(leastRows, min(streamRows, streamCells/len(s.columns)))
	}
	if s.in.ChunkSize != chunk.DefaultChunk {
		return
	}
	most, bytes := int64(largestChunk), int64(0)
	for _, in := range s.in.inputs {
		if bytes += in.Size; in.Size > 0 {
			most = min(largestChunk, bytes/fewestParts)
		}
	}
	s.in.ChunkSize = int(max(chunk.DefaultChunk, min(most, int64(csv.ColumnText*len(s.columns)))))
}

// Close frees what the stream holds of its inputs.
func (s *Stream) Close() { s.in.close() }

// Limit limits Each to the rows from first on and before end. Rows before first are read and not worked on; reading stops at end. The part that
// row first is in is worked on even if end is first: then it has no rows. Limit is called before Each.
func (s *Stream) Limit(first, end int) { s.first, s.end = first, end }

// within returns what of a table, whose first row is at, is to be worked on; nil for nothing.
func (s *Stream) within(t *Table, at int) *Table {
	lo, hi := max(s.first-at, 0), min(s.end-at, t.rows)
	switch {
	case lo == 0 && hi == t.rows:
		return t
	case lo >= t.rows || hi < 0 || hi == 0 && s.end > s.first:
		return nil
	}
	rows := make([]int32, max(hi-lo, 0))
	for i := range rows {
		rows[i] = int32(lo + i)
	}
	return t.Take(rows)
}

// NumRows returns the number of rows of the parts that were worked on so far.
func (s *Stream) NumRows() int { return s.rows }

// Columns returns the number of columns of a part.
func (s *Stream) Columns() int {
	if s.whole != nil {
		return len(s.whole.columns)
	}
	return len(s.columns)
}

// Notes returns what Table.Notes does of the same table, once all parts have passed.
func (s *Stream) Notes() []string {
	if s.whole != nil {
		return s.whole.Notes()
	}
	n := notes.New(s.in.notes(s.blank))
	for _, t := range s.columns {
		switch {
		case t.Role == IDRole:
		case s.dates[t.Name]:
			n.AddDates(t.Name)
		case t.Schema != nil && t.Schema.Dates && s.filled[t.Name]:
			n.AddUndated(t.Name)
		}
		if f := s.infinite[t.Name]; f != nil && t.Role == Feature {
			n.AddInfinite(t.Name, f.cells, f.place)
		}
	}
	return n.All(nil)
}

// Each reads the table. It calls work for every part, by several goroutines at once and in
// any order. Then it calls what work has returned, if that is not nil, for one part at a time in the
// order of the rows. A part's memory is used for other rows once work has returned.
//
// Each returns the first error by the order of the rows: of the input, of work, or of
// what work returned. All parts before it have passed in full. A second call of Each is an error.
func (s *Stream) Each(ctx context.Context, work func(part *Table) (then func() error, err error)) error {
	if s.read || s.in.closed {
		return chunk.Errorf("%s was read, or is closed: open it again to read it", s.in.name())
	}
	s.read = true
	if s.whole != nil {
		part := s.within(s.whole, 0)
		if part == nil {
			return nil
		}
		s.rows = part.rows
		then, err := work(part)
		if err == nil && then != nil {
			err = then()
		}
		return err
	}
	r := &streamPass{Stream: s, ctx: ctx, work: work, files: s.in.files(), ahead: s.in.Threads}
	if r.ahead == 0 {
		r.ahead = cpu.Threads()
	}
	r.changed.L = &r.mutex
	r.pass = &chunk.Pass{Targets: s.columns, ChunkRows: s.in.ChunkRows, Apart: true, Made: s.useModelLevels, Stopped: r.wake}
	defer context.AfterFunc(ctx, r.wake)()
	err := r.read()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case r.err != nil:
		return r.err
	case err != nil:
		return err
	case r.row == 0:
		return build.NoRows(r.files)
	}
	return nil
}

// useModelLevels gives the levels of a new chunk the codes of the model. It detaches the chunk from the
// dictionaries, because these may grow while others look at the chunk.
func (s *Stream) useModelLevels(ch *chunk.Chunk, targets []chunk.Target) {
	for i := range targets {
		p := &ch.Columns[i]
		if p.Dictionary == nil {
			continue
		}
		if x := s.levels[targets[i].Schema]; x != nil {
			x.Encode(p)
		} else {
			p.Dictionary = &chunk.Dictionary{Levels: p.Dictionary.Levels}
		}
	}
}
