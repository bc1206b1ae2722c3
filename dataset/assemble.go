package dataset

import (
	"fmt"
	"math"
	"slices"
)

// assembly turns chunks into a table: it settles the type of every column by all
// of its cells, joins the pieces column by column and leaves out bad rows.
type assembly struct {
	*options
	files   []string // names; of length 0 for tables in memory
	chunks  []*chunk
	whole   bool  // one chunk, whose numbers can be used as they are
	firsts  []int // row at which each chunk begins, and the number of rows
	columns []*parts
	places  places
	notes   []string
	mixed   []*ParseError
	bare    []bareTarget

	readErr error // what ended the input early
	// reread reads columns again as text; nil where that is never needed.
	reread func(columns []*parts) error
}

// parts is a column on its way: pieces first, then whole.
type parts struct {
	target
	pieces []*piece
	number bool // settled: becomes numbers, odd cells being bad

	levels   []string // once the text pieces are merged
	counts   []int
	followed *followed // instead of them, of a part of a table whose codes are a model's

	f32     []float32
	f64     []float64
	sparse  *Sparse
	codes   []int32
	text    []byte
	offsets []int32
	bad     []int32     // rows of bad cells, ascending
	why     *ParseError // the first of them
	dates   bool
	large   int // row of the first number that float64 may have rounded, −1 without one
}

// table makes the table of the targets' pieces.
func (a *assembly) table(targets []target) (*Table, error) {
	if err := a.settled(targets); err != nil {
		return nil, err
	}
	if err := a.join(); err != nil {
		return nil, err
	}
	return a.finish()
}

// settled lines up the targets' pieces and settles what the columns become.
func (a *assembly) settled(targets []target) error {
	a.locateRows()
	for i, t := range targets {
		c := &parts{target: t, large: -1, pieces: make([]*piece, len(a.chunks))}
		for k, ch := range a.chunks {
			c.pieces[k] = &ch.pieces[i]
		}
		a.columns = append(a.columns, c)
	}
	if a.rows() > mostRows {
		return complain("the table has %d rows; up to %d can be read", a.rows(), mostRows)
	}
	for _, step := range []func() error{a.checkCells, a.endedWell, a.settle, a.readAgain} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// mostRows is the most rows of a table: an int32 numbers them. Tests lower it.
var mostRows = math.MaxInt32

// locateRows numbers rows and lines over all chunks.
func (a *assembly) locateRows() {
	a.firsts = make([]int, len(a.chunks)+1)
	line, file := 0, -1
	for k, ch := range a.chunks {
		if ch.file != file {
			file, line = ch.file, 1+ch.before
		}
		for _, run := range ch.runs {
			next := placeRun{row: a.firsts[k] + run.row, line: line + run.line, file: int32(file)}
			a.places.runs = appendRun(a.places.runs, next)
		}
		if ch.places != nil {
			a.places.runs = ch.places
		}
		if ch.shape != nil {
			ch.shape.line += line
		}
		a.places.byRow = a.places.byRow || ch.byRow
		line += ch.lines
		a.firsts[k+1] = a.firsts[k] + ch.rows
	}
	if len(a.places.runs) > 0 {
		a.places.files = a.files
	}
}

func (a *assembly) rows() int { return a.firsts[len(a.firsts)-1] }

// checkCells fails on the first row of a wrong shape or the first cell that is
// bad whatever the rest of its column holds, unless bad rows are skipped.
func (a *assembly) checkCells() error {
	for k, ch := range a.chunks {
		if a.skipBadRows {
			if !ch.shape.allows(true) {
				return a.badShape(ch)
			}
			continue
		}
		var first *oddCell
		var column *parts
		var broken bool
		for _, c := range a.columns {
			p := c.pieces[k]
			if p.numeric() && c.want != wantNumber || len(p.odd.first) == 0 {
				continue
			}
			if cell := &p.odd.first[0]; first == nil || cell.row < first.row {
				first, column, broken = cell, c, !p.numeric()
			}
		}
		if first != nil {
			return a.badCell(column, a.firsts[k]+first.row, first.text, broken)
		}
		if ch.shape != nil {
			return a.badShape(ch)
		}
	}
	return nil
}

// endedWell returns the error that ended the input, which counts for less than bad
// cells before it.
func (a *assembly) endedWell() error { return a.readErr }

func (a *assembly) badShape(ch *chunk) *ParseError {
	return &ParseError{File: a.files[ch.file], Line: ch.shape.line,
		Column: ch.shape.column, Value: ch.shape.value, Want: ch.shape.text, Fix: ch.shape.fix}
}

// badCell describes a cell that cannot stand in its column. A broken one is not
// text in the table's encoding, another is not a number.
func (a *assembly) badCell(c *parts, row int, text string, broken bool) *ParseError {
	e := &ParseError{Column: c.name, Value: text}
	a.places.mark(e, row)
	switch {
	case broken:
		e.Want = "UTF-8 text"
		e.Fix = `set encoding = "latin1" or "cp1252" if the file is written in one of them`
		if a.places.byRow {
			e.Fix = fmt.Sprintf("leave the column out with ignore = [%q]", c.name)
		}
	case c.schema != nil:
		e.Want = "a number, as the model has it in this column"
		e.Fix = fmt.Sprintf("add %q to missing = […] if it means no value", text)
	case c.role == WeightRole:
		e.Want = "a number, and a weight has to be one"
	case c.role == InitScoreRole:
		e.Want = "a number, and an init score has to be one"
	default:
		e.Want = "a number"
		e.Fix = fmt.Sprintf("set categorical = [%q] to use the column as text", c.name)
	}
	return e
}

func (c *parts) anyNumeric() bool {
	return slices.ContainsFunc(c.pieces, (*piece).numeric)
}

// settle decides for every column whether it becomes numbers, by this
// rule: all cells parse: numbers; fewer than 90 %: categories; between: an error.
func (a *assembly) settle() error {
	for _, c := range a.columns {
		if c.want == wantText {
			continue
		}
		c.levels, c.counts = merge(c.pieces)
		switch c.want {
		case wantNumber:
			c.number = true
		case wantAny:
			if err := a.settleByValue(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *assembly) settleByValue(c *parts) error {
	present, parsed := a.countLevels(c)
	for _, p := range c.pieces {
		if p.numeric() {
			present += p.present
			parsed += p.present - p.odd.count
		}
	}
	// In integers, so that exactly 90 % counts as between.
	switch {
	case parsed == present:
		c.number = true
		return nil
	case parsed*10 < present*9:
		return nil
	}
	problem := a.mixedColumn(c, parsed, present)
	switch {
	case a.lenient:
		a.mixed = append(a.mixed, problem)
		return nil
	case a.skipBadRows:
		c.number = true
		return nil
	}
	return problem
}

// countLevels returns how many cells of a column hold a level, and how many of those
// levels are numbers. Where all or none are, it returns the number of levels for that of
// cells, which takes no look at the cells.
func (a *assembly) countLevels(c *parts) (present, parsed int) {
	numbers := make([]bool, len(c.levels))
	for i, level := range c.levels {
		if _, _, numbers[i] = parseValue([]byte(level), a.decimal); numbers[i] {
			parsed++
		}
	}
	if (parsed == 0 || parsed == len(c.levels)) && !c.anyNumeric() {
		return len(c.levels), parsed
	}
	c.count()
	parsed = 0
	for i, count := range c.counts {
		present += count
		if numbers[i] {
			parsed += count
		}
	}
	return present, parsed
}

// mixedColumn describes a column that is neither clearly numbers nor clearly text.
func (a *assembly) mixedColumn(c *parts, parsed, present int) *ParseError {
	cells := a.oddCells(c)
	e := &ParseError{Column: c.name, Value: cells[0].text}
	a.places.mark(e, cells[0].row)
	e.Want = fmt.Sprintf("a number, as %.3g %% of the column's cells are", math.Floor(1000*float64(parsed)/float64(present))/10)
	for _, cell := range cells[1:] {
		_, line := a.places.locate(cell.row)
		unit := "line"
		if e.Row {
			unit = "row"
		}
		e.Want += fmt.Sprintf("; nor is %q in %s %d", cell.text, unit, line)
	}
	e.Fix = fmt.Sprintf("set categorical = [%q] to use the column as text, or add %q to missing = […] if it means no value",
		c.name, cells[0].text)
	return e
}

// oddCells returns the column's first few cells that are not numbers, by table row.
func (a *assembly) oddCells(c *parts) []oddCell {
	odd := make([]bool, len(c.levels))
	for i, level := range c.levels {
		_, _, ok := parseValue([]byte(level), a.decimal)
		odd[i] = !ok
	}
	var cells []oddCell
	for k, p := range c.pieces {
		for _, cell := range p.odd.first {
			if p.numeric() {
				cells = append(cells, oddCell{a.firsts[k] + cell.row, cell.text})
			}
		}
		for row, code := range p.codes {
			if code >= 0 && odd[code] && len(cells) < keptOdd {
				cells = append(cells, oddCell{a.firsts[k] + row, excerpt([]byte(c.levels[code]))})
			}
		}
		if p.summary != nil {
			for i, level := range p.summary.levels {
				if odd[level] && len(cells) < keptOdd {
					cells = append(cells, oddCell{a.firsts[k] + int(p.summary.firsts[i]), excerpt([]byte(c.levels[level]))})
				}
			}
		}
		if len(cells) >= keptOdd {
			return cells[:keptOdd]
		}
	}
	return cells
}

// readAgain reads the columns that became text after some of their cells were
// taken for numbers once more, those columns only.
func (a *assembly) readAgain() error {
	var late []*parts
	for _, c := range a.columns {
		if !c.number && c.want != wantText && c.anyNumeric() {
			late = append(late, c)
		}
	}
	if len(late) == 0 {
		return nil
	}
	if err := a.reread(late); err != nil {
		return err
	}
	for _, c := range late {
		c.levels, c.counts = merge(c.pieces)
	}
	return a.checkCells()
}

// count counts the cells of each level unless that was done.
func (c *parts) count() {
	if c.counts != nil {
		return
	}
	c.counts = make([]int, len(c.levels))
	for _, p := range c.pieces {
		countCodes(p.codes, c.counts)
	}
}
