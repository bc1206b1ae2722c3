package recordlog

import (
	"errors"
	"fmt"

	"boost/internal/replace"
)

var (
	// ErrNotFound says that no record of the type and id is there.
	ErrNotFound = errors.New("no such record")
	// ErrClosed says that the log was closed.
	ErrClosed = errors.New("the log is closed")
	// ErrTooLong says that an id, head or payload is longer than a record can hold.
	ErrTooLong = errors.New("too long for a record")
)

// DamageError says that bytes of a log are not those that were written.
type DamageError struct {
	File   string
	Offset int64 // where the record begins that is damaged
	What   string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: byte %d: %s: the file was damaged after it was written, restore it from a copy", e.File, e.Offset, e.What)
}

func wrapPath(path string, err error) error { return fmt.Errorf("%s: %w", path, replace.Reason(err)) }
