package dataset_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"boost/dataset"
	"boost/internal/testenv"
	"boost/parallel"
)

// twins are one table twice: with sparse columns and with dense ones.
func twins(t *testing.T, opts ...dataset.Option) (sparse, dense *dataset.Table) {
	t.Helper()
	nan := math.NaN()
	label := dataset.ColumnData{Name: "y", Values: []float64{1, 0, 1, 1, 0, 0, 1, 0}}
	sparse = fromColumns(t, []dataset.ColumnData{label,
		{Name: "zero", Values: dataset.Sparse{Rows: []int32{1, 6}, F64: []float64{2.5, -3}}},
		{Name: "wide", Values: dataset.Sparse{Rows: []int32{0, 7}, F64: []float64{0.1, 5}}},
		{Name: "gaps", Values: &dataset.Sparse{Rows: []int32{2, 3}, F32: []float32{float32(nan), 4}}},
		{Name: "absent", Values: dataset.Sparse{Rows: []int32{4, 5}, F32: []float32{0, 9}, Fill: nan}},
		{Name: "empty", Values: dataset.Sparse{}},
		{Name: "full", Values: dataset.Sparse{Rows: []int32{0, 1, 2, 3, 4, 5}, F64: []float64{1, 2, 3, 4, 5, 6}}},
		{Name: "explicit", Values: dataset.Sparse{Rows: []int32{0, 1, 7}, F32: []float32{0, float32(math.Copysign(0, -1)), 1}}},
	}, opts...)
	dense = fromColumns(t, []dataset.ColumnData{label,
		{Name: "zero", Values: []float64{0, 2.5, 0, 0, 0, 0, -3, 0}},
		{Name: "wide", Values: []float64{0.1, 0, 0, 0, 0, 0, 0, 5}},
		{Name: "gaps", Values: []float64{0, 0, nan, 4, 0, 0, 0, 0}},
		{Name: "absent", Values: []float64{nan, nan, nan, nan, 0, 9, nan, nan}},
		{Name: "empty", Values: []float64{0, 0, 0, 0, 0, 0, 0, 0}},
		{Name: "full", Values: []float64{1, 2, 3, 4, 5, 6, 0, 0}},
		{Name: "explicit", Values: []float64{0, 0, 0, 0, 0, 0, 0, 1}},
	}, opts...)
	return sparse, dense
}

// sameTables fails unless both tables have the same columns and values.
func sameTables(t *testing.T, got, want *dataset.Table) {
	t.Helper()
	if got.NumRows() != want.NumRows() || len(got.Columns()) != len(want.Columns()) {
		t.Fatalf("%d rows × %d columns, want %d × %d", got.NumRows(), len(got.Columns()), want.NumRows(), len(want.Columns()))
	}
	for i, w := range want.Columns() {
		g := got.Columns()[i]
		if g.Name() != w.Name() || g.Kind() != w.Kind() || g.Role() != w.Role() || g.Len() != w.Len() || g.Missing() != w.Missing() {
			t.Errorf("column %d: %s %v %v, %d rows, %d missing; want %s %v %v, %d rows, %d missing", i,
				g.Name(), g.Kind(), g.Role(), g.Len(), g.Missing(), w.Name(), w.Kind(), w.Role(), w.Len(), w.Missing())
			continue
		}
		for row := range w.Len() {
			a, b := cell(g, row), cell(w, row)
			if a != b {
				t.Errorf("column %s row %d: %v, want %v", w.Name(), row, a, b)
			}
		}
	}
	pool := parallel.NewPool(2)
	defer pool.Close()
	if g, w := got.Fingerprint(pool), want.Fingerprint(pool); g != w {
		t.Errorf("fingerprint %s, want %s", g, w)
	}
}

// cell writes a cell for comparison; −0 and 0 are the same number.
func cell(c *dataset.Column, row int) string {
	switch c.Kind() {
	case dataset.Float32:
		return fmt.Sprint(c.Float32s()[row] + 0)
	case dataset.Float64:
		return fmt.Sprint(c.Float64s()[row] + 0)
	case dataset.Category:
		if code := c.Codes()[row]; code >= 0 {
			return c.Levels()[code]
		}
		return ""
	}
	return c.Text(row)
}

func TestSparseEqualsDense(t *testing.T) {
	testenv.Unraced(t)
	t.Run("as made", func(t *testing.T) {
		sparse, dense := twins(t, dataset.Label("y"))
		sameTables(t, sparse, dense)
		for name, stored := range map[string]int{"zero": 2, "wide": 2, "gaps": 2, "absent": 2, "empty": 0, "explicit": 1} {
			s := sparse.Column(name).Sparse()
			if s == nil || s.Len() != stored {
				t.Errorf("column %s: %+v, want %d stored cells", name, s, stored)
			}
		}
		if s := sparse.Column("full").Sparse(); s != nil {
			t.Errorf("column full is sparse, which takes more bytes: %+v", s)
		}
	})
	t.Run("every role", func(t *testing.T) {
		sparse, dense := twins(t, dataset.Label("zero"), dataset.Weight("empty"), dataset.ID("explicit"),
			dataset.Ignore("y"), dataset.Categorical("gaps", "absent"))
		sameTables(t, sparse, dense)
		for _, c := range sparse.Columns() {
			if c.Role() != dataset.Feature && c.Sparse() != nil {
				t.Errorf("column %s with role %v is sparse", c.Name(), c.Role())
			}
		}
		a, b := must(sparse.NumericLabels())(t), must(dense.NumericLabels())(t)
		if !slices.Equal(a, b) {
			t.Errorf("labels %v, want %v", a, b)
		}
	})
	for name, rows := range map[string][]int32{
		"some": {1, 2, 3, 6}, "none": {}, "backwards": {7, 6, 5, 4, 3, 2, 1, 0}, "repeated": {3, 1, 1, 3, 5, 2},
	} {
		t.Run("take "+name, func(t *testing.T) {
			sparse, dense := twins(t, dataset.Label("y"))
			sameTables(t, sparse.Take(rows), dense.Take(rows))
		})
	}
	t.Run("skipped rows", func(t *testing.T) {
		labels := dataset.ColumnData{Name: "y", Values: []string{"a", "", "b", "a"}}
		sparse := fromColumns(t, []dataset.ColumnData{labels, {Name: "x", Values: dataset.Sparse{Rows: []int32{1, 3}, F32: []float32{7, 8}}}},
			dataset.Label("y"), dataset.SkipBadRows())
		dense := fromColumns(t, []dataset.ColumnData{labels, {Name: "x", Values: []float64{0, 7, 0, 8}}},
			dataset.Label("y"), dataset.SkipBadRows())
		if sparse.NumRows() != 3 || sparse.Column("x").Sparse() == nil {
			t.Errorf("%d rows, sparse %v; want 3, sparse", sparse.NumRows(), sparse.Column("x").Sparse())
		}
		sameTables(t, sparse, dense)
	})
	t.Run("as a model sees it", func(t *testing.T) {
		sparse, dense := twins(t, dataset.Label("y"))
		schema := fromColumns(t, []dataset.ColumnData{
			{Name: "gaps", Values: []string{"4", "1", "0"}}, {Name: "wide", Values: []float64{1, 2, 3}},
			{Name: "zero", Values: []float64{3, 0, 1}},
		}, dataset.Categorical("gaps"), dataset.Label("zero")).Schema()
		a, err := sparse.As(schema)
		if err != nil {
			t.Fatal(err)
		}
		b, err := dense.As(schema)
		if err != nil {
			t.Fatal(err)
		}
		sameTables(t, a, b)
	})
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestSparseRange(t *testing.T) {
	s := dataset.Sparse{Rows: []int32{2, 3, 9}, F32: []float32{1, 2, 3}}
	for _, c := range []struct{ lo, hi, first, end int }{{0, 2, 0, 0}, {0, 3, 0, 1}, {3, 9, 1, 2}, {3, 10, 1, 3}, {10, 20, 3, 3}} {
		if first, end := s.Range(c.lo, c.hi); first != c.first || end != c.end {
			t.Errorf("rows %d to %d: cells %d to %d, want %d to %d", c.lo, c.hi, first, end, c.first, c.end)
		}
	}
}

func TestSparseErrors(t *testing.T) {
	for name, c := range map[string]struct {
		column dataset.ColumnData
		want   string
	}{
		"fill":     {dataset.ColumnData{Values: dataset.Sparse{Fill: 1}}, `column "x" has a Fill that is neither 0 nor NaN`},
		"both":     {dataset.ColumnData{Values: dataset.Sparse{Rows: []int32{0}, F32: []float32{1}, F64: []float64{1}}}, `column "x" has values in F32 and in F64; it needs one of them`},
		"lengths":  {dataset.ColumnData{Values: dataset.Sparse{Rows: []int32{0}}}, `column "x" needs one value for each of its Rows`},
		"order":    {dataset.ColumnData{Values: dataset.Sparse{Rows: []int32{1, 1}, F32: []float32{1, 2}}}, `column "x" has Rows that do not ascend from 0`},
		"negative": {dataset.ColumnData{Values: dataset.Sparse{Rows: []int32{-1}, F32: []float32{1}}}, `column "x" has Rows that do not ascend from 0`},
		"outside":  {dataset.ColumnData{Values: dataset.Sparse{Rows: []int32{3}, F32: []float32{1}}}, `column "x" stores a value of row 3, and the table has 3 rows`},
		"rows":     {dataset.ColumnData{Values: dataset.Sparse{}, Rows: 4}, `column "y" has 3 rows, column "x" has 4`},
	} {
		c.column.Name = "x"
		_, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: []int{1, 2, 3}}, c.column})
		if err == nil || err.Error() != c.want || !errors.Is(err, dataset.ErrTable) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	_, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: dataset.Sparse{}}})
	if want := "no column tells how many rows there are; set ColumnData.Rows"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	table := fromColumns(t, []dataset.ColumnData{{Name: "x", Values: dataset.Sparse{}, Rows: 4}})
	if table.NumRows() != 4 || table.Column("x").Missing() != 0 {
		t.Errorf("%d rows, %d missing", table.NumRows(), table.Column("x").Missing())
	}
}

// A table of 50,000 columns and a million rows with one cell in 100,000 stored, which
// densely would take 200 GB, goes through everything that a table is asked for.
func TestSparseIsProportionalToCells(t *testing.T) {
	testenv.Unraced(t)
	const columns, rows, perColumn = 50_000, 1_000_000, 10
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]dataset.ColumnData, columns, columns+1)
	for i := range data {
		stored := make([]int32, 0, perColumn)
		for k := range int32(perColumn) {
			stored = append(stored, k*rows/perColumn+r.Int32N(rows/perColumn))
		}
		data[i] = dataset.ColumnData{Name: fmt.Sprint("f", i), Values: dataset.Sparse{Rows: stored, F32: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}}
	}
	data = append(data, dataset.ColumnData{Name: "y", Values: make([]float32, rows)})
	kept := make([]int32, 0, rows/2)
	for row := int32(0); row < rows; row += 2 {
		kept = append(kept, row)
	}
	pool := parallel.NewPool(2)
	defer pool.Close()

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	table := fromColumns(t, data, dataset.Label("y"))
	again := must(table.As(table.Schema()))(t)
	half := again.Take(kept)
	half.Fingerprint(pool)
	for i := range columns {
		if table.Column(data[i].Name) == nil {
			t.Fatalf("column %s is not found", data[i].Name)
		}
	}
	if len(half.Features()) != columns {
		t.Errorf("%d features", len(half.Features()))
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	// 500,000 cells of 8 bytes, taken once more; 50,000 columns of some hundred bytes in
	// each of three tables; labels and row lists of 4 bytes for a million rows.
	const most = 300 << 20
	if used := after.TotalAlloc - before.TotalAlloc; used > most {
		t.Errorf("%d bytes allocated, at most %d are justified", used, most)
	}
	// Anything that grows with columns × rows, or with the square of the columns, takes minutes.
	if took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
