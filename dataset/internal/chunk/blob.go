package chunk

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
)

// Blob is an input whose bytes can be read at any place.
type Blob struct {
	Name   string
	file   *os.File
	Size   int64
	found  os.FileInfo // of a file that is read in place
	Shared bool        // the file is a copy that others read again
	Remove string      // a copy's name where it could not be unlinked
}

// Blob opens an input for reading at any place. What is compressed, and what can be
// read only once, is copied to an unlinked temporary file first.
func (o *Options) Blob(ctx context.Context, in *Input, format string) (*Blob, error) {
	s, err := o.StreamOf(in, format)
	if err != nil {
		return nil, err
	}
	if f, ok := s.file.(*os.File); ok && s.Packed == "" && in.Spool == nil {
		b := &Blob{Name: in.Name, file: f, Size: in.Size, found: in.found}
		if err := b.Unchanged(); err != nil {
			f.Close()
			return nil, err
		}
		return b, nil
	}
	defer s.Close()
	if in.Spool != nil && !in.Spool.Keep && !o.Once {
		return nil, Errorf("%s cannot be read as it comes: its format needs a copy (leave out --no-spool, or read from a file)", in.Name)
	}
	if in.Spool != nil && in.Spool.Keep && s.Packed == "" {
		if _, err := copyAll(ctx, io.Discard, s, math.MaxInt64); err != nil { // through the stream's own copying
			return nil, err
		}
		info, err := in.Spool.file.Stat()
		if err != nil {
			return nil, s.Failure(err)
		}
		return &Blob{Name: in.Name, file: in.Spool.file, Size: info.Size(), Shared: true}, nil
	}
	return o.unpackedBlob(ctx, in.Name, s)
}

// unpackedBlob copies what is left of a stream.
func (o *Options) unpackedBlob(ctx context.Context, name string, s *Stream) (*Blob, error) {
	copied := &spool{name: name}
	if err := copied.create(); err != nil {
		return nil, err
	}
	n, err := copyAll(ctx, spoolWriter{copied.file}, s, o.LeastUnpacked)
	if err != nil {
		copied.close()
		return nil, err
	}
	return &Blob{Name: name, file: copied.file, Size: n, Remove: copied.file.Name()}, nil
}

// copyAll copies what is left of a stream. What is packed may come to least bytes, and
// to largestRatio times its own size.
func copyAll(ctx context.Context, dst io.Writer, s *Stream, least int64) (n int64, err error) {
	buffer := make([]byte, readAhead)
	for {
		m, err := s.Reader.Read(buffer)
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		if n += int64(m); n > max(least, LargestRatio*s.raw.n.Load()) {
			return n, Errorf("%s: its %s data of %s holds more than %s; unpack it first", s.Name, s.Packed, ByteText(s.raw.n.Load()), ByteText(n-int64(m)))
		}
		if _, failed := dst.Write(buffer[:m]); failed != nil {
			return n, s.Failure(failed)
		}
		switch {
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, s.Failure(err)
		}
	}
}

// ReadAt reads from the blob, and says so if it has become shorter.
func (b *Blob) ReadAt(p []byte, at int64) (int, error) {
	n, err := b.file.ReadAt(p, at)
	if err != nil && n < len(p) && at+int64(len(p)) <= b.Size {
		if err == io.EOF {
			err = Errorf("%s changed while it was read: it became shorter", b.Name)
		} else {
			err = Errorf("%s cannot be read: %w", b.Name, WithoutPath(err))
		}
	}
	return n, err
}

// Unchanged returns an error if the file is another than when it was found.
func (b *Blob) Unchanged() error {
	if b.found == nil {
		return nil
	}
	if info, err := b.file.Stat(); err != nil || !sameContent(b.found, info) {
		return Errorf("%s changed while it was read", b.Name)
	}
	return nil
}

func (b *Blob) Close() {
	if b.Shared {
		return
	}
	b.file.Close()
	if b.Remove != "" {
		_ = os.Remove(b.Remove)
	}
}

// ByteText writes a number of bytes for people.
func ByteText(n int64) string {
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

// RaiseLimit advises a limit for a table that takes n bytes or more: twice as much.
func RaiseLimit(n int64) string {
	const kib, mib = 1 << 10, 1 << 20
	size := fmt.Sprintf("%dKiB", 2*n/kib+1)
	if n >= mib {
		size = fmt.Sprintf("%dMiB", 2*n/mib+1)
	}
	return fmt.Sprintf("set memory_limit = %q", size)
}

// What a page may claim before memory is taken for it. Snappy, gzip and LZ4 cannot
// make a page shrink to less than 1/1,100. Zstd and brotli can, on pages of one
// value over and over, which are taken up to constantPage.
const (
	LargestPage   = 256 << 20
	LargestRatio  = 1100
	ConstantPage  = 4 << 20
	LargestHeader = 1 << 20 // statistics of long texts stand in page headers
)
