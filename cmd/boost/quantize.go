package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/compression"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/dataset"
	"boost/internal/output"
	"boost/internal/replace"
	"boost/internal/report"
	"boost/ptq"
	"boost/ptq/compress"
)

// quantizeFlags is the command line of quantize.
type quantizeFlags struct {
	reading
	unseenFlag
	compression.Flags
	output string
	plot   string
	json   bool
}

func (a *app) quantizeCommand() *cobra.Command {
	var f quantizeFlags
	cmd := &cobra.Command{
		Use:   "quantize MODEL -o OUT",
		Short: "Compress a model, and measure the loss",
		Long: `Compress a model: structure, cuts and texts are packed without loss, leaf values are stored in
fewer bits. The small model loads and predicts like any other.

Name a form with --dtype or --tiers, several to choose from, or none to try all useful ones.
--max-loss takes the smallest of some candidates that keeps it, --max-bytes alone the best file
that fits. With a bound and --data, pruned models are tried too: splits that do little are
removed, and the remaining leaves are fitted to the rows of the search.

Pass labelled rows with --data to measure the loss. One half of them compares candidates. The
other half, which the search never sees, certifies by a paired bootstrap how much worse the metric
becomes at most, with 95 % confidence. The rows should not be those of the training. Without
--data only the largest change of a raw score is known. The certificate is in the file; boost
inspect prints it. I8 or Q4_0 are good first choices.`,
		Example: `  boost quantize price.boost -o price.q.boost --dtype q4_0
  boost quantize price.boost -o price.q.boost --data test.csv --max-loss 0.1%
  boost quantize price.boost -o price.q.boost --data test.csv --max-bytes 20KB`,
		Args: usage.Arguments("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.unseenFlag.check(); err != nil {
				return err
			}
			read := args
			if f.Data != "" {
				read = append([]string{f.Data}, args...)
			}
			if err := a.checkOutput(cmd, f.output, read); err != nil {
				return err
			}
			if err := f.checkPlot(read); err != nil {
				return err
			}
			return a.quantize(cmd.Context(), args[0], &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "model `FILE` to write")
	flags.StringSliceVar(&f.Dtypes, "dtype", nil, "data `TYPES` of leaf values to choose from: F64 … Binary, or Q4_0")
	flags.StringSliceVar(&f.Tiers, "tiers", nil, "`TIERS` to choose from: hot, warm, warm5, cold, cold2 (8, 7, 5, 3 and 3 bits)")
	flags.StringVar(&f.Calibrate, "calibrate", "", "`HOW` to choose scales of data types: absmax, mse, percentile:99.9")
	flags.StringVar(&f.By, "by", "output", "`WHICH` leaves share a scale: those of the model, an output, a tree or a block")
	flags.StringVar(&f.MaxBytes, "max-bytes", "", "largest `SIZE` of the file, such as 200KB")
	flags.StringVar(&f.MaxLoss, "max-loss", "", "largest relative loss of the metric, a `SHARE` such as 0.1%; needs --data")
	flags.StringVar(&f.Data, "data", "", "`TABLE` with labels, to search and certify on")
	flags.BoolVar(&f.AllowTrainData, "allow-train-data", false, "accept the training rows as --data")
	flags.StringVar(&f.Feedback, "error-feedback", "auto", "`WHETHER` to correct later trees for the rounding of earlier leaves, on the rows of --data: auto (with a bound, both are tried), on, off")
	flags.StringVar(&f.Prune, "prune", "auto", "`WHETHER` to try pruned models too: auto (with a bound and --data), on (an error if that is impossible), off")
	flags.BoolVar(&f.KeepStats, "keep-stats", false, "keep covers and gains of nodes")
	flags.BoolVar(&f.KeepLevels, "keep-levels", false, "keep the names of all levels, so that predict can distinguish new levels")
	flags.StringVar(&f.plot, "plot", "", "`FILE` (.svg) for a picture of all candidates")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.addSet(cmd, keyflags.Reading)
	f.unseenFlag.add(cmd)
	types := slices.DeleteFunc(ptq.Forms(), func(f ptq.Form) bool { return slices.Contains(ptq.Tiers(), f) })
	complete.With(cmd, "dtype", ptq.FormNames(types)...)
	complete.With(cmd, "tiers", ptq.FormNames(ptq.Tiers())...)
	complete.With(cmd, "calibrate", "absmax", "mse", "percentile:99.9")
	complete.With(cmd, "error-feedback", "auto", "on", "off")
	complete.With(cmd, "prune", "auto", "on", "off")
	complete.With(cmd, "by", compress.Granularities()...)
	return cmd
}

func (a *app) quantize(ctx context.Context, file string, f *quantizeFlags) error {
	settings, err := f.Settings()
	if err != nil {
		return err
	}
	forms, err := f.Forms()
	if err != nil {
		return err
	}
	if len(forms.Forms) == 0 && settings.MaxBytes == 0 && math.IsNaN(settings.MaxLoss) {
		return exit.Usagef("name a form with --dtype or --tiers, or give a bound with --max-bytes or --max-loss (a good first choice is --dtype Q4_0)")
	}
	c, err := f.config(a, keyflags.Reading)
	if err != nil {
		return err
	}
	m, err := regdir.Load(file)
	if err != nil {
		return err
	}
	if settings.Formats, err = forms.Formats(m); err != nil {
		return err
	}
	if f.Data != "" {
		if err := compression.Measurable(m, f.Data); err != nil {
			return err
		}
		t, err := a.openLabelled(ctx, []string{f.Data}, m, c, f.onUnseen)
		if err != nil {
			return err
		}
		a.reportInitScores(m.LacksInitScores(t), f.Data)
		if err := a.reportOneClass(t, m, f.Data); err != nil {
			return err
		}
		settings.Data = t
	}
	before, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, replace.Reason(err))
	}
	pool := a.pool(0)
	defer pool.Close()
	r, err := compress.Quantize(ctx, m, settings, compress.Pool(pool))
	if budget := (compress.ErrBudget{}); errors.As(err, &budget) {
		if drawn := a.drawQuantized(f, &settings, budget.Candidates); drawn != nil {
			return drawn
		}
		if printed := a.printQuantized(f, &compress.Result{Candidates: budget.Candidates}, nil, before.Size()); printed != nil {
			return printed
		}
		return err
	}
	if errors.Is(err, compress.ErrTrainingData) {
		return exit.Usagef("%s: %v", f.Data, err)
	}
	if err != nil {
		return compression.AsUsage(exit.OfTable([]string{f.Data}, err))
	}
	if r.NotPruned != "" {
		a.log.Info("pruned models were not tried: " + r.NotPruned)
	}
	a.warnOf(r)
	a.reportUncalibrated(m)
	if err := a.saveModel(r.Model, f.output); err != nil {
		return err
	}
	if err := a.drawQuantized(f, &settings, r.Candidates); err != nil {
		return err
	}
	leaves, err := compress.Compare(ctx, m, r.Model, nil, nil)
	if errors.As(err, new(compress.ErrShape)) { // it has other leaves
		leaves, err = nil, nil
	}
	if err != nil {
		return err
	}
	return a.printQuantized(f, r, leaves, before.Size())
}

// reportOneClass says that rows of one class say nothing of the others.
func (a *app) reportOneClass(t *dataset.Table, m *model.Model, file string) error {
	c := m.Contents()
	if c.Classes == nil {
		return nil
	}
	labels, err := t.EncodeClasses(c.Classes, c.NumericClasses)
	if err != nil {
		return err
	}
	if len(labels) > 1 && !slices.ContainsFunc(labels, func(l float64) bool { return l != labels[0] }) {
		a.log.Warn(fmt.Sprintf("%s: all %d rows are of the class %q: the loss is measured for this class alone, pass rows of all classes", file, len(labels), c.Classes[int(labels[0])]))
	}
	return nil
}

// checkPlot makes sure that the picture can be written.
func (f *quantizeFlags) checkPlot(read []string) error {
	if err := filename.Plot(f.plot); f.plot == "" || err != nil {
		return err
	}
	if filename.One(f.plot, f.output) || filename.Reads(read, f.plot) {
		return exit.Usagef("--plot %s is read, or written under another flag: give it a name of its own", f.plot)
	}
	return output.Writable(f.plot)
}

// drawQuantized writes the picture of what was tried, if one is wanted.
func (a *app) drawQuantized(f *quantizeFlags, s *compress.Settings, found []compress.Candidate) error {
	if f.plot == "" {
		return nil
	}
	return a.writeOutput(f.plot, func(w *bufio.Writer) error {
		return report.Pareto(w, report.Search{Candidates: found, MaxBytes: s.MaxBytes, MaxLoss: s.MaxLoss})
	})
}

// printQuantized prints what was tried and what was written; leaves compares those of the two models,
// nil where one has others.
func (a *app) printQuantized(f *quantizeFlags, r *compress.Result, leaves *compress.Comparison, before int64) error {
	if a.quiet && !f.json {
		return nil
	}
	return a.answer(f.json, report.QuantizedJSON(f.output, r, leaves, before), func(w io.Writer) error { return report.Quantized(w, r, leaves, before) })
}

// warnOf says what to know of a compressed model.
func (a *app) warnOf(r *compress.Result) {
	for _, warning := range compression.Warnings(r) {
		a.log.Warn(warning)
	}
}
