package dataset

import "slices"

// Concat returns the rows of tables one after another. The tables must have the same
// columns, of the same kinds and with the same dictionaries, as those have that
// ChunkedTable.Chunks shows; there must be at least one. Row locations and notes are left out.
func Concat(tables []*Table) *Table {
	t := &Table{index: new(nameIndex)}
	for _, part := range tables {
		t.rows += part.rows
	}
	for i, c := range tables[0].columns {
		if sparse := slices.IndexFunc(tables, func(t *Table) bool { return t.columns[i].sparse != nil }); sparse >= 0 {
			t.columns = append(t.columns, concatSparse(tables, i, t.rows, tables[sparse].columns[i].sparse.Fill))
			continue
		}
		switch c.kind {
		case Float32:
			t.columns = append(t.columns, float32Column(c.name, c.role, concat(tables, i, t.rows, (*Column).Float32s)))
		case Float64:
			t.columns = append(t.columns, float64Column(c.name, c.role, concat(tables, i, t.rows, (*Column).Float64s)))
		case Category:
			t.columns = append(t.columns, codedColumn(c.name, c.role, concat(tables, i, t.rows, (*Column).Codes), c.Levels(), c.levelTexts(), c.NumericLevels()))
		default:
			panic("dataset: Concat of a column of text")
		}
	}
	return t
}

// concatSparse is for a column that is sparse in some of the tables.
func concatSparse(tables []*Table, column, rows int, fill float64) *Column {
	c := tables[0].columns[column]
	s, first := &Sparse{Fill: fill}, 0
	add := func(row int, v float64) {
		s.Rows = append(s.Rows, int32(first+row))
		if c.kind == Float32 {
			s.F32 = append(s.F32, float32(v))
		} else {
			s.F64 = append(s.F64, v)
		}
	}
	for _, t := range tables {
		part := t.columns[column]
		if cells := part.sparse; cells != nil {
			for i, row := range cells.Rows {
				add(int(row), cells.Value(i))
			}
		} else {
			for row := range part.Len() {
				if v := part.number(row); !s.IsFill(v) {
					add(row, v)
				}
			}
		}
		first += t.rows
	}
	return sparseColumn(c.name, c.role, rows, s)
}

func concat[T any](tables []*Table, column, rows int, values func(*Column) []T) []T {
	all := make([]T, 0, rows)
	for _, t := range tables {
		all = append(all, values(t.columns[column])...)
	}
	return all
}
