package dataset_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
)

// Features without a value are named together where a table is read to train on, in memory and in chunks; a table for a
// model has no such note, and a profile has findings.
func TestFeaturesWithoutValues(t *testing.T) {
	ctx := context.Background()
	file := writeFile(t, filepath.Join(t.TempDir(), "t.csv"), []byte("a,b,c,w,y\n"+strings.Repeat(",1,NA,,2\n,2,,,1\n", 20)))
	options := []dataset.Option{dataset.Label("y"), dataset.ID("w")}
	const want = `no row has a value in columns "a", "c", which training cannot use`
	table, err := dataset.Open(ctx, file, options...)
	if err != nil {
		t.Fatal(err)
	}
	chunked, err := dataset.OpenChunked(ctx, []string{file}, append(options, dataset.ChunkSize(64))...)
	if err != nil {
		t.Fatal(err)
	}
	defer chunked.Close()
	for _, notes := range [][]string{table.Notes(), chunked.MetaColumns().Notes()} {
		if !slices.Equal(notes, []string{want}) {
			t.Errorf("got %q, want %q", notes, want)
		}
	}
	for _, other := range []dataset.Option{dataset.As(table.Schema()), dataset.LenientTypes()} {
		if table, err = dataset.Open(ctx, file, append(options[1:], other)...); err != nil || len(table.Notes()) > 0 {
			t.Errorf("got %q and %v, want no notes", table.Notes(), err)
		}
	}
}
