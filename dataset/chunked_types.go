package dataset

import (
	"context"
	"math"
	"slices"
	"sync"

	"boost/dataset/internal/build"
	"boost/dataset/internal/chunk"
	"boost/dataset/internal/notes"
	"boost/dataset/internal/sample"
)

// inferTypes goes through the input once. It keeps of the features what their types and
// dictionaries follow from, and of the other columns everything. Rows that are left out for
// bad cells cost one pass more, because which rows these are is known only once all types are.
func (s *ChunkedTable) inferTypes(ctx context.Context, targets []chunk.Target) error {
	if s.counter == nil {
		s.sample = sample.New(s.in.Options, targets)
		s.passes++
	}
	c := &collector{input: s.in, summarize: func(ch *chunk.Chunk, targets []chunk.Target) { s.summarizeChunk(ch, targets, nil) }}
	chunks, _, err := c.collect(ctx, targets)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	a := s.in.builder(chunks, err)
	a.Reread = func(columns []*build.Column) error {
		var keep func(*chunk.Chunk, []chunk.Target)
		if s.sample != nil {
			keep = s.sample.Again(featureNames(columns), a.Firsts)
		}
		c.summarize = func(ch *chunk.Chunk, targets []chunk.Target) {
			if keep != nil {
				keep(ch, targets)
			}
			s.dropValues(ch, targets, nil, nil)
		}
		s.passes++
		return c.reread(ctx, columns)
	}
	if err := a.ResolveColumns(targets); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for k, ch := range chunks {
		s.chunks = append(s.chunks, knownChunk{rows: ch.Rows, first: a.Firsts[k]})
	}
	t := &Table{locations: a.Locations, index: new(nameIndex), mixed: a.Mixed}
	if s.in.SkipBadRows && a.HasBadCells() {
		if s.counter != nil {
			return chunk.Errorf("%s has rows without a label, and those cannot be left out of LibSVM text that is read in chunks: set out_of_core = false", s.in.name())
		}
		if a, err = s.leaveOut(ctx, a, t); err != nil {
			return err
		}
	} else {
		t.skipped = a.NoteSkipped(nil)
	}
	if t.rows = a.Rows(); s.in.AllRows > 0 && t.rows != s.in.AllRows {
		return chunk.Errorf("the ranks have %d rows, and there should be %d: is each part given to one rank?", t.rows, s.in.AllRows)
	}
	return s.finish(a, t)
}

// summarizeChunk takes the values of features and ids off a chunk, without the rows in bad, after
// the sample has taken note of them.
func (s *ChunkedTable) summarizeChunk(ch *chunk.Chunk, targets []chunk.Target, bad []int32) {
	var held *sample.Chunk
	if s.sample != nil {
		held = s.sample.Hold(ch, bad)
	}
	s.dropValues(ch, targets, bad, held)
	if held != nil {
		s.sample.Add(ch.Index, held)
	}
}

// dropValues takes the values off a chunk and leaves their buffers to further ones: at
// once, or where they are held, with what is.
func (s *ChunkedTable) dropValues(ch *chunk.Chunk, targets []chunk.Target, bad []int32, held *sample.Chunk) {
	var owned []chunk.Buffers
	for i, t := range targets {
		if (t.Role == Feature || t.Role == IDRole) && ch.Columns[i].Summary == nil {
			owned = append(owned, ch.Columns[i].Buffers())
			ch.Columns[i].Summarize(ch.Rows, bad)
		}
	}
	if held != nil {
		held.Owned = owned
		return
	}
	ch.Spare.PutAll(owned)
}

// badRows collects the rows that are left out while a pass goes through the chunks.
type badRows struct {
	table  *ChunkedTable
	mutex  sync.Mutex
	chunks map[int]*badChunk
}

// badChunk holds the rows of one chunk that are left out, and by target those that it
// is to blame for, with the first cell.
type badChunk struct {
	rows     []int32
	byTarget [][]int32
	first    []chunk.OddCell
	broken   []bool
}

// leaveOut reads everything again with the types that are known now, without the
// Rows that do not fit them.
func (s *ChunkedTable) leaveOut(ctx context.Context, a *build.Builder, t *Table) (*build.Builder, error) {
	targets := make([]chunk.Target, len(a.Columns))
	for i, c := range a.Columns {
		targets[i] = *c.Target
		if c.Want == chunk.WantAny {
			targets[i].Want = chunk.WantCategory
			if c.Number {
				targets[i].Want = chunk.WantNumber
			}
		}
	}
	s.sample = sample.New(s.in.Options, targets)
	bad := &badRows{table: s, chunks: map[int]*badChunk{}}
	c := &collector{input: s.in, summarize: bad.summarize}
	s.passes++
	chunks, _, err := c.collect(ctx, targets)
	if err != nil {
		return nil, err
	}
	if len(chunks) != len(s.chunks) {
		return nil, s.in.changed()
	}
	b := &build.Builder{Options: a.Options, Files: a.Files, Chunks: chunks, Notes: a.Notes, Mixed: a.Mixed, Firsts: make([]int, len(chunks)+1)}
	var all []int32
	for k, ch := range chunks {
		known := &s.chunks[k]
		if ch.Rows != known.rows {
			return nil, s.in.changed()
		}
		known.bad = bad.chunks[k].rows
		for _, row := range known.bad {
			all = append(all, int32(a.Firsts[k])+row)
		}
		known.first = b.Firsts[k]
		ch.Rows -= len(known.bad)
		b.Firsts[k+1] = b.Firsts[k] + ch.Rows
		for i, rows := range bad.chunks[k].byTarget {
			a.Blame(a.Columns[i], k, rows, bad.chunks[k].first[i], bad.chunks[k].broken[i])
		}
	}
	t.rows = a.Rows()
	t.skipped = a.NoteSkipped(all)
	b.Notes = a.Notes
	t.locations = a.Locations.Take(build.RowsWithout(all, t.rows))
	for i, old := range a.Columns {
		b.Columns = append(b.Columns, old.Again(chunks, i))
	}
	return b, nil
}

// summarize finds the bad rows of a chunk and takes them off all columns, and the values
// off those that are not kept.
func (b *badRows) summarize(ch *chunk.Chunk, targets []chunk.Target) {
	bad := &badChunk{byTarget: make([][]int32, len(targets)), first: make([]chunk.OddCell, len(targets)), broken: make([]bool, len(targets))}
	for i, t := range targets {
		p := &ch.Columns[i]
		rows := p.Odd().Rows
		if len(rows) > 0 {
			bad.first[i], bad.broken[i] = p.Odd().First[0], !p.Numeric()
		}
		if t.Want == chunk.WantNumber && p.Codes != nil {
			rows = b.oddRows(p, &targets[i])
			if len(rows) > 0 {
				bad.first[i] = chunk.OddCell{Row: int(rows[0]), Text: chunk.Excerpt([]byte(p.Dictionary.Levels[p.Codes[rows[0]]]))}
				bad.broken[i] = false
			}
		}
		bad.byTarget[i] = rows
		bad.rows = append(bad.rows, rows...)
		if b.table.in.NeedsLabel(&targets[i]) {
			bad.rows = append(bad.rows, build.MissingRows(p.F32, p.F64, p.Codes)...)
		}
	}
	slices.Sort(bad.rows)
	bad.rows = slices.Compact(bad.rows)
	for i, t := range targets {
		if t.Role != Feature && t.Role != IDRole {
			ch.Columns[i].Drop(bad.rows, ch.Index)
		}
	}
	b.table.summarizeChunk(ch, targets, bad.rows)
	for i := range targets {
		ch.Columns[i].DropOdd()
	}
	b.mutex.Lock()
	b.chunks[ch.Index] = bad
	b.mutex.Unlock()
}

// oddRows returns the rows of a column chunk of levels whose level is no number, a broken
// one or an odd one.
func (b *badRows) oddRows(p *chunk.ColumnChunk, t *chunk.Target) []int32 {
	odd := make(map[int32]bool, len(p.Fresh))
	for _, code := range p.Fresh {
		_, _, ok := t.ValueOf(p.Dictionary.Levels[code], b.table.in.Decimal)
		odd[code] = !ok
	}
	var rows []int32
	for row, code := range p.Codes {
		if code >= 0 && odd[code] {
			rows = append(rows, int32(row))
		}
	}
	return rows
}

// finish makes the columns final.
func (s *ChunkedTable) finish(a *build.Builder, t *Table) error {
	if t.rows == 0 {
		return build.NoRows(a.Files)
	}
	columns := a.Columns
	a.Columns = nil
	for _, c := range columns {
		if c.Role != Feature && c.Role != IDRole {
			a.Columns = append(a.Columns, c)
		}
	}
	if err := a.Join(); err != nil {
		return err
	}
	if c := a.Labelled(); c != nil {
		if rows := c.MissingRows(); len(rows) > 0 {
			return a.Unlabelled(c, int(rows[0]))
		}
	}
	t.forms, t.written = build.FormsByName(columns), new(a.Writing())
	s.schema.Written = *t.written
	n := notes.New(a.Notes)
	s.rows = t.rows
	for _, c := range columns {
		if c.Role != Feature {
			s.finishOther(a, c, n, t)
			continue
		}
		column, err := newChunkedFeature(a, c, t.rows)
		if err != nil {
			return err
		}
		if shape := column.shape(); a.Describe(n, c, described(shape, t.rows)) {
			s.features = append(s.features, column)
			if column.infinite > 0 {
				n.AddInfinite(c.Name, column.infinite, t.Place(column.firstInfinite))
			}
			described := columnSchema(shape)
			described.Written, described.Dates = t.forms[c.Name], column.kind.Numeric() && wereDates(c, n)
			s.schema.Columns = append(s.schema.Columns, described)
		}
	}
	t.notes, t.dates = n.All(a.Mixed), n.Dates()
	s.metaColumns = t
	if s.counter != nil {
		return s.endCounting()
	}
	if s.sample != nil {
		s.keptRows = s.sample.Chosen()
		s.kept, s.sample = s.sampledTable(), nil
	}
	return nil
}

// wereDates reports whether the numbers of a column are dates: as the schema says, or as was found.
func wereDates(c *build.Column, n *notes.Notes) bool {
	if c.Schema != nil {
		return c.Schema.Dates
	}
	return slices.Contains(n.Dates(), c.Name)
}

// sampledTable makes the table of the rows that are kept, nil where their cells are not what the features say.
func (s *ChunkedTable) sampledTable() *Table {
	t := &Table{rows: len(s.keptRows), index: new(nameIndex)}
	for _, c := range s.features {
		p, ok := s.sample.Column(&c.Target, c.kind != Category, s.in.Options)
		if !ok {
			return nil
		}
		column, err := c.column(p, nil, s)
		if err != nil || column.Len() != t.rows {
			return nil
		}
		t.columns = append(t.columns, column)
	}
	return t
}

// featureNames names the features among columns.
func featureNames(columns []*build.Column) []string {
	var names []string
	for _, c := range columns {
		if c.Role == Feature {
			names = append(names, c.Name)
		}
	}
	return names
}

// finishOther makes a column final that is no feature.
func (s *ChunkedTable) finishOther(a *build.Builder, c *build.Column, n *notes.Notes, t *Table) {
	column := &Column{name: c.Name, kind: Text, role: c.Role}
	if c.Role != IDRole {
		column = finalColumn(a, c, t.rows)
		a.Describe(n, c, described(column, t.rows))
		t.columns = append(t.columns, column)
	}
	described := columnSchema(column)
	described.Written, described.Dates = t.forms[c.Name], column.kind.Numeric() && wereDates(c, n)
	s.schema.Columns = append(s.schema.Columns, described)
}

// newChunkedFeature makes a feature final of what its summaries say.
func newChunkedFeature(a *build.Builder, c *build.Column, rows int) (*chunkedFeature, error) {
	column := &chunkedFeature{Target: *c.Target, kind: Category}
	present := 0
	for i := range c.Levels {
		present += c.Counts[i]
	}
	if !c.Number {
		column.Want, column.missing = chunk.WantCategory, rows-present
		nameLevels(a, c, column)
		return column, nil
	}
	values, odd := a.LevelValues(c)
	column.Want, column.kind = chunk.WantNumber, Float32
	if !chunk.AllExact(values) {
		column.kind = Float64
	}
	for k, p := range c.Chunks {
		if p.Numeric() {
			present += p.Present - p.Odd().Count
		} else if i := slices.IndexFunc(p.Summary.Levels, func(level int32) bool { return odd[level] }); i >= 0 {
			return nil, a.BadCell(c, false, chunk.OddCell{Row: a.Firsts[k] + int(p.Summary.Firsts[i]), Text: chunk.Excerpt([]byte(c.Levels[p.Summary.Levels[i]]))})
		}
		column.addInfinite(p.Summary.Infinite, a.Firsts[k]+p.Summary.FirstInfinite)
		for i, level := range p.Summary.Levels {
			if math.IsInf(values[level], 0) {
				column.addInfinite(p.Summary.Count(i), a.Firsts[k]+int(p.Summary.Firsts[i]))
			}
		}
		if p.Summary.Wide {
			column.kind = Float64
		}
		c.Dates = c.Dates || p.Dates
	}
	c.Large = int32(a.LargeRow(c, values))
	column.missing = rows - present
	return column, nil
}

// addInfinite adds cells of a chunk behind the others, the first in a row.
func (c *chunkedFeature) addInfinite(cells, row int) {
	if c.infinite == 0 {
		c.firstInfinite = row
	}
	c.infinite += cells
}

// nameLevels gives a column its dictionary, and the levels of the input their codes.
func nameLevels(a *build.Builder, c *build.Column, column *chunkedFeature) {
	codes := make([]int32, len(c.Levels))
	for i := range codes {
		codes[i] = int32(i)
	}
	codes, column.levels, column.numericLevels = a.Dictionary(c, codes)
	column.texts, column.index = levelArray(column.levels), make(map[string]int32, len(c.Levels))
	column.counts = make([]int, len(column.levels))
	for i, level := range c.Levels {
		column.index[level] = codes[i]
		column.counts[codes[i]] += c.Counts[i]
	}
}
