package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"boost/booster"
	"boost/booster/model"
	"boost/booster/search"
	"boost/cmd/boost/internal/evaluation"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/internal/report"
	"boost/objectives"
)

// refitFlags is the command line of refit.
type refitFlags struct {
	reading
	decay float64
	unseenFlag
	threads int
	output  string
	json    bool
}

func (a *app) refitCommand() *cobra.Command {
	var f refitFlags
	cmd := &cobra.Command{
		Use:   "refit MODEL TABLE -o OUT",
		Short: "Compute new leaf values from a table",
		Long: `Write the model with new leaf values in the same trees: decay × the old value + (1 − decay) × the
value that the rows of the table give. A leaf that no row reaches keeps its value. The metrics on
the table are printed before and after.`,
		Example: `  boost refit price.boost june.csv -o june.boost
  boost refit price.boost june.csv --decay 0.5 -o june.boost`,
		Args: usage.Arguments("MODEL", "TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.unseenFlag.check(); err != nil {
				return err
			}
			if !(f.decay >= 0 && f.decay <= 1) {
				return exit.Usagef("--decay must be 0 (new values only) … 1 (old ones only), not %v", f.decay)
			}
			if f.threads < 0 {
				return exit.Usagef("--threads must be 0 (as many as are of use) or more, not %d", f.threads)
			}
			if err := a.checkOutput(cmd, f.output, args); err != nil {
				return err
			}
			if err := checkSides(cmd, args[0], args[1:]); err != nil {
				return err
			}
			return a.refit(cmd.Context(), args[0], args[1], &f)
		},
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.decay, "decay", 0.9, "`SHARE` of the old leaf values, 0 … 1")
	flags.StringVarP(&f.output, "output", "o", "", "model `FILE` to write")
	flags.IntVar(&f.threads, "threads", 0, "`N` threads; 0 = CPU quota or physical cores, the smaller")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.unseenFlag.add(cmd)
	f.addSet(cmd, keyflags.Reading)
	return cmd
}

func (a *app) refit(ctx context.Context, modelFile, tableFile string, f *refitFlags) error {
	c, err := f.config(a, keyflags.Reading)
	if err != nil {
		return err
	}
	m, err := regdir.Load(modelFile)
	if err != nil {
		return err
	}
	if err := ownObjective(m, modelFile); err != nil {
		return err
	}
	if filename.Reads([]string{tableFile}, f.output, c.ReadOptions()...) {
		return exit.Usagef("%s is read, and cannot be written over by the same run: give another name with -o", f.output)
	}
	t, err := a.openLabelled(ctx, []string{tableFile}, m, c, f.onUnseen)
	if err != nil {
		return err
	}
	names, err := m.DefaultMetrics()
	if err != nil {
		return err
	}
	pool := a.pool(f.threads)
	defer pool.Close()
	before, err := evaluation.Whole(ctx, m, t, names, pool)
	if err != nil {
		return err
	}
	refitted, err := search.Refit(ctx, m, t, f.decay, booster.WithPool(pool), booster.Logger(a.log))
	if err != nil {
		return err
	}
	after, err := evaluation.Whole(ctx, refitted, t, names, pool)
	if err != nil {
		return err
	}
	a.reportUncalibrated(m)
	if err := a.saveModel(refitted, f.output); err != nil {
		return err
	}
	if a.quiet && !f.json {
		return nil
	}
	found := report.Refit{Rows: t.NumRows(), Before: before, After: after}
	return a.answer(f.json, found.JSON(), found.Write)
}

// ownObjective refuses a model whose loss the program does not have.
func ownObjective(m *model.Model, file string) error {
	if name := m.Contents().Objective; !slices.Contains(objectives.Names(), name) {
		return fmt.Errorf("%s: objective %q is not one of boost's own, so the model cannot be trained again", file, name)
	}
	return nil
}
