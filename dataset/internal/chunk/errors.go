package chunk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"boost/internal/near"
)

// ErrTable is wrapped by every error that is the fault of a table: a file that is
// absent, a directory, unreadable or empty, a column that is missing or repeated,
// a bad cell.
var ErrTable = errors.New("bad table")

// ErrNoLabel is wrapped by the error about a table without a label where NeedLabel asks
// for one.
var ErrNoLabel = errors.New("no column is named as the label")

// ErrMemory is wrapped by the error about a table that takes more than MemoryLimit; it
// does not wrap ErrTable, as the table is not at fault.
var ErrMemory = errors.New("over the memory limit")

// memoryError is about a table that is too large, in its own words.
type memoryError struct{ text string }

func (e *memoryError) Error() string { return e.text }

func (e *memoryError) Unwrap() error { return ErrMemory }

// TooLarge returns an error that wraps ErrMemory.
func TooLarge(format string, args ...any) error { return &memoryError{fmt.Sprintf(format, args...)} }

// OverLimit is the error about a part of a file that has to be unpacked whole.
func OverLimit(file, part string, size, limit int64) error {
	return TooLarge("%s: a %s of it takes %s unpacked; memory_limit is %s (write the file with smaller row groups, or %s)",
		file, part, ByteText(size), ByteText(limit), RaiseLimit(size))
}

// IsExplained reports whether an error says all that is to be said: where, and what to do.
func IsExplained(err error) bool {
	return errors.Is(err, ErrTable) || errors.Is(err, ErrMemory) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// ParseError is a cell, or a row if Column is empty, that does not hold what its
// Place asks for. errors.Is(err, ErrTable) holds.
type ParseError struct {
	File   string // as it was given; empty for tables made in memory
	Line   int    // line of the file, from 1; row, from 1, for tables made in memory
	Row    bool   // Line counts the rows of the file, which has no lines
	Column string // name, or empty if the row as a whole is at fault
	Value  string // text of the cell, shortened if it is very long
	Want   string // what was expected, or for a row what is wrong
	Fix    string // what to do about it
}

// Error returns `file:line: column "name": "text" is not … (what to do)`.
func (e *ParseError) Error() string {
	var s strings.Builder
	s.WriteString(e.Place() + ": ")
	switch {
	case e.Column != "" && e.Value == "":
		fmt.Fprintf(&s, "column %q: the cell has no value, expected ", e.Column)
	case e.Column != "":
		fmt.Fprintf(&s, "column %q: %q is not ", e.Column, e.Value)
	}
	s.WriteString(e.Want)
	if e.Fix != "" {
		fmt.Fprintf(&s, " (%s)", e.Fix)
	}
	return s.String()
}

// Place words where the cell or the row stands.
func (e *ParseError) Place() string {
	switch {
	case e.File == "":
		return fmt.Sprintf("row %d", e.Line)
	case e.Row:
		return fmt.Sprintf("%s: row %d", e.File, e.Line)
	}
	return fmt.Sprintf("%s:%d", e.File, e.Line)
}

// Unit returns what Line counts: "row" or "line".
func (e *ParseError) Unit() string {
	if e.Row || e.File == "" {
		return "row"
	}
	return "line"
}

// Unwrap returns ErrTable.
func (e *ParseError) Unwrap() error { return ErrTable }

// ColumnError is a column that cannot be read in a table that can be read without it: it
// holds lists, is encrypted, or is written in a way that is not understood.
// errors.Is(err, ErrTable) holds.
type ColumnError struct {
	Column string // name
	Text   string // what is wrong, with the file
}

func (e *ColumnError) Error() string { return e.Text }

// Unwrap returns ErrTable.
func (e *ColumnError) Unwrap() error { return ErrTable }

// CannotRead returns a ColumnError: `file: column "name" …`.
func CannotRead(file, column, format string, args ...any) error {
	return &ColumnError{column, fmt.Sprintf("%s: column %q ", file, column) + fmt.Sprintf(format, args...)}
}

// AbsentError is a column that an option names and the table lacks. errors.Is(err, ErrTable) holds.
type AbsentError struct {
	File    string   // as it was given; empty for tables made in memory
	Column  string   // name
	Option  string   // the option that names it: label, weight, …
	Columns []string // those of the table
	Notes   []string // how the table was read
}

// Error returns `file: the table has no column "name", which is named as …`, with the columns that there are.
func (e *AbsentError) Error() string {
	var s strings.Builder
	if e.File != "" {
		s.WriteString(e.File + ": ")
	}
	fmt.Fprintf(&s, "the table has no column %q, which is named as %s%s; ", e.Column, e.Option, near.Question(near.Words(e.Column, e.Columns)))
	if len(e.Columns) == 1 && e.File != "" {
		fix := " (delete all that stands above the names of the columns)"
		if len(e.Notes) > 0 { // which say more
			fix = ""
		}
		if slices.Contains(strings.FieldsFunc(e.Columns[0], func(c rune) bool { return strings.ContainsRune(" \t,;|^~:", c) }), e.Column) {
			fix = " (name what stands between the cells by data.separator; tr -s ' ' , < FILE makes one comma of several blanks)"
		}
		fmt.Fprintf(&s, "its only column is %q%s", e.Columns[0], fix)
	} else {
		s.WriteString("its columns are " + NameList(e.Columns, 20))
	}
	for _, note := range e.Notes {
		s.WriteString("; " + note)
	}
	return s.String()
}

// Unwrap returns ErrTable.
func (e *AbsentError) Unwrap() error { return ErrTable }

// tableError is a complaint in its own words that wraps ErrTable and its cause.
type tableError struct {
	text  string
	cause error
}

func (e *tableError) Error() string { return e.text }

func (e *tableError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrTable}
	}
	return []error{ErrTable, e.cause}
}

// Errorf returns an error that wraps ErrTable, and the last argument if the
// format's last verb is %w.
func Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &tableError{text: err.Error(), cause: errors.Unwrap(err)}
}

// longestQuote is the number of bytes of a cell that a message repeats.
const longestQuote = 60

// Excerpt copies a cell's text for a message.
func Excerpt(cell []byte) string {
	if len(cell) <= longestQuote {
		return string(cell)
	}
	return strings.ToValidUTF8(string(cell[:longestQuote]), "") + "…"
}

// NameList writes names as a message lists them, the first limit of them.
func NameList(names []string, limit int) string {
	var s strings.Builder
	for i, name := range names {
		if i == limit {
			fmt.Fprintf(&s, " and %d more", len(names)-limit)
			break
		}
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(strconv.Quote(name))
	}
	return s.String()
}

// ParseErrors are several ParseErrors in the order of the rows: at most one of each column, and one about a row
// that has not the cells of the others. Error shows
// the first 20, one a line.
type ParseErrors []*ParseError

// Error returns the errors, one a line.
func (e ParseErrors) Error() string {
	const most = 20
	var s strings.Builder
	for i, problem := range e[:min(most, len(e))] {
		if i > 0 {
			s.WriteByte('\n')
		}
		s.WriteString(problem.Error())
	}
	if more := len(e) - most; more > 0 {
		fmt.Fprintf(&s, "\nand %d more problems", more)
	}
	return s.String()
}

// Unwrap returns the errors.
func (e ParseErrors) Unwrap() []error {
	all := make([]error, len(e))
	for i, problem := range e {
		all[i] = problem
	}
	return all
}
