package build

import (
	"fmt"
	"strings"

	"boost/dataset/internal/chunk"
)

// checkCells finds the first row of a wrong shape and, of each column, the first cell that is bad whatever the
// rest of its column holds, unless bad rows are skipped. It fails if that is all that can be found.
func (a *Builder) checkCells() error {
	var found []*chunk.ParseError
	seen, shaped := make([]bool, len(a.Columns)), false
	for k, ch := range a.Chunks {
		if a.SkipBadRows {
			if !ch.Shape.Allows(true) {
				return a.BadShape(ch)
			}
			continue
		}
		for i, c := range a.Columns {
			if seen[i] {
				continue
			}
			if bad := a.badIn(c, k); bad != nil {
				seen[i], found = true, append(found, bad)
			}
		}
		if ch.Shape != nil && !shaped {
			shaped, found = true, append(found, a.BadShape(ch))
		}
		if !ch.Shape.Allows(true) {
			return a.problems(found)
		}
	}
	if a.Part || a.ReadErr != nil {
		return a.problems(found)
	}
	a.found = found
	return nil
}

// endedWell returns the error that ended the input, which counts for less than bad
// cells before it.
func (a *Builder) endedWell() error { return a.ReadErr }

func (a *Builder) BadShape(ch *chunk.Chunk) *chunk.ParseError {
	return &chunk.ParseError{File: a.Files[ch.File], Line: ch.Shape.Line, Row: ch.ByRow,
		Column: ch.Shape.Column, Value: ch.Shape.Value, Want: ch.Shape.Text, Fix: ch.Shape.Fix}
}

// badIn describes the first cell of chunk k that is bad in its column whatever the rest of it holds, nil if there is none.
func (a *Builder) badIn(c *Column, k int) *chunk.ParseError {
	p := c.Chunks[k]
	if p.Numeric() && c.Want == chunk.WantNumber {
		if len(p.Odd().First) == 0 {
			return nil
		}
		var cells []chunk.OddCell
		for ; k < len(c.Chunks) && len(cells) < chunk.KeptOdd; k++ {
			cells = a.appendOdd(cells, c, k)
		}
		return a.BadCell(c, false, cells[:min(len(cells), chunk.KeptOdd)]...)
	}
	cell, ok := p.Broken()
	if !ok {
		return nil
	}
	cell.Row += a.Firsts[k]
	return a.BadCell(c, true, cell)
}

// appendOdd appends a chunk's cells that are not numbers, if the others are.
func (a *Builder) appendOdd(cells []chunk.OddCell, c *Column, k int) []chunk.OddCell {
	if c.Chunks[k].Numeric() {
		for _, cell := range c.Chunks[k].Odd().First {
			cells = chunk.AppendOdd(cells, chunk.OddCell{Row: a.Firsts[k] + cell.Row, Text: cell.Text})
		}
	}
	return cells
}

// BadCell describes cells that cannot stand in their column. A broken one is not text in the table's encoding, others
// are not numbers.
func (a *Builder) BadCell(c *Column, broken bool, cells ...chunk.OddCell) *chunk.ParseError {
	text := cells[0].Text
	e := &chunk.ParseError{Column: c.Name, Value: text}
	a.Locations.Mark(e, cells[0].Row)
	switch {
	case broken:
		e.Want = "UTF-8 text"
		e.Fix = `set encoding = "latin1" or "cp1252" if the file is written in one of them`
		if a.Locations.ByRow {
			e.Fix = fmt.Sprintf("leave the column out with ignore = [%q]", c.Name)
		}
	case c.Schema != nil:
		e.Want = "a number, and the model has numbers in this column"
		if c.Role != chunk.LabelRole { // every row needs one
			e.Fix = addMissing(cells)
		}
		form, isModels := "", true
		if c.Form != nil {
			form = c.Form.String()
			e.Want = fmt.Sprintf("written as %q", form)
			if isModels = form == c.Schema.Written; isModels {
				e.Want += ", as in the table of the model"
			}
		}
		var ways []string
		for _, f := range chunk.FormsOf(a.Decimal, []string{text}) {
			ways = append(ways, chunk.ParseHint(map[string]string{c.Name: f.String()}))
		}
		switch {
		case !isModels:
			e.Fix = "write all cells of the column in one way"
		case len(ways) == 0 || chunk.AreCommaNumbers([]string{text}):
		case strings.Contains(form, "%") && !strings.Contains(text, "%"):
			e.Fix = fmt.Sprintf("give %s if %q means %[2]s %%", strings.Join(ways, " or "), text)
		default:
			e.Fix = "give " + strings.Join(ways, " or ") + " if the table is written so"
		}
	case c.Form != nil:
		e.Want = fmt.Sprintf("written as \"%v\"", *c.Form)
		e.Fix = addMissing(cells)
	case c.Role == chunk.WeightRole:
		e.Want = "a number, and a weight has to be one"
	case c.Role == chunk.InitScoreRole:
		e.Want = "a number, and an init score has to be one"
	case c.Role == chunk.EventRole:
		e.Want = "an event: 1 if it came at the row's time, 0 if the row is censored"
	case c.Role == chunk.UpperRole:
		e.Want = "a number, and a time has to be one"
	case c.Role == chunk.PositionRole:
		e.Want = "a number, and a position has to be one"
	default:
		e.Want = "a number"
		e.Fix = fmt.Sprintf("set categorical = [%q] to use the column as text", c.Name)
	}
	if e.Fix == "" && a.Decimal == '.' && chunk.AreCommaNumbers([]string{text}) {
		e.Fix = `set decimal = "," if numbers have a decimal comma`
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
func (a *Builder) addOthers(e *chunk.ParseError, others []chunk.OddCell) {
	for _, cell := range others[:min(len(others), shownOdd-1)] {
		_, line := a.Locations.Locate(cell.Row)
		e.Want += fmt.Sprintf("; nor is %q", cell.Text)
		if !a.Part {
			e.Want += fmt.Sprintf(" in %s %d", e.Unit(), line)
		}
	}
}
