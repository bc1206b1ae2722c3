// Package record keeps what was measured.
//
// In: a value and a path. Out: a JSON file in place of the one before. It must not know what the
// values are.
package record

import (
	"encoding/json"
	"os"
	"path/filepath"

	"boost/internal/replace"
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
	return replace.File(path, func(f *os.File) error {
		_, err := f.Write(append(b, '\n'))
		return err
	})
}
