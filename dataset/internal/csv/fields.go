package csv

import (
	"sync/atomic"

	"boost/dataset/internal/chunk"
)

// Layout holds what each column becomes in one pass over the inputs. Its Fields share it.
type Layout struct{ layout }

// NewLayout prepares a pass over records of so many columns that are not delimited text, like JSON lines and the
// rows of a spreadsheet.
func NewLayout(o *chunk.Options, p *chunk.Pass, columns int) *Layout {
	l := &Layout{layout{Options: o, Pass: p, spare: new(chunk.Spare), names: make([]string, columns), sinks: make([][]int, columns),
		text: make([]atomic.Bool, len(p.Targets)), wide: make([]atomic.Bool, len(p.Targets))}}
	for i, t := range p.Targets {
		if t.Source < columns { // others stand in files beside the table
			l.sinks[t.Source] = append(l.sinks[t.Source], i)
		}
		l.text[i].Store(asText(t))
	}
	if l.chunkBytes = o.ChunkSize; p.Gathered {
		l.chunkBytes = chunkOf(o, columns)
	}
	return l
}

// ChunkBytes returns the bytes of text of a chunk.
func (l *Layout) ChunkBytes() int { return l.chunkBytes }

// Fields gives the cells of records to the columns of a chunk, with the rules of delimited text. It is for one
// goroutine.
type Fields struct {
	parser *chunkParser
	chunk  *chunk.Chunk
	filled []int // by column: 1 + the last row that has a cell
}

// NewFields makes the fields of one worker.
func NewFields(l *Layout) *Fields {
	return &Fields{parser: newChunkParser(&l.layout), filled: make([]int, len(l.names))}
}

// Begin starts a chunk of file number file; it may have most rows.
func (f *Fields) Begin(index, file, most int) {
	p := f.parser
	f.chunk = &chunk.Chunk{Index: index, File: file, Columns: chunk.NewColumns(len(p.Targets)), Spare: p.spare}
	for i := range p.sinks {
		p.sinks[i] = p.newSink(f.chunk, p.layout.sinks[i], most)
	}
	clear(f.filled)
}

// Chunk returns the current chunk.
func (f *Fields) Chunk() *chunk.Chunk { return f.chunk }

// Wants reports whether the cells of a column are used.
func (f *Fields) Wants(column int) bool { return f.parser.sinks[column].kind != skipSink }

// Has reports whether a column has a cell of the row.
func (f *Fields) Has(column int) bool { return f.filled[column] == f.chunk.Rows+1 }

// Text takes a cell of text.
func (f *Fields) Text(column int, cell []byte) {
	f.each(column, func(s *sink) { f.parser.put(s, cell, f.chunk.Rows) })
}

// Number takes a number with its text, which has a decimal point; nil is its shortest form. In a column whose numbers
// are written with a unit, a percent sign or as dates it counts as text: what it means there is not known.
func (f *Fields) Number(column int, v float64, text []byte) {
	f.each(column, func(s *sink) {
		if s.kind == numberSink || s.kind == writtenSink && f.parser.Targets[s.target].Form.Bare() {
			s.column.SetNumber(f.chunk.Rows, v)
			return
		}
		if text == nil {
			text = []byte(f.parser.NumberText(v))
		} else if f.parser.Decimal != '.' {
			text = append([]byte(nil), text...)
			for i, c := range text {
				if c == '.' {
					text[i] = f.parser.Decimal
				}
			}
		}
		f.parser.put(s, text, f.chunk.Rows)
	})
}

// Date takes a time in seconds, with the text that it has as a level. In a column of numbers in a form it counts as text.
func (f *Fields) Date(column int, v float64, text []byte) {
	f.each(column, func(s *sink) {
		if s.kind == numberSink || s.kind == writtenSink && f.parser.Targets[s.target].Form.IsDate() {
			s.column.Dates = true
			s.column.SetNumber(f.chunk.Rows, v)
			return
		}
		f.parser.put(s, text, f.chunk.Rows)
	})
}

// Missing takes a cell without a value.
func (f *Fields) Missing(column int) {
	row := f.chunk.Rows
	f.each(column, func(s *sink) {
		switch s.kind {
		case numberSink, writtenSink:
			s.column.SetMissing(row)
		case levelSink:
			s.column.Codes[row] = chunk.MissingCode
		case textSink:
			s.column.SetText(row, nil)
		}
	})
}

// each visits the sinks of a column.
func (f *Fields) each(column int, visit func(*sink)) {
	f.filled[column] = f.chunk.Rows + 1
	s := &f.parser.sinks[column]
	if s.kind != doubleSink {
		visit(s)
		return
	}
	for s = s.second; s != nil; s = s.second {
		visit(s)
	}
}

// EndRow ends the row, which is on the current line of the chunk. Columns without a cell are missing in it.
func (f *Fields) EndRow() {
	for column, filled := range f.filled {
		if filled != f.chunk.Rows+1 {
			f.Missing(column)
		}
	}
	f.chunk.Begins(f.chunk.Rows, f.chunk.Lines)
	f.chunk.Rows++
}

// DropRow leaves out the row because of an error. It reports whether reading may go on.
func (f *Fields) DropRow(e *chunk.ShapeError) bool {
	p, ch := f.parser, f.chunk
	p.forgetRow(ch)
	for column, filled := range f.filled {
		if filled == ch.Rows+1 {
			f.filled[column] = 0
		}
	}
	e.Line = ch.Lines
	p.addShape(ch, e)
	ch.Skipped++
	return ch.Shape.Allows(p.goesOn())
}

// End ends the chunk and returns it.
func (f *Fields) End() *chunk.Chunk {
	f.parser.end(f.chunk)
	return f.chunk
}
