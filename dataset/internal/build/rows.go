package build

import (
	"fmt"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/dictionary"
)

// DropBadRows leaves out the rows with bad cells, or fails at a missing label. It returns the rows that are left, nil for all,
// and how many were skipped, together with those that the chunks have skipped.
func (a *Builder) DropBadRows() (left []int32, skipped int, err error) {
	var rows []int32
	for _, c := range a.Columns {
		rows = append(rows, c.Bad...)
	}
	if c := a.Labelled(); c != nil {
		unlabelled := c.MissingRows()
		if len(unlabelled) > 0 && !a.SkipBadRows {
			return nil, 0, a.Unlabelled(c, int(unlabelled[0]))
		}
		rows = append(rows, unlabelled...)
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	skipped = a.NoteSkipped(rows)
	if len(rows) == 0 {
		return nil, skipped, nil
	}
	left = RowsWithout(rows, a.Rows())
	chosen := chunk.NewRowSelection(left, a.Rows())
	for _, c := range a.Columns {
		c.keep(left, chosen)
	}
	return left, skipped, nil
}

// RowsWithout returns the rows of n that are not in bad, which ascends.
func RowsWithout(bad []int32, n int) []int32 {
	keep := make([]int32, 0, n-len(bad))
	for row := range int32(n) {
		if len(bad) > 0 && bad[0] == row {
			bad = bad[1:]
			continue
		}
		keep = append(keep, row)
	}
	return keep
}

// NoteSkipped says how many rows are left out, the given ones beside those that the chunks have skipped, and what is wrong with
// the first. It returns how many.
func (a *Builder) NoteSkipped(rows []int32) (total int) {
	total = len(rows)
	for _, ch := range a.Chunks {
		total += ch.Skipped
	}
	if total == 0 {
		return 0
	}
	var first *chunk.ParseError
	for _, ch := range a.Chunks {
		if ch.Shape != nil {
			first = a.BadShape(ch)
			break
		}
	}
	if len(rows) > 0 {
		file, line := a.Locations.Locate(int(rows[0]))
		if first == nil || a.before(file, line, first) {
			first = a.whyBad(rows[0])
		}
	}
	wrong := *first
	wrong.Fix = "" // rows are skipped because that is what was chosen
	a.Notes = append(a.Notes, fmt.Sprintf("%d bad %s skipped; the first: %v", total, chunk.Plural(total, "row"), &wrong))
	return total
}

func (a *Builder) before(file string, line int, e *chunk.ParseError) bool {
	if file == e.File {
		return line < e.Line
	}
	return slices.Index(a.Locations.Files, file) < slices.Index(a.Locations.Files, e.File)
}

// whyBad says what is wrong with the first row that is left out for a cell.
func (a *Builder) whyBad(row int32) *chunk.ParseError {
	for _, c := range a.Columns {
		if len(c.Bad) > 0 && c.Bad[0] == row {
			return c.Why
		}
	}
	return a.Unlabelled(a.Labelled(), int(row))
}

// Labelled returns the column in which every row needs a value, or nil.
func (a *Builder) Labelled() *Column {
	for _, c := range a.Columns {
		if a.NeedsLabel(c.Target) {
			return c
		}
	}
	return nil
}

// Unlabelled is the error about a row without a label.
func (a *Builder) Unlabelled(c *Column, row int) *chunk.ParseError {
	e := &chunk.ParseError{Column: c.Name, Want: "a label, and every row needs one",
		Fix: a.OrSkip("fill it in")}
	a.Locations.Mark(e, row)
	return e
}

// MissingRows returns the rows of a joined column that have no value.
func (c *Column) MissingRows() []int32 {
	// The places of bad numbers hold NaN as well; they are counted as bad.
	return slices.DeleteFunc(MissingRows(c.F32, c.F64, c.Codes), func(row int32) bool {
		_, bad := slices.BinarySearch(c.Bad, row)
		return bad
	})
}

// MissingRows returns the rows that have no value, of the form that is not nil.
func MissingRows(f32 []float32, f64 []float64, codes []int32) []int32 {
	var rows []int32
	for i, v := range f32 {
		if v != v {
			rows = append(rows, int32(i))
		}
	}
	for i, v := range f64 {
		if v != v {
			rows = append(rows, int32(i))
		}
	}
	for i, code := range codes {
		if code == chunk.MissingCode {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// keep leaves only the given rows, and of a dictionary only the levels in them.
func (c *Column) keep(rows []int32, chosen *chunk.RowSelection) {
	switch {
	case c.Sparse != nil:
		c.Sparse = chosen.Take(c.Sparse)
	case c.F32 != nil:
		c.F32 = chunk.Pick(c.F32, rows)
	case c.F64 != nil:
		c.F64 = chunk.Pick(c.F64, rows)
	case c.Codes != nil:
		c.Codes = chunk.Pick(c.Codes, rows)
		c.Codes, c.Levels = dictionary.Renumber(c.Codes, c.Levels)
	default:
		text := make([]byte, 0, len(c.Text))
		offsets := make([]int32, 1, len(rows)+1)
		for _, row := range rows {
			text = append(text, c.Text[c.Offsets[row]:c.Offsets[row+1]]...)
			offsets = append(offsets, int32(len(text)))
		}
		c.Text, c.Offsets = text, offsets
	}
}

// HasBadCells reports whether a row has to be left out for one of its cells.
func (a *Builder) HasBadCells() bool {
	for _, c := range a.Columns {
		for _, p := range c.Chunks {
			if p.Odd().Count > 0 || a.NeedsLabel(c.Target) && p.Present < p.Rows() {
				return true
			}
		}
		if c.Number && slices.Contains(a.OddLevels(c), true) {
			return true
		}
	}
	return false
}

// Blame notes for which rows of a chunk a column is left out.
func (a *Builder) Blame(c *Column, k int, rows []int32, first chunk.OddCell, broken bool) {
	if len(rows) == 0 {
		return
	}
	w := c.ownWords()
	if w.Why == nil {
		w.Why = a.BadCell(c, broken, chunk.OddCell{Row: a.Firsts[k] + first.Row, Text: first.Text})
	}
	for _, row := range rows {
		w.Bad = append(w.Bad, int32(a.Firsts[k])+row)
	}
}

// Dictionary returns the dictionary that a column of categories ends with, whether its levels are numbers, and codes of
// the merged levels as codes of it.
func (a *Builder) Dictionary(c *Column, of []int32) (codes []int32, levels []string, numeric bool) {
	if c.Schema != nil {
		codes, levels = dictionary.OfSchema(of, c.Levels, c.Schema, a.Decimal)
		return codes, levels, c.Schema.NumericLevels
	}
	return dictionary.Inferred(of, c.Levels, c.Trimmed, a.Decimal)
}
