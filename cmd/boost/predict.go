package main

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/cmd/boost/internal/badcells"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/evaluation"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/usage"
	"boost/dataset"
	"boost/dataset/write"
	"boost/internal/output"
	"boost/internal/predictions"
	"boost/internal/terminal"
)

// predictFlags is the command line of predict.
type predictFlags struct {
	reading
	evaluation.Stages
	loading
	unseenFlag
	shardFlag
	kinds     []string
	ids       []string
	all       bool // --pass-through
	output    string
	format    string
	earlyStop float64
	stops     bool // --early-stop was given
	anyKind   bool // --kind was not given
}

func (a *app) predictCommand() *cobra.Command {
	var f predictFlags
	kinds := []string{"value", "raw", "class", "leaf", "interval", "contrib"}
	cmd := &cobra.Command{
		Use:   "predict MODEL TABLE…",
		Short: "Predict every row of a table",
		Long: `Predict every row of a table: one line per input row, in the same order. The predictions of
several tables follow each other in one output, in the order in which the tables are given.

  --kind value  the number; of two classes the probability of the positive one, in a column
                probability_CLASS; of more classes one probability each, in columns named
                after them
  --kind raw    the sum of the trees, before it becomes a probability
  --kind class  the most probable class
  --kind leaf   the number of the leaf that the row falls into, per tree
  --kind interval
                of a model with intervals (boost calibrate): columns lower and upper, or in a column
                classes the set of these, with | between them; without --kind it follows the value
  --kind contrib
                what each feature adds to the raw score, its Shapley value, in columns
                contribution_FEATURE, and in base_raw what all rows have

Several kinds, as in --kind class,value, follow each other. Columns are found by name. Columns
that were id columns in training come first, with --pass-through all columns of the table.

--rounds K uses only the first K rounds. --staged N predicts after every N rounds and after the
last, in columns that end in _N, _2N, …. --early-stop skips trees that cannot matter: with --kind
class and 0 those that cannot change the class, with --kind value or raw and a number above 0
those that cannot change any raw score by more than that.

--load compact needs little more memory than the file of a compressed model, and gives the same
predictions to the last bit. It unpacks one tree at a time.

--shard I/N predicts part I of N of the rows, 0/N being the first: for N jobs of an array. Only the
first part has the line of names of CSV, so that the parts one behind the other are the whole.

The output format is that of --format, else that of the ending of -o: .csv, .jsonl or .ndjson,
.parquet or .pq, .arrow or .feather; without both it is CSV. Text is compressed if the name
ends in .gz or .zst.`,
		Example: `  boost predict price.boost new.csv -o predictions.csv
  boost predict price.boost new.parquet -o predictions.parquet
  zcat new.csv.gz | boost predict churn.boost - --id customer --kind class
  boost predict price.boost new.csv --shard 3/16 -o part-03.csv`,
		Args: usage.AtLeast("MODEL", "TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Stages.Given(cmd)
			f.stops, f.anyKind = cmd.Flags().Changed("early-stop"), !cmd.Flags().Changed("kind")
			for _, check := range []error{
				f.checkKinds(kinds), f.unseenFlag.check(), f.shardFlag.check(args[1:]), a.resolveFormat(&f), f.Stages.Check(), f.checkStops(),
				f.loading.check(), f.loading.refuse("--staged", f.Staged), f.loading.refuse("--early-stop", f.stops),
				f.loading.refuse("--kind contrib", f.has("contrib")),
			} {
				if check != nil {
					return check
				}
			}
			if f.all && f.ids != nil {
				return exit.Usagef("--pass-through copies all columns: leave --id out")
			}
			for i, name := range f.ids {
				if slices.Contains(f.ids[:i], name) {
					return exit.Usagef("--id %s is given twice", name)
				}
			}
			if err := checkSides(cmd, args[0], args[1:]); err != nil {
				return err
			}
			return a.predict(cmd.Context(), args[0], args[1:], &f)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.kinds, "kind", []string{"value"}, "`KINDS` of prediction, with commas between them: value, raw, class, leaf, interval or contrib")
	flags.Lookup("kind").DefValue = "value"
	flags.StringArrayVar(&f.ids, "id", nil, "`COLUMN` to copy from the table; repeatable")
	flags.BoolVar(&f.all, "pass-through", false, "copy all columns of the table, before the prediction, less those of data.ignore")
	flags.StringVarP(&f.output, "output", "o", "", "`FILE` to write (default: standard output)")
	flags.StringVar(&f.format, "format", "", "`FORMAT`: csv, jsonl, parquet or arrow (default: as -o is named, else csv)")
	f.Stages.Add(cmd, "the prediction")
	flags.Float64Var(&f.earlyStop, "early-stop", 0, "skip trees that change no raw score by more than `X`; with --kind class 0: that change no class")
	f.unseenFlag.add(cmd)
	f.shardFlag.add(cmd)
	f.loading.add(cmd)
	f.addSet(cmd, predictKeys)
	complete.With(cmd, "kind", kinds...)
	complete.WithColumns(cmd, "id")
	complete.With(cmd, "format", write.Formats()...)
	return cmd
}

// checkKinds refuses kinds that there are not, and one that is named twice.
func (f *predictFlags) checkKinds(known []string) error {
	for i, kind := range f.kinds {
		if err := exit.OneOf("kind", kind, known...); err != nil {
			return err
		}
		if slices.Contains(f.kinds[:i], kind) {
			return exit.Usagef("--kind %s is given twice", kind)
		}
	}
	if len(f.kinds) == 0 {
		return exit.OneOf("kind", "", known...)
	}
	return nil
}

// has reports whether a kind is asked for.
func (f *predictFlags) has(kind string) bool { return slices.Contains(f.kinds, kind) }

// checkStops refuses an early stop where it would mean nothing.
func (f *predictFlags) checkStops() error {
	for _, k := range [][2]string{{"leaf", "tree"}, {"contrib", "feature"}} {
		switch {
		case f.has(k[0]) && f.Every > 0:
			return exit.Usagef("--staged cannot go with --kind %s, which has a column for every %s", k[0], k[1])
		case f.has(k[0]) && f.stops && len(f.kinds) == 1:
			return exit.Usagef("--early-stop skips trees, and --kind %s needs all of them", k[0])
		}
	}
	switch {
	case !f.stops:
		return nil
	case len(f.kinds) > 1:
		return exit.Usagef("--early-stop means something else for each --kind: give one kind")
	case f.Every > 0:
		return exit.Usagef("--early-stop skips trees, and --staged needs all of them")
	case f.has("class") && f.earlyStop != 0:
		return exit.Usagef("--early-stop must be 0 with --kind class, where no class changes, not %v", f.earlyStop)
	case !f.has("class") && !(f.earlyStop > 0 && f.earlyStop <= math.MaxFloat64):
		return exit.Usagef("--early-stop must be above 0, the largest change of a raw score, not %v (0 is for --kind class)", f.earlyStop)
	}
	return nil
}

// fitIntervals adds the model's intervals where no kinds are asked for, and refuses what the model was not calibrated for.
func (f *predictFlags) fitIntervals(m evaluation.Model, file string) error {
	t := m.Trust()
	switch has := t != nil && t.Intervals != nil; {
	case f.has("interval") && !has:
		return exit.Usagef("--kind interval: %s has no intervals: boost calibrate --intervals 0.9 finds those of classes and of one number", file)
	case f.anyKind && has:
		f.kinds = append(f.kinds, "interval")
	}
	if err := f.Stages.FitTrust(m, file, f.kinds...); err != nil {
		return err
	}
	for _, kind := range f.kinds {
		if f.stops && predictions.UsesTrust(t, kind) {
			return exit.Usagef("--early-stop: %s is calibrated for scores that went through all trees: leave the flag out, or give --kind raw", file)
		}
	}
	return nil
}

// predictKeys leaves out on_bad_row: every input row has its line. data.ignore is for columns that are copied.
var predictKeys = append(slices.DeleteFunc(slices.Clone(keyflags.Reading), func(k string) bool { return k == "data.on_bad_row" }), "data.ignore")

func (a *app) predict(ctx context.Context, modelFile string, tables []string, f *predictFlags) error {
	c, err := f.config(a, predictKeys)
	if err != nil {
		return err
	}
	if len(c.Data.Ignore) > 0 && !f.all {
		return exit.Usagef("data.ignore leaves columns out of those that --pass-through copies; without it only columns that the model needs are read")
	}
	m, err := f.loading.open(a, modelFile)
	if err != nil {
		return err
	}
	if f.has("class") && m.Classes() == nil {
		return exit.Usagef("%s predicts numbers, not classes: leave --kind class out", modelFile)
	}
	if err := f.Stages.Fit(m, modelFile); err != nil {
		return err
	}
	if err := f.fitIntervals(m, modelFile); err != nil {
		return err
	}
	if f.has("leaf") && f.Stages.Trees(m) == 0 {
		return exit.Usagef("--kind leaf: without rounds there are no trees")
	}
	if f.has("contrib") {
		if err := predictions.CheckContributions(m); err != nil {
			return exit.Usagef("--kind contrib: %s: %v", modelFile, err)
		}
	}
	if f.output != "" && (filename.Reads(tables, f.output, c.ReadOptions()...) || filename.Same(f.output, modelFile)) {
		return exit.Usagef("%s is read, and cannot be written over by the same run: give another name with -o", f.output)
	}
	if f.output != "" && f.output != "-" {
		if err := output.Writable(f.output); err != nil {
			return err
		}
	}
	schema := m.Schema()
	if !f.all && len(f.ids) == 0 { // an id column that is the label is one with a number in each row
		schema = schema.Inputs()
	}
	reading := append(c.ReadOptions(), dataset.InOrder(), dataset.ID(f.ids...))
	if f.all {
		reading = append(reading, dataset.AllIDs(), dataset.Ignore(c.Data.Ignore...))
	}
	opts := append(slices.Clip(reading), dataset.As(schema))
	p := predictions.Predictions{
		Model: m, Kinds: f.kinds, Format: f.format, IDs: f.ids, All: f.all, Every: f.Every, Trees: f.Stages.Trees(m), Options: f.Stages.Options(),
	}
	if f.stops {
		p.Options = append(p.Options, model.EarlyStop(f.earlyStop))
	}
	if f.shard.Of > 0 {
		return a.predictShard(ctx, &p, f, tables, opts...)
	}
	var whole map[string]bool
	if p.TypesIDs(schema) {
		var ok bool
		if whole, ok = a.wholeIDs(ctx, tables, append(slices.Clip(reading), dataset.As(p.IDSchema(schema)))...); !ok {
			return a.predictWhole(ctx, &p, f, tables, opts...)
		}
	}
	s, err := predictions.NewStream(p, f.onUnseen)
	if err != nil {
		return err
	}
	s.Whole = whole
	return a.predictStream(ctx, s, tables, f.output, opts...)
}

// predictWhole predicts a table that has to be there whole before the first row is written.
func (a *app) predictWhole(ctx context.Context, p *predictions.Predictions, f *predictFlags, files []string, opts ...dataset.Option) error {
	t, err := a.open(ctx, files, opts...)
	if err != nil {
		return badcells.OfPredicting(err)
	}
	if err := a.reportUnseen(t, p.Model, f.onUnseen, files...); err != nil {
		return err
	}
	a.reportInitScores(p.Model.LacksInitScores(t), strings.Join(files, " "))
	p.Pool = a.pool(0)
	defer p.Pool.Close()
	return a.writePacked(f.output, func(w io.Writer) error { return p.Write(ctx, w, t) })
}

// resolveFormat takes the format from the output's name where --format does not give it.
func (a *app) resolveFormat(f *predictFlags) error {
	if f.format == "" {
		if f.format = write.FormatOf(f.output); f.format == "" {
			return exit.Usagef("-o %s: predictions are not written in this format; expected %s", f.output, write.Endings)
		}
	}
	if err := exit.OneOf("format", f.format, write.Formats()...); err != nil {
		return err
	}
	return checkForm(f.format, f.output, terminal.Is(a.out))
}

// reportInitScores says that a model was trained from init scores, where a table lacks them.
func (a *app) reportInitScores(lacks bool, file string) {
	if lacks {
		a.log.Warn(file + " has no init scores, but the model was trained from some: predictions are what the model adds to them")
	}
}
