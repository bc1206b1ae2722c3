package starter

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"boost/booster"
	"boost/booster/preset"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/configs"
	"boost/dataset"
	"boost/internal/format"
	"boost/internal/profile"
	"boost/objectives"
)

// Starter turns what was found in a table into a config that is to be written to a file, with every key where all says so. It
// returns how the label was guessed, "" where it was named.
func (s *Table) Starter(asked []string, all bool, output string) (starter *configs.Starter, how string, err error) {
	labels, how, err := chooseLabels(s, asked)
	if err != nil {
		return nil, "", err
	}
	c := s.Config
	for _, file := range s.Files {
		c.Data.Train = append(c.Data.Train, filename.RelativeTo(output, file))
	}
	c.Data.Label = labels
	c.Effort = preset.Default
	c.Output.Model = filename.Stem(s.Files[0]) + ".boost"
	starter = &configs.Starter{
		Config: c, All: all, Comments: map[string][]string{},
		Title: []string{
			fmt.Sprintf("boost config for %s: %s, %s.", s.File, format.Counted(s.Rows, "row"), format.Counted(len(s.Columns), "column")),
			"Train with it: boost train " + configName(output),
		},
	}
	if all {
		starter.Title = append(starter.Title, "Keys in comments have the values that hold without train.effort, which chooses many of them otherwise.")
	}
	say := func(key, format string, args ...any) {
		starter.Comments[key] = append(starter.Comments[key], fmt.Sprintf(format, args...))
	}
	if how != "" {
		say("data.label", "A guess, from %s: boost init TABLE --label NAME makes sure.", how)
	}
	for _, e := range s.Unreadable {
		say("data.ignore", "%s.", e)
	}
	if s.Parsed {
		c.Data.Parse = nil
		for _, column := range s.Data.Schema().Columns {
			if column.Written == "" {
				continue
			}
			if c.Data.Parse == nil {
				c.Data.Parse = make(map[string]string)
			}
			c.Data.Parse[column.Name] = column.Written
			say("data.parse", "%q holds numbers or dates that are written so.", column.Name)
		}
	}
	for _, f := range s.Findings {
		if f.Code == profile.Sentinel {
			say("data.missing", "%q %s.", f.Column, f.Message)
		}
	}
	mixed := s.Data.Mixed()
	features := 0
	for i := range s.Columns {
		column := &s.Columns[i]
		switch {
		case slices.Contains(labels, column.Name):
			if column.Distinct < 2 {
				return nil, "", exit.Tablef("%s: label %q has the same value in every row: there is nothing to predict", s.File, column.Name)
			}
			if column.Missing > 0 {
				c.Data.OnBadRow = "skip"
				say("data.on_bad_row", "%s without a label: \"skip\" leaves them out, \"stop\" ends training at the first one.", format.Counted(column.Missing, "row"))
			}
		case slices.Contains(c.Data.ID, column.Name):
		case slices.Contains(c.Data.Categorical, column.Name) || slices.ContainsFunc(mixed, func(odd *dataset.ParseError) bool { return odd.Column == column.Name }):
			features++
		case column.NamesRows(s.Rows):
			c.Data.ID = append(c.Data.ID, column.Name)
			say("data.id", "%q is different in every row.", column.Name)
		case column.IsTextLike(s.Rows):
			c.Data.Ignore = append(c.Data.Ignore, column.Name)
			say("data.ignore", "%q is text with %s different values in %s.", column.Name, format.Count(column.Distinct), format.Counted(s.Rows, "row"))
		default:
			features++
		}
	}
	if features == 0 {
		return nil, "", exit.Tablef("%s: no column is left to predict %q from: columns that name rows and text that mostly differs are left out (give --categorical NAME to use a column)", s.File, strings.Join(labels, ", "))
	}
	for _, odd := range mixed {
		if slices.Contains(labels, odd.Column) {
			return nil, "", odd
		}
		if slices.Contains(c.Data.Categorical, odd.Column) || slices.Contains(c.Data.Ignore, odd.Column) {
			continue
		}
		c.Data.Categorical = append(c.Data.Categorical, odd.Column)
		unit := "line"
		if odd.Row {
			unit = "row"
		}
		say("data.categorical", "%q is mostly numbers, but %q in %s %d is not: as a category, every number is a name;", odd.Column, odd.Value, unit, odd.Line)
		say("data.categorical", "if such texts stand for missing values, take the column out here and add them to data.missing.")
	}
	return starter, how, describeLabel(s, labels, say, starter)
}

// describeLabel decides what depends on the label's values.
func describeLabel(s *Table, labels []string, say func(key, format string, args ...any), starter *configs.Starter) error {
	labelled, err := s.labelled(labels...)
	if err != nil {
		return err
	}
	objective, reason, err := booster.InferObjective(labelled)
	if err != nil {
		return s.otherLabel(labels[0], err)
	}
	starter.Config.Params.Objective = objective
	say("train.objective", "Chosen because %s.", reason)
	say("train.rounds", "Early stopping ends training when more rounds do not help. Without this key train.effort says how many there are at most.")
	if info, _ := objectives.Lookup(objective); info.Labels == objectives.TwoClasses {
		classes, _ := dataset.ClassesOf(labelled.LabelColumn())
		say("data.label", "%q is the positive class; positive_class = %q makes it the other one.", classes[1], classes[0])
	}
	return nil
}

// otherLabel adds to the refusal of a label what to do instead, as command lines.
func (s *Table) otherLabel(label string, err error) error {
	tables, ways := "", ""
	for _, file := range s.Files {
		tables += " " + format.Pasted(file)
	}
	if other, _ := s.GuessLabel(s.isUsed); other != "" && other != label {
		ways = fmt.Sprintf("boost init%s --label %s, or ", tables, format.Pasted(other))
	}
	return exit.Tablef("%s: %s: %sboost train%s --label %s --objective multiclass", s.File, exit.Wording(err), ways, tables, format.Pasted(label))
}

// chooseLabels returns the label, or several, and what it was guessed from, "" where it was named.
func chooseLabels(s *Table, asked []string) (names []string, how string, err error) {
	for _, name := range asked {
		if s.Data.Column(name) == nil {
			return nil, "", s.noColumn(name)
		}
	}
	if len(asked) > 0 {
		return asked, "", nil
	}
	name, how := s.GuessLabel(s.isUsed)
	if name == "" {
		return nil, "", exit.Tablef("%s: no column can be the label", s.File)
	}
	return []string{name}, how, nil
}

// isUsed reports whether a column is said to be for something else than a label or feature.
func (s *Table) isUsed(name string) bool {
	role := s.Data.Column(name).Role()
	return role != dataset.Feature && role != dataset.LabelRole
}

func configName(output string) string {
	if output == "" || output == "-" {
		return "CONFIG.toml (this file; paths in it are relative to it)"
	}
	return filepath.Base(output)
}
