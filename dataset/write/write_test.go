package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
)

// Texts are numbers only where every one of them is written as a number would be.
func TestWholeNumbers(t *testing.T) {
	for text, want := range map[string]bool{
		"1,2,,-3": true, "9223372036854775807": true, "9223372036854775808": false, "007,8": false, "1.0": false, "+1": false,
		"-0": false, "": false, "1,a": false, "1 ": false,
	} {
		if got := AllWhole(strings.Split(text, ",")); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// choked takes so many bytes and then fails.
type choked struct{ left int }

var errChoked = errors.New("no room")

func (c *choked) Write(p []byte) (int, error) {
	if len(p) > c.left {
		return c.left, errChoked
	}
	c.left -= len(p)
	return len(p), nil
}

// No format takes a write that failed for one that did not, wherever it fails.
func TestFailedWrites(t *testing.T) {
	testenv.Unraced(t)
	values := make([]float64, 100)
	for i := range values {
		values[i] = math.Sqrt(float64(i))
	}
	values[3], values[4] = math.NaN(), math.Inf(1)
	ids := make([]string, len(values))
	for i := range ids {
		ids[i] = fmt.Sprint("r", i)
	}
	tables := []Table{{Columns: []Column{{Name: "id", Texts: ids}, {Name: "p", Floats: values, Stride: 1}}, Rows: len(values)}}
	for _, name := range Formats() {
		var whole bytes.Buffer
		if err := All(context.Background(), &whole, name, tables); err != nil {
			t.Fatal(err)
		}
		for room := range whole.Len() {
			if err := All(context.Background(), &choked{room}, name, tables); !errors.Is(err, errChoked) {
				t.Fatalf("%s: with room for %d of %d bytes the error is %v", name, room, whole.Len(), err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := All(ctx, io.Discard, name, tables); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a cancelled context gives %v", name, err)
		}
	}
}

// Groups of the binary formats are cut at the same rows, however the parts are.
func TestWriterGroups(t *testing.T) {
	const rows = arrowRows + 700
	values, leaves, ids := make([]float64, 2*rows), make([]int32, rows), make([]string, rows)
	for i := range rows {
		values[2*i], values[2*i+1], leaves[i], ids[i] = float64(i)/3, float64(-i), int32(i%97), fmt.Sprint("r", i%11)
	}
	columns := func(lo, hi int) []Column {
		return []Column{{Name: "id", Texts: ids[lo:hi]}, {Name: "a", Floats: values[2*lo : 2*hi], Stride: 2},
			{Name: "b", Floats: values[2*lo : 2*hi], Stride: 2, At: 1}, {Name: "t", Ints: leaves[lo:hi], Stride: 1}}
	}
	for _, format := range []string{"arrow", "parquet"} {
		var want bytes.Buffer
		if err := All(context.Background(), &want, format, []Table{{columns(0, rows), rows}}); err != nil {
			t.Fatal(err)
		}
		for _, table := range []int{999, 40_000, rows} {
			var got bytes.Buffer
			w := NewWriter(&got, format)
			for lo := 0; lo < rows; lo += table {
				hi := min(lo+table, rows)
				if err := w.Prepare(Table{columns(lo, hi), hi - lo})(); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if w.Rows() != rows || !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%s from parts of %d rows: %d rows, other bytes", format, table, w.Rows())
			}
		}
	}
	// 2,000 trees take 8,000 bytes a row: 64 MiB are 8,388 rows.
	wide := make([]Column, 2000)
	for i := range wide {
		wide[i] = Column{Ints: leaves, Stride: 1}
	}
	if got := groupForms["parquet"].rows(wide); got != 8388 {
		t.Errorf("a group of 2,000 leaves has %d rows", got)
	}
}

// A row without a level is an empty cell, or null.
func TestNoLevel(t *testing.T) {
	table := Table{Rows: 3, Columns: []Column{
		{Name: "size", Codes: []int32{1, -1, 0}, Levels: []string{"a", "b c"}},
		{Name: "year", Codes: []int32{-1, 0, 1}, Levels: []string{"1999", "2001"}, NumericLevels: true},
	}}
	for format, want := range map[string]string{
		"csv":   "size,year\nb c,\n,1999\na,2001\n",
		"jsonl": `{"size":"b c","year":null}` + "\n" + `{"size":null,"year":1999}` + "\n" + `{"size":"a","year":2001}` + "\n",
	} {
		var got bytes.Buffer
		if err := All(context.Background(), &got, format, []Table{table}); err != nil || got.String() != want {
			t.Errorf("%s: %q, error %v, want %q", format, got.String(), err, want)
		}
	}
	for _, format := range []string{"parquet", "arrow"} {
		path := filepath.Join(t.TempDir(), "table."+format)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(All(context.Background(), f, format, []Table{table}), f.Close()); err != nil {
			t.Fatal(err)
		}
		read, err := dataset.Open(context.Background(), path, dataset.Categorical("size", "year"))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]string{{"b c", "", "a"}, {"", "1999", "2001"}} {
			c := read.Columns()[i]
			for row, code := range c.Codes() {
				got := ""
				if code >= 0 {
					got = c.Levels()[code]
				}
				if got != want[row] {
					t.Errorf("%s: row %d of %s is %q, want %q", format, row, c.Name(), got, want[row])
				}
			}
		}
	}
}

// An empty cell of the only column is a row: readers skip empty lines.
func TestEmptyRows(t *testing.T) {
	for want, column := range map[string]Column{
		"size\nb c\n\"\"\na\n\"\"\n": {Name: "size", Texts: []string{"b c", "", "a", ""}},
		"level\nb\n\"\"\na\n\"\"\n":  {Name: "level", Codes: []int32{1, -1, 0, -1}, Levels: []string{"a", "b"}},
		"\"\"\n1\n\"\"\n0.5\n\"\"\n": {Texts: []string{"1", "", "0.5", ""}},
	} {
		table := Table{Rows: 4, Columns: []Column{column}}
		var got, parts bytes.Buffer
		if err := All(context.Background(), &got, "csv", []Table{table}); err != nil || got.String() != want {
			t.Errorf("%q, error %v, want %q", got.String(), err, want)
		}
		w := NewWriter(&parts, "csv")
		if err := errors.Join(w.Prepare(table)(), w.Close()); err != nil || parts.String() != want {
			t.Errorf("in parts: %q, error %v, want %q", parts.String(), err, want)
		}
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		if read, err := dataset.Open(context.Background(), path); err != nil || read.NumRows() != 4 || read.Columns()[0].Missing() != 2 {
			t.Errorf("%q is read as %v, error %v", want, read, err)
		}
	}
}

// A column of its own needs no stride; formats and tables that are not there are errors.
func TestPlainColumnsAndNoFormat(t *testing.T) {
	table := Table{Columns: []Column{{Name: "p", Floats: []float64{0.25, 0.5, 0.75}}, {Name: "n", Ints: []int32{4, 5, 6}}}, Rows: 3}
	for format, want := range map[string]string{"csv": "p,n\n0.25,4\n0.5,5\n0.75,6\n", "jsonl": "{\"p\":0.25,\"n\":4}\n{\"p\":0.5,\"n\":5}\n{\"p\":0.75,\"n\":6}\n"} {
		var b bytes.Buffer
		if err := All(context.Background(), &b, format, []Table{table}); err != nil || b.String() != want {
			t.Errorf("%s: %q, %v", format, b.String(), err)
		}
	}
	for _, format := range []string{FormatOf("p.xlsx"), "xml"} {
		if err := All(context.Background(), io.Discard, format, []Table{table}); err == nil || !strings.Contains(err.Error(), "cannot be written: it is one of csv") {
			t.Errorf("format %q: %v", format, err)
		}
		if err := NewWriter(io.Discard, format).Prepare(table)(); err == nil || !strings.Contains(err.Error(), "cannot be written") {
			t.Errorf("a writer of format %q: %v", format, err)
		}
	}
	if err := All(context.Background(), io.Discard, "csv", nil); err == nil {
		t.Error("no tables are written")
	}
}
