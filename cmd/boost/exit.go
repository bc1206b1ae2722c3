package main

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
	"boost/objectives"
	"boost/ptq/compress"
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

// wording is the text of an error for people: without the library's own word for its
// kind, which says less than the rest, and without the number that a row has in memory
// where its place in the file is there.
func wording(err error) string {
	text := strings.Replace(err.Error(), dataset.ErrTable.Error()+": ", "", 1)
	if row := (*objectives.RowError)(nil); errors.As(err, &row) && errors.Is(err, dataset.ErrTable) {
		text = strings.Replace(text, fmt.Sprintf("row %d: ", row.Row), "", 1)
	}
	return text
}

// ofTable puts the table's name before what the trainer says about it as a whole.
func ofTable(files []string, err error) error {
	about, ok := strings.CutPrefix(err.Error(), dataset.ErrTable.Error()+": ")
	named := func(file string) bool { return strings.HasPrefix(about, file+":") }
	if row := (*objectives.RowError)(nil); !ok || errors.As(err, &row) || slices.ContainsFunc(files, named) {
		return err
	}
	return &plainError{fmt.Sprintf("%s: %s", strings.Join(files, " "), about), err}
}

// pasted is a word of a command line as a shell reads it.
func pasted(word string) string {
	if word != "" && word[0] != '=' && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+@%=,-") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
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
	case errors.Is(err, booster.ErrBudget), errors.Is(err, dataset.ErrMemory), errors.As(err, new(compress.ErrBudget)):
		return exitBudget
	}
	return exitOther
}
