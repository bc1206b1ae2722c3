package build

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/dictionary"
	"boost/dataset/internal/written"
)

func (c *Column) anyNumeric() bool {
	return slices.ContainsFunc(c.Chunks, (*chunk.ColumnChunk).Numeric)
}

// inferTypes decides for every column whether it becomes numbers, by this
// rule: all cells parse: numbers; fewer than 90 %: categories; between: an error.
func (a *Builder) inferTypes() error {
	found := a.found
	for _, c := range a.Columns {
		if c.Want == chunk.WantText || slices.ContainsFunc(a.found, func(e *chunk.ParseError) bool { return e.Column == c.Name }) {
			continue
		}
		c.MergeLevels()
		switch c.Want {
		case chunk.WantNumber:
			c.Number = true
		case chunk.WantAny:
			err := a.inferType(c)
			if problem := (*chunk.ParseError)(nil); errors.As(err, &problem) {
				found = append(found, problem)
			} else if err != nil {
				return err
			}
		}
	}
	if label := a.Labelled(); len(found) > 0 && label != nil && !slices.ContainsFunc(found, func(e *chunk.ParseError) bool { return e.Column == label.Name }) {
		if row := a.firstMissing(label); row >= 0 {
			found = append(found, a.Unlabelled(label, row))
		}
	}
	return a.problems(found)
}

// firstMissing returns the first row of a column without a value, −1 if every row has one.
func (a *Builder) firstMissing(c *Column) int {
	for k, p := range c.Chunks {
		row := slices.IndexFunc(p.F32, func(v float32) bool { return v != v })
		row = max(row, slices.IndexFunc(p.F64, func(v float64) bool { return v != v }))
		if row = max(row, slices.Index(p.Codes, chunk.MissingCode)); row >= 0 {
			return a.Firsts[k] + row
		}
	}
	return -1
}

// problems returns the problems of a table, in the order of its rows, as one error; nil if there are none.
func (a *Builder) problems(found []*chunk.ParseError) error {
	if again := a.namesAgain(found); again != nil {
		return again
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
		return found[0]
	}
	slices.SortStableFunc(found, func(x, y *chunk.ParseError) int {
		switch {
		case a.before(x.File, x.Line, y):
			return -1
		case a.before(y.File, y.Line, x):
			return 1
		}
		return 0
	})
	return chunk.ParseErrors(found)
}

// namesAgain returns the error about a line that has the names of the columns once more, nil if there is something else among the
// problems of a table, of which there are several, or one, or where all columns are text, none.
func (a *Builder) namesAgain(found []*chunk.ParseError) error {
	var at *chunk.ParseError
	isThere := func(e *chunk.ParseError) bool {
		at = cmp.Or(at, e)
		return e.File == at.File && e.Line == at.Line && e.Row == at.Row
	}
	for _, e := range found {
		if !isThere(e) || e.Column == "" || strings.TrimPrefix(e.Value, chunk.ByteOrderMark) != e.Column {
			return nil
		}
	}
	fix := "delete such lines, or give the files one beside the other"
	if len(found) < 2 {
		if names := a.levelsLikeNames(found); names == nil || len(names)+2*len(found) < fewestNames || slices.ContainsFunc(names, func(e *chunk.ParseError) bool { return !isThere(e) }) {
			return nil
		}
	}
	if len(found) > 0 {
		fix = a.OrSkip(fix)
	}
	return &chunk.ParseError{File: at.File, Line: at.Line, Row: at.Row, Want: "the names of the columns stand here once more, as where files are joined", Fix: fix}
}

// fewestNames is the number of columns from which a row of text that equals all their names is no row of the table.
const fewestNames = 3

// levelsLikeNames returns the first cell of each column that is the column's name, but for columns with problems and ids;
// nil if one has no such cell, or if the types of the columns are known.
func (a *Builder) levelsLikeNames(found []*chunk.ParseError) (cells []*chunk.ParseError) {
	for _, c := range a.Columns {
		if c.Want == chunk.WantText || len(found) > 0 && found[0].Column == c.Name {
			continue
		}
		level := slices.Index(c.Levels, c.Name)
		if level < 0 || c.Schema != nil || c.anyNumeric() {
			return nil
		}
		isName := make([]bool, len(c.Levels))
		isName[level] = true
		k, row := 0, -1
		for row < 0 && k < len(c.Chunks) {
			row = c.Chunks[k].FirstOf(isName)
			k++
		}
		if row < 0 {
			return nil
		}
		e := &chunk.ParseError{}
		a.Locations.Mark(e, a.Firsts[k-1]+row)
		cells = append(cells, e)
	}
	return cells
}

func (a *Builder) inferType(c *Column) error {
	present, parsed := a.countLevels(c)
	for _, p := range c.Chunks {
		if p.Numeric() {
			present += p.Present
			parsed += p.Present - p.Odd().Count
		}
	}
	if parsed < present && !c.readAsNumbers() || c.Parse == chunk.ParseAsDate && !c.allDates() {
		if found, err := a.FindForm(c); found || err != nil {
			return err
		}
	}
	// In integers, so that exactly 90 % counts as between.
	switch {
	case parsed == present:
		c.Number = true
		return nil
	case parsed*10 < present*9:
		return nil
	}
	problem := a.mixedColumn(c, parsed, present)
	switch {
	case a.Lenient:
		a.Mixed = append(a.Mixed, problem)
		return nil
	case a.SkipBadRows:
		c.Number = true
		return nil
	}
	return problem
}

// readAsNumbers reports whether some of the chunks were read as plain numbers from text: then the levels of the others, which
// may be few, do not say in which form all cells are written. Which chunks are read so can differ from run to run.
func (c *Column) readAsNumbers() bool {
	return slices.ContainsFunc(c.Chunks, func(p *chunk.ColumnChunk) bool { return p.Numeric() && !p.Typed })
}

// allDates reports whether all cells, which are numbers, are dates.
func (c *Column) allDates() bool {
	for _, p := range c.Chunks {
		if p.Numeric() && p.Present > 0 && !p.Dates {
			return false
		}
	}
	return !slices.ContainsFunc(c.Levels, func(level string) bool { return !dictionary.IsDate(level) })
}

// countLevels returns how many cells of a column hold a level, and how many of those
// levels are numbers. Where all or none are, it returns the number of levels for that of
// cells, which takes no look at the cells.
func (a *Builder) countLevels(c *Column) (present, parsed int) {
	odd := a.OddLevels(c)
	for _, odd := range odd {
		if !odd {
			parsed++
		}
	}
	if (parsed == 0 || parsed == len(c.Levels)) && !c.anyNumeric() {
		return len(c.Levels), parsed
	}
	c.count()
	parsed = 0
	for i, count := range c.Counts {
		present += count
		if !odd[i] {
			parsed += count
		}
	}
	return present, parsed
}

// OddLevels marks the merged levels of a column that are no numbers.
func (a *Builder) OddLevels(c *Column) []bool {
	odd := make([]bool, len(c.Levels))
	for i, level := range c.Levels {
		_, _, ok := c.ValueOf(level, a.Decimal)
		odd[i] = !ok
	}
	return odd
}

// shownOdd is the number of odd cells that a message shows with their places.
const shownOdd = 3

// mixedColumn describes a column that is neither clearly numbers nor clearly text.
func (a *Builder) mixedColumn(c *Column, parsed, present int) *chunk.ParseError {
	cells := a.oddCells(c)
	e := &chunk.ParseError{Column: c.Name, Value: cells[0].Text}
	a.Locations.Mark(e, cells[0].Row)
	e.Want = fmt.Sprintf("a number, as %.3g %% of the column's cells are", math.Floor(1000*float64(parsed)/float64(present))/10)
	if written.NoDay(e.Value) {
		e.Want = strings.Replace(e.Want, "a number", "a day of the calendar", 1)
	}
	a.addOthers(e, cells[1:])
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = cell.Text
	}
	e.Fix = a.OrSkip(fmt.Sprintf("set categorical = [%q] to use the column as text, %s", c.Name, addMissing(cells)))
	// Beside plain numbers, those with a unit and dates are not read in any form.
	if forms := chunk.FormsOf(a.Decimal, texts); len(forms) > 0 && forms[0].Bare() {
		ways := []string{chunk.ParseHint(map[string]string{c.Name: chunk.ParseAsNumber})}
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
func (a *Builder) oddCells(c *Column) []chunk.OddCell {
	odd := a.OddLevels(c)
	var cells []chunk.OddCell
	for k, p := range c.Chunks {
		cells = a.appendOdd(cells, c, k)
		for row, code := range p.Codes {
			if code >= 0 && odd[code] && len(cells) < chunk.KeptOdd {
				cells = chunk.AppendOdd(cells, chunk.OddCell{Row: a.Firsts[k] + row, Text: chunk.Excerpt([]byte(c.Levels[code]))})
			}
		}
		if p.Summary != nil {
			for i, level := range p.Summary.Levels {
				if odd[level] && len(cells) < chunk.KeptOdd {
					cells = chunk.AppendOdd(cells, chunk.OddCell{Row: a.Firsts[k] + int(p.Summary.Firsts[i]), Text: chunk.Excerpt([]byte(c.Levels[level]))})
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
func (a *Builder) readAgain() error {
	var late []*Column
	for _, c := range a.Columns {
		if !c.Number && c.Want != chunk.WantText && c.anyNumeric() {
			late = append(late, c)
		}
	}
	if len(late) == 0 {
		return nil
	}
	if err := a.Reread(late); err != nil {
		return err
	}
	for _, c := range late {
		c.MergeLevels()
	}
	if err := a.checkCells(); err != nil {
		return err
	}
	return a.problems(a.found)
}

// count counts the cells of each level unless that was done.
func (c *Column) count() {
	if c.Counts != nil || len(c.Levels) == 0 {
		return
	}
	c.ownWords().Counts = make([]int, len(c.Levels))
	for _, p := range c.Chunks {
		chunk.CountCodes(p.Codes, c.Counts)
	}
}
