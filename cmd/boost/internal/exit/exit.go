// Package exit holds what the program says of errors, and the exit codes that it ends with.
//
// In: errors of the library and of the command line. Out: words, a number. It must not know commands.
package exit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"boost/booster"
	"boost/booster/model"
	"boost/configs"
	"boost/dataset"
	"boost/internal/format"
	"boost/internal/near"
	"boost/objectives"
	"boost/ptq/compress"
)

// The exit codes.
const (
	Done        = 0
	Other       = 1
	Usage       = 2 // wrong flag, config file or key
	Table       = 3 // a table absent, unreadable, empty, lacking a column, with bad cells
	Model       = 4 // a model absent, unreadable, damaged or unknown
	Budget      = 5 // out of time or memory with nothing made
	Interrupted = 130
)

// Errors of the program's own.
var (
	ErrUsage       = errors.New("usage")       // of the command line
	ErrInterrupted = errors.New("interrupted") // by Ctrl-C
)

// plainError has a text of its own and is one of the sentinels.
type plainError struct {
	text string
	kind error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.kind }

// Plain returns an error with a text of its own, which ends the program as another error does.
func Plain(text string, kind error) error { return &plainError{text, kind} }

// Silent is an error that has been explained already; only its exit code is left to give.
type Silent struct{ Err error }

func (e *Silent) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *Silent) Unwrap() error { return e.Err }

// Partly is an error after rows were written that cannot be taken back.
type Partly struct {
	Err  error
	Rows int
}

func (e *Partly) Error() string {
	return fmt.Sprintf("%v; written before that: %s", e.Err, format.Counted(e.Rows, "row"))
}

// Unwrap returns the error.
func (e *Partly) Unwrap() error { return e.Err }

// Status is the exit code of another process, which has explained itself.
type Status int

func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Usagef makes an error about the command line (exit 2).
func Usagef(format string, args ...any) error {
	return &plainError{fmt.Sprintf(format, args...), ErrUsage}
}

// Tablef makes an error about a table (exit 3).
func Tablef(format string, args ...any) error {
	return &plainError{fmt.Sprintf(format, args...), dataset.ErrTable}
}

// Wording is the text of an error for people: without the library's own word for its
// kind, which says less than the rest, and without the number that a row has in memory
// where its place in the file is there.
func Wording(err error) string {
	text := strings.Replace(err.Error(), dataset.ErrTable.Error()+": ", "", 1)
	if row := (*objectives.RowError)(nil); errors.As(err, &row) && errors.Is(err, dataset.ErrTable) {
		text = strings.Replace(text, fmt.Sprintf("row %d: ", row.Row), "", 1)
	}
	return text
}

// OfTable puts the table's name before what the trainer says about it as a whole.
func OfTable(files []string, err error) error {
	about, ok := strings.CutPrefix(err.Error(), dataset.ErrTable.Error()+": ")
	named := func(file string) bool { return strings.HasPrefix(about, file+":") }
	if row := (*objectives.RowError)(nil); !ok || errors.As(err, &row) || slices.ContainsFunc(files, named) {
		return err
	}
	return &plainError{fmt.Sprintf("%s: %s", strings.Join(files, " "), about), err}
}

// Code says how the program ends with this error.
func Code(err error) int {
	if status, ok := errors.AsType[Status](err); ok {
		return int(status)
	}
	switch {
	case err == nil:
		return Done
	case errors.Is(err, ErrInterrupted), errors.Is(err, booster.ErrInterrupted), errors.Is(err, context.Canceled):
		return Interrupted
	case errors.Is(err, ErrUsage), errors.Is(err, configs.ErrConfig), errors.Is(err, booster.ErrParams):
		return Usage
	case errors.Is(err, dataset.ErrTable):
		return Table
	case errors.Is(err, model.ErrModel):
		return Model
	case errors.Is(err, booster.ErrBudget), errors.Is(err, dataset.ErrMemory), errors.As(err, new(compress.ErrBudget)):
		return Budget
	}
	return Other
}

// OneOf checks the value of a flag that has a fixed set of them.
func OneOf(flag, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return Usagef("--%s must be %s, not %q%s", flag, strings.Join(known, ", "), value,
		near.Question(near.Words(value, known)))
}
