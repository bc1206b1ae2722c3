package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/harness"
	"boost/benchmarks/sizes"
	"boost/booster"
)

// Rounds and leaves of all programs. Of several classes there is a tree for each in a round.
const (
	sizeRounds      = 200
	sizeClassRounds = 60
	sizeLeaves      = 31
)

// sizing is what the flags of `sizes` say.
type sizing struct {
	places
	names   []string
	threads int
}

func sizesCommand() *cobra.Command {
	var z sizing
	c := &cobra.Command{
		Use:   "sizes",
		Short: "Measures model files beside those of other programs, at certified losses",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return z.run(cmd) },
	}
	f := c.Flags()
	z.inputs(c, "sizes.py", "")
	z.outputs(c, "benchmarks/results/sizes.json", "benchmarks/results/sizes.md")
	f.StringSliceVar(&z.names, "sets", nil, "these sets only; without it all regression, binary and multiclass sets")
	f.IntVar(&z.threads, "threads", 2, "threads")
	return c
}

func (z *sizing) run(cmd *cobra.Command) error {
	zstd := sizes.NewCompressor(cmd.Context())
	record, err := sizes.Open(z.results, sizes.Record{Machine: harness.ThisMachine(), Command: "make sizes", Threads: z.threads, Zstd: zstd.Name})
	if err != nil {
		return err
	}
	sets, err := accuracy.Sets(z.data, z.names...)
	if err != nil {
		return err
	}
	for _, s := range sets {
		if err := z.measure(cmd, record, s, zstd); err != nil {
			return err
		}
	}
	record.Write(cmd.OutOrStdout())
	return z.keep(record)
}

// measure measures a set: the peers that are not in the record yet, and boost.
func (z *sizing) measure(cmd *cobra.Command, record *sizes.Record, s *accuracy.Set, zstd sizes.Compressor) error {
	rounds := sizeRounds
	if s.Task == "multiclass" {
		rounds = sizeClassRounds
	}
	about := sizes.Set{
		Name: s.Name, Metric: s.Metric(), Rows: s.TrainRows, TestRows: s.TestRows, Categorical: len(s.Categorical),
		Rounds: rounds, Leaves: sizeLeaves, Commit: record.Machine.Commit,
	}
	set := record.Set(about)
	plan := &sizes.Plan{
		Folder: s.Folder, Threads: z.threads, Zstd: zstd,
		Words: cmd.ErrOrStderr(), Save: func() error { return record.Save(z.results) },
	}
	for _, name := range []string{sizes.LightGBM, "xgboost", "catboost", "catboost-lossguide"} {
		plan.Trainers = append(plan.Trainers, sizes.Trainer{Name: name, Command: []string{z.python, z.script}})
	}
	if err := set.MeasurePeers(cmd.Context(), plan); err != nil {
		return err
	}
	train, test, err := s.Tables(cmd.Context())
	if err != nil {
		return err
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.Threads = s.Task, rounds, 0.1, z.threads
	p.Tree.Leaves, p.Tree.MinDataInLeaf, p.Binning.MaxBin = sizeLeaves, 20, 255
	m, err := booster.Train(cmd.Context(), p, train)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	set.Columns = len(train.Features())
	if set.Loss, err = s.LossOf(cmd.Context(), m, test); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return set.MeasureOurs(cmd.Context(), plan, m, test)
}
