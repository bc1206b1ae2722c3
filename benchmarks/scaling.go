package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/machine"
	"boost/benchmarks/peers"
	"boost/benchmarks/scaling"
)

func scalingCommand() *cobra.Command {
	r := scaling.Record{}
	var most scaling.Size
	var cache, results, document string
	c := &cobra.Command{
		Use:   "scaling",
		Short: "Times training by rows and by columns, and plots both",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if most.Rows < 1600 || most.Columns < 16 || r.Turns < 1 {
				return errors.New("--rows must be at least 1600, --cols at least 16, --turns at least 1")
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			r.Machine = machine.This()
			r.Command = fmt.Sprintf("go run ./benchmarks scaling --rows %d --cols %d --rounds %d --threads %d --turns %d",
				most.Rows, most.Columns, r.Rounds, r.Threads, r.Turns)
			err = r.Measure(cmd.Context(), most, func(ctx context.Context, size scaling.Size) (scaling.Run, error) {
				row := peers.Quick()
				row.Rows, row.Columns, row.Test, row.Threads = size.Rows, size.Columns, 1000, r.Threads
				folder, err := generated(cmd, self, cache, row)
				if err != nil {
					return scaling.Run{}, err
				}
				return trainedIn(ctx, self, folder, r.Rounds, r.Threads)
			})
			if err != nil {
				return err
			}
			r.Table(cmd.OutOrStdout())
			if err := r.Save(results); err != nil || document == "" {
				return err
			}
			return plotInto(&r, document)
		},
	}
	f := c.Flags()
	f.IntVar(&most.Rows, "rows", 2_000_000, "the most rows; columns are varied at a quarter of them")
	f.IntVar(&most.Columns, "cols", 112, "the most columns; rows are varied at a quarter of them")
	f.IntVar(&r.Rounds, "rounds", 50, "boosting rounds")
	f.IntVar(&r.Threads, "threads", 2, "threads")
	f.IntVar(&r.Turns, "turns", 3, "turns of all sizes; the shortest time of each counts")
	f.StringVar(&cache, "cache", "", "folder that generated tables are kept in (default: the user's cache)")
	f.StringVar(&results, "results", "benchmarks/results/scaling.json", "JSON file for the record")
	f.StringVar(&document, "document", "benchmarks/results/README.md", "document to put the table into, with scaling.svg beside it; empty for none")
	return c
}

// trainedIn trains in a process of its own and returns what training alone takes.
func trainedIn(ctx context.Context, self, folder string, rounds, threads int) (scaling.Run, error) {
	command := []string{self, "train", "--data", folder, "--rounds", strconv.Itoa(rounds), "--threads", strconv.Itoa(threads)}
	out, state, err := peers.Execute(ctx, command, threads, "")
	if err != nil {
		return scaling.Run{}, fmt.Errorf("train: %w", err)
	}
	var run peers.Run
	err = json.Unmarshal(out, &run)
	return scaling.Run{Seconds: run.Train, Peak: peers.PeakOf(state)}, err
}

// plotInto writes the plot beside a document, and the section into it.
func plotInto(r *scaling.Record, document string) error {
	const name = "scaling.svg"
	plot, err := os.Create(filepath.Join(filepath.Dir(document), name))
	if err != nil {
		return err
	}
	if err := errors.Join(r.Plot(plot), plot.Close()); err != nil {
		return err
	}
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	var section strings.Builder
	r.Section(&section, name)
	return os.WriteFile(document, []byte(peers.ReplaceSection(string(old), "scaling", section.String())), 0o666)
}
