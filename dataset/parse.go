package dataset

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"unicode/utf8"

	"boost/internal/kernel/text"
)

// layout says what is to be done with each cell of a record. It is shared by the
// workers; only modes change while they run.
type layout struct {
	*options
	*pass
	chunkBytes int // bytes of text parsed at a time

	sep    byte
	names  []string
	sinks  [][]int       // per input column: indices of its targets
	text   []atomic.Bool // per target of wantAny: its cells are taken for levels, not numbers
	wide   []atomic.Bool // per target: float64 was needed before
	header bool
	spare  *spare
}

// sinkKind is what becomes of the cells of a column in one chunk.
type sinkKind uint8

const (
	skipSink sinkKind = iota
	numberSink
	levelSink
	textSink
	doubleSink // the column has two targets
)

// sink receives the cells of one input column in one chunk.
type sink struct {
	kind   sinkKind
	target int
	piece  *piece
	dict   *dictionary
	known  int // levels of dict before the chunk
	second *sink
}

// chunkParser is one worker's state.
type chunkParser struct {
	*layout
	cells          cellReader
	emptyIsMissing bool
	dicts          []*dictionary // per target, nil until needed
	sinks          []sink        // per input column
	window         text.Window   // cells of the chunk that were read ahead
	ahead          bool          // whether there are numbers enough in the chunk for that
	located        *cellBlock    // of records of text, nil until needed
	leftOut        bool          // whether cells of records that are left out may be in dicts
}

func newChunkParser(l *layout) *chunkParser {
	return &chunkParser{layout: l, cells: cellReader{sep: l.sep}, emptyIsMissing: l.isMissing(nil),
		dicts: make([]*dictionary, len(l.targets)), sinks: make([]sink, len(l.names))}
}

// parse turns b, whole records that end in a line feed, into a chunk.
func (p *chunkParser) parse(b []byte, index, file int) *chunk {
	ch := &chunk{index: index, file: file, pieces: make([]piece, len(p.targets)), spare: p.spare}
	// No record is shorter than a line, nor than its separators and line feed. One
	// more may begin and turn out to be short of cells.
	most := min(bytes.Count(b, []byte{'\n'}), len(b)/len(p.sinks)+1)
	numbers := 0
	for i := range p.sinks {
		p.sinks[i] = p.newSink(ch, p.layout.sinks[i], most)
		if p.sinks[i].kind == numberSink {
			numbers++
		}
	}
	p.window.Reset()
	p.ahead = text.Usable() && 2*numbers >= len(p.sinks)
	// Records mostly of text are read in blocks, those mostly of numbers cell by cell. Where
	// the decimal point separates, quotes tell numbers from two cells.
	blocks := len(p.sinks) > 1 && len(p.sinks) <= blockCells/8 && 2*numbers < len(p.sinks) && p.decimal != p.sep
	if blocks && p.located == nil {
		p.located = new(cellBlock)
	}
	quotes := blocks && bytes.IndexByte(b, '"') >= 0
	for i := 0; i < len(b) && ch.shape.allows(p.skipBadRows); {
		if blocks {
			if next := p.block(b, i, ch, quotes); next > i {
				i = next
				continue
			}
		}
		if n := blankLine(b, i); n > 0 {
			i += n
			ch.lines++
			ch.blank++
			continue
		}
		i = p.record(b, i, ch)
	}
	for i := range p.sinks {
		for s := &p.sinks[i]; s != nil; s = s.second {
			p.close(s, ch)
		}
	}
	if ch.shape != nil && (ch.shape.fatal || !p.skipBadRows) {
		p.stop.Store(true)
	}
	return ch
}

func (p *chunkParser) newSink(ch *chunk, targets []int, most int) sink {
	if len(targets) == 0 {
		return sink{kind: skipSink}
	}
	t := targets[0]
	s := sink{target: t, piece: &ch.pieces[t]}
	switch w := p.targets[t].want; {
	case w == wantText:
		s.kind = textSink
		s.piece.text, s.piece.offsets = p.spare.text(), append(p.spare.int32s(most + 1)[:0], 0)
	case w == wantNumber || w == wantAny && !p.text[t].Load():
		s.kind = numberSink
		if p.wide[t].Load() {
			s.piece.f64 = p.spare.float64s(most)
		} else {
			s.piece.f32 = p.spare.float32s(most)
		}
	default:
		s.kind = levelSink
		if p.dicts[t] == nil || p.apart && p.dicts[t].outgrown(&p.targets[t]) {
			p.dicts[t] = newDictionary()
		}
		s.dict = p.dicts[t]
		s.piece.dictionary = s.dict
		s.known = len(s.dict.levels)
		s.piece.codes = p.spare.int32s(most)
	}
	if len(targets) > 1 {
		second := p.newSink(ch, targets[1:], most)
		return sink{kind: doubleSink, second: &sink{kind: s.kind, target: s.target, piece: s.piece, dict: s.dict, known: s.known, second: &second}}
	}
	return s
}

// record reads the record that begins at b[i] into row ch.rows and returns the
// index behind it.
func (p *chunkParser) record(b []byte, i int, ch *chunk) int {
	row, breaks := ch.rows, 0
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
	ch.begins(row, ch.lines)
	ch.rows++
	ch.lines += breaks + 1
	return i
}

// cell reads any cell into a sink. It returns the index of the separator or line
// feed behind it and the line breaks inside.
func (p *chunkParser) cell(s *sink, b []byte, i, row int) (end, breaks int, bad problem) {
	content, end, breaks, bad := p.cells.cell(b, i)
	switch {
	case bad != sound:
	case s.kind != doubleSink:
		p.put(s, content, row)
	default:
		for s = s.second; s != nil; s = s.second {
			p.put(s, content, row)
		}
	}
	return end, breaks, bad
}

func (p *chunkParser) put(s *sink, cell []byte, row int) {
	switch s.kind {
	case numberSink:
		p.putNumber(s.piece, cell, row)
	case levelSink:
		code := s.dict.code(cell, p.options)
		s.piece.codes[row] = code
		if code == brokenCode {
			s.piece.odd.add(row, cell, p.skipBadRows)
		}
	case textSink:
		if p.encoding == nil && utf8.Valid(cell) {
			s.piece.setText(row, cell)
			return
		}
		text, ok := p.decode(cell)
		if !ok {
			s.piece.odd.add(row, cell, p.skipBadRows)
		}
		s.piece.setText(row, []byte(text))
	}
}

func (p *chunkParser) putNumber(piece *piece, cell []byte, row int) {
	if p.isMissing(cell) {
		piece.setMissing(row)
		return
	}
	v, date, ok := parseValue(cell, p.decimal)
	if !ok {
		piece.odd.add(row, cell, p.skipBadRows)
		piece.setMissing(row)
		return
	}
	piece.dates = piece.dates || date
	piece.setNumber(row, v)
}

// close cuts a piece to the chunk's rows and counts what it holds.
func (p *chunkParser) close(s *sink, ch *chunk) {
	piece, rows := s.piece, ch.rows
	switch s.kind {
	case numberSink:
		if piece.f64 != nil {
			piece.f64 = piece.f64[:rows]
			p.wide[s.target].Store(true)
		} else {
			piece.f32 = piece.f32[:rows]
		}
		piece.blank(p.missingNumbers)
		piece.present = rows
		if piece.gaps {
			piece.present = present(piece.f32) + present(piece.f64) + piece.odd.count
		}
		// Later chunks of a column that looks like text need not be read twice.
		if p.targets[s.target].want == wantAny && piece.odd.count*10 > piece.present {
			p.text[s.target].Store(true)
		}
	case levelSink:
		piece.codes = piece.codes[:rows]
		if !p.gathered || p.leftOut {
			piece.noteLevels(ch.index)
			break
		}
		// Every new level has a row, and those known before came with earlier chunks.
		piece.levels = s.dict.levels
		for code := s.known; code < len(piece.levels); code++ {
			piece.fresh = append(piece.fresh, int32(code))
		}
	case textSink:
		piece.offsets = piece.offsets[:rows+1]
		piece.text = piece.text[:piece.offsets[rows]]
	default:
		return
	}
	if piece.odd.count > 0 && !p.skipBadRows && (s.kind != numberSink || p.targets[s.target].want == wantNumber) {
		p.stop.Store(true)
	}
}

// badShape notes a record that has the wrong number of cells, the last of the
// cells read so far ending at b[end], and returns the index behind the record.
func (p *chunkParser) badShape(b []byte, end, breaks, cells int, bad problem, ch *chunk) int {
	p.leftOut = true
	for i := range p.sinks {
		for s := &p.sinks[i]; s != nil; s = s.second {
			if s.piece != nil {
				s.piece.odd.forget(ch.rows)
			}
		}
	}
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
	e := &shapeError{line: ch.lines}
	switch {
	case bad == openQuote:
		e.text = "a quote is opened in this record and never closed"
		e.fix = "double the quotes that are part of the text, or remove it"
		e.fatal = true
	case bad == afterQuote:
		e.text = "text follows the closing quote of a cell"
		e.fix = "double the quotes that are part of the text, or set on_bad_row = \"skip\" to leave such rows out"
	default:
		e.text = fmt.Sprintf("%d %s, expected %d", cells, plural(cells, "cell"), len(p.sinks))
		if p.header {
			e.text += " as in the header"
		} else {
			e.text += " as in the first row"
		}
		e.fix = "quote cells that contain the separator, or set on_bad_row = \"skip\" to leave such rows out"
	}
	if ch.shape == nil || e.fatal && !ch.shape.fatal {
		ch.shape = e
	}
	ch.skipped++
	ch.lines += breaks + 1
	return end + 1
}
