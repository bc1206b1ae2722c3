package main

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"boost/booster"
	"boost/booster/preset"
	"boost/configs"
	"boost/dataset"
	"boost/internal/format"
	"boost/internal/output"
	"boost/internal/profile"
	"boost/objectives"
)

// initFlags is the command line of init.
type initFlags struct {
	reading
	labels []string
	all    bool
	output string
}

func (a *app) initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init TABLE…",
		Short: "Write a config file for a table",
		Long: `Write a commented config file for a table: the label (guessed without --label), an objective
that fits it, and columns to leave out. Training with it gives the same model as training from the
table, except that columns that name the rows are ids, and that numbers and dates in disguise are read.`,
		Example: `  boost init data.csv --label price -o run.toml
  boost init data.csv --all`,
		Args: argumentsAndMore("TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.init(cmd.Context(), args, &f) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.labels, "label", nil, "`COLUMN` to predict, or several, separated by commas (default: guessed)")
	flags.BoolVar(&f.all, "all", false, "write every key; those at their default as comments")
	flags.StringVarP(&f.output, "output", "o", "", "config `FILE` to write (default: standard output)")
	f.addColumns(cmd)
	offerColumns(cmd, "label")
	f.addSet(cmd, append(slices.Clone(readingKeys), typeKeys...))
	f.addNoSpool(cmd)
	return cmd
}

func (a *app) init(ctx context.Context, files []string, f *initFlags) error {
	if f.output != "" && f.output != "-" {
		if reads(files, f.output) {
			return usagef("%s is read, and cannot be written over by the same run: give another name with -o", f.output)
		}
		if err := output.Writable(f.output); err != nil {
			return err
		}
	}
	s, err := a.profileTable(ctx, files, &f.reading, "", false)
	if err != nil {
		return err
	}
	starter, how, err := newStarter(s, files, f)
	if err != nil {
		return err
	}
	if how != "" {
		a.log.Info(fmt.Sprintf("the label is guessed to be %q, from %s: --label NAME makes sure", starter.Config.Data.Label[0], how))
	}
	return a.writeOutput(f.output, func(w *bufio.Writer) error {
		_, err := w.Write(starter.TOML())
		return err
	})
}

// newStarter turns what was found in a table into a config, and returns how the label
// was guessed, "" where it was named.
func newStarter(s *tableProfile, files []string, f *initFlags) (starter *configs.Starter, how string, err error) {
	labels, how, err := chooseLabels(s, f.labels)
	if err != nil {
		return nil, "", err
	}
	c := s.config
	for _, file := range files {
		c.Data.Train = append(c.Data.Train, relativeTo(f.output, file))
	}
	c.Data.Label = labels
	c.Effort = preset.Default
	c.Output.Model = stem(files[0]) + ".boost"
	starter = &configs.Starter{
		Config: c, All: f.all, Comments: map[string][]string{},
		Title: []string{
			fmt.Sprintf("boost config for %s: %s, %s.", s.File, format.Counted(s.Rows, "row"), format.Counted(len(s.Columns), "column")),
			"Train with it: boost train " + configName(f.output),
		},
	}
	say := func(key, format string, args ...any) {
		starter.Comments[key] = append(starter.Comments[key], fmt.Sprintf(format, args...))
	}
	if how != "" {
		say("data.label", "A guess, from %s: boost init TABLE --label NAME makes sure.", how)
	}
	for _, e := range s.unreadable {
		say("data.ignore", "%s.", e)
	}
	if s.parsed {
		c.Data.Parse = nil
		for _, column := range s.table.Schema().Columns {
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
	mixed := s.table.Mixed()
	features := 0
	for i := range s.Columns {
		column := &s.Columns[i]
		switch {
		case slices.Contains(labels, column.Name):
			if column.Distinct < 2 {
				return nil, "", tablef("%s: label %q has the same value in every row: there is nothing to predict", s.File, column.Name)
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
		return nil, "", tablef("%s: no column is left to predict %q from: columns that name rows and text that mostly differs are left out (give --categorical NAME to use a column)", s.File, strings.Join(labels, ", "))
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
func describeLabel(s *tableProfile, labels []string, say func(key, format string, args ...any), starter *configs.Starter) error {
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
	say("train.rounds", "Early stopping ends training when more rounds do not help.")
	if info, _ := objectives.Lookup(objective); info.Labels == objectives.TwoClasses {
		classes, _ := dataset.ClassesOf(labelled.LabelColumn())
		say("data.label", "%q is the positive class; positive_class = %q makes it the other one.", classes[1], classes[0])
	}
	return nil
}

// otherLabel adds to the refusal of a label what to do instead, as command lines.
func (s *tableProfile) otherLabel(label string, err error) error {
	tables, ways := "", ""
	for _, file := range s.files {
		tables += " " + pasted(file)
	}
	if other, _ := s.GuessLabel(); other != "" && other != label {
		ways = fmt.Sprintf("boost init%s --label %s, or ", tables, pasted(other))
	}
	return tablef("%s: %s: %sboost train%s --label %s --objective multiclass", s.File, wording(err), ways, tables, pasted(label))
}

// chooseLabels returns the label, or several, and what it was guessed from, "" where it was named.
func chooseLabels(s *tableProfile, asked []string) (names []string, how string, err error) {
	for _, name := range asked {
		if s.table.Column(name) == nil {
			return nil, "", s.noColumn(name)
		}
	}
	if len(asked) > 0 {
		return asked, "", nil
	}
	name, how := s.GuessLabel()
	if name == "" {
		return nil, "", tablef("%s: no column can be the label", s.File)
	}
	return []string{name}, how, nil
}

// relativeTo returns the table's path as it is written in a config file.
func relativeTo(config, table string) string {
	if table == "-" || filepath.IsAbs(table) || config == "" || config == "-" {
		return table
	}
	dir, noDir := filepath.Abs(filepath.Dir(config))
	file, noFile := filepath.Abs(table)
	relative, err := filepath.Rel(dir, file)
	switch {
	case noDir != nil || noFile != nil:
		return table
	case err != nil:
		return file
	}
	return filepath.ToSlash(relative)
}

func configName(output string) string {
	if output == "" || output == "-" {
		return "CONFIG.toml (this file; paths in it are relative to it)"
	}
	return filepath.Base(output)
}
