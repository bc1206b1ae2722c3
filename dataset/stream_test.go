package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"boost/dataset"
	"boost/internal/testenv"
)

// rowTexts writes a line per row: its place, and its cells by column.
func rowTexts(t *dataset.Table) []string {
	rows := make([]string, t.NumRows())
	for row := range rows {
		rows[row] = t.Place(row)
	}
	for _, c := range t.Columns() {
		if c.Role() == dataset.GroupRole {
			continue
		}
		var cell func(row int) string
		switch c.Kind() {
		case dataset.Float32:
			values := c.Float32s()
			cell = func(row int) string { return fmt.Sprint(float64(values[row])) }
		case dataset.Float64:
			values := c.Float64s()
			cell = func(row int) string { return fmt.Sprint(values[row]) }
		case dataset.Category:
			codes, levels := c.Codes(), c.Levels()
			cell = func(row int) string {
				if codes[row] < 0 {
					return "-"
				}
				return fmt.Sprintf("%q", levels[codes[row]])
			}
		default:
			cell = func(row int) string { return strings.Clone(c.Text(row)) }
		}
		for row := range rows {
			rows[row] += fmt.Sprintf(" %s(%v)=%s", c.Name(), c.Role(), cell(row))
		}
	}
	return rows
}

// streamedRows reads a stream to its end, or to its error.
func streamedRows(t *testing.T, s *dataset.Stream) (rows []string, err error) {
	t.Helper()
	err = s.Each(context.Background(), func(part *dataset.Table) (func() error, error) {
		texts := rowTexts(part)
		for _, c := range part.Columns() {
			if c.Array().Len() != part.NumRows() {
				return nil, fmt.Errorf("column %s has %d rows of %d", c.Name(), c.Array().Len(), part.NumRows())
			}
		}
		return func() error {
			rows = append(rows, texts...)
			return nil
		}, nil
	})
	return rows, err
}

// firstProblem returns the first problem of an error, an empty one if it is of another kind.
func firstProblem(err error) *dataset.ParseError {
	if bad, ok := errors.AsType[*dataset.ParseError](err); ok {
		return bad
	}
	return new(dataset.ParseError)
}

// sameStream compares a stream with the table read whole, and with its error, before
// which a stream may have shown rows of the table.
func sameStream(t *testing.T, what string, s *dataset.Stream, table *dataset.Table, failure error) {
	t.Helper()
	rows, err := streamedRows(t, s)
	switch {
	case failure != nil:
		// A stream ends with the problems of the part that has the first one.
		got, want := *firstProblem(err), *firstProblem(failure)
		got.Want, _, _ = strings.Cut(got.Want, "; nor is ")
		want.Want, _, _ = strings.Cut(want.Want, "; nor is ")
		got.Fix, want.Fix = "", ""
		if got != want || got.Line == 0 && fmt.Sprint(err) != failure.Error() || errors.Is(err, dataset.ErrTable) != errors.Is(failure, dataset.ErrTable) {
			t.Errorf("%s: error %v\nwant %v", what, err, failure)
		}
		if all, ok := errors.AsType[dataset.ParseErrors](err); ok {
			for _, bad := range all {
				if bad.Line < got.Line {
					t.Errorf("%s: a problem behind that of line %d is in line %d", what, got.Line, bad.Line)
				}
			}
		}
		return
	case err != nil:
		t.Errorf("%s: %v", what, err)
		return
	}
	want := rowTexts(table)
	if s.NumRows() != len(want) || len(rows) != len(want) {
		t.Fatalf("%s: %d rows were shown, %d counted, want %d", what, len(rows), s.NumRows(), len(want))
	}
	for i, row := range rows {
		if row != want[i] {
			t.Fatalf("%s: row %d is\n%s\nwant\n%s", what, i, row, want[i])
		}
	}
	if got, want := s.Notes(), table.Notes(); !slices.Equal(got, want) {
		t.Errorf("%s: notes %q, want %q", what, got, want)
	}
	columns := slices.DeleteFunc(slices.Clone(table.Columns()), func(c *dataset.Column) bool { return c.Role() == dataset.GroupRole })
	if s.Columns() != len(columns) {
		t.Errorf("%s: %d columns, want %d", what, s.Columns(), len(columns))
	}
}

// streamSizes are sizes of parts, in bytes of text and in rows.
var streamSizes = [][2]int{{40, 1}, {700, 13}, {1 << 20, 1 << 16}}

// otherRows takes some lines of a table in another order, and spoils a few cells if dirt is
// set.
func otherRows(r *rand.Rand, text string, dirt bool) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	out := []string{lines[0]}
	for range 1 + r.IntN(2*len(lines)) {
		line := lines[1+r.IntN(len(lines)-1)]
		if dirt && r.IntN(100) == 0 {
			switch r.IntN(3) {
			case 0:
				line += ",1"
			case 1:
				line = strings.Replace(line, ",", ",\xff", 2)
			case 2:
				line = line[:strings.LastIndexByte(line, ',')+1] + "odd"
			}
		}
		out = append(out, strings.ReplaceAll(line, "t3", "new"))
	}
	return strings.Join(out, "\n") + "\n"
}

func TestStream(t *testing.T) {
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 7))
		text := scanText(r, 60+r.IntN(300), 0)
		trained := mustRead(t, text, dataset.Label("y"), dataset.Weight("w"), dataset.ID("id"), dataset.LenientTypes())
		text = otherRows(r, text, seed%2 == 1)
		opts := []dataset.Option{dataset.As(trained.Schema())}
		if seed%3 == 0 {
			opts = append(opts, dataset.ID("last", "id"))
		}
		want, failure := read(text, opts...)
		for _, size := range streamSizes {
			for _, threads := range []int{1, 4} {
				what := fmt.Sprintf("seed %d, chunks of %d bytes, %d threads", seed, size[0], threads)
				s, err := dataset.ReadStream(context.Background(), strings.NewReader(text), "t.csv",
					append(opts, dataset.ChunkSize(size[0]), dataset.Threads(threads))...)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				sameStream(t, what, s, want, failure)
				s.Close()
			}
		}
	}
}

// Every file of the formats with columns, and of LibSVM text, passes as it is read whole.
func TestStreamFormats(t *testing.T) {
	files, err := filepath.Glob(interop("*.*"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	seen := 0
	for _, file := range files {
		trained, err := dataset.Open(context.Background(), file, dataset.LenientTypes())
		if err != nil {
			continue
		}
		seen++
		opts := []dataset.Option{dataset.As(trained.Schema())}
		want, failure := dataset.Open(context.Background(), file, opts...)
		for i, size := range streamSizes {
			s, err := dataset.OpenStream(context.Background(), []string{file}, append(opts, dataset.ChunkSize(size[0]), dataset.ChunkRows(size[1]), dataset.Threads(1+2*i))...)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			sameStream(t, fmt.Sprintf("%s in parts of %d rows", file, size[1]), s, want, failure)
			s.Close()
		}
	}
	if seen < 40 {
		t.Errorf("%d files could be read", seen)
	}
}

// What is wrong with a table is said as if it were read whole, and the rows before it pass.
func TestStreamErrors(t *testing.T) {
	schema := mustRead(t, "y,x,k\nno,1,a\nyes,2,b\n", dataset.Label("y")).Schema()
	numbers := mustRead(t, "label,f1,f2\n0,1,2\n1,2.5,3\n", dataset.Label("label")).Schema()
	good := strings.Repeat("no,1,a\n\nyes,2,b\n", 20)
	r := rand.New(rand.NewPCG(3, 3))
	var many strings.Builder
	many.WriteString("y,x,k\n")
	for range 50_000 {
		fmt.Fprintf(&many, "no,%d,a\n", r.IntN(1e9))
	}
	cut := string(zstded([]byte(many.String())))
	cut = cut[:len(cut)/2]
	svm := strings.Repeat("1 1:2\n# nothing\n0 2:4\n", 20)
	for name, c := range map[string]struct {
		schema dataset.Schema
		text   string
		passed int // rows
	}{
		"a bad cell":         {schema, "y,x,k\n" + good + "no,one,a\n" + good, 40},
		"a short row":        {schema, "y,x,k\n" + good + "no,1\n" + good, 40},
		"an open quote":      {schema, "y,x,k\n" + good + "no,1,\"a\n" + good, 40},
		"broken text":        {schema, "y,x,k\n" + good + "no,1,\xff\n" + good, 40},
		"no rows":            {schema, "y,x,k\n\n\n", 0},
		"nothing":            {schema, "", 0},
		"a column too few":   {schema, "y,k\n" + strings.Repeat("no,a\n", 9), 0},
		"a broken archive":   {schema, cut, -1},
		"a broken index":     {numbers, svm + "1 x:2\n" + svm, 40},
		"an odd query":       {numbers, svm + "1 qid:1 1:2\n" + svm, -1},
		"LibSVM, no label":   {numbers, svm + "a 1:2\n", 40},
		"LibSVM, nothing":    {numbers, "# 1:2\n", -1},
		"a model of letters": {schema, svm, 0},
	} {
		t.Run(name, func(t *testing.T) {
			file := "t.csv"
			if c.passed < 0 || strings.Contains(c.text, "1:2") {
				file = "t.svm"
			}
			if name == "a broken archive" {
				file = "t.csv.zst"
			}
			_, want := dataset.Read(context.Background(), strings.NewReader(c.text), file, dataset.As(c.schema))
			if want == nil {
				t.Fatal("the table is read whole")
			}
			for _, size := range streamSizes {
				s, err := dataset.ReadStream(context.Background(), strings.NewReader(c.text), file, dataset.As(c.schema), dataset.ChunkSize(size[0]), dataset.Threads(2))
				if err == nil {
					var rows []string
					rows, err = streamedRows(t, s)
					if c.passed >= 0 && (len(rows) > c.passed || size[0] == 40 && len(rows) < c.passed-8) {
						t.Errorf("%d rows passed, want %d", len(rows), c.passed)
					}
					s.Close()
				}
				if fmt.Sprint(err) != want.Error() || !errors.Is(err, dataset.ErrTable) {
					t.Errorf("chunks of %d bytes: error %v\nwant %v", size[0], err, want)
				}
			}
		})
	}
}

// Levels by the ten thousand, most of which the model does not know, are forgotten on the
// way and stay what they are.
func TestStreamManyLevels(t *testing.T) {
	testenv.Unraced(t)
	schema := mustRead(t, "y,k,n\n1,a,1\n2,b,x\n", dataset.Label("y"), dataset.Categorical("k", "n")).Schema()
	var b strings.Builder
	b.WriteString("y,k,n\n")
	for i := range 60_000 {
		fmt.Fprintf(&b, "1,%s,%d\n", []string{"a", "b", "", fmt.Sprint("a level that is new ", i*7919%50_000)}[i*31%17%4], i%30_000)
	}
	want, err := read(b.String(), dataset.As(schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 3} {
		s, err := dataset.ReadStream(context.Background(), strings.NewReader(b.String()), "t.csv", dataset.As(schema), dataset.ChunkSize(1<<14), dataset.Threads(threads))
		if err != nil {
			t.Fatal(err)
		}
		sameStream(t, fmt.Sprint(threads, " threads"), s, want, nil)
		s.Close()
	}
}

// Files beside a table give their columns to its parts, and are held against its rows.
func TestStreamBesideFiles(t *testing.T) {
	rows := func(n int) string { return "y,x\n" + strings.Repeat("1,5\n0,6\n\n", n/2) }
	scores := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintln(&b, i)
		}
		return b.String()
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) { writeFile(t, path(name), []byte(text)) }
	write("a.csv", rows(90))
	write("b.csv", rows(50))
	write("a.csv.init", scores(90))
	write("b.csv.init", scores(50))
	paths := []string{path("a.csv"), path("b.csv")}
	trained, err := dataset.OpenAll(context.Background(), paths, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	for name, beside := range map[string][2]string{
		"as many": {scores(90), scores(50)}, "fewer": {scores(88), scores(50)}, "fewer at the end": {scores(90), scores(9)},
		"more": {scores(91), scores(50)}, "more at the end": {scores(90), scores(52)},
	} {
		write("a.csv.init", beside[0])
		write("b.csv.init", beside[1])
		want, failure := dataset.OpenAll(context.Background(), paths, dataset.As(trained.Schema()))
		if (failure == nil) != (name == "as many") {
			t.Fatalf("%s: %v", name, failure)
		}
		for _, size := range streamSizes {
			s, err := dataset.OpenStream(context.Background(), paths, dataset.As(trained.Schema()), dataset.ChunkSize(size[0]), dataset.Threads(3))
			if err != nil {
				t.Fatal(err)
			}
			sameStream(t, name, s, want, failure)
			s.Close()
		}
	}
}

// The first error by the order of the rows counts, whoever meets which first; what comes
// after it is not ended.
func TestStreamEndsInOrder(t *testing.T) {
	text := "x\n" + strings.Repeat("1\n", 5000)
	schema := mustRead(t, "x\n1\n2\n").Schema()
	open := func(ctx context.Context) *dataset.Stream {
		s, err := dataset.ReadStream(ctx, strings.NewReader(text), "t.csv", dataset.As(schema), dataset.ChunkSize(50), dataset.Threads(4))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	for _, late := range []bool{false, true} {
		rows := 0
		err := open(context.Background()).Each(context.Background(), func(part *dataset.Table) (func() error, error) {
			_, line := part.Locate(0)
			own := fmt.Errorf("line %d", line)
			if !late && line > 1500 {
				return nil, own
			}
			return func() error {
				if line > 1500 {
					return own
				}
				if line != rows+2 {
					t.Errorf("a part begins on line %d after %d rows", line, rows)
				}
				rows += part.NumRows()
				return nil
			}, nil
		})
		if rows < 1500-50 || rows > 1501 || err == nil || err.Error() != fmt.Sprintf("line %d", rows+2) {
			t.Errorf("%d rows were ended, error %v", rows, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	parts := 0
	err := open(ctx).Each(ctx, func(*dataset.Table) (func() error, error) {
		return func() error {
			if parts++; parts == 5 {
				cancel()
			}
			return nil
		}, nil
	})
	if !errors.Is(err, context.Canceled) || parts > 20 {
		t.Errorf("%d parts, error %v", parts, err)
	}
	if _, err := dataset.ReadStream(context.Background(), strings.NewReader(text), "t.csv"); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("without a schema: %v", err)
	}
	if _, err := dataset.ReadStream(context.Background(), strings.NewReader(text), "t.csv", dataset.As(schema), dataset.SkipBadRows()); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("without bad rows: %v", err)
	}
}

// The parts of a row group, which one goroutine decodes, are worked on by several.
func TestStreamGroupIsShared(t *testing.T) {
	file := interop("types.none.parquet")
	trained, err := dataset.Open(context.Background(), file, dataset.LenientTypes())
	if err != nil {
		t.Fatal(err)
	}
	s, err := dataset.OpenStream(context.Background(), []string{file}, dataset.As(trained.Schema()), dataset.ChunkRows(2), dataset.Threads(2))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var parts atomic.Int32
	both := make(chan struct{})
	err = s.Each(context.Background(), func(*dataset.Table) (func() error, error) {
		if parts.Add(1) == 2 {
			close(both)
		}
		select { // the first two wait for each other
		case <-both:
			return nil, nil
		case <-time.After(20 * time.Second):
			return nil, errors.New("nobody works on the second part")
		}
	})
	if err != nil || parts.Load() < 3 {
		t.Errorf("%d parts, error %v", parts.Load(), err)
	}
}

// The parts of a wide table are larger: 2,000 columns have 8 MiB of text each time, not 1.
func TestStreamWide(t *testing.T) {
	const columns, rows = 2000, 2500
	var b strings.Builder
	for i := range columns {
		fmt.Fprintf(&b, "c%d,", i)
	}
	b.WriteString("end\n")
	head := b.String()
	line := strings.Repeat("1,", columns) + "1\n"
	schema := mustRead(t, head+line).Schema()
	s, err := dataset.ReadStream(context.Background(), strings.NewReader(head+strings.Repeat(line, rows)), "t.csv", dataset.As(schema))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var parts atomic.Int32
	err = s.Each(context.Background(), func(*dataset.Table) (func() error, error) {
		parts.Add(1)
		return nil, nil
	})
	// 4,002 bytes a row: 2,096 rows are 8 MiB.
	if err != nil || parts.Load() != 2 || s.NumRows() != rows {
		t.Errorf("%d parts of %d rows, error %v", parts.Load(), s.NumRows(), err)
	}
}

// A pipe passes with no copy made of it, and the first rows before the last are there.
func TestStreamPipe(t *testing.T) {
	schema := mustRead(t, "x\n1\n2\n").Schema()
	r, w := io.Pipe()
	none := filepath.Join(t.TempDir(), "none")
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} { // the last two on Windows
		t.Setenv(name, none)
	}
	if s, err := os.CreateTemp("", "none"); err == nil {
		t.Fatal("there is still a folder for copies: ", s.Name())
	}
	passed := make(chan struct{})
	go func() {
		line := []byte("12345\n")
		_, _ = w.Write([]byte("x\n"))
		_, _ = w.Write(bytes.Repeat(line, 100_000))
		<-passed // what came is shown while the rest is still to come
		_, _ = w.Write(line)
		w.Close()
	}()
	stream, err := dataset.ReadStream(context.Background(), r, "pipe", dataset.As(schema), dataset.ChunkSize(1<<12), dataset.Threads(2))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	rows := 0
	err = stream.Each(context.Background(), func(part *dataset.Table) (func() error, error) {
		return func() error {
			if rows == 0 {
				close(passed)
			}
			rows += part.NumRows()
			return nil
		}, nil
	})
	if err != nil || rows != 100_001 {
		t.Errorf("%d rows, error %v", rows, err)
	}
}
