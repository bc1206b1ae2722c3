package dataset

// Concat returns the rows of tables one after another. The tables must have the same
// columns, of the same kinds and with the same dictionaries, as those have that
// Scan.Chunks shows; there must be at least one. Places and notes are left out.
func Concat(tables []*Table) *Table {
	t := &Table{index: new(nameIndex)}
	for _, part := range tables {
		t.rows += part.rows
	}
	for i, c := range tables[0].columns {
		switch c.kind {
		case Float32:
			t.columns = append(t.columns, float32Column(c.name, c.role, concat(tables, i, t.rows, (*Column).Float32s)))
		case Float64:
			t.columns = append(t.columns, float64Column(c.name, c.role, concat(tables, i, t.rows, (*Column).Float64s)))
		case Category:
			t.columns = append(t.columns, categoryColumn(c.name, c.role, concat(tables, i, t.rows, (*Column).Codes), c.levels, c.numericLevels))
		default:
			panic("dataset: Concat of a column of text")
		}
	}
	return t
}

func concat[T any](tables []*Table, column, rows int, values func(*Column) []T) []T {
	all := make([]T, 0, rows)
	for _, t := range tables {
		all = append(all, values(t.columns[column])...)
	}
	return all
}
