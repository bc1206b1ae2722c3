package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"boost/benchmarks/coverage"
	"boost/benchmarks/harness"
)

func intervalsCommand() *cobra.Command {
	var p places
	var names []string
	var splits, threads int
	c := &cobra.Command{
		Use:   "intervals",
		Short: "Trains real sets, calibrates on a fifth of the rows, and counts what intervals cover of the test rows",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sets, err := coverage.Sets(p.data, names...)
			if err != nil {
				return err
			}
			record := coverage.Record{Sets: map[string]coverage.Result{}}
			if len(names) > 0 {
				if err := harness.Read(p.results, &record); err != nil {
					return err
				}
			}
			record.Machine = harness.ThisMachine()
			for _, s := range sets {
				r, err := coverage.Measure(cmd.Context(), s, splits, threads)
				if err != nil {
					return fmt.Errorf("%s: %w", s.Name, err)
				}
				record.Sets[s.Name] = r
				fmt.Fprintf(cmd.ErrOrStderr(), "%-20s %+v\n", s.Name, r)
			}
			if err := p.keep(&record); err != nil {
				return err
			}
			var problems []error
			for _, text := range record.Off() {
				problems = append(problems, errors.New(text))
			}
			return errors.Join(problems...)
		},
	}
	p.inputs(c, "", "")
	p.outputs(c, "benchmarks/results/intervals.json", "docs/trust.md")
	c.Flags().StringSliceVar(&names, "sets", nil, "only these sets; the others keep what was found before")
	c.Flags().IntVar(&splits, "splits", 5, "splits of the training rows")
	c.Flags().IntVar(&threads, "threads", 2, "threads to train with")
	return c
}
