package booster_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/parallel"
)

// One table in CSV, Parquet and Arrow, as pyarrow, pandas, polars and DuckDB write it
// (benchmarks/python/interop_columnar.py), gives one model, whether its columns are
// read by value or all named as categories. twin.csv states the values cell by cell.
func TestOneTableInEveryForm(t *testing.T) {
	testenv.Unraced(t)
	folders := []string{filepath.Join("..", "dataset", "testdata", "interop", "forms")}
	if fresh := os.Getenv("BOOST_INTEROP"); fresh != "" {
		folders = append(folders, filepath.Join(fresh, "forms"))
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.*"))
		if err != nil || len(files) < 13 {
			t.Fatalf("%d files in %s: %v", len(files), folder, err)
		}
		for name, options := range map[string][]dataset.Option{
			"by value":   {dataset.Label("y")},
			"categories": {dataset.Label("y"), dataset.Categorical("flag", "flag_gaps", "day", "when", "there", "tiny", "word", "kind", "price", "none")},
		} {
			open := func(file string) *dataset.Table {
				table, err := dataset.Open(context.Background(), filepath.Join(folder, file), options...)
				if err != nil {
					t.Fatal(err)
				}
				return table
			}
			p := booster.Defaults()
			p.Objective, p.Rounds, p.Tree.MinDataInLeaf, p.Tree.MinChildWeight = "binary", 5, 2, 0
			p.Tree.MinPerGroup, p.Tree.Smooth = 1, 1
			twin := open("twin.csv")
			if kinds := kindsOf(twin); name == "categories" && slices.Contains(kinds[:10], dataset.Float32) {
				t.Fatalf("the twin's columns are %v", kinds)
			}
			want := hash(t, p, twin)
			check := func(form string, table *dataset.Table) {
				t.Run(name+"/"+form, func(t *testing.T) {
					if !reflect.DeepEqual(table.Schema(), twin.Schema()) {
						t.Errorf("the schema is %+v, want %+v", table.Schema(), twin.Schema())
					}
					for i, c := range table.Columns() {
						if c.Kind() == dataset.Category && !slices.Equal(c.Codes(), twin.Columns()[i].Codes()) {
							t.Errorf("column %s has the codes %v, want %v", c.Name(), c.Codes(), twin.Columns()[i].Codes())
						}
					}
					if table.Fingerprint(pool) != twin.Fingerprint(pool) {
						t.Error("the fingerprint differs")
					}
					if got := hash(t, p, table); got != want {
						t.Errorf("the model is %s, want %s", got, want)
					}
					if got, want := table.Notes(), twin.Notes(); !slices.Equal(got, want) && form != "FromArrow" {
						t.Errorf("notes %q, want %q", got, want)
					}
				})
			}
			for _, file := range files {
				check(filepath.Base(file), open(filepath.Base(file)))
			}
			table, err := dataset.FromArrow(record(t, filepath.Join(folder, "pandas.arrow")), options...)
			if err != nil {
				t.Fatal(err)
			}
			check("FromArrow", table)
		}
	}
}

func kindsOf(table *dataset.Table) (kinds []dataset.Kind) {
	for _, c := range table.Columns() {
		kinds = append(kinds, c.Kind())
	}
	return kinds
}

// record returns the one batch of an Arrow file.
func record(t *testing.T, file string) arrow.Record {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reader, err := ipc.NewFileReader(f)
	if err != nil || reader.NumRecords() != 1 {
		t.Fatalf("%v; one batch was expected", err)
	}
	batch, err := reader.RecordAt(0)
	if err != nil {
		t.Fatal(err)
	}
	return batch
}
