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
	"strings"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/configs"
	"boost/dataset"
	"boost/internal/format"
	"boost/internal/output"
	"boost/internal/replace"
	"boost/internal/report"
	"boost/internal/unseen"
	"boost/ptq"
	"boost/ptq/compress"
)

// quantizeFlags is the command line of quantize.
type quantizeFlags struct {
	reading
	dtypes, tiers  []string
	calibrate, by  string
	maxBytes       string
	maxLoss        string
	data           string
	allowTrainData bool
	feedback       string
	prune          string
	keepStats      bool
	keepLevels     bool
	output         string
	plot           string
	json           bool
}

func (a *app) quantizeCommand() *cobra.Command {
	var f quantizeFlags
	cmd := &cobra.Command{
		Use:   "quantize MODEL -o OUT",
		Short: "Compress a model, and measure the loss",
		Long: `Compress a model: structure, cuts and texts are packed without loss, leaf values are stored in
fewer bits. The small model loads and predicts like any other.

Name a form with --dtype or --tiers, several to choose from, or none to try all useful ones.
--max-loss takes the smallest file that keeps it, --max-bytes alone the best file that fits. With
a bound and --data, pruned models are tried too: splits that do little are removed, and the
remaining leaves are fitted to the rows of the search.

Pass labelled rows with --data to measure the loss. One half of them compares candidates. The
other half, which the search never sees, certifies by a paired bootstrap how much worse the metric
becomes at most, with 95 % confidence. The rows should not be those of the training. Without
--data only the largest change of a raw score is known. The certificate is in the file; boost
inspect prints it. I8 or Q4_0 are good first choices.`,
		Example: `  boost quantize price.boost -o price.q.boost --dtype q4_0
  boost quantize price.boost -o price.q.boost --data test.csv --max-loss 0.1%
  boost quantize price.boost -o price.q.boost --data test.csv --max-bytes 20KB`,
		Args: arguments("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			read := args
			if f.data != "" {
				read = append([]string{f.data}, args...)
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
	flags.StringSliceVar(&f.dtypes, "dtype", nil, "data `TYPES` of leaf values to choose from: F64 … Binary, or Q4_0")
	flags.StringSliceVar(&f.tiers, "tiers", nil, "`TIERS` to choose from: hot, warm, warm5, cold, cold2 (8, 7, 5, 3 and 3 bits)")
	flags.StringVar(&f.calibrate, "calibrate", "", "`HOW` to choose scales of data types: absmax, mse, percentile:99.9")
	flags.StringVar(&f.by, "by", "output", "`WHICH` leaves share a scale: those of the model, an output, a tree or a block")
	flags.StringVar(&f.maxBytes, "max-bytes", "", "largest `SIZE` of the file, such as 200KB")
	flags.StringVar(&f.maxLoss, "max-loss", "", "largest relative loss of the metric, a `SHARE` such as 0.1%; needs --data")
	flags.StringVar(&f.data, "data", "", "`TABLE` with labels, to search and certify on")
	flags.BoolVar(&f.allowTrainData, "allow-train-data", false, "accept the training rows as --data")
	flags.StringVar(&f.feedback, "error-feedback", "auto", "`WHETHER` to correct later trees for the rounding of earlier leaves, on the rows of --data: auto (with a bound, both are tried), on, off")
	flags.StringVar(&f.prune, "prune", "auto", "`WHETHER` to try pruned models too: auto (with a bound and --data), on (an error if that is impossible), off")
	flags.BoolVar(&f.keepStats, "keep-stats", false, "keep covers and gains of nodes")
	flags.BoolVar(&f.keepLevels, "keep-levels", false, "keep the names of all levels, so that predict can distinguish new levels")
	flags.StringVar(&f.plot, "plot", "", "`FILE` (.svg) for a picture of all candidates")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.addSet(cmd, keyflags.Reading)
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
	settings, err := f.settings()
	if err != nil {
		return err
	}
	forms, err := f.forms()
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
	m, err := model.Load(file)
	if err != nil {
		return err
	}
	if settings.Formats, err = forms.Formats(m); err != nil {
		return err
	}
	if f.data != "" {
		t, err := a.openLabelled(ctx, []string{f.data}, m, c, unseen.Missing)
		if err != nil {
			return err
		}
		a.reportInitScores(m.LacksInitScores(t), f.data)
		if err := a.reportOneClass(t, m, f.data); err != nil {
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
		return exit.Usagef("%s: %v", f.data, err)
	}
	if err != nil {
		return asUsage(exit.OfTable([]string{f.data}, err))
	}
	if r.NotPruned != "" {
		a.log.Info("pruned models were not tried: " + r.NotPruned)
	}
	a.warnOfFewBits(r)
	a.warnOfFewRows(r)
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
	switch {
	case f.plot == "":
		return nil
	case !strings.HasSuffix(strings.ToLower(f.plot), ".svg"):
		return exit.Usagef("--plot %s: expected a name that ends in .svg", f.plot)
	case f.plot == f.output || filename.Same(f.plot, f.output) || filename.Reads(read, f.plot):
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

// settings reads the bounds.
func (f *quantizeFlags) settings() (compress.Settings, error) {
	s := compress.Settings{MaxLoss: math.NaN(), Statistics: f.keepStats, KeepLevels: f.keepLevels, AllowTrainingData: f.allowTrainData}
	if f.maxBytes != "" {
		bytes, err := configs.ParseSize(f.maxBytes)
		if err != nil || bytes == 0 {
			return s, exit.Usagef("--max-bytes must be a number of bytes or a size like 200KB, not %q", f.maxBytes)
		}
		s.MaxBytes = bytes
	}
	if f.maxLoss != "" {
		share, err := configs.ParseShare(f.maxLoss)
		if err != nil || share < 0 || share > 1 {
			return s, exit.Usagef("--max-loss must be a share of the metric, such as 0.1%% or 0.001, not %q", f.maxLoss)
		}
		s.MaxLoss = share
	}
	if err := oneOf("error-feedback", f.feedback, "auto", "on", "off"); err != nil {
		return s, err
	}
	s.Feedback = map[string]compress.Feedback{"on": compress.FeedbackOn, "off": compress.FeedbackOff}[f.feedback]
	if err := oneOf("prune", f.prune, "auto", "on", "off"); err != nil {
		return s, err
	}
	s.Prune = map[string]compress.Pruning{"on": compress.PruneOn, "off": compress.PruneOff}[f.prune]
	if f.prune == "on" && (f.data == "" || f.maxBytes == "" && f.maxLoss == "") {
		return s, exit.Usagef("--prune on needs rows with --data, to fit leaves to, and a bound to choose by (--max-loss or --max-bytes)")
	}
	if f.feedback == "on" && f.data == "" {
		return s, exit.Usagef("--error-feedback on needs rows with --data")
	}
	if f.allowTrainData && f.data == "" {
		return s, exit.Usagef("--allow-train-data needs --data")
	}
	return s, nil
}

// forms reads which forms there are to choose from.
func (f *quantizeFlags) forms() (*compress.Choice, error) {
	c := &compress.Choice{Calibrate: f.calibrate, By: f.by, TypesName: "--dtype", TiersName: "--tiers", CalibrateName: "--calibrate", ByName: "--by"}
	for _, read := range []func() error{
		func() error { return c.AddTypes(f.dtypes) }, func() error { return c.AddTiers(f.tiers) }, c.Check,
	} {
		if err := read(); err != nil {
			return nil, exit.Usagef("%v", err)
		}
	}
	return c, nil
}

// fewRows is how many rows certify too little: see docs/compression.md.
const fewRows = 50

// warnOfFewRows says that a bound from few rows holds less often than it says.
func (a *app) warnOfFewRows(r *compress.Result) {
	if c := &r.Certificate; c.Method == compress.ByBootstrap && c.Rows < fewRows {
		a.log.Warn(fmt.Sprintf("%s certify the loss: bounds from so few rows fail at least twice as often as stated; pass 200 rows or more, half of which certify", format.Counted(c.Rows, "row")))
	}
}

// warnOfFewBits says what forms of a bit or two cost.
func (a *app) warnOfFewBits(r *compress.Result) {
	form := r.Model.Compressed().Leaves.Form()
	if form != ptq.FormOf(ptq.Binary) && form != ptq.FormOf(ptq.I2) {
		return
	}
	what := "the loss is unknown; pass labelled rows with --data to measure it"
	if c := &r.Certificate; c.Method == compress.ByBootstrap {
		what = fmt.Sprintf("%s goes from %s to %s (%+.3g %%)", c.Metric, format.Metric(c.Before), format.Metric(c.After), 100*c.Loss())
	}
	a.log.Warn(fmt.Sprintf("%s keeps very little of a leaf value: %s; I8 or Q4_0 are better first choices", form, what))
}

// printQuantized prints what was tried and what was written; leaves compares those of the two models,
// nil where one has others.
func (a *app) printQuantized(f *quantizeFlags, r *compress.Result, leaves *compress.Comparison, before int64) error {
	if a.quiet && !f.json {
		return nil
	}
	return a.answer(f.json, report.QuantizedJSON(f.output, r, leaves, before), func(w io.Writer) error { return report.Quantized(w, r, leaves, before) })
}

// asUsage makes a wrong use of a refusal of the search that another command line would not meet.
func asUsage(err error) error {
	if errors.Is(err, compress.ErrTrainingData) || errors.Is(err, compress.ErrNeedsData) ||
		errors.Is(err, compress.ErrChoice) || errors.Is(err, compress.ErrCompressed) ||
		errors.As(err, new(ptq.ErrCalibration)) || errors.As(err, new(compress.ErrPruning)) {
		return exit.Usagef("%v", err)
	}
	return err
}
