package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/harness"
)

// files are the places that both accuracy commands read and write: the results are a folder.
type files struct {
	places
	peers   string
	others  string // the same for other objectives
	threads int
}

func (f *files) flags(c *cobra.Command) {
	f.inputs(c, "", "")
	c.Flags().StringVar(&f.peers, "peers", "benchmarks/accuracy_small.json", "the peers' losses on re-splits")
	c.Flags().StringVar(&f.others, "others", "benchmarks/accuracy_objectives.json", "the peers' losses by other objectives")
	c.Flags().StringVar(&f.results, "results", "benchmarks/results", "folder of the records")
	c.Flags().StringVar(&f.document, "document", "docs/accuracy.md", "document to write; empty for none")
	c.Flags().IntVar(&f.threads, "threads", 2, "threads to train with")
}

func (f *files) record() string    { return filepath.Join(f.results, "accuracy.json") }
func (f *files) precision() string { return filepath.Join(f.results, "precision.json") }

// checkSets are what CI trains: one of each task, with categories, missing values and
// numbers, quick to train.
var checkSets = []string{"adult", "california_housing", "covtype_15k"}

func accuracyCommand() *cobra.Command {
	var f files
	var names []string
	var splits int
	var check bool
	c := &cobra.Command{
		Use:   "accuracy",
		Short: "Trains the real data sets and compares the losses with those of other trainers",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if check {
				names, f.document = checkSets, ""
			}
			sets, err := accuracy.Sets(f.data, names...)
			if err != nil {
				return err
			}
			record := accuracy.Record{Sets: map[string]accuracy.Result{}}
			if len(names) > 0 && !check { // some sets anew: the others keep what was found before
				if err := harness.Read(f.record(), &record); err != nil {
					return err
				}
			}
			record.Machine, record.Threads = harness.ThisMachine(), f.threads
			trainer := accuracy.Trainer{Threads: f.threads, Gradients: "i16"}
			for _, s := range sets {
				r, err := trainer.Run(cmd.Context(), s, splits)
				if err != nil {
					return fmt.Errorf("%s: %w", s.Name, err)
				}
				r.Commit = record.Machine.Commit
				record.Sets[s.Name] = r
				fmt.Fprintf(cmd.ErrOrStderr(), "%-20s %-24s %12.6f  lightgbm %12.6f  %6.1f s\n",
					s.Name, s.Metric(), r.Loss, s.Reference.Peers["lightgbm"], r.Seconds)
				if check {
					continue
				}
				if err := harness.Write(f.record(), record); err != nil {
					return err
				}
			}
			return f.conclude(cmd, record)
		},
	}
	f.flags(c)
	c.Flags().StringSliceVar(&names, "sets", nil, "only these sets")
	c.Flags().IntVar(&splits, "splits", 10, "re-splits of a small set")
	c.Flags().BoolVar(&check, "check", false, "train "+strings.Join(checkSets, ", ")+" and write nothing")
	return c
}

func precisionCommand() *cobra.Command {
	var f files
	c := &cobra.Command{
		Use:   "precision",
		Short: "Compares gradients of 16, 8 and 4 bits with float32 ones on re-splits (S2.28, S0.30)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := accuracy.MeasurePrecision(cmd.Context(), f.data, f.threads, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if err := harness.Write(f.precision(), p); err != nil {
				return err
			}
			p.Write(cmd.OutOrStdout())
			if err := f.write(); err != nil {
				return err
			}
			for _, bar := range accuracy.PrecisionBars {
				if v := p.Judge(bar); !v.Pass {
					return fmt.Errorf("%s gradients are out of bounds: mean %+.4f %%", bar.Gradients, 100*v.Mean)
				}
			}
			return nil
		},
	}
	f.flags(c)
	return c
}

// conclude writes the document and fails where a bound does not hold.
func (f *files) conclude(cmd *cobra.Command, record accuracy.Record) error {
	verdict, _, err := f.judge(record)
	if err != nil {
		return err
	}
	if err := f.write(); err != nil {
		return err
	}
	for _, line := range verdict.Summary() {
		fmt.Fprintln(cmd.OutOrStdout(), line)
	}
	if problems := verdict.Problems(); len(problems) > 0 {
		return errors.New("out of bounds:\n  " + strings.Join(problems, "\n  "))
	}
	fmt.Fprintln(cmd.OutOrStdout(), "all within bounds")
	return nil
}

func (f *files) judge(record accuracy.Record) (accuracy.Verdict, accuracy.PeerSplits, error) {
	var peers accuracy.PeerSplits
	if err := harness.Read(f.peers, &peers); err != nil {
		return accuracy.Verdict{}, peers, err
	}
	return accuracy.Judge(record.Sets, peers), peers, nil
}

// write makes the document from the records that there are, if one of them is of sets.
func (f *files) write() error {
	var record accuracy.Record
	var precision accuracy.Precision
	var cases accuracy.CaseRecord
	var others accuracy.OtherRecord
	err := errors.Join(harness.Read(f.record(), &record), harness.Read(f.precision(), &precision), harness.Read(f.cases(), &cases), harness.Read(f.others, &others))
	if err != nil {
		return err
	}
	if f.document == "" || record.Sets == nil {
		return nil
	}
	verdict, peers, err := f.judge(record)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	accuracy.WriteDocument(&b, verdict, record, peers, &precision)
	cases.Write(&b, others)
	return os.WriteFile(f.document, b.Bytes(), 0o666)
}
