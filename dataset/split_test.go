package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"boost/dataset"
	"boost/internal/comm"
	"boost/internal/testenv"
	"boost/parallel"
)

// ownRows are the rows of a rank, and what it says of the table.
type ownRows struct {
	first, end int
	err        error
}

// splitAmong lets n ranks read a part each of the files, and compares what they read with the table read whole. It returns the rows of each,
// or its error.
func splitAmong(n int, paths []string, opts []dataset.Option, want *dataset.Table, pool *parallel.Pool) []ownRows {
	own := make([]ownRows, n)
	print := ""
	if want != nil {
		print = want.Fingerprint(pool)
	}
	var all sync.WaitGroup
	for rank, c := range comm.Local(n) {
		all.Go(func() {
			defer c.Close()
			r := &own[rank]
			s, err := dataset.OpenChunked(context.Background(), paths, append(slices.Clone(opts), dataset.Split(c, 0))...)
			if err != nil {
				r.err = err
				c.Abort(err)
				return
			}
			defer s.Close()
			r.first, r.end = s.Own()
			if r.err = sameRows(s, want, r.first, r.end); r.err == nil && s.Fingerprint() != print {
				r.err = fmt.Errorf("fingerprint %s, want %s", s.Fingerprint(), print)
			}
			if r.err != nil {
				c.Abort(r.err)
			}
		})
	}
	all.Wait()
	return own
}

// sameRows compares what a rank knows of a table, and the cells of its own rows, with the table read whole.
func sameRows(s *dataset.ChunkedTable, want *dataset.Table, first, end int) error {
	if want == nil {
		return fmt.Errorf("%d rows of a table that cannot be read", s.NumRows())
	}
	if s.NumRows() != want.NumRows() || !reflect.DeepEqual(s.Schema(), want.Schema()) {
		return fmt.Errorf("%d rows with schema %v, want %d with %v", s.NumRows(), s.Schema(), want.NumRows(), want.Schema())
	}
	rest := s.MetaColumns()
	for row := range want.NumRows() {
		file, line := rest.Locate(row)
		if wantFile, wantLine := want.Locate(row); file != wantFile || line != wantLine {
			return fmt.Errorf("row %d stands in %s:%d, want %s:%d", row, file, line, wantFile, wantLine)
		}
	}
	for _, c := range rest.Columns() {
		if !slices.Equal(valuesOf(c), valuesOf(want.Column(c.Name()))) {
			return fmt.Errorf("column %q is %v, want %v", c.Name(), cellsOf(c), cellsOf(want.Column(c.Name())))
		}
	}
	features := want.Features()
	var mutex sync.Mutex
	seen := 0
	err := s.Chunks(context.Background(), func(at int, chunk *dataset.Table) error {
		mutex.Lock()
		defer mutex.Unlock()
		seen += chunk.NumRows()
		if at < first || at+chunk.NumRows() > end {
			return fmt.Errorf("rows %d to %d are another rank's", at, at+chunk.NumRows())
		}
		for f, c := range chunk.Features() {
			if got, want := valuesOf(c), valuesOf(features[f])[at:at+chunk.NumRows()]; !slices.Equal(got, want) {
				return fmt.Errorf("column %q from row %d on is %v, want %v", c.Name(), at, got, want)
			}
		}
		return nil
	})
	if err == nil && seen != end-first {
		err = fmt.Errorf("%d rows seen, want %d", seen, end-first)
	}
	return err
}

// valuesOf is cellsOf with one form of missing numbers: which one a cell has follows from what stands before it in its chunk.
func valuesOf(c *dataset.Column) []uint64 {
	cells := cellsOf(c)
	for row, v := range cells {
		if c.Kind() == dataset.Float64 && math.IsNaN(math.Float64frombits(v)) {
			cells[row] = math.MaxUint64
		}
	}
	return cells
}

// checkSplit reads files whole and in parts. Where the whole cannot be read, all ranks say why as one process does.
func checkSplit(t *testing.T, what string, paths []string, opts []dataset.Option, pool *parallel.Pool, ranks ...int) {
	t.Helper()
	want, wantErr := dataset.OpenAll(context.Background(), paths, opts...)
	if wantErr != nil {
		want = nil
	}
	for _, n := range ranks {
		next := 0
		for rank, own := range splitAmong(n, paths, opts, want, pool) {
			if wantErr == nil && (own.err != nil || own.first != next) {
				t.Errorf("%s: rank %d of %d has rows %d to %d behind row %d: %v", what, rank, n, own.first, own.end, next, own.err)
			}
			if wantErr != nil && own.err == nil {
				t.Errorf("%s: rank %d of %d reads what one process does not: %v", what, rank, n, wantErr)
			}
			if wantErr != nil && own.err != nil && (own.err.Error() != withoutSkip(wantErr) || !errors.Is(own.err, dataset.ErrTable)) {
				t.Errorf("%s: rank %d of %d says\n%v\nand one process\n%v", what, rank, n, own.err, wantErr)
			}
			next = own.end
		}
		if wantErr == nil && next != want.NumRows() {
			t.Errorf("%s: %d ranks have %d rows, want %d", what, n, next, want.NumRows())
		}
	}
}

// withoutSkip returns an error without the advice that is none for ranks.
func withoutSkip(err error) string {
	return strings.ReplaceAll(err.Error(), `, or set on_bad_row = "skip" to leave such rows out`, "")
}

// quotedText writes a table in a dialect of its own: quotes, line breaks and separators in cells, stray quotes, blank lines.
func quotedText(r *rand.Rand, rows int) string {
	sep, end := []string{",", ";", "\t"}[r.IntN(3)], []string{"\n", "\r\n"}[r.IntN(2)]
	stray, odd := r.IntN(3) == 0, r.IntN(8) == 0
	var b strings.Builder
	if r.IntN(4) == 0 {
		b.WriteString("\ufeff")
	}
	if r.IntN(6) == 0 {
		b.WriteString("sep=" + sep + end)
	}
	b.WriteString(strings.Join([]string{"number", "\"the" + end + "text\"", "y"}, sep) + end)
	for row := range rows {
		text := []string{"a", "", "\"b" + sep + "c\"", "\"said \"\"so\"\"\"", "\"one" + end + "two" + end + end + "three\"", " \"x\" ", "\"\"", "\"" + strings.Repeat("long\n", r.IntN(20)) + "\""}[r.IntN(8)]
		if stray && r.IntN(4) == 0 {
			text = []string{"5\" disk", "it's \"that\"", "x\"", "a \"b" + sep + " \"c\"" + end + "\""}[r.IntN(4)]
			text = strings.TrimSuffix(text, sep+" \"c\""+end+"\"")
		}
		number := fmt.Sprintf("%.2f", r.Float64())
		if odd && r.IntN(30) == 0 {
			switch r.IntN(4) {
			case 0:
				number += sep + "1"
			case 1:
				text = "\"x\"y"
			case 2:
				number = "\"" + number
			default:
				number = "odd"
			}
		}
		b.WriteString(number + sep + text + sep + []string{"no", "yes"}[r.IntN(2)])
		if row < rows-1 || r.IntN(2) == 0 {
			b.WriteString(end)
		}
		if r.IntN(20) == 0 {
			b.WriteString(end)
		}
	}
	return b.String()
}

// linesOf writes the same sort of table as JSON lines, whose keys come and go.
func linesOf(r *rand.Rand, rows int) string {
	var b strings.Builder
	for row := range rows {
		fmt.Fprintf(&b, `{"y": %d`, r.IntN(2))
		for _, key := range []string{"number", "late", "of.all"} {
			if r.IntN(3) > 0 && (key != "late" || row > rows/2) {
				fmt.Fprintf(&b, `, "%s": %d`, key, r.IntN(9))
			}
		}
		if r.IntN(9) == 0 {
			b.WriteString(`, "of": {}, "text": "\"\n"`)
		}
		b.WriteString("}")
		if row < rows-1 || r.IntN(2) == 0 {
			b.WriteString("\n")
		}
	}
	if rows == 0 || r.IntN(100) == 0 {
		b.WriteString("{\"y\" \"no\"}\n")
	}
	return b.String()
}

// Ranks that read a part each of files read what one process does, whatever stands where parts begin.
func TestSplit(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	for seed := range uint64(testenv.ByLength(2000, 60, 30)) {
		r := rand.New(rand.NewPCG(seed, 8))
		dir := t.TempDir()
		var paths []string
		write, ending := quotedText, ".csv"
		if seed%4 == 0 {
			write, ending = linesOf, ".jsonl"
		}
		above := seed%4 == 1
		for i := range 1 + r.IntN(3) {
			draw := rand.New(rand.NewPCG(seed, 9)) // files that are read as one are written alike
			text := []byte(write(draw, r.IntN(40)))
			if above {
				text = append([]byte("\ufeffa \"title\n\n"), text...)
			}
			path := filepath.Join(dir, fmt.Sprint("part", i, ending))
			if r.IntN(4) == 0 {
				path, text = path+".gz", zipped(string(text))
			}
			writeFile(t, path, text)
			paths = append(paths, path)
		}
		opts := []dataset.Option{dataset.Label("y"), dataset.ChunkSize([]int{1 << 10, 16, 1 + r.IntN(3000)}[r.IntN(3)]), dataset.Threads(1 + r.IntN(2))}
		if above {
			opts = append(opts, dataset.SkipLines(2))
		}
		checkSplit(t, fmt.Sprint("seed ", seed), paths, opts, pool, 1, 2, 3, 5, 8)
		if t.Failed() {
			return
		}
	}
}

// Files of other writers are divided by row groups and record batches, and by their lines.
func TestSplitFilesOfOthers(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	files, err := filepath.Glob("testdata/interop/*.*")
	if err != nil {
		t.Fatal(err)
	}
	divided := map[string]bool{}
	for _, file := range files {
		want, err := dataset.Open(context.Background(), file)
		if err != nil || strings.HasSuffix(file, ".svm") {
			continue
		}
		for _, n := range []int{3, 1, 2, 8}[:testenv.UnlessShort(4, 1)] {
			next, having := 0, 0
			for rank, own := range splitAmong(n, []string{file}, nil, want, pool) {
				if own.err != nil || own.first != next {
					t.Errorf("%s: rank %d of %d has rows %d to %d behind row %d: %v", file, rank, n, own.first, own.end, next, own.err)
				}
				if next = own.end; own.end > own.first {
					having++
				}
			}
			if having > 1 {
				divided[filepath.Ext(file)] = true
			}
		}
	}
	for _, ending := range []string{".csv", ".parquet", ".arrow", ".arrows"} {
		if !divided[ending] {
			t.Errorf("no file %s was divided", ending)
		}
	}
}

// A record that is longer than the parts of ranks is read by one of them.
func TestSplitOfLongRecord(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	name := filepath.Join(t.TempDir(), "t.csv")
	writeFile(t, name, []byte("x,text,y\n1,a,no\n2,\""+strings.Repeat("one\n", 1<<19)+"\",yes\n3,c,yes\n"))
	checkSplit(t, "long", []string{name}, []dataset.Option{dataset.Label("y")}, pool, 2, 7)
	writeFile(t, name, []byte("x,text,y\n1,a,no\n2,\""+strings.Repeat("one\n", 1<<19)+",yes\n3,c,yes\n"))
	checkSplit(t, "not closed", []string{name}, []dataset.Option{dataset.Label("y")}, pool, 2, 7)
}

// Where a rank has most of the rows, because files cannot be cut, all say so.
func TestSplitUnevenly(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.csv")
	text := "x,y\n" + strings.Repeat("1,2\n", 70_000)
	writeFile(t, name, []byte(text))
	writeFile(t, name+".gz", zipped(text))
	for file, want := range map[string]bool{name: false, name + ".gz": true} {
		var all sync.WaitGroup
		for _, c := range comm.Local(2) {
			all.Go(func() {
				s, err := dataset.OpenChunked(context.Background(), []string{file}, dataset.Split(c, 70_000))
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				notes := strings.Join(s.MetaColumns().Notes(), "\n")
				if got := strings.Contains(notes, "rank 0 has 70,000 of 70,000 rows, and there are 2 ranks"); got != want {
					t.Errorf("%s: notes %q", file, notes)
				}
			})
		}
		all.Wait()
	}
}

// Numbers that float64 rounds are noted of a column whose numbers are all whole, whichever ranks have those, with their line in the file.
func TestSplitOfLargeNumbers(t *testing.T) {
	large, small := strings.Repeat("9007199254740993,1\n", 100), strings.Repeat("7,2\n", 400)
	for text, want := range map[string]string{
		"x,y\n" + small + large:              "the first stands in column \"x\" of t.csv:402",
		"x,y\n" + large + small:              "the first stands in column \"x\" of t.csv:2",
		"x,y\n" + large + small + "0.5,1\n":  "",
		"x,y\n" + "0.5,1\n" + small + large:  "",
		"x,y\n" + "1e30,1\n" + small + large: "",
	} {
		t.Chdir(t.TempDir())
		writeFile(t, "t.csv", []byte(text))
		var all sync.WaitGroup
		for rank, c := range comm.Local(3) {
			all.Go(func() {
				s, err := dataset.OpenChunked(context.Background(), []string{"t.csv"}, dataset.Split(c, 0))
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				notes := strings.Join(s.MetaColumns().Notes(), "\n")
				if !strings.Contains(notes, want) || want == "" && strings.Contains(notes, "2⁵³") {
					t.Errorf("rank %d: notes %q, want %q", rank, notes, want)
				}
			})
		}
		all.Wait()
	}
}

// What is wrong at one rank, or cannot be divided, is said with what to do.
func TestSplitRefuses(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, in("t.csv"), []byte("q,x,y\n"+strings.Repeat("1,2,0\n2,3,1\n", 50)))
	writeFile(t, in("bad.csv"), []byte("q,x,y\n"+strings.Repeat("1,2,0\n", 50)+"1,\"a\nb\",0\n1,2,heavy\n"))
	writeFile(t, in("t.svm"), []byte("1 1:2\n0 2:3\n"))
	writeFile(t, in("side.csv"), []byte("x,y\n1,0\n2,1\n"))
	writeFile(t, in("side.csv.weight"), []byte("1\n2\n"))
	for name, c := range map[string]struct {
		file string
		opts []dataset.Option
		want string
	}{
		"queries":     {"t.csv", []dataset.Option{dataset.Group("q")}, `column "q" says which rows are one query`},
		"LibSVM":      {"t.svm", nil, "LibSVM text cannot be shared among ranks"},
		"bad rows":    {"t.csv", []dataset.Option{dataset.SkipBadRows()}, "bad rows cannot be skipped"},
		"side file":   {"side.csv", nil, "side.csv.weight is for the rows of a whole file"},
		"a number":    {"t.csv", []dataset.Option{dataset.Label("z")}, "z"},
		"absent file": {"none.csv", nil, "none.csv"},
		"a cell":      {"bad.csv", []dataset.Option{dataset.Weight("y")}, "bad.csv:54: column \"y\": \"heavy\" is not a number"},
	} {
		t.Run(name, func(t *testing.T) {
			for rank, own := range splitAmong(3, []string{in(c.file)}, c.opts, nil, nil) {
				if own.err == nil || !strings.Contains(own.err.Error(), c.want) {
					t.Errorf("rank %d: %v, want %q in it", rank, own.err, c.want)
				}
			}
		})
	}
	t.Run("standard input", func(t *testing.T) {
		_, err := dataset.ReadChunked(context.Background(), strings.NewReader("x,y\n1,2\n"), "a stream", dataset.Split(comm.Local(1)[0], 0))
		if err == nil || !strings.Contains(err.Error(), "a stream can be read once") {
			t.Error(err)
		}
	})
	t.Run("number of rows", func(t *testing.T) {
		_, err := dataset.OpenChunked(context.Background(), []string{in("t.csv")}, dataset.Split(comm.Local(1)[0], 101))
		if err == nil || !strings.Contains(err.Error(), "the ranks have 100 rows, and there should be 101") {
			t.Error(err)
		}
	})
	t.Run("a file that grows", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("another process cannot write to the file")
		}
		c := comm.Local(1)[0]
		s, err := dataset.OpenChunked(context.Background(), []string{in("t.csv")}, dataset.Split(c, 0))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		f, err := os.OpenFile(in("t.csv"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString("3,4,1\n")
		f.Close()
		if err := s.Chunks(context.Background(), func(int, *dataset.Table) error { return nil }); err == nil || !strings.Contains(err.Error(), "changed while it was read") {
			t.Error(err)
		}
	})
}
