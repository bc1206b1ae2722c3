package dataset

import (
	"fmt"

	"boost/dataset/internal/chunk"

	"gonum.org/v1/gonum/mat"
)

// FromMatrix makes a table of the columns of m. Without names (nil) the columns
// are called c1, c2, …. Options apply as for FromColumns.
func FromMatrix(m mat.Matrix, names []string, opts ...Option) (*Table, error) {
	rows, width := m.Dims()
	if names == nil {
		for j := range width {
			names = append(names, fmt.Sprintf("c%d", j+1))
		}
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
