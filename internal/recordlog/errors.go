package recordlog

import (
	"errors"
	"fmt"

	"boost/internal/replace"
)

var (
	// ErrNotFound means that no record of the type and id is there.
	ErrNotFound = errors.New("no such record")
	// ErrClosed means that the log was closed.
	ErrClosed = errors.New("the log is closed")
	// ErrBroken means that a write or a sync failed and could not be taken back, so that it is unknown
	// what the log ends with: what the call was to write is there or not when the log is opened
	// anew, and until then nothing more is written. What is there can be read.
	ErrBroken = errors.New("what the log ends with is unknown since a write failed, open it anew")
	// ErrTorn means that the log ends in what a crash has left of a record, and was to be opened only
	// if it does not.
	ErrTorn = errors.New("the log ends in an unfinished record")
	// ErrTooLong means that an id, head or payload is longer than a record can hold.
	ErrTooLong = errors.New("too long for a record")
)

// DamageError means that a log does not hold what was written, or is gone. Repair salvages what is whole.
type DamageError struct {
	File   string
	Offset int64 // where the record begins that is damaged
	What   string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: byte %d: %s: the file was damaged after it was written, restore it from a copy or repair it", e.File, e.Offset, e.What)
}

// brokenBy is ErrBroken with what made the log so.
func brokenBy(cause error) error { return fmt.Errorf("%w: %w", ErrBroken, replace.Reason(cause)) }

func wrapPath(path string, err error) error { return fmt.Errorf("%s: %w", path, replace.Reason(err)) }
