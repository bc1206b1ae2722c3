package dataset_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"boost/dataset"
	"boost/internal/testenv"
)

// TestLoadMemory holds that loading allocates hardly more than the table's columns, all
// garbage counted: a load may take the columns, one of them twice and a chunk a worker.
func TestLoadMemory(t *testing.T) {
	testenv.Memory(t)
	const rows, columns, chunk = 50_000, 20, 64 << 10
	var text bytes.Buffer
	for c := range columns {
		fmt.Fprintf(&text, "x%d,", c)
	}
	text.WriteString("s,id\n")
	r := rand.New(rand.NewPCG(5, 6))
	for row := range rows {
		for range columns {
			fmt.Fprintf(&text, "%.5f,", r.NormFloat64())
		}
		fmt.Fprintf(&text, "level%d,row%07d\n", r.IntN(200), row)
	}
	// Floats, codes, offsets and text of the ids.
	const size = rows * (columns*8 + 4 + 4 + 10)
	folder := t.TempDir()
	plain, packed := filepath.Join(folder, "t.csv"), filepath.Join(folder, "t.csv.gz")
	var small bytes.Buffer
	z := gzip.NewWriter(&small)
	if _, err := z.Write(text.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{plain: text.Bytes(), packed: small.Bytes()} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{plain, packed} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		table, err := dataset.Open(context.Background(), path, dataset.ID("id"), dataset.Threads(2), dataset.ChunkSize(chunk))
		runtime.ReadMemStats(&after)
		if err != nil || table.NumRows() != rows {
			t.Fatal(err)
		}
		// A tenth and a chunk, with compression up to a half, is kept ready for rows beyond
		// the estimate and not touched; buffers, dictionary and decompressor take a few MiB.
		limit := uint64(size)*5/4 + 7<<20
		if path == packed {
			limit += uint64(size) / 2
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > limit {
			t.Errorf("%s: %d bytes were allocated for %d bytes of columns, want up to %d", filepath.Base(path), got, size, limit)
		}
	}
}

// TestColumnsThatGrow reads tables whose first chunk foretells the rest wrongly: far
// fewer rows than come, numbers that turn wide, text and bad rows late.
func TestColumnsThatGrow(t *testing.T) {
	testenv.Unraced(t)
	var text strings.Builder
	text.WriteString("a,b,c,id\n")
	for range 30 {
		fmt.Fprintf(&text, "%s1,0.5,x,%s\n", strings.Repeat("0", 200), strings.Repeat("i", 100))
	}
	for row := range 5_000 {
		fmt.Fprintf(&text, "%d,%d,x%d,%d\n", row, row, row%7, row)
	}
	text.WriteString("0.1,0.25,y,last\nword,1e-300,z,\n")
	for range 4_000 {
		text.WriteString("words,0.1,z,é\n")
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	opts := []dataset.Option{dataset.ID("id"), dataset.LenientTypes()}
	want, err := dataset.Open(context.Background(), path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	for _, shared := range []int{32 << 20, 0} { // columns side by side, and each on its own
		opts := append(opts, dataset.Room(shared, 1000))
		for _, size := range []int{500, 4_000, 60_000} {
			for _, threads := range []int{1, 3} {
				got, err := dataset.Open(context.Background(), path, append(opts, dataset.ChunkSize(size), dataset.Threads(threads))...)
				if err != nil {
					t.Fatal(err)
				}
				if show(got) != show(want) {
					t.Errorf("in chunks of %d bytes and %d threads the table is another", size, threads)
				}
			}
		}
	}
	if c := want.Column("b"); c.Kind() != dataset.Float64 || valueAt(c, 5_031) != 1e-300 {
		t.Errorf("b is %v with %v", c.Kind(), valueAt(c, 5_031))
	}
	if c := want.Column("a"); c.Kind() != dataset.Category || c.Levels()[c.Codes()[5_030]] != "0.1" {
		t.Errorf("a is %v", c.Kind())
	}
}
