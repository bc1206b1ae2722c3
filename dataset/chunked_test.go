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
	"slices"
	"strings"
	"sync"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/parallel"
)

// scanColumns makes the text of one column; n is the number of rows.
var scanColumns = []struct {
	name string
	cell func(r *rand.Rand, row, n int) string
}{
	{"int", func(r *rand.Rand, _, _ int) string { return fmt.Sprint(r.IntN(50) - 20) }},
	{"float", func(r *rand.Rand, _, _ int) string { return fmt.Sprint(r.Float64()) }},
	{"gaps", func(r *rand.Rand, _, _ int) string { return []string{"", "NA", "1.5", "-0", "2e3"}[r.IntN(5)] }},
	{"late64", func(r *rand.Rand, row, n int) string {
		if row == n-1 {
			return "0.1"
		}
		return fmt.Sprint(r.IntN(9))
	}},
	{"color", func(r *rand.Rand, _, _ int) string { return []string{"red", "green", "", "blue", "\"a,b\""}[r.IntN(5)] }},
	{"late", func(r *rand.Rand, row, n int) string {
		if row < n/2 {
			return fmt.Sprint(r.IntN(9))
		}
		return "t" + fmt.Sprint(r.IntN(9))
	}},
	{"early", func(r *rand.Rand, row, n int) string {
		if row < n/4 {
			return "t" + fmt.Sprint(r.IntN(9))
		}
		return fmt.Sprint(r.IntN(9))
	}},
	{"date", func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("2024-%02d-01", 1+r.IntN(12)) }},
	{"kind", func(r *rand.Rand, _, _ int) string { return []string{"1", "1.0", "01", "2", " 3"}[r.IntN(5)] }},
	{"name", func(_ *rand.Rand, row, _ int) string { return fmt.Sprintf("n%d", row*7919%10007) }},
	{"comma", func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("\"%d,5\"", r.IntN(9)) }},
	{"empty", func(*rand.Rand, int, int) string { return "" }},
}

// scanText writes a table with an id, a label and a weight; dirt is the share of rows
// with something wrong.
func scanText(r *rand.Rand, rows int, dirt float64) string {
	var b strings.Builder
	var chosen []int
	for i := range scanColumns {
		if r.IntN(3) > 0 {
			chosen = append(chosen, i)
		}
	}
	b.WriteString("id,y,w")
	for _, i := range chosen {
		b.WriteString("," + scanColumns[i].name)
	}
	b.WriteString(",last\n")
	for row := range rows {
		label, last := []string{"no", "yes"}[r.IntN(2)], fmt.Sprint(r.IntN(5))
		bad := r.Float64() < dirt
		if bad {
			switch r.IntN(4) {
			case 0:
				label = ""
			case 1:
				last = "odd"
			case 2:
				last = "1,2"
			case 3:
				label, last = "gone", "9.1" // the row's own level and value go with it
			}
		}
		fmt.Fprintf(&b, "i%d,%s,%d", row, label, r.IntN(3))
		for _, i := range chosen {
			b.WriteString("," + scanColumns[i].cell(r, row, rows))
		}
		if bad && label == "gone" {
			last += ",surplus"
		}
		b.WriteString("," + last + "\n")
		if r.IntN(50) == 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestChunked reads random tables in chunks and whole: both say the same.
func TestChunked(t *testing.T) {
	pool := parallel.NewPool(3)
	defer pool.Close()
	for seed := range uint64(testenv.ByLength(300, 80, 40)) {
		r := rand.New(rand.NewPCG(seed, 5))
		opts := []dataset.Option{dataset.ID("id"), dataset.Label("y"), dataset.Weight("w")}
		rows, dirt := 1+r.IntN(300), 0.0
		if r.IntN(2) == 0 {
			if dirt = 0.05; r.IntN(4) > 0 {
				opts = append(opts, dataset.SkipBadRows())
			}
		}
		text := scanText(r, rows, dirt)
		if strings.Contains(text, ",kind,") && r.IntN(2) == 0 {
			opts = append(opts, dataset.Categorical("kind"))
		}
		if r.IntN(2) == 0 {
			opts = append(opts, dataset.DropTextLike())
		}
		if r.IntN(4) == 0 {
			lines := strings.SplitAfterN(text, "\n", 40)
			some, err := read(strings.Join(lines[:len(lines)-1], ""), dataset.Label("y"), dataset.SkipBadRows())
			if err != nil {
				continue
			}
			schema := dataset.As(some.Schema())
			opts = []dataset.Option{schema, dataset.SkipBadRows()}
		}
		paths := splitTable(t, r, text)
		for _, chunk := range []int{1 << 10, 16, 1 + r.IntN(3000)} {
			sample := 1 + r.IntN(2*rows)
			choose := func() dataset.RowChooser { return binning.NewSample(sample, seed) }
			opts := append(slices.Clone(opts), dataset.ChunkSize(chunk), dataset.KeepRows(sample, choose))
			want, wantErr := dataset.OpenAll(context.Background(), paths, opts...)
			s, err := dataset.OpenChunked(context.Background(), paths, opts...)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("seed %d: error %v, whole: %v", seed, err, wantErr)
			}
			if err == nil {
				what := fmt.Sprintf("seed %d, chunks of %d", seed, chunk)
				keptAre(t, what, s, want, choose())
				sameTable(t, what, s, want, pool)
				s.Close()
			}
		}
	}
}

// splitTable writes a table as one to three files, each with the header.
func splitTable(t *testing.T, r *rand.Rand, text string) []string {
	dir := t.TempDir()
	header, body, _ := strings.Cut(text, "\n")
	lines := strings.SplitAfter(body, "\n")
	var paths []string
	for n := 1 + r.IntN(3); n > 0; n-- {
		take := r.IntN(len(lines) + 1)
		if n == 1 {
			take = len(lines)
		}
		path := filepath.Join(dir, fmt.Sprintf("part%d.csv", 9-n))
		if err := os.WriteFile(path, []byte(header+"\n"+strings.Join(lines[:take], "")), 0o600); err != nil {
			t.Fatal(err)
		}
		lines, paths = lines[take:], append(paths, path)
	}
	return paths
}

// sameTable compares a scan with the table read whole.
func sameTable(t *testing.T, what string, s *dataset.ChunkedTable, want *dataset.Table, pool *parallel.Pool) {
	t.Helper()
	if s.NumRows() != want.NumRows() || !reflect.DeepEqual(s.Schema(), want.Schema()) {
		t.Fatalf("%s: %d rows with schema %v, want %d with %v", what, s.NumRows(), s.Schema(), want.NumRows(), want.Schema())
	}
	rest := s.MetaColumns()
	if !slices.Equal(rest.Notes(), want.Notes()) || rest.Skipped() != want.Skipped() {
		t.Fatalf("%s: notes %q, want %q", what, rest.Notes(), want.Notes())
	}
	for row := range want.NumRows() {
		file, line := rest.Locate(row)
		if wantFile, wantLine := want.Locate(row); file != wantFile || line != wantLine {
			t.Fatalf("%s: row %d stands in %s:%d, want %s:%d", what, row, file, line, wantFile, wantLine)
		}
	}
	for _, c := range rest.Columns() {
		if other := want.Column(c.Name()); !slices.Equal(cellsOf(c), cellsOf(other)) || c.Role() != other.Role() {
			t.Fatalf("%s: column %q is %v, want %v", what, c.Name(), cellsOf(c), cellsOf(other))
		}
	}
	features := want.Features()
	for f, c := range features {
		if s.Missing()[f] != c.Missing() {
			t.Fatalf("%s: column %q lacks %d values, want %d", what, c.Name(), s.Missing()[f], c.Missing())
		}
		var counts []int
		if c.Kind() == dataset.Category {
			counts = make([]int, len(c.Levels()))
			for _, code := range c.Codes() {
				if code >= 0 {
					counts[code]++
				}
			}
		}
		if !slices.Equal(s.Counts()[f], counts) {
			t.Fatalf("%s: column %q counts %v, want %v", what, c.Name(), s.Counts()[f], counts)
		}
	}
	all := make([][]uint64, len(features))
	for f, c := range features {
		all[f] = cellsOf(c)
	}
	for range 2 {
		var mutex sync.Mutex
		seen := 0
		err := s.Chunks(context.Background(), func(first int, chunk *dataset.Table) error {
			mutex.Lock()
			defer mutex.Unlock()
			seen += chunk.NumRows()
			for f, c := range chunk.Features() {
				part := features[f].Kind()
				if got, want := cellsOf(c), all[f][first:first+chunk.NumRows()]; c.Kind() != part || !slices.Equal(got, want) {
					return fmt.Errorf("column %q from row %d on is %v, want %v", c.Name(), first, got, want)
				}
			}
			return nil
		})
		if err != nil || seen != want.NumRows() {
			t.Fatalf("%s: %d of %d rows seen: %v", what, seen, want.NumRows(), err)
		}
		if got := s.Fingerprint(); got != want.Fingerprint(pool) {
			t.Fatalf("%s: fingerprint %s, want %s", what, got, want.Fingerprint(pool))
		}
	}
}

// keptAre holds that a scan has kept the features of the rows that are chosen of a table.
func keptAre(t *testing.T, what string, s *dataset.ChunkedTable, table *dataset.Table, choice dataset.RowChooser) {
	t.Helper()
	choice.Add(0, table.NumRows(), nil)
	chosen := choice.Rows()
	rows, kept := s.Kept()
	if !slices.Equal(rows, chosen) {
		t.Fatalf("%s: rows %v are kept, want %v", what, rows, chosen)
	}
	for f, c := range table.Features() {
		cells, all := cellsOf(kept.Features()[f]), cellsOf(c)
		for i, row := range chosen {
			if cells[i] != all[row] {
				t.Fatalf("%s: column %q of row %d is %x, want %x", what, c.Name(), row, cells[i], all[row])
			}
		}
	}
	if rows, again := s.Kept(); rows != nil || again != nil {
		t.Fatalf("%s: rows are kept twice", what)
	}
}

// cellsOf returns a column's cells as bits, levels as codes.
func cellsOf(c *dataset.Column) []uint64 {
	cells := make([]uint64, c.Len())
	switch c.Kind() {
	case dataset.Float32:
		for row, v := range c.Float32s() {
			cells[row] = uint64(math.Float32bits(v))
		}
	case dataset.Float64:
		for row, v := range c.Float64s() {
			cells[row] = math.Float64bits(v)
		}
	case dataset.Category:
		for row, code := range c.Codes() {
			cells[row] = uint64(code + 1)
		}
	}
	return cells
}

func TestReadChunked(t *testing.T) {
	text := scanText(rand.New(rand.NewPCG(1, 1)), 500, 0)
	pool := parallel.NewPool(1)
	defer pool.Close()
	opts := []dataset.Option{dataset.Label("y"), dataset.ChunkSize(1000)}
	s, err := dataset.ReadChunked(context.Background(), strings.NewReader(text), "t.csv", opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sameTable(t, "stream", s, mustRead(t, text, opts...), pool)
	_, err = dataset.ReadChunked(context.Background(), strings.NewReader(text), "t.csv", append(opts, dataset.NoSpool())...)
	if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "--no-spool") {
		t.Errorf("without a copy: %v", err)
	}
}

// A table that changes between two passes is an error, not a model of both.
func TestChunkedOfChangingFile(t *testing.T) {
	for name, changed := range map[string]string{
		"longer":    "a,c\n1,x\n2,y\n3,x\n4,y\n",
		"shorter":   "a,c\n1,x\n",
		"new level": "a,c\n1,x\n2,z\n3,x\n",
		"text":      "a,c\n1,x\nb,y\n3,x\n",
		"gone":      "",
		"wider":     "a,c\n1,x\n0.1,y\n3,x\n",
		"as long":   "a,c\n1,x\n7,y\n3,x\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.csv")
			write := func(text string) {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("a,c\n1,x\n2,y\n3,x\n")
			s, err := dataset.OpenChunked(context.Background(), []string{path})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			write(changed)
			if err := s.Chunks(context.Background(), func(int, *dataset.Table) error { return nil }); !errors.Is(err, dataset.ErrTable) {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("visitor fails, context ends", func(t *testing.T) {
		path := writeFile(t, filepath.Join(t.TempDir(), "t.csv"), []byte("a\n1\n2\n"))
		ctx, cancel := context.WithCancel(context.Background())
		s, err := dataset.OpenChunked(ctx, []string{path})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		own := errors.New("own")
		if err := s.Chunks(ctx, func(int, *dataset.Table) error { return own }); err != own {
			t.Errorf("error %v", err)
		}
		cancel()
		if err := s.Chunks(ctx, func(int, *dataset.Table) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if _, err := dataset.OpenChunked(ctx, []string{path}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}
