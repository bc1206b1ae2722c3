package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"boost/booster"
	"boost/booster/model"
	"boost/configs"
	"boost/dataset"
	"boost/internal/unseen"
	"boost/ptq/compress"
)

// The classes of errors in answers, as the exit codes of the program have them.
const (
	classUsage       = "parameter"
	classTable       = "table"
	classModel       = "model"
	classBudget      = "budget"
	classInterrupted = "interrupted"
	classProtocol    = "protocol"
	classOther       = "other"
)

var (
	errUsage    = errors.New("usage")
	errProtocol = errors.New("protocol")
)

// kindError has a text of its own and is one of the sentinels.
type kindError struct {
	text string
	kind error
}

func (e *kindError) Error() string { return e.text }
func (e *kindError) Unwrap() error { return e.kind }

// usagef makes an error about what was asked for.
func usagef(format string, args ...any) error {
	return &kindError{fmt.Sprintf(format, args...), errUsage}
}

// tablef makes an error about a table.
func tablef(format string, args ...any) error {
	return &kindError{fmt.Sprintf(format, args...), dataset.ErrTable}
}

// protocolf makes an error about a request that no library of this version sends.
func protocolf(format string, args ...any) error {
	return &kindError{fmt.Sprintf(format, args...), errProtocol}
}

// classOf returns the class of an error.
func classOf(err error) string {
	switch {
	case errors.Is(err, booster.ErrInterrupted), errors.Is(err, context.Canceled):
		return classInterrupted
	case errors.Is(err, errProtocol):
		return classProtocol
	case errors.Is(err, errUsage), errors.Is(err, configs.ErrConfig), errors.Is(err, booster.ErrParams):
		return classUsage
	case errors.Is(err, dataset.ErrTable):
		return classTable
	case errors.Is(err, model.ErrModel):
		return classModel
	case errors.Is(err, booster.ErrBudget), errors.Is(err, dataset.ErrMemory), errors.As(err, new(compress.ErrBudget)):
		return classBudget
	}
	return classOther
}

// wording is the text of an error for people, without the library's own word for its kind.
func wording(err error) string {
	return strings.Replace(err.Error(), dataset.ErrTable.Error()+": ", "", 1)
}

// lookForUnseen refuses or reports categories that training did not have.
func (r *request) lookForUnseen(t *dataset.Table, m *model.Model, mode string) error {
	levels, err := unseen.New(m, mode)
	if err != nil {
		return usagef("%v", err)
	}
	add, err := levels.Look(t)
	if err != nil {
		return err
	}
	add()
	if err := levels.Check([]string{"the table"}); err != nil {
		return err
	}
	r.note(levels.Notes(t.NumRows())...)
	return nil
}
