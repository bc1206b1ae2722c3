package dataset_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
	"boost/parallel"
)

// readJSON reads text as JSON lines.
func readJSON(text string, opts ...dataset.Option) (*dataset.Table, error) {
	return dataset.Read(context.Background(), strings.NewReader(text), "t.jsonl", opts...)
}

// printOf returns the fingerprint of a table.
func printOf(t *testing.T, table *dataset.Table) string {
	t.Helper()
	pool := parallel.NewPool(1)
	defer pool.Close()
	return table.Fingerprint(pool)
}

// JSON lines of pandas, polars and DuckDB give the same table as the CSV file of pandas. pandas rounds large
// numbers, so that its column big is left out.
func TestJSONLinesOfOthers(t *testing.T) {
	ctx, folder := context.Background(), filepath.Join("testdata", "jsonl")
	open := func(name string, opts ...dataset.Option) *dataset.Table {
		table, err := dataset.Open(ctx, filepath.Join(folder, name), append(opts, dataset.Label("y"))...)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	for name, opts := range map[string][]dataset.Option{
		"polars.ndjson": nil, "duckdb.jsonl": nil, "pandas.jsonl": {dataset.Ignore("big")}, "pandas.jsonl.gz": {dataset.Ignore("big")},
	} {
		want, got := open("table.csv", opts...), open(name, opts...)
		if printOf(t, got) != printOf(t, want) {
			t.Errorf("%s is not the table of table.csv:\n%s\nwant\n%s", name, show(got), show(want))
		}
		if file, line := got.Locate(30); filepath.Base(file) != name || line != 31 {
			t.Errorf("%s: row 30 is on line %d of %s", name, line, file)
		}
		small := open(name, append(opts, dataset.ChunkSize(100), dataset.Threads(3))...)
		if show(small) != show(got) {
			t.Errorf("%s is another table in small chunks", name)
		}
	}
	nested, plain := open("nested.ndjson"), open("table.csv", dataset.Ignore("big"))
	for name, of := range map[string]string{"at.price": "price", "at.city": "city", "at.more.fast": "fast", "at.more.day": "day", "late": "late", "id": "id"} {
		got, want := nested.Column(name), plain.Column(of)
		if got == nil || got.Kind() != want.Kind() || got.Missing() != want.Missing() || !slices.Equal(got.Levels(), want.Levels()) {
			t.Errorf("column %s is not column %s", name, of)
		}
	}
}

// The files of a table may have different keys, and a key may come late.
func TestJSONLinesLateKeys(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"1.jsonl": "\ufeff{\"a\": 1}\n\n  {\"b\": {\"c\": \"x\"}, \"a\": 2}\r\n", "2.jsonl": `{"a": 3, "d": null, "b": null, "e.f": true, "e": {"g": {}}, "` + "\xff\": 1}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	table, err := dataset.Open(context.Background(), filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range table.Columns() {
		names = append(names, fmt.Sprintf("%s %s %d", c.Name(), c.Kind(), c.Missing()))
	}
	// b stands for objects and null only, e for an object.
	if want := []string{"a float32 0", "b.c category 2", "d float32 3", "e.f float32 2", "\uFFFD float32 2"}; !slices.Equal(names, want) {
		t.Errorf("columns are %v, want %v", names, want)
	}
	if file, line := table.Locate(1); filepath.Base(file) != "1.jsonl" || line != 3 {
		t.Errorf("row 1 is on line %d of %s, want 3 of 1.jsonl", line, file)
	}
}

// Values mean the same as in CSV text.
func TestJSONLinesValues(t *testing.T) {
	table, err := readJSON(`{"n": "1e3", "b": "TRUE", "t": 1.0, "m": "NA", "d": "1970-01-02", "e": "\u00e9\ud83d\ude00\/\"\\\b\f\n\r\t"}
{"n": -0.5E-1, "b": false, "t": "1", "m": null, "d": null, "e": ""}
{"n": 123456789012345678901234567890, "b": true, "t": "x", "m": 3, "d": "1970-01-03", "e": "x"}
`)
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for name, want := range map[string][]float64{"n": {1000, -0.05, 123456789012345678901234567890}, "b": {1, 0, 1}, "m": {nan, nan, 3}, "d": {86400, nan, 172800}} {
		for row := range want {
			if got := numberOf(table.Column(name), row); got != want[row] && (got == got || want[row] == want[row]) {
				t.Errorf("%s of row %d is %v, want %v", name, row, got, want[row])
			}
		}
	}
	if got := table.Column("t").Levels(); !slices.Equal(got, []string{"1.0", "1", "x"}) {
		t.Errorf("levels %q", got)
	}
	if got, want := table.Column("e").Levels(), "é😀/\"\\\b\f\n\r\t"; len(got) != 2 || got[0] != want {
		t.Errorf("levels %q, want the first to be %q", got, want)
	}
	table, err = readJSON("{\"a\": 1.5, \"b\": \"1,5\"}\n", dataset.Decimal(','), dataset.Categorical("a"))
	if err != nil || numberOf(table.Column("b"), 0) != 1.5 || table.Column("a").Levels()[0] != "1.5" {
		t.Errorf("with a decimal comma: %v", err)
	}
}

// Texts can be numbers in a form, beside numbers.
func TestJSONLinesForms(t *testing.T) {
	table, err := readJSON("{\"p\": \"$1,234.50\"}\n{\"p\": null}\n{\"p\": 7}\n{\"p\": \"$2,000.00\"}\n", dataset.Parse(map[string]string{"p": "$1,234.5"}))
	if err != nil {
		t.Fatal(err)
	}
	for row, want := range []float64{1234.5, math.NaN(), 7, 2000} {
		if got := numberOf(table.Column("p"), row); got != want && got == got {
			t.Errorf("row %d is %v, want %v", row, got, want)
		}
	}
	// What is stored as a number has no percent sign, no unit and no order of days and months.
	for form, cell := range map[string]string{"1234.5 %": "0.12", "1234.5 kg": "12", "mm/dd/yyyy": "12312024"} {
		_, err := readJSON("{\"p\": "+cell+"}\n", dataset.Parse(map[string]string{"p": form}))
		if want := `t.jsonl:1: column "p": "` + cell + `" is not written as "` + form + `"`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s as %s: %v, want %s", cell, form, err, want)
		}
	}
}

func TestJSONLinesRefusals(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
	lists := `{"a":` + strings.Repeat(`[{"b":`, 100_000)
	for name, c := range map[string]struct{ text, want string }{
		"a list":          {"{\"a\": 1}\n{\"a\": [1, {\"b\": []}]}\n", `t.jsonl:2: "a" holds a list`},
		"a nested list":   {`{"a": {"b": ["x"]}}`, `t.jsonl:1: "a.b" holds a list`},
		"a repeated key":  {"{\"a\": 1}\n\n{\"a\": 1, \"a\": 2}\n", `t.jsonl:3: key "a" stands in this row twice`},
		"a path twice":    {`{"a": {"b": 1}, "a.b": 2}`, `key "a.b" stands in this row twice`},
		"a number":        {"{\"a\": 1}\n7\n", `t.jsonl:2: an object was expected, not "7"`},
		"two objects":     {`{"a": 1} {"a": 2}`, `"{\"a\": 2}" follows the object`},
		"cut off":         {"{\"a\": 1}\n{\"a\": \"x", `t.jsonl:2: the closing quote of a text was expected before the end of the line`},
		"cut off earlier": {"{\"a\": 1}\n{\"a\": ", `t.jsonl:2: a value was expected before the end of the line`},
		"several lines":   {"{\n  \"a\": 1\n}\n", `(an object stands on one line; jq -c . writes it so)`},
		"a bare word":     {`{"a": NaN}`, `a value was expected, not "NaN}" (character 7)`},
		"a bare key":      {`{"ü": 1, a: 2}`, `a key in quotes was expected, not "a: 2}" (character 10)`},
		"a comma":         {`{"a": 1,}`, `a key in quotes was expected, not "}"`},
		"a zero before":   {`{"a": 01}`, `"," or "}" was expected, not "1}"`},
		"no digits":       {`{"a": -}`, `a number was expected, not "-}"`},
		"an escape":       {`{"a": "\x"}`, `not "x\"}"`},
		"half an escape":  {`{"a": "\u00e"}`, `four hexadecimal digits`},
		"half a pair":     {`{"a": "\udc41x"}`, `the escape \udc41 is half a character`},
		"two first halfs": {`{"a": "\ud83d\ud83d"}`, `the escape \ud83d is half a character`},
		"a tab":           {"{\"a\": \"\t\"}", `the character '\t' stands in a text: write it as \u0009`},
		"depth":           {deep, "more than 64 deep"},
		"depth of lists":  {lists, "more than 64 deep"},
		"wrong UTF-8":     {"{\"a\": \"x\"}\n{\"a\": \"\xff\"}", `t.jsonl:2: column "a": "\xff" is not UTF-8 text`},
		"nothing":         {"\n \n", "holds no object with a key"},
		"empty objects":   {"{}\n{}\n", "holds no object with a key"},
		"mixed":           {strings.Repeat("{\"a\": 1}\n", 19) + `{"a": "x"}`, `t.jsonl:20: column "a": "x" is not a number`},
	} {
		if _, err := readJSON(c.text); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if _, err := readJSON("[{\"a\": 1}]"); err == nil || !strings.Contains(err.Error(), "is a JSON array") {
		t.Errorf("an array: %v", err)
	}
	table, err := readJSON("{\"a\": 1, \"l\": [1]}\n{\"a\": 2\n{\"a\": 3, \"a\": 4}\n{\"a\": 5}\n", dataset.SkipBadRows(), dataset.Ignore("l"))
	if err != nil || table.NumRows() != 2 || table.Skipped() != 2 || numberOf(table.Column("a"), 1) != 5 {
		t.Errorf("bad rows are skipped: %v", err)
	}
}

// A few bytes a row must not become a table of thousands of columns a row.
func TestJSONLinesThatAreSparse(t *testing.T) {
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "{\"k%d\": 1}\n", i)
	}
	if _, err := readJSON(text.String()); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "20000 different keys, of which a row has 1; write such data as LibSVM text") {
		t.Errorf("error %v", err)
	}
}

// With a model's schema the columns are known before the rows, and a stream is read once.
func TestJSONLinesOfAModel(t *testing.T) {
	testenv.Unraced(t)
	train, err := readJSON("{\"a\": 1, \"c\": \"x\", \"y\": 0}\n{\"a\": 2, \"c\": \"y\", \"y\": 1}\n", dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	as := dataset.As(train.Schema())
	if _, err := readJSON(`{"a": 1}`, as); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), `lacks column "c"`) {
		t.Errorf("a short table without a feature: %v", err)
	}
	filler := strings.Repeat("{\"a\": 7, \"new\": {\"a\": \"ignored\"}}\n", 100_000)
	each := func(text string) (rows int, err error) {
		s, err := dataset.ReadStream(context.Background(), struct{ io.Reader }{strings.NewReader(text)}, "t.jsonl", as, dataset.NoSpool())
		if err != nil {
			return 0, err
		}
		defer s.Close()
		err = s.Each(context.Background(), func(part *dataset.Table) (func() error, error) {
			if part.Column("a") == nil || part.Column("c").Levels()[0] != "x" || part.LabelColumn() != nil {
				t.Error("a part is not as the model has it")
			}
			return nil, nil
		})
		return s.NumRows(), err
	}
	if rows, err := each(filler + `{"c": "y"}`); err != nil || rows != 100_001 {
		t.Errorf("%d rows, error %v", rows, err)
	}
	if _, err := each(filler); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), `lacks column "c"`) {
		t.Errorf("a long table without a feature: %v", err)
	}
	if _, err := readJSON(filler, dataset.NoSpool()); err == nil || !strings.Contains(err.Error(), "no copy was kept") {
		t.Errorf("a long stream without a copy: %v", err)
	}
	if table, err := readJSON(filler); err != nil || table.NumRows() != 100_000 {
		t.Errorf("a long stream: %v", err)
	}
}

// With a model's schema, files without rows before the others change nothing.
func TestJSONLinesAfterEmptyFiles(t *testing.T) {
	train, err := readJSON("{\"a\": 1, \"y\": 0}\n{\"a\": 2, \"y\": 1}\n", dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for i, text := range []string{"", "\n \n", "{\"id\": \"r7\", \"y\": 1, \"a\": 3}\n", ""} {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.jsonl", i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	table, err := dataset.OpenAll(context.Background(), paths, dataset.As(train.Schema()), dataset.Label("y"), dataset.ID("id"), dataset.InOrder())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(table), "a:float32=3 y:float32=1 id:text=r7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Truth values are the levels true and false of a model that has these among its texts.
func TestTruthValuesAsLevels(t *testing.T) {
	model := mustRead(t, "t\ntrue\nunknown\nfalse\nlate\n")
	table, err := readJSON("{\"t\": false}\n{\"t\": true}\n{\"t\": null}\n{\"t\": \"late\"}\n", dataset.As(model.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(table.Column("t").Codes()), "[2 0 -1 3]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A table in chunks is the table that is read whole.
func TestJSONLinesInChunks(t *testing.T) {
	path := filepath.Join("testdata", "jsonl", "polars.ndjson")
	ctx, opts := context.Background(), []dataset.Option{dataset.Label("y"), dataset.ChunkSize(300)}
	want, err := dataset.Open(ctx, path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dataset.OpenChunked(ctx, []string{path}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pool := parallel.NewPool(1)
	defer pool.Close()
	sameTable(t, "polars.ndjson", s, want, pool)
	if got := dataset.EstimateBytes(ctx, []string{path}, opts...); got < 500 || got > 20_000 {
		t.Errorf("the table is taken for %d bytes", got)
	}
}

// FuzzReadJSON reads any bytes as JSON lines: never a panic, only table errors, the same table for every chunk size,
// and where encoding/json reads all lines as flat objects, its values.
func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{
		"{\"a\": 1, \"b\": \"x\"}\n{\"b\": \"\\ud83d\\ude00\\u0041\", \"a\": -1.5e3}\n", "{\"a\":{\"b\":null,\"c\":[1,{}]}}", "{\"a\":true}\r\n\n{ }\n",
		"{\"a\":1,\"a\":2}", "[", "{\"\":\"\\\\\\\"\"}", "{\"a\":1e999,\"b\":0.1}\n{\"a\":\"\xff\"}", "{\"b\":\"\xff%\"}\n{\"b\":\"\xdc 41\",\"a\":1}", "\xef\xbb\xbf{\"a\":\"NA\"}\n{\"a\":\"\\ud800\"}",
	} {
		f.Add([]byte(seed), uint8(3))
		f.Add(gzipText(f, seed), uint8(3))
	}
	f.Add([]byte("%\n{\"b\":\"83d\xdc0%%%%%%%%%\"}\n{\"b\": \"\\ud83d\xdc06\\u0041\", \"a\xdc\xdc\xdc\xdc\xdc\": -1.35}"), uint8(11))
	f.Add([]byte("{\"a\":1,\"p\":\"\"}\n{\"b\": \"\\ud83dTade00\x98\\u0044\", \"u\": -1.5e3}"), uint8('E'))
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		if len(text) > 10_000 {
			return
		}
		read := func(opts ...dataset.Option) (*dataset.Table, error) {
			table, err := dataset.Read(context.Background(), bytes.NewReader(text), "t", append(opts, dataset.Format("jsonl"))...)
			if err != nil && !errors.Is(err, dataset.ErrTable) {
				t.Fatalf("%v does not wrap ErrTable", err)
			}
			return table, err
		}
		table, err := read(dataset.Threads(1))
		small, smallErr := read(dataset.Threads(2), dataset.ChunkSize(int(size)+1))
		if (err == nil) != (smallErr == nil) || err != nil && err.Error() != smallErr.Error() || err == nil && show(table) != show(small) {
			t.Fatalf("in small chunks the table is another: error %v, want %v", smallErr, err)
		}
		_, _ = read(dataset.SkipBadRows(), dataset.LenientTypes())
		compareWithEncodingJSON(t, text, read)
	})
}

// compareWithEncodingJSON reads text as ids, the form in which every cell is kept.
func compareWithEncodingJSON(t *testing.T, text []byte, read func(...dataset.Option) (*dataset.Table, error)) {
	var rows []map[string]any
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))) {
		if len(bytes.Trim(line, " \t\r\n")) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		row, keys := map[string]any{}, 0
		if d.Decode(&row) != nil || row == nil {
			return
		}
		if _, err := d.Token(); err != io.EOF {
			return
		}
		for name, v := range row {
			switch v.(type) {
			case map[string]any, []any:
				return
			}
			if name == "" || strings.Contains(name, "\uFFFD") {
				return
			}
			keys++
		}
		if strings.Count(string(line), ":") != keys { // a key may be repeated
			return
		}
		rows = append(rows, row)
	}
	var names []string
	for _, row := range rows {
		for name := range row {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return
	}
	table, err := read(dataset.ID(names...))
	if err != nil {
		if strings.Contains(err.Error(), "UTF-8") { // encoding/json replaces what is wrong
			return
		}
		t.Fatalf("%v, and encoding/json reads it", err)
	}
	for i, row := range rows {
		for _, name := range names {
			want := ""
			switch v := row[name].(type) {
			case string:
				want = v
			case json.Number:
				want = v.String()
			case bool:
				want = fmt.Sprint(v)
			}
			if got := table.Column(name).Text(i); got != want {
				t.Fatalf("row %d: %q is %q, encoding/json has %q", i, name, got, want)
			}
		}
	}
}

// Addresses are refused with the command that gets the file.
func TestOpenAddress(t *testing.T) {
	for path, want := range map[string]string{
		"https://example.com/a/b.csv": "curl -LO https://example.com/a/b.csv gets it, then give b.csv",
		"S3://bucket/a/b.parquet":     "aws s3 cp S3://bucket/a/b.parquet . gets it, then give b.parquet",
	} {
		if _, err := dataset.Open(context.Background(), path); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
}
