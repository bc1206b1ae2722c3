package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/parts"
	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
)

// scalingPicture is drawn beside the document.
const scalingPicture = "scaling.svg"

func scalingCommand() *cobra.Command {
	var p places
	var r parts.Scaling
	var most parts.Size
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
			r.Machine = harness.ThisMachine()
			r.Command = fmt.Sprintf("go run ./benchmarks scaling --rows %d --cols %d --rounds %d --threads %d --turns %d",
				most.Rows, most.Columns, r.Rounds, r.Threads, r.Turns)
			err = r.Measure(cmd.Context(), most, func(ctx context.Context, size parts.Size) (parts.Training, error) {
				folder, err := p.generated(cmd, table{kind: synth.Dense, rows: size.Rows, columns: size.Columns, test: 1000, text: true})
				if err != nil {
					return parts.Training{}, err
				}
				var process peers.Process
				used, err := harness.Process{Threads: r.Threads, Command: []string{self, "train", "--once", "--folder", folder,
					"--rounds", strconv.Itoa(r.Rounds), "--threads", strconv.Itoa(r.Threads)}}.Run(ctx, &process)
				if err == nil && len(process.Ways) == 0 {
					err = errors.New("nothing was trained")
				}
				if err != nil {
					return parts.Training{}, err
				}
				return parts.Training{Seconds: process.Ways[0].Seconds, Peak: used.Peak}, nil
			})
			if err != nil {
				return err
			}
			r.Table(cmd.OutOrStdout())
			if err := harness.Write(p.results, &r); err != nil {
				return err
			}
			return p.publishScaling(&r)
		},
	}
	f := c.Flags()
	p.inputs(c, "", "generated tables")
	p.outputs(c, "benchmarks/results/scaling.json", "benchmarks/results/README.md")
	f.IntVar(&most.Rows, "rows", 2_000_000, "the most rows; columns are varied at a quarter of them")
	f.IntVar(&most.Columns, "cols", 112, "the most columns; rows are varied at a quarter of them")
	f.IntVar(&r.Rounds, "rounds", 50, "boosting rounds")
	f.IntVar(&r.Threads, "threads", 2, "threads")
	f.IntVar(&r.Turns, "turns", 3, "turns of all sizes; the shortest time of each counts")
	return c
}

// publishScaling writes the plot and the section.
func (p *places) publishScaling(r *parts.Scaling) error {
	if p.document == "" {
		return nil
	}
	if err := p.picture(scalingPicture, func(f *os.File) error { return r.Plot(f) }); err != nil {
		return err
	}
	return r.UpdateDocument(p.document, scalingPicture)
}
