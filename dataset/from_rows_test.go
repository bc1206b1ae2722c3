package dataset_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
	"boost/parallel"
)

func TestFromRows(t *testing.T) {
	nan := math.NaN()
	tab, err := dataset.FromRows([][]float64{{1, nan}, {0.1, 3}}, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	a, b := tab.Column("a"), tab.Column("b")
	if a.Kind() != dataset.Float64 || !slices.Equal(a.Float64s(), []float64{1, 0.1}) {
		t.Errorf("column a is %v", a)
	}
	if b.Kind() != dataset.Float32 || b.Missing() != 1 || b.Float32s()[1] != 3 {
		t.Errorf("column b is %v", b)
	}
	if tab, err = dataset.FromRows([][]float64{{1, 2}}); err != nil || tab.Column("c2") == nil {
		t.Errorf("without names: %v", err)
	}
	for want, rows := range map[string][][]float64{"no rows": {}, "row 2: 1 values for 2 columns": {{1, 2}, {1}}, "row 1: 3 values for 2 columns": {{1, 2, 3}}} {
		if _, err := dataset.FromRows(rows, "a", "b"); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", rows, err, want)
		}
	}
}

func TestWithLabel(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	tab := fromColumns(t, []dataset.ColumnData{
		{Name: "a", Values: []float64{1, 2}}, {Name: "b", Values: []string{"x", ""}}, {Name: "c", Values: []string{"u", "v"}},
		{Name: "w", Values: []float64{1, 1}}, {Name: "s", Values: dataset.Sparse{Rows: []int32{1}, F32: []float32{5}}},
	}, dataset.Label("a"), dataset.Weight("w"))
	for _, name := range []string{"c", "s", "a"} {
		got, err := tab.WithLabel(name)
		if err != nil {
			t.Fatal(err)
		}
		want := fromColumns(t, []dataset.ColumnData{
			{Name: "a", Values: []float64{1, 2}}, {Name: "b", Values: []string{"x", ""}}, {Name: "c", Values: []string{"u", "v"}},
			{Name: "w", Values: []float64{1, 1}}, {Name: "s", Values: dataset.Sparse{Rows: []int32{1}, F32: []float32{5}}},
		}, dataset.Label(name), dataset.Weight("w"))
		if got.LabelColumn().Name() != name || got.Fingerprint(pool) != want.Fingerprint(pool) || got.LabelColumn().Sparse() != nil {
			t.Errorf("WithLabel(%q) is not the table with Label(%q): its label is %q", name, name, got.LabelColumn().Name())
		}
		if len(got.Features()) != 3 {
			t.Errorf("WithLabel(%q) has %d features, want 3", name, len(got.Features()))
		}
	}
	if tab.LabelColumn().Name() != "a" {
		t.Error("the table itself was changed")
	}
	for name, want := range map[string]string{"b": `row 2: label "b" is empty`, "z": `no column "z"`, "w": `cannot be the label: it was read as the weight`} {
		if _, err := tab.WithLabel(name); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), want) {
			t.Errorf("WithLabel(%q): error %v, want %q", name, err, want)
		}
	}
}
