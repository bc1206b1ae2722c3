package dataset

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
