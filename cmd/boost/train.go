package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/booster"
	"boost/booster/model"
	"boost/booster/preset"
	"boost/booster/search"
	"boost/booster/search/tune"
	"boost/booster/traindata"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/compression"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/progress"
	"boost/cmd/boost/internal/ranks"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/configs"
	"boost/dataset"
	"boost/dataset/write"
	"boost/internal/comm"
	"boost/internal/format"
	"boost/internal/output"
	"boost/internal/profile"
	"boost/internal/terminal"
	"boost/objectives"
	"boost/ptq/compress"
)

// trainFlags is the command line of train.
type trainFlags struct {
	reading
	verify bool
	json   bool
	resume bool
	ranks  ranks.Flags
}

func (a *app) trainCommand() *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use:   "train CONFIG.toml|TABLE…",
		Short: "Train a model",
		Long: `Train a model from a config file (a name ending in .toml), or straight from a table.
Several tables are read as one.

From a table: --label names the column to predict. The objective is inferred from it. Training
stops when more rounds do not help on a tenth of the rows, which is held out, or on --valid; then it
trains on all rows. Text columns of mostly different values are left out. --effort quick is five to
ten times faster and some percent less accurate. Flags change any of this, and --set any key of a
config; boost init TABLE writes it as a config.

--valid 0.2 holds out a fifth of the rows, --valid-by COLUMN those that the column marks.

--init-model continues from a model: as many rounds more, on a table with its columns and label.

The model is written when training ends. Ctrl-C stops after the round and writes
MODEL.partial; a second Ctrl-C stops at once.

--checkpoint FOLDER saves training every minute (output.checkpoint_every), and when it is stopped.
The same command with --resume then goes on from there: the model is the one that training without
a stop makes, byte for byte. More --rounds than before may be given.

--ranks N trains in N processes on this machine. --rank R/N makes this process one of N, on any machines: each
reads the tables, and has a part of the rows in training; with --by-features all rows, and a part of the
columns to search. The model is that of one process, byte for byte.`,
		Example: `  boost train data.csv --label price
  boost train part-*.csv --label price --valid valid.csv --leaves 63 -o price.boost
  boost train run.toml --threads 4 --json
  boost train data.csv --label price --checkpoint saved --resume
  boost train more.csv --init-model price.boost --rounds 50 -o price2.boost`,
		Args: usage.AtLeast("CONFIG.toml or TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.ranks.CannotStart(cmd.Context(), version, a.train(cmd.Context(), cmd, args, &f))
		},
	}
	flags := cmd.Flags()
	f.addKeys(cmd, keyflags.Train)
	flags.BoolVar(&f.verify, "verify", false, "check every histogram against its rows; slow")
	flags.BoolVar(&f.json, "json", false, "print the summary as JSON")
	flags.BoolVar(&f.resume, "resume", false, "go on from the newest checkpoint, if there is one")
	f.ranks.Add(cmd)
	return cmd
}

// addKeys gives the command flags for these keys and those of columns, and --set for all.
func (f *trainFlags) addKeys(cmd *cobra.Command, keys []keyflags.Flag) {
	keyflags.Add(cmd, slices.Concat(keys, keyflags.Columns))
	cmd.Flags().StringArrayVar(&f.sets, "set", nil, "any config key, as `section.key=value`; repeatable")
	complete.WithKeys(cmd, nil)
	f.addNoSpool(cmd)
}

// trainRun is one run of train: what it was told, and what came of it.
type trainRun struct {
	a         *app
	config    *configs.Config
	json      bool
	resume    bool
	judges    bool             // models are trained to be judged on parts of the rows
	tables    []dataset.Option // for tables whose types are inferred
	base      *model.Model     // training goes on from it; nil for from nothing
	report    booster.Report
	loading   time.Duration
	saving    time.Duration
	tests     []*dataset.Table
	outOfCore bool
	forms     *compress.Choice // for a compressed model; nil for none
	small     *compress.Result
	comm      comm.Comm   // what joins the ranks of the training; nil for one process
	sent      comm.Stats  // over it
	ranks     ranks.Flags // what each has of the table
	noLabel   error       // what to say where no label is named and the table has none of its own
}

func (a *app) train(ctx context.Context, cmd *cobra.Command, sources []string, f *trainFlags) error {
	if err := f.ranks.Check(cmd); err != nil {
		return err
	}
	if f.ranks.Others() && !a.verbose {
		a.log = slog.New(keyflags.Handler(terminal.NewHandler(a.terminal, a.logFormat, slog.LevelError), &a.command))
	}
	r := &trainRun{a: a, json: f.json, resume: f.resume, ranks: f.ranks}
	if err := r.configure(cmd, sources, f, keyflags.Train); err != nil {
		return err
	}
	if err := r.checkBag(); err != nil {
		return err
	}
	c := r.config
	if f.ranks.Several() && c.Data.Cache != "" {
		return exit.Usagef("data.cache keeps the codes of one process: leave it out, or train without ranks")
	}
	if f.ranks.ReadsInput() && slices.Contains(slices.Concat(c.Data.Train, c.Data.Valid, c.Data.Test), "-") {
		return exit.Usagef("ranks find each other by standard input, which is no table then: write it to a file, or give --rank R/N and --peers")
	}
	if f.ranks.Count > 0 {
		if err := r.checkOutputs(); err != nil {
			return err
		}
		return f.ranks.Launch(ctx, a.args, c.Params.Threads, a.out, a.terminal)
	}
	var err error
	if r.comm, err = f.ranks.Join(ctx, a.stdin, a.out, version); err != nil {
		return f.ranks.Named(err)
	}
	var model *booster.Model
	if err = cmp.Or(r.checkAlike(ctx), r.checkOutputs()); err == nil {
		model, err = r.fit(ctx, false)
	}
	if errors.Is(err, booster.ErrCache) {
		a.log.Warn("the cache is rebuilt", "file", c.Data.Cache, "reason", strings.TrimPrefix(err.Error(), booster.ErrCache.Error()+": "))
		model, err = r.fit(ctx, true)
	}
	if r.comm == nil {
		return r.keep(ctx, model, err)
	}
	r.sent = r.comm.Stats()
	return f.ranks.Named(r.leave(ctx, model, err))
}

// checkOutputs makes sure that what this process is to write can be written. Ranks other than the first write nothing.
func (r *trainRun) checkOutputs() error {
	if r.ranks.Others() {
		return nil
	}
	for _, out := range []string{r.config.Output.Model, r.config.Quantize.Output} {
		if out != "" {
			if err := filename.Whole(out); err != nil {
				return err
			}
		}
	}
	if out := r.config.Output.Predictions; out != "" {
		return output.Writable(out)
	}
	return nil
}

// checkAlike makes sure that all ranks are given the same settings.
func (r *trainRun) checkAlike(ctx context.Context) error {
	if r.comm == nil {
		return nil
	}
	all := r.config.OfAllRanks()
	r.ranks.Settings(all)
	if r.resume {
		all["--resume"] = "given"
	}
	if r.base != nil {
		sha, err := r.base.SHA256()
		if err != nil {
			return err
		}
		all["train.init_model"] = "of SHA-256 " + sha
	}
	return comm.Alike(ctx, r.comm, all)
}

// keep writes the model, or with the error of an interruption what there is of it, and the summary.
func (r *trainRun) keep(ctx context.Context, model *booster.Model, err error) error {
	if model == nil {
		return err
	}
	path := r.modelPath(err)
	start := time.Now()
	if saveErr := r.save(ctx, model, path, err != nil); saveErr != nil {
		return saveErr
	}
	r.saving = time.Since(start)
	if err != nil {
		r.report.Stopped = booster.StoppedInterrupted // also where the first of several models had stopped by itself
		what := "the model so far"
		if r.report.Blended > 0 {
			what = fmt.Sprintf("the mean of the %d models so far", r.report.Blended)
		}
		r.a.log.Warn("interrupted: "+what+" was written to "+path, "rounds", model.Rounds())
		r.sayResume(err)
	}
	if finishErr := r.finish(ctx, model, path, err != nil); finishErr != nil {
		return finishErr
	}
	if err != nil {
		return &exit.Silent{Err: err}
	}
	return nil
}

// modelPath returns the file of a model, given the error of its training.
func (r *trainRun) modelPath(err error) string {
	if err != nil {
		return r.config.Output.Model + ".partial"
	}
	return r.config.Output.Model
}

// leave ends this rank's part. Where there is a model, the first rank writes it, and the others wait for what becomes of that. The
// ranks are left after the last message, since that may end the processes of all.
func (r *trainRun) leave(ctx context.Context, model *booster.Model, err error) error {
	r.a.closers = append(r.a.closers, r.comm)
	if model == nil {
		r.comm.Abort(comm.Reason(ctx, err))
		return err
	}
	interrupted := err
	if !r.ranks.Others() {
		err = r.keep(ctx, model, err)
	}
	failed := err
	if errors.Is(err, booster.ErrInterrupted) {
		failed = nil
	}
	all, commErr := comm.Join(context.WithoutCancel(ctx), r.comm, 0)
	if commErr == nil {
		commErr = all.Agree(failed)
	}
	switch {
	case failed != nil || !r.ranks.Others():
		return err
	case commErr != nil:
		return commErr
	case interrupted != nil:
		r.a.log.Error("interrupted: rank 0 has written the model so far to " + r.modelPath(err))
		return &exit.Silent{Err: err}
	}
	return nil
}

// prepare loads the tables, and returns them with the objective and the parameters that training will have.
func (r *trainRun) prepare(ctx context.Context, rebuild bool) (*traindata.Tables, objectives.Info, booster.Params, error) {
	c := r.config
	loaded, err := r.load(ctx, rebuild)
	if err != nil {
		return nil, objectives.Info{}, c.Params, err
	}
	table := loaded.Train.MetaColumns()
	objective, why, err := r.objectiveOf(table)
	params := c.Params
	if err != nil {
		err = exit.OfTable(c.Data.Train, err)
	} else {
		params, err = r.settle(loaded.Train, objective.Name)
	}
	if err != nil {
		loaded.Close()
		return nil, objective, params, err
	}
	r.sayWhat(objective, why, table)
	return loaded, objective, params, nil
}

// fit loads the tables and trains on them; rebuild has the cache made anew. With an
// interruption it returns the model so far.
func (r *trainRun) fit(ctx context.Context, rebuild bool) (*booster.Model, error) {
	a, c := r.a, r.config
	loaded, objective, params, err := r.prepare(ctx, rebuild)
	if err != nil {
		return nil, err
	}
	defer loaded.Close()
	if loaded.OutOfCore && c.Quantize.MaxLoss >= 0 {
		return nil, errLossOutOfCore
	}
	r.outOfCore = loaded.OutOfCore
	table := loaded.Train.MetaColumns()
	if params.TimeLimit > 0 {
		// The limit is for the whole run: what loading took is gone.
		if params.TimeLimit -= time.Since(a.started); params.TimeLimit <= 0 {
			return nil, fmt.Errorf("%w: train.time_limit of %v was over when the tables were read (%s)",
				booster.ErrBudget, c.Params.TimeLimit, format.Seconds(r.loading.Seconds()))
		}
	}
	defaults, err := objectives.DefaultMetrics(objective.Name, objective.Link, params.Loss)
	if err != nil {
		return nil, err
	}
	if c.Quantize.MaxLoss >= 0 && !compression.Measures(defaults[0]) {
		return nil, exit.Usagef("quantize.max_loss is certified by a mean over rows, and %s, by which objective %s is judged, is none: leave it out", defaults[0], objective.Name)
	}
	if _, err := configs.ChooseMetrics(params.Metrics, defaults, objectives.MetricLink(objective.Name, objective.Link)); err != nil {
		return nil, err
	}
	if err := cmp.Or(c.CheckTable(table), r.checkTests(objective, table)); err != nil {
		return nil, err
	}
	if r.comm != nil && (c.Budget > 0 || params.BagFolds > 0) {
		return nil, exit.Usagef("train.budget and train.bag_folds (train.effort = \"best\" sets it) train many models in one process: leave them out, or the ranks")
	}
	var model *booster.Model
	if c.Budget > 0 {
		model, err = r.spend(ctx, params, loaded)
	} else {
		model, err = r.trainOn(ctx, params, loaded, nil)
	}
	a.terminal.ClearBar()
	if err != nil && (model == nil || !errors.Is(err, booster.ErrInterrupted)) {
		return nil, exit.OfTable(c.Data.Train, err)
	}
	r.sayLeak(model, loaded.Train.Table(), objective.HasClasses())
	return model, err
}

// trainOn trains on loaded tables, where more says after two models of a blend whether to go on.
func (r *trainRun) trainOn(ctx context.Context, p booster.Params, loaded *traindata.Tables, more func(*booster.Report) bool) (*booster.Model, error) {
	a := r.a
	r.report = booster.Report{}
	if p.BagFolds > 0 {
		return r.bag(ctx, p, loaded.Train.Table())
	}
	rounds := progress.Rounds{Terminal: a.terminal, Log: a.log, Verbose: a.verbose, JSON: a.logFormat == "json", Before: r.baseRounds(),
		Patience: p.EarlyStopping, Valid: len(r.config.Data.Valid) > 0, Report: &r.report}
	opts := loaded.Options()
	if r.comm != nil {
		opts = append(opts, booster.WithRanks(r.comm))
	}
	if r.ranks.Features {
		opts = append(opts, booster.ByFeatures())
	}
	a.showBar(r.baseRounds() + p.Rounds)
	if p.Blend > 0 {
		return search.Blend(ctx, p, loaded.Train, search.Blending{
			Log: a.log, Report: &r.report, OnRound: rounds.Show, More: more, Checkpoints: r.checkpoints(), Spread: r.comm != nil, Options: opts,
		})
	}
	opts = append(opts, booster.Logger(a.log), booster.WithReport(&r.report), booster.OnRound(rounds.Show), booster.WithCheckpoints(r.checkpoints()))
	return booster.TrainOn(ctx, p, loaded.Train, opts...)
}

// checkpoints says how training is saved.
func (r *trainRun) checkpoints() booster.Checkpoints {
	o := &r.config.Output
	return booster.Checkpoints{Dir: o.Checkpoint, Every: o.CheckpointEvery, Resume: r.resume}
}

// sayResume says how a run that was interrupted goes on.
func (r *trainRun) sayResume(err error) {
	if folder := r.config.Output.Checkpoint; folder != "" && errors.Is(err, booster.ErrInterrupted) {
		r.a.log.Info("the same command with --resume goes on from the checkpoint in " + folder)
	}
}

// bag trains a model for each fold of the table, and returns their mean.
func (r *trainRun) bag(ctx context.Context, p booster.Params, table *dataset.Table) (*booster.Model, error) {
	bagging := search.Bagging{Log: r.a.log, Report: &r.report, Limit: p.TimeLimit, Checkpoints: r.checkpoints(), OnRound: r.a.showFolds(p.Rounds, p.BagFolds)}
	p.TimeLimit = 0 // of a budget: that of all folds
	m, err := search.Bag(ctx, p, table, bagging)
	if err != nil {
		r.sayResume(err)
		return nil, err
	}
	return m, nil
}

// spend spends the budget.
func (r *trainRun) spend(ctx context.Context, p booster.Params, loaded *traindata.Tables) (*booster.Model, error) {
	a, c := r.a, r.config
	left := c.Budget - time.Since(a.started)
	if left <= 0 {
		return nil, fmt.Errorf("%w: train.budget of %v was over when the table was read (%s)", booster.ErrBudget, c.Budget, format.Seconds(r.loading.Seconds()))
	}
	quick, err := c.QuickOn(loaded.Train)
	if err != nil {
		return nil, err
	}
	b := tune.Budget{Time: left, Given: c.Budget, Quick: quick, Space: tune.Usual(p, loaded.Train.MetaColumns().NumRows(), c.Given), Log: a.log}
	b.Show = func(left time.Duration) (func(tune.Trial, bool), func(int, int)) {
		return r.showTrials(int(left.Seconds())+1, true)
	}
	m, report, err := tune.Train(ctx, p, loaded.Train.Table(), b, func(ctx context.Context, p booster.Params, more func(*booster.Report) bool) (*booster.Model, booster.Report, error) {
		a.terminal.ClearBar()
		chosen := fmt.Sprintf("training with learning rate %g, %d leaves", p.LearningRate, p.Tree.Leaves)
		switch {
		case p.BagFolds > 0:
			chosen += fmt.Sprintf(", %d folds", p.BagFolds)
		case p.Blend > 0:
			chosen += fmt.Sprintf(", up to %d models", p.Blend)
		}
		a.log.Info(chosen)
		m, err := r.trainOn(ctx, p, loaded, more)
		a.terminal.ClearBar()
		return m, r.report, err
	})
	r.report = report
	return m, err
}

// checkBag refuses what a model of folds does not go together with.
func (r *trainRun) checkBag() error {
	c := r.config
	var other string
	switch {
	case c.Params.BagFolds == 0 && c.Budget == 0:
		return nil
	case len(c.Data.Valid) > 0:
		other = "a validation set"
	case c.InitModel != "":
		other = "train.init_model"
	case c.Budget > 0 && c.Output.Checkpoint != "":
		other = "output.checkpoint"
	case c.Quantize.MaxLoss >= 0:
		other = "quantize.max_loss"
	default:
		return nil
	}
	if c.Budget > 0 {
		return exit.Usagef("train.budget judges on parts of the rows, and may average models of folds: leave %s or the budget out", other)
	}
	return exit.Usagef("train.bag_folds = %d (as train.effort = \"best\" sets it) judges each model on its own part of the rows: leave %s out, or set train.bag_folds = 0", c.Params.BagFolds, other)
}

// sayLeak names a column that has much of the gain if it predicts the label almost perfectly by itself, as inspect does.
func (r *trainRun) sayLeak(m *model.Model, table *dataset.Table, classes bool) {
	columns, err := m.Importance(model.ByGain)
	if err != nil || table == nil || table.LabelColumn() == nil {
		return
	}
	total := 0.0
	for _, c := range columns {
		total += c.Value
	}
	var large []string
	for _, c := range columns {
		if c.Value > 0 && c.Value >= total/8 { // a node may not see it, by sampling.col_node
			large = append(large, c.Name)
		}
	}
	label := table.LabelColumn().Name()
	if name, score := profile.Leaking(table, profile.Params{Label: label, Classes: classes}, large); score != nil {
		r.a.log.Warn(fmt.Sprintf("column %q alone predicts %q almost perfectly (%s %.4f): if it is not known when predictions are made, set data.ignore = [%q]",
			name, label, score.Measure, score.Value, name))
	}
}

// configure resolves everything that the config file and the flags say.
func (r *trainRun) configure(cmd *cobra.Command, sources []string, f *trainFlags, keys []keyflags.Flag) error {
	base, file, source := configs.Default(), "", sources[0]
	config := slices.IndexFunc(sources, filename.IsConfig)
	hasConfig := config >= 0
	switch {
	case hasConfig && len(sources) > 1:
		return exit.Usagef("%s is a config file, which names the tables itself: give it alone (--set data.train=TABLE replaces its tables)", sources[config])
	case hasConfig:
		file, r.a.command.HasConfig = source, true
	default:
		base.Data.Train = sources
		base.Effort = preset.Default
	}
	flags, err := keyflags.Given(cmd, slices.Concat(keys, keyflags.Columns))
	if err != nil {
		return err
	}
	sets := f.sets
	if f.verify {
		sets = append(slices.Clone(sets), "train.verify=true")
	}
	c, notes, err := configs.Read(base, file, sets, flags...)
	r.a.tell(notes)
	if err != nil {
		return err
	}
	r.config = c
	if f.resume && c.Output.Checkpoint == "" {
		return exit.Usagef("--resume goes on from a checkpoint: name their folder with --checkpoint (output.checkpoint)")
	}
	if every := c.Output.CheckpointEvery; every != booster.DefaultCheckpointEvery && c.Output.Checkpoint == "" {
		return exit.Usagef("output.checkpoint_every says how often a checkpoint is written: name their folder with --checkpoint (output.checkpoint)")
	}
	if c.Output.Model == "-" {
		return exit.Usagef("a model cannot be written to standard output: name a file with -o")
	}
	if err := c.Params.Validate(); err != nil {
		return err
	}
	for _, valid := range c.Data.Valid {
		if _, ok := keyflags.ShareOf(valid); ok {
			return exit.Usagef("data.valid = %q: there is no table of this name; a share of the rows is train.valid_share (--valid %s)", valid, valid)
		}
	}
	if len(c.Data.Valid) > 0 && (c.Params.ValidShare > 0 || c.Params.ValidBy != "") {
		return exit.Usagef("--valid %s is a validation set, and rows are to be held out as one too (train.valid_share, train.valid_by): leave one of them out", format.Pasted(c.Data.Valid[0]))
	}
	if len(c.Data.Train) == 0 {
		return exit.Usagef("%s names no table: set data.train", source)
	}
	if c.Output.Predictions == "-" {
		return exit.Usagef("output.predictions cannot be standard output, where the summary goes: name a file")
	}
	if write.FormatOf(c.Output.Predictions) == "" {
		return exit.Usagef("output.predictions = %q: predictions are not written in this format; expected %s", c.Output.Predictions, write.Endings)
	}
	if c.Output.Predictions != "" && len(c.Data.Test) == 0 {
		return exit.Usagef("output.predictions needs a test set: set data.test, or give --test TABLE")
	}
	if c.Output.Model == "" {
		c.Output.Model = filename.Stem(c.Data.Train[0]) + ".boost"
	}
	if r.forms, err = compression.Wanted(c); err != nil {
		return err
	}
	read := slices.Concat(c.Data.Train, c.Data.Valid, c.Data.Test)
	if streams := slices.Index(read, "-"); streams >= 0 && slices.Contains(read[streams+1:], "-") {
		return exit.Usagef("standard input (-) can be one table only")
	}
	if err := filename.OfConfig(c, append(read, file, c.ForcedCutsFile, c.InitModel)); err != nil {
		return err
	}
	r.tables = append(c.ReadOptions(), c.RoleOptions()...)
	if !hasConfig {
		r.tables = append(r.tables, dataset.DropTextLike())
	}
	if f.noSpool {
		r.tables = append(r.tables, dataset.NoSpool())
	}
	if c.InitModel != "" {
		if err := c.GoesOn(); err != nil {
			return err
		}
		return r.goOn()
	}
	if len(c.Data.Label) == 0 { // some files say themselves what their label is
		r.tables = append(r.tables, dataset.NeedLabel())
		r.noLabel = exit.Usagef("which column is to be predicted? Give --label NAME (boost inspect %s lists the columns)", format.Pasted(source))
		if hasConfig {
			r.noLabel = exit.Usagef("%s names no label: set data.label, or give --label NAME", source)
		}
	}
	return nil
}

// mayRetrain reports whether training on all rows may follow.
func (r *trainRun) mayRetrain() bool {
	return r.base == nil && len(r.config.Data.Valid) == 0 && r.config.Quantize.MaxLoss < 0
}

// settle returns the parameters that training will have, and says what was chosen for the table.
func (r *trainRun) settle(train booster.Data, objective string) (booster.Params, error) {
	c := r.config
	before := c.Chosen()
	params, err := c.ParamsOn(train, objective, r.mayRetrain(), !r.judges)
	if err != nil {
		return params, err
	}
	switch chosen := c.Chosen(); {
	case chosen == "":
	case c.Preset == "":
		r.a.log.Debug(chosen)
	case chosen != before:
		r.a.log.Info("by the rows of this table, " + chosen)
	}
	return params, nil
}

// goOn loads the model that training goes on from. Columns, types and label are its own.
func (r *trainRun) goOn() error {
	c := r.config
	var err error
	if r.base, err = regdir.Load(c.InitModel); err != nil {
		return err
	}
	if err := c.CheckBase(r.base.Schema(), false); err != nil {
		return err
	}
	r.a.reportUncalibrated(r.base)
	if given := c.Data.InitScore; len(given) > 0 {
		var known []string
		for _, column := range r.base.Schema().Columns {
			if column.Role == dataset.InitScoreRole {
				known = append(known, column.Name)
			}
		}
		if known == nil {
			return exit.Usagef("data.init_score = %q: %s was trained without init scores: leave the key out", given, c.InitModel)
		}
		if !slices.Equal(given, known) {
			return exit.Usagef("data.init_score = %q: %s was trained from %q", given, c.InitModel, known)
		}
	}
	r.tables = append(c.ReadOptions(), c.BesideOptions()...)
	return nil
}

// baseRounds returns the rounds that there are before training.
func (r *trainRun) baseRounds() int {
	if r.base == nil {
		return 0
	}
	return r.base.Rounds()
}

// sayWhat says what is predicted, and why so.
func (r *trainRun) sayWhat(objective objectives.Info, why string, t *dataset.Table) {
	names := t.LabelColumns()
	quoted := make([]string, len(names))
	for i, c := range names {
		quoted[i] = strconv.Quote(c.Name())
	}
	text := fmt.Sprintf("predicting %s with objective %s", strings.Join(quoted, ", "), objective.Name)
	if why != "" {
		text += ", because " + why
	}
	if objective.Labels == objectives.TwoClasses {
		classes, _ := dataset.ClassesOf(t.LabelColumn())
		if r.base != nil {
			classes = r.base.Classes()
		}
		positive := r.config.Params.PositiveClass
		if len(classes) == 2 && (r.base != nil || positive == "") {
			positive = classes[1]
		}
		if len(classes) == 2 && slices.Contains(classes, positive) { // else an error follows
			text += fmt.Sprintf("; %q is the positive class", positive)
		}
	}
	r.a.log.Info(text)
	if objective.Labels == objectives.ManyClasses {
		if classes, _ := dataset.ClassesOf(t.LabelColumn()); len(classes) > usualClasses {
			r.a.log.Warn(fmt.Sprintf("label %s has %s classes, and each round grows a tree for each: name another label if these are ids", quoted[0], format.Count(len(classes))))
		}
	}
}

// usualClasses is the number of classes up to which nothing is said of them.
const usualClasses = 500

// objectiveOf returns the objective that training will have, and why where it follows from the label.
func (r *trainRun) objectiveOf(t *dataset.Table) (info objectives.Info, why string, err error) {
	name, why, err := r.config.ObjectiveOn(t, r.base)
	info, ok := objectives.Lookup(name)
	if !ok && r.base != nil { // training refuses to go on from it
		info = objectives.Info{Name: name, Link: r.base.Link()}
	}
	return info, why, err
}
