package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/booster/search"
	"boost/booster/traindata"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/usage"
	"boost/configs"
	"boost/dataset"
	"boost/dataset/write"
	"boost/internal/format"
	"boost/internal/output"
	"boost/internal/predictions"
	"boost/internal/report"
)

// cvFlags is the command line of cv.
type cvFlags struct {
	trainFlags
	search.Params
	oof, output string
}

// cvKeyFlags are those of train that say how a model is trained.
var cvKeyFlags = slices.DeleteFunc(slices.Clone(keyflags.Train), func(f keyflags.Flag) bool {
	return slices.Contains([]string{"valid", "valid-by", "test", "init-model", "output", "budget"}, f.Name)
})

func (a *app) cvCommand() *cobra.Command {
	var f cvFlags
	cmd := &cobra.Command{
		Use:   "cv CONFIG.toml|TABLE…",
		Short: "Cross-validate: what a config is worth, and how many rounds it needs",
		Long: `Train on parts of the table and judge on the others, with the settings of a config file, or of
train without one. The mean and standard deviation of each metric over the folds are printed for the
best round, and the metric of all rows, each predicted by the fold that did not see it, with an
interval from a bootstrap. Then the command that trains on all rows for the best number of rounds.

Rows of each class are spread evenly over the folds; rows of one query, or of one value in
--group-by, stay together. --time trains on earlier and judges on later rows. Folds follow from
train.seed and the numbers of the rows. With early stopping all folds stop together, by the mean.

Cuts and categories are found once from all rows, without their labels; --strict finds them from
each fold's own rows.`,
		Example: `  boost cv data.csv --label price
  boost cv run.toml --folds 10 --repeats 3 --oof predictions.csv
  boost cv sales.csv --label units --time day --folds 6
  boost cv data.csv --label price -o average.boost`,
		Args: usage.AtLeast("CONFIG.toml or TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.cv(cmd.Context(), cmd, args, &f) },
	}
	flags := cmd.Flags()
	f.addKeys(cmd, cvKeyFlags)
	addDivisionFlags(cmd, &f.Division)
	flags.BoolVar(&f.Strict, "strict", false, "find cuts and categories from each fold's own rows")
	flags.IntVar(&f.Resamples, "bootstrap", 0, "resamples for intervals; 0 = `N` by the number of rows, 100 to 1,000")
	f.Confidence = 0.95
	flags.Var((*share)(&f.Confidence), "confidence", "`SHARE` of the intervals, above 0 and below 1")
	flags.StringVar(&f.oof, "oof", "", "`FILE` for the predictions of rows by folds that did not see them, in the rows' order")
	flags.StringVarP(&f.output, "output", "o", "", "model `FILE`: the average of the folds' models")
	flags.BoolVar(&f.resume, "resume", false, "go on from the checkpoints of --checkpoint, as far as there are any")
	flags.BoolVar(&f.json, "json", false, "print JSON, with the metrics of each round")
	return cmd
}

// addDivisionFlags gives a command flags for how rows are divided into folds.
func addDivisionFlags(cmd *cobra.Command, d *search.Division) {
	flags := cmd.Flags()
	flags.IntVar(&d.Folds, "folds", 5, "divide into `K` folds")
	flags.IntVar(&d.Repeats, "repeats", 1, "divide `N` times, each time anew")
	flags.BoolVar(&d.Plain, "no-stratify", false, "do not spread classes evenly")
	flags.StringVar(&d.GroupBy, "group-by", "", "keep rows of one value in `COLUMN` together")
	flags.StringVar(&d.Time, "time", "", "judge on rows that come later in the order of `COLUMN`")
	flags.BoolVar(&d.Sliding, "sliding", false, "with --time: train on the block of rows before alone, not on all before")
}

func (a *app) cv(ctx context.Context, cmd *cobra.Command, sources []string, f *cvFlags) error {
	r := &trainRun{a: a, json: f.json, resume: f.resume, judges: true}
	if err := r.configure(cmd, sources, &f.trainFlags, cvKeyFlags); err != nil {
		return err
	}
	c := r.config
	if f.output != "" && len(c.Data.InitScore) > 0 {
		return exit.Usagef("-o: models that start from init scores (data.init_score) cannot be averaged: leave -o out")
	}
	if write.FormatOf(f.oof) == "" {
		return exit.Usagef("--oof %s: predictions are not written in this format; expected %s", format.Pasted(f.oof), write.Endings)
	}
	if err := cmp.Or(filename.Apart(filename.Output{Key: "--oof", File: f.oof}, filename.Output{Key: "-o", File: f.output}, filename.Output{Key: "--checkpoint", File: c.Output.Checkpoint}), r.onlyTable(&f.Division, f.oof, f.output)); err != nil {
		return err
	}
	if err := filename.RefuseName(f.output); err != nil {
		return exit.Usagef("%v; predictions go to --oof", err)
	}
	if err := filename.Whole(f.output); f.output != "" && err != nil {
		return err
	}
	started := time.Now()
	loaded, _, params, err := r.prepare(ctx, false)
	if err != nil {
		return err
	}
	defer loaded.Close()
	table := loaded.Train.Table()
	if err := c.CheckTable(table); err != nil {
		return err
	}
	f.Params.Seed, f.Params.Log, f.Params.Checkpoints = params.Seed, a.log, r.checkpoints()
	folds := max(1, f.Folds*max(f.Repeats, 1))
	f.Params.OnRound = a.showFolds(params.Rounds, folds)
	found, err := search.CrossValidate(ctx, params, table, f.Params)
	a.terminal.ClearBar()
	if err != nil {
		r.sayResume(err)
		return exit.OfTable(c.Data.Train, err)
	}
	if f.oof != "" {
		if err := a.writeUnseen(ctx, f, found, table); err != nil {
			return err
		}
	}
	if f.output != "" {
		average, err := found.Average()
		if err != nil {
			return err
		}
		if err := a.saveModel(average, f.output); err != nil {
			return err
		}
	}
	if a.quiet && !f.json && (f.oof != "" || f.output != "") {
		return nil
	}
	s := report.CrossValidation{
		Result: found, Repeats: max(1, f.Repeats), Strict: f.Strict, Confidence: f.Confidence, Seconds: time.Since(started).Seconds(),
		Predictions: f.oof, Model: f.output,
	}
	if found.Undefined == "" {
		s.Command = trainWith(cmd, sources, f, c, found.Best)
	}
	return a.answer(f.json, s.JSON(), s.Write)
}

// onlyTable leaves out what a config says beside the training table, and checks the repeats and the names of what is written.
func (r *trainRun) onlyTable(d *search.Division, outputs ...string) error {
	c := r.config
	if c.InitModel != "" {
		return exit.Usagef("train.init_model = %q has seen the rows that cross-validation judges on: leave the key out", c.InitModel)
	}
	if d.Repeats < 1 {
		return exit.Usagef("--repeats must be at least 1, not %d", d.Repeats)
	}
	if c.Budget > 0 {
		return exit.Usagef("train.budget is for training: leave the key out (boost tune --budget searches alone)")
	}
	if others := slices.Concat(c.Data.Valid, c.Data.Test); len(others) > 0 {
		r.a.log.Info("only the training table is cross-validated: validation and test sets are not looked at")
	}
	c.Data.Valid, c.Data.Test, c.Data.Cache, c.Data.OutOfCore = nil, nil, "", traindata.OutOfCoreFalse
	for _, out := range outputs {
		if out == "" {
			continue
		}
		if out == "-" {
			return exit.Usagef("standard output is for the summary: name a file")
		}
		if filename.Reads(c.Data.Train, out, c.ReadOptions()...) {
			return exit.Usagef("%s is read, and cannot be written over by the same run: give another name", out)
		}
		if err := output.Writable(out); err != nil {
			return err
		}
	}
	if d.GroupBy != "" && c.Data.Group == d.GroupBy { // queries stay together by themselves
		d.GroupBy = ""
	}
	return nil
}

// writeUnseen writes the predictions of rows by folds that did not see them: id columns, the fold, counted from 1, 0 for
// none, and the predictions, which are empty then.
func (a *app) writeUnseen(ctx context.Context, f *cvFlags, found *search.Result, table *dataset.Table) error {
	p := predictions.Predictions{Model: found.Models[0], Format: write.FormatOf(f.oof)}
	var columns []write.Column
	var taken []string
	add := func(c write.Column) {
		c.Name = predictions.FreeName(c.Name, taken)
		taken = append(taken, c.Name)
		columns = append(columns, c)
	}
	for _, c := range p.IDColumns(table) {
		texts := make([]string, table.NumRows())
		for row := range texts {
			texts[row] = c.Text(row)
		}
		add(write.Column{Name: c.Name(), Texts: texts})
	}
	fold := make([]int32, len(found.Fold))
	for row, in := range found.Fold {
		fold[row] = in + 1
	}
	add(write.Column{Name: "fold", Ints: fold, Stride: 1})
	for _, c := range p.ValueColumns("value", found.Values) {
		add(c)
	}
	parts := []write.Table{{Columns: columns, Rows: table.NumRows()}}
	write.ResolveWhole(parts)
	return a.writePacked(f.oof, func(w io.Writer) error { return write.All(ctx, w, p.Format, parts) })
}

// trainWith returns the command that trains on all rows for a number of rounds.
func trainWith(cmd *cobra.Command, sources []string, f *cvFlags, c *configs.Config, rounds int) string {
	rates, positions := search.RatesOf(c.Params, rounds), c.Data.Position != ""
	words := []string{"boost", "train"}
	for _, source := range sources {
		words = append(words, format.Pasted(source))
	}
	for _, k := range slices.Concat(cvKeyFlags, keyflags.Columns) {
		values, _ := cmd.Flags().GetStringArray(k.Name)
		for _, value := range values {
			if !search.Decides(k.Key, rates, positions) {
				words = append(words, "--"+k.Name, format.Pasted(value))
			}
		}
	}
	for _, set := range f.sets {
		name, _, _ := strings.Cut(set, "=")
		if key, _ := configs.KeyOf(strings.TrimSpace(name)); !search.Decides(key, rates, positions) {
			words = append(words, "--set", format.Pasted(set))
		}
	}
	words = append(words, "--rounds", strconv.Itoa(rounds))
	if rates != nil {
		words = append(words, "--set", "train.learning_rates="+strings.Trim(strings.ReplaceAll(fmt.Sprint(rates), " ", ","), "[]"))
		if filename.IsConfig(sources[0]) {
			words = append(words, "--set", "train.learning_rate_schedule=constant", "--set", "train.learning_rate_end=0")
			if !positions && c.Given("train.learning_rate") {
				words = append(words, "--learning-rate", strconv.FormatFloat(configs.Default().Params.LearningRate, 'g', -1, 64))
			}
		}
	} else if (c.Effort != "" || c.Preset != "") && !c.Given("train.learning_rate") { // which would be chosen by the rounds
		words = append(words, "--learning-rate", strconv.FormatFloat(c.Params.LearningRate, 'g', -1, 64))
	}
	words = append(words, "--set", "train.early_stopping=0")
	if filename.IsConfig(sources[0]) && c.Params.MinDelta > 0 { // what goes with early stopping alone
		words = append(words, "--set", "train.early_stopping_min_delta=0")
	}
	if filename.IsConfig(sources[0]) && c.Params.Retrain {
		words = append(words, "--set", "train.retrain=false")
	}
	return strings.Join(words, " ")
}
