package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"boost/booster/model/internal/format"
)

// sniffSize is how much of a file is read before it is known to be a model.
const sniffSize = 512

// Load reads a model from a `.boost` file, or from one in JSON (EncodeText). Every error wraps ErrModel, begins with the
// path and says what the matter is: no such file, a directory, not readable, cut
// short, damaged, of an unknown version, or no boost model at all.
func Load(path string) (*Model, error) {
	return loadAs(path, func(data []byte) (*Model, error) {
		if format.MayBeText(data) {
			return DecodeText(data)
		}
		return Decode(data)
	})
}

func loadAs[T any](path string, decode func(data []byte) (*T, error)) (*T, error) {
	data, err := load(path)
	if err != nil {
		return nil, format.Errorf("%s: %w", path, err)
	}
	m, err := decode(data)
	if err != nil {
		return nil, format.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func load(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cannotOpen(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, format.Errorf("the model cannot be read: %w", reason(err))
	}
	if info.IsDir() {
		return nil, format.Errorf("is a directory, a model file was expected")
	}
	return readModel(f, info)
}

// readModel reads the file, but a regular file only if its beginning says that it is
// a model: a table of many gigabytes given by mistake is not read to be refused.
func readModel(f *os.File, info fs.FileInfo) ([]byte, error) {
	start := make([]byte, sniffSize)
	n, err := io.ReadFull(f, start)
	start = start[:n]
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, format.Errorf("the model cannot be read: %w", reason(err))
	}
	if format.MayBeText(start) { // of a table in JSON, only the first row
		var object json.RawMessage
		if err := json.NewDecoder(io.MultiReader(bytes.NewReader(start), f)).Decode(&object); err != nil {
			return nil, format.Errorf("the model in JSON cannot be read: %w", reason(err))
		}
		return object, nil
	}
	size := uint64(n)
	if info.Mode().IsRegular() {
		size = max(size, uint64(info.Size()))
		if _, err := format.CheckHeader(start, size); err != nil {
			return nil, err
		}
	} else if !IsModel(start) {
		return nil, format.Errorf("%s", format.NotAModel(start, size))
	}
	data := make([]byte, n, max(size, uint64(n)+1))
	copy(data, start)
	rest, err := io.ReadAll(f)
	if err != nil {
		return nil, format.Errorf("the model cannot be read: %w", reason(err))
	}
	return append(data, rest...), nil
}

func cannotOpen(err error) error {
	hint := ""
	if errors.Is(err, fs.ErrPermission) {
		hint = " (check its permissions)"
	}
	return format.Errorf("the model cannot be opened: %w%s", reason(err), hint)
}

// reason returns what the operating system said, without the path that is said already.
func reason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}
