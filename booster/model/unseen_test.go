package model_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"boost/booster/model"
	"boost/dataset"
	"boost/parallel"
)

func TestUnseen(t *testing.T) {
	f := newForest(t, 300, 1, 3, 8)
	later := table(t, []dataset.ColumnData{
		{Name: "few", Values: []string{"b", "z", "", "y", "z"}},
		{Name: "many", Values: []string{"level 1", "n1", "n2", "", "n3"}},
		{Name: "real", Values: []float64{1, 2, 3, 4, 5}}, {Name: "small", Values: []float64{1, 2, 3, 4, 5}},
	}, dataset.Categorical("few", "many"))
	known := slices.Contains(f.table.Column("many").Levels(), "level 1")
	got, err := f.model.Unseen(later)
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Unseen{
		{Column: "many", Rows: 3, Levels: 3, Row: 1, Example: "n1", Names: []string{"n1", "n2", "n3"}},
		{Column: "few", Rows: 3, Levels: 2, Row: 1, Example: "z", Names: []string{"z", "y"}},
	}
	if !known {
		want[0] = model.Unseen{Column: "many", Rows: 4, Levels: 4, Row: 0, Example: "level 1", Names: []string{"level 1", "n1", "n2", "n3"}}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if _, err := f.model.Unseen(table(t, []dataset.ColumnData{{Name: "few", Values: []string{"b"}}})); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("a table that lacks columns: %v", err)
	}
}

// TestPredictionLeavesTheTableAlone: neither predicting nor looking for unseen levels
// changes the table, its dictionaries or its fingerprint.
func TestPredictionLeavesTheTableAlone(t *testing.T) {
	f := newForest(t, 300, 2, 3, 8)
	columns := []dataset.ColumnData{
		{Name: "few", Values: []string{"b", "z", "", "c", "z"}},
		{Name: "many", Values: []string{"level 1", "n1", "n2", "", "n3"}},
		{Name: "real", Values: []float64{1, 2, 3, 4, 5}}, {Name: "small", Values: []float32{1, 2, 3, 4, 5}},
	}
	later := table(t, columns, dataset.Categorical("few", "many"))
	pool := parallel.NewPool(1)
	defer pool.Close()
	print, schema := later.Fingerprint(pool), later.Schema()
	levels := slices.Clone(later.Column("few").Levels())
	for range 2 {
		if _, err := f.model.Predict(context.Background(), later); err != nil {
			t.Fatal(err)
		}
		if _, err := f.model.PredictLeaf(context.Background(), later); err != nil {
			t.Fatal(err)
		}
		if _, err := f.model.Unseen(later); err != nil {
			t.Fatal(err)
		}
	}
	if got := later.Fingerprint(pool); got != print {
		t.Errorf("fingerprint %s, before the predictions %s", got, print)
	}
	if !reflect.DeepEqual(later.Schema(), schema) || !slices.Equal(later.Column("few").Levels(), levels) {
		t.Error("the predictions changed the table's schema")
	}
	if want := []float32{1, 2, 3, 4, 5}; !slices.Equal(columns[3].Values.([]float32), want) {
		t.Errorf("the caller's values are %v, were %v", columns[3].Values, want)
	}
}
