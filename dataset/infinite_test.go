package dataset_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
)

// notesEachWay returns the notes about a file that is read whole, in chunks, and, with the schema, in parts.
func notesEachWay(t *testing.T, file string, opts ...dataset.Option) map[string][]string {
	t.Helper()
	ctx := context.Background()
	table, err := dataset.Open(ctx, file, opts...)
	if err != nil {
		t.Fatal(err)
	}
	opts = append(opts, dataset.ChunkSize(64))
	chunked, err := dataset.OpenChunked(ctx, []string{file}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer chunked.Close()
	stream, err := dataset.OpenStream(ctx, []string{file}, append(opts, dataset.As(table.Schema()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if err := stream.Each(ctx, func(*dataset.Table) (func() error, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{"whole": table.Notes(), "in chunks": chunked.MetaColumns().Notes(), "in parts": stream.Notes()}
}

// Features with infinite cells are named with the first of them; labels, levels and other columns are not.
func TestInfiniteCellsAreNoted(t *testing.T) {
	const why = ": the text inf and numbers beyond ±1.8e308 are read so"
	file := filepath.Join(t.TempDir(), "t.csv")
	text := "a,b,c,name,y\n" + strings.Repeat("1.5,0.1,0,inf,1\n", 9) + "1e400,0.1,1,no,2\n,0.1,2,inf,inf\n-inf,-1e999,3,no,1\nInfinity,1e308,4,no,2\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`column "a" has 3 infinite cells, the first in ` + file + ":11" + why,
		`column "b" has 1 infinite cell, the first in ` + file + ":13" + why,
	}
	for how, got := range notesEachWay(t, file, dataset.Label("y"), dataset.Categorical("name")) {
		if !slices.Equal(got, want) {
			t.Errorf("%s: got  %q\nwant %q", how, got, want)
		}
	}
	sparse := filepath.Join(t.TempDir(), "t.svm")
	if err := os.WriteFile(sparse, []byte(strings.Repeat("1 1:1 2:2 3:inf 4:-inf\n", 2)+strings.Repeat("0 1:1\n", 99)+"1 2:1e400 9:inf\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for how, got := range notesEachWay(t, sparse) {
		got = got[max(len(got)-4, 0):] // behind what is said of the indices
		if len(got) < 4 || got[0] != `column "f2" has 1 infinite cell, the first in `+sparse+":102"+why ||
			!strings.HasPrefix(got[1], `column "f3" has 2 infinite cells, the first in `+sparse+":1:") || got[3] != "1 column more with infinite cells: boost inspect names them" {
			t.Errorf("%s, of four sparse columns: %q", how, got)
		}
	}
}

// Rows that are left out have no infinite cells, and the others keep their places.
func TestInfiniteCellsBesideBadRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte("x,y\ninf,\n"+strings.Repeat("1,2\n2,1\n", 30)+"inf,2\nbad,1\n-inf,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	options := []dataset.Option{dataset.Label("y"), dataset.SkipBadRows(), dataset.ChunkSize(64)}
	table, err := dataset.Open(ctx, file, options...)
	if err != nil {
		t.Fatal(err)
	}
	chunked, err := dataset.OpenChunked(ctx, []string{file}, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer chunked.Close()
	want := `column "x" has 2 infinite cells, the first in ` + file + ":63: the text inf and numbers beyond ±1.8e308 are read so"
	for _, got := range [][]string{table.Notes(), chunked.MetaColumns().Notes()} {
		if !slices.Contains(got, want) {
			t.Errorf("got %q\nwant %q among them", got, want)
		}
	}
}

// Both widths, odd and even numbers of cells, and numbers beside the infinite ones.
func TestInfiniteCellsAreCounted(t *testing.T) {
	inf := math.Inf(1)
	for _, values := range [][]float64{{inf, 1, 2}, {0, -inf, math.NaN(), inf}, {math.MaxFloat32, inf, -math.MaxFloat32}, {math.MaxFloat64, inf, math.SmallestNonzeroFloat64, -inf, 0.1}} {
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: values}, {Name: "y", Values: make([]float64, len(values))}}, dataset.Label("y"))
		if err != nil {
			t.Fatal(err)
		}
		cells := 0
		for _, v := range values {
			if math.IsInf(v, 0) {
				cells++
			}
		}
		want := `column "x" has 2 infinite cells, the first in row 2: `
		if cells == 1 {
			want = `column "x" has 1 infinite cell, the first in row `
		}
		if notes := table.Notes(); len(notes) != 1 || !strings.HasPrefix(notes[0], want) {
			t.Errorf("%v: got %q, want %q", values, notes, want)
		}
	}
}
