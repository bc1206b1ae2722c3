package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/configs"
	"boost/dataset"
)

// readingKeys are the settings that say how a table is written. They stand above what a model
// remembers of its own.
var readingKeys = []string{
	"data.format", "data.missing", "data.missing_only", "data.parse", "data.blanks", "data.decimal", "data.encoding", "data.separator", "data.header", "data.on_bad_row",
	"data.absent", "data.index_base", "data.sheet", "data.side_files",
}

// typeKeys are the settings that matter only while a table's types are inferred.
var typeKeys = []string{"data.weight", "data.group", "data.init_score", "data.id", "data.ignore", "data.categorical"}

// reading holds the flags of commands that read a table without a config.
type reading struct {
	sets    []string
	noSpool bool
	columns *cobra.Command // has columnFlags; nil for none
}

// addColumns gives the command columnFlags.
func (r *reading) addColumns(cmd *cobra.Command) {
	r.columns = cmd
	addKeyFlags(cmd, columnFlags)
}

// addSet gives the command --set for the named keys.
func (r *reading) addSet(cmd *cobra.Command, names []string) {
	cmd.Flags().StringArrayVar(&r.sets, "set", nil, "how the table is read, as `section.key=value` ("+strings.Join(leaves(names), ", ")+")")
	offerKeys(cmd, names)
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
		if flags, err = givenKeys(r.columns, columnFlags); err != nil {
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
				return nil, usagef("--set data.label cannot be used here: give --label NAME")
			}
			return nil, usagef("--set %s cannot be used here: this command takes %s", k.Name, strings.Join(names, ", "))
		}
	}
	return c, nil
}

// refuseModels says of a model that it is no table.
func refuseModels(files []string) error {
	for _, file := range files {
		if isModelFile(file) {
			return tablef("%s is a model: expected a table", file)
		}
	}
	return nil
}

// checkSides says of a table in the place of a model that it is none, and whether both were given
// the other way round.
func checkSides(cmd *cobra.Command, modelFile string, tables []string) error {
	if _, _, registered := cutRegistry(modelFile); registered || isModelFile(modelFile) || len(tables) != 1 || !isModelFile(tables[0]) {
		return nil
	}
	return &plainError{fmt.Sprintf("%s is a model, and %s is not: give the model first, as in %s %s %s",
		tables[0], modelFile, cmd.CommandPath(), pasted(tables[0]), pasted(modelFile)), model.ErrModel}
}

// open reads the files as one table, "-" from standard input, and says what is
// to be said about it.
func (a *app) open(ctx context.Context, files []string, opts ...dataset.Option) (*dataset.Table, error) {
	var t *dataset.Table
	var err error
	if err := refuseModels(files); err != nil {
		return nil, err
	}
	a.log.Debug("reading " + strings.Join(files, " "))
	switch {
	case len(files) == 1 && files[0] == "-":
		t, err = dataset.Read(ctx, a.stdin, "standard input", opts...)
	case slices.Contains(files, "-"):
		return nil, usagef("standard input (-) cannot be joined with files")
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
	if err := refuseModels(files); err != nil {
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
	return a.open(ctx, files, append(c.ReadOptions(), dataset.As(s))...)
}

// openLabelled reads a table that has the label of a model, and reports categories that training did not have.
func (a *app) openLabelled(ctx context.Context, files []string, m predictor, c *configs.Config, onUnseen string) (*dataset.Table, error) {
	t, err := a.openAs(ctx, m.Schema(), c, files...)
	if err != nil {
		return nil, atCommandLine(err)
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
			return tablef("%s: there is no column %q, the label that the model predicts", file, c.Name)
		} else if c.Role == dataset.LabelRole {
			found = found[1:]
		}
	}
	if t.LabelColumn() == nil {
		return tablef("the model names no label column")
	}
	return nil
}

// stem returns a table's file name without folder and endings, "model" where it
// has none that is fit for a file.
func stem(file string) string {
	name := filepath.Base(file)
	for _, end := range []string{".gz", ".zst", ".csv", ".tsv", ".txt", ".xlsx", ".jsonl", ".ndjson", ".json", ".parquet", ".arrow", ".feather", ".arrows", ".svm", ".libsvm", ".svmlight", ".toml"} {
		if len(name) > len(end) && strings.EqualFold(name[len(name)-len(end):], end) {
			name = name[:len(name)-len(end)]
		}
	}
	if file == "-" || strings.ContainsAny(name, "*?[]") || strings.Trim(name, ".") == "" {
		return "model"
	}
	return name
}

// sameFile reports whether two names mean one file that exists.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// reads reports whether the output is a file that the run reads: one of the tables, of those
// that a pattern names, or one beside them.
func reads(tables []string, out string, opts ...dataset.Option) bool {
	if out == "" {
		return false
	}
	if _, err := os.Stat(out); err != nil {
		return false // nothing that could be lost
	}
	for _, table := range tables {
		files, err := dataset.Files([]string{table}, opts...)
		if err != nil { // what is wrong is said when the table is opened
			files, _ = filepath.Glob(table)
		}
		for _, file := range append(files, table) {
			if sameFile(file, out) {
				return true
			}
		}
	}
	return false
}
