package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"boost/benchmarks/machine"
	"boost/benchmarks/rows"
)

func rowsCommand() *cobra.Command {
	var events, results, document, command string
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
			r := rows.Record{Machine: machine.This(), Command: command}
			if r.Results, err = rows.Read(f); err != nil {
				return fmt.Errorf("%s: %w", events, err)
			}
			record := filepath.Join(results, "rows.json")
			if err := r.Keep(record); err != nil {
				return err
			}
			if err := r.Save(record); err != nil {
				return err
			}
			r.Table(cmd.OutOrStdout())
			if document == "" {
				return nil
			}
			return r.UpdateDocument(document)
		},
	}
	c.Flags().StringVar(&events, "events", "", "file with the events of go test -json")
	c.Flags().StringVar(&command, "command", "make bench-rows", "the command that the record names")
	c.Flags().StringVar(&results, "results", "benchmarks/results", "folder for the JSON record")
	c.Flags().StringVar(&document, "document", "benchmarks/results/rows.md", "document to put the table into; empty for none")
	_ = c.MarkFlagRequired("events")
	return c
}
