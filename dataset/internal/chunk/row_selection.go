package chunk

import (
	"slices"
	"sort"
)

// RowSelection is a list of rows to take, in a form by which the stored cells of a
// sparse column find their new rows: old row r becomes the rows
// order[first[r]:first[r+1]], ascending.
type RowSelection struct {
	first []int32
	order []int32
	// ascending reports whether the list ascends: stored cells then keep their order.
	ascending bool
}

// NewRowSelection prepares taking rows of a table of n rows. It costs as much as n plus
// the list, once for all columns.
func NewRowSelection(rows []int32, n int) *RowSelection {
	s := &RowSelection{first: make([]int32, n+1), order: make([]int32, len(rows)), ascending: slices.IsSorted(rows)}
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

// Take returns the cells of the selected rows, in time proportional to the cells.
func (s *RowSelection) Take(from *Sparse) *Sparse {
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

// Pick returns the values of the given rows.
func Pick[T any](values []T, rows []int32) []T {
	picked := make([]T, len(rows))
	for i, row := range rows {
		picked[i] = values[row]
	}
	return picked
}
