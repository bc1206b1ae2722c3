package dataset

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"boost/internal/cpu"
)

// longestRecord is the number of bytes after which a record that does not end is
// given up: it is a quote that nobody closed, or no table at all.
const longestRecord = 64 << 20

// reader reads the text of all inputs, one after another, in chunks of whole
// records which workers parse.
type reader struct {
	*options
	inputs  []input
	dialect *dialect
}

// body is an input whose header was read, ready to be cut into chunks.
type body struct {
	stream *textStream
	reader io.Reader
	before int // lines of the header
}

// open opens an input and reads its head.
func (r *reader) open(in *input) (*textStream, *head, error) {
	stream, err := in.text()
	if err != nil {
		return nil, nil, err
	}
	h, err := readHead(stream)
	if err != nil {
		stream.close()
		return nil, nil, err
	}
	return stream, h, nil
}

// body checks the header of an opened input, if the table has one, and puts the
// reader behind it.
func (r *reader) body(stream *textStream, h *head) (*body, error) {
	b := &body{stream: stream}
	text := h.text
	if r.dialect.header {
		records := h.records(r.dialect.sep, 1)
		if len(records) == 0 {
			return nil, complain("%s is empty", stream.name)
		}
		names, err := r.headerNames(stream.name, records[0])
		if err == nil {
			err = r.sameHeader(stream.name, names)
		}
		if err != nil {
			return nil, err
		}
		text, b.before = behindHeader(text, r.dialect.sep)
	}
	b.reader = io.MultiReader(bytes.NewReader(text), stream.reader)
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
	cells := &cellReader{sep: sep}
	end, breaks := cells.recordEnd(padded, i)
	return text[min(end, len(text)):], lines + breaks
}

func (r *reader) sameHeader(name string, names []string) error {
	first := r.inputs[0].name
	if len(names) != len(r.dialect.names) {
		return complain("%s has %d columns, %s has %d; files that are read as one need the same header",
			name, len(names), first, len(r.dialect.names))
	}
	for i, column := range names {
		if column != r.dialect.names[i] {
			return complain("column %d of %s is %q, of %s it is %q; files that are read as one need the same header",
				i+1, name, column, first, r.dialect.names[i])
		}
	}
	return nil
}

// job is a chunk's text on its way to a worker.
type job struct {
	text   []byte
	index  int
	file   int
	before int
	cut    bool // the last record is longer than longestRecord
}

// run reads all inputs, the first being opened already, and returns the chunks in
// order. With an error of the input, the chunks before it are returned too.
func (r *reader) run(ctx context.Context, l *layout, first *body) ([]*chunk, error) {
	workers := r.workers()
	jobs := make(chan job)
	free := make(chan []byte, workers+1)
	var (
		group, groupCtx = errgroup.WithContext(ctx)
		mutex           sync.Mutex
		chunks          []*chunk
		readErr         error
	)
	group.Go(func() error {
		defer close(jobs)
		c := &cutter{reader: r, layout: l, jobs: jobs, free: free, unmade: workers + 1}
		readErr = c.cutAll(groupCtx, first)
		return groupCtx.Err()
	})
	for range workers {
		group.Go(func() error {
			p := newChunkParser(l)
			for j := range jobs {
				ch := p.parse(j.text, j.index, j.file)
				ch.before = j.before
				if j.cut {
					ch.giveUp()
					l.stop.Store(true)
				}
				free <- j.text[:0]
				mutex.Lock()
				chunks = append(chunks, ch)
				mutex.Unlock()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(chunks, func(a, b *chunk) int { return a.index - b.index })
	return chunks, readErr
}

// workers returns how many workers the inputs are worth.
func (r *reader) workers() int {
	threads := r.threads
	if threads == 0 {
		threads = cpu.Threads()
	}
	size := int64(0)
	for _, in := range r.inputs {
		if in.size == 0 {
			return threads
		}
		size += in.size
	}
	// Gzip makes a table about a quarter to a tenth of its size.
	return int(min(int64(threads), 1+10*size/int64(r.chunkSize)))
}

// giveUp marks a chunk whose last record goes on for too long.
func (ch *chunk) giveUp() {
	if ch.shape.allows(true) {
		ch.shape = &shapeError{line: max(0, ch.lines-1), fatal: true,
			text: "this record is longer than 64 MiB", fix: "is this a CSV or TSV file?"}
	}
}

// cutter cuts the text of the inputs into chunks at ends of records.
type cutter struct {
	*reader
	layout *layout
	jobs   chan<- job
	free   chan []byte
	unmade int // buffers that may still be made
	next   int
	carry  []byte // the beginning of the next chunk
}

func (c *cutter) cutAll(ctx context.Context, first *body) error {
	for file := range c.inputs {
		b := first
		if file > 0 || b == nil {
			stream, h, err := c.open(&c.inputs[file])
			if err != nil {
				return err
			}
			if b, err = c.body(stream, h); err != nil {
				stream.close()
				return err
			}
		}
		err := c.cut(ctx, b, file)
		b.stream.close()
		if err != nil || c.layout.stop.Load() || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// cut sends the chunks of one input.
func (c *cutter) cut(ctx context.Context, b *body, file int) error {
	cells := &cellReader{sep: c.layout.sep}
	c.carry = c.carry[:0]
	before := b.before
	for !c.layout.stop.Load() {
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
			more, err = readFull(b.reader, buffer[n:len(buffer)-1])
			n += more
			if err == nil {
				end = cells.lastRecordEnd(buffer[:n])
				cut = end == 0 && n >= longestRecord
			}
		}
		if err != nil && err != io.EOF {
			return b.stream.failure(err)
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
			c.jobs <- job{text: buffer[:end], index: c.next, file: file, before: before, cut: cut}
			c.next++
			before = 0
		}
		if err == io.EOF || cut {
			return nil
		}
	}
	return nil
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
	// One byte more than is read, for the line feed that the last line may lack.
	if size := max(c.chunkSize, len(c.carry)) + 1; cap(buffer) < size {
		buffer = make([]byte, size)
	}
	return buffer[:cap(buffer)], ctx.Err() == nil
}

// layoutOf prepares reading the targets.
func (r *reader) layoutOf(targets []target) *layout {
	l := &layout{options: r.options, sep: r.dialect.sep, header: r.dialect.header, targets: targets,
		names: r.dialect.names, sinks: make([][]int, len(r.dialect.names)),
		text: make([]atomic.Bool, len(targets)), wide: make([]atomic.Bool, len(targets))}
	for i, t := range targets {
		l.sinks[t.source] = append(l.sinks[t.source], i)
		l.text[i].Store(r.dialect.guess[t.source])
	}
	return l
}

// reread reads columns again, as text, and gives them their new pieces.
func (r *reader) reread(ctx context.Context, columns []*parts) error {
	for _, in := range r.inputs {
		if in.spool != nil && !in.spool.keep {
			return tooLate(columns[0].name, in.name)
		}
	}
	targets := make([]target, len(columns))
	for i, c := range columns {
		targets[i] = c.target
		targets[i].want = wantCategory
	}
	l := r.layoutOf(targets)
	chunks, err := r.run(ctx, l, nil)
	if err != nil {
		return err
	}
	if len(chunks) != len(columns[0].pieces) && !l.stop.Load() {
		return r.changed()
	}
	for k, ch := range chunks {
		for i, c := range columns {
			if k >= len(c.pieces) || c.pieces[k].rows() != ch.rows {
				return r.changed()
			}
			c.pieces[k] = &ch.pieces[i]
		}
	}
	return nil
}

// tooLate is the error for text in a column of numbers that is not kept for a
// second look.
func tooLate(column, file string) error {
	return complain("column %q of %s looked like numbers until cells that are text came, and no copy was kept to read it again (set categorical = [%q], leave out --no-spool, or read from a file)",
		column, file, column)
}

// close ends the copies of streams.
func (r *reader) close() {
	for _, in := range r.inputs {
		if in.spool != nil {
			in.spool.close()
		}
	}
}

func (r *reader) changed() error {
	return complain("%s changed while it was read", r.inputs[0].name)
}
