package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/dictionary"
)

// tableBuilder turns chunks into a table: it infers the type of every column from all
// of its cells, joins the column chunks column by column and leaves out bad rows.
type tableBuilder struct {
	*chunk.Options
	files     []string // names; of length 0 for tables in memory
	chunks    []*chunk.Chunk
	whole     bool  // one chunk, whose numbers can be used as they are
	part      bool  // the chunk is a part of a stream, which ends at the first problem
	firsts    []int // row at which each chunk begins, and the number of rows
	columns   []*columnBuilder
	locations chunk.RowLocations
	notes     []string
	mixed     []*ParseError
	found     []*ParseError // cells and rows that cannot be read, whatever types the columns have
	empty     []emptyTarget

	readErr error // what ended the input early
	// reread reads columns again as text; nil where that is never needed.
	reread func(columns []*columnBuilder) error
}

// columnBuilder is a column on its way: column chunks first, then whole.
type columnBuilder struct {
	*chunk.Target
	chunks []*chunk.ColumnChunk

	f32    []float32
	f64    []float64
	sparse *Sparse
	*words
	large   int32 // row of the first number that float64 may have rounded, −1 without one
	number  bool  // known: becomes numbers, odd cells being bad
	dates   bool
	trimmed bool // blanks around cells were left out
}

// words are what a columnBuilder holds of levels, text and bad cells. Columns of good numbers share noWords,
// because a wide table has many of them.
type words struct {
	levels      []string // once the dictionaries are merged
	counts      []int
	modelLevels *chunk.ModelLevels // instead of them, of a part of a table whose codes are a model's

	codes   []int32
	text    []byte
	offsets []int32

	bad []int32     // rows of bad cells, ascending
	why *ParseError // the first of them
}

// noWords stays empty: ownWords comes before every change.
var noWords words

// ownWords makes the builder's words its own, which it may change.
func (c *columnBuilder) ownWords() *words {
	if c.words == &noWords {
		c.words = new(words)
	}
	return c.words
}

// mergeLevels makes one dictionary of those of the column chunks.
func (c *columnBuilder) mergeLevels() {
	levels, counts := chunk.Merge(c.chunks)
	if len(levels) > 0 || len(counts) > 0 || c.words != &noWords {
		w := c.ownWords()
		w.levels, w.counts = levels, counts
	}
}

// dropLevels lets go of levels that became numbers.
func (c *columnBuilder) dropLevels() {
	if c.words != &noWords {
		c.levels = nil
	}
}

// table makes the table of the targets' column chunks.
func (a *tableBuilder) table(targets []chunk.Target) (*Table, error) {
	if err := a.resolveColumns(targets); err != nil {
		return nil, err
	}
	if err := a.join(); err != nil {
		return nil, err
	}
	return a.finish()
}

// resolveColumns lines up the targets' column chunks and decides what the columns become.
func (a *tableBuilder) resolveColumns(targets []chunk.Target) error {
	a.locateRows()
	a.columns = make([]*columnBuilder, len(targets))
	builders, chunks, n := make([]columnBuilder, len(targets)), make([]*chunk.ColumnChunk, len(targets)*len(a.chunks)), len(a.chunks)
	for i := range targets {
		c := &builders[i]
		*c = columnBuilder{Target: &targets[i], large: -1, chunks: chunks[i*n : (i+1)*n : (i+1)*n], words: &noWords}
		for k, ch := range a.chunks {
			c.chunks[k] = &ch.Columns[i]
		}
		a.columns[i] = c
	}
	if a.rows() > a.MostRows {
		return chunk.Errorf("the table has %d rows; up to %d can be read", a.rows(), a.MostRows)
	}
	for _, step := range []func() error{a.checkCells, a.endedWell, a.readWritten, a.inferTypes, a.readAgain} {
		if err := step(); err != nil {
			return err
		}
	}
	for _, c := range a.columns {
		c.trimmed = !c.number && slices.ContainsFunc(c.chunks, func(p *chunk.ColumnChunk) bool { return p.Trimmed })
	}
	return nil
}

// locateRows numbers rows and lines over all chunks.
func (a *tableBuilder) locateRows() {
	a.firsts = make([]int, len(a.chunks)+1)
	line, file := 0, -1
	for k, ch := range a.chunks {
		if ch.File != file {
			file, line = ch.File, 1+ch.Before
		}
		for _, run := range ch.Runs {
			next := chunk.LineRun{Row: a.firsts[k] + run.Row, Line: line + run.Line, File: int32(file)}
			a.locations.Runs = chunk.AppendLineRun(a.locations.Runs, next)
		}
		if ch.Locations != nil {
			a.locations.Runs = ch.Locations
		}
		if ch.Shape != nil {
			ch.Shape.Line += line
		}
		a.locations.ByRow = a.locations.ByRow || ch.ByRow
		line += ch.Lines
		a.firsts[k+1] = a.firsts[k] + ch.Rows
	}
	if len(a.locations.Runs) > 0 {
		a.locations.Files = a.files
	}
}

func (a *tableBuilder) rows() int { return a.firsts[len(a.firsts)-1] }

// checkCells finds the first row of a wrong shape and, of each column, the first cell that is bad whatever the
// rest of its column holds, unless bad rows are skipped. It fails if that is all that can be found.
func (a *tableBuilder) checkCells() error {
	var found []*ParseError
	seen, shaped := make([]bool, len(a.columns)), false
	for k, ch := range a.chunks {
		if a.SkipBadRows {
			if !ch.Shape.Allows(true) {
				return a.badShape(ch)
			}
			continue
		}
		for i, c := range a.columns {
			p := c.chunks[k]
			if seen[i] || p.Numeric() && c.Want != chunk.WantNumber || len(p.Odd().First) == 0 {
				continue
			}
			seen[i], found = true, append(found, a.badCell(c, !p.Numeric(), a.oddFrom(c, k)...))
		}
		if ch.Shape != nil && !shaped {
			shaped, found = true, append(found, a.badShape(ch))
		}
		if !ch.Shape.Allows(true) {
			return a.problems(found)
		}
	}
	if a.part || a.readErr != nil {
		return a.problems(found)
	}
	a.found = found
	return nil
}

// endedWell returns the error that ended the input, which counts for less than bad
// cells before it.
func (a *tableBuilder) endedWell() error { return a.readErr }

func (a *tableBuilder) badShape(ch *chunk.Chunk) *ParseError {
	return &ParseError{File: a.files[ch.File], Line: ch.Shape.Line, Row: ch.ByRow,
		Column: ch.Shape.Column, Value: ch.Shape.Value, Want: ch.Shape.Text, Fix: ch.Shape.Fix}
}

// oddFrom returns the column's first few bad cells from chunk k on, by table row; of one that is broken that alone.
func (a *tableBuilder) oddFrom(c *columnBuilder, k int) []chunk.OddCell {
	if !c.chunks[k].Numeric() {
		first := c.chunks[k].Odd().First[0]
		return []chunk.OddCell{{Row: a.firsts[k] + first.Row, Text: first.Text}}
	}
	var cells []chunk.OddCell
	for ; k < len(c.chunks) && len(cells) < chunk.KeptOdd; k++ {
		cells = a.appendOdd(cells, c, k)
	}
	return cells[:min(len(cells), chunk.KeptOdd)]
}

// appendOdd appends a chunk's cells that are not numbers, if the others are.
func (a *tableBuilder) appendOdd(cells []chunk.OddCell, c *columnBuilder, k int) []chunk.OddCell {
	if c.chunks[k].Numeric() {
		for _, cell := range c.chunks[k].Odd().First {
			cells = chunk.AppendOdd(cells, chunk.OddCell{Row: a.firsts[k] + cell.Row, Text: cell.Text})
		}
	}
	return cells
}

// badCell describes cells that cannot stand in their column. A broken one is not text in the table's encoding, others
// are not numbers.
func (a *tableBuilder) badCell(c *columnBuilder, broken bool, cells ...chunk.OddCell) *ParseError {
	text := cells[0].Text
	e := &ParseError{Column: c.Name, Value: text}
	a.locations.Mark(e, cells[0].Row)
	switch {
	case broken:
		e.Want = "UTF-8 text"
		e.Fix = `set encoding = "latin1" or "cp1252" if the file is written in one of them`
		if a.locations.ByRow {
			e.Fix = fmt.Sprintf("leave the column out with ignore = [%q]", c.Name)
		}
	case c.Schema != nil:
		e.Want = "a number, and the model has numbers in this column"
		e.Fix = addMissing(cells)
		if c.Form != nil {
			e.Want = fmt.Sprintf("written as \"%v\", as in the table of the model", *c.Form)
		}
		if forms := chunk.FormsOf(a.Decimal, []string{text}); len(forms) > 0 && !chunk.AreCommaNumbers([]string{text}) {
			var ways []string
			for _, f := range forms {
				ways = append(ways, chunk.ParseHint(map[string]string{c.Name: f.String()}))
			}
			e.Fix = "give " + strings.Join(ways, " or ") + " if the table is written so"
		}
	case c.Form != nil:
		e.Want = fmt.Sprintf("written as \"%v\"", *c.Form)
		e.Fix = addMissing(cells)
	case c.Role == WeightRole:
		e.Want = "a number, and a weight has to be one"
	case c.Role == InitScoreRole:
		e.Want = "a number, and an init score has to be one"
	default:
		e.Want = "a number"
		e.Fix = fmt.Sprintf("set categorical = [%q] to use the column as text", c.Name)
	}
	a.addOthers(e, cells[1:])
	return e
}

// addMissing says how cells are declared to be missing values.
func addMissing(cells []chunk.OddCell) string {
	if len(cells) == 1 {
		return fmt.Sprintf("add %q to missing = […] if it means no value", cells[0].Text)
	}
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = cell.Text
	}
	return fmt.Sprintf("add %s to missing = […] if they mean no value", chunk.NameList(texts, len(texts)))
}

// addOthers says which other cells are not what was expected, and where the first of them are. A part of a stream does
// not know its place yet.
func (a *tableBuilder) addOthers(e *ParseError, others []chunk.OddCell) {
	for _, cell := range others[:min(len(others), shownOdd-1)] {
		_, line := a.locations.Locate(cell.Row)
		e.Want += fmt.Sprintf("; nor is %q", cell.Text)
		if !a.part {
			e.Want += fmt.Sprintf(" in %s %d", e.Unit(), line)
		}
	}
}

func (c *columnBuilder) anyNumeric() bool {
	return slices.ContainsFunc(c.chunks, (*chunk.ColumnChunk).Numeric)
}

// inferTypes decides for every column whether it becomes numbers, by this
// rule: all cells parse: numbers; fewer than 90 %: categories; between: an error.
func (a *tableBuilder) inferTypes() error {
	found := a.found
	for _, c := range a.columns {
		if c.Want == chunk.WantText || slices.ContainsFunc(a.found, func(e *ParseError) bool { return e.Column == c.Name }) {
			continue
		}
		c.mergeLevels()
		switch c.Want {
		case chunk.WantNumber:
			c.number = true
		case chunk.WantAny:
			err := a.inferType(c)
			if problem := (*ParseError)(nil); errors.As(err, &problem) {
				found = append(found, problem)
			} else if err != nil {
				return err
			}
		}
	}
	if label := a.labelled(); len(found) > 0 && label != nil && !slices.ContainsFunc(found, func(e *ParseError) bool { return e.Column == label.Name }) {
		if row := a.firstMissing(label); row >= 0 {
			found = append(found, a.unlabelled(label, row))
		}
	}
	return a.problems(found)
}

// firstMissing returns the first row of a column without a value, −1 if every row has one.
func (a *tableBuilder) firstMissing(c *columnBuilder) int {
	for k, p := range c.chunks {
		row := slices.IndexFunc(p.F32, func(v float32) bool { return v != v })
		row = max(row, slices.IndexFunc(p.F64, func(v float64) bool { return v != v }))
		if row = max(row, slices.Index(p.Codes, chunk.MissingCode)); row >= 0 {
			return a.firsts[k] + row
		}
	}
	return -1
}

// problems returns the problems of a table, in the order of its rows, as one error; nil if there are none.
func (a *tableBuilder) problems(found []*ParseError) error {
	switch len(found) {
	case 0:
		return nil
	case 1:
		return found[0]
	}
	slices.SortStableFunc(found, func(x, y *ParseError) int {
		switch {
		case a.before(x.File, x.Line, y):
			return -1
		case a.before(y.File, y.Line, x):
			return 1
		}
		return 0
	})
	return ParseErrors(found)
}

func (a *tableBuilder) inferType(c *columnBuilder) error {
	present, parsed := a.countLevels(c)
	for _, p := range c.chunks {
		if p.Numeric() {
			present += p.Present
			parsed += p.Present - p.Odd().Count
		}
	}
	if parsed < present || c.Parse == ParseDate && !c.allDates() {
		if found, err := a.findForm(c); found || err != nil {
			return err
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
	case a.Lenient:
		a.mixed = append(a.mixed, problem)
		return nil
	case a.SkipBadRows:
		c.number = true
		return nil
	}
	return problem
}

// allDates reports whether all cells, which are numbers, are dates.
func (c *columnBuilder) allDates() bool {
	for _, p := range c.chunks {
		if p.Numeric() && p.Present > 0 && !p.Dates {
			return false
		}
	}
	return !slices.ContainsFunc(c.levels, func(level string) bool { return !dictionary.IsDate(level) })
}

// countLevels returns how many cells of a column hold a level, and how many of those
// levels are numbers. Where all or none are, it returns the number of levels for that of
// cells, which takes no look at the cells.
func (a *tableBuilder) countLevels(c *columnBuilder) (present, parsed int) {
	odd := a.oddLevels(c)
	for _, odd := range odd {
		if !odd {
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
		if !odd[i] {
			parsed += count
		}
	}
	return present, parsed
}

// oddLevels marks the merged levels of a column that are no numbers.
func (a *tableBuilder) oddLevels(c *columnBuilder) []bool {
	odd := make([]bool, len(c.levels))
	for i, level := range c.levels {
		_, _, ok := c.ValueOf(level, a.Decimal)
		odd[i] = !ok
	}
	return odd
}

// shownOdd is the number of odd cells that a message shows with their places.
const shownOdd = 3

// mixedColumn describes a column that is neither clearly numbers nor clearly text.
func (a *tableBuilder) mixedColumn(c *columnBuilder, parsed, present int) *ParseError {
	cells := a.oddCells(c)
	e := &ParseError{Column: c.Name, Value: cells[0].Text}
	a.locations.Mark(e, cells[0].Row)
	e.Want = fmt.Sprintf("a number, as %.3g %% of the column's cells are", math.Floor(1000*float64(parsed)/float64(present))/10)
	a.addOthers(e, cells[1:])
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = cell.Text
	}
	e.Fix = fmt.Sprintf("set categorical = [%q] to use the column as text, %s, or set on_bad_row = \"skip\" to leave such rows out", c.Name, addMissing(cells))
	// Beside plain numbers, those with a unit and dates are not read in any form.
	if forms := chunk.FormsOf(a.Decimal, texts); len(forms) > 0 && forms[0].Bare() {
		ways := []string{chunk.ParseHint(map[string]string{c.Name: ParseNumber})}
		if len(forms) > 1 {
			ways = ways[:0]
			for _, f := range forms {
				ways = append(ways, chunk.ParseHint(map[string]string{c.Name: f.String()}))
			}
		}
		e.Fix = "give " + strings.Join(ways, " or ") + " to read numbers written so; " + e.Fix
	}
	return e
}

// oddCells returns the column's first few cells that are not numbers, by table row.
func (a *tableBuilder) oddCells(c *columnBuilder) []chunk.OddCell {
	odd := a.oddLevels(c)
	var cells []chunk.OddCell
	for k, p := range c.chunks {
		cells = a.appendOdd(cells, c, k)
		for row, code := range p.Codes {
			if code >= 0 && odd[code] && len(cells) < chunk.KeptOdd {
				cells = chunk.AppendOdd(cells, chunk.OddCell{Row: a.firsts[k] + row, Text: chunk.Excerpt([]byte(c.levels[code]))})
			}
		}
		if p.Summary != nil {
			for i, level := range p.Summary.Levels {
				if odd[level] && len(cells) < chunk.KeptOdd {
					cells = chunk.AppendOdd(cells, chunk.OddCell{Row: a.firsts[k] + int(p.Summary.Firsts[i]), Text: chunk.Excerpt([]byte(c.levels[level]))})
				}
			}
		}
		if len(cells) >= chunk.KeptOdd {
			return cells[:chunk.KeptOdd]
		}
	}
	return cells
}

// readAgain reads the columns that became text after some of their cells were
// taken for numbers once more, those columns only.
func (a *tableBuilder) readAgain() error {
	var late []*columnBuilder
	for _, c := range a.columns {
		if !c.number && c.Want != chunk.WantText && c.anyNumeric() {
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
		c.mergeLevels()
	}
	if err := a.checkCells(); err != nil {
		return err
	}
	return a.problems(a.found)
}

// count counts the cells of each level unless that was done.
func (c *columnBuilder) count() {
	if c.counts != nil || len(c.levels) == 0 {
		return
	}
	c.ownWords().counts = make([]int, len(c.levels))
	for _, p := range c.chunks {
		chunk.CountCodes(p.Codes, c.counts)
	}
}
