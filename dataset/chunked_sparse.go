package dataset

import (
	"boost/dataset/internal/chunk"
	"boost/internal/kernel/mix"
)

// endCounting notes what a source that counts cells knows of the features, and makes the table of
// the rows that are kept.
func (s *ChunkedTable) endCounting() error {
	targets := s.featureTargets()
	for i, c := range s.features {
		c.cells, s.fill = s.counter.Stored(targets[i])
		width := 4
		if c.kind == Float64 {
			width = 8
		}
		c.sparse = c.kind != Category && c.cells*(4+width) < s.rows*width
	}
	chunks, chosen, cells := s.counter.EndCounting(targets)
	s.chunks = nil
	first := 0
	for _, rows := range chunks {
		s.chunks = append(s.chunks, knownChunk{rows: rows, first: first})
		first += rows
	}
	if cells == nil {
		return nil
	}
	var err error
	s.keptRows = chosen
	s.kept, err = s.sparseTable(cells)
	return err
}

// sparse shows rows of stored cells as a table.
func (r *featurePass) sparse(cells *chunk.SparseRows, first int) error {
	t, err := r.sparseTable(cells)
	if err != nil {
		return err
	}
	var sum mix.Sum
	for i, c := range t.columns {
		r.hash(&sum, i, c, first)
	}
	return r.show(first, t, sum)
}

// sparseTable makes the table of rows of the features' stored cells.
func (s *ChunkedTable) sparseTable(cells *chunk.SparseRows) (*Table, error) {
	ends := make([]int32, len(s.features)+1) // where a feature's cells are put next
	for _, f := range cells.Columns {
		if f >= 0 {
			ends[f+1]++
		}
	}
	for f := range s.features {
		ends[f+1] += ends[f]
	}
	rows, values := make([]int32, ends[len(ends)-1]), make([]float64, ends[len(ends)-1])
	from := 0
	for row, end := range cells.Ends {
		for i := from; i < int(end); i++ {
			if f := cells.Columns[i]; f >= 0 {
				at := ends[f]
				rows[at], values[at] = int32(row), cells.Value(i)
				ends[f]++
			}
		}
		from = int(end)
	}
	t := &Table{rows: cells.Len(), index: new(nameIndex), columns: make([]*Column, len(s.features))}
	begin := int32(0)
	for f, c := range s.features {
		column, err := s.sparseFeature(c, &Sparse{Rows: rows[begin:ends[f]], F64: values[begin:ends[f]], Fill: cells.Fill}, t.rows)
		if err != nil {
			return nil, err
		}
		t.columns[f], begin = column, ends[f]
	}
	return t, nil
}

// sparseFeature makes a feature's column of n rows.
func (s *ChunkedTable) sparseFeature(c *chunkedFeature, cells *Sparse, n int) (*Column, error) {
	if c.kind == Category {
		p, err := s.in.FromNumbers(c.Target, chunk.Expand(cells.Rows, cells.F64, cells.Fill, n))
		if err != nil {
			return nil, err
		}
		return c.column(p, nil, s)
	}
	if c.kind == Float32 {
		f32 := make([]float32, len(cells.F64))
		for i, v := range cells.F64 {
			f32[i] = float32(v)
			if float64(f32[i]) != v && v == v {
				return nil, s.in.changed()
			}
		}
		cells.F32, cells.F64 = f32, nil
	}
	column := &Column{name: c.Name, kind: c.kind, role: c.Role, sparse: cells, rows: n, missing: cells.Missing(n)}
	if !c.sparse {
		return column.dense(), nil
	}
	return column, nil
}
