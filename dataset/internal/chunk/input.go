package chunk

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Input is one file, or a stream, that can be read from its start, perhaps twice.
type Input struct {
	Name  string
	Size  int64       // bytes, 0 if unknown
	found os.FileInfo // of a file
	Open  func() (io.ReadCloser, error)
	Spool *spool // nil for files

	Opened *Stream // the stream that the next call of stream returns, or nil
}

// FindInputs turns paths and patterns into files, sorted by name.
func FindInputs(ctx context.Context, paths []string, keep bool) ([]Input, error) {
	var names []string
	for _, path := range paths {
		if path == "" {
			return nil, Errorf("a table needs the name of a file")
		}
		if _, err := os.Lstat(path); err == nil || !strings.ContainsAny(path, "*?[") {
			names = append(names, path)
			continue
		}
		matches, err := filepath.Glob(path)
		if err != nil {
			return nil, Errorf("%s is not a pattern for files: %w", path, err)
		}
		if len(matches) == 0 {
			return nil, Errorf("no file matches %s", path)
		}
		names = append(names, matches...)
	}
	if len(names) == 0 {
		return nil, Errorf("a table needs the name of a file")
	}
	slices.Sort(names)
	names = slices.Compact(names)
	inputs := make([]Input, len(names))
	for i, name := range names {
		in, err := fileInput(ctx, name, keep)
		if err != nil {
			return nil, err
		}
		inputs[i] = in
	}
	return inputs, nil
}

// WithoutPath returns what the operating system said, without the name that is said already.
func WithoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func fileInput(ctx context.Context, name string, keep bool) (Input, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return Input{}, Errorf("%s cannot be read: %w", name, WithoutPath(err))
	case info.IsDir():
		return Input{}, Errorf("%s is a directory; name a file, or several by a pattern such as %s",
			name, filepath.Join(name, "*.csv"))
	}
	open := func() (io.ReadCloser, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, Errorf("%s cannot be read: %w", name, WithoutPath(err))
		}
		return f, nil
	}
	if !info.Mode().IsRegular() { // a pipe can be read once
		return (&spool{name: name, first: func() (io.ReadCloser, error) { return openUntilDone(ctx, open) }, Keep: keep}).input(), nil
	}
	_ = os.SameFile(info, info) // Windows looks up which file it is when it is first asked
	return Input{Name: name, Size: info.Size(), found: info, Open: open}, nil
}

// sameContent reports whether a file is, as far as the system tells, what it was: no other
// one under its name, and not written to.
func sameContent(was, is os.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}

// ReadUnchanged reads a file by read, and fails where it changes meanwhile.
func ReadUnchanged(f *os.File, name string, read func() error) error {
	was, err := f.Stat()
	if err != nil {
		return Errorf("%s cannot be read: %w", name, WithoutPath(err))
	}
	if err := read(); err != nil {
		return err
	}
	if is, err := f.Stat(); err != nil || !sameContent(was, is) {
		return Errorf("%s changed while it was read; read it again once nobody writes to it", name)
	}
	return nil
}

// Spool is a stream that is copied to an unlinked temporary file while it is read
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

// foreign are the beginnings of files that no format here has.
var foreign = []struct{ magic, name string }{
	{"PK\x03\x04", "a zip file"}, {"BZh91AY&SY", "a bzip2 file"}, {"\xfd7zXZ", "an xz file"},
	{"\xff\xfe", "UTF-16 text"}, {"\xfe\xff", "UTF-16 text"}, {"FEA1\x00", "a Feather file of version 1"},
	{"%PDF-", "a PDF document"}, {"\xd0\xcf\x11\xe0", "an old spreadsheet or document"}, {"SQLite format 3", "an SQLite database"},
	{"Obj\x01", "an Avro file"}, {"\x89HDF", "an HDF5 file"}, {"\x93NUMPY", "a NumPy array"},
	{"<!DOCTYPE", "a web page"}, {"<!doctype", "a web page"}, {"<html", "a web page"}, {"<?xml", "XML text"},
	{`{"`, "JSON text"}, {"[{", "JSON text"},
}

// ByteOrderMark may stand at the beginning of UTF-8 text and is no part of it.
const ByteOrderMark = "\xef\xbb\xbf"

// Stream is the content of an input, read from its start and decompressed.
type Stream struct {
	Name   string
	Reader *bufio.Reader
	file   io.Closer
	Packed string // "gzip", "zstd" or "" for an input that is not compressed
	raw    *watched
	pump   *pump // nil for an input that is not compressed
}

// Stream opens an input, or returns what was opened to look at its beginning.
func (in *Input) Stream(formats []*Format) (*Stream, error) {
	if s := in.Opened; s != nil {
		in.Opened = nil
		return s, nil
	}
	file, err := in.Open()
	if err != nil {
		return nil, err
	}
	raw := &watched{Reader: file, in: in}
	if f, ok := file.(*os.File); ok && in.Spool == nil {
		raw.stat = f.Stat
	}
	s := &Stream{Name: in.Name, file: file, raw: raw, Reader: bufio.NewReaderSize(raw, streamBuffer)}
	start, err := s.peek(4)
	if err == nil {
		err = s.decompress(start)
	}
	if err == nil {
		start, err = s.peek(longestMagic)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	for _, f := range foreign {
		if bytes.HasPrefix(start, []byte(f.magic)) {
			s.Close()
			return nil, Errorf("%s is %s; give it as %s, plain, gzip or zstd", in.Name, f.name, formatTitles(formats))
		}
	}
	return s, nil
}

const (
	streamBuffer = 64 << 10
	longestMagic = 16
)

// peek returns the next n bytes, fewer at the end, without reading past them.
func (s *Stream) peek(n int) ([]byte, error) {
	start, err := s.Reader.Peek(n)
	if err != nil && err != io.EOF {
		return nil, s.Failure(err)
	}
	return start, nil
}

// decompress puts a decompressor before the reader if start is the magic of one.
func (s *Stream) decompress(start []byte) error {
	var unpacked io.Reader
	release := func() {}
	switch {
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		s.Packed = "gzip"
		z, err := gzip.NewReader(s.Reader)
		if err != nil {
			return s.Failure(err)
		}
		unpacked = z
	case isZstd(start):
		s.Packed = "zstd"
		z, err := zstd.NewReader(s.Reader, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(ZstdWindow))
		if err != nil {
			return s.Failure(err)
		}
		unpacked, release = z, z.Close
	default:
		return nil
	}
	s.pump = newPump(unpacked, s.raw, func() {
		release()
		s.file.Close()
	})
	s.Reader = bufio.NewReaderSize(s.pump, streamBuffer)
	return nil
}

// ZstdWindow is the memory that a zstd file may ask for: what zstd --long writes.
const ZstdWindow = 128 << 20

// isZstd knows a zstd frame, and a skippable frame, with which parallel compressors begin.
func isZstd(start []byte) bool {
	return bytes.HasPrefix(start, []byte("\x28\xb5\x2f\xfd")) ||
		len(start) == 4 && start[0]&0xf0 == 0x50 && string(start[1:]) == "\x2a\x4d\x18"
}

func (s *Stream) Close() {
	if s.pump == nil {
		s.file.Close()
		return
	}
	s.pump.close(s.raw.in.Spool == nil)
}
