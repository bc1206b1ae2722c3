package dataset_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"boost/dataset"
	"boost/internal/testenv"
)

// refused reads a damaged or hostile file, which has to end in an error with the words.
func refused(t *testing.T, file []byte, want string, opts ...dataset.Option) {
	t.Helper()
	_, err := read(string(file), opts...)
	if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %q in it", err, want)
	}
}

// TestArrowBlocks has the footer of a file list a batch twice. Its three blocks of 24
// bytes stand at 24192, as a dump shows: batches of 8632, 8472 and 4872 bytes.
func TestArrowBlocks(t *testing.T) {
	whole := content(t, interop("types.plain.arrow"))
	const blocks, size = 24192, 24
	as := func(from int, to ...int) []byte {
		b := bytes.Clone(whole)
		for _, k := range to {
			copy(b[blocks+k*size:][:size], whole[blocks+from*size:])
		}
		return b
	}
	refused(t, as(2, 0), "two blocks of its footer overlap")
	refused(t, as(0, 1, 2), "claim more bytes than the file has")
}

// TestCompressedParts reads compressed parts, each of which is unpacked while columns
// of those before it are decoded; the race detector sees whether they share anything.
func TestCompressedParts(t *testing.T) {
	whole := string(content(t, interop("types.none.parquet")))
	var files []string
	for k := range 8 {
		files = append(files, writeFile(t, filepath.Join(t.TempDir(), fmt.Sprintf("%d.gz", k)), gzipText(t, whole)))
	}
	table, err := dataset.OpenAll(context.Background(), files)
	if err != nil || table.NumRows() != 8*61 {
		t.Errorf("%v, error %v; want %d rows", table, err, 8*61)
	}
}

// TestQueryClaims gives a table of one row a file that claims two billion.
func TestQueryClaims(t *testing.T) {
	in := folder(t, map[string]string{"t.csv": "y,x\n1,2\n", "t.csv.query": "2147483647\n"})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := dataset.Open(context.Background(), filepath.Join(in, "t.csv"))
	runtime.ReadMemStats(&after)
	if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "is for 2147483647 rows") {
		t.Errorf("got error %v", err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 64<<20 {
		t.Errorf("it took %d bytes", taken)
	}
}

// TestArrowUnpacked has each compressed buffer of a file in turn claim 8 GiB, which
// stands in 8 bytes before it.
func TestArrowUnpacked(t *testing.T) {
	testenv.Unraced(t)
	whole := content(t, interop("types.zstd.arrow"))
	buffers := 0
	for at := 8; at < len(whole)-4; at += 8 {
		if string(whole[at:at+4]) == "\x28\xb5\x2f\xfd" {
			b := bytes.Clone(whole)
			binary.LittleEndian.PutUint64(b[at-8:], 8<<30)
			refused(t, b, "claims 8589934592 bytes decompressed; up to")
			buffers++
		}
	}
	if buffers < 10 {
		t.Errorf("%d buffers are compressed", buffers)
	}
}

// TestDeltaClaims reads a header by hand: blocks of 128 values in 4 miniblocks, 300
// values in all (the varint ac 02), the first one 7 (14 in zigzag).
func TestDeltaClaims(t *testing.T) {
	header := []byte{0x80, 0x01, 4, 0xac, 0x02, 14}
	if err := dataset.DeltaError(header, 300); err != nil {
		t.Errorf("300 values of a page of 300: %v", err)
	}
	if err := dataset.DeltaError(header, 299); err == nil {
		t.Error("300 values of a page of 299 are no error")
	}
}

// TestParquetSchemaClaims has a schema of more fields than a table has columns, a zero
// byte each: 29 is field 2, a list; fc a list of structs whose length follows.
func TestParquetSchemaClaims(t *testing.T) {
	testenv.Memory(t)
	const fields = 1<<20 + 2
	footer := append([]byte{0x29, 0xfc}, binary.AppendUvarint(nil, fields)...)
	footer = append(append(footer, make([]byte, fields)...), 0)
	file := append([]byte("PAR1"), footer...)
	file = append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
	refused(t, file, "its schema has more than 1048576 fields")
}

// TestParquetLevels has levels whose lengths overflow when they are added.
func TestParquetLevels(t *testing.T) {
	for _, c := range []struct {
		definition, repetition int64
		fits                   bool
	}{{60, 40, true}, {60, 41, false}, {101, 0, false}, {math.MaxInt64, math.MaxInt64, false}, {50, math.MaxInt64, false}} {
		if err := dataset.LevelsError(c.definition, c.repetition); (err == nil) != c.fits {
			t.Errorf("levels of %d and %d bytes in a page of 100: %v", c.definition, c.repetition, err)
		}
	}
}

// TestArrowNulls has a file of a few hundred bytes claim 2²⁵ rows of nulls, and in
// another one 1,000.
func TestArrowNulls(t *testing.T) {
	file := func(rows int) []byte {
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.Null, Nullable: true}}, nil)
		record := array.NewRecord(schema, []arrow.Array{array.NewNull(rows)}, int64(rows))
		var b bytes.Buffer
		w := ipc.NewWriter(&b, ipc.WithSchema(schema))
		if err := errors.Join(w.Write(record), w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	refused(t, file(1<<25), `column "x" is of the type null, and 33554432 rows of it are claimed`)
	if table := mustRead(t, string(file(1000))); table.NumRows() != 1000 {
		t.Errorf("%d rows, want 1000", table.NumRows())
	}
}

// TestPageClaims holds what a page may claim: 256 MiB, 1,100 times its own bytes, where
// those cannot be fewer, and bytes that its column has.
func TestPageClaims(t *testing.T) {
	const most = 256 << 20
	for _, c := range []struct {
		codec                  string
		packed, unpacked, left int64
		fits                   bool
	}{
		{"snappy", 1000, 1_100_000, 1000, true}, {"snappy", 1000, 1_100_001, 1000, false},
		{"gzip", 1000, 1_100_000, 1000, true}, {"gzip", 1000, 1_100_001, 1000, false},
		{"lz4", 1000, 1_100_000, 1000, true}, {"lz4", 1000, 1_100_001, 1000, false},
		{"none", 1000, 1000, 1000, true}, {"none", 1000, 1001, 1000, false},
		// One value over and over: zstd and brotli make 4 MiB of a few bytes.
		{"zstd", 30, 4 << 20, 30, true}, {"zstd", 30, 4<<20 + 1, 30, false},
		{"brotli", 30, 4 << 20, 30, true}, {"brotli", 30, 4<<20 + 1, 30, false},
		{"zstd", 10_000, 11_000_000, 10_000, true}, {"zstd", 10_000, 11_000_001, 10_000, false},
		{"snappy", most, most, most, true}, {"snappy", most, most + 1, most, false}, {"none", most + 1, most + 1, most + 1, false},
		{"snappy", 1000, 1000, 999, false}, {"snappy", -1, 10, 100, false}, {"snappy", 10, -1, 100, false},
	} {
		if err := dataset.PageError(c.codec, c.packed, c.unpacked, c.left); (err == nil) != c.fits {
			t.Errorf("%s: %d bytes of %d left that claim %d: %v", c.codec, c.packed, c.left, c.unpacked, err)
		}
	}
}

// parquetOf puts a footer, written by hand, behind so many bytes.
func parquetOf(before int, footer []byte) []byte {
	file := append(append([]byte("PAR1"), make([]byte, before)...), footer...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

// TestParquetChunkClaims has footers of one INT32 column: a list of two schema elements,
// the number of rows, and row groups. In one a row group has four million column chunks of
// a byte each; in another a thousand row groups have the same 100 bytes for their chunk.
func TestParquetChunkClaims(t *testing.T) {
	testenv.Unraced(t)
	schema := []byte{0x29, 0x2c, 0x55, 2, 0, 0x15, 2, 0}
	const n = 1 << 22
	many := append(slices.Clone(schema), 0x16, 0, 0x19, 0x1c, 0x19, 0xfc)
	many = append(append(binary.AppendUvarint(many, n), make([]byte, n)...), 0x26, 0, 0, 0)
	var before, after runtime.MemStats
	file := parquetOf(0, many)
	runtime.ReadMemStats(&before)
	refused(t, file, "its footer cannot be understood")
	runtime.ReadMemStats(&after)
	// An eighth of the chunks, of about 80 bytes and copied as their list grows, beside the file.
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 60*n {
		t.Errorf("%d bytes were taken for a file of %d", taken, len(file))
	}

	const groups = 1000
	// The chunk: type INT32, no codec, 1 value, 100 bytes from 4 on; the group has 1 row.
	group := []byte{0x19, 0x1c, 0x3c, 0x15, 2, 0x35, 0, 0x16, 2, 0x26, 200, 1, 0x26, 8, 0, 0, 0x26, 2, 0}
	same := append(slices.Clone(schema), 0x16, 0xd0, 0x0f, 0x19, 0xfc) // 1,000 rows
	same = append(append(binary.AppendUvarint(same, groups), bytes.Repeat(group, groups)...), 0)
	refused(t, parquetOf(200, same), "its 1000 column chunks claim 100000 bytes, the file has 204")
}
