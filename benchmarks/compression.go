package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/compression"
	"boost/benchmarks/machine"
)

func compressionCommand() *cobra.Command {
	var data, results, document string
	var threads int
	c := &cobra.Command{
		Use:   "compression",
		Short: "Measures what data types, scales and error feedback cost on models of real data sets",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sets, err := accuracy.Sets(data, compression.Sets...)
			if err != nil {
				return err
			}
			r := compression.Record{Machine: machine.This()}
			for _, set := range sets {
				figures, err := compression.Measure(cmd.Context(), set, threads)
				if err != nil {
					return fmt.Errorf("%s: %w", set.Name, err)
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "%-20s %-24s %12.6f  %6d trees  %6d leaves\n", set.Name, figures.Metric, figures.Loss, figures.Trees, figures.Leaves)
				r.Sets = append(r.Sets, figures)
			}
			if err := r.Save(results); err != nil {
				return err
			}
			return r.UpdateDocument(document)
		},
	}
	c.Flags().StringVar(&data, "data", filepath.Join(os.Getenv("BOOST_SHARED"), "data"), "folder of the data sets")
	c.Flags().StringVar(&results, "results", "benchmarks/results", "folder for the JSON record")
	c.Flags().StringVar(&document, "document", "benchmarks/results/leaves.md", "document to put the tables into")
	c.Flags().IntVar(&threads, "threads", 2, "threads to train with")
	return c
}
