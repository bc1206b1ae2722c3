package jsonl

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/csv"
	"boost/dataset/internal/plain"
	"boost/dataset/internal/records"
)

// FormatName is the name of the format.
const FormatName = "jsonl"

// Recognizes reports whether a file is JSON lines, by its name or its beginning.
func Recognizes(start []byte, name string) bool {
	if strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson") {
		return true
	}
	start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte(chunk.ByteOrderMark)), " \t\r\n")
	inside, isObject := bytes.CutPrefix(start, []byte("{"))
	inside = bytes.TrimLeft(inside, " \t\r\n")
	return isObject && len(inside) > 0 && (inside[0] == '"' || inside[0] == '}')
}

// Reader is the source of JSON lines.
type Reader struct {
	*chunk.Options
	inputs  []chunk.Input
	names   []string
	assumed int           // columns from here on are features of the model that did not occur yet
	met     []atomic.Bool // which of them occurred
	first   *records.Text // the first input, once it was opened, until it is read
}

// NewSource makes the source of JSON lines.
func NewSource(o *chunk.Options, inputs []chunk.Input) chunk.Source {
	stored := *o
	stored.Encoding = nil // JSON is UTF-8
	return &Reader{Options: &stored, inputs: inputs}
}

// headSize is how much of an input is read to find its columns. A shorter input is read once.
const headSize = 1 << 20

// open opens an input. head is the lines in its beginning, all of them if it is short.
func (r *Reader) open(file int) (t *records.Text, head []byte, all bool, err error) {
	s, err := r.StreamOf(&r.inputs[file], FormatName)
	if err != nil {
		return nil, nil, false, err
	}
	in := &r.inputs[file]
	if in.IsCut() {
		if err := s.Section(in.Part.From, in.Part.To); err != nil {
			s.Close()
			return nil, nil, false, err
		}
	}
	if !in.IsCut() || in.Part.From == 0 {
		s.SkipByteOrderMark()
	}
	head = make([]byte, headSize)
	n, err := chunk.ReadFull(s.Reader, head)
	if err != nil && err != io.EOF {
		s.Close()
		return nil, nil, false, s.Failure(err)
	}
	head, all = slices.Clip(head[:n]), err == io.EOF
	t = &records.Text{Stream: s, Reader: io.MultiReader(bytes.NewReader(head), s.Reader)}
	if !all {
		return t, head[:bytes.LastIndexByte(head, '\n')+1], false, nil
	}
	if n > 0 && head[n-1] != '\n' {
		head = append(head, '\n')
	}
	return t, head, true, nil
}

// cutter returns the cutter of the inputs. The first may be open already.
func (r *Reader) cutter(first *records.Text, size int, stop *atomic.Bool) *records.Cutter {
	return &records.Cutter{
		Options: r.Options, Inputs: r.inputs, Bytes: size, Stop: stop,
		End: func(b []byte) int { return bytes.LastIndexByte(b, '\n') + 1 },
		Open: func(file int) (*records.Text, error) {
			if file == 0 && first != nil {
				return first, nil
			}
			t, _, _, err := r.open(file)
			return t, err
		},
	}
}

// mostCells bounds the cells of a chunk, because a row of two bytes has as many cells as one of thousands. Chunks of tables
// with many columns are therefore smaller, down to chunk.DefaultChunk.
const mostCells = 1 << 27

// Read parses all inputs.
func (r *Reader) Read(ctx context.Context, p *chunk.Pass) error {
	first := r.first
	r.first = nil
	l := csv.NewLayout(r.Options, p, len(r.names))
	size := min(l.ChunkBytes(), max(chunk.DefaultChunk, 2*mostCells/len(r.names)))
	err := r.cutter(first, size, &p.Stop).Run(ctx, func() func(records.Piece) func() {
		w := &worker{Reader: r, columnIndex: newColumnIndex(r.names), fields: csv.NewFields(l)}
		w.scanner.visitor = w
		return func(piece records.Piece) func() {
			ch := w.parse(piece)
			return func() { p.Send(ch) }
		}
	})
	if err != nil || p.Stop.Load() || ctx.Err() != nil {
		return err
	}
	return r.lacking(p.Targets)
}

// Notes returns no notes.
func (r *Reader) Notes(int) []string { return nil }

// Close closes the first input if it was opened and not read.
func (r *Reader) Close() {
	if r.first != nil {
		r.first.Stream.Close()
		r.first = nil
	}
}

// worker parses pieces.
type worker struct {
	*Reader
	*columnIndex
	scanner scanner
	fields  *csv.Fields
}

// parse turns a piece into a chunk.
func (w *worker) parse(p records.Piece) *chunk.Chunk {
	f := w.fields
	most := bytes.Count(p.Text, []byte{'\n'})
	tooMany := most*len(w.Reader.names) > mostCells
	if tooMany {
		most = 0
	}
	f.Begin(p.Index, p.File, most)
	ch := f.Chunk()
	ch.Before, ch.Share = p.Before, p.Share
	if tooMany {
		f.DropRow(&chunk.ShapeError{Fatal: true, Text: "rows from here on have hardly any of the table's columns", Fix: "write such data as LibSVM text"})
		return f.End()
	}
	for line := range lines(p.Text) {
		if isBlank(line) {
			ch.Blank++
		} else if refused := w.scanner.row(line); refused == nil {
			f.EndRow()
		} else if !f.DropRow(refused.shape()) {
			break
		}
		ch.Lines++
	}
	if p.Cut {
		ch.GiveUp("JSON lines have one object a line; jq -c . writes it so")
	}
	return f.End()
}

func (r *refusal) shape() *chunk.ShapeError { return &chunk.ShapeError{Text: r.want, Fix: r.fix} }

func (w *worker) column(name []byte) int { return w.find(name) }

// cell gives a cell to its column.
func (w *worker) cell(column int, v value, content []byte) *refusal {
	if column < 0 {
		return nil
	}
	if at := column - w.assumed; w.met != nil && at >= 0 && !w.met[at].Load() {
		w.met[at].Store(true)
	}
	f := w.fields
	if !f.Wants(column) {
		return nil
	}
	if f.Has(column) {
		return refuse("leave one of them out", "key %q stands in this row twice", w.Reader.names[column])
	}
	switch v {
	case null:
		f.Missing(column)
	case number:
		if x, ok := plain.ParseNumber(content, '.'); ok {
			f.Number(column, x, content)
		} else {
			f.Text(column, content)
		}
	case list:
		name := strconv.Quote(w.Reader.names[column])
		return refuse("leave it out with ignore = ["+name+"]", "%s holds a list, and a cell is a number, a text, true, false or null", name)
	default:
		f.Text(column, content)
	}
	return nil
}
