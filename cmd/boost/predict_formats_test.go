package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/parquet"
	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"boost/dataset/write"
)

// cells is a table as texts, and the type of each column.
type cells struct {
	types []string
	lines []string
}

// readArrow reads an IPC file with Arrow's own reader; floats get their shortest text.
func readArrow(t *testing.T, content string) cells {
	t.Helper()
	r, err := ipc.NewFileReader(bytes.NewReader([]byte(content)))
	if err != nil {
		t.Fatal(err)
	}
	var header []string
	var c cells
	for _, f := range r.Schema().Fields() {
		header = append(header, f.Name)
		c.types = append(c.types, f.Type.Name())
	}
	c.lines = append(c.lines, strings.Join(header, ","))
	for i := range r.NumRecords() {
		record, err := r.Record(i)
		if err != nil {
			t.Fatal(err)
		}
		for row := range int(record.NumRows()) {
			var line []string
			for _, column := range record.Columns() {
				line = append(line, arrowCell(t, column, row))
			}
			c.lines = append(c.lines, strings.Join(line, ","))
		}
	}
	return c
}

func arrowCell(t *testing.T, column arrow.Array, row int) string {
	t.Helper()
	if column.IsNull(row) {
		return ""
	}
	switch v := column.(type) {
	case *array.Float64:
		return strconv.FormatFloat(v.Value(row), 'g', -1, 64)
	case *array.Int32:
		return strconv.Itoa(int(v.Value(row)))
	case *array.Int64:
		return strconv.FormatInt(v.Value(row), 10)
	case *array.String:
		return v.Value(row)
	}
	t.Fatalf("a column of type %s", column.DataType())
	return ""
}

// readParquet reads a file with Arrow's low-level Parquet reader.
func readParquet(t *testing.T, content string) cells {
	t.Helper()
	r, err := pqfile.NewParquetReader(bytes.NewReader([]byte(content)))
	if err != nil {
		t.Fatal(err)
	}
	schema := r.MetaData().Schema
	var header []string
	var c cells
	for i := range schema.NumColumns() {
		header = append(header, schema.Column(i).Name())
		c.types = append(c.types, strings.ToLower(schema.Column(i).PhysicalType().String()))
	}
	c.lines = append(c.lines, strings.Join(header, ","))
	for g := range r.NumRowGroups() {
		group := r.RowGroup(g)
		rows := make([][]string, group.NumRows())
		for i := range schema.NumColumns() {
			column, err := group.Column(i)
			if err != nil {
				t.Fatal(err)
			}
			for row, text := range parquetColumn(t, column, len(rows), schema.Column(i).MaxDefinitionLevel()) {
				rows[row] = append(rows[row], text)
			}
		}
		for _, row := range rows {
			c.lines = append(c.lines, strings.Join(row, ","))
		}
	}
	return c
}

func parquetColumn(t *testing.T, column pqfile.ColumnChunkReader, rows int, most int16) []string {
	t.Helper()
	levels := make([]int16, rows)
	var values []string
	var err error
	for read := int64(0); read < int64(rows) && err == nil; {
		var n int64
		var got int
		switch r := column.(type) {
		case *pqfile.Float64ColumnChunkReader:
			v := make([]float64, rows)
			n, got, err = r.ReadBatch(int64(rows)-read, v, levels[read:], nil)
			for _, x := range v[:got] {
				values = append(values, strconv.FormatFloat(x, 'g', -1, 64))
			}
		case *pqfile.Int32ColumnChunkReader:
			v := make([]int32, rows)
			n, got, err = r.ReadBatch(int64(rows)-read, v, levels[read:], nil)
			for _, x := range v[:got] {
				values = append(values, strconv.Itoa(int(x)))
			}
		case *pqfile.Int64ColumnChunkReader:
			v := make([]int64, rows)
			n, got, err = r.ReadBatch(int64(rows)-read, v, levels[read:], nil)
			for _, x := range v[:got] {
				values = append(values, strconv.FormatInt(x, 10))
			}
		case *pqfile.ByteArrayColumnChunkReader:
			v := make([]parquet.ByteArray, rows)
			n, got, err = r.ReadBatch(int64(rows)-read, v, levels[read:], nil)
			for _, x := range v[:got] {
				values = append(values, string(x))
			}
		default:
			t.Fatalf("a column of type %T", column)
		}
		if n == 0 {
			t.Fatalf("%d of %d cells", read, rows)
		}
		read += n
	}
	if err != nil {
		t.Fatal(err)
	}
	if most == 0 {
		return values
	}
	all := make([]string, rows)
	for row, level := range levels {
		if level == most {
			all[row], values = values[0], values[1:]
		}
	}
	return all
}

// Every format holds what the CSV form holds, floats to the last bit, with types of its own,
// for files and standard output alike.
func TestPredictFormats(t *testing.T) {
	models(t)
	// Whole numbers as ids, one of them missing, and rating, a label of whole numbers.
	var s strings.Builder
	s.WriteString("n,x,city,rating\n")
	for i := range 300 {
		n := strconv.Itoa(1000 * (i - 5))
		if i == 7 {
			n = ""
		}
		fmt.Fprintf(&s, "%s,%g,%s,%d\n", n, float64(i%17)/7, []string{"Oslo", "Rome"}[i%2], i%17/6)
	}
	file(t, "n.csv", s.String())
	must(t, 0, boost(t, "train", "n.csv", "--label", "rating", "-q", "--set", "data.id=n", "--set", "train.rounds=4", "--set", "train.objective=multiclass", "-o", "n.boost"))
	for _, c := range []struct{ model, table, kind, arrow, parquet string }{
		{"y", "t.csv", "value", "utf8 float64", "byte_array double"},
		{"c", "t.csv", "raw", "utf8 float64 float64 float64", "byte_array double double double"},
		{"c", "t.csv", "class", "utf8 utf8", "byte_array byte_array"},
		{"b", "t.csv", "leaf", "utf8" + strings.Repeat(" int32", 8), "byte_array" + strings.Repeat(" int32", 8)},
		{"n", "n.csv", "class", "int64 int64", "int64 int64"},
		{"n", "n.csv", "value", "int64 float64 float64 float64", "int64 double double double"},
	} {
		t.Run(c.model+" "+c.kind, func(t *testing.T) {
			args := []string{"predict", c.model + ".boost", c.table, "--kind", c.kind}
			want := lines(must(t, 0, boost(t, args...)).out)
			if len(want) != 301 {
				t.Fatalf("%d lines", len(want))
			}
			must(t, 0, boost(t, append(args, "-o", "p.arrow")...))
			must(t, 0, boost(t, append(args, "-o", "p.feather")...))
			must(t, 0, boost(t, append(args, "-o", "p.parquet")...))
			if a := readArrow(t, readFile(t, "p.arrow")); !slices.Equal(a.lines, want) || strings.Join(a.types, " ") != c.arrow {
				t.Errorf("Arrow has %q and %d lines, the first %q; want %q, %d lines, %q", a.types, len(a.lines), a.lines[:3], c.arrow, len(want), want[:3])
			}
			if p := readParquet(t, readFile(t, "p.parquet")); !slices.Equal(p.lines, want) || strings.Join(p.types, " ") != c.parquet {
				t.Errorf("Parquet has %q and %d lines, the first %q; want %q, %d lines, %q", p.types, len(p.lines), p.lines[:3], c.parquet, len(want), want[:3])
			}
			for format, file := range map[string]string{"arrow": "p.arrow", "parquet": "p.parquet"} {
				if out := must(t, 0, boost(t, append(args, "--format", format)...)).out; out != readFile(t, file) {
					t.Errorf("--format %s on standard output differs from -o", format)
				}
			}
			if readFile(t, "p.feather") != readFile(t, "p.arrow") {
				t.Error(".feather and .arrow differ")
			}
		})
	}
}

// The name of -o says the format, and whether the text is packed.
func TestPredictFormatByName(t *testing.T) {
	models(t)
	predict := []string{"predict", "y.boost", "t.csv"}
	csv := must(t, 0, boost(t, predict...)).out
	jsonl := must(t, 0, boost(t, append(predict, "--format", "jsonl")...)).out
	for name, want := range map[string]string{"p.csv": csv, "p": csv, "p.txt": csv, "P.JSONL": jsonl, "p.ndjson": jsonl} {
		must(t, 0, boost(t, append(predict, "-o", name)...))
		if readFile(t, name) != want {
			t.Errorf("%s holds another format", name)
		}
	}
	must(t, 0, boost(t, append(predict, "-o", "p.parquet", "--format", "csv")...))
	if readFile(t, "p.parquet") != csv {
		t.Error("--format does not win over the name")
	}
	must(t, 0, boost(t, append(predict, "-o", "p.csv.gz")...))
	must(t, 0, boost(t, append(predict, "-o", "p.jsonl.zst")...))
	packed, err := gzip.NewReader(strings.NewReader(readFile(t, "p.csv.gz")))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(packed); err != nil || string(text) != csv {
		t.Errorf("p.csv.gz unpacks to something else: %v", err)
	}
	dense, err := zstd.NewReader(strings.NewReader(readFile(t, "p.jsonl.zst")))
	if err != nil {
		t.Fatal(err)
	}
	defer dense.Close()
	if text, err := io.ReadAll(dense); err != nil || string(text) != jsonl {
		t.Errorf("p.jsonl.zst unpacks to something else: %v", err)
	}
	for _, bad := range [][]string{{"-o", "p.tsv"}, {"-o", "p.json"}, {"-o", "p.boost"}, {"-o", "p.toml"}, {"-o", "p.csv.bz2"}, {"-o", "p.libsvm"}, {"-o", "p.arrow.gz"}, {"-o", "x.zst", "--format", "parquet"}, {"--format", "orc"}} {
		must(t, 2, boost(t, append(predict, bad...)...))
	}
	says(t, must(t, 2, boost(t, append(predict, "-o", "p.parquet.gz")...)).errors, "p.parquet.gz", ".parquet")
	// A missing id is null, in JSON as in Parquet.
	missing := must(t, 0, boostWith(t, "id,x,city\n,1,Oslo\nNA,1,Oslo\n", "predict", "y.boost", "-", "--format", "jsonl")).out
	if !strings.HasPrefix(missing, `{"id":null,"prediction":`) || !strings.Contains(missing, "\n"+`{"id":"NA",`) {
		t.Errorf("ids that are missing: %s", missing)
	}
	// The predictions of a training's test sets follow their name, too.
	train := []string{"train", "t.csv", "--label", "y", "-q", "--set", "train.rounds=2", "--set", "data.id=id", "--set", "data.ignore=b,c", "--test", "t.csv", "--test", "t.csv", "-o", "w.boost"}
	must(t, 0, boost(t, append(train, "--set", "output.predictions=w.csv")...))
	must(t, 0, boost(t, append(train, "--set", "output.predictions=w.parquet")...))
	if got, want := readParquet(t, readFile(t, "w.parquet")).lines, lines(readFile(t, "w.csv")); len(want) != 601 || !slices.Equal(got, want) {
		t.Errorf("%d lines of Parquet, %d of CSV", len(got), len(want))
	}
	must(t, 2, boost(t, append(train, "--set", "output.predictions=w.xlsx")...))
}

// More rows than one row group or record holds.
func TestFormatsOfManyRows(t *testing.T) {
	const rows = 1<<20 + 3 // and so many are a row group
	values := make([]float64, rows)
	for i := range values {
		values[i] = float64(i) / 3
	}
	tables := []write.Table{{Columns: []write.Column{{Name: "p", Floats: values, Stride: 1}}, Rows: rows}}
	var a, p bytes.Buffer
	if err := errors.Join(write.All(context.Background(), &a, "arrow", tables), write.All(context.Background(), &p, "parquet", tables)); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]cells{"arrow": readArrow(t, a.String()), "parquet": readParquet(t, p.String())} {
		if len(got.lines) != rows+1 {
			t.Fatalf("%s: %d rows, want %d", name, len(got.lines)-1, rows)
		}
		for i, line := range got.lines[1:] {
			if line != strconv.FormatFloat(float64(i)/3, 'g', -1, 64) {
				t.Fatalf("%s: row %d is %s", name, i, line)
			}
		}
	}
}

// A binary file that could not be written in full leaves the old one as it was.
func TestFormatsWholeOrNotAtAll(t *testing.T) {
	models(t)
	for _, name := range []string{"keep.parquet", "keep.arrow"} {
		file(t, name, "old")
		cmd := program("predict", "y.boost", "t.csv", "-o", name)
		cmd.Env = append(cmd.Env, "BOOST_TEST_FILE_SIZE=1000")
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Skipf("no limit on the size of files here: %s", out)
		}
		if readFile(t, name) != "old" {
			t.Errorf("%s was touched", name)
		}
	}
	if left := leftovers(t, "."); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		for _, format := range write.Formats() {
			says(t, must(t, 1, boost(t, "predict", "y.boost", "t.csv", "--format", format, "-o", "/dev/full")).errors, "cannot write /dev/full")
		}
	}
}
