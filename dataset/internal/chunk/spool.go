package chunk

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// spool is a stream that is copied to an unlinked temporary file while it is read
// for the first time, so that it can be read again.
type spool struct {
	name  string
	first func() (io.ReadCloser, error) // nil once it was called
	Keep  bool
	file  *os.File
}

func (s *spool) input() Input { return Input{Name: s.name, Open: s.open, Spool: s} }

func (s *spool) open() (io.ReadCloser, error) {
	if s.first != nil {
		stream, err := s.first()
		s.first = nil
		if err != nil || !s.Keep {
			return stream, err
		}
		if err := s.create(); err != nil {
			stream.Close()
			return nil, err
		}
		return spoolReader{io.TeeReader(stream, spoolWriter{s.file}), stream}, nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("the copy of %s cannot be read again: %w", s.name, err)
	}
	return io.NopCloser(s.file), nil
}

// spoolReader reads through the copying and closes the stream.
type spoolReader struct {
	io.Reader
	io.Closer
}

func (s *spool) create() error {
	f, err := os.CreateTemp("", "boost-spool-*")
	if err != nil {
		return fmt.Errorf("no copy of %s can be kept: %w (set TMPDIR to a folder with room, or --no-spool)", s.name, err)
	}
	s.file = f
	_ = os.Remove(f.Name()) // Windows refuses while the file is open; close removes it there
	return nil
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// errSpool marks a failure to write the copy, which is no fault of the table.
var errSpool = errors.New("the copy of the input cannot be written")

type spoolWriter struct{ f *os.File }

func (w spoolWriter) Write(b []byte) (int, error) {
	n, err := w.f.Write(b)
	if err != nil {
		err = fmt.Errorf("%w: %w (set TMPDIR to a folder with room, or --no-spool)", errSpool, err)
	}
	return n, err
}
