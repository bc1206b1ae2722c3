package dataset

import (
	"fmt"

	"boost/dataset/internal/chunk"
)

// FromRows makes a table of rows of numbers, NaN where missing, with the names of the columns. Without
// names the columns are called c1, c2, …. Rows of different lengths are an error that wraps ErrTable.
// Use Table.WithLabel to name the column that is to be predicted.
func FromRows(rows [][]float64, names ...string) (*Table, error) {
	if len(rows) == 0 {
		return nil, chunk.Errorf("the table has no rows")
	}
	width := len(rows[0])
	if names == nil {
		names = numberedNames(width)
	}
	for i, row := range rows {
		if len(row) != len(names) {
			return nil, chunk.Errorf("row %d: %d values for %d columns", i+1, len(row), len(names))
		}
	}
	columns := make([]ColumnData, width)
	for j := range columns {
		values := make([]float64, len(rows))
		for i, row := range rows {
			values[i] = row[j]
		}
		columns[j] = ColumnData{Name: names[j], Values: values}
	}
	return FromColumns(columns)
}

// numberedNames returns the names c1, c2, … of n columns.
func numberedNames(width int) []string {
	var names []string
	for j := range width {
		names = append(names, fmt.Sprintf("c%d", j+1))
	}
	return names
}

// Matrix is what FromMatrix reads. The matrices of gonum.org/v1/gonum/mat have these methods.
type Matrix interface {
	Dims() (rows, columns int)
	At(row, column int) float64
}

// FromMatrix makes a table of the columns of m. Without names (nil) the columns
// are called c1, c2, …. Options apply as for FromColumns.
func FromMatrix(m Matrix, names []string, opts ...Option) (*Table, error) {
	rows, width := m.Dims()
	if names == nil {
		names = numberedNames(width)
	}
	if len(names) != width {
		return nil, chunk.Errorf("%d names for a matrix of %d columns", len(names), width)
	}
	columns := make([]ColumnData, width)
	for j := range columns {
		values := make([]float64, rows)
		for i := range values {
			values[i] = m.At(i, j)
		}
		columns[j] = ColumnData{Name: names[j], Values: values}
	}
	return FromColumns(columns, opts...)
}
