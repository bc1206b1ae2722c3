package harness

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Unpack writes to out what the file at path holds: of zstd where its name ends in .zst, else of gzip.
func Unpack(path string, out io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read from
	var r io.Reader
	if filepath.Ext(path) == ".zst" {
		z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return err
		}
		defer z.Close()
		r = z
	} else if r, err = gzip.NewReader(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	_, err = io.Copy(out, r)
	return err
}
