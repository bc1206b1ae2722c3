package dataset

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
)

// blob is an input whose bytes can be read at any place.
type blob struct {
	name   string
	file   *os.File
	size   int64
	found  os.FileInfo // of a file that is read in place
	shared bool        // the file is a copy that others read again
	remove string      // a copy's name where it could not be unlinked
}

// blob opens an input for reading at any place. What is compressed, and what can be
// read only once, is copied to an unlinked temporary file first.
func (o *options) blob(ctx context.Context, in *input, format string) (*blob, error) {
	s, err := o.streamOf(in, format)
	if err != nil {
		return nil, err
	}
	if f, ok := s.file.(*os.File); ok && s.packed == "" && in.spool == nil {
		b := &blob{name: in.name, file: f, size: in.size, found: in.found}
		if err := b.unchanged(); err != nil {
			f.Close()
			return nil, err
		}
		return b, nil
	}
	defer s.close()
	if in.spool != nil && !in.spool.keep && !o.once {
		return nil, complain("%s cannot be read as it comes: its format needs a copy (leave out --no-spool, or read from a file)", in.name)
	}
	if in.spool != nil && in.spool.keep && s.packed == "" {
		if _, err := copyAll(ctx, io.Discard, s, math.MaxInt64); err != nil { // through the stream's own copying
			return nil, err
		}
		info, err := in.spool.file.Stat()
		if err != nil {
			return nil, s.failure(err)
		}
		return &blob{name: in.name, file: in.spool.file, size: info.Size(), shared: true}, nil
	}
	return unpackedBlob(ctx, in.name, s)
}

// unpackedBlob copies what is left of a stream.
func unpackedBlob(ctx context.Context, name string, s *stream) (*blob, error) {
	copied := &spool{name: name}
	if err := copied.create(); err != nil {
		return nil, err
	}
	n, err := copyAll(ctx, spoolWriter{copied.file}, s, leastUnpacked)
	if err != nil {
		copied.close()
		return nil, err
	}
	return &blob{name: name, file: copied.file, size: n, remove: copied.file.Name()}, nil
}

// leastUnpacked is what a packed file may always hold; a test needs less.
var leastUnpacked int64 = largestPage

// copyAll copies what is left of a stream. What is packed may come to least bytes, and
// to largestRatio times its own size.
func copyAll(ctx context.Context, dst io.Writer, s *stream, least int64) (n int64, err error) {
	buffer := make([]byte, readAhead)
	for {
		m, err := s.reader.Read(buffer)
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		if n += int64(m); n > max(least, largestRatio*s.raw.n.Load()) {
			return n, complain("%s: its %s data of %s holds more than %s; unpack it first", s.name, s.packed, byteText(s.raw.n.Load()), byteText(n-int64(m)))
		}
		if _, failed := dst.Write(buffer[:m]); failed != nil {
			return n, s.failure(failed)
		}
		switch {
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, s.failure(err)
		}
	}
}

// ReadAt reads from the blob, and says so if it has become shorter.
func (b *blob) ReadAt(p []byte, at int64) (int, error) {
	n, err := b.file.ReadAt(p, at)
	if err != nil && n < len(p) && at+int64(len(p)) <= b.size {
		if err == io.EOF {
			err = complain("%s changed while it was read: it became shorter", b.name)
		} else {
			err = complain("%s cannot be read: %w", b.name, bare(err))
		}
	}
	return n, err
}

// unchanged returns an error if the file is another than when it was found.
func (b *blob) unchanged() error {
	if b.found == nil {
		return nil
	}
	if info, err := b.file.Stat(); err != nil || !sameContent(b.found, info) {
		return complain("%s changed while it was read", b.name)
	}
	return nil
}

func (b *blob) close() {
	if b.shared {
		return
	}
	b.file.Close()
	if b.remove != "" {
		_ = os.Remove(b.remove)
	}
}

// byteText writes a number of bytes for people.
func byteText(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.size {
			return fmt.Sprintf("%.4g %s", float64(n)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// What a page may claim before memory is taken for it. Snappy, gzip and LZ4 cannot
// make a page shrink to less than 1/1,100. Zstd and brotli can, on pages of one
// value over and over, which are taken up to constantPage.
const (
	largestPage   = 256 << 20
	largestRatio  = 1100
	constantPage  = 4 << 20
	largestHeader = 1 << 20 // statistics of long texts stand in page headers
)
