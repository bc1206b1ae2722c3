package dataset_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
	"boost/parallel"
)

// realSets returns the training files of the real data sets, where these are not at hand of the shipped ones.
func realSets(t *testing.T) []string {
	t.Helper()
	shared := os.Getenv("BOOST_SHARED")
	folder, least := filepath.Join(shared, "data"), 40
	if shared == "" {
		folder, least = filepath.Join("..", "examples"), 3
	}
	files, err := filepath.Glob(filepath.Join(folder, "*", "train.csv.gz"))
	if err != nil || len(files) < least {
		t.Fatalf("%d data sets in %s, want %d (%v)", len(files), folder, least, err)
	}
	return files
}

func gunzip(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRealSetsEqualEncodingCSV reads every real data set and compares each cell
// with what encoding/csv and strconv make of it.
func TestRealSetsEqualEncodingCSV(t *testing.T) {
	testenv.Unraced(t)
	for _, file := range realSets(t) {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			text := gunzip(t, file)
			enough := testenv.ByLength(2<<20, 512<<10, 512<<10)
			if len(text) > enough { // encoding/csv takes its time
				text = text[:bytes.LastIndexByte(text[:enough], '\n')+1]
			}
			records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			table, err := dataset.Read(context.Background(), bytes.NewReader(text), file, dataset.MissingOnly(""), dataset.KeepBlanks(), dataset.LenientTypes())
			if err != nil {
				t.Fatal(err)
			}
			if table.NumRows() != len(records)-1 || len(table.Columns()) != len(records[0]) {
				t.Fatalf("%d × %d, want %d × %d", table.NumRows(), len(table.Columns()), len(records)-1, len(records[0]))
			}
			for i, c := range table.Columns() {
				cells := make([]string, len(records)-1)
				for row, record := range records[1:] {
					cells[row] = record[i]
				}
				if c.Name() != records[0][i] {
					t.Errorf("column %d is %q, want %q", i, c.Name(), records[0][i])
				}
				compareColumn(t, c, cells)
			}
			for _, row := range []int{0, table.NumRows() / 2, table.NumRows() - 1} {
				if name, line := table.Locate(row); name != file || line != row+2 {
					t.Errorf("row %d is at %s:%d", row, name, line)
				}
			}
		})
	}
}

// compareColumn finds out a column's kind from its cells in the plainest way.
func compareColumn(t *testing.T, c *dataset.Column, cells []string) {
	t.Helper()
	values := make([]float64, len(cells))
	present, parsed, exact := 0, 0, true
	for i, cell := range cells {
		values[i] = math.NaN()
		if cell == "" {
			continue
		}
		present++
		v, err := strconv.ParseFloat(cell, 64)
		if err == nil {
			parsed++
			values[i] = v
			exact = exact && float64(float32(v)) == v
		}
	}
	kind := dataset.Category
	switch {
	case parsed == present && exact:
		kind = dataset.Float32
	case parsed == present:
		kind = dataset.Float64
	}
	if c.Kind() != kind || c.Missing() != len(cells)-present {
		t.Errorf("column %q is %v with %d missing, want %v with %d", c.Name(), c.Kind(), c.Missing(), kind, len(cells)-present)
		return
	}
	if kind == dataset.Category {
		var levels []string
		index := make(map[string]int32)
		for row, cell := range cells {
			want := int32(-1)
			if cell != "" {
				if _, ok := index[cell]; !ok {
					index[cell] = int32(len(levels))
					levels = append(levels, cell)
				}
				want = index[cell]
			}
			if got := c.Codes()[row]; got != want {
				t.Errorf("column %q row %d has code %d, want %d", c.Name(), row, got, want)
				return
			}
		}
		if !slices.Equal(c.Levels(), levels) {
			t.Errorf("column %q has levels %q, want %q", c.Name(), c.Levels(), levels)
		}
		return
	}
	for row, want := range values {
		got := valueAt(c, row)
		if math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) {
			t.Errorf("column %q row %d is %v, want %v", c.Name(), row, got, want)
			return
		}
	}
}

func valueAt(c *dataset.Column, row int) float64 {
	if c.Kind() == dataset.Float32 {
		return float64(c.Float32s()[row])
	}
	return c.Float64s()[row]
}

// The same rows stand as LibSVM text and as CSV in two of the real sets; a hash of
// their tables covers every cell, name and role.
func TestRealLibSVMEqualsCSV(t *testing.T) {
	testenv.Unraced(t)
	shared := os.Getenv("BOOST_SHARED")
	if shared == "" {
		t.Skip("BOOST_SHARED is not set: the real data sets are not at hand")
	}
	pool := parallel.NewPool(2)
	defer pool.Close()
	for _, c := range []struct {
		svm, csv string
		svmOpts  []dataset.Option
		csvOpts  []dataset.Option
	}{
		{"agaricus/train.svm.gz", "agaricus/train.csv.gz", []dataset.Option{dataset.IndexBase("0")}, nil},
		{"agaricus/test.svm.gz", "agaricus/test.csv.gz", []dataset.Option{dataset.IndexBase("0")}, nil},
		{"lightgbm_lambdarank/original/rank.train", "lightgbm_lambdarank/train.csv.gz", []dataset.Option{dataset.IndexBase("0"), dataset.NoSideFiles()},
			[]dataset.Option{dataset.Ignore("qid")}},
	} {
		t.Run(c.svm, func(t *testing.T) {
			svm := must(dataset.Open(context.Background(), filepath.Join(shared, "data", c.svm), c.svmOpts...))(t)
			csv := must(dataset.Open(context.Background(), filepath.Join(shared, "data", c.csv), append(c.csvOpts, dataset.Label("label"))...))(t)
			if got, want := svm.Schema(), csv.Schema(); !slices.EqualFunc(got.Columns, want.Columns, func(a, b dataset.ColumnSchema) bool {
				return a.Name == b.Name && a.Role == b.Role && a.Kind == b.Kind
			}) {
				t.Fatal("the schemas differ")
			}
			if got, want := svm.Fingerprint(pool), csv.Fingerprint(pool); got != want {
				t.Errorf("fingerprint %s, want %s", got, want)
			}
		})
	}
}
