package write

import (
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Formats lists the formats that can be written.
func Formats() []string { return []string{"csv", "jsonl", "parquet", "arrow"} }

// IsText reports whether a format is lines of text, which have no types.
func IsText(format string) bool { return textForms[format] != nil }

// FormatOf returns the format that a file's name asks for, csv where it says nothing, and
// "" for a name that promises what cannot be written.
func FormatOf(file string) string {
	name := strings.TrimSuffix(strings.ToLower(file), Packing(file))
	ends := func(with ...string) bool {
		return slices.ContainsFunc(with, func(end string) bool { return strings.HasSuffix(name, end) })
	}
	packed := len(name) < len(file)
	switch {
	case ends(".parquet", ".pq") && !packed:
		return "parquet"
	case ends(".arrow", ".feather", ".ipc") && !packed:
		return "arrow"
	case ends(".jsonl", ".ndjson"):
		return "jsonl"
	case ends(".tsv", ".json", ".xlsx", ".xls", ".ods", ".orc", ".avro", ".svm", ".libsvm", ".parquet", ".pq", ".arrow", ".feather", ".ipc",
		".zip", ".bz2", ".xz", ".boost", ".toml", ".svg"):
		return ""
	}
	return "csv"
}

// Endings are the endings of names of files in the formats.
const Endings = ".csv, .jsonl, .parquet or .arrow"

// Packing returns the ending of a name that asks for compression, "" for none.
func Packing(file string) string {
	for _, end := range []string{".gz", ".zst"} {
		if strings.HasSuffix(strings.ToLower(file), end) {
			return end
		}
	}
	return ""
}

// Packed hands write what writes to w through the compression that the file's name asks
// for.
func Packed(w io.Writer, file string, write func(io.Writer) error) error {
	var packer io.WriteCloser
	switch Packing(file) {
	case "":
		return write(w)
	case ".gz":
		packer = gzip.NewWriter(w)
	default:
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		packer = z
	}
	if err := write(packer); err != nil {
		return err
	}
	return packer.Close()
}
