package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/compression"
	"boost/benchmarks/harness"
)

func compressionCommand() *cobra.Command {
	var p places
	var threads int
	c := &cobra.Command{
		Use:   "compression",
		Short: "Measures what data types, scales and error feedback cost on models of real data sets",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sets, err := accuracy.Sets(p.data, compression.Sets...)
			if err != nil {
				return err
			}
			r := compression.Record{Machine: harness.ThisMachine()}
			for _, set := range sets {
				figures, err := compression.Measure(cmd.Context(), set, threads)
				if err != nil {
					return fmt.Errorf("%s: %w", set.Name, err)
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "%-20s %-24s %12.6f  %6d trees  %6d leaves\n", set.Name, figures.Metric, figures.Loss, figures.Trees, figures.Leaves)
				r.Sets = append(r.Sets, figures)
			}
			if err := r.Save(p.results); err != nil || p.document == "" {
				return err
			}
			return r.UpdateDocument(p.document)
		},
	}
	p.inputs(c, "", "")
	p.outputs(c, "benchmarks/results/compression.json", "benchmarks/results/leaves.md")
	c.Flags().IntVar(&threads, "threads", 2, "threads to train with")
	return c
}
