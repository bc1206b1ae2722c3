package dataset_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
	"boost/parallel"
)

// interopFolders are those with files of other programs: the ones kept in the tree,
// and one that make interop has just written.
func interopFolders() []string {
	folders := []string{filepath.Join("testdata", "interop")}
	if fresh := os.Getenv("BOOST_INTEROP"); fresh != "" {
		folders = append(folders, fresh)
	}
	return folders
}

// interopFiles lists the files of a folder that hold a table in one of the endings.
func interopFiles(t *testing.T, folder string, endings ...string) []string {
	t.Helper()
	var files []string
	for _, ending := range endings {
		found, err := filepath.Glob(filepath.Join(folder, "*"+ending))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 10 {
		t.Fatalf("only %d files in %s", len(files), folder)
	}
	return files
}

// twinOf returns the CSV file that states what a file has to hold.
func twinOf(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	return filepath.Join(filepath.Dir(file), name+".csv")
}

// TestInterop reads what pyarrow, pandas, polars and DuckDB wrote. What the files hold
// is stated by CSV twins that benchmarks/python/interop_columnar.py writes cell by cell.
func TestInterop(t *testing.T) {
	testenv.Unraced(t)
	for _, folder := range interopFolders() {
		for _, file := range interopFiles(t, folder, ".parquet", ".arrow", ".arrows") {
			if strings.HasPrefix(filepath.Base(file), "refused.") {
				continue
			}
			t.Run(filepath.Base(file), func(t *testing.T) { compareWithTwin(t, file) })
		}
	}
}

func compareWithTwin(t *testing.T, file string) {
	ctx := context.Background()
	twin, err := dataset.Open(ctx, twinOf(file))
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	check := func(what string, table, twin *dataset.Table, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		for i, c := range table.Columns() {
			if got, want := showColumn(c), showColumn(twin.Columns()[i]); got != want {
				t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
			}
		}
		if !reflect.DeepEqual(table.Schema(), twin.Schema()) {
			t.Errorf("%s: the schema is not the twin's", what)
		}
		if table.Fingerprint(pool) != twin.Fingerprint(pool) {
			t.Errorf("%s: the fingerprint is not the twin's", what)
		}
	}
	table, err := dataset.Open(ctx, file)
	check("whole", table, twin, err)
	table, err = dataset.Open(ctx, file, dataset.Threads(3))
	check("three threads", table, twin, err)
	table, err = dataset.Open(ctx, file, dataset.ChunkRows(7))
	check("chunks of 7 rows", table, twin, err)
	table, err = dataset.Open(ctx, file, dataset.As(twin.Schema()))
	check("with the schema", table, twin, err)

	var names []string
	for _, c := range twin.Columns() {
		names = append(names, c.Name())
	}
	levels, err := dataset.Open(ctx, twinOf(file), dataset.Categorical(names...))
	if err != nil {
		t.Fatal(err)
	}
	table, err = dataset.Open(ctx, file, dataset.Categorical(names...))
	check("categories", table, levels, err)

	scanned, err := dataset.OpenChunked(ctx, []string{file}, dataset.ChunkRows(7), dataset.Threads(2))
	if err != nil {
		t.Errorf("in chunks: %v", err)
		return
	}
	defer scanned.Close()
	rows := 0
	var mutex sync.Mutex
	err = scanned.Chunks(ctx, func(first int, features *dataset.Table) error {
		mutex.Lock()
		defer mutex.Unlock()
		rows += features.NumRows()
		return nil
	})
	if err != nil || rows != twin.NumRows() || scanned.Fingerprint() != twin.Fingerprint(pool) || !reflect.DeepEqual(scanned.Schema(), twin.Schema()) {
		t.Errorf("in chunks: %d rows, %v", rows, err)
	}

	packed := writeFile(t, filepath.Join(t.TempDir(), "t.gz"), gzipped(t, file))
	table, err = dataset.Open(ctx, packed)
	check("gzip", table, twin, err)
	stream, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	table, err = dataset.Read(ctx, stream, "standard input")
	check("standard input", table, twin, err)
}

func gzipped(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return zipped(string(content))
}

// TestInteropRefused looks at files with a column that is no number, date or text:
// the error names it, and without the column the rest is read.
func TestInteropRefused(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	for _, folder := range interopFolders() {
		for _, file := range interopFiles(t, folder, ".parquet", ".arrow", ".arrows") {
			name := filepath.Base(file)
			if !strings.HasPrefix(name, "refused.") {
				continue
			}
			t.Run(name, func(t *testing.T) {
				_, err := dataset.Open(ctx, file)
				if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), file) ||
					!strings.Contains(err.Error(), `column "bad"`) || !strings.Contains(err.Error(), "ignore") {
					t.Errorf("got %v", err)
				}
				var column *dataset.ColumnError
				if !strings.Contains(name, "binary") && (!errors.As(err, &column) || column.Column != "bad") {
					t.Errorf("%v is no ColumnError of the column", err)
				}
				if strings.Contains(name, "BYTE_STREAM_SPLIT") && !strings.Contains(err.Error(), "encoded as BYTE_STREAM_SPLIT") {
					t.Errorf("the encoding is not named: %v", err)
				}
				table, err := dataset.Open(ctx, file, dataset.Ignore("bad"))
				if err != nil || show(table) != "x:float32=1.5|2.5|3.5" {
					t.Errorf("without the column: %v", err)
				}
			})
		}
	}
}
