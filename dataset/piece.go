package dataset

import (
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/array"
)

// defaultChunk is the number of bytes of text that one worker parses at a time.
const defaultChunk = 1 << 20

// chunk is what became of one stretch of text, or of a whole table in memory.
type chunk struct {
	index  int // place among the table's chunks
	rows   int // well-formed rows
	file   int
	byRow  bool    // the file has rows and no lines
	pieces []piece // by target

	share float64 // of the inputs that was read into the chunk, about; 0 where that is unknown
	spare *spare  // takes the buffers of the pieces once they were copied; may be nil

	before int        // lines of the file before the chunk, known for a file's first chunk
	lines  int        // line breaks in the text
	blank  int        // blank lines in the text
	runs   []placeRun // rows and lines counted from the chunk's own start, lines from 0
	places []placeRun // of a whole table: lines from 1, in place of runs
	// fileRows is the number of rows of each input; of a whole table only.
	fileRows []int
	rest     *Sparse     // of a whole table: Table.rest
	whole    bool        // the table has no other chunk, and its pieces can be used as they are
	amiss    bool        // what side files say of the rows may be about others; the source fails in the end
	skipped  int         // rows of a wrong shape that were left out
	shape    *shapeError // the first row of a wrong shape
}

// shapeError is a row that cannot be told into cells.
type shapeError struct {
	line   int    // within the chunk, from 0
	column string // of the cell that is at fault, if one is, with its text
	value  string
	text   string
	fix    string
	fatal  bool // what comes after it cannot be read either
}

// allows tells whether reading may go on after the error, if there is one.
func (e *shapeError) allows(skip bool) bool { return e == nil || skip && !e.fatal }

// begins notes that a row begins on a line, both counted in the chunk.
func (ch *chunk) begins(row, line int) {
	if n := len(ch.runs); n > 0 {
		if last := &ch.runs[n-1]; line-last.line == row-last.row {
			return
		}
	}
	ch.runs = append(ch.runs, placeRun{row: row, line: line})
}

// piece is the part of one column that lies in one chunk. Numbers, codes or text
// are set, by how the column was read at that time.
type piece struct {
	f32 []float32 // every value is exact in it
	f64 []float64 // at least one is not
	// sparse holds the numbers of a whole table in the sparse form.
	sparse *Sparse

	codes      []int32 // into dictionary until merged, then into the column's levels
	dictionary *dictionary
	followed   *followed // instead of it, once the codes are those of a model
	fresh      []int32   // levels of the dictionary, in order of first appearance in the chunk
	levels     []string  // of the dictionary when the piece was made
	joined     *levelSet // the column's dictionary in the making, once the codes are its own

	text    []byte
	offsets []int32 // where rows begin and end, less the first is where in text

	present int  // cells that are not missing, bad ones too
	gaps    bool // numbers: NaN was written
	dates   bool
	large   int32    // row, plus 1, of the first whole number beyond those that float64 tells apart; 0 without one
	odd     oddCells // cells that are not what the piece holds; NaN or brokenCode stands in their place

	summary *summary // what is left of the values, where they are not kept
}

func (p *piece) numeric() bool { return p.f32 != nil || p.f64 != nil || p.sparse != nil }

// blank makes numbers that mean "no value" missing.
func (p *piece) blank(missing []float64) {
	for _, v := range missing {
		if f := float32(v); float64(f) == v && blank(p.f32, f) || blank(p.f64, v) {
			p.gaps = true
		}
	}
}

// blank makes all cells of one value missing and tells whether there were any.
func blank[F float32 | float64](values []F, missing F) (found bool) {
	for i, v := range values {
		if v == missing {
			values[i] = F(math.NaN())
			found = true
		}
	}
	return found
}

// withoutNumbers returns values in which those that mean "no value" are missing: a copy
// where there are any, as they may be the caller's own or be read again as text.
func withoutNumbers[F float32 | float64](values []F, missing []float64) []F {
	copied := false
	for _, v := range missing {
		f := F(v)
		if float64(f) != v || !slices.Contains(values, f) {
			continue
		}
		if !copied {
			values, copied = slices.Clone(values), true
		}
		blank(values, f)
	}
	return values
}

// bytes returns how much memory the values take.
func (p *piece) bytes() int64 {
	n := 4*len(p.f32) + 8*len(p.f64) + 4*len(p.codes) + 4*max(0, len(p.offsets)-1) + len(p.text)
	if p.sparse != nil {
		n += 4*len(p.sparse.Rows) + 4*len(p.sparse.F32) + 8*len(p.sparse.F64)
	}
	return int64(n)
}

// rows returns the number of rows of a piece of numbers or codes.
func (p *piece) rows() int {
	if p.summary != nil {
		return p.summary.rows
	}
	return len(p.f32) + len(p.f64) + len(p.codes)
}

// oddCells collects cells that could not be read.
type oddCells struct {
	count int
	first []oddCell // up to keptOdd of them
	rows  []int32   // all, if rows are to be skipped
	last  int       // row of the latest, plus 1
}

// oddCell is one of them; the row counts from the start of the chunk.
type oddCell struct {
	row  int
	text string
}

// keptOdd is the number of odd cells per column and chunk that a message may show.
const keptOdd = 3

func (c *oddCells) add(row int, cell []byte, all bool) {
	c.count++
	c.last = row + 1
	if len(c.first) < keptOdd {
		c.first = append(c.first, oddCell{row, excerpt(cell)})
	}
	if all {
		c.rows = append(c.rows, int32(row))
	}
}

// forget takes back the latest cell if it is in the row: the row is to be left out.
func (c *oddCells) forget(row int) {
	if c.last != row+1 {
		return
	}
	c.count--
	c.last = 0
	if n := len(c.first); n > 0 && c.first[n-1].row == row {
		c.first = c.first[:n-1]
	}
	if n := len(c.rows); n > 0 && int(c.rows[n-1]) == row {
		c.rows = c.rows[:n-1]
	}
}

func present[F float32 | float64](values []F) int {
	n := 0
	for _, v := range values {
		if v == v {
			n++
		}
	}
	return n
}

// setNumber stores v, moving the piece to float64 at the first value that needs it.
func (p *piece) setNumber(row int, v float64) {
	if p.f64 == nil {
		f := float32(v)
		if float64(f) == v {
			p.f32[row] = f
			return
		}
		p.widen(row)
	}
	p.f64[row] = v
}

func (p *piece) widen(rows int) {
	p.f64 = make([]float64, len(p.f32))
	for i, v := range p.f32[:rows] {
		p.f64[i] = float64(v)
	}
	p.f32 = nil
}

func (p *piece) setMissing(row int) {
	p.gaps = true
	if p.f64 == nil {
		p.f32[row] = float32(math.NaN())
	} else {
		p.f64[row] = math.NaN()
	}
}

// setText stores the text of a row, in place of what a row that was left out may have
// written there before.
func (p *piece) setText(row int, text []byte) {
	p.offsets = p.offsets[:row+1]
	p.text = append(p.text[:p.offsets[row]], text...)
	p.offsets = append(p.offsets, int32(len(p.text)))
}

// addNumbers appends numbers, moving the piece to float64 at the first value that
// needs it.
func (p *piece) addNumbers(values []float64) {
	if p.f64 == nil {
		n := len(p.f32)
		p.f32 = slices.Grow(p.f32, len(values))[:n+len(values)]
		dst := p.f32[n:]
		for i, v := range values {
			f := float32(v)
			if float64(f) != v && v == v {
				p.f64 = make([]float64, n+i, cap(p.f32))
				for k, f := range p.f32[:n+i] {
					p.f64[k] = float64(f)
				}
				p.f32 = nil
				values = values[i:]
				break
			}
			dst[i] = f
		}
		if p.f64 == nil {
			return
		}
	}
	p.f64 = append(p.f64, values...)
}

// addText appends a row of text.
func (p *piece) addText(text []byte) error {
	if len(p.text)+len(text) > math.MaxInt32 {
		return &tooMuchText{}
	}
	p.text = append(p.text, text...)
	p.offsets = append(p.offsets, int32(len(p.text)))
	return nil
}

// setLarge finds out whether the numbers are whole ones of which some lie at 2⁵³ or beyond, but
// not beyond 64 bits: a number of a thing then, which float64 rounds, and no quantity.
// They may be exact in float32 once they are rounded.
func (p *piece) setLarge() {
	at := -1
	switch {
	case p.summary != nil: // it was found out before the values were left aside
		return
	case p.sparse != nil:
		if i := firstLarge(p.sparse.F32, p.sparse.F64); i >= 0 {
			at = int(p.sparse.Rows[i])
		}
	default:
		at = firstLarge(p.f32, p.f64)
	}
	p.large = int32(at + 1)
}

// levelsToNumbers turns a piece of levels into one of numbers and returns the rows
// whose level is none.
func (p *piece) levelsToNumbers(o *options) (odd []int32) {
	values := make(map[int32]float64, len(p.fresh))
	for _, code := range p.fresh {
		if v, _, ok := parseValue([]byte(p.dictionary.levels[code]), o.decimal); ok {
			if slices.Contains(o.missingNumbers, v) {
				v = math.NaN()
			}
			values[code] = v
		}
	}
	p.f64 = make([]float64, len(p.codes))
	for row, code := range p.codes {
		p.f64[row] = math.NaN()
		if code == missingCode {
			continue
		}
		v, ok := values[code]
		if !ok {
			odd = append(odd, int32(row))
			continue
		}
		p.f64[row] = v
	}
	return odd
}

// drop takes rows, which ascend, off a piece whose values are kept.
func (p *piece) drop(bad []int32, chunk int) {
	if len(bad) == 0 {
		return
	}
	switch {
	case p.numeric():
		p.f32, p.f64 = dropRows(p.f32, bad), dropRows(p.f64, bad)
		p.present = present(p.f32) + present(p.f64)
	case p.codes != nil:
		p.codes = dropRows(p.codes, bad)
		clear(p.dictionary.seen)
		p.noteLevels(chunk)
	}
}

// odd says whether a cell could not be read.
func (ch *chunk) odd() bool {
	for i := range ch.pieces {
		if ch.pieces[i].odd.count > 0 {
			return true
		}
	}
	return false
}

// giveUp marks a chunk whose last record goes on for too long.
func (ch *chunk) giveUp() {
	if ch.shape.allows(true) {
		ch.shape = &shapeError{line: max(0, ch.lines-1), fatal: true,
			text: "this record is longer than 64 MiB", fix: "is this a CSV or TSV file?"}
	}
}

// followed are levels of which those of a model are the first.
type followed struct {
	levels []string
	array  *array.String // of them, nil if it is yet to be made
}

// firstLarge returns the index of the first number from 2⁵³ on where all are whole and of
// up to 64 bits; −1 without one. One of the slices is empty.
func firstLarge(narrow []float32, wide []float64) int {
	// Mostly there is none, which is soon seen by the bits, less the sign, alone.
	const large32, large64 = 0x5A000000, 0x4340 << 48 // 2⁵³
	first := -1
	for i, v := range narrow {
		if math.Float32bits(v)&(1<<31-1) > large32-1 && v == v {
			first = i
			break
		}
	}
	for i, v := range wide {
		if math.Float64bits(v)&(1<<63-1) > large64-1 && v == v {
			first = i
			break
		}
	}
	if first < 0 {
		return -1
	}
	for _, v := range narrow {
		if !isNumbering(float64(v)) {
			return -1
		}
	}
	for _, v := range wide {
		if !isNumbering(v) {
			return -1
		}
	}
	return first
}

// tooMuchText is text that the offsets of a column cannot reach.
type tooMuchText struct{}

func (*tooMuchText) Plain() {}

func (*tooMuchText) Error() string { return "it holds more than 2 GiB of text; leave it out of id" }

// isNumbering tells whether a cell may be a number of a thing: whole, of up to 64 bits, or
// missing.
func isNumbering(v float64) bool { return v != v || v == math.Trunc(v) && math.Abs(v) <= 1<<64 }
