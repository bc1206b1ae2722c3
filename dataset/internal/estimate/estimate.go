// Package estimate judges how much memory files take as a table, before they are read.
//
// In: files as they were found and opened. Out: bytes, or the text by which they are judged. It must not know tables.
package estimate

import (
	"bytes"
	"context"
	"io"
	"strings"

	"boost/dataset/internal/chunk"
)

// What is compressed takes a part of the text that it holds, and text about as many
// bytes as its cells do in memory. Columnar files hold numbers that compress less.
const (
	packedText  = 6
	packedTable = 4
)

// sampledText is the text from the beginning of a file by which the whole is judged.
const sampledText = 1 << 18

// BySize judges files by their sizes and the endings of their names.
func BySize(inputs []chunk.Input) int64 {
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

// Columns adds up what columnar files say of themselves.
func Columns(ctx context.Context, o *chunk.Options, s chunk.Source) (bytes int64, known bool) {
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

// FirstText returns the first lines of a text, and whether these are all.
func FirstText(r io.Reader) (text []byte, all bool, err error) {
	text = make([]byte, sampledText)
	n, err := chunk.ReadFull(r, text)
	if err == io.EOF {
		return text[:n], true, nil
	}
	return text[:bytes.LastIndexByte(text[:n], '\n')+1], false, err
}
