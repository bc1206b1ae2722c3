package booster_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
)

// twin states what a table is that other programs wrote; benchmarks/python/interop_csv.py
// tells its form.
type twin struct {
	Columns []struct {
		Name    string
		Numbers []*string
		Texts   []*string
	}
	Options map[string]struct{ Decimal, Encoding string }
}

// interopTables lists the folders with files of other programs: the ones kept in the
// tree, and where make interop has just written some.
func interopTables() []string {
	folders := []string{filepath.Join("testdata", "interop")}
	if fresh := os.Getenv("BOOST_INTEROP"); fresh != "" {
		folders = append(folders, fresh)
	}
	return folders
}

// TestInteropText reads what pandas, polars, DuckDB and pyarrow wrote as CSV and TSV, plain,
// gzip and zstd, and compares every cell with what was to be written, and the model
// trained on the file with the one trained on these values.
func TestInteropText(t *testing.T) {
	testenv.Unraced(t)
	for _, folder := range interopTables() {
		statements, err := filepath.Glob(filepath.Join(folder, "*.json"))
		if err != nil || len(statements) == 0 {
			t.Fatalf("no tables in %s: %v", folder, err)
		}
		files := 0
		for _, statement := range statements {
			text, err := os.ReadFile(statement)
			if err != nil {
				t.Fatal(err)
			}
			var want twin
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(statement, err)
			}
			hash := trainedOn(t, want.table(t))
			paths, err := filepath.Glob(strings.TrimSuffix(statement, "json") + "*.[ct]sv*")
			if err != nil {
				t.Fatal(err)
			}
			files += len(paths)
			for _, path := range paths {
				t.Run(filepath.Base(path), func(t *testing.T) {
					table, err := dataset.Open(context.Background(), path, want.options(path)...)
					if err != nil {
						t.Fatal(err)
					}
					want.compare(t, table)
					schema := table.Schema()
					for i := range schema.Columns {
						schema.Columns[i].Dates = false
					}
					if table, err = table.As(schema); err != nil {
						t.Fatal(err)
					}
					if got := trainedOn(t, table); got != hash {
						t.Errorf("the model is %s, that of the stated values %s", got, hash)
					}
				})
			}
		}
		t.Logf("%d files in %s", files, folder)
		if files < 8 {
			t.Errorf("only %d files in %s", files, folder)
		}
	}
}

// options are those that the file cannot be read without.
func (w *twin) options(path string) []dataset.Option {
	options := []dataset.Option{dataset.Label("label")}
	variant := strings.Split(filepath.Base(path), ".")[1]
	o := w.Options[variant]
	if o.Decimal != "" {
		options = append(options, dataset.Decimal(rune(o.Decimal[0])))
	}
	if o.Encoding != "" {
		options = append(options, dataset.Encoding(o.Encoding))
	}
	return options
}

// table makes the table of the stated values without any text of a file.
func (w *twin) table(t *testing.T) *dataset.Table {
	t.Helper()
	var columns []dataset.ColumnData
	for _, c := range w.Columns {
		data := dataset.ColumnData{Name: c.Name}
		if c.Texts != nil {
			texts := make([]string, len(c.Texts))
			for row, text := range c.Texts {
				if text != nil {
					texts[row] = *text
				}
			}
			data.Values = texts
		} else {
			values := make([]float64, len(c.Numbers))
			for row, text := range c.Numbers {
				values[row] = numberOf(t, text)
			}
			data.Values = values
		}
		columns = append(columns, data)
	}
	table, err := dataset.FromColumns(columns, dataset.Label("label"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func numberOf(t *testing.T, text *string) float64 {
	t.Helper()
	if text == nil {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(*text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// compare holds every cell of the table to the statement.
func (w *twin) compare(t *testing.T, table *dataset.Table) {
	t.Helper()
	if len(table.Columns()) != len(w.Columns) {
		t.Fatalf("%d columns, want %d", len(table.Columns()), len(w.Columns))
	}
	for i, want := range w.Columns {
		c := table.Columns()[i]
		if c.Name() != want.Name || c.Len() != len(want.Texts)+len(want.Numbers) {
			t.Fatalf("column %d is %q of %d rows, want %q of %d", i, c.Name(), c.Len(), want.Name, len(want.Texts)+len(want.Numbers))
		}
		for row, text := range want.Texts {
			got := "(missing)"
			if code := c.Codes()[row]; code >= 0 {
				got = c.Levels()[code]
			}
			if text == nil && got != "(missing)" || text != nil && got != *text {
				t.Fatalf("%s row %d: %q, want %s", c.Name(), row, got, show(text))
			}
		}
		for row, text := range want.Numbers {
			var got float64
			switch c.Kind() {
			case dataset.Float32:
				got = float64(c.Float32s()[row])
			case dataset.Float64:
				got = c.Float64s()[row]
			default:
				t.Fatalf("%s is no numeric column", c.Name())
			}
			if v := numberOf(t, text); got != v && !(math.IsNaN(got) && math.IsNaN(v)) {
				t.Fatalf("%s row %d: %v, want %s", c.Name(), row, got, show(text))
			}
		}
	}
}

func show(text *string) string {
	if text == nil {
		return "a missing cell"
	}
	return strconv.Quote(*text)
}

// trainedOn returns the hash of the bytes of a small model.
func trainedOn(t *testing.T, table *dataset.Table) string {
	t.Helper()
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.MinDataInLeaf = "regression", 3, 2
	m, err := booster.Train(context.Background(), p, table)
	if err != nil {
		t.Fatal(err)
	}
	c := *m.Contents()
	c.Schema.Written = dataset.Written{} // a model keeps how its table was written, which the values do not tell
	if m, err = model.New(c); err != nil {
		t.Fatal(err)
	}
	file, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(file))[:16]
}
