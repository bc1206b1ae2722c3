package profile_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/profile"
)

// Features with infinite cells are named with the first of them; labels, levels and other columns are not.
func TestInfinitiesOfFeatures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.csv")
	text := "a,b,c,name,y\n" + strings.Repeat("1.5,0.1,0,inf,1\n", 9) + "1e400,0.1,1,no,2\n,0.1,2,inf,inf\n-inf,-1e999,3,no,1\nInfinity,1e308,4,no,2\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := dataset.Open(context.Background(), file, dataset.Label("y"), dataset.Categorical("name"))
	if err != nil {
		t.Fatal(err)
	}
	const why = ": the text inf and numbers beyond ±1.8e308 are read so"
	want := []string{
		`column "a" has 3 infinite cells, the first in ` + file + ":11" + why,
		`column "b" has 1 infinite cell, the first in ` + file + ":13" + why,
	}
	if got := profile.Infinities(table); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := profile.Infinities(nil); got != nil {
		t.Errorf("without a table: %q", got)
	}
	sparse := filepath.Join(t.TempDir(), "t.svm")
	if err := os.WriteFile(sparse, []byte(strings.Repeat("1 1:1 2:2 3:inf 4:-inf\n", 2)+strings.Repeat("0 1:1\n", 99)+"1 2:1e400 9:inf\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if table, err = dataset.Open(context.Background(), sparse); err != nil {
		t.Fatal(err)
	}
	got := profile.Infinities(table)
	if len(got) != 4 || got[0] != `column "f2" has 1 infinite cell, the first in `+sparse+":102"+why ||
		!strings.HasPrefix(got[1], `column "f3" has 2 infinite cells, the first in `+sparse+":1:") || got[3] != "1 column more with infinite cells: boost inspect names them" {
		t.Errorf("of four sparse columns: %q", got)
	}
}
