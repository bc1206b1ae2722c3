package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/usage"
	"boost/internal/cpu"
	"boost/internal/format"
	"boost/internal/output"
	"boost/internal/report"
	"boost/internal/tensorbench"
)

// benchBudget is how long the turns of each speed take; all lines together stay below 40 s.
var benchBudget = time.Second

func (a *app) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench COMMAND",
		Short: "Measure parts of boost on this machine",
	}
	return usage.Commands(cmd, a.benchTensorqCommand())
}

// benchFlags is the command line of bench tensorq.
type benchFlags struct {
	storeFlags
	json bool
}

func (a *app) benchTensorqCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "tensorq",
		Short: "Measure the tensor store against its acceptance criteria",
		Long: `Measure the codes, formats, sizes, speeds and policies of the tensor store on this machine, in
less than 40 seconds. Each criterion ends in pass or FAIL; the exit code is 1 if one fails. Bytes,
errors and speeds of the tiers follow.

The keys of [registry] describe the store.`,
		Example: `  boost bench tensorq
  boost bench tensorq --set registry.warm_byte_cap=16MiB --json`,
		Args:              usage.Arguments(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.benchTensorq(cmd.Context(), &f) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	f.add(cmd, "store", "")
	return cmd
}

func (a *app) benchTensorq(ctx context.Context, f *benchFlags) error {
	c, err := f.read(a, f.config)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "boost-bench-")
	if err != nil {
		return fmt.Errorf("cannot make a folder for the measured stores: %w", err)
	}
	defer os.RemoveAll(dir)
	result := report.Bench{CPU: cpu.Model(), Level: a.level.String()}
	print := func(format string, args ...any) error {
		if f.json {
			return nil
		}
		_, err := fmt.Fprintf(output.Stdout(a.out), format+"\n", args...)
		return err
	}
	if err := print("The tensor store on %s (%s)", result.CPU, result.Level); err != nil {
		return err
	}
	options := tensorbench.Options{Config: c, Dir: dir, Budget: benchBudget}
	err = tensorbench.Run(ctx, options, func(l tensorbench.Line) error {
		if l.OK {
			result.Passed++
		} else {
			result.Failed++
		}
		result.Lines = append(result.Lines, l)
		return print("%v", l)
	})
	if err != nil {
		return err
	}
	if result.Store, err = tensorbench.Tiers(options); err != nil {
		return err
	}
	result.Seconds = time.Since(a.started).Seconds()
	if f.json {
		err = format.JSON(output.Stdout(a.out), result)
	} else {
		err = result.WriteTiers(output.Stdout(a.out))
	}
	if err == nil && result.Failed > 0 {
		return &exit.Silent{Err: errors.New("not all of the list holds")}
	}
	return err
}
