package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/harness"
)

func (f *files) cases() string { return filepath.Join(f.results, "objectives.json") }

func objectivesCommand() *cobra.Command {
	var f files
	var names []string
	var splits int
	var list bool
	c := &cobra.Command{
		Use:   "objectives",
		Short: "Trains the real data sets with every objective that a peer has, and compares the losses",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list {
				for _, c := range accuracy.Cases() {
					fmt.Fprintln(cmd.OutOrStdout(), c.Name())
				}
				return nil
			}
			var peers accuracy.OtherRecord
			record := accuracy.CaseRecord{Cases: map[string]accuracy.Result{}}
			if err := harness.Read(f.others, &peers); err != nil {
				return err
			}
			if len(names) > 0 { // some cases anew: the others keep what was found before
				if err := harness.Read(f.cases(), &record); err != nil {
					return err
				}
			}
			record.Machine = harness.ThisMachine()
			trainer := accuracy.Trainer{Threads: f.threads, Gradients: "i16"}
			for _, one := range accuracy.Cases() {
				if len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(one.Name(), n) }) {
					continue
				}
				s, err := accuracy.OpenCase(f.data, one, peers)
				if err != nil {
					return err
				}
				r, err := trainer.Run(cmd.Context(), s, splits)
				if err != nil {
					return fmt.Errorf("%s: %w", one.Name(), err)
				}
				r.Commit = record.Machine.Commit
				record.Cases[one.Name()] = r
				fmt.Fprintf(cmd.ErrOrStderr(), "%-40s %12.6f %v %6.1f s\n", one.Name(), r.Loss, r.Reference.Peers, r.Seconds)
				if err := harness.Write(f.cases(), record); err != nil {
					return err
				}
			}
			if err := f.write(); err != nil {
				return err
			}
			verdict := accuracy.Judge(record.Cases, peers.Splits())
			for _, line := range verdict.Summary() {
				fmt.Fprintln(cmd.OutOrStdout(), line)
			}
			if problems := verdict.Problems(); len(problems) > 0 {
				return errors.New("out of bounds:\n  " + strings.Join(problems, "\n  "))
			}
			return nil
		},
	}
	f.flags(c)
	c.Flags().StringSliceVar(&names, "cases", nil, "only cases with this in their names")
	c.Flags().IntVar(&splits, "splits", 10, "re-splits of a small set")
	c.Flags().BoolVar(&list, "list", false, "print the names of the cases and train nothing")
	return c
}
