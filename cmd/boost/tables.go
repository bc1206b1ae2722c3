package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/cmd/boost/internal/badcells"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/evaluation"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/regdir"
	"boost/configs"
	"boost/dataset"
	"boost/internal/format"
)

// reading holds the flags of commands that read a table without a config.
type reading struct {
	sets    []string
	noSpool bool
	columns *cobra.Command // has keyflags.Columns; nil for none
}

// addColumns gives the command keyflags.Columns.
func (r *reading) addColumns(cmd *cobra.Command) {
	r.columns = cmd
	keyflags.Add(cmd, keyflags.Columns)
}

// addSet gives the command --set for the named keys.
func (r *reading) addSet(cmd *cobra.Command, names []string) {
	cmd.Flags().StringArrayVar(&r.sets, "set", nil, "how the table is read, as `section.key=value` ("+strings.Join(leaves(names), ", ")+")")
	complete.WithKeys(cmd, names)
}

// addNoSpool gives the command --no-spool.
func (r *reading) addNoSpool(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&r.noSpool, "no-spool", false, "keep no copy of standard input; a column whose text comes late is then an error")
}

func leaves(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.TrimPrefix(n, "data.")
	}
	return out
}

// config reads the assignments and refuses keys that this command has no use for.
func (r *reading) config(a *app, names []string) (*configs.Config, error) {
	var flags []configs.Flag
	if r.columns != nil {
		var err error
		if flags, err = keyflags.Given(r.columns, keyflags.Columns); err != nil {
			return nil, err
		}
	}
	c, notes, err := configs.Read(configs.Default(), "", r.sets, flags...)
	a.tell(notes)
	if err != nil {
		return nil, err
	}
	for _, k := range configs.Keys() {
		if c.Given(k.Name) && !slices.Contains(names, k.Name) {
			if k.Name == "data.label" && slices.Contains(names, "data.categorical") {
				return nil, exit.Usagef("--set data.label cannot be used here: give --label NAME")
			}
			return nil, exit.Usagef("--set %s cannot be used here: this command takes %s", k.Name, strings.Join(names, ", "))
		}
	}
	return c, nil
}

// checkSides says of a table in the place of a model that it is none, and whether both were given
// the other way round.
func checkSides(cmd *cobra.Command, modelFile string, tables []string) error {
	if _, _, registered := regdir.Cut(modelFile); registered || filename.BeginsAsModel(modelFile) || len(tables) != 1 || !filename.BeginsAsModel(tables[0]) {
		return nil
	}
	return exit.Plain(fmt.Sprintf("%s is a model, and %s is not: give the model first, as in %s %s %s",
		tables[0], modelFile, cmd.CommandPath(), format.Pasted(tables[0]), format.Pasted(modelFile)), model.ErrModel)
}

// open reads the files as one table, "-" from standard input, and says what is
// to be said about it.
func (a *app) open(ctx context.Context, files []string, opts ...dataset.Option) (*dataset.Table, error) {
	var t *dataset.Table
	var err error
	if err := filename.RefuseModels(files); err != nil {
		return nil, err
	}
	a.log.Debug("reading " + strings.Join(files, " "))
	switch {
	case len(files) == 1 && files[0] == "-":
		t, err = dataset.Read(ctx, a.stdin, "standard input", opts...)
	case slices.Contains(files, "-"):
		return nil, exit.Usagef("standard input (-) cannot be joined with files")
	case len(files) == 1:
		t, err = dataset.Open(ctx, files[0], opts...)
	default:
		t, err = dataset.OpenAll(ctx, files, opts...)
	}
	if err != nil {
		return nil, err
	}
	a.tell(notesOf(t))
	a.log.Debug("table read", "table", strings.Join(files, " "), "rows", t.NumRows(), "columns", len(t.Columns()))
	return t, nil
}

// stream prepares reading files part by part, "-" from standard input.
func (a *app) stream(ctx context.Context, files []string, opts ...dataset.Option) (*dataset.Stream, error) {
	if err := filename.RefuseModels(files); err != nil {
		return nil, err
	}
	a.log.Debug("reading " + strings.Join(files, " "))
	if len(files) == 1 && files[0] == "-" {
		return dataset.ReadStream(ctx, a.stdin, "standard input", opts...)
	}
	return dataset.OpenStream(ctx, files, opts...)
}

// notesOf returns what is to be said about a table, less the problems that inspect
// and init report in their own place.
func notesOf(t *dataset.Table) []string {
	notes := t.Notes()
	for _, problem := range t.Mixed() {
		notes = slices.DeleteFunc(notes, func(n string) bool { return n == problem.Error() })
	}
	return notes
}

// openAs reads files as one table with a schema, the model's or the training table's.
func (a *app) openAs(ctx context.Context, s dataset.Schema, c *configs.Config, files ...string) (*dataset.Table, error) {
	return a.open(ctx, files, c.LabelledOptions(s)...)
}

// openLabelled reads a table that has the label of a model, and reports categories that training did not have.
func (a *app) openLabelled(ctx context.Context, files []string, m evaluation.Model, c *configs.Config, onUnseen string) (*dataset.Table, error) {
	t, err := a.openAs(ctx, m.Schema(), c, files...)
	if err != nil {
		return nil, badcells.AtCommandLine(err)
	}
	if err := needLabel(t, strings.Join(files, " "), m.Schema()); err != nil {
		return nil, err
	}
	return t, a.reportUnseen(t, m, onUnseen, files...)
}

// tell reports each note once, also where several tables bring it up.
func (a *app) tell(notes []string) {
	for _, n := range notes {
		if !a.told[n] {
			a.told[n] = true
			a.log.Info(n)
		}
	}
}

// needLabel makes sure that a table read with a schema has the label.
func needLabel(t *dataset.Table, file string, s dataset.Schema) error {
	found := t.LabelColumns()
	for _, c := range s.Columns {
		if c.Role == dataset.LabelRole && (len(found) == 0 || found[0].Name() != c.Name) {
			return exit.Tablef("%s: there is no column %q, the label that the model predicts", file, c.Name)
		} else if c.Role == dataset.LabelRole {
			found = found[1:]
		}
	}
	if t.LabelColumn() == nil {
		return exit.Tablef("the model names no label column")
	}
	return nil
}
