package dataset

import (
	"golang.org/x/sync/errgroup"

	"boost/dataset/internal/build"
	"boost/dataset/internal/chunk"
	"boost/dataset/internal/notes"
	"boost/internal/cpu"
)

// tableOf makes the table of the targets' column chunks, and of the targets without cells that stand between them.
func tableOf(a *build.Builder, targets []chunk.Target, empty []emptyTarget) (*Table, error) {
	if err := a.ResolveColumns(targets); err != nil {
		return nil, err
	}
	if err := a.Join(); err != nil {
		return nil, err
	}
	return finish(a, empty)
}

// finish makes the table of the joined columns.
func finish(a *build.Builder, without []emptyTarget) (*Table, error) {
	t := &Table{rows: a.Rows(), locations: a.Locations, mixed: a.Mixed, index: new(nameIndex)}
	rows, skipped, err := a.DropBadRows()
	if err != nil {
		return nil, err
	}
	if t.skipped = skipped; rows != nil {
		t.rows, t.locations = len(rows), t.locations.Take(rows)
	}
	for _, ch := range a.Chunks {
		t.absent = ch.Absent
	}
	if t.rows == 0 {
		return nil, build.NoRows(a.Files)
	}
	n := notes.New(a.Notes)
	t.forms, t.written = build.FormsByName(a.Columns), new(a.Writing())
	t.columns = make([]*Column, 0, len(a.Columns)+len(without))
	empty := &emptyColumns{left: without, rows: t.rows, of: t.absent}
	ready := columnsInPlace(a, t.rows)
	for i, c := range a.Columns {
		t.columns = empty.add(t.columns, i)
		column := ready[i]
		if column == nil {
			column = finalColumn(a, c, t.rows)
		}
		a.Columns[i], ready[i] = nil, nil // a wide table is not held twice
		if a.Describe(n, c, described(column, t.rows)) {
			t.columns = append(t.columns, column)
			noteInfinite(a, n, column, t)
		} else {
			t.dropped = append(t.dropped, c.Name)
		}
	}
	t.columns = empty.add(t.columns, len(a.Columns))
	t.notes, t.dates = n.All(a.Mixed), n.Dates()
	return t, nil
}

// columnsInPlace makes those columns of a table of several chunks side by side whose cells stay
// where they are: their gaps are counted, which takes the time of reading all of them once
// more. It returns nil for the others, of which one at a time may be held twice.
func columnsInPlace(a *build.Builder, rows int) []*Column {
	columns := make([]*Column, len(a.Columns))
	if len(a.Chunks) < 2 {
		return columns
	}
	threads := a.Threads
	if threads == 0 {
		threads = cpu.Threads()
	}
	var group errgroup.Group
	group.SetLimit(threads)
	for i, c := range a.Columns {
		if c.F32 == nil && c.Codes == nil || c.Sparse != nil || c.ModelLevels != nil {
			continue
		}
		group.Go(func() error {
			columns[i] = finalColumn(a, c, rows)
			return nil
		})
	}
	_ = group.Wait() // none fails
	return columns
}

// described is what notes say of a column.
func described(c *Column, rows int) build.Described {
	return build.Described{Kind: c.kind, Rows: rows, Missing: c.missing, Levels: c.Levels(), NumericLevels: c.NumericLevels()}
}

// finalColumn makes a joined column final.
func finalColumn(a *build.Builder, c *build.Column, rows int) *Column {
	switch {
	case c.Sparse != nil:
		return sparseColumn(c.Name, c.Role, rows, c.Sparse.AsFloat32())
	case c.F32 != nil:
		return float32Column(c.Name, c.Role, c.F32)
	case c.F64 != nil:
		return numberColumn(c.Name, c.Role, c.F64)
	case c.Codes == nil:
		return textColumn(c.Name, c.Role, c.Text, c.Offsets)
	}
	if c.ModelLevels != nil {
		return modelColumn(c.Name, c.Role, c.Codes, c.ModelLevels, c.Schema.NumericLevels)
	}
	codes, levels, numeric := a.Dictionary(c, c.Codes)
	return categoryColumn(c.Name, c.Role, codes, levels, numeric)
}
