package profile_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"boost/dataset"
	"boost/internal/profile"
	"boost/parallel"
)

// BenchmarkSparse profiles 50,000 columns of 500,000 rows of which one cell in 2,000 is
// stored, with a label.
func BenchmarkSparse(b *testing.B) {
	const rows, columns = 500_000, 50_000
	data := make([]dataset.ColumnData, 0, columns+1)
	label := make([]int, rows)
	for row := range label {
		label[row] = row / 7 % 2
	}
	data = append(data, dataset.ColumnData{Name: "label", Values: label})
	state := uint64(1)
	for f := range columns {
		s := dataset.Sparse{}
		for range rows / 2000 {
			state = state*6364136223846793005 + 1442695040888963407
			s.Rows = append(s.Rows, int32(state>>33)%rows)
		}
		slices.Sort(s.Rows)
		s.Rows = slices.Compact(s.Rows)
		for i := range s.Rows {
			s.F32 = append(s.F32, float32(i%5+1))
		}
		data = append(data, dataset.ColumnData{Name: fmt.Sprint("f", f), Values: s, Rows: rows})
	}
	table, err := dataset.FromColumns(data)
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, table, "label")
}

// BenchmarkDense profiles a million rows of 28 numbers.
func BenchmarkDense(b *testing.B) {
	const rows, columns = 1_000_000, 28
	data := make([]dataset.ColumnData, columns)
	state := uint64(1)
	for f := range data {
		values := make([]float32, rows)
		for row := range values {
			state = state*6364136223846793005 + 1442695040888963407
			values[row] = float32(state>>40) / (1 << 24)
		}
		data[f] = dataset.ColumnData{Name: fmt.Sprint("f", f), Values: values}
	}
	table, err := dataset.FromColumns(data)
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, table, "f0")
}

func benchmark(b *testing.B, table *dataset.Table, label string) {
	pool := parallel.NewPool(runtime.GOMAXPROCS(0))
	defer pool.Close()
	for b.Loop() {
		if _, err := profile.Of(context.Background(), table, profile.Params{Label: label, Classes: label == "label"}, pool); err != nil {
			b.Fatal(err)
		}
	}
}
