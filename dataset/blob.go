package dataset

import (
	"fmt"
	"io"
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
func (o *options) blob(in *input, format string) (*blob, error) {
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
	if in.spool != nil && !in.spool.keep {
		return nil, complain("%s cannot be read as it comes: its format needs a copy (leave out --no-spool, or read from a file)", in.name)
	}
	if in.spool != nil && s.packed == "" {
		n, err := io.Copy(io.Discard, s.reader) // through the stream's own copying
		if err != nil {
			return nil, s.failure(err)
		}
		_ = n
		info, err := in.spool.file.Stat()
		if err != nil {
			return nil, s.failure(err)
		}
		return &blob{name: in.name, file: in.spool.file, size: info.Size(), shared: true}, nil
	}
	return unpackedBlob(in.name, s)
}

// unpackedBlob copies what is left of a stream.
func unpackedBlob(name string, s *stream) (*blob, error) {
	copied := &spool{name: name}
	if err := copied.create(); err != nil {
		return nil, err
	}
	n, err := io.Copy(spoolWriter{copied.file}, s.reader)
	if err != nil {
		copied.close()
		return nil, s.failure(err)
	}
	return &blob{name: name, file: copied.file, size: n, remove: copied.file.Name()}, nil
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
