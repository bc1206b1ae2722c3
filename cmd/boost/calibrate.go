package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"boost/booster/calibrate"
	"boost/booster/model"
	"boost/booster/trust"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/configs"
	"boost/internal/format"
	"boost/internal/predictions"
	"boost/internal/report"
)

// calibrateFlags is the command line of calibrate.
type calibrateFlags struct {
	reading
	unseenFlag
	method         string
	level          float64
	by             string
	costs          string
	threshold      float64
	allowTrainData bool
	output         string
	json           bool
}

func (a *app) calibrateCommand() *cobra.Command {
	var f calibrateFlags
	methods := make([]string, 0, len(trust.Methods()))
	for _, m := range trust.Methods() {
		methods = append(methods, string(m))
	}
	cmd := &cobra.Command{
		Use:   "calibrate MODEL TABLE…",
		Short: "Calibrate probabilities and find intervals on held-out rows",
		Long: `Find on rows that did not train the model how far its predictions can be trusted, and write the
model with that: predict and eval apply it. The rows should not be those of early stopping either.
Several tables are read as one. Without -o nothing is written.

Probabilities of classes are calibrated by the --method with the lowest log loss on rows that it was
not fitted to, or none if that is best. --costs FP,FN predicts the positive of two classes where
that costs least: FP is what a false positive costs, FN a false negative. --intervals 0.9 adds an
interval to each number, or a set of classes, that covers 90% of new rows; with --by COLUMN 90% of
the rows of each level of a categorical feature. What is printed is measured on fifths of the rows
by what the other four fifths gave.

What the model had of all this is replaced, so that --method none alone takes it away.`,
		Example: `  boost calibrate churn.boost held-out.csv -o churn.boost --costs 1,20
  boost calibrate price.boost held-out.csv -o price.boost --intervals 0.9 --by region`,
		Args: usage.AtLeast("MODEL", "TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.params(cmd)
			if err != nil {
				return err
			}
			if f.output != "" {
				if err := a.checkOutput(cmd, f.output, nil); err != nil {
					return err
				}
			}
			if err := checkSides(cmd, args[0], args[1:]); err != nil {
				return err
			}
			return a.calibrate(cmd.Context(), args[0], args[1:], p, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "model `FILE` to write; it may be MODEL")
	flags.StringVar(&f.method, "method", "", "`METHOD` of calibration: "+strings.Join(methods, ", ")+" (default: auto for classes)")
	flags.Var((*share)(&f.level), "intervals", "`SHARE` of new rows that intervals, or sets of classes, cover, such as 0.9")
	flags.StringVar(&f.by, "by", "", "categorical `COLUMN`: intervals cover the share of each level's rows")
	flags.StringVar(&f.costs, "costs", "", "`FP,FN`: what a false positive and a false negative cost, such as 1,20")
	flags.Float64Var(&f.threshold, "threshold", 0, "predict the positive class above this `PROBABILITY`, instead of --costs")
	flags.BoolVar(&f.allowTrainData, "allow-train-data", false, "accept the training rows")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.unseenFlag.add(cmd)
	f.addSet(cmd, keyflags.Reading)
	complete.With(cmd, "method", methods...)
	complete.WithColumns(cmd, "by")
	return cmd
}

// share is the value of a flag for a share of something: 0.9 or 90%.
type share float64

func (s *share) Set(text string) error {
	value, err := configs.ParseShare(text)
	if err != nil {
		return errors.New("must be a share, such as 0.9 or 90%")
	}
	*s = share(value)
	return nil
}

func (s *share) String() string { return strconv.FormatFloat(float64(*s), 'g', -1, 64) }

func (*share) Type() string { return "share" }

// params reads the command line.
func (f *calibrateFlags) params(cmd *cobra.Command) (p calibrate.Params, err error) {
	if err := f.unseenFlag.check(); err != nil {
		return p, err
	}
	given := cmd.Flags().Changed
	p = calibrate.Params{Method: trust.Method(f.method), Level: f.level, By: f.by, Threshold: f.threshold, AllowTrainingData: f.allowTrainData}
	switch {
	case given("intervals") && !(f.level > 0 && f.level < 1):
		return p, exit.Usagef("--intervals must be above 0 and below 1, the share of rows that are covered, not %v", f.level)
	case f.by != "" && !given("intervals"):
		return p, exit.Usagef("--by needs intervals: give --intervals 0.9 too")
	case given("costs") && given("threshold"):
		return p, exit.Usagef("--costs gives a threshold: leave --threshold out")
	case given("threshold") && !(f.threshold > 0 && f.threshold < 1):
		return p, exit.Usagef("--threshold must be above 0 and below 1, a probability, not %v", f.threshold)
	}
	if given("costs") {
		p.FalsePositive, p.FalseNegative, err = parseCosts(f.costs)
	}
	return p, err
}

// parseCosts reads FP,FN.
func parseCosts(text string) (falsePositive, falseNegative float64, err error) {
	var costs []float64
	for word := range strings.SplitSeq(text, ",") {
		cost, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(cost > 0) {
			costs = nil
			break
		}
		costs = append(costs, cost)
	}
	if len(costs) != 2 {
		return 0, 0, exit.Usagef("--costs %s: expected two numbers above 0, what a false positive and a false negative cost, such as 1,20", format.Pasted(text))
	}
	if _, err := trust.CostThreshold(costs[0], costs[1]); err != nil {
		return 0, 0, exit.Usagef("--costs %s: %v", format.Pasted(text), err)
	}
	return costs[0], costs[1], nil
}

func (a *app) calibrate(ctx context.Context, modelFile string, tables []string, p calibrate.Params, f *calibrateFlags) error {
	c, err := f.config(a, keyflags.Reading)
	if err != nil {
		return err
	}
	m, err := regdir.Load(modelFile)
	if err != nil {
		return err
	}
	switch err := calibrate.Suits(m.Contents()); {
	case err != nil:
		return exit.Usagef("%s: %v", modelFile, err)
	case p.Level != 0:
		if err := checkSets(m, modelFile); err != nil {
			return err
		}
	case m.Classes() == nil && p.Method == "" && f.costs == "" && p.Threshold == 0:
		return exit.Usagef("%s predicts numbers, which have intervals only: give --intervals 0.9, the share of rows that these cover", modelFile)
	}
	if filename.Reads(tables, f.output, c.ReadOptions()...) {
		return exit.Usagef("%s is read, and cannot be written over by the same run: give another name with -o", f.output)
	}
	t, err := a.openLabelled(ctx, tables, m, c, f.onUnseen)
	if err != nil {
		return err
	}
	a.reportInitScores(m.LacksInitScores(t), strings.Join(tables, " "))
	pool := a.pool(0)
	defer pool.Close()
	p.Pool = pool
	out, found, err := calibrate.Fit(ctx, m, t, p)
	switch {
	case errors.Is(err, calibrate.ErrTrainingData), errors.Is(err, calibrate.ErrParams):
		return exit.Usagef("%s: %v", modelFile, err)
	case err != nil:
		return exit.OfTable(tables, err)
	}
	a.reportCalibration(found, strings.Join(tables, " "))
	if f.output != "" {
		if err := a.saveModel(out, f.output); err != nil {
			return err
		}
	}
	if a.quiet && !f.json && f.output != "" {
		return nil
	}
	r := report.Calibration{Report: found}
	return a.answer(f.json, r.JSON(), r.Write)
}

// checkSets refuses sets of classes whose names cannot be told apart in a set.
func checkSets(m *model.Model, file string) error {
	for _, class := range m.Classes() {
		if class == "" || strings.Contains(class, predictions.SetSeparator) {
			return exit.Usagef("--intervals: class %s of %s cannot stand in a set, whose classes have %s between them: name it otherwise in the table, and train again",
				strconv.Quote(class), file, predictions.SetSeparator)
		}
	}
	return nil
}

// reportCalibration says what takes from the worth of a calibration.
func (a *app) reportCalibration(found *calibrate.Report, table string) {
	switch {
	case found.TrainingData:
		a.log.Warn(table + " is the table that the model was trained on, where it seems better than it is: intervals are too narrow and probabilities too sure on other rows")
	case found.ValidationData:
		a.log.Warn(table + " is a validation set of the model, by which rounds may have been chosen: on other rows intervals may cover a little less")
	}
	if found.Intervals == nil {
		return
	}
	var few []string
	for _, g := range found.Intervals.Groups {
		if name := format.OneLine(g.Value); !g.Own {
			if g.Missing {
				name = "missing"
			}
			few = append(few, name)
		}
	}
	if len(few) > 0 {
		const most = 5
		names := strings.Join(few[:min(len(few), most)], ", ")
		if len(few) > most {
			names += fmt.Sprintf(", … (%d)", len(few))
		}
		a.log.Warn(fmt.Sprintf("levels of %s with fewer than %d rows have the intervals of all rows, which may cover another share of them: %s",
			format.OneLine(found.Intervals.By), trust.LeastRows(found.Intervals.Level), names))
	}
}

// reportUncalibrated says that a model which is made of others is not calibrated, where one of them was.
func (a *app) reportUncalibrated(from ...*model.Model) {
	if slices.ContainsFunc(from, func(m *model.Model) bool { return m != nil && m.Trust() != nil }) {
		a.log.Warn("the calibration, threshold and intervals hold for the predictions of one model, and are left out of the new one: find them again with boost calibrate")
	}
}
