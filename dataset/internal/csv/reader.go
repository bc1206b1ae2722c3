package csv

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/records"
)

// Reader is the source of CSV and TSV. It reads the text of all inputs, one after
// another, in chunks of whole records which workers parse.
type Reader struct {
	*chunk.Options
	Inputs  []chunk.Input
	dialect *dialect
	first   *records.Text // the first input, once it was opened to find the dialect, until it is read
}

// Columns finds the dialect from the head of the first input.
func (r *Reader) Columns(ctx context.Context) ([]string, error) {
	err := r.begin()
	if r.Inputs[0].Part != nil {
		err = r.cutParts(ctx, err)
	}
	if err != nil {
		return nil, err
	}
	return r.dialect.names, nil
}

// begin opens the first input and finds the dialect.
func (r *Reader) begin() error {
	stream, h, err := r.open(&r.Inputs[0])
	if err != nil {
		return err
	}
	if r.dialect, err = findDialect(r.Options, stream.Name, h); err == nil {
		r.first, _, err = r.body(stream, h)
	}
	if err != nil {
		stream.Close()
	}
	return err
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
	if above := r.dialect.above; above > 0 {
		notes = append(notes, fmt.Sprintf("line %d of %s looks like the names of the columns (set skip_lines = %d to leave out what stands above it)", above+1, r.Inputs[0].Name, above))
	}
	if r.PointInstead {
		notes = append(notes, fmt.Sprintf("%s has commas between cells: its numbers are read with decimal points, those of the model's table had decimal commas", r.Inputs[0].Name))
	}
	if r.Said.Both != nil && r.Said.Both.Load() {
		notes = append(notes, fmt.Sprintf("%s has text in UTF-8, which is read so, although the model's table was %s", r.Inputs[0].Name, r.Schema.Written.Encoding))
	}
	if len(r.dialect.names) == 1 && blank > 0 {
		notes = append(notes, fmt.Sprintf("%d blank %s of %s skipped; in a table of one column a missing value is written as \"\" or NA",
			blank, chunk.Plural(blank, "line"), r.Inputs[0].Name))
	}
	return notes
}

// Padded is that of chunk.Padding.
func (r *Reader) Padded() []bool { return r.dialect.padded }

// open opens an input and reads its head.
func (r *Reader) open(in *chunk.Input) (*chunk.Stream, *head, error) {
	stream, err := r.StreamOf(in, chunk.CSVFormat)
	if err != nil {
		return nil, nil, err
	}
	at := stream.SkipByteOrderMark()
	skipped, err := r.skipLines(stream)
	if err != nil {
		stream.Close()
		return nil, nil, err
	}
	sep, line := namedSeparator(stream)
	h, err := readHead(stream)
	if err != nil {
		stream.Close()
		return nil, nil, err
	}
	h.sep, h.at, h.lines = sep, at+skipped+line, r.Above
	if sep != 0 {
		h.lines++
	}
	return stream, h, nil
}

// skipLines puts the reader behind the lines above the table, and returns their bytes.
func (r *Reader) skipLines(s *chunk.Stream) (skipped int, err error) {
	for line := 0; line < r.Above; {
		part, err := s.Reader.ReadSlice('\n')
		skipped += len(part)
		switch {
		case err == nil:
			line++
		case err == io.EOF:
			return 0, chunk.Errorf("%s has not more than the %d lines that skip_lines leaves out", s.Name, r.Above)
		case err != bufio.ErrBufferFull:
			return 0, s.Failure(err)
		}
	}
	return skipped, nil
}

// namedSeparator returns the separator that a first line as Excel's sep=; names, and
// puts the reader behind that line, which has so many bytes; 0 without one.
func namedSeparator(s *chunk.Stream) (named byte, bytesOf int) {
	start, _ := s.Reader.Peek(len("sep=;\r\n"))
	line, _, found := bytes.Cut(start, []byte{'\n'})
	sep, is := bytes.CutPrefix(bytes.TrimSuffix(line, []byte{'\r'}), []byte("sep="))
	if !found || !is || len(sep) != 1 || !chunk.Separates(rune(sep[0])) {
		return 0, 0
	}
	_, _ = s.Reader.Discard(len(line) + 1)
	return sep[0], len(line) + 1
}

// body checks the header of an opened input, if the table has one, and puts the
// reader behind it. order is as of chunk.ColumnOrder.
func (r *Reader) body(stream *chunk.Stream, h *head) (t *records.Text, order []int, err error) {
	t = &records.Text{Stream: stream}
	text := h.text
	if r.dialect.header {
		records := h.records(r.dialect.sep, 1)
		if len(records) == 0 {
			return nil, nil, chunk.Errorf("%s is empty", stream.Name)
		}
		names, err := headerNames(r.Options, stream.Name, h.lines+1, records[0])
		if err == nil {
			order, err = chunk.ColumnOrder(stream.Name, names, r.Inputs[0].Name, r.dialect.names)
		}
		if err != nil {
			return nil, nil, err
		}
		text, t.Before = behindHeader(text, r.dialect.sep)
	}
	t.Before += h.lines
	t.At = int64(h.at + len(h.text) - len(text))
	t.Reader = io.MultiReader(bytes.NewReader(text), stream.Reader)
	return t, order, nil
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

// run reads all inputs, of which the first may be opened already, and emits their
// chunks. With an error of the input, the chunks before it are emitted too.
func (r *Reader) run(ctx context.Context, l *layout, first *records.Text) error {
	cells := &CellReader{Sep: l.sep}
	c := &records.Cutter{Options: r.Options, Inputs: r.Inputs, Bytes: l.chunkBytes, End: cells.LastRecordEnd, Stop: &l.Stop}
	c.Open = func(file int) (t *records.Text, err error) {
		in := &r.Inputs[file]
		if t = first; file > 0 || first == nil {
			stream, h, err := r.open(in)
			if err != nil {
				return nil, err
			}
			if t, l.orders[file], err = r.body(stream, h); err != nil {
				stream.Close()
				return nil, err
			}
		}
		if in.IsCut() {
			if err := t.Section(in.Part); err != nil {
				t.Stream.Close()
				return nil, err
			}
		}
		return t, nil
	}
	if first != nil && r.Inputs[0].Skipped() {
		first.Stream.Close()
	}
	return c.Run(ctx, func() func(records.Piece) func() {
		p := newChunkParser(l)
		return func(piece records.Piece) func() {
			ch := p.parse(piece.Text, piece.Index, piece.File)
			ch.Before, ch.Share = piece.Before, piece.Share
			if piece.Cut {
				ch.GiveUp("is this a CSV or TSV file?")
				l.Stop.Store(true)
			}
			return func() { l.Send(ch) }
		}
	})
}

// smallChunk is the text of a chunk of few columns: with what becomes of it, it stays in the
// second cache. Each chunk costs something for every column, however few its rows are.
const smallChunk = 256 << 10

// ColumnText is the text that a chunk has for each column, because a column costs some time in every
// chunk, however few its rows are.
const ColumnText = 1 << 12

// leastColumnText is the least text that a chunk has for each column: its column chunk and the place for it in the
// table take more memory than that.
const leastColumnText = 64

// chunkOf returns the bytes of a chunk of a table of so many columns that is read whole.
func chunkOf(o *chunk.Options, columns int) int {
	if o.ChunkSize != chunk.DefaultChunk {
		return o.ChunkSize
	}
	return max(smallChunk, min(columns*ColumnText, chunk.DefaultChunk), columns*leastColumnText)
}

// layoutOf prepares reading the targets.
func (r *Reader) layoutOf(p *chunk.Pass) *layout {
	targets := p.Targets
	l := &layout{Options: r.Options, Pass: p, spare: new(chunk.Spare), sep: r.dialect.sep, header: r.dialect.header, above: r.dialect.above,
		names: r.dialect.names, sinks: make([][]int, len(r.dialect.names)), orders: make([][]int, len(r.Inputs)),
		text: make([]atomic.Bool, len(targets)), wide: make([]atomic.Bool, len(targets))}
	if l.chunkBytes = r.ChunkSize; p.Gathered {
		l.chunkBytes = chunkOf(r.Options, len(r.dialect.names))
	}
	for i, t := range targets {
		l.sinks[t.Source] = append(l.sinks[t.Source], i)
		l.text[i].Store(r.dialect.guess[t.Source] || asText(t))
	}
	return l
}

// asText reports whether the form of a column's cells is asked for: it follows from all of them, as they are written.
func asText(t chunk.Target) bool {
	return t.Parse == chunk.ParseAsNumber || t.Parse == chunk.ParseAsDate
}

// Close closes the first input if it was opened and not read.
func (r *Reader) Close() {
	if r.first != nil {
		r.first.Stream.Close()
		r.first = nil
	}
}
