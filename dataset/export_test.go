package dataset

import (
	"context"
	"io"

	"boost/dataset/internal/arrowipc"
	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
	"boost/dataset/internal/csv"
	"boost/dataset/internal/parquet"
	"boost/dataset/internal/plain"
)

// ChunkRows sets the most rows of a chunk, for formats that can choose.
func ChunkRows(n int) Option { return func(o *chunk.Options) { o.ChunkRows = n } }

// LimitRows lowers the most rows of a table.
func LimitRows(n int) Option { return func(o *chunk.Options) { o.MostRows = n } }

// Room sets the most memory that columns share, and the least for a column to have large
// pages of its own.
func Room(shared, own int) Option {
	return func(o *chunk.Options) { o.MostShared, o.LeastOwn = shared, own }
}

var (
	ReadNumber = plain.ParseNumber
	ReadDate   = plain.ParseDate
	Steadily   = chunk.ReadUnchanged
)

// LeastUnpacked sets what a packed file may always hold.
func LeastUnpacked(n int64) Option { return func(o *chunk.Options) { o.LeastUnpacked = n } }

// UnpackBuffer unpacks an Arrow buffer, compressed with zstd or else LZ4.
func UnpackBuffer(ctx context.Context, raw []byte, z bool, limit int64) ([]byte, error) {
	f := &arrowipc.Layout{Options: &chunk.Options{Limits: chunk.Limits{MemoryLimit: limit}}, File: &chunk.Blob{Name: "t.arrow"}}
	codec := columnar.CodecLZ4
	if z {
		codec = columnar.CodecZstd
	}
	return f.UnpackBuffer(ctx, codec, raw, -1)
}

// LastRecordEnd is where the last whole record of text ends.
func LastRecordEnd(text []byte, sep byte) int {
	return (&csv.CellReader{Sep: sep}).LastRecordEnd(text)
}

// DictionaryCodes numbers cells, none of which is missing.
func DictionaryCodes(cells []string) []int32 {
	d := chunk.NewDictionary()
	codes := make([]int32, len(cells))
	for i, cell := range cells {
		codes[i] = d.Code([]byte(cell), &chunk.Dialect{})
	}
	return codes
}

// OpenWhen opens a file and calls f once its size and time were noted.
func OpenWhen(path string, f func()) (*Table, error) {
	o, err := newOptions(nil)
	if err != nil {
		return nil, err
	}
	inputs, err := chunk.FindInputs(context.Background(), []string{path}, true, false)
	if err != nil {
		return nil, err
	}
	f()
	return (&input{Options: o, inputs: inputs}).readTable(context.Background())
}

// OpenEach opens a file and calls f each time before the file is opened.
func OpenEach(path string, f func()) (*Table, error) {
	o, err := newOptions(nil)
	if err != nil {
		return nil, err
	}
	inputs, err := chunk.FindInputs(context.Background(), []string{path}, true, false)
	if err != nil {
		return nil, err
	}
	open := inputs[0].Open
	inputs[0].Open = func() (io.ReadCloser, error) {
		f()
		return open()
	}
	return (&input{Options: o, inputs: inputs}).readTable(context.Background())
}

// DeltaError says what is wrong with delta-encoded whole numbers of a page of so many values.
func DeltaError(b []byte, values int64) error {
	_, err := parquet.NewDelta(b, values)
	return err
}

// LevelsError says what is wrong with levels of such lengths in a page of 100 bytes.
func LevelsError(definition, repetition int64) error {
	h := parquet.PageHeader{Kind: parquet.DataPageV2, Packed: 100, Unpacked: 100, Values: 1, Definition: definition, Repetition: repetition}
	return h.Check(100, 1, columnar.CodecNone)
}

// PageError says what is wrong with a page of so many bytes that claims others
// decompressed, where its column has left bytes.
func PageError(codec string, packed, unpacked, left int64) error {
	codecs := map[string]columnar.Codec{"none": columnar.CodecNone, "snappy": columnar.CodecSnappy, "gzip": columnar.CodecGzip, "zstd": columnar.CodecZstd, "brotli": columnar.CodecBrotli, "lz4": columnar.CodecLZ4Raw}
	h := parquet.PageHeader{Kind: parquet.DataPage, Packed: packed, Unpacked: unpacked, Values: 1, Compressed: true}
	return h.Check(left, 1, codecs[codec])
}
