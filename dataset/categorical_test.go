package dataset_test

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"boost/dataset"
)

// A Categorical of pandas in a file is the category that it is in memory, with the same levels; what options or a model say
// of a column stands above its type. In a file of another program a dictionary is a way to store values.
func TestCategoricalOfPandas(t *testing.T) {
	ctx := context.Background()
	// The levels as the Python package hands them over.
	texts := [][]string{make([]string, 30), make([]string, 30), make([]string, 30)}
	var columns []dataset.ColumnData
	for j, levels := range [][]string{{"10", "-3", "7"}, {"2", "0.1"}, {"07", "7"}} {
		for i := range texts[j] {
			if i != 7 {
				texts[j][i] = levels[i%len(levels)]
			}
		}
		columns = append(columns, dataset.ColumnData{Name: []string{"shop", "size", "code"}[j], Values: texts[j]})
	}
	inMemory, err := dataset.FromColumns(columns, dataset.Categorical("shop", "size", "code"))
	if err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{".parquet", ".arrow"} {
		file := filepath.Join("testdata", "interop", "categorical", "pandas"+ending)
		options := []dataset.Option{dataset.Ignore("x"), dataset.Parse(map[string]string{"": dataset.ParseAuto})}
		table, err := dataset.Open(ctx, file, options...)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := show(table), show(inMemory); got != want || !reflect.DeepEqual(table.Schema(), inMemory.Schema()) {
			t.Errorf("%s:\ngot  %s\nwant %s", file, got, want)
		}
		chunked, err := dataset.OpenChunked(ctx, []string{file}, append(options, dataset.ChunkRows(7))...)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(chunked.Schema(), inMemory.Schema()) {
			t.Errorf("%s in chunks: schema %v, want %v", file, chunked.Schema(), inMemory.Schema())
		}
		chunked.Close()
		other := filepath.Join("testdata", "interop", "categorical", "pyarrow"+ending)
		numbers, err := dataset.Open(ctx, other)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range numbers.Columns() {
			if !c.Kind().Numeric() {
				t.Errorf("%s: column %q is of the kind %v", other, c.Name(), c.Kind())
			}
		}
		for name, option := range map[string]dataset.Option{
			"weight": dataset.Weight("shop"), "parse": dataset.Parse(map[string]string{"shop": dataset.ParseNumber}),
			"a model of numbers": dataset.As(numbers.Schema()),
		} {
			if table, err := dataset.Open(ctx, file, option); err != nil || !table.Column("shop").Kind().Numeric() {
				t.Errorf("%s, with %s: %v", file, name, err)
			}
		}
	}
}
