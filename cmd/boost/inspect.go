package main

import (
	"bufio"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/configs"
	"boost/internal/format"
	"boost/internal/gcpercent"
	"boost/internal/report"
	"boost/internal/terminal"
)

// inspectFlags is the command line of inspect.
type inspectFlags struct {
	reading
	json       bool
	trees      bool
	importance string
	label      string
}

func (a *app) inspectCommand() *cobra.Command {
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect MODEL|TABLE…",
		Short: "Show what is in a model or a table",
		Long: `Show what is in a model or a table.

For a model: its training data, parameters, metrics and used features.

For a table: for each column the missing and distinct values, and the range, quantiles and mean of
its numbers or its most frequent levels; then findings, which are worth a check before training,
such as columns that are constant, name the rows, repeat each other, or give the label away; and
problems, which prevent training. The label is the column that --label names, or one called
label, target, y, class, outcome or response.

A file that begins like a model or has a name that ends in .boost is a model.`,
		Example: `  boost inspect data.csv --label price
  boost inspect price.boost --importance split
  boost inspect price.boost --trees | less`,
		Args: usage.AtLeast("MODEL or TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.importance != "" {
				if err := exit.OneOf("importance", f.importance, importanceKinds()...); err != nil {
					return err
				}
			}
			if _, _, stored := regdir.Cut(args[0]); len(args) == 1 && (stored || filename.IsModel(args[0])) {
				if f.sets != nil || f.noSpool {
					return exit.Usagef("--set and --no-spool say how a table is read, and %s is a model", args[0])
				}
				for _, name := range []string{"label", "weight", "group", "event", "ignore", "categorical"} {
					if cmd.Flags().Changed(name) {
						return exit.Usagef("--%s names a column of a table, and %s is a model", name, args[0])
					}
				}
				return a.inspectModel(args[0], &f)
			}
			if f.trees || f.importance != "" {
				return exit.Usagef("--trees and --importance are for models, and %s is a table", args[0])
			}
			return a.inspectTable(cmd.Context(), args, &f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.label, "label", "", "`COLUMN` of a table to predict (default: one with a usual name for a label)")
	flags.BoolVar(&f.trees, "trees", false, "print the model's trees")
	flags.StringVar(&f.importance, "importance", "", "print the features by importance, of a `KIND`: gain, split or cover")
	complete.With(cmd, "importance", importanceKinds()...)
	f.addColumns(cmd)
	complete.WithColumns(cmd, "label")
	f.addSet(cmd, append(slices.Clone(keyflags.Reading), keyflags.Types...))
	f.addNoSpool(cmd)
	return cmd
}

func importanceKinds() []string {
	var names []string
	for _, kind := range model.ImportanceKinds {
		names = append(names, string(kind))
	}
	return names
}

func (a *app) inspectModel(file string, f *inspectFlags) error {
	m, err := regdir.Load(file)
	if err != nil {
		return err
	}
	var keys []string
	for _, k := range configs.Keys() {
		keys = append(keys, k.Name)
	}
	r, err := report.NewModel(m, file, model.ImportanceKind(f.importance), keys)
	if errors.Is(err, model.ErrNoStatistics) {
		return exit.Usagef("%s: %v", file, err)
	}
	if err != nil {
		return err
	}
	return a.writeOutput("", func(w *bufio.Writer) error {
		switch {
		case f.json:
			return r.WriteJSON(w, f.trees)
		case !f.trees && f.importance == "":
			return r.WriteText(w)
		}
		if f.importance != "" {
			if err := r.WriteImportance(w); err != nil {
				return err
			}
		}
		if f.trees {
			return m.DumpTrees(w)
		}
		return nil
	})
}

// inspectTable reads a table as training would, but reports what stands in its way.
func (a *app) inspectTable(ctx context.Context, files []string, f *inspectFlags) error {
	s, err := a.profileTable(ctx, files, &f.reading, f.label, true)
	if err != nil {
		return err
	}
	defer gcpercent.LowerWide(len(s.Data.Columns()))()
	for _, texts := range [][]string{s.Problems, s.Notes} {
		for i := range texts {
			texts[i] = a.command.Hint(texts[i])
		}
	}
	return a.writeOutput("", func(w *bufio.Writer) error {
		if f.json {
			return format.JSON(w, &s.Table)
		}
		return s.Write(w, terminal.Width(a.out))
	})
}
