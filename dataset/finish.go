package dataset

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/dictionary"
	"boost/dataset/internal/notes"
	"boost/internal/cpu"
)

// finish makes the table of the joined columns.
func (a *tableBuilder) finish() (*Table, error) {
	t := &Table{rows: a.rows(), locations: a.locations, mixed: a.mixed, index: new(nameIndex)}
	for _, ch := range a.chunks {
		t.skipped += ch.Skipped
		t.absent = ch.Absent
	}
	if err := a.dropBadRows(t); err != nil {
		return nil, err
	}
	if t.rows == 0 {
		return nil, a.noRows()
	}
	n := notes.New(a.notes)
	t.forms, t.written = formsByName(a.columns), a.Writing()
	t.columns = make([]*Column, 0, len(a.columns)+len(a.empty))
	empty := &emptyColumns{left: a.empty, rows: t.rows, of: t.absent}
	ready := a.columnsInPlace(t.rows)
	for i, c := range a.columns {
		t.columns = empty.add(t.columns, i)
		column := ready[i]
		if column == nil {
			column = a.column(c, t.rows)
		}
		a.columns[i], ready[i] = nil, nil // a wide table is not held twice
		if a.describe(n, c, column, t.rows) {
			t.columns = append(t.columns, column)
		} else {
			t.dropped = append(t.dropped, c.Name)
		}
	}
	t.columns = empty.add(t.columns, len(a.columns))
	t.notes, t.dates = n.All(a.mixed), n.Dates()
	return t, nil
}

// columnsInPlace makes those columns of a table of several chunks side by side whose cells stay
// where they are: their gaps are counted, which takes the time of reading all of them once
// more. It returns nil for the others, of which one at a time may be held twice.
func (a *tableBuilder) columnsInPlace(rows int) []*Column {
	columns := make([]*Column, len(a.columns))
	if len(a.chunks) < 2 {
		return columns
	}
	threads := a.Threads
	if threads == 0 {
		threads = cpu.Threads()
	}
	var group errgroup.Group
	group.SetLimit(threads)
	for i, c := range a.columns {
		if c.f32 == nil && c.codes == nil || c.sparse != nil || c.modelLevels != nil {
			continue
		}
		group.Go(func() error {
			columns[i] = a.column(c, rows)
			return nil
		})
	}
	_ = group.Wait() // none fails
	return columns
}

// describe adds the notes about a column, and reports whether the table keeps it. Its values do
// not matter.
func (a *tableBuilder) describe(n *notes.Notes, c *columnBuilder, column *Column, rows int) bool {
	if c.dates {
		n.AddDates(c.Name)
	}
	if c.Schema == nil && column.numericLevels && slices.ContainsFunc(c.levels, dictionary.IsDate) {
		n.AddDatedLevels(c.Name)
	}
	if c.large >= 0 && c.Schema == nil {
		n.AddLarge(c.Name, a.placeOf(int(c.large)))
	}
	if c.Padded && c.Role == Feature && c.Schema == nil && column.kind.Numeric() {
		n.AddPadded(c.Name)
	}
	if c.trimmed && a.Schema == nil {
		n.AddTrimmed(c.Name)
	}
	if c.Form != nil && c.Schema == nil { // a form of the schema is no news
		n.AddForm(c.Name, *c.Form)
	}
	if column.kind != Category || column.numericLevels {
		return true
	}
	texts, distinct := rows-column.missing, len(column.levels)
	textLike := rows > 100 && 2*distinct > texts // names or free text
	ignored := textLike && a.DropTextLike && c.Want == chunk.WantAny && c.Role == Feature
	mixed := slices.ContainsFunc(a.mixed, func(e *ParseError) bool { return e.Column == c.Name }) // which says what reads it
	switch {
	case c.Want == chunk.WantAny && !mixed && n.AddNumbersInText(c.Target, column.levels, a.Decimal, ignored):
	case ignored:
		n.AddIgnored(c.Name, distinct, texts)
	case a.Schema == nil && (c.Role == Feature || c.Role == LabelRole):
		n.AddSpellings(c.Name, column.levels)
	}
	return !ignored
}

// placeOf returns where a row stands, "" where rows that are left out shift the others.
func (a *tableBuilder) placeOf(row int) string {
	if len(a.locations.Runs) == 0 || a.SkipBadRows {
		return ""
	}
	var at ParseError
	a.locations.Mark(&at, row)
	return at.Place()
}

func (a *tableBuilder) noRows() error {
	if len(a.files) == 0 {
		return chunk.Errorf("the table has no rows")
	}
	return chunk.Errorf("%s has no rows", strings.Join(a.files, ", "))
}

// dropBadRows leaves out the rows with bad cells, or fails at a missing label.
func (a *tableBuilder) dropBadRows(t *Table) error {
	var rows []int32
	for _, c := range a.columns {
		rows = append(rows, c.bad...)
	}
	if c := a.labelled(); c != nil {
		unlabelled := c.missingRows()
		if len(unlabelled) > 0 && !a.SkipBadRows {
			return a.unlabelled(c, int(unlabelled[0]))
		}
		rows = append(rows, unlabelled...)
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	a.noteSkipped(t, rows)
	if len(rows) == 0 {
		return nil
	}
	keep := rowsWithout(rows, t.rows)
	chosen := chunk.NewRowSelection(keep, t.rows)
	for _, c := range a.columns {
		c.keep(keep, chosen)
	}
	t.skipped += t.rows - len(keep)
	t.rows = len(keep)
	t.locations = t.locations.Take(keep)
	return nil
}

// rowsWithout returns the rows of n that are not in bad, which ascends.
func rowsWithout(bad []int32, n int) []int32 {
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

// noteSkipped says how many rows were left out and what is wrong with the first.
func (a *tableBuilder) noteSkipped(t *Table, rows []int32) {
	total := t.skipped + len(rows)
	if total == 0 {
		return
	}
	var first *ParseError
	for _, ch := range a.chunks {
		if ch.Shape != nil {
			first = a.badShape(ch)
			break
		}
	}
	if len(rows) > 0 {
		file, line := t.locations.Locate(int(rows[0]))
		if first == nil || a.before(file, line, first) {
			first = a.whyBad(rows[0])
		}
	}
	wrong := *first
	wrong.Fix = "" // rows are skipped because that is what was chosen
	a.notes = append(a.notes, fmt.Sprintf("%d bad %s skipped; the first: %v", total, chunk.Plural(total, "row"), &wrong))
}

func (a *tableBuilder) before(file string, line int, e *ParseError) bool {
	if file == e.File {
		return line < e.Line
	}
	return slices.Index(a.locations.Files, file) < slices.Index(a.locations.Files, e.File)
}

// whyBad says what is wrong with the first row that is left out for a cell.
func (a *tableBuilder) whyBad(row int32) *ParseError {
	for _, c := range a.columns {
		if len(c.bad) > 0 && c.bad[0] == row {
			return c.why
		}
	}
	return a.unlabelled(a.labelled(), int(row))
}

// labelled returns the column in which every row needs a value, or nil.
func (a *tableBuilder) labelled() *columnBuilder {
	for _, c := range a.columns {
		if c.Role == LabelRole && c.Schema == nil {
			return c
		}
	}
	return nil
}

func (a *tableBuilder) unlabelled(c *columnBuilder, row int) *ParseError {
	e := &ParseError{Column: c.Name, Want: "a label, and every row needs one",
		Fix: `fill it in, or set on_bad_row = "skip" to leave such rows out`}
	a.locations.Mark(e, row)
	return e
}

// missingRows returns the rows of a joined column that have no value.
func (c *columnBuilder) missingRows() []int32 {
	var rows []int32
	for i, v := range c.f32 {
		if v != v {
			rows = append(rows, int32(i))
		}
	}
	for i, v := range c.f64 {
		if v != v {
			rows = append(rows, int32(i))
		}
	}
	for i, code := range c.codes {
		if code == chunk.MissingCode {
			rows = append(rows, int32(i))
		}
	}
	// The places of bad numbers hold NaN as well; they are counted as bad.
	return slices.DeleteFunc(rows, func(row int32) bool {
		_, bad := slices.BinarySearch(c.bad, row)
		return bad
	})
}

// keep leaves only the given rows, and of a dictionary only the levels in them.
func (c *columnBuilder) keep(rows []int32, chosen *chunk.RowSelection) {
	switch {
	case c.sparse != nil:
		c.sparse = chosen.Take(c.sparse)
	case c.f32 != nil:
		c.f32 = pick(c.f32, rows)
	case c.f64 != nil:
		c.f64 = pick(c.f64, rows)
	case c.codes != nil:
		c.codes = pick(c.codes, rows)
		c.codes, c.levels = dictionary.Renumber(c.codes, c.levels)
	default:
		text := make([]byte, 0, len(c.text))
		offsets := make([]int32, 1, len(rows)+1)
		for _, row := range rows {
			text = append(text, c.text[c.offsets[row]:c.offsets[row+1]]...)
			offsets = append(offsets, int32(len(text)))
		}
		c.text, c.offsets = text, offsets
	}
}

// column makes a joined column final.
func (a *tableBuilder) column(c *columnBuilder, rows int) *Column {
	switch {
	case c.sparse != nil:
		return sparseColumn(c.Name, c.Role, rows, c.sparse.AsFloat32())
	case c.f32 != nil:
		return float32Column(c.Name, c.Role, c.f32)
	case c.f64 != nil:
		return numberColumn(c.Name, c.Role, c.f64)
	case c.codes == nil:
		return textColumn(c.Name, c.Role, c.text, c.offsets)
	}
	if c.modelLevels != nil {
		return modelColumn(c.Name, c.Role, c.codes, c.modelLevels, c.Schema.NumericLevels)
	}
	if c.Schema != nil {
		codes, levels := dictionary.OfSchema(c.codes, c.levels, c.Schema, a.Decimal)
		return categoryColumn(c.Name, c.Role, codes, levels, c.Schema.NumericLevels)
	}
	codes, levels, numeric := dictionary.Inferred(c.codes, c.levels, c.trimmed, a.Decimal)
	return categoryColumn(c.Name, c.Role, codes, levels, numeric)
}
