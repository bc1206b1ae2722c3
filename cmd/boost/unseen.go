package main

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/format"
)

// The values of --on-unseen. Without it, new categories are missing values, unless a column has no others.
const (
	unseenMissing = "missing"
	unseenError   = "error"
)

// unseenFlag is the flag that says how to treat categories that training did not have.
type unseenFlag struct{ onUnseen string }

func (f *unseenFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.onUnseen, "on-unseen", "", "`HOW` to treat categories that training did not have: missing (as missing values) or error (default: missing, unless a column has no others)")
	offer(cmd, "on-unseen", unseenMissing, unseenError)
}

func (f *unseenFlag) check() error {
	if f.onUnseen == "" {
		return nil
	}
	return oneOf("on-unseen", f.onUnseen, unseenMissing, unseenError)
}

// unseen adds up which categories of a table training did not have, or had in rows held out only.
type unseen struct {
	mode    string // of --on-unseen
	model   predictor
	columns map[string]*unseenLevels
	known   map[string]bool // columns with a category that training had
}

// unseenLevels is what one column has.
type unseenLevels struct {
	model.Unseen                     // Names has up to three
	hashes       map[uint64]struct{} // of the levels
}

// newUnseen begins with no rows. A model has to know all levels that training had, if others are to
// be refused.
func newUnseen(m predictor, mode string) (*unseen, error) {
	if names := m.Unlisted(); mode == unseenError && len(names) > 0 {
		return nil, usagef("--on-unseen error: the compressed model does not name all levels of column %q that training had (use the full model, or boost quantize --keep-levels)", names[0])
	}
	return &unseen{mode: mode, model: m, columns: map[string]*unseenLevels{}, known: map[string]bool{}}, nil
}

// look finds what a part of a table has, and returns what adds it.
func (u *unseen) look(t *dataset.Table) (add func(), err error) {
	found, err := u.model.Unseen(t)
	if err != nil {
		return nil, err
	}
	if u.mode == unseenError && len(found) > 0 {
		first := slices.MinFunc(found, func(x, y model.Unseen) int { return x.Row - y.Row })
		return nil, tablef("%s: column %q: training did not have %q (--on-unseen missing treats it as a missing value)",
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

// mostUnseen is how many levels are told from each other: more are so many that their
// number says nothing.
const mostUnseen = 1 << 16

var unseenSeed = maphash.MakeSeed()

// add adds what the next part has of a column.
func (u *unseen) add(found *model.Unseen) {
	c := u.columns[found.Column]
	if c == nil {
		c = &unseenLevels{Unseen: model.Unseen{Column: found.Column, Example: strings.Clone(found.Example)}, hashes: map[uint64]struct{}{}}
		u.columns[found.Column] = c
	}
	c.Rows += found.Rows
	for _, level := range found.Names {
		if len(c.Names) < 3 && !slices.Contains(c.Names, level) {
			c.Names = append(c.Names, strings.Clone(level))
		}
		if len(c.hashes) < mostUnseen {
			c.hashes[maphash.String(unseenSeed, level)] = struct{}{}
		}
	}
	c.Levels = len(c.hashes)
}

// check refuses columns of which no row has a category that training had: they are likely written in
// another way, or another column. One row is too little to tell.
func (u *unseen) check(files []string) error {
	if u.mode == unseenMissing {
		return nil
	}
	var problems []error
	for _, c := range u.model.Schema().Columns {
		found := u.columns[c.Name]
		if found == nil || c.Role != dataset.Feature || u.known[c.Name] || found.Rows < 2 {
			continue
		}
		problems = append(problems, tablef("%s: column %q: training had none of its categories: here %s; in training %s (give --on-unseen missing treats them as missing values)",
			strings.Join(files, " "), c.Name, someLevels(found.Names, found.Levels), someLevels(c.Levels, len(c.Levels))))
	}
	return errors.Join(problems...)
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

// say says of how many of the rows the categories are new.
func (u *unseen) say(a *app, rows int) {
	for _, column := range u.model.Schema().Columns {
		c := u.columns[column.Name]
		if c == nil || column.Role != dataset.Feature {
			continue
		}
		levels := format.Counted(c.Levels, "level")
		if c.Levels >= mostUnseen {
			levels = format.Counted(mostUnseen, "level") + " or more"
		}
		a.log.Info(fmt.Sprintf("column %q: %s (%s) with %s that training did not have, such as %q: treated as missing",
			c.Column, format.Counted(c.Rows, "row"), format.Percent(c.Rows, rows), levels, format.Shorten(c.Example, 60)))
	}
}

// reportUnseen looks at a whole table.
func (a *app) reportUnseen(t *dataset.Table, m predictor, mode string, files ...string) error {
	u, err := newUnseen(m, mode)
	if err != nil {
		return err
	}
	add, err := u.look(t)
	if err != nil {
		return err
	}
	add()
	if err := u.check(files); err != nil {
		return err
	}
	u.say(a, t.NumRows())
	return nil
}
