package dataset_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"

	"boost/dataset"
	"boost/internal/testenv"
)

// TestEstimateBytes compares what a table is thought to take before it is read with what
// its rows and columns take: 4 bytes for a level and a number that float32 holds, 8 for
// other numbers, 8 or 12 for a cell of a sparse column.
func TestEstimateBytes(t *testing.T) {
	testenv.Unraced(t)
	const rows = 60_000
	r := rand.New(rand.NewPCG(3, 4))
	var csv, svm bytes.Buffer
	csv.WriteString("a,b,c,d,word,y\n")
	for range rows {
		fmt.Fprintf(&csv, "%.9f,%.9f,%.9f,%d,w%d,%d\n", r.Float64(), r.Float64(), r.Float64(), r.IntN(9), r.IntN(30), r.IntN(2))
		fmt.Fprintf(&svm, "%d %d:%.9f %d:%.9f\n", r.IntN(2), 1+r.IntN(40), r.Float64(), 41+r.IntN(40), r.Float64())
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(csv.Bytes())
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(name string, content []byte) string { return writeFile(t, filepath.Join(folder, name), content) }
	plain, small, sparse := write("t.csv", csv.Bytes()), write("t.csv.gz", packed.Bytes()), write("t.svm", svm.Bytes())
	few := write("few.csv", []byte("x,y\n0.5,1\n1.5,0\n"))
	for _, c := range []struct {
		name    string
		paths   []string
		options []dataset.Option
		want    int64
	}{
		{"csv", []string{plain}, nil, rows * (3*8 + 3*4)},
		{"columns ignored", []string{plain}, []dataset.Option{dataset.Ignore("a", "b", "word")}, rows * (8 + 2*4)},
		{"csv.gz", []string{small}, nil, rows * (3*8 + 3*4)},
		{"twice", []string{plain, write("t2.csv", csv.Bytes())}, nil, 2 * rows * (3*8 + 3*4)},
		{"whole in the sample", []string{few}, nil, 2 * 2 * 4},
		{"libsvm", []string{sparse}, nil, rows * (4 + 2*12)},
		{"a column that is not there", []string{plain}, []dataset.Option{dataset.Label("none")}, int64(csv.Len())},
		{"standard input", []string{"-"}, nil, 0},
		{"no file", []string{filepath.Join(folder, "none")}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := dataset.EstimateBytes(context.Background(), c.paths, c.options...)
			if tolerance := float64(c.want) * 0.25; float64(got) < float64(c.want)-tolerance || float64(got) > float64(c.want)+tolerance {
				t.Errorf("%d bytes, want about %d", got, c.want)
			}
		})
	}
	for _, name := range []string{"duckdb.zstd.parquet", "polars.lz4.arrow", "polars.stream.arrows", "pandas.index.parquet"} {
		t.Run(name, func(t *testing.T) {
			table, err := dataset.Open(context.Background(), interop(name), dataset.LenientTypes())
			if err != nil {
				t.Fatal(err)
			}
			got := dataset.EstimateBytes(context.Background(), []string{interop(name)}, dataset.LenientTypes())
			if n := int64(table.NumRows() * len(table.Columns())); got < 4*n || got > 8*n {
				t.Errorf("%d bytes for %d cells", got, n)
			}
		})
	}
}

// TestSurelyFits holds that only plain text of one file is known to fit, whatever is in it.
func TestSurelyFits(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, content []byte) string { return writeFile(t, filepath.Join(folder, name), content) }
	text := bytes.Repeat([]byte("1\n"), 1000)
	plain := write("a.csv", text)
	write("b.csv", text)
	const most = 64 * 2000
	for _, c := range []struct {
		name, path string
		limit      int64
		want       bool
	}{
		{"at the limit", plain, most, true}, {"beyond it", plain, most - 64, false},
		{"several files", filepath.Join(folder, "*.csv"), 1 << 40, false},
		{"packed", write("p.csv.zst", zstded(text)), 1 << 40, false},
		{"libsvm", write("t.svm", []byte("1 1:0.5\n0 2:1\n")), 1 << 40, false},
		{"parquet", interop("types.none.parquet"), 1 << 40, false},
		{"standard input", "-", 1 << 40, false}, {"no file", filepath.Join(folder, "none"), 1 << 40, false},
	} {
		if got := dataset.SurelyFits(context.Background(), c.path, c.limit); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
