package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/parts"
)

func rowsCommand() *cobra.Command {
	var p places
	var events string
	c := &cobra.Command{
		Use:   "rows",
		Short: "Keeps what benchmarks of requirement rows found: go test -json -bench … > EVENTS",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := os.Open(events)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }() // only read from
			r := parts.Benchmarks{Machine: harness.ThisMachine(), Command: "make bench-rows"}
			if r.Results, err = parts.Read(f); err != nil {
				return fmt.Errorf("%s: %w", events, err)
			}
			if err := r.Keep(p.results); err != nil {
				return err
			}
			r.Table(cmd.OutOrStdout())
			return p.keep(&r)
		},
	}
	p.outputs(c, "benchmarks/results/rows.json", "benchmarks/results/rows.md")
	c.Flags().StringVar(&events, "events", "", "file with the events of go test -json")
	_ = c.MarkFlagRequired("events")
	return c
}
