package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
)

// Rows are numbered in 31 bits. No test holds so many, so the limit is lowered: one row
// more than it is an error in every form of a table, and the limit itself is not.
func TestMostRows(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	column := dataset.ColumnData{Name: "a", Values: []float64{1, 2, 3, 4, 5}}
	forms := map[string]func(opts ...dataset.Option) (int, error){
		"columns": func(opts ...dataset.Option) (int, error) {
			return rowsOf(dataset.FromColumns([]dataset.ColumnData{column}, opts...))
		},
		"sparse columns": func(opts ...dataset.Option) (int, error) {
			return rowsOf(dataset.FromColumns([]dataset.ColumnData{{Name: "a", Values: dataset.Sparse{}, Rows: 5}}, opts...))
		},
	}
	for _, name := range []string{"types.csv", "types.gzip.parquet", "types.plain.arrow", "types.plain.arrows", "sklearn_counts0.svm"} {
		file := interop(name)
		forms[name] = func(opts ...dataset.Option) (int, error) { return rowsOf(dataset.Open(ctx, file, opts...)) }
		forms[name+" twice"] = func(opts ...dataset.Option) (int, error) {
			return rowsOf(dataset.OpenAll(ctx, []string{file, file}, append(opts, dataset.InOrder())...))
		}
		if strings.HasSuffix(name, ".svm") {
			continue
		}
		forms[name+" in chunks"] = func(opts ...dataset.Option) (int, error) {
			scan, err := dataset.OpenChunked(ctx, []string{file, file}, append(opts, dataset.InOrder())...)
			if err != nil {
				return 0, err
			}
			defer scan.Close()
			return scan.NumRows(), nil
		}
	}
	for name, read := range forms {
		t.Run(name, func(t *testing.T) {
			rows, err := read()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := read(dataset.LimitRows(rows - 1)); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), fmt.Sprintf("up to %d can be read", rows-1)) {
				t.Errorf("%d rows, one more than the limit: %v", rows, err)
			}
			if got, err := read(dataset.LimitRows(rows)); err != nil || got != rows {
				t.Errorf("%d rows, the limit: %d read, %v", rows, got, err)
			}
		})
	}
}

func rowsOf(table *dataset.Table, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return table.NumRows(), nil
}
