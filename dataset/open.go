package dataset

import (
	"context"
	"io"
	"slices"
	"sync"

	"boost/dataset/internal/build"
	"boost/dataset/internal/chunk"
	"boost/internal/gcpercent"
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
	in, err := resolveInputs(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	return in.readTable(ctx)
}

// Read reads a table from a stream, in any format that Open reads. The name stands
// in messages. While it is read, the stream is copied to an unlinked temporary file,
// because a column may turn out to be text late; NoSpool prevents the copy. Read returns
// once the context is done, even if the stream is silent; one read of it may then still
// wait for bytes.
func Read(ctx context.Context, stream io.Reader, name string, opts ...Option) (*Table, error) {
	in, err := streamInput(ctx, stream, name, opts)
	if err != nil {
		return nil, err
	}
	return in.readTable(ctx)
}

// readTable reads the inputs whole.
func (in *input) readTable(ctx context.Context) (*Table, error) {
	defer in.close()
	if err := in.open(); err != nil {
		return nil, err
	}
	return in.table(ctx)
}

// table reads the source whole.
func (in *input) table(ctx context.Context) (*Table, error) {
	targets, err := in.targets(ctx)
	if err != nil {
		return nil, err
	}
	defer gcpercent.LowerWide(len(targets))()
	c := &collector{input: in}
	targets, empty := withoutEmpty(in.source, targets)
	chunks, _, err := c.collect(ctx, targets)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	a := in.builder(chunks, err)
	a.Reread = func(columns []*build.Column) error { return c.reread(ctx, columns) }
	return tableOf(a, targets, empty)
}

// builder begins the table of chunks, behind which an error may have ended the input.
func (in *input) builder(chunks []*chunk.Chunk, readErr error) *build.Builder {
	blank := 0
	for _, ch := range chunks {
		blank += ch.Blank
	}
	return &build.Builder{Options: in.Options, Files: in.files(), Chunks: chunks, Notes: in.notes(blank),
		Whole: len(chunks) == 1 && chunks[0].Whole, ReadErr: readErr}
}

// collector keeps all chunks of a source.
type collector struct {
	*input
	summarize func(*chunk.Chunk, []chunk.Target) // takes what is not needed off a chunk; nil where all is
}

// collect returns the chunks in order; stopped reports whether some are absent because one
// holds an error. With an error of the input, the chunks before it are returned too.
func (c *collector) collect(ctx context.Context, targets []chunk.Target) (chunks []*chunk.Chunk, stopped bool, err error) {
	var mutex sync.Mutex
	g := chunk.NewGatherer(c.Options)
	whole := c.summarize == nil
	var rows, bytes int64 // so far, if the table is read whole
	p := &chunk.Pass{Targets: targets, ChunkRows: c.ChunkRows, Gathered: whole, Through: true}
	err = c.eachChunk(ctx, p, func(ch *chunk.Chunk) error {
		size := int64(0) // before its column chunks become parts of larger slices
		for i := range ch.Columns {
			ch.Columns[i].SetLarge()
			size += ch.Columns[i].Bytes()
		}
		switch {
		case c.summarize != nil:
			c.summarize(ch, targets)
		case !ch.Whole:
			g.Add(ch)
		}
		mutex.Lock()
		defer mutex.Unlock()
		chunks = append(chunks, ch)
		rows, bytes = rows+int64(ch.Rows), bytes+size
		if whole && c.MemoryLimit > 0 && bytes > c.MemoryLimit {
			return chunk.TooLarge("%s: %d rows of %d columns take %s; memory_limit is %s (set out_of_core = true, ignore columns, or %s)",
				c.name(), rows, len(targets), chunk.ByteText(bytes), chunk.ByteText(c.MemoryLimit), chunk.RaiseLimit(bytes))
		}
		return nil
	})
	slices.SortFunc(chunks, func(a, b *chunk.Chunk) int { return a.Index - b.Index })
	for i, ch := range chunks {
		if ch.Index != i { // what lies behind an error is of no use
			chunks = chunks[:i]
			break
		}
	}
	if !whole && ctx.Err() == nil {
		chunks, err = c.exchange(ctx, chunks, err)
	}
	return chunks, p.Stop.Load(), err
}

// reread reads columns again, as text, and gives them their new column chunks.
func (c *collector) reread(ctx context.Context, columns []*build.Column) error {
	for _, in := range c.inputs {
		if in.Spool != nil && !in.Spool.Keep {
			return chunk.Errorf("column %q of %s looked like numbers until cells that are text came, and no copy was kept to read it again (set categorical = [%[1]q], leave out --no-spool, or read from a file)",
				columns[0].Name, in.Name)
		}
	}
	targets := make([]chunk.Target, len(columns))
	for i, column := range columns {
		targets[i] = *column.Target
		targets[i].Want = chunk.WantCategory
	}
	chunks, stopped, err := c.collect(ctx, targets)
	if err != nil {
		return err
	}
	if len(chunks) != len(columns[0].Chunks) && !stopped {
		return c.changed()
	}
	for k, ch := range chunks {
		for i, column := range columns {
			if k >= len(column.Chunks) || column.Chunks[k].Rows() != ch.Rows {
				return c.changed()
			}
			column.Chunks[k] = &ch.Columns[i]
		}
	}
	return nil
}
