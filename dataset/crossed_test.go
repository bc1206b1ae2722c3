package dataset_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
	"boost/parallel"
)

// Pairs of values have names of their own, whatever signs the values hold; a missing value is one of them.
func TestCrossedLevels(t *testing.T) {
	texts := []string{"", "×", "××", "a", "a ×", "× a", " ", "a × b"}
	seen := map[string][2]string{}
	cell := func(text string) dataset.Cell {
		if text == "" {
			return dataset.Cell{Number: math.NaN()}
		}
		return dataset.Cell{Level: text}
	}
	for _, a := range texts {
		for _, b := range texts {
			name := dataset.CrossedLevel(cell(a), cell(b))
			if other, twice := seen[name]; twice {
				t.Errorf("%q and %q are both %q", other, [2]string{a, b}, name)
			}
			seen[name] = [2]string{a, b}
		}
	}
	if got := dataset.CrossedLevel(dataset.Cell{Level: "AA"}, dataset.Cell{Number: 5.5}); got != "AA × 5.5" {
		t.Errorf("AA and 5.5 are %q", got)
	}
}

// crossedTable has a category, numbers and a label, with a missing value each.
func crossedTable(t *testing.T, carriers []string, hours []float64, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "hour", Values: hours}, {Name: "carrier", Values: carriers}, {Name: "y", Values: make([]float64, len(hours))},
	}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestCross(t *testing.T) {
	table := crossedTable(t, []string{"AA", "B6", "AA", "", "AA"}, []float64{5, 5, 6, math.NaN(), 5}, dataset.Label("y"), dataset.Categorical("carrier"))
	wider, err := table.Cross([]dataset.CrossedColumn{{Name: dataset.CrossedName("carrier", "hour"), Of: []string{"carrier", "hour"}}})
	if err != nil {
		t.Fatal(err)
	}
	c := wider.Column("carrier × hour")
	if levels := []string{"AA × 5", "B6 × 5", "AA × 6", "× × ×"}; !slices.Equal(c.Levels(), levels) || !slices.Equal(c.Codes(), []int32{0, 1, 2, 3, 0}) || c.Missing() > 0 {
		t.Fatalf("levels %q, codes %v", c.Levels(), c.Codes())
	}
	if got := wider.Crossed(c); !slices.Equal(got, []string{"carrier", "hour"}) || wider.Crossed(wider.Column("carrier")) != nil {
		t.Errorf("crossed of %q", got)
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	if wider.Fingerprint(pool) != table.Fingerprint(pool) {
		t.Error("the fingerprint depends on what is made of the table")
	}
	if len(table.Columns()) != 3 {
		t.Error("the table itself has changed")
	}

	schema := wider.Schema()
	if got := schema.Columns[3].Crossed; !slices.Equal(got, []string{"carrier", "hour"}) {
		t.Fatalf("the schema's column is crossed of %q", got)
	}
	// Other rows, from memory and from a file: unknown pairs are missing, and a column of that name does not count.
	hours, carriers := []float64{6, 5, 7, math.NaN()}, []string{"AA", "new", "B6", ""}
	want := []int32{2, -1, -1, 3}
	file, err := dataset.Read(context.Background(), strings.NewReader("carrier,carrier × hour,hour\nAA,x,6\nnew,x,5\nB6,x,7\n,x,\n"), "rows.csv", dataset.As(schema))
	if err != nil {
		t.Fatal(err)
	}
	for name, rows := range map[string]*dataset.Table{
		"memory": crossedTable(t, carriers, hours, dataset.Categorical("carrier")), "as": crossedTable(t, carriers, hours, dataset.As(schema)), "file": file,
		"rows": wider.Take([]int32{2, 0, 3}),
	} {
		want, names := want, []string{"hour", "carrier", "carrier × hour"}
		if name == "rows" {
			want = []int32{2, 0, 3}
		}
		as, err := rows.As(schema)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, c := range as.Features() {
			got = append(got, c.Name())
		}
		if !slices.Equal(got, names) {
			t.Errorf("%s: features %q", name, got)
		}
		if c := as.Column("carrier × hour"); !slices.Equal(c.Codes(), want) {
			t.Errorf("%s: codes %v, want %v", name, c.Codes(), want)
		}
	}
	if _, err := wider.Cross([]dataset.CrossedColumn{{Name: dataset.CrossedName("carrier", "hour"), Of: []string{"carrier", "hour"}}}); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("a name that is taken: %v", err)
	}
}
