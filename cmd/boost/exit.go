package main

import (
	"context"
	"errors"
	"fmt"

	"boost/booster"
	"boost/booster/model"
	"boost/configs"
	"boost/dataset"
)

// The exit codes.
const (
	exitDone        = 0
	exitOther       = 1
	exitUsage       = 2 // wrong flag, config file or key
	exitTable       = 3 // a table absent, unreadable, empty, lacking a column, with bad cells
	exitModel       = 4 // a model absent, unreadable, damaged or unknown
	exitBudget      = 5 // out of time or memory with nothing made
	exitInterrupted = 130
)

var (
	errUsage       = errors.New("usage")
	errInterrupted = errors.New("interrupted")
)

// plainError has a text of its own and is one of the sentinels.
type plainError struct {
	text string
	kind error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.kind }

// silentError has been explained already; only its exit code is left to give.
type silentError struct{ error }

func (e *silentError) Unwrap() error { return e.error }

// usagef makes an error about the command line (exit 2).
func usagef(format string, args ...any) error {
	return &plainError{fmt.Sprintf(format, args...), errUsage}
}

// tablef makes an error about a table (exit 3).
func tablef(format string, args ...any) error {
	return &plainError{fmt.Sprintf(format, args...), dataset.ErrTable}
}

// exitCode says how the program ends with this error.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errInterrupted), errors.Is(err, booster.ErrInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, errUsage), errors.Is(err, configs.ErrConfig), errors.Is(err, booster.ErrParams):
		return exitUsage
	case errors.Is(err, dataset.ErrTable):
		return exitTable
	case errors.Is(err, model.ErrModel):
		return exitModel
	case errors.Is(err, booster.ErrBudget):
		return exitBudget
	}
	return exitOther
}
