package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"boost/booster/model"
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
		Args: argumentsAndMore("MODEL or TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.importance != "" {
				if err := oneOf("importance", f.importance, importanceKinds()...); err != nil {
					return err
				}
			}
			if len(args) == 1 && isModel(args[0]) {
				if f.sets != nil || f.noSpool {
					return usagef("--set and --no-spool say how a table is read, and %s is a model", args[0])
				}
				for _, name := range []string{"label", "weight", "group", "event", "ignore", "categorical"} {
					if cmd.Flags().Changed(name) {
						return usagef("--%s names a column of a table, and %s is a model", name, args[0])
					}
				}
				return a.inspectModel(args[0], &f)
			}
			if f.trees || f.importance != "" {
				return usagef("--trees and --importance are for models, and %s is a table", args[0])
			}
			return a.inspectTable(cmd.Context(), args, &f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.label, "label", "", "`COLUMN` of a table to predict (default: one with a usual name for a label)")
	flags.BoolVar(&f.trees, "trees", false, "print the model's trees")
	flags.StringVar(&f.importance, "importance", "", "print the features by importance, of a `KIND`: gain, split or cover")
	offer(cmd, "importance", importanceKinds()...)
	f.addColumns(cmd)
	offerColumns(cmd, "label")
	f.addSet(cmd, append(slices.Clone(readingKeys), typeKeys...))
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

// isModel reports whether a file is meant to be a model.
func isModel(file string) bool {
	return strings.HasSuffix(file, ".boost") || isModelFile(file)
}

// isModelFile reports whether a file begins as a model does.
func isModelFile(file string) bool {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return false // nothing may be taken from a pipe before its reader comes
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, model.SniffSize)
	n, _ := io.ReadFull(f, start)
	return model.IsModel(start[:n])
}

func (a *app) inspectModel(file string, f *inspectFlags) error {
	m, err := model.Load(file)
	if err != nil {
		return err
	}
	var keys []string
	for _, k := range configs.Keys() {
		keys = append(keys, k.Name)
	}
	r, err := report.NewModel(m, file, model.ImportanceKind(f.importance), keys)
	if errors.Is(err, model.ErrNoStatistics) {
		return usagef("%s: %v", file, err)
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
	defer gcpercent.LowerWide(len(s.table.Columns()))()
	for _, texts := range [][]string{s.Problems, s.Notes} {
		for i := range texts {
			texts[i] = a.hint(texts[i])
		}
	}
	return a.writeOutput("", func(w *bufio.Writer) error {
		if f.json {
			return format.JSON(w, &s.Table)
		}
		return s.Write(w, terminal.Width(a.out))
	})
}
