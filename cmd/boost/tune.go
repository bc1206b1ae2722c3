package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/booster"
	"boost/booster/search/tune"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/usage"
	"boost/configs"
	"boost/dataset"
	"boost/internal/format"
	"boost/internal/report"
)

// tuneFlags is the command line of tune.
type tuneFlags struct {
	trainFlags
	tune.Params
	tries        []string
	only         bool
	noStudy      bool
	heldOut      string
	output, plot string
}

// tuneKeyFlags are those of train that say how a model is trained. A search is saved by its study.
var tuneKeyFlags = slices.DeleteFunc(slices.Clone(cvKeyFlags), func(f keyflags.Flag) bool { return f.Name == "checkpoint" })

func (a *app) tuneCommand() *cobra.Command {
	var f tuneFlags
	cmd := &cobra.Command{
		Use:   "tune CONFIG.toml|TABLE…",
		Short: "Search for better settings, and write a config with them",
		Long: `Try settings of training on folds of the table, beginning with those of a config file, or of train
without one, and write a config with the best. Where nothing is said, those of usual use are searched,
less those that are given; --try adds others or other bounds, --only searches those alone.

Trials are drawn at random, then where the better ones lie (--sampler). One that others are ahead of
after as many rounds is given up. All trials are on the same folds and on one binned table; the best
number of rounds is found in each by the mean over the folds. From 100,000 rows on one fold is judged.

Each trial is written to a study, a file of JSON lines. The same command goes on from there after an
interruption, or with more --trials. The trials follow from train.seed, not from threads or time.`,
		Example: `  boost tune data.csv --label price
  boost tune run.toml --trials 200 --budget 30m
  boost tune data.csv --label price --try tree.leaves=15..500:log --try tree.growth=leaf,symmetric
  boost tune data.csv --label price --only --try tree.lambda_l2=0.1..10:log --held-out 20% --plot trials.svg`,
		Args: usage.AtLeast("CONFIG.toml or TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.tune(cmd.Context(), cmd, args, &f) },
	}
	flags := cmd.Flags()
	f.addKeys(cmd, tuneKeyFlags)
	flags.IntVar(&f.Trials, "trials", 0, "stop after `N` trials, those of the study counted (default: 50, no limit with --budget)")
	flags.DurationVar(&f.Budget, "budget", 0, "stop after this `TIME`, like 90s or 10m")
	flags.StringArrayVar(&f.tries, "try", nil, "search a key: `KEY=LOW..HIGH`, KEY=LOW..HIGH:log or KEY=A,B,C; repeatable")
	flags.BoolVar(&f.only, "only", false, "search the keys of --try alone")
	flags.StringVar(&f.Sampler, "sampler", tune.TPE, "how trials are drawn: tpe or random, by `NAME`")
	complete.With(cmd, "sampler", tune.TPE, tune.Random)
	flags.BoolVar(&f.NoPrune, "no-prune", false, "give no trial up early")
	flags.IntVar(&f.Judged, "judge", 0, "judge on the first `N` folds; 0 = all, from 100,000 rows on one")
	flags.StringVar(&f.heldOut, "held-out", "", "`SHARE` of the rows that the search does not see, for a last check")
	flags.StringVar(&f.Study, "study", "", "`FILE` that keeps the trials (default: named after the table, in this folder)")
	flags.BoolVar(&f.noStudy, "no-study", false, "do not keep the trials")
	addDivisionFlags(cmd, &f.Division)
	flags.StringVarP(&f.output, "output", "o", "", "config `FILE` (default: named after the table, in this folder)")
	flags.StringVar(&f.plot, "plot", "", "`FILE` (.svg) for a picture of the trials")
	flags.BoolVar(&f.json, "json", false, "print JSON, with all trials")
	return cmd
}

func (a *app) tune(ctx context.Context, cmd *cobra.Command, sources []string, f *tuneFlags) error {
	r := &trainRun{a: a, json: f.json, judges: true}
	if err := r.configure(cmd, sources, &f.trainFlags, tuneKeyFlags); err != nil {
		return err
	}
	c := r.config
	ready := *c // with the sets that are not looked at
	name := filename.Stem(c.Data.Train[0])
	if f.output == "" {
		f.output = name + ".tuned.toml"
	}
	switch {
	case f.noStudy && f.Study != "":
		return exit.Usagef("--study %s and --no-study: leave one of both out", format.Pasted(f.Study))
	case f.noStudy:
	case f.Study == "":
		f.Study = name + ".study"
	}
	if filename.IsConfig(sources[0]) && filename.Same(sources[0], f.output) {
		return exit.Usagef("%s is read, and cannot be written over by the same run: give another name with -o", f.output)
	}
	if err := cmp.Or(usage.Positive(cmd, "trials"), filename.Apart(filename.Output{Key: "-o", File: f.output}, filename.Output{Key: "--plot", File: f.plot}, filename.Output{Key: "--study", File: f.Study}), r.onlyTable(&f.Division, f.output, f.plot), filename.Plot(f.plot), filename.SearchConfig(f.output, f.Study)); err != nil {
		return err
	}
	if filename.Reads(c.Data.Train, f.Study, c.ReadOptions()...) {
		return exit.Usagef("%s is read, and cannot be a study: give another name with --study", format.Pasted(f.Study))
	}
	if f.heldOut != "" {
		var err error
		if f.HeldOut, err = configs.ParseShare(f.heldOut); err != nil {
			return exit.Usagef("--held-out %s: %v", format.Pasted(f.heldOut), err)
		}
	}
	if f.Trials == 0 && f.Budget == 0 {
		f.Trials = 50
	}
	started := time.Now()
	loaded, objective, params, err := r.prepare(ctx, false)
	if err != nil {
		return err
	}
	defer loaded.Close()
	params.Objective = objective.Name
	table := loaded.Train.Table()
	if f.Space, err = f.space(params, c, table); err != nil {
		return err
	}
	f.Seed, f.Log = params.Seed, a.log
	if f.Budget > 0 { // the time is for reading too
		if f.Budget -= time.Since(a.started); f.Budget <= 0 {
			return fmt.Errorf("%w: the budget was over when the table was read (%s)", booster.ErrBudget, format.Seconds(r.loading.Seconds()))
		}
	}
	if f.Trials > 0 {
		f.OnTrial, f.OnRound = r.showTrials(f.Trials, false)
	} else {
		f.OnTrial, f.OnRound = r.showTrials(int(f.Budget.Seconds())+1, true)
	}
	found, err := tune.Search(ctx, params, table, f.Params)
	a.terminal.ClearBar()
	if err != nil {
		return exit.OfTable(c.Data.Train, err)
	}
	ready.Params, ready.Effort, ready.Preset = found.Params, "", ""
	ready.Params.Binning.ForcedCuts = c.Params.Binning.ForcedCuts
	ready.ResetIdle()
	ready.Data.Ignore = slices.Concat(ready.Data.Ignore, table.Dropped())
	ready.MapPaths(func(path string) string { return filename.RelativeTo(f.output, path) })
	s := report.Tuning{Result: found, Seconds: time.Since(started).Seconds(), Study: f.Study, Config: f.output, Plot: f.plot, Command: "boost train " + format.Pasted(f.output)}
	starter := configs.Starter{Config: &ready, Title: []string{
		fmt.Sprintf("The best of %s on %s: %s = %.6g.", format.Counted(len(found.Trials), "trial"), strings.Join(c.Data.Train, " "), found.Metric, found.Trials[found.Best].Value),
		"Train with it: " + s.Command,
	}}
	if err := a.writeOutput(f.output, func(w *bufio.Writer) error {
		_, err := w.Write(filename.Seal(starter.TOML(), f.Study))
		return err
	}); err != nil {
		return err
	}
	if f.plot != "" {
		if err := a.writeOutput(f.plot, func(w *bufio.Writer) error { return report.PlotTrials(w, found) }); err != nil {
			return err
		}
	}
	if !a.quiet || f.json {
		if err := a.answer(f.json, s.JSON(), s.Write); err != nil {
			return err
		}
	}
	if found.Stopped == tune.StoppedInterrupted {
		if a.log.Warn("interrupted: the best so far was written to " + f.output); f.Study != "" {
			a.log.Info("the same command goes on from " + f.Study)
		}
		return &exit.Silent{Err: booster.ErrInterrupted}
	}
	return nil
}

// space returns what is searched.
func (f *tuneFlags) space(p booster.Params, c *configs.Config, table *dataset.Table) (tune.Space, error) {
	var tried tune.Space
	for _, text := range f.tries {
		key, values, ok := strings.Cut(text, "=")
		if !ok {
			return nil, exit.Usagef("--try %s: expected KEY=LOW..HIGH, KEY=LOW..HIGH:log or KEY=A,B,C", format.Pasted(text))
		}
		key, err := configs.KeyOf(strings.TrimSpace(key))
		var d tune.Dimension
		if err == nil {
			d, err = tune.Parse(key, values)
		}
		if err != nil {
			return nil, exit.Usagef("--try %s: %v", format.Pasted(text), err)
		}
		tried = append(tried, d)
	}
	if f.only && len(tried) == 0 {
		return nil, exit.Usagef("--only searches the keys of --try alone: name them")
	}
	space := tune.SpaceWith(tried, f.only, p, table.NumRows(), c.Given)
	return space, c.CheckTable(table, space.Names()...)
}

// showTrials tells of trials as they come, with a bar of so many trials, or seconds.
func (r *trainRun) showTrials(steps int, inSeconds bool) (onTrial func(t tune.Trial, isBest bool), onRound func(done, of int)) {
	a := r.a
	a.showBar(steps)
	started, trials, best := time.Now(), 0, ""
	onTrial = func(t tune.Trial, isBest bool) {
		trials++
		text := fmt.Sprintf("trial %d: %s", t.Number, t.State)
		switch {
		case isBest:
			best = fmt.Sprintf("best %.6g in trial %d", t.Value, t.Number)
			a.log.Info(fmt.Sprintf("trial %d: %.6g after %s, the best so far", t.Number, t.Value, format.Counted(t.Best, "round")))
			return
		case t.State == tune.Failed:
			text += ": " + t.Error
		default:
			text = fmt.Sprintf("%s, %.6g after %s", text, t.Value, format.Counted(t.Rounds, "round"))
		}
		a.log.Debug(text)
	}
	onRound = func(done, of int) {
		at := trials
		if inSeconds {
			at = int(time.Since(started).Seconds())
		}
		a.terminal.Step(at, fmt.Sprintf("trial %s, round %s/%s; %s", format.Count(trials), format.Count(done), format.Count(of), best))
	}
	return onTrial, onRound
}
