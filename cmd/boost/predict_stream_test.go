package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"boost/booster/model"
	"boost/dataset"
	"boost/dataset/write"
	"boost/internal/format"
	"boost/internal/predictions"
)

// quietApp is a run of the program that reads stdin and says nothing.
func quietApp(stdin string) *app {
	return &app{stdin: strings.NewReader(stdin), out: io.Discard, log: slog.New(slog.DiscardHandler), told: map[string]bool{}}
}

// passThrough stands for the ids of --pass-through.
var passThrough = []string{"*"}

// bothWays predicts a table part by part and whole and returns what each writes.
func bothWays(t *testing.T, f form, m *model.Model, kind, format string, ids []string, opts ...dataset.Option) (parts, whole string) {
	t.Helper()
	p := predictions.Predictions{Model: m, Kinds: strings.Split(kind, ","), Format: format, IDs: ids, Trees: m.NumTrees()}
	which := dataset.ID(ids...)
	if p.All = slices.Equal(ids, passThrough); p.All {
		p.IDs, which = nil, dataset.AllIDs()
	}
	about := []dataset.Option{which, dataset.As(m.Schema())}
	a := quietApp(f.file)
	table, err := a.open(context.Background(), f.args, about...)
	if err != nil {
		t.Fatal(err)
	}
	pool := a.pool(2)
	defer pool.Close()
	var w bytes.Buffer
	all := p
	all.Pool = pool
	if err := all.Write(context.Background(), &w, table); err != nil {
		t.Fatal(err)
	}
	a = quietApp(f.file)
	var out bytes.Buffer
	a.out = &out
	s, err := predictions.NewStream(p, "")
	if err != nil {
		t.Fatal(err)
	}
	if p.TypesIDs(m.Schema()) {
		var ok bool
		if s.Whole, ok = a.wholeIDs(context.Background(), []string{f.args[0]}, append(opts, which, dataset.As(p.IDSchema(m.Schema())))...); !ok {
			return w.String(), w.String() // standard input, which predictWhole takes
		}
	}
	if err := a.predictStream(context.Background(), s, []string{f.args[0]}, "-", append(opts, about...)...); err != nil {
		t.Fatal(err)
	}
	return out.String(), w.String()
}

// A table that passes by in parts is predicted byte for byte as one that is there whole,
// whatever its form, how it is cut, how many work on it, and what is written.
func TestStreamedPredictions(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(900))
	var numbers strings.Builder
	numbers.WriteString("label,f1,f2,f3\n")
	for i := range 900 {
		fmt.Fprintf(&numbers, "%d,%g,%d,%g\n", i%3, math.Round(float64(i*37%101))/7, i%5/4, float64(i%7)/3)
	}
	file(t, "n.csv", numbers.String())
	train := func(file, label, out, drop string) {
		must(t, 0, boost(t, "train", file, "--label", label, "-q", "-o", out, "--set", "data.ignore="+drop, "--set", "train.rounds=4", "--set", "train.early_stopping=0"))
	}
	for label, drop := range map[string]string{"y": "b,c,id", "b": "y,c,id", "c": "y,b,id"} {
		train("t.csv", label, label+".boost", drop)
	}
	train("n.csv", "label", "n.boost", "")
	var people, counts []form
	{
		plain, err := dataset.Open(context.Background(), "t.csv")
		if err != nil {
			t.Fatal(err)
		}
		people = append(csvForms(t, table(900)), arrowForms(t, plain)...)
		if plain, err = dataset.Open(context.Background(), "n.csv"); err != nil {
			t.Fatal(err)
		}
		counts = append([]form{{name: "csv", args: []string{"n.csv"}}}, svmForms(t, plain)...)
	}
	i := 0
	compare := func(forms []form, name string, kinds []string, ids ...string) {
		m, err := model.Load(name + ".boost")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range forms {
			for _, kind := range kinds {
				for _, format := range write.Formats() {
					// Every fifth combination, others for each form.
					if i++; i%5 != len(f.name)%5 {
						continue
					}
					size := []int{100, 3000, 1 << 20}[i/3%3]
					threads := []int{1, 2, 5, 8}[i/3%4]
					parts, whole := bothWays(t, f, m, kind, format, ids, dataset.ChunkSize(size), dataset.Threads(threads))
					if parts != whole {
						t.Errorf("%s, --kind %s as %s, %q, chunks of %d bytes, %d threads: the parts differ from the whole", f.name, kind, format, ids, size, threads)
					}
				}
			}
		}
	}
	if testing.Short() {
		people = people[:4]
	}
	compare(people, "y", []string{"value", "raw", "leaf"})
	compare(people, "b", []string{"class"}, "city")
	compare(people, "c", []string{"class,value", "value", "class"}, "id", "x")
	compare(people, "b", []string{"value", "raw,leaf"}, passThrough...)
	compare(counts, "n", []string{"value", "leaf"})
	compare(counts, "n", []string{"raw"}, "f2")
	compare(counts, "n", []string{"class"}, passThrough...)
}

// What a failed run has written to a pipe ends with a whole line, and the error says how
// many rows there are; a file does not appear.
func TestStreamedErrorsSayWhatWasWritten(t *testing.T) {
	models(t)
	good := table(60_000) // several chunks
	file(t, "bad.csv", good+"r60000,x,Oslo,1,no,low\n")
	r := must(t, 3, boost(t, "predict", "y.boost", "bad.csv"))
	says(t, r.errors, `bad.csv:60002: column "x": "x" is not a number, and the model has numbers in this column`, "; written before that: ")
	got := lines(r.out)
	if n := len(got) - 1; n < 1 || n > 60_000 || !strings.HasSuffix(r.out, "\n") || !strings.Contains(r.errors, "written before that: "+format.Counted(n, "row")) {
		t.Errorf("%d rows, the last %q; %s", n, got[len(got)-1], r.errors)
	}
	want := lines(must(t, 0, boostWith(t, good, "predict", "y.boost", "-")).out)
	if strings.Join(want[:len(got)], "\n") != strings.Join(got, "\n") {
		t.Error("the rows before the error are others")
	}
	r = must(t, 3, boost(t, "predict", "y.boost", "bad.csv", "-o", "p.csv"))
	if strings.Contains(r.errors, "written") || exists("p.csv") {
		t.Errorf("p.csv is there: %s", r.errors)
	}
	// A level that is new late, too.
	file(t, "new.csv", good+"r60000,1,Bern,1,no,low\n")
	r = must(t, 3, boost(t, "predict", "y.boost", "new.csv", "--on-unseen", "error"))
	says(t, r.errors, `new.csv:60002: column "city": training did not have "Bern"`, "written before that: ")
	if left := leftovers(t, "."); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// Levels are told from each other over all parts, and the first one is the example.
func TestStreamedUnseen(t *testing.T) {
	models(t)
	var s strings.Builder
	s.WriteString("id,x,city\n")
	for i := range 90_000 {
		fmt.Fprintf(&s, "%d,0.5,%s\n", i, []string{"Bern", "Zug", "Oslo"}[(i+1)%3])
	}
	r := must(t, 0, boostWith(t, s.String(), "predict", "y.boost", "-"))
	says(t, r.errors, `column "city": 60,000 rows (66.6 %) with 2 levels that training did not have, such as "Zug": treated as missing`)
}

// lineSource is a table of 28 columns of numbers, made as it is read: 1,000 rows over and
// over.
type lineSource struct {
	rows, row int
	rest      []byte
}

var numberLines = sync.OnceValue(func() [][]byte {
	lines := make([][]byte, 1001)
	for row := range lines {
		for f := range 28 {
			if f > 0 {
				lines[row] = append(lines[row], ',')
			}
			if row == 0 {
				lines[row] = fmt.Appendf(lines[row], "f%d", f)
			} else {
				lines[row] = fmt.Appendf(lines[row], "%d.%03d", (row*(f+3))%17, (row*7919+f*31)%1000)
			}
		}
		lines[row] = append(lines[row], '\n')
	}
	return lines
})

func (l *lineSource) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if len(l.rest) == 0 {
			if l.row > l.rows {
				return n, io.EOF
			}
			lines := numberLines()
			if l.rest = lines[0]; l.row > 0 {
				l.rest = lines[1+l.row%1000]
			}
			l.row++
		}
		copied := copy(b[n:], l.rest)
		n, l.rest = n+copied, l.rest[copied:]
	}
	return n, nil
}

// scorer trains a model of 28 numbers.
func scorer(t testing.TB) *model.Model {
	t.Helper()
	text, err := io.ReadAll(&lineSource{rows: 2000})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "t.csv")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var words bytes.Buffer
	out := filepath.Join(dir, "t.boost")
	if code := run([]string{"train", path, "--label", "f27", "-q", "-o", out, "--set", "train.rounds=100", "--set", "train.early_stopping=0"}, strings.NewReader(""), io.Discard, &words); code != 0 {
		t.Fatalf("exit %d: %s", code, words.String())
	}
	m, err := model.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// heapMeter notes the most memory in use while predictions are written through it.
type heapMeter struct {
	written, next int
	most          uint64
}

func (h *heapMeter) Write(b []byte) (int, error) {
	if h.written += len(b); h.written >= h.next {
		h.next = h.written + 200_000
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		h.most = max(h.most, s.HeapAlloc)
	}
	return len(b), nil
}

// Memory does not grow with the rows: 170,000 more, which would take 19 MB as float32, take
// no more than some parts, which are on their way or not by chance.
func TestStreamedMemory(t *testing.T) {
	m := scorer(t)
	for _, format := range []string{"csv", "arrow"} {
		var most [2]uint64
		for i, rows := range []int{70_000, 240_000} {
			s, err := dataset.ReadStream(context.Background(), &lineSource{rows: rows}, "t.csv", dataset.As(m.Schema()), dataset.Threads(2), dataset.ChunkSize(1<<18))
			if err != nil {
				t.Fatal(err)
			}
			meter := &heapMeter{}
			p, err := predictions.NewStream(predictions.Predictions{Model: m, Kinds: []string{"value"}, Format: format}, "")
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Write(context.Background(), meter, s); err != nil || s.NumRows() != rows {
				t.Fatalf("%d rows, %v", s.NumRows(), err)
			}
			s.Close()
			most[i] = meter.most
		}
		if grown := int64(most[1]) - int64(most[0]); grown > 4<<20 {
			t.Errorf("%s: %d bytes in use for 70,000 rows, %d for 240,000", format, most[0], most[1])
		}
	}
}

// BenchmarkPredictStream compares predicting a CSV file of 28 columns with reading it:
// whole, as every other command does, and in parts. The bound is the reader: with as many
// threads as parse, scoring 100 trees and writing add to the work of each.
func BenchmarkPredictStream(b *testing.B) {
	m := scorer(b)
	const rows = 200_000
	text, err := io.ReadAll(&lineSource{rows: rows})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "t.csv")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	steps := []struct {
		name string
		run  func() error
	}{
		{"whole", func() error {
			_, err := dataset.Open(ctx, path, dataset.As(m.Schema()))
			return err
		}},
		{"parts", func() error {
			s, err := dataset.OpenStream(ctx, []string{path}, dataset.As(m.Schema()))
			if err != nil {
				return err
			}
			defer s.Close()
			return s.Each(ctx, func(*dataset.Table) (func() error, error) { return nil, nil })
		}},
		{"predict", func() error {
			s, err := dataset.OpenStream(ctx, []string{path}, dataset.As(m.Schema()))
			if err != nil {
				return err
			}
			defer s.Close()
			p, err := predictions.NewStream(predictions.Predictions{Model: m, Kinds: []string{"value"}, Format: "csv"}, "")
			if err != nil {
				return err
			}
			return p.Write(ctx, io.Discard, s)
		}},
	}
	for _, step := range steps {
		b.Run("step="+step.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if err := step.run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
