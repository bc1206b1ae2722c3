package chunk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	if path, ok := errors.AsType[*fs.PathError](err); ok {
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
