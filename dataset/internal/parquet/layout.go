package parquet

import (
	"bytes"
	"encoding/binary"
	"math"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
)

const FormatName = "parquet"

// Recognizes knows a Parquet file by its magic. Text may begin with the same four
// letters, but soon after them a file has control characters, which text has not.
func Recognizes(start []byte, _ string) bool {
	if !bytes.HasPrefix(start, []byte("PAR1")) && !bytes.HasPrefix(start, []byte("PARE")) {
		return false
	}
	return bytes.ContainsFunc(start[4:min(len(start), 64)], func(r rune) bool { return r < '\t' })
}

// readFooter finds and reads the metadata:
//
//	PAR1 … footer, length of the footer (4 bytes), PAR1
func readFooter(b *chunk.Blob) (*parquetMeta, error) {
	const tail = 8
	var end [tail]byte
	if b.Size < 4+tail {
		return nil, chunk.Errorf("%s is too short for a Parquet file", b.Name)
	}
	if _, err := b.ReadAt(end[:], b.Size-tail); err != nil {
		return nil, err
	}
	switch string(end[4:]) {
	case "PAR1":
	case "PARE":
		return nil, chunk.Errorf("%s is an encrypted Parquet file; write it without encryption", b.Name)
	default:
		return nil, chunk.Errorf("%s is cut off or damaged: it does not end as a Parquet file does", b.Name)
	}
	size := int64(binary.LittleEndian.Uint32(end[:]))
	if size > b.Size-4-tail {
		return nil, chunk.Errorf("%s is damaged: its footer claims %d bytes, the file has %d", b.Name, size, b.Size)
	}
	footer := make([]byte, size)
	if _, err := b.ReadAt(footer, b.Size-tail-size); err != nil {
		return nil, err
	}
	meta, err := readParquetMeta(footer, b.Size-tail-size)
	if err != nil {
		return nil, chunk.Errorf("%s is damaged: %w", b.Name, err)
	}
	return meta, nil
}

// parquetLayout is a Parquet file; its groups are row groups.
type parquetLayout struct {
	*chunk.Options
	*parquetMeta
	file *chunk.Blob
}

func NewLayout(o *chunk.Options, b *chunk.Blob) (columnar.Layout, error) {
	meta, err := readFooter(b)
	if err != nil {
		return nil, err
	}
	return &parquetLayout{o, meta, b}, nil
}

func (f *parquetLayout) Names() []string {
	names := make([]string, len(f.fields))
	for i, field := range f.fields {
		names[i] = field.Name
	}
	return names
}

func (f *parquetLayout) Hides(name string) bool {
	return f.pandas && columnar.PandasIndex.MatchString(name)
}

func (f *parquetLayout) IsCategory(name string) bool { return f.categories[name] }

func (f *parquetLayout) Notes() []string { return nil }

func (f *parquetLayout) Groups() int { return len(f.rowGroups) }

func (f *parquetLayout) Rows(group int) int { return int(f.rowGroups[group].rows) }

func (f *parquetLayout) Begins(group int) int64 {
	first := int64(math.MaxInt64)
	for i := range f.rowGroups[group].columns {
		first = min(first, f.rowGroups[group].columns[i].start)
	}
	return first
}

func (f *parquetLayout) field(name string) *columnar.Field { return &f.fields[f.byName[name]] }

// Suits refuses a column that no value can be read of.
func (f *parquetLayout) Suits(t chunk.Target) (rowBytes int64, err error) {
	field := f.field(t.Name)
	if field.Nested {
		return 0, columnar.Nested(f.file.Name, field.Name)
	}
	for _, g := range f.rowGroups {
		switch c := g.columns[field.Leaf]; {
		case c.encrypted:
			return 0, chunk.CannotRead(f.file.Name, field.Name, "is encrypted; write the file without encryption, or leave the column out with ignore")
		case c.elsewhere || !c.described:
			return 0, chunk.Errorf("%s: column %q lies in another file; write the table as one file", f.file.Name, field.Name)
		case c.physical != field.Physical || c.values != g.rows:
			return 0, chunk.Errorf("%s is damaged: column %q has %d values of type %s in a row group, its schema says %d of %s",
				f.file.Name, field.Name, c.values, c.physical, g.rows, field.Physical)
		case c.codec == columnar.CodecLZO || c.codec == columnar.CodecLZ4 || c.codec < 0 || c.codec > columnar.CodecLZ4Raw:
			return 0, chunk.CannotRead(f.file.Name, field.Name, "is compressed with %s, which cannot be read; write it with SNAPPY, GZIP, BROTLI, ZSTD or LZ4_RAW, or leave it out with ignore", c.codec)
		}
	}
	if !field.Readable() {
		return 0, chunk.CannotRead(f.file.Name, field.Name, "is of the Parquet type %s, which is no number, date or text; leave it out with ignore", field.TypeName())
	}
	return field.RowBytes(t), field.SuitsForm(f.file.Name, t)
}

func (f *parquetLayout) Reader(w *columnar.Worker, group int, t chunk.Target, wide bool) (columnar.ColumnReader, error) {
	field := f.field(t.Name)
	rows := f.rowGroups[group].rows
	chunk := &f.rowGroups[group].columns[field.Leaf]
	r := &columnReader{ColumnSink: columnar.ColumnSink{Options: f.Options, Ctx: w.Ctx, Field: field, Kind: t, Wide: wide}, left: rows,
		guard:   int(min(rows, 1<<20+64*chunk.size)),
		scratch: w.Scratch,
		pages:   pageStream{file: f.file, limit: f.MemoryLimit, codec: chunk.codec, at: chunk.start, left: chunk.size, tools: &w.Tools},
	}
	// The buffers of the column before, if it was read to its end.
	r.pages.buffer, r.pages.body = w.Tools.Window, w.Tools.Body
	w.Tools.Window, w.Tools.Body = nil, nil
	return r, nil
}
