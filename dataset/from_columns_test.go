package dataset_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"boost/dataset"
)

func fromColumns(t *testing.T, columns []dataset.ColumnData, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	table, err := dataset.FromColumns(columns, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestFromColumnsSettlesKinds(t *testing.T) {
	nan := math.NaN()
	table := fromColumns(t, []dataset.ColumnData{
		{Name: "f32", Values: []float64{1.5, nan, -2}},
		{Name: "f64", Values: []float64{0.1, 1, 2}},
		{Name: "ints", Values: []int{1, 2, 1 << 24}},
		{Name: "big", Values: []int64{1, 2, 1<<24 + 1}},
		{Name: "bools", Values: []bool{true, false, true}},
		{Name: "texts", Values: []string{"b", "NA", "a"}},
		{Name: "digits", Values: []string{"1", "", "0.5"}},
		{Name: "codes", Values: []float64{3, 1, 3}},
		{Name: "y", Values: []string{"yes", "no", "yes"}},
		{Name: "key", Values: []string{"x", "", "NA"}},
		{Name: "gone", Values: []string{"x", "y", "z"}},
	}, dataset.Categorical("codes"), dataset.Label("y"), dataset.ID("key"), dataset.Ignore("gone"))

	want := map[string]struct {
		kind    dataset.Kind
		role    dataset.Role
		missing int
	}{
		"f32": {dataset.Float32, dataset.Feature, 1}, "f64": {dataset.Float64, dataset.Feature, 0},
		"ints": {dataset.Float32, dataset.Feature, 0}, "big": {dataset.Float64, dataset.Feature, 0},
		"bools": {dataset.Float32, dataset.Feature, 0}, "texts": {dataset.Category, dataset.Feature, 1},
		"digits": {dataset.Float32, dataset.Feature, 1}, "codes": {dataset.Category, dataset.Feature, 0},
		"y": {dataset.Category, dataset.LabelRole, 0}, "key": {dataset.Text, dataset.IDRole, 1},
	}
	if got := len(table.Columns()); got != len(want) {
		t.Errorf("%d columns, want %d", got, len(want))
	}
	for _, c := range table.Columns() {
		w := want[c.Name()]
		if c.Kind() != w.kind || c.Role() != w.role || c.Missing() != w.missing {
			t.Errorf("column %q is %v %v with %d missing, want %v %v with %d", c.Name(),
				c.Kind(), c.Role(), c.Missing(), w.kind, w.role, w.missing)
		}
	}
	if got := table.Column("texts"); !slices.Equal(got.Codes(), []int32{0, -1, 1}) || !slices.Equal(got.Levels(), []string{"b", "a"}) {
		t.Errorf("texts: codes %v of %q", got.Codes(), got.Levels())
	}
	if got := table.Column("codes"); !got.NumericLevels() || !slices.Equal(got.Levels(), []string{"3", "1"}) {
		t.Errorf("codes: levels %q, numeric %v", got.Levels(), got.NumericLevels())
	}
	if got := table.Column("key"); got.Text(0) != "x" || got.Text(1) != "" || got.Text(2) != "NA" {
		t.Errorf("key: %v", got.Array())
	}
}

func TestTakeKeepsDictionariesAndPlaces(t *testing.T) {
	table := fromColumns(t, []dataset.ColumnData{
		{Name: "x", Values: []float64{1, 2, 3, 4}},
		{Name: "c", Values: []string{"a", "b", "", "c"}},
		{Name: "key", Values: []string{"k0", "k1", "k2", "k3"}},
	}, dataset.ID("key"))
	taken := table.Take([]int32{3, 1, 3}).Take([]int32{0, 1})
	if got := taken.Column("x").Float32s(); !slices.Equal(got, []float32{4, 2}) {
		t.Errorf("x = %v", got)
	}
	c := taken.Column("c")
	if !slices.Equal(c.Codes(), []int32{2, 1}) || !slices.Equal(c.Levels(), []string{"a", "b", "c"}) {
		t.Errorf("c = %v of %q", c.Codes(), c.Levels())
	}
	if got := taken.Column("key").Text(0); got != "k3" {
		t.Errorf("key[0] = %q", got)
	}
	if _, line := taken.Locate(0); line != 4 {
		t.Errorf("row 0 is row %d of the source, want 4", line)
	}
	if taken.NumRows() != 2 {
		t.Errorf("%d rows", taken.NumRows())
	}
}

// Columns of a table without its features are found by name, and those of the table too, however many there are.
func TestWithoutFeaturesFindsColumns(t *testing.T) {
	var columns []dataset.ColumnData
	var labels []string
	for i := range 80 {
		name := fmt.Sprint("c", i)
		if columns = append(columns, dataset.ColumnData{Name: name, Values: []float64{1, 2}}); i >= 40 {
			labels = append(labels, name)
		}
	}
	for _, first := range []string{"c79", "c0"} { // of the part, of the table
		table, err := dataset.FromColumns(columns, dataset.Label(labels...))
		if err != nil {
			t.Fatal(err)
		}
		part := table.WithoutFeatures()
		if first == "c0" {
			table.Column(first)
		}
		if c := part.Column("c79"); c == nil || c.Name() != "c79" || part.Column("c0") != nil {
			t.Errorf("the part has %v", c)
		}
		if c := table.Column("c0"); c == nil || c.Name() != "c0" {
			t.Errorf("the table has %v", c)
		}
	}
}

func TestFromColumnsErrors(t *testing.T) {
	x := dataset.ColumnData{Name: "x", Values: []float64{1, 2}}
	cases := []struct {
		name    string
		columns []dataset.ColumnData
		opts    []dataset.Option
		want    string
	}{
		{"lengths", []dataset.ColumnData{x, {Name: "y", Values: []float64{1}}}, nil,
			`column "x" has 2 rows, column "y" has 1`},
		{"type", []dataset.ColumnData{{Name: "x", Values: []complex64{1}}}, nil,
			`column "x" has values of type []complex64; use []float64, []float32, []int, []int64, []int32, []bool, []string, Sparse or arrow.Array`},
		{"rows", []dataset.ColumnData{{Name: "x", Values: dataset.Sparse{}, Rows: -3}}, nil,
			`column "x" has -3 rows, by Rows: give a number above 0, or 0 for that of the values`},
		{"no_rows", []dataset.ColumnData{{Name: "x", Values: []float64{}}}, nil, `the table has no rows`},
		{"no_columns", nil, nil, `the table has no columns`},
		{"repeated", []dataset.ColumnData{x, x}, nil, `column "x" stands in the table twice, as columns 1 and 2; rename one`},
		{"label", []dataset.ColumnData{x}, []dataset.Option{dataset.Label("X")},
			`the table has no column "X", which is named as label (did you mean "x"?); its columns are "x"`},
		{"ignore", []dataset.ColumnData{x}, []dataset.Option{dataset.Ignore("z")},
			`the table has no column "z", which is named as ignore; its columns are "x"`},
		{"two_roles", []dataset.ColumnData{x}, []dataset.Option{dataset.Label("x"), dataset.ID("x")},
			`column "x" is named as label and as id; it can be one of them`},
		{"all_ignored", []dataset.ColumnData{x}, []dataset.Option{dataset.Ignore("x")}, `every column of the table is ignored`},
		{"missing_label", []dataset.ColumnData{{Name: "x", Values: []string{"1", "NA"}}}, []dataset.Option{dataset.Label("x")},
			`row 2: column "x": the cell has no value, expected a label, and every row needs one (fill it in, or set on_bad_row = "skip" to leave such rows out)`},
		{"inexact", []dataset.ColumnData{{Name: "x", Values: []int64{1, 1<<53 + 1}}}, nil,
			`row 2: column "x" holds an integer that float64 cannot hold exactly; give it as text to use it as a category`},
		{"written", []dataset.ColumnData{x}, []dataset.Option{dataset.As(dataset.Schema{Columns: []dataset.ColumnSchema{{Name: "x", Kind: dataset.Float64, Written: "1,234.5 %"}}})},
			`column "x" holds plain numbers, where "1,234.5 %" is expected: --set 'data.parse={x="1234.5"}' takes them as they are`},
		{"weight_text", []dataset.ColumnData{{Name: "x", Values: []string{"1", "heavy"}}}, []dataset.Option{dataset.Weight("x")},
			`row 2: column "x": "heavy" is not a number, and a weight has to be one`},
		{"decimal", []dataset.ColumnData{x}, []dataset.Option{dataset.Decimal(';')}, `decimal = ";" is not possible; it is "." or ","`},
		{"encoding", []dataset.ColumnData{x}, []dataset.Option{dataset.Encoding("utf-16")},
			`encoding = "utf-16" is not known; it is "utf-8", "latin1" or "cp1252"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := dataset.FromColumns(c.columns, c.opts...)
			if !errors.Is(err, dataset.ErrTable) {
				t.Fatalf("error %v does not wrap ErrTable", err)
			}
			if err.Error() != c.want {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
		})
	}
}
