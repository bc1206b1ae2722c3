package libsvm

import (
	"context"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/records"

	"golang.org/x/sync/errgroup"
)

// Read emits the whole table as one chunk, its features column by column.
func (s *Reader) Read(ctx context.Context, p *chunk.Pass) error {
	switch {
	case s.partNotes != nil:
		return s.readParts(ctx, p)
	case s.counts != nil && s.counts.ended:
		return s.readCells(ctx, p)
	}
	ch := &chunk.Chunk{Whole: true, Absent: &chunk.Sparse{Rows: []int32{}, F32: []float32{}, Fill: s.fill()},
		Columns: chunk.NewColumns(len(p.Targets)), FileRows: make([]int, len(s.inputs))}
	bases := make([]int, len(s.chunks)+1) // the row with which each chunk begins
	for k, part := range s.chunks {
		bases[k+1] = bases[k] + part.Len()
		ch.Skipped += part.skipped
		ch.FileRows[part.file] += part.Len()
	}
	ch.Rows = bases[len(s.chunks)]
	ch.Locations = s.locations(bases)
	if bad, file := s.firstBad(); bad != nil {
		ch.File = file
		ch.Shape = &chunk.ShapeError{Line: bad.Line - 1, Column: bad.Column, Value: bad.Value, Text: bad.Want, Fix: bad.Fix}
	}
	m := &transposition{Reader: s, bases: bases, slots: make([]int32, s.mostWanted()+1)}
	for _, t := range p.Targets {
		if s.isFeature(t) && !s.isCounted(t) {
			m.want(s.indexOf(t))
		}
	}
	if err := m.run(ctx); err != nil {
		return err
	}
	for i, t := range p.Targets {
		if s.isCounted(t) {
			ch.Columns[i] = s.counts.summary(s.indexOf(t), ch.Rows)
			continue
		}
		column, err := m.column(t, ch.Rows)
		if err != nil {
			return err
		}
		ch.Columns[i] = *column
	}
	p.Send(ch)
	return nil
}

// locations says where the rows of the table stand.
func (s *Reader) locations(bases []int) []chunk.LineRun {
	var runs []chunk.LineRun
	line, file := 1, 0
	for k, ch := range s.chunks {
		if ch.file != file {
			line, file = 1, ch.file
		}
		for _, run := range ch.runs {
			runs = chunk.AppendLineRun(runs, chunk.LineRun{Row: bases[k] + run.Row, Line: line + run.Line, File: int32(file)})
		}
		line += ch.lines
	}
	return runs
}

// mostWanted returns the largest index of a column, -1 without any.
func (s *Reader) mostWanted() int32 {
	most := int32(-1)
	for _, index := range s.indices {
		most = max(most, index)
	}
	return most
}

// isFeature reports whether a target is neither the label nor the query number.
func (s *Reader) isFeature(t chunk.Target) bool { return t.Source >= len(s.names)-len(s.indices) }

// indexOf returns the index of a target that is a feature.
func (s *Reader) indexOf(t chunk.Target) int32 {
	return s.indices[t.Source-(len(s.names)-len(s.indices))]
}

// column makes the column chunk of a column: label, query number, or a feature.
func (m *transposition) column(t chunk.Target, rows int) (*chunk.ColumnChunk, error) {
	if !m.isFeature(t) {
		values := make([]float64, 0, rows)
		for _, ch := range m.chunks {
			if t.Source == 0 {
				values = append(values, ch.labels...)
			} else {
				values = append(values, ch.queries...)
			}
		}
		return m.FromNumbers(t, values)
	}
	c := &m.columns[m.slots[m.indexOf(t)]-1]
	if t.Role != chunk.Feature || t.Want == chunk.WantCategory {
		return m.FromNumbers(t, c.all(m))
	}
	if c.dense {
		p := chunk.NewColumn()
		p.F32, p.F64 = chunk.WithoutNumbers(c.f32, m.MissingNumbers), chunk.WithoutNumbers(c.f64, m.MissingNumbers)
		p.Present = chunk.Present(p.F32) + chunk.Present(p.F64)
		return p, nil
	}
	s := &chunk.Sparse{Rows: c.rows, F32: c.f32, F64: c.f64, Fill: m.fill()}
	if len(m.MissingNumbers) > 0 {
		s = s.WithoutNumbers(m.MissingNumbers).WithoutFill()
	}
	p := chunk.NewColumn()
	p.Sparse, p.Present = s, rows-s.Missing(rows)
	return p, nil
}

// all returns the values of all rows.
func (c *featureColumn) all(m *transposition) []float64 {
	n := m.bases[len(m.bases)-1]
	if !c.dense {
		return (&chunk.Sparse{Rows: c.rows, F32: c.f32, F64: c.f64, Fill: m.fill()}).Expand64(n)
	}
	if c.f64 != nil {
		return c.f64
	}
	wide := make([]float64, n)
	for i, v := range c.f32 {
		wide[i] = float64(v)
	}
	return wide
}

// transposition turns rows of stored entries into columns. The chunks are dealt out to
// workers in stretches; each counts its entries of every column, which says where in
// the columns they go, and then puts them there.
type transposition struct {
	*Reader
	bases   []int
	slots   []int32 // by index: the column's number plus 1, 0 for features that are left out
	columns []featureColumn

	placing        []int32 // by index: the slot as allocate numbers it, -1 for features that are left out
	end64, end32   int32   // where the slots of sparse columns of float64, and of float32, end
	rows64, rows32 []int32 // the memory of all sparse columns, one after another
	values64       []float64
	values32       []float32
	dense          []*featureColumn // by slot from end32 on
}

// featureColumn is one feature: the stored cells, or all of them if it is dense. One of f32
// and f64 is set unless there are none.
type featureColumn struct {
	dense bool
	rows  []int32
	f32   []float32
	f64   []float64
}

// want makes room for the feature of an index.
func (m *transposition) want(index int32) {
	if m.slots[index] == 0 {
		m.columns = append(m.columns, featureColumn{})
		m.slots[index] = int32(len(m.columns))
	}
}

// fill returns the value of what is not stored.
func (s *Reader) fill() float64 {
	if s.AbsentMissing || slices.Contains(s.MissingNumbers, 0) {
		return chunk.MissingFill
	}
	return 0
}

func (m *transposition) run(ctx context.Context) error {
	stretches := m.stretches()
	counts := make([][]uint32, len(stretches))
	wide := make([][]bool, len(stretches))
	group, groupCtx := errgroup.WithContext(ctx)
	for w, chunks := range stretches {
		group.Go(func() error {
			counts[w], wide[w] = make([]uint32, len(m.columns)), make([]bool, len(m.columns))
			for _, ch := range chunks {
				m.count(ch, counts[w], wide[w])
			}
			return groupCtx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	next := m.allocate(counts, wide)
	group, groupCtx = errgroup.WithContext(ctx)
	for w, chunks := range stretches {
		group.Go(func() error {
			for _, ch := range chunks {
				m.place(ch, next[w])
				ch.Columns, ch.F32, ch.F64, ch.Ends = nil, nil, nil, nil
			}
			return groupCtx.Err()
		})
	}
	return group.Wait()
}

// stretches deals the chunks out, about as many entries to each worker. A stretch costs
// a counter per column, so there are no more of them than the entries justify.
func (m *transposition) stretches() [][]*textChunk {
	entries := 0
	for _, ch := range m.chunks {
		entries += len(ch.Columns)
	}
	n := max(1, min(records.Workers(m.Options, m.inputs), entries/max(1, len(m.columns))))
	stretches := make([][]*textChunk, n)
	seen := 0
	for _, ch := range m.chunks {
		w := min(n-1, seen*n/max(1, entries))
		stretches[w] = append(stretches[w], ch)
		seen += len(ch.Columns)
	}
	return stretches
}

// count counts the chunk's entries by column and marks the columns that need float64.
func (m *transposition) count(ch *textChunk, counts []uint32, wide []bool) {
	for i, index := range ch.Columns {
		slot := m.slots[index]
		if slot == 0 {
			continue
		}
		counts[slot-1]++
		if ch.F64 != nil {
			if v := ch.F64[i]; float64(float32(v)) != v && v == v {
				wide[slot-1] = true
			}
		}
	}
}

// allocate makes room for all columns, those that are mostly stored as dense ones, and
// turns the counts of each stretch into the places at which its cells begin. The slots
// are numbered anew: sparse columns of float64 first, then those of float32, then dense
// ones, so that placing an entry takes one look at its slot.
func (m *transposition) allocate(counts [][]uint32, wide [][]bool) [][]int {
	n := m.bases[len(m.bases)-1]
	cells, is64 := make([]int, len(m.columns)), make([]bool, len(m.columns))
	var sizes, columns [3]int // by form
	form := make([]uint8, len(m.columns))
	for k := range m.columns {
		for w := range counts {
			cells[k] += int(counts[w][k])
			is64[k] = is64[k] || wide[w][k]
		}
		form[k] = formOf(cells[k], is64[k], n)
		sizes[form[k]] += cells[k]
		columns[form[k]]++
	}
	m.rows64, m.values64 = make([]int32, sizes[sparse64]), make([]float64, sizes[sparse64])
	m.rows32, m.values32 = make([]int32, sizes[sparse32]), make([]float32, sizes[sparse32])
	m.end64, m.end32 = int32(columns[sparse64]), int32(columns[sparse64]+columns[sparse32])
	m.dense = make([]*featureColumn, columns[denseForm])

	next := make([][]int, len(counts)) // by stretch and new slot
	for w := range next {
		next[w] = make([]int, m.end32)
	}
	numbers := [3]int32{0, m.end64, m.end32}
	renumbered := make([]int32, len(m.columns))
	var at [3]int
	for k := range m.columns {
		c, f := &m.columns[k], form[k]
		slot := numbers[f]
		renumbered[k] = slot
		numbers[f]++
		from := at[f]
		at[f] += cells[k]
		switch f {
		case sparse64:
			c.rows, c.f64 = m.rows64[from:at[f]:at[f]], m.values64[from:at[f]:at[f]]
		case sparse32:
			c.rows, c.f32 = m.rows32[from:at[f]:at[f]], m.values32[from:at[f]:at[f]]
		default:
			c.fillRows(n, m.fill(), is64[k])
			m.dense[slot-m.end32] = c
			continue
		}
		for w := range counts {
			next[w][slot] = from
			from += int(counts[w][k])
		}
	}
	m.placing = make([]int32, len(m.slots))
	for index, slot := range m.slots {
		m.placing[index] = -1
		if slot > 0 {
			m.placing[index] = renumbered[slot-1]
		}
	}
	return next
}

// Forms of a column.
const (
	sparse64 = iota
	sparse32
	denseForm
)

// formOf returns the form in which so many stored cells of n take the least memory.
func formOf(cells int, is64 bool, n int) uint8 {
	width, form := 4, uint8(sparse32)
	if is64 {
		width, form = 8, sparse64
	}
	if n > 0 && cells*(4+width) >= n*width {
		return denseForm
	}
	return form
}

func (c *featureColumn) fillRows(n int, fill float64, is64 bool) {
	c.dense = true
	if is64 {
		c.f64 = chunk.Expand(nil, []float64(nil), fill, n)
	} else {
		c.f32 = chunk.Expand(nil, []float32(nil), float32(fill), n)
	}
}

// place puts the chunk's entries into the columns, each at the next of its places.
func (m *transposition) place(ch *textChunk, next []int) {
	row, from := int32(m.bases[ch.index]), 0
	for _, end := range ch.Ends {
		for i, index := range ch.Columns[from:end] {
			slot := m.placing[index]
			if uint32(slot) >= uint32(m.end32) {
				if slot >= 0 {
					m.dense[slot-m.end32].set(int(row), ch.Value(from+i))
				}
				continue
			}
			at := next[slot]
			next[slot]++
			if slot < m.end64 {
				m.rows64[at], m.values64[at] = row, ch.Value(from+i)
			} else {
				m.rows32[at], m.values32[at] = row, float32(ch.Value(from+i))
			}
		}
		from = int(end)
		row++
	}
}

func (c *featureColumn) set(row int, v float64) {
	if c.f64 != nil {
		c.f64[row] = v
	} else {
		c.f32[row] = float32(v)
	}
}
