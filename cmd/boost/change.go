package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/cmd/boost/internal/evaluation"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
)

func (a *app) rollbackCommand() *cobra.Command {
	var output string
	var rounds int
	cmd := &cobra.Command{
		Use:   "rollback MODEL --rounds K -o OUT",
		Short: "Keep the first rounds of a model",
		Long: `Write the first K rounds of a model (0 to all) as a model. It is what training would have
written if it had been interrupted after these rounds, and can be reproduced as such. A random forest,
rounds with dropout (train.boosting rf and dart), and models that were merged or averaged cannot be cut.`,
		Example: `  boost rollback price.boost --rounds 80 -o price80.boost`,
		Args:    usage.Arguments("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("rounds") {
				return exit.Usagef("--rounds is missing: boost %s", cmd.Use)
			}
			if err := a.checkOutput(cmd, output, args); err != nil {
				return err
			}
			m, err := regdir.Load(args[0])
			if err != nil {
				return err
			}
			s := evaluation.Stages{Rounds: rounds, Limited: true}
			if err := s.Fit(m, args[0]); err != nil {
				return err
			}
			a.reportUncalibrated(m)
			if m, err = m.Prefix(rounds); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return a.saveModel(m, output)
		},
	}
	cmd.Flags().IntVar(&rounds, "rounds", 0, "`K` rounds to keep")
	cmd.Flags().StringVarP(&output, "output", "o", "", "model `FILE` to write")
	return cmd
}

func (a *app) mergeCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "merge MODEL MODEL... -o OUT",
		Short: "Merge models into one",
		Long: `Write a model whose raw scores are the sum of those of the given models. Label, objective and
classes must agree. Columns may differ; the merged model needs all of them.`,
		Example: `  boost merge north.boost south.boost -o both.boost`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return exit.Usagef("give two models or more: boost %s", cmd.Use)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.checkOutput(cmd, output, args); err != nil {
				return err
			}
			models := make([]*model.Model, len(args))
			for i, file := range args {
				var err error
				if models[i], err = regdir.Load(file); err != nil {
					return err
				}
			}
			merged, err := model.Merge(models...)
			if err != nil {
				return exit.Usagef("the models cannot be merged: %v", err)
			}
			a.reportUncalibrated(models...)
			return a.saveModel(merged, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "model `FILE` to write")
	return cmd
}

// checkOutput refuses to write no model, to standard output, under a name that is not that of a model, or over what is read.
func (a *app) checkOutput(cmd *cobra.Command, file string, read []string) error {
	switch file {
	case "":
		return exit.Usagef("-o is missing: boost %s", cmd.Use)
	case "-":
		return exit.Usagef("a model cannot be written to standard output: name a file with -o")
	}
	for _, input := range read {
		if filename.Same(input, file) {
			return exit.Usagef("%s is read, and cannot be written over by the same run: give another name", file)
		}
	}
	if cmd.Name() == "convert" { // which writes text too
		return filename.Whole(file)
	}
	return filename.Model(file)
}

// saveModel writes a model and says so.
func (a *app) saveModel(m *model.Model, output string) error {
	if err := m.Save(output); err != nil {
		return err
	}
	a.log.Info(output+" was written", "rounds", m.Rounds(), "bytes", filename.Size(output))
	return nil
}
