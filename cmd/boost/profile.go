package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"boost/booster"
	"boost/configs"
	"boost/dataset"
	"boost/internal/gcpercent"
	"boost/internal/profile"
	"boost/internal/report"
	"boost/objectives"
)

// tableProfile is what was found in a table.
type tableProfile struct {
	report.Table
	files      []string
	table      *dataset.Table
	config     *configs.Config
	unreadable []*dataset.ColumnError
	parsed     bool // numbers in disguise were read, as data.parse = "auto" does
}

// profileTable reads a table leniently and looks at every column. The label is the column
// of that name; "" looks for a telling name where guess says so.
func (a *app) profileTable(ctx context.Context, files []string, in *reading, label string, guess bool) (*tableProfile, error) {
	c, err := in.config(a, append(slices.Clone(readingKeys), typeKeys...))
	if err != nil {
		return nil, err
	}
	parsed := !guess && !c.Given("data.parse") // for a config, which says how they are read
	if parsed {
		c.Data.Parse = map[string]string{"": dataset.ParseAuto}
	}
	opts := append(c.ReadOptions(), dataset.LenientTypes())
	if in.noSpool {
		opts = append(opts, dataset.NoSpool())
	}
	t, unreadable, err := a.openReadable(ctx, files, c, opts)
	if err != nil {
		return nil, err
	}
	s := &tableProfile{files: files, table: t, config: c, unreadable: unreadable, parsed: parsed}
	s.Table = report.Table{What: "table", File: strings.Join(files, " "), Skipped: t.Skipped(), Problems: []string{}, Notes: notesOf(t)}
	for _, e := range unreadable {
		s.Problems = append(s.Problems, e.Error())
	}
	if s.Notes == nil {
		s.Notes = []string{} // a list in JSON, also where it is empty
	}
	for _, p := range t.Mixed() {
		s.Problems = append(s.Problems, p.Error())
	}
	if c := t.LabelColumn(); c != nil && label == "" && guess {
		label = c.Name() // the format says which it is
	}
	if label == "" && guess {
		label = profile.TellingName(columnNames(t))
		s.Guessed = label != ""
	}
	params := profile.Params{Label: label}
	if label != "" {
		a.tell(profile.Misspelt(t.Column(label)))
		if params.Classes, err = s.hasClasses(label); err != nil {
			return nil, err
		}
	}
	pool := a.pool(0)
	defer pool.Close()
	defer gcpercent.LowerWide(len(t.Columns()))()
	s.Profile, err = profile.Of(ctx, t, params, pool)
	return s, err
}

// openReadable opens a table without the columns that cannot be read, which are ignored
// from here on, and says why they cannot. Standard input can be read once only.
func (a *app) openReadable(ctx context.Context, files []string, c *configs.Config, opts []dataset.Option) (t *dataset.Table, unreadable []*dataset.ColumnError, err error) {
	for {
		t, err = a.open(ctx, files, append(slices.Clone(opts), c.RoleOptions()...)...)
		column, ok := errors.AsType[*dataset.ColumnError](err)
		if !ok || files[0] == "-" || slices.Contains(c.Data.Ignore, column.Column) {
			return t, unreadable, err
		}
		c.Data.Ignore = append(slices.Clone(c.Data.Ignore), column.Column)
		unreadable = append(unreadable, column)
	}
}

func columnNames(t *dataset.Table) []string {
	names := make([]string, len(t.Columns()))
	for i, c := range t.Columns() {
		names[i] = c.Name()
	}
	return names
}

// hasClasses reports whether training would take the label for classes.
func (s *tableProfile) hasClasses(label string) (bool, error) {
	c := s.table.Column(label)
	if c == nil {
		return false, s.noColumn(label)
	}
	if c.Kind() == dataset.Text || c.Missing() == c.Len() {
		return false, nil
	}
	labelled, err := s.labelled(label)
	if err != nil {
		return false, err
	}
	objective, _, err := booster.InferObjective(labelled)
	if err != nil { // training will refuse it, and the rest of the table can be looked at
		s.Problems = append(s.Problems, fmt.Sprintf("%s: %s", s.File, wording(err)))
	}
	info, _ := objectives.Lookup(objective)
	return info.HasClasses(), nil
}

// noColumn is the error about a label that the table does not have.
func (s *tableProfile) noColumn(label string) error {
	return &dataset.AbsentError{File: s.File, Column: label, Option: "label", Columns: columnNames(s.table)}
}

// labelled returns the table with columns as the labels.
func (s *tableProfile) labelled(labels ...string) (*dataset.Table, error) {
	if c := s.table.LabelColumn(); c != nil && len(labels) == 1 && c.Name() == labels[0] {
		return s.table, nil
	}
	schema := s.table.Schema()
	for i := range schema.Columns {
		if slices.Contains(labels, schema.Columns[i].Name) {
			schema.Columns[i].Role = dataset.LabelRole
		}
	}
	return s.table.As(schema)
}
