package dataset_test

import (
	"context"
	"math"
	"path/filepath"
	"sync"
	"testing"

	"boost/dataset"
)

// A table without words of its own has a model's for missing values, numbers too; one that has some keeps these.
func TestMissingNumbersOfTheModel(t *testing.T) {
	columns := []dataset.ColumnData{{Name: "x", Values: []float64{1, -999, 3}}, {Name: "wide", Values: []float64{0.1, -999, -998}},
		{Name: "few", Values: dataset.Sparse{Rows: []int32{1}, F64: []float64{-999}}}}
	trained, err := dataset.FromColumns(columns, dataset.Missing("-999"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		opts []dataset.Option
		want map[string][]float64
	}{
		"none": {nil, map[string][]float64{"x": {1, math.NaN(), 3}, "wide": {0.1, math.NaN(), -998}}},
		"own":  {[]dataset.Option{dataset.Missing("-998")}, map[string][]float64{"x": {1, -999, 3}, "wide": {0.1, -999, math.NaN()}}},
	} {
		table, err := dataset.FromColumns(columns[:2], c.opts...)
		if err != nil {
			t.Fatal(err)
		}
		as, err := table.As(dataset.Schema{Columns: trained.Schema().Columns[:2], Written: trained.Schema().Written})
		if err != nil {
			t.Fatal(err)
		}
		for column, want := range c.want {
			missing := 0
			for row, v := range want {
				if got := numberOf(as.Column(column), row); got != v && (got == got || v == v) {
					t.Errorf("words: %s, column %s, row %d: %v, want %v", name, column, row, got, v)
				}
				if v != v {
					missing++
				}
			}
			if as.Column(column).Missing() != missing {
				t.Errorf("words: %s, column %s: %d missing, want %d", name, column, as.Column(column).Missing(), missing)
			}
		}
		if numberOf(table.Column("x"), 1) != -999 {
			t.Error("the table itself has changed")
		}
	}
}

// Run with -race: tables are safe for concurrent use.
func TestConcurrentTake(t *testing.T) {
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "c", Values: []string{"a", "b", "a"}}, {Name: "x", Values: []float64{1, 2, 3}}})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if part := table.Take([]int32{2, 0}); part.Column("c").Levels()[part.Column("c").Codes()[0]] != "a" {
				t.Error("another level")
			}
		})
	}
	all.Wait()
}

func TestReadOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	writeFile(t, path, []byte("x,y\n1,2\n3,4\n"))
	table, err := dataset.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	each := func(*dataset.Table) (func() error, error) { return nil, nil }
	for _, close := range []bool{false, true} {
		s, err := dataset.OpenStream(context.Background(), []string{path}, dataset.As(table.Schema()))
		if err != nil {
			t.Fatal(err)
		}
		if close {
			s.Close()
		} else if err := s.Each(context.Background(), each); err != nil || s.NumRows() != 2 {
			t.Errorf("%d rows, %v", s.NumRows(), err)
		}
		if err := s.Each(context.Background(), each); err == nil {
			t.Error("a stream that was read, or closed, is read")
		}
		s.Close()
	}
	chunked, err := dataset.OpenChunked(context.Background(), []string{path})
	if err != nil {
		t.Fatal(err)
	}
	chunked.Close()
	if err := chunked.Chunks(context.Background(), func(int, *dataset.Table) error { return nil }); err == nil {
		t.Error("a table that was closed is read")
	}
}
