package worker

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

// wording is the text of an error for people, without the library's own word for its kind, and with the names that
// arguments have here.
func wording(err error) string {
	return arguments.Replace(strings.Replace(err.Error(), dataset.ErrTable.Error()+": ", "", 1))
}

var arguments = strings.NewReplacer("--on-unseen missing", `on_unseen="missing"`, "--on-unseen error", `on_unseen="error"`)

// checkRows refuses or reports what rows to predict have that training did not have, and what they lack.
func (r *request) checkRows(t *dataset.Table, m *model.Model, onUnseen string) error {
	if err := r.lookForUnseen(t, m, onUnseen); err != nil {
		return err
	}
	r.warnOfDates(t, m)
	if m.LacksInitScores(t) {
		r.logger().Warn("the table has no init scores, but the model was trained from some: predictions are what the model adds to them")
	}
	return nil
}

// warnOfDates warns where a column of a table to predict has dates, and training had other numbers, or where it has
// numbers that are no seconds, and training had dates.
func (r *request) warnOfDates(t *dataset.Table, m *model.Model) {
	now := t.Dates()
	var dates, numbers []string
	for _, c := range m.Schema().Columns {
		if c.Role != dataset.Feature || !c.Kind.Numeric() {
			continue
		}
		switch given := t.Column(c.Name); {
		case slices.Contains(now, c.Name):
			if !c.Dates {
				dates = append(dates, c.Name)
			}
		case c.Dates && given != nil && isLate(given):
			numbers = append(numbers, c.Name)
		}
	}
	if len(dates) > 0 {
		r.logger().Warn(fmt.Sprintf("the model was trained on numbers in the columns %q, and here these have dates, which count as seconds since 1970-01-01 UTC", dates))
	}
	if len(numbers) > 0 {
		r.logger().Warn(fmt.Sprintf("the model was trained on dates in the columns %q, and here these have numbers that as seconds since 1970-01-01 UTC are after the year 9999: give dates, or seconds", numbers))
	}
}

// isLate reports whether a column of seconds since 1970 has some after the year 9999, as nanoseconds and milliseconds of
// usual dates are.
func isLate(c *dataset.Column) bool {
	const end = 253402300799
	switch c.Kind() {
	case dataset.Float64:
		return slices.ContainsFunc(c.Float64s(), func(v float64) bool { return v > end })
	case dataset.Float32:
		return slices.ContainsFunc(c.Float32s(), func(v float32) bool { return v > end })
	}
	return false
}

// lookForUnseen refuses or reports categories that training did not have.
func (r *request) lookForUnseen(t *dataset.Table, m *model.Model, mode string) error {
	warns := mode == "warn"
	if warns {
		mode = unseen.Missing
	}
	levels, err := unseen.New(m, mode)
	if err != nil {
		return err
	}
	add, err := levels.Look(t)
	if err != nil {
		return err
	}
	add()
	if err := levels.Check([]string{"the table"}); err != nil {
		return err
	}
	if warns {
		for _, text := range levels.Unknown() {
			r.logger().Warn(text + ": they are treated as missing values")
		}
	}
	r.note(levels.Notes(t.NumRows())...)
	return nil
}
