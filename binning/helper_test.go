package binning_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

var nan, inf = math.NaN(), math.Inf(1)

// column is a feature of a test table, in one of four forms.
type column struct {
	name       string
	f32        []float32
	f64        []float64
	cells      *dataset.Sparse // with rows rows
	rows       int
	dictionary []string
	indices    []int32 // into the dictionary, -1 where missing
}

func floats32(name string, values ...float32) column { return column{name: name, f32: values} }
func floats64(name string, values ...float64) column { return column{name: name, f64: values} }

// cells makes a sparse column of the values, those that equal fill left out: float64
// if wide, else float32. It stays sparse only where few values differ from fill.
func cells(name string, wide bool, fill float64, values ...float64) column {
	s := &dataset.Sparse{Fill: fill}
	if wide {
		s.F64 = []float64{}
	}
	for row, v := range values {
		if v == fill || v != v && fill != fill {
			continue
		}
		if s.Rows = append(s.Rows, int32(row)); wide {
			s.F64 = append(s.F64, v)
		} else {
			s.F32 = append(s.F32, float32(v))
		}
	}
	return column{name: name, cells: s, rows: len(values)}
}

func levels(name string, dictionary []string, indices ...int32) column {
	return column{name: name, dictionary: dictionary, indices: indices}
}

// table makes a table whose columns have the kinds and dictionaries asked for,
// whatever their values: rows that settle these come first and are taken off again.
func table(t testing.TB, columns ...column) *dataset.Table {
	t.Helper()
	first, rows := 1, 0
	var categorical []string
	for _, c := range columns {
		first = max(first, len(c.dictionary))
		rows = len(c.f32) + len(c.f64) + len(c.indices) + c.rows
	}
	label := make([]float64, first+rows)
	data := []dataset.ColumnData{{Name: "label", Values: label}}
	for _, c := range columns {
		var values any
		switch {
		case c.cells != nil:
			values = shifted(c.cells, first)
		case c.f32 != nil:
			values = append(make([]float32, first), c.f32...)
		case c.f64 != nil:
			values = append(slices.Repeat([]float64{.1}, first), c.f64...) // no float32
		default:
			texts := append(slices.Clone(c.dictionary), make([]string, first-len(c.dictionary))...)
			for _, index := range c.indices {
				text := ""
				if index >= 0 {
					text = c.dictionary[index]
				}
				texts = append(texts, text)
			}
			values, categorical = texts, append(categorical, c.name)
		}
		data = append(data, dataset.ColumnData{Name: c.name, Values: values})
	}
	all, err := dataset.FromColumns(data, dataset.Label("label"), dataset.Categorical(categorical...))
	if err != nil {
		t.Fatal(err)
	}
	keep := make([]int32, rows)
	for i := range keep {
		keep[i] = int32(first + i)
	}
	return all.Take(keep)
}

// shifted puts first rows before the others, the first with a value that settles the kind.
func shifted(s *dataset.Sparse, first int) *dataset.Sparse {
	moved := &dataset.Sparse{Fill: s.Fill, Rows: []int32{0}}
	for _, row := range s.Rows {
		moved.Rows = append(moved.Rows, row+int32(first))
	}
	if s.F64 != nil {
		moved.F64 = append([]float64{.1}, s.F64...) // no float32
	} else {
		moved.F32 = append([]float32{1}, s.F32...)
	}
	return moved
}

func narrow(values []float64) []float32 {
	result := make([]float32, len(values))
	for i, v := range values {
		result[i] = float32(v)
	}
	return result
}

var solo, duo = parallel.NewPool(1), parallel.NewPool(2)

// pool returns a pool that ends with the test; one and two threads are kept, since
// properties ask for them thousands of times.
func pool(t testing.TB, threads int) *parallel.Pool {
	switch threads {
	case 1:
		return solo
	case 2:
		return duo
	}
	p := parallel.NewPool(threads)
	t.Cleanup(p.Close)
	return p
}

func params(change func(p *binning.Params)) binning.Params {
	p := binning.Defaults()
	if change != nil {
		change(&p)
	}
	return p
}

func fit(t testing.TB, tab *dataset.Table, p binning.Params) *binning.Cuts {
	t.Helper()
	c, _, err := binning.Fit(context.Background(), tab, nil, p, 1, pool(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func build(t testing.TB, c *binning.Cuts, tab *dataset.Table, p binning.Params) *binning.Matrix {
	t.Helper()
	m, err := binning.Build(context.Background(), c, tab, p, pool(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func codesOf(m *binning.Matrix, feature int) []uint32 {
	codes := make([]uint32, m.NRows())
	for row := range codes {
		codes[row] = m.Bin(feature, row)
	}
	return codes
}

func equal[S ~[]E, E comparable](t testing.TB, what string, got, want S) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func sequence(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i)
	}
	return values
}
