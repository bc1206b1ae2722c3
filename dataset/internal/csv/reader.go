package csv

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"boost/dataset/internal/chunk"
	"boost/internal/cpu"
)

// Reader is the source of CSV and TSV. It reads the text of all inputs, one after
// another, in chunks of whole records which workers parse.
type Reader struct {
	*chunk.Options
	Inputs  []chunk.Input
	dialect *dialect
	first   *body // the first input, once it was opened to find the dialect, until it is read
}

// Columns finds the dialect from the head of the first input.
func (r *Reader) Columns(context.Context) ([]string, error) {
	stream, h, err := r.open(&r.Inputs[0])
	if err != nil {
		return nil, err
	}
	if r.dialect, err = findDialect(r.Options, stream.Name, h); err == nil {
		r.first, err = r.body(stream, h)
	}
	if err != nil {
		stream.Close()
		return nil, err
	}
	return r.dialect.names, nil
}

// HasHeader reports whether the first line holds the names of the columns.
func (r *Reader) HasHeader() bool { return r.dialect.header }

// Read cuts and parses all inputs.
func (r *Reader) Read(ctx context.Context, p *chunk.Pass) error {
	first := r.first
	r.first = nil
	return r.run(ctx, r.layoutOf(p), first)
}

// Notes says what was surprising about the text.
func (r *Reader) Notes(blank int) []string {
	var notes []string
	if !r.dialect.header {
		last := r.dialect.names[len(r.dialect.names)-1]
		notes = append(notes, fmt.Sprintf("%s has no header line: its columns are called c1 to %s", r.Inputs[0].Name, last))
	}
	if len(r.dialect.names) == 1 && blank > 0 {
		notes = append(notes, fmt.Sprintf("%d blank %s of %s skipped; in a table of one column a missing value is written as \"\" or NA",
			blank, chunk.Plural(blank, "line"), r.Inputs[0].Name))
	}
	return notes
}

// body is an input whose header was read, ready to be cut into chunks.
type body struct {
	stream *chunk.Stream
	reader io.Reader
	before int // lines of the header
}

// open opens an input and reads its head.
func (r *Reader) open(in *chunk.Input) (*chunk.Stream, *head, error) {
	stream, err := r.StreamOf(in, chunk.CSVFormat)
	if err != nil {
		return nil, nil, err
	}
	if start, _ := stream.Reader.Peek(len(chunk.ByteOrderMark)); string(start) == chunk.ByteOrderMark {
		_, _ = stream.Reader.Discard(len(chunk.ByteOrderMark))
	}
	sep := namedSeparator(stream)
	h, err := readHead(stream)
	if err != nil {
		stream.Close()
		return nil, nil, err
	}
	h.sep = sep
	return stream, h, nil
}

// namedSeparator returns the separator that a first line as Excel's sep=; names, and
// puts the reader behind that line; 0 without one.
func namedSeparator(s *chunk.Stream) byte {
	start, _ := s.Reader.Peek(len("sep=;\r\n"))
	line, _, found := bytes.Cut(start, []byte{'\n'})
	sep, named := bytes.CutPrefix(bytes.TrimSuffix(line, []byte{'\r'}), []byte("sep="))
	if !found || !named || len(sep) != 1 || !chunk.Separates(rune(sep[0])) {
		return 0
	}
	_, _ = s.Reader.Discard(len(line) + 1)
	return sep[0]
}

// body checks the header of an opened input, if the table has one, and puts the
// reader behind it.
func (r *Reader) body(stream *chunk.Stream, h *head) (*body, error) {
	b := &body{stream: stream}
	text := h.text
	if r.dialect.header {
		records := h.records(r.dialect.sep, 1)
		if len(records) == 0 {
			return nil, chunk.Errorf("%s is empty", stream.Name)
		}
		names, err := headerNames(&r.Options.Dialect, stream.Name, records[0])
		if err == nil {
			err = r.sameHeader(stream.Name, names)
		}
		if err != nil {
			return nil, err
		}
		text, b.before = behindHeader(text, r.dialect.sep)
	}
	if h.sep != 0 {
		b.before++
	}
	b.reader = io.MultiReader(bytes.NewReader(text), stream.Reader)
	return b, nil
}

// behindHeader returns what follows the first record, and the lines up to there.
func behindHeader(text []byte, sep byte) (rest []byte, lines int) {
	padded := append(text[:len(text):len(text)], '\n')
	i := 0
	for {
		n := blankLine(padded, i)
		if n == 0 {
			break
		}
		i += n
		lines++
	}
	cells := &CellReader{Sep: sep}
	end, breaks := cells.recordEnd(padded, i)
	return text[min(end, len(text)):], lines + breaks
}

func (r *Reader) sameHeader(name string, names []string) error {
	return chunk.SameColumns(name, names, r.Inputs[0].Name, r.dialect.names)
}

// job is a chunk's text on its way to a worker.
type job struct {
	text   []byte
	index  int
	file   int
	before int
	share  float64 // of the text of all inputs, as far as that can be told; else 0
	cut    bool    // the last record is longer than longestRecord
}

// run reads all inputs, of which the first may be opened already, and emits their
// chunks. With an error of the input, the chunks before it are emitted too.
func (r *Reader) run(ctx context.Context, l *layout, first *body) error {
	workers := r.workers()
	jobs := make(chan job)
	free := make(chan []byte, workers+1)
	var (
		group, groupCtx = errgroup.WithContext(ctx)
		readErr         error
	)
	group.Go(func() error {
		defer close(jobs)
		c := &cutter{Reader: r, layout: l, jobs: jobs, free: free, unmade: workers + 1}
		readErr = c.cutAll(groupCtx, first)
		return groupCtx.Err()
	})
	for range workers {
		group.Go(func() error {
			var p *chunkParser
			for j := range jobs {
				if p == nil {
					p = newChunkParser(l)
				}
				ch := p.parse(j.text, j.index, j.file)
				ch.Before, ch.Share = j.before, j.share
				if j.cut {
					ch.GiveUp()
					l.Stop.Store(true)
				}
				free <- j.text[:0]
				l.Send(ch)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return readErr
}

// workers returns how many workers the inputs are worth.
func (r *Reader) workers() int {
	threads := r.Threads
	if threads == 0 {
		threads = cpu.Threads()
	}
	size := int64(0)
	for _, in := range r.Inputs {
		if in.Size == 0 {
			return threads
		}
		size += in.Size
	}
	// Gzip makes a table about a quarter to a tenth of its size.
	return int(min(int64(threads), 1+10*size/int64(r.ChunkSize)))
}

// cutter cuts the text of the inputs into chunks at ends of records.
type cutter struct {
	*Reader
	layout *layout
	jobs   chan<- job
	free   chan []byte
	unmade int // buffers that may still be made
	next   int
	carry  []byte // the beginning of the next chunk
}

func (c *cutter) cutAll(ctx context.Context, first *body) error {
	for file := range c.Inputs {
		b := first
		if file > 0 || b == nil {
			stream, h, err := c.open(&c.Inputs[file])
			if err != nil {
				return err
			}
			if b, err = c.body(stream, h); err != nil {
				stream.Close()
				return err
			}
		}
		err := c.cut(ctx, b, file)
		b.stream.Close()
		if err != nil || c.layout.Stop.Load() || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// cut sends the chunks of one input.
func (c *cutter) cut(ctx context.Context, b *body, file int) error {
	cells := &CellReader{Sep: c.layout.sep}
	c.carry = c.carry[:0]
	before := b.before
	for !c.layout.Stop.Load() {
		buffer, ok := c.buffer(ctx)
		if !ok {
			return nil
		}
		n := copy(buffer, c.carry)
		var err error
		end := 0
		cut := false
		for end == 0 && err == nil && !cut {
			if n == len(buffer)-1 {
				buffer = append(buffer, make([]byte, len(buffer))...)
			}
			var more int
			more, err = chunk.ReadFull(b.reader, buffer[n:len(buffer)-1])
			n += more
			if err == nil {
				end = cells.LastRecordEnd(buffer[:n])
				cut = end == 0 && n >= chunk.LongestRecord
			}
		}
		if err != nil && err != io.EOF {
			return b.stream.Failure(err)
		}
		c.carry = append(c.carry[:0], buffer[end:n]...)
		if end == 0 { // the rest of the input
			if end = n; end > 0 && buffer[end-1] != '\n' {
				buffer[end] = '\n'
				end++
			}
			c.carry = c.carry[:0]
		}
		if end > 0 {
			share := c.share(b.stream, file, end)
			if err == io.EOF && c.next == 0 && file == len(c.Inputs)-1 {
				share = 1
			}
			c.jobs <- job{text: buffer[:end], index: c.next, file: file, before: before, cut: cut, share: share}
			c.next++
			before = 0
		}
		if err == io.EOF || cut {
			return nil
		}
	}
	return nil
}

// share returns which part of the text of all inputs so many bytes are, about, judged
// by how much the input at hand was compressed so far; 0 where that is unknown.
func (c *cutter) share(s *chunk.Stream, file, bytes int) float64 {
	if c.Inputs[file].Size == 0 {
		return 0
	}
	return float64(bytes) / (float64(c.Inputs[file].Size) * s.UnpackedBy()) * chunk.ShareOf(c.Inputs, file)
}

// buffer returns a buffer that holds the carried text and room for more, or false
// once the context is done.
func (c *cutter) buffer(ctx context.Context) ([]byte, bool) {
	var buffer []byte
	select {
	case buffer = <-c.free:
	default:
		if c.unmade > 0 {
			c.unmade--
			break
		}
		select {
		case buffer = <-c.free:
		case <-ctx.Done():
			return nil, false
		}
	}
	// One byte more than is read, for the line feed that the last line may lack. A
	// buffer that has grown before is not used in full: chunks must not depend on which
	// buffer was free.
	size := max(c.layout.chunkBytes, len(c.carry)) + 1
	if cap(buffer) < size {
		buffer = make([]byte, size)
	}
	return buffer[:size], ctx.Err() == nil
}

// smallChunk is the text of a chunk of few columns: with what becomes of it, it stays in the
// second cache. Each chunk costs something for every column, however few its rows are.
const smallChunk = 256 << 10

// ColumnText is the text that a chunk has for each column, because a column costs some time in every
// chunk, however few its rows are.
const ColumnText = 1 << 12

// chunkOf returns the bytes of a chunk of a table of so many columns that is read whole.
func chunkOf(o *chunk.Options, columns int) int {
	if o.ChunkSize != chunk.DefaultChunk {
		return o.ChunkSize
	}
	return max(smallChunk, min(columns*ColumnText, chunk.DefaultChunk))
}

// layoutOf prepares reading the targets.
func (r *Reader) layoutOf(p *chunk.Pass) *layout {
	targets := p.Targets
	l := &layout{Options: r.Options, Pass: p, spare: new(chunk.Spare), sep: r.dialect.sep, header: r.dialect.header,
		names: r.dialect.names, sinks: make([][]int, len(r.dialect.names)),
		text: make([]atomic.Bool, len(targets)), wide: make([]atomic.Bool, len(targets))}
	if l.chunkBytes = r.ChunkSize; p.Gathered {
		l.chunkBytes = chunkOf(r.Options, len(r.dialect.names))
	}
	for i, t := range targets {
		l.sinks[t.Source] = append(l.sinks[t.Source], i)
		l.text[i].Store(r.dialect.guess[t.Source] || t.Parse == chunk.ParseAsNumber || t.Parse == chunk.ParseAsDate)
	}
	return l
}

// Close closes the first input if it was opened and not read.
func (r *Reader) Close() {
	if r.first != nil {
		r.first.stream.Close()
		r.first = nil
	}
}
