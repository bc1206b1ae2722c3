package csv

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"unicode/utf8"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"
	"boost/internal/kernel/text"
)

// layout says what is to be done with each cell of a record. It is shared by the
// workers; only modes change while they run.
type layout struct {
	*chunk.Options
	*chunk.Pass
	chunkBytes int // bytes of text parsed at a time

	sep    byte
	names  []string
	sinks  [][]int       // per column of the first input: indices of its targets
	orders [][]int       // per input: which of the first one's columns its columns are, nil for the same
	text   []atomic.Bool // per target of wantAny: its cells are taken for levels, not numbers
	wide   []atomic.Bool // per target: float64 was needed before
	header bool
	above  int // as of dialect
	spare  *chunk.Spare
}

// sinkKind is what becomes of the cells of a column in one chunk.
type sinkKind uint8

const (
	skipSink sinkKind = iota
	numberSink
	levelSink
	textSink
	writtenSink // numbers that are written in a form of their own
	doubleSink  // the column has two targets
)

// sink receives the cells of one input column in one chunk.
type sink struct {
	kind   sinkKind
	outer  bool // blanks around cells are part of them
	target int32
	known  int32 // levels of dict before the chunk
	column *chunk.ColumnChunk
	dict   *chunk.Dictionary
	second *sink
}

// chunkParser is one worker's state.
type chunkParser struct {
	*layout
	cells          CellReader
	emptyIsMissing bool
	dicts          []*chunk.Dictionary // per target, nil until needed
	sinks          []sink              // per input column
	window         text.Window         // cells of the chunk that were read ahead
	ahead          bool                // whether there are numbers enough in the chunk for that
	located        *cellBlock          // of records of text, nil until needed
	leftOut        bool                // whether cells of records that are left out may be in dicts
}

func newChunkParser(l *layout) *chunkParser {
	return &chunkParser{layout: l, cells: CellReader{Sep: l.sep}, emptyIsMissing: l.IsMissing(nil),
		dicts: make([]*chunk.Dictionary, len(l.Targets)), sinks: make([]sink, len(l.names))}
}

// parse turns b, whole records that end in a line feed, into a chunk.
func (p *chunkParser) parse(b []byte, index, file int) *chunk.Chunk {
	ch := &chunk.Chunk{Index: index, File: file, Columns: chunk.NewColumns(len(p.Targets)), Spare: p.spare}
	// No record is shorter than a line, nor than its separators and line feed. One
	// more may begin and turn out to be short of cells.
	most := min(bytes.Count(b, []byte{'\n'}), len(b)/len(p.sinks)+1)
	numbers := 0
	for i := range p.sinks {
		column := i
		if order := p.orders[file]; order != nil {
			column = order[i]
		}
		p.sinks[i] = p.newSink(ch, p.layout.sinks[column], most)
		if p.sinks[i].kind == numberSink {
			numbers++
		}
	}
	p.window.Reset()
	p.ahead = text.Usable() && 2*numbers >= len(p.sinks)
	// Records mostly of text are read in blocks, those mostly of numbers cell by cell. Where
	// the decimal point separates, quotes tell numbers from two cells.
	blocks := len(p.sinks) > 1 && len(p.sinks) <= blockCells/8 && 2*numbers < len(p.sinks) && p.Decimal != p.sep
	if blocks && p.located == nil {
		p.located = new(cellBlock)
	}
	quotes := blocks && bytes.IndexByte(b, '"') >= 0
	for i := 0; i < len(b) && ch.Shape.Allows(p.goesOn()); {
		if blocks {
			if next := p.block(b, i, ch, quotes); next > i {
				i = next
				continue
			}
		}
		if n := blankLine(b, i); n > 0 {
			i += n
			ch.Lines++
			ch.Blank++
			continue
		}
		i = p.record(b, i, ch)
	}
	p.end(ch)
	return ch
}

// goesOn reports whether rows and cells that cannot be read do not end the pass.
func (l *layout) goesOn() bool { return l.SkipBadRows || l.Through }

// addShape notes a row of a wrong shape: the first of the chunk, or where such rows are skipped one that ends the
// reading.
func (l *layout) addShape(ch *chunk.Chunk, e *chunk.ShapeError) {
	switch {
	case ch.Shape == nil || l.SkipBadRows && e.Fatal && !ch.Shape.Fatal:
		ch.Shape = e
	case e.Fatal:
		ch.Shape.Fatal = true
	}
}

// end cuts the column chunks to the rows of the chunk.
func (p *chunkParser) end(ch *chunk.Chunk) {
	for i := range p.sinks {
		for s := &p.sinks[i]; s != nil; s = s.second {
			p.close(s, ch)
		}
	}
	if !ch.Shape.Allows(p.goesOn()) {
		p.Stop.Store(true)
	}
}

func (p *chunkParser) newSink(ch *chunk.Chunk, targets []int, most int) sink {
	if len(targets) == 0 {
		return sink{kind: skipSink}
	}
	t := targets[0]
	s := sink{target: int32(t), column: &ch.Columns[t], outer: p.KeepBlanks || p.Targets[t].KeepsBlanks()}
	switch want := p.Targets[t].Want; {
	case want == chunk.WantText:
		s.kind = textSink
		w := s.column.OwnWords()
		w.Text, w.Offsets = p.spare.Text(), append(p.spare.Int32s(most + 1)[:0], 0)
	case want == chunk.WantNumber || want == chunk.WantAny && !p.text[t].Load():
		if s.kind = numberSink; p.Targets[t].Form != nil {
			s.kind = writtenSink
		}
		if p.wide[t].Load() {
			s.column.F64 = p.spare.Float64s(most)
		} else {
			s.column.F32 = p.spare.Float32s(most)
		}
	default:
		s.kind = levelSink
		if p.dicts[t] == nil || p.Apart && p.dicts[t].Outgrown(&p.Targets[t]) {
			p.dicts[t] = chunk.NewDictionary()
		}
		s.dict = p.dicts[t]
		s.known = int32(len(s.dict.Levels))
		w := s.column.OwnWords()
		w.Dictionary, w.Codes = s.dict, p.spare.Int32s(most)
	}
	if len(targets) > 1 {
		second := p.newSink(ch, targets[1:], most)
		return sink{kind: doubleSink, second: &sink{kind: s.kind, target: s.target, column: s.column, dict: s.dict, known: s.known, outer: s.outer, second: &second}}
	}
	return s
}

// record reads the record that begins at b[i] into row ch.rows and returns the
// index behind it.
func (p *chunkParser) record(b []byte, i int, ch *chunk.Chunk) int {
	row, breaks := ch.Rows, 0
	for col := 0; ; col++ {
		var ended bool
		if i, col, ended = p.quickCells(b, i, row, col); ended {
			if col < len(p.sinks) {
				return p.badShape(b, i-1, breaks, col, sound, ch)
			}
			break
		}
		if col == len(p.sinks) {
			return p.badShape(b, i-1, breaks, col, sound, ch)
		}
		end, inside, bad := p.cell(&p.sinks[col], b, i, row)
		breaks += inside
		i = end + 1
		if bad != sound || b[end] == '\n' && col+1 < len(p.sinks) {
			return p.badShape(b, end, breaks, col+1, bad, ch)
		}
		if b[end] == '\n' {
			break
		}
	}
	ch.Begins(row, ch.Lines)
	ch.Rows++
	ch.Lines += breaks + 1
	return i
}

// cell reads any cell into a sink. It returns the index of the separator or line
// feed behind it and the line breaks inside.
func (p *chunkParser) cell(s *sink, b []byte, i, row int) (end, breaks int, bad problem) {
	content, end, breaks, bad := p.cells.cell(b, i)
	switch {
	case bad != sound:
	case s.kind != doubleSink:
		p.putCell(s, content, row)
	default:
		for s = s.second; s != nil; s = s.second {
			p.putCell(s, content, row)
		}
	}
	return end, breaks, bad
}

// putCell is put of the latest cell, with or without the blanks around it.
func (p *chunkParser) putCell(s *sink, content []byte, row int) {
	if blanks := len(p.cells.outer) != len(content); blanks && s.outer {
		content = p.cells.outer
	} else if blanks && s.kind == levelSink && len(content) > 0 {
		s.column.Trimmed = true
	}
	p.put(s, content, row)
}

func (p *chunkParser) put(s *sink, cell []byte, row int) {
	switch s.kind {
	case numberSink:
		v, date, ok := plain.ParseValue(cell, p.Decimal)
		p.putNumber(s.column, cell, row, v, date, ok)
	case writtenSink:
		text, _ := p.Decode(cell)
		v, date, ok := p.Targets[s.target].ValueOf(text, p.Decimal)
		p.putNumber(s.column, cell, row, v, date, ok)
	case levelSink:
		code := s.dict.Code(cell, &p.Options.Dialect)
		s.column.Codes[row] = code
		if code == chunk.BrokenCode {
			s.column.AddOdd(row, cell, p.SkipBadRows)
		}
	case textSink:
		if p.Encoding == nil && utf8.Valid(cell) {
			s.column.SetText(row, cell)
			return
		}
		text, ok := p.Decode(cell)
		if !ok {
			s.column.AddOdd(row, cell, p.SkipBadRows)
		}
		s.column.SetText(row, []byte(text))
	}
}

// putNumber takes the value of a cell.
func (p *chunkParser) putNumber(column *chunk.ColumnChunk, cell []byte, row int, v float64, date, ok bool) {
	if p.IsMissing(cell) {
		column.SetMissing(row)
		return
	}
	if !ok {
		column.AddOdd(row, cell, p.SkipBadRows)
		if !p.IsText(cell) {
			column.NoteBroken(row, cell)
		}
		column.SetMissing(row)
		return
	}
	column.Dates = column.Dates || date
	column.SetNumber(row, v)
}

// close cuts a column chunk to the chunk's rows and counts what it holds.
func (p *chunkParser) close(s *sink, ch *chunk.Chunk) {
	column, rows := s.column, ch.Rows
	switch s.kind {
	case numberSink, writtenSink:
		if column.F64 != nil {
			column.F64 = column.F64[:rows]
			p.wide[s.target].Store(true)
		} else {
			column.F32 = column.F32[:rows]
		}
		column.Blank(p.MissingNumbers)
		column.Present = rows
		if column.Gaps {
			column.Present = chunk.Present(column.F32) + chunk.Present(column.F64) + column.Odd().Count
		}
		// Later chunks of a column that looks like text need not be read twice.
		if p.Targets[s.target].Want == chunk.WantAny && column.Odd().Count*10 > column.Present {
			p.text[s.target].Store(true)
		}
	case levelSink:
		column.Codes = column.Codes[:rows]
		if !p.Gathered || p.leftOut {
			column.NoteLevels(ch.Index)
			break
		}
		// Every new level has a row, and those known before came with earlier chunks.
		column.Levels = s.dict.Levels
		for code := int(s.known); code < len(column.Levels); code++ {
			column.Fresh = append(column.Fresh, int32(code))
		}
	case textSink:
		column.Offsets = column.Offsets[:rows+1]
		column.Text = column.Text[:column.Offsets[rows]]
	default:
		return
	}
	if column.Odd().Count > 0 && !p.goesOn() && (s.kind != numberSink && s.kind != writtenSink || p.Targets[s.target].Want == chunk.WantNumber) {
		p.Stop.Store(true)
	}
}

// forgetRow takes back what was noted of the current row, which is left out.
func (p *chunkParser) forgetRow(ch *chunk.Chunk) {
	p.leftOut = true
	for i := range p.sinks {
		for s := &p.sinks[i]; s != nil; s = s.second {
			if s.column != nil {
				s.column.ForgetOdd(ch.Rows)
			}
		}
	}
}

// badShape notes a record that has the wrong number of cells, the last of the
// cells read so far ending at b[end], and returns the index behind the record.
func (p *chunkParser) badShape(b []byte, end, breaks, cells int, bad problem, ch *chunk.Chunk) int {
	p.forgetRow(ch)
	for b[end] != '\n' {
		_, at, inside, problem := p.cells.cell(b, end+1)
		cells++
		breaks += inside
		end = at
		bad = max(bad, problem)
		if problem == openQuote {
			bad = openQuote
			break
		}
	}
	e := &chunk.ShapeError{Line: ch.Lines}
	switch {
	case bad == openQuote:
		e.Text = "a quote is opened in this record and never closed"
		e.Fix = "double the quotes that are part of the text, or remove it"
		e.Fatal = true
	case bad == afterQuote:
		e.Text = "text follows the closing quote of a cell"
		e.Fix = p.OrSkip("double the quotes that are part of the text")
	default:
		e.Text = fmt.Sprintf("%d %s, expected %d", cells, chunk.Plural(cells, "cell"), len(p.sinks))
		if p.header {
			e.Text += " as in the header"
		} else {
			e.Text += " as in the first row"
		}
		e.Fix = p.OrSkip("quote cells that contain the separator")
		switch {
		case p.above > 0:
			e.Fix = fmt.Sprintf("set skip_lines = %d if line %d has the names of the columns", p.above, p.above+1)
		case p.header && len(p.sinks) == 1:
			e.Fix = "delete all that stands above the names of the columns, or set separator if that is another one"
		}
	}
	p.addShape(ch, e)
	ch.Skipped++
	ch.Lines += breaks + 1
	return end + 1
}
