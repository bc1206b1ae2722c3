package dataset

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/jsonl"
	"boost/dataset/internal/libsvm"

	"github.com/apache/arrow/go/v17/arrow/array"
)

// What is compressed takes a part of the text that it holds, and text about as many
// bytes as its cells do in memory. Columnar files hold numbers that compress less.
const (
	packedText  = 6
	packedTable = 4
)

// sampledText is the text from the beginning of a file by which the whole is judged.
const sampledText = 1 << 18

// EstimateBytes returns about how much memory the files will take as a table that the
// options ask for. Of Parquet and Arrow it looks at what the files say of their rows and
// columns; of text it reads the beginning. What cannot be read is judged by its size; 0
// stands for what cannot be told, as standard input.
func EstimateBytes(ctx context.Context, paths []string, opts ...Option) int64 {
	if slices.Contains(paths, "-") {
		return 0
	}
	inputs, err := chunk.FindInputs(ctx, paths, false, false)
	if err != nil {
		return 0
	}
	for _, in := range inputs {
		if in.Spool != nil {
			return 0
		}
	}
	if bytes, known := estimate(ctx, inputs, opts); known {
		return bytes
	}
	return bySize(inputs)
}

// mostGrowth is how many times larger than its text a table may be: a cell has a separator
// or a line feed, at most two columns of eight bytes, and one entry in a dictionary.
const mostGrowth = 64

// SurelyFits reports whether a table of one file, as the options ask for it, takes no more
// than limit bytes whatever is in it, less what stands in files beside it. It only looks at the
// beginning, and knows that of delimited text alone that is not packed.
func SurelyFits(ctx context.Context, path string, limit int64, opts ...Option) bool {
	if path == "-" {
		return false
	}
	inputs, err := chunk.FindInputs(ctx, []string{path}, false, false)
	if err != nil || len(inputs) != 1 || inputs[0].Spool != nil || inputs[0].Size > limit/mostGrowth {
		return false
	}
	o, err := newOptions(opts)
	if err != nil {
		return false
	}
	defer chunk.CloseInputs(inputs)
	s, err := sourceOf(o, inputs)
	if err != nil {
		return false
	}
	defer s.Close()
	return o.Opened.Name == chunk.CSVFormat && inputs[0].Opened.Packed == ""
}

// bySize judges files by their sizes and the endings of their names.
func bySize(inputs []chunk.Input) int64 {
	var total int64
	for _, in := range inputs {
		size := in.Size
		switch name := strings.ToLower(in.Name); {
		case strings.HasSuffix(name, ".gz"), strings.HasSuffix(name, ".zst"), strings.HasSuffix(name, ".zstd"), strings.HasSuffix(name, ".xlsx"):
			size *= packedText
		case strings.HasSuffix(name, ".parquet"), strings.HasSuffix(name, ".pq"):
			size *= packedTable
		}
		total += size
	}
	return total
}

// estimate judges files by what is in them.
func estimate(ctx context.Context, inputs []chunk.Input, opts []Option) (bytes int64, known bool) {
	o, err := newOptions(opts)
	if err != nil {
		return 0, false
	}
	defer chunk.CloseInputs(inputs)
	s, err := sourceOf(o, inputs)
	if err != nil {
		return 0, false
	}
	defer s.Close()
	if o.Opened.Name != chunk.CSVFormat && o.Opened.Name != libsvm.FormatName && o.Opened.Name != jsonl.FormatName {
		if inputs[0].Opened.Packed != "" { // it would have to be unpacked to be looked at
			return 0, false
		}
		return estimateColumns(ctx, o, s)
	}
	return estimateText(ctx, inputs, opts)
}

// estimateColumns adds up what columnar files say of themselves.
func estimateColumns(ctx context.Context, o *chunk.Options, s chunk.Source) (bytes int64, known bool) {
	names, err := s.Columns(ctx)
	if err != nil {
		return 0, false
	}
	targets, err := o.Resolve(names)
	if err != nil {
		return 0, false
	}
	files, is := chunk.Find[chunk.SizeTeller](s)
	if !is {
		return 0, false
	}
	bytes, err = files.LeastBytes(ctx, targets)
	return bytes, err == nil
}

// estimateText reads the beginning of the first file as a table, and takes the rest of
// all files to be like it.
func estimateText(ctx context.Context, inputs []chunk.Input, opts []Option) (n int64, known bool) {
	first := inputs[0].Opened
	inputs[0].Opened = nil
	defer first.Close()
	text, all, err := firstText(first.Reader)
	if err != nil || len(text) == 0 {
		return 0, false
	}
	opts = append(slices.Clone(opts), NoSpool(), NoSideFiles(), SkipBadRows(), LenientTypes(), MemoryLimit(0))
	table, err := Read(ctx, bytes.NewReader(text), first.Name, opts...)
	if err != nil {
		return 0, false
	}
	share := 1.0
	if !all {
		share = float64(len(text)) / (float64(inputs[0].Size) * first.UnpackedBy())
	}
	total := 0.0
	for _, in := range inputs {
		total += float64(in.Size)
	}
	return int64(float64(table.bytes()) / share * total / float64(max(inputs[0].Size, 1))), true
}

// firstText returns the first lines of a text, and whether these are all.
func firstText(r io.Reader) (text []byte, all bool, err error) {
	text = make([]byte, sampledText)
	n, err := chunk.ReadFull(r, text)
	if err == io.EOF {
		return text[:n], true, nil
	}
	return text[:bytes.LastIndexByte(text[:n], '\n')+1], false, err
}

// bytes returns what the cells of a table take.
func (t *Table) bytes() (n int64) {
	for _, c := range t.columns {
		switch width := int64(4); {
		case c.sparse != nil:
			n += int64(4*len(c.sparse.Rows) + 4*len(c.sparse.F32) + 8*len(c.sparse.F64))
		case c.kind == Text:
			n += width*int64(t.rows) + int64(len(c.array.(*array.String).ValueBytes()))
		case c.kind == Float64:
			n += 8 * int64(t.rows)
		default:
			n += width * int64(t.rows)
		}
	}
	return n
}
