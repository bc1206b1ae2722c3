package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"boost/dataset"
	"boost/internal/testenv"
)

// form is one way in which the rows of a table are stored in files.
type form struct {
	name string
	args []string // what stands for TABLE
	set  []string // --set flags that are needed to read it
	file string   // content for standard input, where args is "-"
}

// arrowStyle says which of Arrow's types stand for a table's columns.
type arrowStyle struct {
	name   string
	column func(c *dataset.Column, dates bool) arrow.Array
}

var arrowStyles = []arrowStyle{{"typed", typedArray}, {"coded", codedArray}, {"as text", textArray}}

// valueOf returns a number of a column, and whether there is one.
func valueOf(c *dataset.Column, row int) (float64, bool) {
	v := 0.0
	if c.Kind() == dataset.Float32 {
		v = float64(c.Float32s()[row])
	} else {
		v = c.Float64s()[row]
	}
	return v, v == v
}

// levelOf returns the text of a category, and whether there is one.
func levelOf(c *dataset.Column, row int) (string, bool) {
	code := c.Codes()[row]
	if code < 0 {
		return "", false
	}
	return c.Levels()[code], true
}

// typedArray takes the narrowest type that is usual for such values: time stamps, whole
// numbers of 64 bits, floats of 32 or 64 bits, text.
func typedArray(c *dataset.Column, dates bool) arrow.Array {
	whole := c.Kind().Numeric()
	if whole {
		for row := range c.Len() {
			if v, ok := valueOf(c, row); ok && (v != math.Trunc(v) || math.Abs(v) > 1<<53) {
				whole = false
			}
		}
	}
	switch {
	case !c.Kind().Numeric():
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for row := range c.Len() {
			if text, ok := levelOf(c, row); ok {
				b.Append(text)
			} else {
				b.AppendNull()
			}
		}
		return b.NewArray()
	case dates:
		b := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"})
		for row := range c.Len() {
			if v, ok := valueOf(c, row); ok {
				b.Append(arrow.Timestamp(v * 1000))
			} else {
				b.AppendNull()
			}
		}
		return b.NewArray()
	case whole:
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for row := range c.Len() {
			if v, ok := valueOf(c, row); ok {
				b.Append(int64(v))
			} else {
				b.AppendNull()
			}
		}
		return b.NewArray()
	case c.Kind() == dataset.Float32:
		b := array.NewFloat32Builder(memory.DefaultAllocator)
		for row := range c.Len() {
			if v, ok := valueOf(c, row); ok {
				b.Append(float32(v))
			} else {
				b.AppendNull()
			}
		}
		return b.NewArray()
	}
	return floatArray(c)
}

// floatArray holds missing numbers as NaN, not as nulls.
func floatArray(c *dataset.Column) arrow.Array {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	for row := range c.Len() {
		v, _ := valueOf(c, row)
		b.Append(v)
	}
	return b.NewArray()
}

// codedArray holds text in a dictionary whose order is not that of the rows, and numbers as
// 64-bit floats.
func codedArray(c *dataset.Column, _ bool) arrow.Array {
	if c.Kind().Numeric() {
		return floatArray(c)
	}
	levels := slices.Sorted(slices.Values(c.Levels()))
	words := array.NewStringBuilder(memory.DefaultAllocator)
	for _, level := range levels {
		words.Append(level)
	}
	codes := array.NewInt32Builder(memory.DefaultAllocator)
	for row := range c.Len() {
		if text, ok := levelOf(c, row); ok {
			at, _ := slices.BinarySearch(levels, text)
			codes.Append(int32(at))
		} else {
			codes.AppendNull()
		}
	}
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	return array.NewDictionaryArray(typ, codes.NewArray(), words.NewArray())
}

// textArray writes everything out, as a careless export does.
func textArray(c *dataset.Column, _ bool) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for row := range c.Len() {
		if !c.Kind().Numeric() {
			if text, ok := levelOf(c, row); ok {
				b.Append(text)
			} else {
				b.AppendNull()
			}
			continue
		}
		if v, ok := valueOf(c, row); ok {
			b.Append(strconv.FormatFloat(v, 'g', -1, 64))
		} else {
			b.Append("")
		}
	}
	return b.NewArray()
}

func recordOf(t *dataset.Table, style arrowStyle) arrow.Record {
	var fields []arrow.Field
	var arrays []arrow.Array
	for _, c := range t.Columns() {
		values := style.column(c, slices.Contains(t.Dates(), c.Name()))
		arrays = append(arrays, values)
		fields = append(fields, arrow.Field{Name: c.Name(), Type: values.DataType(), Nullable: true})
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(t.NumRows()))
}

// batches cuts a record in uneven parts.
func batches(r arrow.Record) []arrow.Record {
	n := r.NumRows()
	var parts []arrow.Record
	for _, cut := range [][2]int64{{0, n / 3}, {n / 3, n/3 + 1}, {n/3 + 1, n}} {
		parts = append(parts, r.NewSlice(cut[0], cut[1]))
	}
	return parts
}

type recordWriter interface {
	Write(arrow.Record) error
	Close() error
}

func writeRecords(t *testing.T, r arrow.Record, open func(io.Writer) (recordWriter, error)) string {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range batches(r) {
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func arrowStream(t *testing.T, r arrow.Record) string {
	return writeRecords(t, r, func(w io.Writer) (recordWriter, error) { return ipc.NewWriter(w, ipc.WithSchema(r.Schema())), nil })
}

// placed is a writer that knows its place, which is all that the writer of Arrow files asks of its ability to seek.
type placed struct {
	io.Writer
	n int64
}

func (p *placed) Write(b []byte) (int, error) {
	p.n += int64(len(b))
	return p.Writer.Write(b)
}

func (p *placed) Seek(int64, int) (int64, error) { return p.n, nil }

func arrowFile(t *testing.T, r arrow.Record, opts ...ipc.Option) string {
	return writeRecords(t, r, func(w io.Writer) (recordWriter, error) {
		return ipc.NewFileWriter(&placed{Writer: w}, append(opts, ipc.WithSchema(r.Schema()))...)
	})
}

// parquetFile writes a row group for each batch, by Arrow's low-level writer.
func parquetFile(t *testing.T, r arrow.Record, opts ...parquet.WriterProperty) string {
	t.Helper()
	fields := make(schema.FieldList, r.NumCols())
	for i := range fields {
		var logical schema.LogicalType
		physical := parquet.Types.ByteArray
		switch typ := r.Column(i).DataType(); typ.ID() {
		case arrow.FLOAT32:
			physical = parquet.Types.Float
		case arrow.FLOAT64:
			physical = parquet.Types.Double
		case arrow.INT64:
			physical = parquet.Types.Int64
		case arrow.TIMESTAMP:
			physical, logical = parquet.Types.Int64, schema.NewTimestampLogicalType(true, schema.TimeUnitMillis)
		default:
			logical = schema.StringLogicalType{}
		}
		node, err := schema.NewPrimitiveNodeLogical(r.ColumnName(i), parquet.Repetitions.Optional, logical, physical, -1, -1)
		if err != nil {
			t.Fatal(err)
		}
		fields[i] = node
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := pqfile.NewParquetWriter(&b, root, pqfile.WithWriterProps(parquet.NewWriterProperties(opts...)))
	for _, part := range batches(r) {
		group := w.AppendRowGroup()
		for _, values := range part.Columns() {
			column, err := group.NextColumn()
			if err == nil {
				err = writeArray(column, values)
			}
			if err == nil {
				err = column.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := group.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.FlushWithFooter(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// writeArray writes the values that are there, and which are.
func writeArray(w pqfile.ColumnChunkWriter, values arrow.Array) (err error) {
	levels := make([]int16, values.Len())
	for i := range levels {
		if values.IsValid(i) {
			levels[i] = 1
		}
	}
	switch w := w.(type) {
	case *pqfile.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(present(values, values.(*array.Float32).Value), levels, nil)
	case *pqfile.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(present(values, values.(*array.Float64).Value), levels, nil)
	case *pqfile.Int64ColumnChunkWriter:
		if stamps, ok := values.(*array.Timestamp); ok {
			_, err = w.WriteBatch(present(values, func(i int) int64 { return int64(stamps.Value(i)) }), levels, nil)
		} else {
			_, err = w.WriteBatch(present(values, values.(*array.Int64).Value), levels, nil)
		}
	case *pqfile.ByteArrayColumnChunkWriter:
		text := values.ValueStr
		if coded, ok := values.(*array.Dictionary); ok {
			text = func(i int) string { return coded.Dictionary().ValueStr(coded.GetValueIndex(i)) }
		}
		_, err = w.WriteBatch(present(values, func(i int) parquet.ByteArray { return parquet.ByteArray(text(i)) }), levels, nil)
	default:
		err = fmt.Errorf("no values for a %T", w)
	}
	return err
}

func present[T any](values arrow.Array, at func(i int) T) []T {
	var list []T
	for i := range values.Len() {
		if values.IsValid(i) {
			list = append(list, at(i))
		}
	}
	return list
}

func gzipped(t *testing.T, text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstandard(t *testing.T, text string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return string(w.EncodeAll([]byte(text), nil))
}

// csvForms are the ways to store CSV text.
func csvForms(t *testing.T, text string) []form {
	head, body, _ := strings.Cut(text, "\n")
	rows := strings.SplitAfter(strings.TrimSuffix(body, "\n"), "\n")
	n := len(rows)
	part := func(lo, hi int) string { return head + "\n" + strings.Join(rows[lo:hi], "") }
	file(t, "f.csv", text)
	file(t, "f.csv.gz", gzipped(t, text))
	file(t, "f.csv.zst", zstandard(t, text))
	file(t, "unnamed", zstandard(t, text))
	file(t, "part-1.csv", part(0, n/4))
	file(t, "part-2.csv.gz", gzipped(t, part(n/4, n/4+1)))
	file(t, "part-3.csv.zst", zstandard(t, part(n/4+1, n)))
	forms := []form{
		{name: "csv", args: []string{"f.csv"}},
		{name: "csv.gz", args: []string{"f.csv.gz"}},
		{name: "csv.zst", args: []string{"f.csv.zst"}},
		{name: "zstd without a name", args: []string{"unnamed"}},
		{name: "glob of csv, gz and zst", args: []string{"part-*"}},
		{name: "csv on stdin", args: []string{"-"}, file: text},
		{name: "csv.gz on stdin", args: []string{"-"}, file: gzipped(t, text)},
		{name: "csv.zst on stdin", args: []string{"-"}, file: zstandard(t, text)},
		{name: "gzip members", args: []string{"-"}, file: gzipped(t, part(0, n/2)) + gzipped(t, strings.Join(rows[n/2:], ""))},
		{name: "crlf and byte order mark", args: []string{"-"}, file: "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")},
	}
	if !strings.ContainsAny(text, "\t\"") {
		forms = append(forms, form{name: "tsv", args: []string{"-"}, file: strings.ReplaceAll(text, ",", "\t")})
	}
	return forms
}

// arrowForms are the ways to store Arrow's records.
func arrowForms(t *testing.T, table *dataset.Table) []form {
	var forms []form
	add := func(name, ending, content string, stdin bool) {
		path := file(t, fmt.Sprintf("a%d%s", len(forms), ending), content)
		forms = append(forms, form{name: name, args: []string{path}})
		if stdin {
			forms = append(forms, form{name: name + " on stdin", args: []string{"-"}, file: content})
		}
	}
	for i, style := range arrowStyles {
		r := recordOf(table, style)
		add("arrow file, "+style.name, ".arrow", arrowFile(t, r), i == 0)
		add("arrow stream, "+style.name, ".arrows", arrowStream(t, r), i == 0)
		add("parquet, "+style.name, ".parquet", parquetFile(t, r, parquet.WithDictionaryDefault(i != 1)), i == 0)
	}
	r := recordOf(table, arrowStyles[0])
	add("arrow file, lz4", ".feather", arrowFile(t, r, ipc.WithLZ4()), false)
	add("arrow file, zstd", ".feather", arrowFile(t, r, ipc.WithZstd()), false)
	for name, codec := range map[string]compress.Compression{
		"snappy": compress.Codecs.Snappy, "gzip": compress.Codecs.Gzip, "zstd": compress.Codecs.Zstd, "brotli": compress.Codecs.Brotli,
	} {
		add("parquet, "+name, ".parquet", parquetFile(t, r, parquet.WithCompression(codec), parquet.WithDataPageVersion(parquet.DataPageV2)), false)
	}
	add("arrow stream, gzip", ".arrows.gz", gzipped(t, arrowStream(t, r)), true)
	for i, part := range batches(r) {
		file(t, fmt.Sprintf("piece-%d.parquet", i), parquetFile(t, part))
		file(t, fmt.Sprintf("piece-%d.arrow", i), arrowFile(t, part))
	}
	return append(forms, form{name: "glob of parquet", args: []string{"piece-*.parquet"}}, form{name: "glob of arrow", args: []string{"piece-*.arrow"}})
}

// svmForms writes a table of numbers without gaps, whose features are f1, f2, … and whose
// label is called label, as LibSVM text.
func svmForms(t *testing.T, table *dataset.Table) []form {
	var s strings.Builder
	for row := range table.NumRows() {
		label, _ := valueOf(table.Column("label"), row)
		s.WriteString(strconv.FormatFloat(label, 'g', -1, 64))
		for i := 1; table.Column(fmt.Sprint("f", i)) != nil; i++ {
			if v, _ := valueOf(table.Column(fmt.Sprint("f", i)), row); v != 0 {
				fmt.Fprintf(&s, " %d:%s", i, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		s.WriteByte('\n')
	}
	text := s.String()
	file(t, "s.svm", text)
	file(t, "s.txt.gz", gzipped(t, text))
	half := len(text)/2 + strings.Index(text[len(text)/2:], "\n") + 1
	file(t, "svm-1.libsvm", text[:half])
	file(t, "svm-2.libsvm.zst", zstandard(t, text[half:]))
	return []form{
		{name: "libsvm", args: []string{"s.svm"}}, {name: "libsvm.gz", args: []string{"s.txt.gz"}},
		{name: "glob of libsvm", args: []string{"svm-*"}}, {name: "libsvm on stdin", args: []string{"-"}, file: text},
	}
}

// sameFromEveryForm trains on every form of a table and predicts it, and compares the bytes
// with those from the CSV file.
func sameFromEveryForm(t *testing.T, forms []form, label string, train ...string) {
	t.Helper()
	var model, predictions, metrics string
	for _, f := range forms {
		with := func(command string, more ...string) []string {
			args := append([]string{command}, more...)
			for _, s := range f.set {
				args = append(args, "--set", s)
			}
			return args
		}
		args := with("train", append([]string{f.args[0], "--label", label, "-q", "-o", "form.boost", "--set", "train.rounds=2"}, train...)...)
		must(t, 0, boostWith(t, f.file, args...))
		made := readFile(t, "form.boost")
		predicted := must(t, 0, boostWith(t, f.file, with("predict", "form.boost", f.args[0], "-q")...)).out
		measured := must(t, 0, boostWith(t, f.file, with("eval", "form.boost", f.args[0], "--json", "-q")...)).out
		if model == "" {
			model, predictions, metrics = made, predicted, measured
		}
		if made != model {
			t.Errorf("%s: another model", f.name)
		}
		if predicted != predictions {
			t.Errorf("%s: other predictions", f.name)
		}
		if measured != metrics {
			t.Errorf("%s: other metrics: %s, want %s", f.name, measured, metrics)
		}
	}
}

// plainText returns a set's CSV, unpacked.
func plainText(t *testing.T, path string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(readFile(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The same table gives the same model, whatever it is stored in.
func TestSameModelFromEveryForm(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	sets := map[string][2]string{ // path, label
		"ames_housing": {examples + "/ames_housing/train.csv.gz", "Sale_Price"},
		"wine_quality": {examples + "/wine_quality/train.csv.gz", "quality"},
		"adult":        {examples + "/adult/train.csv.gz", "income"},
	}
	if shared := os.Getenv("BOOST_SHARED"); shared != "" {
		for name, label := range map[string]string{"titanic": "survived", "taxis": "total", "german_credit": "label"} {
			sets[name] = [2]string{filepath.Join(shared, "data", name, "train.csv.gz"), label}
		}
	}
	for number, name := range slices.Sorted(maps.Keys(sets)) {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "wine_quality" {
				t.Skip("one set is enough for a short run")
			}
			path, label := sets[name][0], sets[name][1]
			text := plainText(t, path)
			inFolder(t)
			table, err := dataset.Open(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			forms := append(csvForms(t, text), arrowForms(t, table)...)
			// Many chunks are one thing, and how cells are stored is another: some forms of a large table show it.
			step := 1
			switch rows := table.NumRows(); {
			case rows > 10_000:
				step = testenv.ByLength(3, 8, 8)
			case rows > 2000:
				step = testenv.ByLength(1, 3, 3)
			}
			var some []form
			for i := number % step; i < len(forms); i += step {
				some = append(some, forms[i])
			}
			sameFromEveryForm(t, some, label)
		})
	}
}

// A table of numbers without gaps, its columns named as LibSVM's are, gives the same model
// from LibSVM text, dense and sparse data alike.
func TestSameModelFromLibSVM(t *testing.T) {
	for name, zeros := range map[string]int{"dense": 0, "half": 5, "sparse": 60} {
		t.Run(name, func(t *testing.T) {
			inFolder(t)
			var s strings.Builder
			s.WriteString("label,f1,f2,f3,f4\n")
			state := uint32(5)
			draw := func() float64 { state = state*1664525 + 1013904223; return float64(state>>8) / (1 << 24) }
			for range testenv.ByLength(1500, 400, 400) {
				var x [4]float64
				for i := range x {
					if v := draw(); int(draw()*float64(zeros+1)) == 0 {
						x[i] = math.Round(v*1000)/7 - 30
					}
				}
				fmt.Fprintf(&s, "%g,%g,%g,%g,%g\n", x[0]*x[1]+3*x[2]+draw(), x[0], x[1], x[2], x[3])
			}
			text := s.String()
			table, err := dataset.Read(context.Background(), strings.NewReader(text), "t.csv")
			if err != nil {
				t.Fatal(err)
			}
			forms := append(csvForms(t, text), arrowForms(t, table)...)
			sameFromEveryForm(t, append(forms, svmForms(t, table)...), "label")
		})
	}
}

// Arrow's own readers read what the writers above made: the forms are what they say.
func TestFormsAreWhatTheySay(t *testing.T) {
	table, err := dataset.Read(context.Background(), strings.NewReader("a,b\n1,x\n2.5,\n,y\n4,x\n"), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	r, err := pqfile.NewParquetReader(strings.NewReader(parquetFile(t, recordOf(table, arrowStyles[0]))))
	if err != nil || r.NumRows() != 4 || r.NumRowGroups() != 3 {
		t.Fatalf("%v rows in %v row groups (%v), want 4 in 3", r.NumRows(), r.NumRowGroups(), err)
	}
	types := map[string]string{"typed": "float32 utf8", "coded": "float64 dictionary", "as text": "utf8 utf8"}
	for _, style := range arrowStyles {
		record := recordOf(table, style)
		got := record.Column(0).DataType().Name() + " " + record.Column(1).DataType().Name()
		if got != types[style.name] || record.NumRows() != 4 || !record.Column(1).IsNull(1) {
			t.Errorf("%s: columns of %s", style.name, got)
		}
	}
}

// One table as pyarrow, pandas, polars, DuckDB and scikit-learn wrote it
// (benchmarks/python/interop_forms.py) gives one model, one set of predictions, and the
// same profile.
func TestSameModelFromOtherPrograms(t *testing.T) {
	folder := os.Getenv("BOOST_INTEROP") // files that make interop has just written
	if folder == "" {
		var err error
		if folder, err = filepath.Abs("testdata/forms"); err != nil {
			t.Fatal(err)
		}
	}
	for table, label := range map[string]string{"people": "wins", "numbers": "label"} {
		t.Run(table, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(folder, table+".*"))
			if err != nil || len(files) < 3 {
				t.Fatalf("%d files (%v)", len(files), err)
			}
			first := slices.Index(files, filepath.Join(folder, table+".csv"))
			files = append([]string{files[first]}, slices.Delete(files, first, first+1)...)
			var forms []form
			for _, path := range files {
				name := filepath.Base(path)
				forms = append(forms, form{name: name, args: []string{path}},
					form{name: name + " on stdin", args: []string{"-"}, file: readFile(t, path)})
			}
			inFolder(t)
			sameFromEveryForm(t, forms, label)
			var profile string
			for _, f := range forms {
				var got map[string]any
				r := must(t, 0, boostWith(t, f.file, "inspect", f.args[0], "--json", "-q", "--label", label))
				if err := json.Unmarshal([]byte(r.out), &got); err != nil {
					t.Fatal(err)
				}
				for _, key := range []string{"file", "notes"} { // what they are about is the file
					delete(got, key)
				}
				for _, c := range got["columns"].([]any) {
					delete(c.(map[string]any), "role") // LibSVM says itself what the label is
				}
				text := fmt.Sprint(got)
				if profile == "" {
					profile = text
				}
				if text != profile {
					t.Errorf("%s: another profile:\n%s\nwant\n%s", f.name, text, profile)
				}
			}
		})
	}
}

// A model knows which of its numbers were dates, in all forms of it, and numbers where it had dates are said.
func TestModelKnowsDates(t *testing.T) {
	inFolder(t)
	table := func(name string, day func(i int) string) {
		var b strings.Builder
		b.WriteString("day,x,y\n")
		for i := range 200 {
			fmt.Fprintf(&b, "%s,%d,%d\n", day(i), i%7, i/10)
		}
		file(t, name, b.String())
	}
	table("dates.csv", func(i int) string { return fmt.Sprintf("2024-%02d-%02d", 1+i/20, 1+i%20) })
	table("serial.csv", func(i int) string { return fmt.Sprint(45000 + i) })
	table("gaps.csv", func(i int) string { return "" })
	const said = `the model was trained on dates in column "day"`
	args := []string{"train", "dates.csv", "--label", "y", "--rounds", "5", "-q", "-o"}
	must(t, 0, boost(t, append(args, "m.boost")...))
	must(t, 0, boost(t, append(args, "f.boost", "--set", "data.out_of_core=true")...))
	for range 2 {
		must(t, 0, boost(t, append(args, "c.boost", "--set", "data.cache=d.cache")...))
	}
	must(t, 0, boost(t, "convert", "m.boost", "m.json"))
	must(t, 0, boost(t, "convert", "m.json", "j.boost"))
	for _, m := range []string{"f.boost", "c.boost", "j.boost"} {
		if readFile(t, m) != readFile(t, "m.boost") {
			t.Errorf("%s is another model", m)
		}
	}
	must(t, 0, boost(t, "quantize", "m.boost", "--dtype", "Q4_0", "-q", "-o", "m.q.boost"))
	must(t, 0, boost(t, "train", "serial.csv", "--label", "y", "--rounds", "5", "-q", "-o", "n.boost"))
	for _, c := range []struct {
		model, table string
		says         bool
	}{{"m.boost", "serial.csv", true}, {"m.q.boost", "serial.csv", true}, {"m.boost", "dates.csv", false}, {"m.boost", "gaps.csv", false}, {"n.boost", "serial.csv", false}} {
		for _, args := range [][]string{{"predict", c.model, c.table}, {"train", c.table, "--label", "y", "--init-model", c.model, "--rounds", "2", "-o", "x.boost"}} {
			if args[0] == "train" && c.model == "m.q.boost" {
				continue
			}
			if got := strings.Contains(must(t, 0, boost(t, args...)).errors, said); got != c.says {
				t.Errorf("%q says that dates are numbers: %v", args, got)
			}
		}
	}
}
