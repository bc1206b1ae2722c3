package dataset

import (
	"context"
	"io"
	"os"
	"slices"
	"sync"

	"boost/dataset/internal/chunk"
)

// Open reads a table from a file; Formats lists the formats, each of which may be
// plain, gzip or zstd, and is found from the beginning of the file. The path may be
// a pattern (part-*.csv.gz), whose files are read as one in the order of their
// names, or "-" for standard input.
//
// Separator, quotes and header of text are found from the data; kinds follow from all
// cells of a column: numbers if every cell that is not missing is one (true and
// false count as 1 and 0, ISO-8601 dates as seconds since 1970), categories if
// fewer than 90 % are. Every error that is the table's fault wraps ErrTable; a bad
// cell is a *ParseError. The error of a cancelled context is returned as it is.
func Open(ctx context.Context, path string, opts ...Option) (*Table, error) {
	return OpenAll(ctx, []string{path}, opts...)
}

// OpenAll reads several files and patterns as one table, in the order of their
// names; every file needs the same format and the same columns.
func OpenAll(ctx context.Context, paths []string, opts ...Option) (*Table, error) {
	o, inputs, err := openedBy(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	return readTable(o, ctx, inputs)
}

// openedBy finds the inputs that paths name: files and patterns, or standard input.
func openedBy(ctx context.Context, paths []string, opts []Option) (*chunk.Options, []chunk.Input, error) {
	if slices.Contains(paths, "-") {
		if len(paths) > 1 {
			return nil, nil, chunk.Errorf("standard input (-) cannot be joined with files")
		}
		return streamedBy(ctx, os.Stdin, "standard input", opts)
	}
	o, err := newOptions(opts)
	if err != nil {
		return nil, nil, err
	}
	inputs, err := chunk.FindInputs(ctx, paths, !o.NoSpool)
	return o, inputs, err
}

// streamedBy makes a stream the only input.
func streamedBy(ctx context.Context, stream io.Reader, name string, opts []Option) (*chunk.Options, []chunk.Input, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, nil, err
	}
	return o, []chunk.Input{chunk.StreamInput(ctx, stream, name, !o.NoSpool)}, nil
}

// Read reads a table from a stream, in any format that Open reads. The name stands
// in messages. While it is read, the stream is copied to an unlinked temporary file,
// because a column may turn out to be text late; NoSpool prevents the copy. Read returns
// once the context is done, though the stream be silent; one read of it may then still
// be waiting.
func Read(ctx context.Context, stream io.Reader, name string, opts ...Option) (*Table, error) {
	o, inputs, err := streamedBy(ctx, stream, name, opts)
	if err != nil {
		return nil, err
	}
	return readTable(o, ctx, inputs)
}

// read reads the inputs whole.
func readTable(o *chunk.Options, ctx context.Context, inputs []chunk.Input) (*Table, error) {
	defer chunk.CloseInputs(inputs)
	s, err := sourceOf(o, inputs)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return tableOf(o, ctx, inputs, s)
}

// table reads a source whole.
func tableOf(o *chunk.Options, ctx context.Context, inputs []chunk.Input, s chunk.Source) (*Table, error) {
	names, err := s.Columns(ctx)
	if err != nil {
		return nil, err
	}
	targets, err := o.Resolve(names)
	if err != nil {
		return nil, chunk.Errorf("%s: %w", inputs[0].Name, err)
	}
	c := &collector{Options: o, inputs: inputs, source: s}
	targets, bare := withoutBare(s, targets)
	chunks, _, err := c.collect(ctx, targets)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	blank := 0
	for _, ch := range chunks {
		blank += ch.Blank
	}
	a := &assembly{Options: o, chunks: chunks, notes: append(s.Notes(blank), o.IdleNotes(inputs[0].Name)...), whole: len(chunks) == 1 && chunks[0].Whole, bare: bare}
	for _, in := range inputs {
		a.files = append(a.files, in.Name)
	}
	a.reread = func(columns []*parts) error { return c.reread(ctx, columns) }
	a.readErr = err
	return a.table(targets)
}

// collector keeps all chunks of a source.
type collector struct {
	*chunk.Options
	inputs []chunk.Input
	source chunk.Source
	thin   func(*chunk.Chunk, []chunk.Target) // takes what is not needed off a chunk; nil where all is
}

// collect returns the chunks in order; stopped says that some are absent because one
// holds an error. With an error of the input, the chunks before it are returned too.
func (c *collector) collect(ctx context.Context, targets []chunk.Target) (chunks []*chunk.Chunk, stopped bool, err error) {
	var mutex sync.Mutex
	g := chunk.NewGatherer(c.Threads)
	whole := c.thin == nil
	var rows, bytes int64 // so far, if the table is read whole
	var p *chunk.Pass
	p = &chunk.Pass{Targets: targets, ChunkRows: c.ChunkRows, Gathered: whole, Emit: func(ch *chunk.Chunk) {
		size := int64(0) // before its pieces become parts of larger slices
		for i := range ch.Pieces {
			ch.Pieces[i].SetLarge()
			size += ch.Pieces[i].Bytes()
		}
		switch {
		case c.thin != nil:
			c.thin(ch, targets)
		case !ch.Whole:
			g.Add(ch)
		}
		mutex.Lock()
		chunks = append(chunks, ch)
		rows, bytes = rows+int64(ch.Rows), bytes+size
		if whole && c.MemoryLimit > 0 && bytes > c.MemoryLimit {
			p.Stop.Store(true)
		}
		mutex.Unlock()
	}}
	err = c.source.Read(ctx, p)
	if whole && c.MemoryLimit > 0 && bytes > c.MemoryLimit && err == nil {
		err = c.overLimit(rows, bytes, len(targets))
	}
	slices.SortFunc(chunks, func(a, b *chunk.Chunk) int { return a.Index - b.Index })
	for i, ch := range chunks {
		if ch.Index != i { // what lies behind an error is of no use
			chunks = chunks[:i]
			break
		}
	}
	return chunks, p.Stop.Load(), err
}

// overLimit is the error about a table of which so much was read.
func (c *collector) overLimit(rows, bytes int64, columns int) error {
	return chunk.TooLarge("%s: %d rows of %d columns take %s; memory_limit is %s (set out_of_core = true, ignore columns, or raise it)",
		c.inputs[0].Name, rows, columns, chunk.ByteText(bytes), chunk.ByteText(c.MemoryLimit))
}

// reread reads columns again, as text, and gives them their new pieces.
func (c *collector) reread(ctx context.Context, columns []*parts) error {
	for _, in := range c.inputs {
		if in.Spool != nil && !in.Spool.Keep {
			return tooLate(columns[0].Name, in.Name)
		}
	}
	targets := make([]chunk.Target, len(columns))
	for i, column := range columns {
		targets[i] = column.Target
		targets[i].Want = chunk.WantCategory
	}
	chunks, stopped, err := c.collect(ctx, targets)
	if err != nil {
		return err
	}
	if len(chunks) != len(columns[0].pieces) && !stopped {
		return c.changed()
	}
	for k, ch := range chunks {
		for i, column := range columns {
			if k >= len(column.pieces) || column.pieces[k].Rows() != ch.Rows {
				return c.changed()
			}
			column.pieces[k] = &ch.Pieces[i]
		}
	}
	return nil
}

func (c *collector) changed() error {
	return chunk.Errorf("%s changed while it was read", c.inputs[0].Name)
}

// tooLate is the error for text in a column of numbers that is not kept for a
// second look.
func tooLate(column, file string) error {
	return chunk.Errorf("column %q of %s looked like numbers until cells that are text came, and no copy was kept to read it again (set categorical = [%q], leave out --no-spool, or read from a file)",
		column, file, column)
}
