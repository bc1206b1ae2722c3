package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/usage"
	"boost/configs"
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
		Args: usage.AtLeast("TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.init(cmd.Context(), args, &f) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.labels, "label", nil, "`COLUMN` to predict, or several, separated by commas (default: guessed)")
	flags.BoolVar(&f.all, "all", false, "write every key; those at their default as comments")
	flags.StringVarP(&f.output, "output", "o", "", "config `FILE` to write (default: standard output)")
	f.addColumns(cmd)
	complete.WithColumns(cmd, "label")
	f.addSet(cmd, append(slices.Clone(keyflags.Reading), keyflags.Types...))
	f.addNoSpool(cmd)
	return cmd
}

func (a *app) init(ctx context.Context, files []string, f *initFlags) error {
	if f.output != "" && f.output != "-" {
		if filename.Reads(files, f.output) {
			return exit.Usagef("%s is read, and cannot be written over by the same run: give another name with -o", f.output)
		}
		if err := filename.NewConfig(f.output); err != nil {
			return err
		}
	}
	asked := make([]configs.Flag, len(f.labels))
	for i, label := range f.labels {
		asked[i].Name, asked[i].Key, asked[i].Value = "--label", "data.label", label
	}
	labels, _, err := configs.Read(configs.Default(), "", nil, asked...)
	if err != nil {
		return err
	}
	s, err := a.profileTable(ctx, files, &f.reading, "", false)
	if err != nil {
		return err
	}
	config, how, err := s.Starter(labels.Data.Label, f.all, f.output)
	if err != nil {
		return err
	}
	if how != "" {
		a.log.Info(fmt.Sprintf("the label is guessed to be %q, from %s: --label NAME makes sure", config.Config.Data.Label[0], how))
	}
	return a.writeOutput(f.output, func(w *bufio.Writer) error {
		_, err := w.Write(config.TOML())
		return err
	})
}
