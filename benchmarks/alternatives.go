package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/harness"
	"boost/booster/preset"
)

// alternatives are what the defaults are compared with: each changes one of their values on all sets.
var alternatives = []string{
	"train.learning_rate=0.02", "train.learning_rate=0.05",
	"tree.max_leaves=15", "tree.max_leaves=31", "tree.max_leaves=63",
	"tree.lambda_l2=1", "tree.lambda_l2=10",
	"tree.min_data_in_leaf=5", "tree.min_data_in_leaf=20",
	"sampling.mvs_fraction=0.5", "sampling.mvs_fraction=1",
	"sampling.col_node=0.25", "sampling.col_node=1",
	"tree.growth=symmetric", "tree.extra_trees=true", "categorical.splits=sets", "train.retrain=false",
}

func alternativesCommand() *cobra.Command {
	var s study
	c := &cobra.Command{
		Use:   "alternatives",
		Short: "Changes one value of the defaults at a time, and chooses among all for each set by what they do on the others",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return s.tryAlternatives(cmd) },
	}
	s.inputs(c, "", "")
	s.outputs(c, "benchmarks/results/alternatives.json", "docs/defaults.md")
	s.efforts = []string{preset.Default}
	f := c.Flags()
	f.StringSliceVar(&s.names, "sets", nil, "only these sets")
	f.IntVar(&s.splits, "splits", 1, "splits of each set")
	f.BoolVar(&s.keep, "keep", false, "train only what the record lacks")
	return c
}

// tryAlternatives trains with the defaults and with each alternative, and writes the record and the table.
func (s *study) tryAlternatives(cmd *cobra.Command) error {
	sets, err := s.studySets(s.names...)
	if err != nil {
		return err
	}
	var record accuracy.DefaultsRecord
	if s.keep {
		if err := harness.Read(s.results, &record); err != nil {
			return err
		}
	}
	record.Machine = harness.ThisMachine()
	names := append([]string{preset.Default}, alternatives...)
	for _, set := range inStudy(sets) {
		for _, name := range names {
			if s.given = nil; name != preset.Default {
				s.given = []string{name}
			}
			err := s.each(cmd, []*accuracy.Set{set}, func(set *accuracy.Set, _, split string) bool {
				_, done := record.Sets[set.Name][name][split]
				return !done || !s.keep
			}, func(set *accuracy.Set, _, split string, result accuracy.DefaultsResult) error {
				record.Add(set.Name, name, split, result)
				fmt.Fprintf(cmd.ErrOrStderr(), "%-20s %-28s %s %12.6g %8.2f s\n", set.Name, name, split, result.Loss, result.CPU)
				return harness.Write(s.results, record)
			})
			if err != nil {
				return err
			}
		}
	}
	text := "Splits: " + strconv.Itoa(s.splits) + ", " + record.LeaveOneOut(names).String()
	fmt.Fprint(cmd.OutOrStdout(), text)
	if s.document == "" {
		return nil
	}
	return harness.ReplaceSection(s.document, "alternatives", text)
}
