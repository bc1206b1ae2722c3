package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"boost/dataset"
	"boost/internal/testenv"
)

func readSVM(t *testing.T, text string, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	table, err := dataset.Read(context.Background(), strings.NewReader(text), "x.svm", opts...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// written writes a table as a matrix, columns first.
func written(table *dataset.Table) string {
	var s strings.Builder
	for _, c := range table.Columns() {
		fmt.Fprintf(&s, "%s(%v)", c.Name(), c.Role())
		for row := range c.Len() {
			s.WriteString(" " + cell(c, row))
		}
		s.WriteString("; ")
	}
	return strings.TrimSuffix(s.String(), "; ")
}

func TestLibSVM(t *testing.T) {
	cases := map[string]struct {
		text string
		opts []dataset.Option
		want string
	}{
		"one-based":                {text: "1 1:2 3:4\n0 2:0.5\n", want: "label(label) 1 0; f1(feature) 2 0; f2(feature) 0 0.5; f3(feature) 4 0"},
		"index 0":                  {text: "1 0:2\n0 1:0.5\n", want: "label(label) 1 0; f0(feature) 2 0; f1(feature) 0 0.5"},
		"index 0 late, not stored": {text: "1 2:2\n0 0:0\n", want: "label(label) 1 0; f0(feature) 0 0; f1(feature) 0 0; f2(feature) 2 0"},
		"base given":               {text: "1 1:2\n", opts: []dataset.Option{dataset.IndexBase("0")}, want: "label(label) 1; f0(feature) 0; f1(feature) 2"},
		"absent is missing": {text: "1 1:0 2:nan\n0 2:3\n", opts: []dataset.Option{dataset.Absent("missing")},
			want: "label(label) 1 0; f1(feature) 0 NaN; f2(feature) NaN 3"},
		"nan is missing": {text: "1 1:nan 2:NA\n0 2:3\n", want: "label(label) 1 0; f1(feature) NaN 0; f2(feature) NaN 3"},
		"byte order mark, CRLF, tabs, comments, blank lines, no last line feed": {
			text: "\ufeff# a head\r\n\r\n+1 1:2 # one\r\n   \n-1\t2:3\t\r\n\n1.5e0   1:-1e2  #1:9", want: "label(label) 1 -1 1.5; f1(feature) 2 0 -100; f2(feature) 0 3 0"},
		"unsorted":    {text: "1 3:3 1:1 2:2\n", want: "label(label) 1; f1(feature) 1; f2(feature) 2; f3(feature) 3"},
		"a row empty": {text: "1\n0 1:1\n2\n", want: "label(label) 1 0 2; f1(feature) 0 1 0"},
		"no features": {text: "1\n0\n", want: "label(label) 1 0"},
		"infinite":    {text: "1 1:inf\n0 1:-Infinity\n", want: "label(label) 1 0; f1(feature) +Inf -Inf"},
		"roles": {text: "1 1:1 2:2 3:3\n", opts: []dataset.Option{dataset.Label("f1"), dataset.Weight("f2"), dataset.ID("label"), dataset.Ignore("f3")},
			want: "label(id) 1; f1(label) 1; f2(weight) 2"},
		"category": {text: "1 1:3\n1\n0 1:1\n", opts: []dataset.Option{dataset.Categorical("f1")}, want: "label(label) 1 1 0; f1(feature) 3 0 1"},
		"skipped":  {text: "1 1:1\n0 x\n5 1:2 1:3\n? 1:7\n2 2:2\n", opts: []dataset.Option{dataset.SkipBadRows()}, want: "label(label) 1 2; f1(feature) 1 0; f2(feature) 0 2"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 7, 64, 1 << 20} {
				got := written(readSVM(t, c.text, append(slices.Clone(c.opts), dataset.Format("libsvm"), dataset.ChunkSize(size), dataset.Threads(2))...))
				if got != c.want {
					t.Errorf("in chunks of %d: %s\nwant %s", size, got, c.want)
				}
			}
		})
	}
}

func TestLibSVMErrors(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		opts []dataset.Option
		want string
	}{
		"value":            {text: "1 1:1\n\n0 2:x3\n", want: `x.svm:3: column "f2": "x3" is not a number (add "x3" to missing = […] if it means no value)`},
		"empty value":      {text: "1 1:\n", want: `x.svm:1: column "f1": the cell has no value, expected a number (add "" to missing = […] if it means no value)`},
		"label":            {text: "yes 1:1\n", want: `x.svm:1: column "label": "yes" is not a number, as labels of LibSVM files are (number the classes)`},
		"labels":           {text: "1,3 1:1\n", want: `x.svm:1: column "label": "1,3" is not one label, and rows with several cannot be learned from (write one file per label)`},
		"no label":         {text: "1 1:1\n3:1 4:1\n", want: `x.svm:2: a row begins with its label, this one begins with "3:1" (write 0 before rows without a label; weights belong into a file of their own, named like this one with .weight)`},
		"missing label":    {text: "1 1:1\n? 1:1\n", want: `x.svm:2: column "label": the cell has no value, expected a label, and every row needs one (fill it in, or set on_bad_row = "skip" to leave such rows out)`},
		"twice":            {text: "1 1:1\n0 2:0 3:1 2:5\n", want: `x.svm:2: index 2 stands in this row twice (leave one of them out)`},
		"no index":         {text: "1 1:1 a:1\n", want: `x.svm:1: "a:1" is not a feature: its index is not a whole number from 0 on (the largest index that can be read is 2147483646)`},
		"large index":      {text: "1 1:1 2147483647:1\n", want: `x.svm:1: "2147483647:1" is not a feature: its index is not a whole number from 0 on (the largest index that can be read is 2147483646)`},
		"no colon":         {text: "1 1:1 2\n", want: `x.svm:1: "2" is not a feature: index:value was expected (comments begin with #)`},
		"wide, not stored": {text: "1 1:1\n1 3000000:0 2:1\n", want: `x.svm:2: index 3000000 would make a table of 3000000 columns of 2 values (is it an index? Number the features that occur from 1 on)`},
		"wide":             {text: "1 1:1\n1 2:1\n1 3000000:1\n", want: `x.svm:3: index 3000000 would make a table of 3000000 columns of 3 values (is it an index? Number the features that occur from 1 on)`},
		"base":             {text: "1 1:1\n1 0:1\n", opts: []dataset.Option{dataset.IndexBase("1")}, want: `x.svm:2: index 0 stands in this row, and index_base is "1" (set index_base = "0")`},
		"qid":              {text: "1 qid:1.5 1:1\n", want: `x.svm:1: column "qid": "1.5" is not a query number: a whole number from 0 to 2⁵³`},
		"two qids":         {text: "1 qid:1 qid:1 1:1\n", want: `x.svm:1: this row has qid twice`},
		"a qid absent":     {text: "1 qid:1 1:1\n1 qid:1 1:1\n1 1:1\n", want: `x.svm:3: this row has no qid, and others have one (give every row the number of its query, or none)`},
		"nothing":          {text: "# only a comment\n", want: `x.svm has no rows`},
		"no such column":   {text: "1 1:1\n", opts: []dataset.Option{dataset.Label("f2")}, want: `x.svm: the table has no column "f2", which is named as label (did you mean "f1"?); its columns are "label", "f1"`},
		"absent option":    {opts: []dataset.Option{dataset.Absent("0")}, want: `absent = "0" is not possible; it is "zero" or "missing"`},
		"base option":      {opts: []dataset.Option{dataset.IndexBase("2")}, want: `index_base = "2" is not possible; it is "auto", "0" or "1"`},
	} {
		for _, size := range []int{1, 1 << 20} {
			_, err := dataset.Read(context.Background(), strings.NewReader(c.text), "x.svm", append(c.opts, dataset.ChunkSize(size))...)
			if err == nil || err.Error() != c.want || !errors.Is(err, dataset.ErrTable) {
				t.Errorf("%s, in chunks of %d:\n%v, want\n%s", name, size, err, c.want)
			}
		}
	}
}

func TestLibSVMIsFound(t *testing.T) {
	long := "0.5 1:1"
	for i := range 4000 {
		long += fmt.Sprintf(" %d:0.25", i+2)
	}
	for name, c := range map[string]struct {
		text string
		file string
		is   bool
	}{
		"plain":               {"1 1:1\n", "t.txt", true},
		"after comments":      {"# x\n\n1\n0 # none\n-1 3:4e-5\n", "t.txt", true},
		"qid":                 {"3 qid:7 1:1\n", "t.txt", true},
		"cut off":             {long + "\n", "t.txt", true},
		"by its name":         {"1\n2\n", "t.svm", true},
		"by another name":     {"1\n2\n", "T.SVMLIGHT", true},
		"by a name before gz": {"1\n2\n", "t.libsvm.gz", true},
		"numbers":             {"1\n2\n", "t.txt", false},
		"times":               {"a b\n1 12:30\n", "t.txt", false},
		"header":              {"id,when\n1,12:30\n", "t.txt", false},
		"words":               {"x 1:1\ny 2:1\n", "t.txt", false},
	} {
		table, err := dataset.Read(context.Background(), strings.NewReader(c.text), c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if is := table.LabelColumn() != nil; is != c.is {
			t.Errorf("%s: LibSVM %v, want %v", name, is, c.is)
		}
	}
}

func TestLibSVMNotes(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		opts []dataset.Option
		want string
	}{
		"one":     {"1 1:1 9:2\n", nil, "x.svm is read as LibSVM text with indices from 1 on (no index is 0): its features are called f1 to f9"},
		"zero":    {"1 0:1 9:2\n", nil, "x.svm is read as LibSVM text with indices from 0 on (index 0 occurs): its features are called f0 to f9"},
		"given":   {"1 9:2\n", []dataset.Option{dataset.IndexBase("0")}, `x.svm is read as LibSVM text with indices from 0 on (index_base = "0"): its features are called f0 to f9`},
		"none":    {"1\n", nil, "x.svm is read as LibSVM text without any feature"},
		"skipped": {"1 1:1\n0 1:y\n", []dataset.Option{dataset.SkipBadRows()}, `1 bad row skipped; the first: x.svm:2: column "f1": "y" is not a number`},
	} {
		if notes := readSVM(t, c.text, c.opts...).Notes(); !slices.Contains(notes, c.want) {
			t.Errorf("%s: %q, want %q", name, notes, c.want)
		}
	}
}

// A model's features are found by name; how far the indices of a file go does not matter.
func TestLibSVMAsSchema(t *testing.T) {
	train := readSVM(t, "1 1:1 2:2 4:4\n0 3:1\n")
	t.Run("narrower", func(t *testing.T) {
		table := readSVM(t, "1 2:5\n", dataset.As(train.Schema()))
		if got, want := written(table), "label(label) 1; f1(feature) 0; f2(feature) 5; f3(feature) 0; f4(feature) 0"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if notes := table.Notes(); len(notes) > 0 {
			t.Errorf("notes %q", notes)
		}
	})
	t.Run("wider", func(t *testing.T) {
		table := readSVM(t, "1 0:3 2:5 7:1 2000000000:1\n", dataset.As(train.Schema()))
		if got, want := written(table), "label(label) 1; f1(feature) 0; f2(feature) 5; f3(feature) 0; f4(feature) 0"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		want := "x.svm: 3 of its values ignored, as the model has no features with their indices"
		if notes := table.Notes(); !slices.Contains(notes, want) {
			t.Errorf("notes %q, want %q", notes, want)
		}
	})
	t.Run("coerced", func(t *testing.T) {
		coerced, err := readSVM(t, "1 2:5\n").As(train.Schema())
		if err != nil {
			t.Fatal(err)
		}
		sameTables(t, coerced, readSVM(t, "1 2:5\n", dataset.As(train.Schema())))
	})
	t.Run("another name for the label", func(t *testing.T) {
		csv := must(dataset.Read(context.Background(), strings.NewReader("y,f1,f0\n1,2,3\n0,1,1\n"), "t.csv", dataset.Label("y")))(t)
		if got, want := written(readSVM(t, "1 0:5\n", dataset.As(csv.Schema()))), "y(label) 1; f1(feature) 0; f0(feature) 5"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("other names", func(t *testing.T) {
		csv := must(dataset.Read(context.Background(), strings.NewReader("y,f1,age\n1,2,3\n0,1,1\n"), "t.csv", dataset.Label("y")))(t)
		_, err := dataset.Read(context.Background(), strings.NewReader("1 1:5\n"), "x.svm", dataset.As(csv.Schema()))
		if want := `x.svm: the table lacks column "age", which the model needs; its columns are "y", "f1"`; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	})
}

// twin writes the same random table as LibSVM text and as CSV with LibSVM's names.
func twin(r *rand.Rand, rows, columns int, density float64) (svm, csv string) {
	var a, b strings.Builder
	b.WriteString("label")
	for f := range columns {
		fmt.Fprintf(&b, ",f%d", f+1)
	}
	b.WriteString("\n")
	for range rows {
		label := strconv.Itoa(r.IntN(3) - 1)
		a.WriteString(label)
		b.WriteString(label)
		for f := range columns {
			if r.Float64() >= density && f+1 < columns {
				b.WriteString(",0")
				continue
			}
			value := randomCell(r)
			fmt.Fprintf(&a, " %d:%s", f+1, value)
			b.WriteString("," + value)
		}
		a.WriteString("\n")
		b.WriteString("\n")
	}
	return a.String(), b.String()
}

func randomCell(r *rand.Rand) string {
	switch r.IntN(8) {
	case 0:
		return "1"
	case 1:
		return "0"
	case 2:
		return strconv.FormatFloat(math.Float64frombits(r.Uint64()&^(1<<62)), 'g', -1, 64)
	case 3:
		return strconv.Itoa(r.IntN(1 << 30))
	case 4:
		return strconv.FormatFloat(r.NormFloat64(), 'e', 5, 64)
	case 5:
		return strconv.FormatFloat(float64(r.Float32()), 'g', -1, 64)
	}
	return strconv.FormatFloat(r.NormFloat64(), 'f', 4, 64)
}

func TestLibSVMEqualsCSV(t *testing.T) {
	testenv.Unraced(t)
	for _, density := range []float64{0.01, 0.3, 0.9} {
		svm, csv := twin(rand.New(rand.NewPCG(3, 4)), 400, 30, density)
		want := must(dataset.Read(context.Background(), strings.NewReader(csv), "t.csv", dataset.Label("label")))(t)
		for _, size := range []int{50, 3000, 1 << 20} {
			for threads := 1; threads <= 5; threads += 2 {
				sameTables(t, readSVM(t, svm, dataset.ChunkSize(size), dataset.Threads(threads)), want)
			}
		}
	}
}

// The number of bytes decides whether a column is sparse: 8 of 10 rows take more bytes
// with their numbers than 10 of them without.
func TestLibSVMDenseColumns(t *testing.T) {
	table := readSVM(t, "1 1:1 2:1\n1 1:1 2:1\n1 1:1 2:1\n1 1:1 2:1\n1 1:1\n1\n1\n1\n1\n1\n")
	if table.Column("f1").Sparse() != nil || table.Column("f2").Sparse() == nil {
		t.Errorf("f1 sparse %v, f2 sparse %v; want the second only", table.Column("f1").Sparse(), table.Column("f2").Sparse())
	}
}

func TestLibSVMFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		f := must(os.Create(path))(t)
		var w io.WriteCloser = f
		switch filepath.Ext(name) {
		case ".gz":
			w = gzip.NewWriter(f)
		case ".zst":
			w = must(zstd.NewWriter(f))(t)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("a.svm", "1 1:1\n0 2:2\n")
	write("b.svm.gz", "# head\n1 3:1\n")
	write("c.svm.zst", "0 0:7")
	table := must(dataset.Open(context.Background(), filepath.Join(dir, "*.svm*")))(t)
	want := "label(label) 1 0 1 0; f0(feature) 0 0 0 7; f1(feature) 1 0 0 0; f2(feature) 0 2 0 0; f3(feature) 0 0 1 0"
	if got := written(table); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for row, want := range []string{"a.svm:1", "a.svm:2", "b.svm.gz:2", "c.svm.zst:1"} {
		if file, line := table.Locate(row); fmt.Sprint(filepath.Base(file), ":", line) != want {
			t.Errorf("row %d: %s:%d, want %s", row, file, line, want)
		}
	}
	bad := write("d.svm", "1 1:1\n\n0 x\n")
	_, err := dataset.OpenAll(context.Background(), []string{filepath.Join(dir, "a.svm"), bad})
	var parse *dataset.ParseError
	if !errors.As(err, &parse) || parse.File != bad || parse.Line != 3 {
		t.Errorf("%v, want an error in line 3 of d.svm", err)
	}
	csv := write("e.csv", "a,b\n1,2\n")
	_, err = dataset.OpenAll(context.Background(), []string{filepath.Join(dir, "a.svm"), csv})
	if err == nil || !strings.Contains(err.Error(), "files that are read as one need one format") {
		t.Errorf("%v", err)
	}
	cut := write("f.svm.gz", svmLines(5000))
	text := must(os.ReadFile(cut))(t)
	if err := os.WriteFile(cut, text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = dataset.Open(context.Background(), cut); err == nil || !strings.Contains(err.Error(), "is cut off") {
		t.Errorf("%v", err)
	}
}

func svmLines(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "%d 1:%d 2:%d\n", i%2, i, i*i)
	}
	return s.String()
}

func TestLibSVMCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := dataset.Read(ctx, strings.NewReader(svmLines(1000)), "x.svm"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Features of which no row stores anything are like any others: the same table as CSV,
// in every role, with a schema, and where absent means missing.
func TestLibSVMBareColumns(t *testing.T) {
	svm := "1 2:5 20:1\n0 2:3\n1\n0 9:0\n"
	csv := func(blank string) string {
		var s strings.Builder
		s.WriteString("label")
		for f := 1; f <= 20; f++ {
			fmt.Fprintf(&s, ",f%d", f)
		}
		for row, label := range []string{"1", "0", "1", "0"} {
			s.WriteString("\n" + label)
			for f := 1; f <= 20; f++ {
				switch {
				case f == 2 && row < 2:
					s.WriteString([]string{",5", ",3"}[row])
				case f == 20 && row == 0:
					s.WriteString(",1")
				case f == 9 && row == 3:
					s.WriteString(",0")
				default:
					s.WriteString("," + blank)
				}
			}
		}
		return s.String() + "\n"
	}
	for name, opts := range map[string][]dataset.Option{
		"plain": {dataset.Label("label")}, "roles": {dataset.Label("label"), dataset.ID("f3"), dataset.Ignore("f4", "f1"), dataset.Categorical("f7")},
	} {
		want := must(dataset.Read(context.Background(), strings.NewReader(csv("0")), "t.csv", opts...))(t)
		sameTables(t, readSVM(t, svm, opts...), want)
		if name == "plain" {
			sameTables(t, readSVM(t, svm, dataset.As(want.Schema())), want)
			sameTables(t, must(dataset.Read(context.Background(), strings.NewReader(csv("")), "t.csv", opts...))(t), readSVM(t, svm, append(opts, dataset.Absent("missing"))...))
		}
	}
	table := readSVM(t, svm, dataset.Absent("missing"))
	if got := table.Column("f5").Missing(); got != 4 {
		t.Errorf("f5 lacks %d values, want 4", got)
	}
	if got := table.Take([]int32{3, 1}).Column("f5").Len(); got != 2 {
		t.Errorf("2 rows taken have %d", got)
	}
}

// A million features of three rows take about what their names and columns do: 128 bytes
// each to keep, and no more than three times that to read.
func TestLibSVMWideMemory(t *testing.T) {
	testenv.Memory(t)
	const width = 1 << 20
	text := fmt.Sprintf("1 1:1 5:2\n0 3:1\n1 %d:1\n", width-1)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	table := readSVM(t, text)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n := len(table.Columns()); n != width {
		t.Fatalf("%d columns, want %d", n, width)
	}
	kept, taken := (after.HeapAlloc-before.HeapAlloc)/width, (after.TotalAlloc-before.TotalAlloc)/width
	if kept > 140 || taken > 400 {
		t.Errorf("a column takes %d bytes, and %d while it is read; want 128 and less than 400", kept, taken)
	}
	_, err := dataset.Read(context.Background(), strings.NewReader(text), "x.svm", dataset.MemoryLimit(100<<20))
	if want := "columns take 128 MiB, whatever is in them; memory_limit is 100 MiB"; !errors.Is(err, dataset.ErrMemory) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q in it", err, want)
	}
}
