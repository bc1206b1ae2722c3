// Package unseen finds the categories of a table that the training of a model did not have.
//
// In: a model, and a table in parts. Out: how many rows have such categories, and an error where a
// column has no others. It must not know what becomes of the rows.
package unseen

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/format"
)

// How to treat categories that training did not have. By default, "", they are missing values, unless
// a column has no others.
const (
	Missing = "missing" // as missing values
	Error   = "error"   // as an error
)

// Model is what has to be known of a model.
type Model interface {
	Unseen(*dataset.Table) ([]model.Unseen, error)
	Unlisted() []string
	Schema() dataset.Schema
}

// kindError has a text of its own and is one of the sentinels.
type kindError struct {
	text string
	kind error
}

func (e *kindError) Error() string { return e.text }
func (e *kindError) Unwrap() error { return e.kind }

// tableErrorf makes an error about a table that names it.
func tableErrorf(format string, args ...any) error {
	return &kindError{fmt.Sprintf(format, args...), dataset.ErrTable}
}

// Levels adds up which categories of a table training did not have, or had in rows held out only.
type Levels struct {
	mode    string // of --on-unseen
	model   Model
	columns map[string]*column
	known   map[string]bool // columns with a category that training had
}

// column is what one column has.
type column struct {
	model.Unseen                     // Names has up to three
	hashes       map[uint64]struct{} // of the levels
}

// New begins with no rows. A model has to know all levels that training had, if others are to
// be refused: the error wraps booster.ErrParams.
func New(m Model, mode string) (*Levels, error) {
	if names := m.Unlisted(); mode == Error && len(names) > 0 {
		text := fmt.Sprintf("--on-unseen error: the compressed model does not name all levels of column %q that training had (use the full model, or boost quantize --keep-levels)", names[0])
		return nil, &kindError{text, booster.ErrParams}
	}
	return &Levels{mode: mode, model: m, columns: map[string]*column{}, known: map[string]bool{}}, nil
}

// Whole looks at a table that is not in parts, and returns what is to be said of it. files name it in errors, which are those of New, Look and
// Check.
func Whole(m Model, mode string, t *dataset.Table, files ...string) (notes []string, err error) {
	u, err := New(m, mode)
	if err != nil {
		return nil, err
	}
	add, err := u.Look(t)
	if err != nil {
		return nil, err
	}
	add()
	return u.Notes(t.NumRows()), u.Check(files)
}

// Look finds what a part of a table has, and returns what adds it.
func (u *Levels) Look(t *dataset.Table) (add func(), err error) {
	found, err := u.model.Unseen(t)
	if err != nil {
		return nil, err
	}
	if u.mode == Error && len(found) > 0 {
		first := slices.MinFunc(found, func(x, y model.Unseen) int { return x.Row - y.Row })
		return nil, tableErrorf("%s: column %q: training did not have %q (--on-unseen missing treats it as a missing value)",
			t.Place(first.Row), first.Column, first.Example)
	}
	rows := map[string]int{}
	for _, f := range found {
		rows[f.Column] = f.Rows
	}
	var known []string
	for _, c := range t.Columns() {
		if c.Role() == dataset.Feature && c.Kind() == dataset.Category && c.Len()-c.Missing() > rows[c.Name()] {
			known = append(known, c.Name())
		}
	}
	return func() {
		for _, name := range known {
			u.known[name] = true
		}
		for i := range found {
			u.add(&found[i])
		}
	}, nil
}

// mostLevels is how many levels are told from each other: more are so many that their
// number says nothing.
const mostLevels = 1 << 16

var seed = maphash.MakeSeed()

// add adds what the next part has of a column.
func (u *Levels) add(found *model.Unseen) {
	c := u.columns[found.Column]
	if c == nil {
		c = &column{Unseen: model.Unseen{Column: found.Column, Example: strings.Clone(found.Example)}, hashes: map[uint64]struct{}{}}
		u.columns[found.Column] = c
	}
	c.Rows += found.Rows
	for _, level := range found.Names {
		if len(c.Names) < 3 && !slices.Contains(c.Names, level) {
			c.Names = append(c.Names, strings.Clone(level))
		}
		if len(c.hashes) < mostLevels {
			c.hashes[maphash.String(seed, level)] = struct{}{}
		}
	}
	c.Levels = len(c.hashes)
}

// Check refuses columns of which no row has a category that training had: they are likely written in
// another way, or another column. One row is too little to tell.
func (u *Levels) Check(files []string) error {
	if u.mode == Missing {
		return nil
	}
	place := strings.Join(files, " ")
	if place == "-" {
		place = "standard input"
	}
	var problems []error
	for _, text := range u.Unknown() {
		problems = append(problems, tableErrorf("%s: %s (--on-unseen missing treats them as missing values)", place, text))
	}
	return errors.Join(problems...)
}

// Unknown says which columns have no category that training had, in two rows or more.
func (u *Levels) Unknown() []string {
	var texts []string
	for _, c := range u.model.Schema().Columns {
		found := u.columns[c.Name]
		if found == nil || c.Role != dataset.Feature || u.known[c.Name] || found.Rows < 2 {
			continue
		}
		texts = append(texts, fmt.Sprintf("column %q: training had none of its categories: here %s; in training %s",
			c.Name, someLevels(found.Names, found.Levels), someLevels(c.Levels, len(c.Levels))))
	}
	return texts
}

// someLevels names the first three of so many levels.
func someLevels(names []string, all int) string {
	var quoted []string
	for _, name := range names[:min(3, len(names))] {
		quoted = append(quoted, strconv.Quote(format.Shorten(name, 40)))
	}
	text := strings.Join(quoted, ", ")
	if all > len(quoted) {
		text += ", …"
	}
	return text
}

// Notes says of how many of the rows the categories are new.
func (u *Levels) Notes(rows int) []string {
	var notes []string
	for _, column := range u.model.Schema().Columns {
		c := u.columns[column.Name]
		if c == nil || column.Role != dataset.Feature {
			continue
		}
		levels := format.Counted(c.Levels, "level")
		if c.Levels >= mostLevels {
			levels = format.Counted(mostLevels, "level") + " or more"
		}
		notes = append(notes, fmt.Sprintf("column %q: %s (%s) with %s that training did not have, such as %q: treated as missing",
			c.Column, format.Counted(c.Rows, "row"), format.Percent(c.Rows, rows), levels, format.Shorten(c.Example, 60)))
	}
	return notes
}
