package dataset_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"boost/dataset"
)

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
