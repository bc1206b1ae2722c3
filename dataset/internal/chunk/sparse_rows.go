package chunk

// SparseRows are stored cells, row after row.
type SparseRows struct {
	Ends    []int32   // by row: where its cells end
	Columns []int32   // by cell: its column, ascending within a row
	F32     []float32 // by cell: every value is exact in it
	F64     []float64 // by cell: at least one is not
	Fill    float64   // the value of cells that are not stored
}

// Len returns the number of rows.
func (s *SparseRows) Len() int { return len(s.Ends) }

// Value returns the value of a cell.
func (s *SparseRows) Value(i int) float64 {
	if s.F64 != nil {
		return s.F64[i]
	}
	return float64(s.F32[i])
}

// Add appends a cell to the row that is yet to end, moving the values to float64 at the first that needs it.
func (s *SparseRows) Add(column int32, v float64) {
	s.Columns = append(s.Columns, column)
	if s.F64 == nil {
		f := float32(v)
		if float64(f) == v || v != v {
			s.F32 = append(s.F32, f)
			return
		}
		s.F64 = make([]float64, len(s.F32), cap(s.F32))
		for i, f := range s.F32 {
			s.F64[i] = float64(f)
		}
		s.F32 = nil
	}
	s.F64 = append(s.F64, v)
}

// Cut takes back the cells from n on.
func (s *SparseRows) Cut(n int) {
	s.Columns = s.Columns[:n]
	if s.F64 != nil {
		s.F64 = s.F64[:n]
	} else {
		s.F32 = s.F32[:n]
	}
}

// Bytes returns how much memory the cells take.
func (s *SparseRows) Bytes() int64 {
	return int64(4*len(s.Columns) + 4*len(s.F32) + 8*len(s.F64) + 4*len(s.Ends))
}
