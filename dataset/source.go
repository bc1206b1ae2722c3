package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// input is one file, or a stream, that can be read from its start, perhaps twice.
type input struct {
	name  string
	size  int64 // bytes, 0 if unknown
	open  func() (io.ReadCloser, error)
	spool *spool // nil for files
}

// findInputs turns paths and patterns into files, sorted by name.
func findInputs(paths []string, keep bool) ([]input, error) {
	var names []string
	for _, path := range paths {
		if path == "" {
			return nil, complain("a table needs the name of a file")
		}
		if _, err := os.Lstat(path); err == nil || !strings.ContainsAny(path, "*?[") {
			names = append(names, path)
			continue
		}
		matches, err := filepath.Glob(path)
		if err != nil {
			return nil, complain("%s is not a pattern for files: %w", path, err)
		}
		if len(matches) == 0 {
			return nil, complain("no file matches %s", path)
		}
		names = append(names, matches...)
	}
	if len(names) == 0 {
		return nil, complain("a table needs the name of a file")
	}
	slices.Sort(names)
	names = slices.Compact(names)
	inputs := make([]input, len(names))
	for i, name := range names {
		in, err := fileInput(name, keep)
		if err != nil {
			return nil, err
		}
		inputs[i] = in
	}
	return inputs, nil
}

// bare returns what the operating system said, without the name that is said already.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func fileInput(name string, keep bool) (input, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return input{}, complain("%s cannot be read: %w", name, bare(err))
	case info.IsDir():
		return input{}, complain("%s is a directory; name a file, or several by a pattern such as %s",
			name, filepath.Join(name, "*.csv"))
	}
	open := func() (io.ReadCloser, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, complain("%s cannot be read: %w", name, bare(err))
		}
		return f, nil
	}
	if !info.Mode().IsRegular() { // a pipe can be read once
		return (&spool{name: name, first: open, keep: keep}).input(), nil
	}
	return input{name: name, size: info.Size(), open: open}, nil
}

// spool is a stream that is copied to an unlinked temporary file while it is read
// for the first time, so that it can be read again.
type spool struct {
	name  string
	first func() (io.ReadCloser, error) // nil once it was called
	keep  bool
	file  *os.File
}

func (s *spool) input() input { return input{name: s.name, open: s.open, spool: s} }

func (s *spool) open() (io.ReadCloser, error) {
	if s.first != nil {
		stream, err := s.first()
		s.first = nil
		if err != nil || !s.keep {
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

// foreign are the beginnings of files that are no text.
var foreign = []struct{ magic, name string }{
	{"\x28\xb5\x2f\xfd", "a zstd file"}, {"PK\x03\x04", "a zip file"}, {"PAR1", "a Parquet file"},
	{"ARROW1", "an Arrow file"}, {"BZh", "a bzip2 file"}, {"\xfd7zXZ", "an xz file"},
	{"\xff\xfe", "UTF-16 text"}, {"\xfe\xff", "UTF-16 text"},
}

// byteOrderMark may stand at the beginning of UTF-8 text and is no part of it.
const byteOrderMark = "\xef\xbb\xbf"

// textStream is the decompressed text of an input.
type textStream struct {
	name   string
	reader io.Reader
	file   io.Closer
}

func (in *input) text() (*textStream, error) {
	file, err := in.open()
	if err != nil {
		return nil, err
	}
	s := &textStream{name: in.name, file: file}
	buffered := bufio.NewReaderSize(file, 64<<10)
	s.reader = buffered
	start, err := buffered.Peek(6)
	if err != nil && err != io.EOF {
		s.close()
		return nil, s.failure(err)
	}
	if bytes.HasPrefix(start, []byte("\x1f\x8b")) {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			s.close()
			return nil, s.failure(err)
		}
		buffered = bufio.NewReaderSize(unzipped, 64<<10)
		s.reader = buffered
		if start, err = buffered.Peek(6); err != nil && err != io.EOF {
			s.close()
			return nil, s.failure(err)
		}
	}
	for _, f := range foreign {
		if bytes.HasPrefix(start, []byte(f.magic)) {
			s.close()
			return nil, complain("%s is %s; give it as CSV or TSV in UTF-8, latin1 or cp1252, plain or gzip", in.name, f.name)
		}
	}
	if bytes.HasPrefix(start, []byte(byteOrderMark)) {
		_, _ = buffered.Discard(len(byteOrderMark))
	}
	return s, nil
}

func (s *textStream) close() { s.file.Close() }

// failure says what went wrong while reading.
func (s *textStream) failure(err error) error {
	switch {
	case errors.Is(err, errSpool):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return complain("%s is cut off: its gzip data ends too early: %w", s.name, err)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return complain("%s is damaged: %w", s.name, err)
	}
	return complain("%s cannot be read: %w", s.name, bare(err))
}
