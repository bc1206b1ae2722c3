package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// svmText writes LibSVM text of all that it can hold: dense and rare features, whole and
// wide numbers, zeros, gaps, query numbers, rows that cannot be read where dirty.
func svmText(r *rand.Rand, rows int, queries, dirty bool) string {
	var b strings.Builder
	values := []func() string{
		func() string { return fmt.Sprint(r.IntN(5)) },
		func() string { return fmt.Sprint(r.Float64()) },
		func() string { return fmt.Sprint(float32(r.NormFloat64())) },
		func() string { return fmt.Sprint(r.IntN(3) << 60) },
		func() string { return []string{"nan", "7", "-0", "99"}[r.IntN(4)] },
	}
	for row := range rows {
		fmt.Fprintf(&b, "%d", r.IntN(3))
		if queries {
			fmt.Fprintf(&b, " qid:%d", row/7)
		}
		for index := 1; index < 30; index++ {
			if r.IntN(index) > 2 {
				continue
			}
			fmt.Fprintf(&b, " %d:%s", index, values[index%len(values)]())
		}
		if dirty && r.IntN(20) == 0 {
			b.WriteString(" 40:what")
		}
		b.WriteString("\n")
		if r.IntN(30) == 0 {
			b.WriteString("# a comment\n")
		}
	}
	return b.String()
}

// TestChunkedLibSVM reads LibSVM text in chunks and whole: both say the same, cell by cell.
func TestChunkedLibSVM(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	ctx := context.Background()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 8))
		rows, dirty := 1+r.IntN(300), r.IntN(3) == 0
		text := svmText(r, rows, r.IntN(2) == 0, dirty)
		var opts []dataset.Option
		for _, o := range []dataset.Option{dataset.Absent("missing"), dataset.MissingOnly("99", "0"), dataset.MissingOnly("7", ""), dataset.Categorical("f1", "f3"),
			dataset.Weight("f2"), dataset.Ignore("f4"), dataset.IndexBase("0"), dataset.ID("f5")} {
			if r.IntN(3) == 0 {
				opts = append(opts, o)
			}
		}
		if dirty && r.IntN(4) > 0 {
			opts = append(opts, dataset.SkipBadRows())
		}
		if r.IntN(4) == 0 {
			some, err := dataset.Read(ctx, strings.NewReader(svmText(r, 50, false, false)), "some.svm", opts...)
			if err != nil {
				continue
			}
			opts = []dataset.Option{dataset.As(some.Schema()), dataset.SkipBadRows()}
		}
		folder := t.TempDir()
		lines := strings.SplitAfter(text, "\n")
		for i, part := range [][]string{lines[:len(lines)/3], lines[len(lines)/3:]} {
			writeFile(t, filepath.Join(folder, fmt.Sprintf("p%d.svm", i)), []byte(strings.Join(part, "")))
		}
		paths := []string{filepath.Join(folder, "*.svm")}
		for _, chunk := range []int{1 << 20, 100, 1 + r.IntN(3000)} {
			sample := 1 + r.IntN(2*rows)
			choose := func() dataset.RowChooser { return binning.NewSample(sample, seed) }
			opts := append(slices.Clone(opts), dataset.ChunkSize(chunk), dataset.KeepRows(sample, choose))
			want, wantErr := dataset.OpenAll(ctx, paths, opts...)
			s, err := dataset.OpenChunked(ctx, paths, opts...)
			if err != nil && strings.Contains(err.Error(), "rows without a label") {
				continue // of 0, which is said to be no value: rows are left out of whole tables only
			}
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("seed %d: error %v, whole: %v", seed, err, wantErr)
			}
			if err != nil {
				continue
			}
			what := fmt.Sprintf("seed %d, chunks of %d", seed, chunk)
			keptAre(t, what, s, want, choose())
			stored, fill := s.Stored()
			for f, c := range want.Features() {
				cells := 0
				for _, v := range numbersOf(c) {
					if v != fill && (v == v || fill == fill) {
						cells++
					}
				}
				if stored != nil && stored[f] >= 0 && stored[f] != cells {
					t.Fatalf("%s: column %q stores %d cells, of %v", what, c.Name(), cells, stored)
				}
			}
			sameTable(t, what, s, want, pool)
			if s.Passes() != 3 { // one when it was opened, two by sameTable
				t.Fatalf("%s: %d passes", what, s.Passes())
			}
			s.Close()
		}
	}
}

// numbersOf returns the numbers of a column, nil of levels.
func numbersOf(c *dataset.Column) []float64 {
	if c.Kind() == dataset.Float64 {
		return c.Float64s()
	}
	var numbers []float64
	if c.Kind() == dataset.Float32 {
		for _, v := range c.Float32s() {
			numbers = append(numbers, float64(v))
		}
	}
	return numbers
}

func TestChunkedOfChangingLibSVM(t *testing.T) {
	for name, changed := range map[string]string{
		"longer": "1 1:2\n0 1:3\n1 1:1\n", "shorter": "1 1:2\n", "wider": "1 1:0.1\n0 1:3\n", "text": "1 1:x\n0 1:3\n", "a level more": "1 1:2 2:8\n0 1:3\n", "gone": "",
		"as long": "1 1:2 2:5\n0 1:7\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), "t.svm"), []byte("1 1:2 2:5\n0 1:3\n"))
			s, err := dataset.OpenChunked(context.Background(), []string{path}, dataset.Categorical("f2"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := s.Chunks(context.Background(), func(int, *dataset.Table) error { return nil }); !errors.Is(err, dataset.ErrTable) {
				t.Errorf("error %v", err)
			}
		})
	}
}
