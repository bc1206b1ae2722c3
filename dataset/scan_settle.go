package dataset

import (
	"context"
	"slices"
	"sync"
)

// settle goes through the input once, keeps of the features what their types and
// dictionaries follow from, and of the other columns everything. Rows with bad cells
// to be left out cost one pass more: only when all types are settled is it known
// which these are.
func (s *Scan) settle(ctx context.Context, targets []target) error {
	if s.svm == nil {
		s.sample = newSample(s.options, targets)
	}
	c := &collector{options: s.options, inputs: s.inputs, source: s.source,
		thin: func(ch *chunk, targets []target) { s.thin(ch, targets, nil) }}
	if s.svm == nil {
		s.passes++
	}
	chunks, _, err := c.collect(ctx, targets)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	blank := 0
	for _, ch := range chunks {
		blank += ch.blank
	}
	a := &assembly{options: s.options, chunks: chunks, notes: append(s.source.Notes(blank), s.idleNotes(s.inputs[0].name)...), readErr: err}
	for _, in := range s.inputs {
		a.files = append(a.files, in.name)
	}
	a.reread = func(columns []*parts) error {
		var keep func(*chunk, []target)
		if s.sample != nil {
			keep = s.sample.again(columns, a.firsts)
		}
		c.thin = func(ch *chunk, targets []target) {
			if keep != nil {
				keep(ch, targets)
			}
			s.takeOff(ch, targets, nil, nil)
		}
		s.passes++
		return c.reread(ctx, columns)
	}
	if err := a.settled(targets); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for k, ch := range chunks {
		s.chunks = append(s.chunks, scanChunk{rows: ch.rows, first: a.firsts[k]})
	}
	t := &Table{places: a.places, index: new(nameIndex), mixed: a.mixed}
	for _, ch := range chunks {
		t.skipped += ch.skipped
	}
	if s.skipBadRows && a.hasBadCells() {
		if s.svm != nil {
			return complain("%s has rows without a label, and those cannot be left out of LibSVM text that is read in chunks: set out_of_core = false", s.inputs[0].name)
		}
		if a, err = s.leaveOut(ctx, a, t); err != nil {
			return err
		}
	} else {
		a.noteSkipped(t, nil)
	}
	t.rows = a.rows()
	return s.finish(a, t)
}

// thin takes the values of features and ids off a chunk, without the rows in bad, after
// the sample has taken note of them.
func (s *Scan) thin(ch *chunk, targets []target, bad []int32) {
	var held *sampledChunk
	if s.sample != nil {
		held = s.sample.hold(ch, bad)
	}
	s.takeOff(ch, targets, bad, held)
	if held != nil {
		s.sample.add(ch.index, held)
	}
}

// takeOff takes the values off a chunk and leaves their buffers to further ones: at
// once, or where they are held, with what is.
func (s *Scan) takeOff(ch *chunk, targets []target, bad []int32, held *sampledChunk) {
	var owned []buffers
	for i, t := range targets {
		if (t.role == Feature || t.role == IDRole) && ch.pieces[i].summary == nil {
			owned = append(owned, ch.pieces[i].buffers())
			ch.pieces[i].summarize(ch.rows, bad)
		}
	}
	if held != nil {
		held.owned = owned
		return
	}
	ch.spare.putAll(owned)
}

// hasBadCells says whether a row has to be left out for one of its cells.
func (a *assembly) hasBadCells() bool {
	for _, c := range a.columns {
		for _, p := range c.pieces {
			if p.odd.count > 0 || c.role == LabelRole && c.schema == nil && p.present < p.rows() {
				return true
			}
		}
		if c.number && slices.Contains(a.oddLevels(c), true) {
			return true
		}
	}
	return false
}

// oddLevels marks the merged levels of a column that are no numbers.
func (a *assembly) oddLevels(c *parts) []bool {
	odd := make([]bool, len(c.levels))
	for i, level := range c.levels {
		_, _, ok := parseValue([]byte(level), a.decimal)
		odd[i] = !ok
	}
	return odd
}

// badRows collects the rows that are left out while a pass goes through the chunks.
type badRows struct {
	scan    *Scan
	options *options
	mutex   sync.Mutex
	chunks  map[int]*badChunk
}

// badChunk holds the rows of one chunk that are left out, and by target those that it
// is to blame for, with the first cell.
type badChunk struct {
	rows     []int32
	byTarget [][]int32
	first    []oddCell
	broken   []bool
}

// leaveOut reads everything again with the types that are settled now, without the
// rows that do not fit them.
func (s *Scan) leaveOut(ctx context.Context, a *assembly, t *Table) (*assembly, error) {
	targets := make([]target, len(a.columns))
	for i, c := range a.columns {
		targets[i] = c.target
		if c.want == wantAny {
			targets[i].want = wantCategory
			if c.number {
				targets[i].want = wantNumber
			}
		}
	}
	s.sample = newSample(s.options, targets)
	bad := &badRows{scan: s, options: s.options, chunks: map[int]*badChunk{}}
	c := &collector{options: s.options, inputs: s.inputs, source: s.source, thin: bad.thin}
	s.passes++
	chunks, _, err := c.collect(ctx, targets)
	if err != nil {
		return nil, err
	}
	if len(chunks) != len(s.chunks) {
		return nil, s.changed()
	}
	b := &assembly{options: a.options, files: a.files, chunks: chunks, notes: a.notes, mixed: a.mixed, firsts: make([]int, len(chunks)+1)}
	var all, keep []int32
	for k, ch := range chunks {
		known := &s.chunks[k]
		if ch.rows != known.rows {
			return nil, s.changed()
		}
		known.bad = bad.chunks[k].rows
		for _, row := range known.bad {
			all = append(all, int32(a.firsts[k])+row)
		}
		known.first = b.firsts[k]
		ch.rows -= len(known.bad)
		b.firsts[k+1] = b.firsts[k] + ch.rows
		for i, rows := range bad.chunks[k].byTarget {
			a.blame(a.columns[i], k, rows, bad.chunks[k].first[i], bad.chunks[k].broken[i])
		}
	}
	t.rows = a.rows()
	a.noteSkipped(t, all)
	b.notes = a.notes
	rows := all
	for row := range int32(a.rows()) {
		if len(rows) > 0 && rows[0] == row {
			rows = rows[1:]
			continue
		}
		keep = append(keep, row)
	}
	t.skipped += len(all)
	t.places = a.places.take(keep)
	for i, old := range a.columns {
		column := &parts{target: old.target, large: -1, number: old.number}
		for _, ch := range chunks {
			column.pieces = append(column.pieces, &ch.pieces[i])
		}
		if column.want != wantText {
			column.levels, column.counts = merge(column.pieces)
		}
		b.columns = append(b.columns, column)
	}
	return b, nil
}

// blame notes for which rows of a chunk a column is left out.
func (a *assembly) blame(c *parts, k int, rows []int32, first oddCell, broken bool) {
	if len(rows) > 0 && c.why == nil {
		c.why = a.badCell(c, a.firsts[k]+first.row, first.text, broken)
	}
	for _, row := range rows {
		c.bad = append(c.bad, int32(a.firsts[k])+row)
	}
}

// thin finds the bad rows of a chunk and takes them off all columns, and the values
// off those that are not kept.
func (b *badRows) thin(ch *chunk, targets []target) {
	bad := &badChunk{byTarget: make([][]int32, len(targets)), first: make([]oddCell, len(targets)), broken: make([]bool, len(targets))}
	for i, t := range targets {
		p := &ch.pieces[i]
		rows := p.odd.rows
		if len(rows) > 0 {
			bad.first[i], bad.broken[i] = p.odd.first[0], !p.numeric()
		}
		if t.want == wantNumber && p.codes != nil {
			rows = b.oddRows(p)
			if len(rows) > 0 {
				bad.first[i] = oddCell{int(rows[0]), excerpt([]byte(p.dictionary.levels[p.codes[rows[0]]]))}
				bad.broken[i] = false
			}
		}
		bad.byTarget[i] = rows
		bad.rows = append(bad.rows, rows...)
		if t.role == LabelRole && t.schema == nil {
			bad.rows = append(bad.rows, withoutValue(p)...)
		}
	}
	slices.Sort(bad.rows)
	bad.rows = slices.Compact(bad.rows)
	for i, t := range targets {
		if t.role != Feature && t.role != IDRole {
			ch.pieces[i].drop(bad.rows, ch.index)
		}
	}
	b.scan.thin(ch, targets, bad.rows)
	for i := range targets {
		ch.pieces[i].odd = oddCells{}
	}
	b.mutex.Lock()
	b.chunks[ch.index] = bad
	b.mutex.Unlock()
}

// oddRows returns the rows of a piece of levels whose level is no number, a broken
// one or an odd one.
func (b *badRows) oddRows(p *piece) []int32 {
	odd := make(map[int32]bool, len(p.fresh))
	for _, code := range p.fresh {
		_, _, ok := parseValue([]byte(p.dictionary.levels[code]), b.options.decimal)
		odd[code] = !ok
	}
	var rows []int32
	for row, code := range p.codes {
		if code >= 0 && odd[code] {
			rows = append(rows, int32(row))
		}
	}
	return rows
}

// finish makes the columns final.
func (s *Scan) finish(a *assembly, t *Table) error {
	if t.rows == 0 {
		return a.empty()
	}
	columns := a.columns
	a.columns = nil
	for _, c := range columns {
		if c.role != Feature && c.role != IDRole {
			a.columns = append(a.columns, c)
		}
	}
	if err := a.join(); err != nil {
		return err
	}
	if c := a.labelled(); c != nil {
		if rows := c.missingRows(); len(rows) > 0 {
			return a.unlabelled(c, int(rows[0]))
		}
	}
	r := &remarks{assembly: a, rows: t.rows}
	s.rows = t.rows
	for _, c := range columns {
		if c.role != Feature {
			s.finishOther(a, c, r, t)
			continue
		}
		column, err := a.scanned(c, t.rows)
		if err != nil {
			return err
		}
		if shape := column.shape(); r.admit(c, shape) {
			s.features = append(s.features, column)
			s.schema.Columns = append(s.schema.Columns, columnSchema(shape))
		}
	}
	t.notes, t.dates = r.all(), r.dates
	s.rest = t
	if s.svm != nil {
		return s.svm.settle(s)
	}
	if s.sample != nil {
		s.kept = s.sample.table(s.features, s.options)
		s.keptRows, s.sample = s.sample.rows, nil
	}
	return nil
}

// finishOther makes a column final that is no feature.
func (s *Scan) finishOther(a *assembly, c *parts, r *remarks, t *Table) {
	column := &Column{name: c.name, kind: Text, role: c.role}
	if c.role != IDRole {
		column = a.column(c, t.rows)
		r.admit(c, column)
		t.columns = append(t.columns, column)
	}
	s.schema.Columns = append(s.schema.Columns, columnSchema(column))
}

// scanned makes a feature final of what its summaries say.
func (a *assembly) scanned(c *parts, rows int) (*scanColumn, error) {
	column := &scanColumn{target: c.target, kind: Category}
	present := 0
	for i := range c.levels {
		present += c.counts[i]
	}
	if !c.number {
		column.want, column.missing = wantCategory, rows-present
		a.nameLevels(c, column)
		return column, nil
	}
	values, odd := a.levelValues(c)
	column.want, column.kind = wantNumber, Float32
	if !allExact(values) {
		column.kind = Float64
	}
	for k, p := range c.pieces {
		if p.numeric() {
			present += p.present - p.odd.count
		} else if i := slices.IndexFunc(p.summary.levels, func(level int32) bool { return odd[level] }); i >= 0 {
			return nil, a.badCell(c, a.firsts[k]+int(p.summary.firsts[i]), excerpt([]byte(c.levels[p.summary.levels[i]])), false)
		}
		if p.summary.wide {
			column.kind = Float64
		}
		c.dates = c.dates || p.dates
	}
	c.large = a.largeRow(c, values)
	column.missing = rows - present
	return column, nil
}

// nameLevels gives a column its dictionary, and the levels of the input their codes.
func (a *assembly) nameLevels(c *parts, column *scanColumn) {
	codes := make([]int32, len(c.levels))
	for i := range codes {
		codes[i] = int32(i)
	}
	if c.schema != nil {
		codes, column.levels = follow(codes, c.levels, c.schema, a.decimal)
		column.numericLevels = c.schema.NumericLevels
	} else {
		codes, column.levels, column.numericLevels = nameByValue(codes, c.levels, a.decimal)
	}
	column.index = make(map[string]int32, len(c.levels))
	column.counts = make([]int, len(column.levels))
	for i, level := range c.levels {
		column.index[level] = codes[i]
		column.counts[codes[i]] += c.counts[i]
	}
}

// withoutValue returns the rows of a piece that hold no value.
func withoutValue(p *piece) []int32 {
	c := &parts{f32: p.f32, f64: p.f64, codes: p.codes}
	return c.missingRows()
}
