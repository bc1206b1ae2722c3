package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"boost/internal/replace"
	"boost/internal/vfs"
)

// Write writes a value as indented JSON to path, whose folder is made; a program that is ended
// meanwhile leaves the file of before.
func Write(path string, value any) error {
	b, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return replace.File(vfs.OS, path, func(f vfs.File) error {
		_, err := f.Write(append(b, '\n'))
		return err
	})
}

// Read reads what Write wrote. A file that is not there leaves the value as it is.
func Read(path string, value any) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, value); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Names is a list of different names, in the order that they were added. "" is no name.
type Names []string

// Add adds a name where it is new.
func (n *Names) Add(name string) {
	if name != "" && !slices.Contains(*n, name) {
		*n = append(*n, name)
	}
}
