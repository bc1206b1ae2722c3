package starter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"boost/booster"
	"boost/cmd/boost/internal/exit"
	"boost/configs"
	"boost/dataset"
	"boost/internal/profile"
	"boost/internal/report"
	"boost/objectives"
	"boost/parallel"
)

// Table is what was found in a table.
type Table struct {
	report.Table
	Files      []string
	LabelName  string // "" for none
	Data       *dataset.Table
	Config     *configs.Config // how it was read
	Unreadable []*dataset.ColumnError
	Parsed     bool // numbers in disguise were read, as data.parse = "auto" does
}

// New begins with what was read: files as one table, less the columns that cannot be read.
func New(files []string, t *dataset.Table, c *configs.Config, unreadable []*dataset.ColumnError, notes []string) *Table {
	s := &Table{Files: files, Data: t, Config: c, Unreadable: unreadable}
	s.Table = report.Table{What: "table", File: strings.Join(files, " "), Skipped: t.Skipped(), Problems: []string{}, Notes: notes}
	for _, e := range unreadable {
		s.Problems = append(s.Problems, e.Error())
	}
	if s.Notes == nil {
		s.Notes = []string{} // a list in JSON, also where it is empty
	}
	for _, p := range t.Mixed() {
		s.Problems = append(s.Problems, p.Error())
	}
	return s
}

// FindLabel takes the column of a name for the label; "" looks for a telling name where guess says so.
func (s *Table) FindLabel(label string, guess bool) {
	if c := s.Data.LabelColumn(); c != nil && label == "" && guess {
		label = c.Name() // the format says which it is
	}
	if label == "" && guess {
		label = profile.TellingName(columnNames(s.Data))
		s.Guessed = label != ""
	}
	s.LabelName = label
}

// Look looks at every column.
func (s *Table) Look(ctx context.Context, pool *parallel.Pool) (err error) {
	params := profile.Params{Label: s.LabelName}
	if s.LabelName != "" {
		if params.Classes, err = s.hasClasses(s.LabelName); err != nil {
			return err
		}
	}
	s.Profile, err = profile.Of(ctx, s.Data, params, pool)
	return err
}

func columnNames(t *dataset.Table) []string {
	names := make([]string, len(t.Columns()))
	for i, c := range t.Columns() {
		names[i] = c.Name()
	}
	return names
}

// hasClasses reports whether training would take the label for classes.
func (s *Table) hasClasses(label string) (bool, error) {
	c := s.Data.Column(label)
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
		s.Problems = append(s.Problems, fmt.Sprintf("%s: %s", s.File, exit.Wording(err)))
	}
	info, _ := objectives.Lookup(objective)
	return info.HasClasses(), nil
}

// noColumn is the error about a label that the table does not have.
func (s *Table) noColumn(label string) error {
	return &dataset.AbsentError{File: s.File, Column: label, Option: "label", Columns: columnNames(s.Data)}
}

// labelled returns the table with columns as the labels.
func (s *Table) labelled(labels ...string) (*dataset.Table, error) {
	if c := s.Data.LabelColumn(); c != nil && len(labels) == 1 && c.Name() == labels[0] {
		return s.Data, nil
	}
	schema := s.Data.Schema()
	for i := range schema.Columns {
		if slices.Contains(labels, schema.Columns[i].Name) {
			schema.Columns[i].Role = dataset.LabelRole
		}
	}
	return s.Data.As(schema)
}
