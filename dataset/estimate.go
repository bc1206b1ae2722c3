package dataset

import (
	"bytes"
	"context"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/estimate"
	"boost/dataset/internal/jsonl"
	"boost/dataset/internal/libsvm"

	"github.com/apache/arrow/go/v17/arrow/array"
)

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
	if bytes, known := estimateOpened(ctx, inputs, opts); known {
		return bytes
	}
	return estimate.BySize(inputs)
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

// estimateOpened judges files by what is in them.
func estimateOpened(ctx context.Context, inputs []chunk.Input, opts []Option) (bytes int64, known bool) {
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
		return estimate.Columns(ctx, o, s)
	}
	return estimateText(ctx, inputs, opts)
}

// estimateText reads the beginning of the first file as a table, and takes the rest of
// all files to be like it.
func estimateText(ctx context.Context, inputs []chunk.Input, opts []Option) (n int64, known bool) {
	first := inputs[0].Opened
	inputs[0].Opened = nil
	defer first.Close()
	text, all, err := estimate.FirstText(first.Reader)
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

// bytes returns what the cells of a table take.
func (t *Table) bytes() (n int64) {
	for _, c := range t.columns {
		switch width := int64(4); {
		case c.sparse != nil:
			n += int64(4*len(c.sparse.Rows) + 4*len(c.sparse.F32) + 8*len(c.sparse.F64))
		case c.kind == Text:
			n += width*int64(t.rows) + int64(len(c.texts.array.(*array.String).ValueBytes()))
		case c.kind == Float64:
			n += 8 * int64(t.rows)
		default:
			n += width * int64(t.rows)
		}
	}
	return n
}
