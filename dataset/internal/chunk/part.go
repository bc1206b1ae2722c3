package chunk

import (
	"bytes"
	"io"
)

// Part is what a rank reads of an input that all ranks see: the records, or groups of rows, that begin in it.
type Part struct {
	From, To int64 // bytes of the file
	Whole    bool  // all of the file, whatever From and To are
}

// Skipped reports whether nothing of the input is read.
func (in *Input) Skipped() bool { return in.IsCut() && in.Part.From >= in.Part.To }

// IsCut reports whether less than all of the input is read.
func (in *Input) IsCut() bool { return in.Part != nil && !in.Part.Whole }

// Has reports whether what begins with a byte of the input is read. A place outside it counts for the nearest byte.
func (in *Input) Has(at int64) bool {
	at = min(max(at, 0), in.Size-1)
	return !in.IsCut() || in.Part.From <= at && at < in.Part.To
}

// IsPacked reports whether a file is compressed.
func (in *Input) IsPacked() (bool, error) {
	f, err := in.Open()
	if err != nil {
		return false, err
	}
	defer f.Close()
	start := make([]byte, 4)
	n, err := ReadFull(f, start)
	if err != nil && err != io.EOF {
		return false, Errorf("%s cannot be read: %w", in.Name, WithoutPath(err))
	}
	return bytes.HasPrefix(start[:n], []byte(gzipMagic)) || isZstd(start[:n]), nil
}

// At opens a file for reading at any place.
func (in *Input) At() (File, error) {
	f, err := in.Open()
	if err != nil {
		return nil, err
	}
	return f.(File), nil // inputs that can be read only once have no parts
}

// File is an open file whose bytes can be read at any place.
type File interface {
	io.ReaderAt
	io.Closer
}

// ShortRead says what a read at a place of the input's file has failed of.
func (in *Input) ShortRead(err error) error {
	if err == io.EOF {
		return Errorf("%s changed while it was read: it became shorter", in.Name)
	}
	return Errorf("%s cannot be read: %w", in.Name, WithoutPath(err))
}
