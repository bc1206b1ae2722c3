package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
)

// seedFiles adds small files that other programs wrote.
func seedFiles(f *testing.F, names ...string) {
	for _, name := range names {
		found, err := filepath.Glob(interop(name))
		if err != nil || len(found) == 0 {
			f.Fatalf("no file %s: %v", name, err)
		}
		for _, file := range found {
			f.Add(fileContent(f, file))
		}
	}
}

// readsSoundly reads bytes as a file of a format: nothing but errors that wrap
// ErrTable, none of them a mistake of the reader, and the same table in small chunks.
func readsSoundly(t *testing.T, file []byte, format string) {
	t.Helper()
	ctx := context.Background()
	opts := []dataset.Option{dataset.Format(format), dataset.MemoryLimit(1 << 20), dataset.Threads(1), dataset.LenientTypes()}
	table, err := dataset.Read(ctx, bytes.NewReader(file), "t", opts...)
	if err != nil {
		if !errors.Is(err, dataset.ErrTable) && !errors.Is(err, dataset.ErrMemory) {
			t.Fatalf("%v wraps neither ErrTable nor ErrMemory", err)
		}
		if strings.Contains(err.Error(), "runtime error") {
			t.Fatalf("a mistake of the reader: %v", err)
		}
		return
	}
	if table.NumRows() > 100_000 {
		return
	}
	small, err := dataset.Read(ctx, bytes.NewReader(file), "t", append(slices.Clone(opts), dataset.ChunkRows(3), dataset.Threads(2))...)
	if err != nil || show(small) != show(table) {
		t.Fatalf("in small chunks the table is another (%v)", err)
	}
}

// FuzzParquet reads damaged Parquet files.
func FuzzParquet(f *testing.F) {
	seedFiles(f, "pruning.parquet", "refused.*.parquet", "pandas.noindex.parquet", "polars.uncompressed.parquet",
		"duckdb2.snappy.parquet", "types.page1plain.parquet", "types.page2dict.parquet", "types.delta1.parquet")
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) < 64<<10 {
			readsSoundly(t, file, "parquet")
		}
	})
}

// FuzzArrow reads damaged Arrow files and streams.
func FuzzArrow(f *testing.F) {
	seedFiles(f, "views.*.arrow", "deltas.*.arrow*", "replaced.*.arrows", "refused.*.arrow", "polars.*.arrow*", "pandas.*.arrow",
		"types.plain.arrows", "types.plain.arrow")
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) < 64<<10 {
			readsSoundly(t, file, "arrow")
		}
	})
}

// TestColumnarLies changes every byte of small files in several ways, under BOOST_SOAK,
// and every 37th otherwise. Whatever the bytes then claim, reading ends soundly and
// takes little memory.
func TestColumnarLies(t *testing.T) {
	testenv.Memory(t)
	const most = 24 << 20 // bytes, for files of a few KB
	step := testenv.ByLength(1, 71, 211)
	for name, format := range map[string]string{
		"pruning.parquet": "parquet", "duckdb2.snappy.parquet": "parquet", "types.delta2.parquet": "parquet",
		"views.zstd.arrow": "arrow", "deltas.dictionary.arrow": "arrow", "replaced.dictionary.arrows": "arrow", "polars.lz4.arrow": "arrow",
	} {
		t.Run(name, func(t *testing.T) {
			whole := content(t, interop(name))
			skip := step * max(1, len(whole)/2000)
			var before, after runtime.MemStats
			for i := 0; i < len(whole); i += skip {
				for _, change := range []byte{0x00, 0xff, 0x7f, whole[i] + 1, whole[i] ^ 0x80} {
					file := bytes.Clone(whole)
					file[i] = change
					runtime.ReadMemStats(&before)
					readsSoundly(t, file, format)
					runtime.ReadMemStats(&after)
					if taken := after.TotalAlloc - before.TotalAlloc; taken > most {
						t.Fatalf("byte %d made %#x: reading takes %d bytes", i, change, taken)
					}
				}
			}
		})
	}
}
