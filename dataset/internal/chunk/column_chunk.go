package chunk

import (
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/array"
)

// ColumnChunk is the part of one column that lies in one chunk. Numbers, codes or text
// are set, by how the column was read at that time.
type ColumnChunk struct {
	F32 []float32 // every value is exact in it
	F64 []float64 // at least one is not
	// Sparse holds the numbers of a whole table in the sparse form.
	Sparse *Sparse
	*Words // of levels and text; never nil

	Present int  // cells that are not missing, bad ones too
	Gaps    bool // numbers: NaN was written
	Trimmed bool // levels: blanks around cells were left out
	Typed   bool // numbers: they were stored as such, and not as text
	Dates   bool
	Large   int32     // row, plus 1, of the first whole number beyond those that float64 tells apart; 0 without one, −1 where not all are whole and of up to 64 bits
	odd     *OddCells // nil without any; see Odd

	Summary *Summary // what is left of the values, where they are not kept
}

// Words are what a ColumnChunk holds of levels and text. Those of numbers share noWords, because a wide table has
// many of them.
type Words struct {
	Codes       []int32 // into dictionary until merged, then into the column's levels
	Dictionary  *Dictionary
	ModelLevels *ModelLevels // instead of it, once the codes are those of a model
	Fresh       []int32      // levels of the dictionary, in order of first appearance in the chunk
	Levels      []string     // of the dictionary when the column chunk was made
	joined      *levelSet    // the column's dictionary in the making, once the codes are its own

	Text    []byte
	Offsets []int32 // where rows begin and end, less the first is where in text
}

// noWords stays empty: OwnWords comes before every change.
var noWords Words

// NewColumns returns empty column chunks.
func NewColumns(n int) []ColumnChunk {
	columns := make([]ColumnChunk, n)
	for i := range columns {
		columns[i].Words = &noWords
	}
	return columns
}

// NewColumn returns an empty column chunk.
func NewColumn() *ColumnChunk { return &ColumnChunk{Words: &noWords} }

// OwnWords makes the words the column chunk's own, which it may change.
func (p *ColumnChunk) OwnWords() *Words {
	if p.Words == &noWords {
		p.Words = new(Words)
	}
	return p.Words
}

func (p *ColumnChunk) Numeric() bool { return p.F32 != nil || p.F64 != nil || p.Sparse != nil }

// Blank makes numbers that mean "no value" missing.
func (p *ColumnChunk) Blank(missing []float64) {
	for _, v := range missing {
		if f := float32(v); float64(f) == v && blank(p.F32, f) || blank(p.F64, v) {
			p.Gaps = true
		}
	}
}

// blank makes all cells of one value missing and reports whether there were any.
func blank[F float32 | float64](values []F, missing F) (found bool) {
	for i, v := range values {
		if v == missing {
			values[i] = F(math.NaN())
			found = true
		}
	}
	return found
}

// WithoutNumbers returns values in which those that mean "no value" are missing: a copy
// where there are any, as they may be the caller's own or be read again as text.
func WithoutNumbers[F float32 | float64](values []F, missing []float64) []F {
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

// Bytes returns how much memory the values take.
func (p *ColumnChunk) Bytes() int64 {
	n := 4*len(p.F32) + 8*len(p.F64) + 4*len(p.Codes) + 4*max(0, len(p.Offsets)-1) + len(p.Text)
	if p.Sparse != nil {
		n += 4*len(p.Sparse.Rows) + 4*len(p.Sparse.F32) + 8*len(p.Sparse.F64)
	}
	return int64(n)
}

// Rows returns the number of rows of a column chunk of numbers or codes.
func (p *ColumnChunk) Rows() int {
	if p.Summary != nil {
		return p.Summary.Rows
	}
	return len(p.F32) + len(p.F64) + len(p.Codes)
}

// Odd returns the cells that are not what the column chunk holds; NaN or BrokenCode stands in their
// place. It must not be changed.
func (p *ColumnChunk) Odd() *OddCells {
	if p.odd == nil {
		return &noOddCells
	}
	return p.odd
}

var noOddCells OddCells

// AddOdd notes a cell that could not be read.
func (p *ColumnChunk) AddOdd(row int, cell []byte, all bool) {
	if p.odd == nil { // hardly any column chunk has one, and a wide table has many column chunks
		p.odd = new(OddCells)
	}
	p.odd.add(row, cell, all)
}

// NoteBroken notes of an odd cell among numbers that it is not text in the table's encoding either.
func (p *ColumnChunk) NoteBroken(row int, cell []byte) {
	if p.odd.broken == nil {
		p.odd.broken = &OddCell{row, Excerpt(cell)}
	}
}

// Broken returns the first cell that is neither a number nor text in the table's encoding: it is bad whatever the
// column holds.
func (p *ColumnChunk) Broken() (cell OddCell, ok bool) {
	odd := p.Odd()
	switch {
	case !p.Numeric() && len(odd.First) > 0:
		return odd.First[0], true
	case odd.broken != nil:
		return *odd.broken, true
	}
	return OddCell{}, false
}

// ForgetOdd takes back the latest odd cell if it is in the row: the row is to be left out.
func (p *ColumnChunk) ForgetOdd(row int) {
	if p.odd != nil {
		p.odd.forget(row)
	}
}

// DropOdd forgets all odd cells.
func (p *ColumnChunk) DropOdd() { p.odd = nil }

// OddCells collects cells that could not be read.
type OddCells struct {
	Count int
	First []OddCell // up to KeptOdd of them
	Rows  []int32   // all, if rows are to be skipped
	last  int       // row of the latest, plus 1

	broken *OddCell // among numbers, the first that is no text either
}

// OddCell is one of them; the row counts from the start of the chunk.
type OddCell struct {
	Row  int
	Text string
}

// KeptOdd is the number of odd cells per column and chunk that a message may show. They have different texts.
const KeptOdd = 8

func (c *OddCells) add(row int, cell []byte, all bool) {
	c.Count++
	c.last = row + 1
	if len(c.First) < KeptOdd {
		c.First = AppendOdd(c.First, OddCell{row, Excerpt(cell)})
	}
	if all {
		c.Rows = append(c.Rows, int32(row))
	}
}

// AppendOdd appends a cell unless there is one with its text.
func AppendOdd(cells []OddCell, cell OddCell) []OddCell {
	if slices.ContainsFunc(cells, func(c OddCell) bool { return c.Text == cell.Text }) {
		return cells
	}
	return append(cells, cell)
}

func (c *OddCells) forget(row int) {
	if c.last != row+1 {
		return
	}
	c.Count--
	c.last = 0
	if n := len(c.First); n > 0 && c.First[n-1].Row == row {
		c.First = c.First[:n-1]
	}
	if n := len(c.Rows); n > 0 && int(c.Rows[n-1]) == row {
		c.Rows = c.Rows[:n-1]
	}
	if c.broken != nil && c.broken.Row == row {
		c.broken = nil
	}
}

func Present[F float32 | float64](values []F) int {
	n := 0
	for _, v := range values {
		if v == v {
			n++
		}
	}
	return n
}

// SetNumber stores v, moving the column chunk to float64 at the first value that needs it.
func (p *ColumnChunk) SetNumber(row int, v float64) {
	if p.F64 == nil {
		f := float32(v)
		if float64(f) == v {
			p.F32[row] = f
			return
		}
		p.widen(row)
	}
	p.F64[row] = v
}

func (p *ColumnChunk) widen(rows int) {
	p.F64 = make([]float64, len(p.F32))
	for i, v := range p.F32[:rows] {
		p.F64[i] = float64(v)
	}
	p.F32 = nil
}

func (p *ColumnChunk) SetMissing(row int) {
	p.Gaps = true
	if p.F64 == nil {
		p.F32[row] = float32(math.NaN())
	} else {
		p.F64[row] = math.NaN()
	}
}

// SetText stores the text of a row, in place of what a row that was left out may have
// written there before.
func (p *ColumnChunk) SetText(row int, text []byte) {
	p.Offsets = p.Offsets[:row+1]
	p.Text = append(p.Text[:p.Offsets[row]], text...)
	p.Offsets = append(p.Offsets, int32(len(p.Text)))
}

// AddNumbers appends numbers, moving the column chunk to float64 at the first value that
// needs it.
func (p *ColumnChunk) AddNumbers(values []float64) {
	if p.F64 == nil {
		n := len(p.F32)
		p.F32 = slices.Grow(p.F32, len(values))[:n+len(values)]
		dst := p.F32[n:]
		for i, v := range values {
			f := float32(v)
			if float64(f) != v && v == v {
				p.F64 = make([]float64, n+i, cap(p.F32))
				for k, f := range p.F32[:n+i] {
					p.F64[k] = float64(f)
				}
				p.F32 = nil
				values = values[i:]
				break
			}
			dst[i] = f
		}
		if p.F64 == nil {
			return
		}
	}
	p.F64 = append(p.F64, values...)
}

// AddText appends a row of text.
func (p *ColumnChunk) AddText(text []byte) error {
	if len(p.Text)+len(text) > math.MaxInt32 {
		return &tooMuchText{}
	}
	p.Text = append(p.Text, text...)
	p.Offsets = append(p.Offsets, int32(len(p.Text)))
	return nil
}

// SetLarge finds out whether the numbers are whole ones of which some lie at 2⁵³ or beyond, but
// not beyond 64 bits: a number of a thing then, which float64 rounds, and no quantity.
// They may be exact in float32 once they are rounded.
func (p *ColumnChunk) SetLarge() {
	at := -1
	switch {
	case p.Summary != nil: // it was found out before the values were left aside
		return
	case p.Sparse != nil:
		if at = firstLarge(p.Sparse.F32, p.Sparse.F64); at >= 0 {
			at = int(p.Sparse.Rows[at])
		}
	default:
		at = firstLarge(p.F32, p.F64)
	}
	p.Large = int32(at + 1)
}

// LevelsToNumbers turns a column chunk of levels into one of numbers and returns the rows
// whose level is none.
func (p *ColumnChunk) LevelsToNumbers(t *Target, o *Dialect) (odd []int32) {
	values := make(map[int32]float64, len(p.Fresh))
	for _, code := range p.Fresh {
		if v, _, ok := t.ValueOf(p.Dictionary.Levels[code], o.Decimal); ok {
			if slices.Contains(o.MissingNumbers, v) {
				v = math.NaN()
			}
			values[code] = v
		}
	}
	p.F64 = make([]float64, len(p.Codes))
	for row, code := range p.Codes {
		p.F64[row] = math.NaN()
		if code == MissingCode {
			continue
		}
		v, ok := values[code]
		if !ok {
			odd = append(odd, int32(row))
			continue
		}
		p.F64[row] = v
	}
	return odd
}

// Drop takes rows, which ascend, off a column chunk whose values are kept.
func (p *ColumnChunk) Drop(bad []int32, chunk int) {
	if len(bad) == 0 {
		return
	}
	switch {
	case p.Numeric():
		p.F32, p.F64 = DropRows(p.F32, bad), DropRows(p.F64, bad)
		p.Present = Present(p.F32) + Present(p.F64)
	case p.Codes != nil:
		p.Codes = DropRows(p.Codes, bad)
		clear(p.Dictionary.seen)
		p.NoteLevels(chunk)
	}
}

// ModelLevels are levels of which those of a model are the first.
type ModelLevels struct {
	Levels []string
	Array  *array.String // of them, nil if it is yet to be made
}

// firstLarge returns the index of the first number from 2⁵³ on, −1 without one, and −2 where not all are whole and of up to 64 bits. One of
// the slices is empty.
func firstLarge(f32 []float32, f64 []float64) int {
	for _, v := range f32 {
		if !IsNumbering(float64(v)) {
			return -2
		}
	}
	for _, v := range f64 {
		if !IsNumbering(v) {
			return -2
		}
	}
	// Mostly there is none, which is soon seen by the bits, less the sign, alone.
	const large32, large64 = 0x5A000000, 0x4340 << 48 // 2⁵³
	for i, v := range f32 {
		if math.Float32bits(v)&(1<<31-1) > large32-1 && v == v {
			return i
		}
	}
	for i, v := range f64 {
		if math.Float64bits(v)&(1<<63-1) > large64-1 && v == v {
			return i
		}
	}
	return -1
}

// tooMuchText is text that the offsets of a column cannot reach.
type tooMuchText struct{}

func (*tooMuchText) Plain() {}

func (*tooMuchText) Error() string { return "it holds more than 2 GiB of text; leave it out of id" }

// ExactWhole is 2⁵³: 2⁵³+1 is rounded to it.
const ExactWhole = 1 << 53

// IsNumbering reports whether a cell may be a number of a thing: whole, of up to 64 bits, or
// missing.
func IsNumbering(v float64) bool { return v != v || v == math.Trunc(v) && math.Abs(v) <= 1<<64 }

// AllExact reports whether float32 holds every value exactly.
func AllExact(values []float64) bool {
	for _, v := range values {
		if float64(float32(v)) != v && v == v {
			return false
		}
	}
	return true
}
