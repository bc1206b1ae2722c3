package dataset

import (
	"slices"
	"sort"
)

// sparseColumn makes a column of n rows, none of whose stored cells holds the fill. It
// becomes a dense one where that is smaller, and for roles that are read row by row.
func sparseColumn(name string, role Role, n int, s *Sparse) *Column {
	c := &Column{name: name, kind: Float32, role: role, sparse: s, rows: n, missing: s.Missing(n)}
	if s.F64 != nil {
		c.kind = Float64
	}
	if role != Feature || !s.Smaller(n) {
		return c.dense()
	}
	return c
}

// dense returns the column with a value for every row; a dense column is returned
// as it is.
func (c *Column) dense() *Column {
	switch {
	case c.sparse == nil:
		return c
	case c.kind == Float32:
		return float32Column(c.name, c.role, c.sparse.Expand32(c.rows))
	}
	return float64Column(c.name, c.role, c.sparse.Expand64(c.rows))
}

// selection is a list of rows to take, in a form by which the stored cells of a
// sparse column find their new rows: old row r becomes the rows
// order[first[r]:first[r+1]], ascending.
type selection struct {
	first []int32
	order []int32
	// ascending reports whether the list ascends: stored cells then keep their order.
	ascending bool
}

// newSelection prepares taking rows of a table of n rows. It costs as much as n plus
// the list, once for all columns.
func newSelection(rows []int32, n int) *selection {
	s := &selection{first: make([]int32, n+1), order: make([]int32, len(rows)), ascending: slices.IsSorted(rows)}
	for _, row := range rows {
		s.first[row+1]++
	}
	for i := range n {
		s.first[i+1] += s.first[i]
	}
	next := slices.Clone(s.first[:n])
	for i, row := range rows {
		s.order[next[row]] = int32(i)
		next[row]++
	}
	return s
}

// take returns the cells of the selected rows, in time proportional to the cells.
func (s *selection) take(from *Sparse) *Sparse {
	taken := &Sparse{Fill: from.Fill}
	count := 0
	for _, row := range from.Rows {
		count += int(s.first[row+1] - s.first[row])
	}
	taken.Rows = make([]int32, 0, count)
	if from.F64 != nil {
		taken.F64 = make([]float64, 0, count)
	} else {
		taken.F32 = make([]float32, 0, count)
	}
	for i, row := range from.Rows {
		for _, at := range s.order[s.first[row]:s.first[row+1]] {
			taken.Rows = append(taken.Rows, at)
			if from.F64 != nil {
				taken.F64 = append(taken.F64, from.F64[i])
			} else {
				taken.F32 = append(taken.F32, from.F32[i])
			}
		}
	}
	if !s.ascending {
		sort.Sort((*byRow)(taken))
	}
	return taken
}

// byRow sorts stored cells by row.
type byRow Sparse

func (s *byRow) Len() int { return len(s.Rows) }

func (s *byRow) Less(i, j int) bool { return s.Rows[i] < s.Rows[j] }

func (s *byRow) Swap(i, j int) {
	s.Rows[i], s.Rows[j] = s.Rows[j], s.Rows[i]
	if s.F64 != nil {
		s.F64[i], s.F64[j] = s.F64[j], s.F64[i]
		return
	}
	s.F32[i], s.F32[j] = s.F32[j], s.F32[i]
}
