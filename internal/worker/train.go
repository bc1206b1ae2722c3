package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"boost/booster"
	"boost/booster/model"
	"boost/booster/preset"
	"boost/booster/search"
	"boost/booster/search/tune"
	"boost/booster/traindata"
	"boost/configs"
	"boost/dataset"
	"boost/internal/format"
	"boost/internal/profile"
	"boost/internal/report"
	"boost/objectives"
)

// trainHead is the head of a request to train.
type trainHead struct {
	Train    source      `json:"train"`
	Valid    []source    `json:"valid"`
	Settings [][2]string `json:"settings"` // names of keys, or of other libraries, and values as after --set key=
	Effort   string      `json:"effort"`   // where no setting says it; "": as in a config
	Base     uint32      `json:"base"`     // the model that training goes on from; 0 for none
	Events   bool        `json:"events"`   // send events of rounds
	Every    bool        `json:"every"`    // all rounds
	functionsHead
}

// trainReport is what is said of a run that is not in the model.
type trainReport struct {
	Objective string                         `json:"objective"`
	Rounds    int                            `json:"rounds"`
	BestRound int                            `json:"best_round"`
	Stopped   string                         `json:"stopped"`
	Metrics   map[string]map[string]*float64 `json:"metrics"`
	Seconds   map[string]float64             `json:"seconds"`
	HeldOut   int                            `json:"held_out"`
	Skipped   int                            `json:"skipped"` // bad rows that are left out
	Threads   int                            `json:"threads"`
	Blend     int                            `json:"blend,omitempty"` // models that are averaged; metrics are of the first
}

// hereRefused are settings of what the program does around training, and what to use here.
var hereRefused = map[string]string{
	"data.train": "give the table as an argument", "data.valid": "give validation sets as an argument", "data.test": "evaluate the model afterwards",
	"output": "save the model afterwards", "quantize": "quantize the model afterwards", "registry": "use the command boost registry",
}

// configure reads the settings.
func (r *request) configure(head *trainHead) (*configs.Config, error) {
	base := configs.Default()
	base.Effort = head.Effort
	c, notes, err := configs.Read(base, "", nil, flagsOf(head.Settings)...)
	r.note(notes...)
	if err != nil {
		return nil, err
	}
	for _, k := range configs.Keys() {
		for _, name := range []string{k.Name, k.Section()} {
			if instead := hereRefused[name]; instead != "" && c.Given(k.Name) && k.Name != "quantize.dtype" && k.Name != "quantize.error_feedback" {
				return nil, usagef("%s cannot be set here: %s", k.Name, instead)
			}
		}
	}
	if len(head.Valid) > 0 && (c.Params.ValidShare > 0 || c.Params.ValidBy != "") {
		return nil, usagef("a validation set is given, and rows are to be held out as one too (train.valid_share, train.valid_by): leave one of them out")
	}
	if head.Loss != nil && c.Params.Objective != "" {
		return nil, usagef("train.objective = %q: an objective of your own is given too: leave one of them out", c.Params.Objective)
	}
	if c.Params.BagFolds > 0 && (len(head.Valid) > 0 || head.Base != 0 || c.InitModel != "") {
		return nil, usagef("train.bag_folds = %d, which effort \"best\" sets, judges each model on its own part of the rows, from nothing: leave validation sets and init_model out, or set train.bag_folds = 0", c.Params.BagFolds)
	}
	if c.Budget > 0 && (len(head.Valid) > 0 || head.Base != 0 || c.InitModel != "") {
		return nil, usagef("train.budget judges on parts of the rows, and trains from nothing: leave validation sets and init_model out, or the budget")
	}
	return c, c.Params.Validate()
}

// train trains a model. The body of the answer is its file.
func (r *request) train(ctx context.Context) (any, []byte, error) {
	var head trainHead
	if err := r.parse(&head); err != nil {
		return nil, nil, err
	}
	start := time.Now()
	c, err := r.configure(&head)
	if err != nil {
		return nil, nil, err
	}
	base, err := r.base(&head, c)
	if err != nil {
		return nil, nil, err
	}
	retrain := base == nil && len(head.Valid) == 0
	if err := settle(c, base, retrain); err != nil {
		return nil, nil, err
	}
	loaded, err := r.trainingTables(ctx, &head, c, base)
	if err != nil {
		return nil, nil, err
	}
	defer loaded.Close()
	params, err := settledParams(c, loaded.Train, &head, base, retrain, retrain)
	if err != nil {
		return nil, nil, err
	}
	if err := c.CheckTable(loaded.Train.MetaColumns()); err != nil {
		return nil, nil, err
	}
	loading := time.Since(start)
	if params.TimeLimit > 0 { // the limit is for the whole run: what loading took is gone
		if params.TimeLimit -= loading; params.TimeLimit <= 0 {
			return nil, nil, fmt.Errorf("%w: train.time_limit of %v was over when the tables were read", booster.ErrBudget, c.Params.TimeLimit)
		}
	}
	f, err := head.functions(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	options := slices.Concat(f.own.Options, loaded.Options())
	if base != nil { // tables in memory do not say so
		options = append(options, booster.From(base))
	}
	var tell func(booster.Round)
	if head.Events {
		tell = r.tellRounds(head.Every)
	}
	train := func(ctx context.Context, p booster.Params, more func(*booster.Report) bool) (m *booster.Model, trained booster.Report, err error) {
		switch {
		case p.BagFolds > 0:
			bagging := search.Bagging{Log: r.logger(), Report: &trained, Limit: p.TimeLimit, OnRound: r.tellFolds(&head), Own: f.own}
			p.TimeLimit = 0
			m, err = search.Bag(ctx, p, loaded.Train.Table(), bagging)
		case p.Blend > 0:
			m, err = search.Blend(ctx, p, loaded.Train, search.Blending{Log: r.logger(), Report: &trained, OnRound: tell, More: more, Options: options})
		default:
			m, err = booster.TrainOn(ctx, p, loaded.Train, append(options, booster.Logger(r.logger()), booster.WithReport(&trained), booster.OnRound(tell))...)
		}
		return m, trained, err
	}
	var m *booster.Model
	var trained booster.Report
	switch {
	case c.Budget == 0:
		m, trained, err = train(f.ctx, params, nil)
	case loading >= c.Budget:
		return nil, nil, fmt.Errorf("%w: train.budget of %v was over when the table was read", booster.ErrBudget, c.Budget)
	default:
		b := tune.Budget{Time: c.Budget - loading, Given: c.Budget, Space: tune.Usual(params, loaded.Train.MetaColumns().NumRows(), c.Given), Own: f.own, Log: r.logger()}
		if b.Quick, err = c.QuickOn(loaded.Train); err != nil {
			return nil, nil, err
		}
		m, trained, err = tune.Train(f.ctx, params, loaded.Train.Table(), b, train)
	}
	if err = f.end(err); err != nil {
		return nil, nil, err
	}
	data, err := m.Encode()
	if err != nil {
		return nil, nil, err
	}
	said := trainReport{Objective: trained.Objective, Rounds: trained.Rounds, BestRound: trained.BestRound, Stopped: trained.Stopped,
		Metrics: report.MetricsJSON(trained.Metrics), HeldOut: len(trained.HeldOut), Skipped: loaded.Train.MetaColumns().Skipped(), Threads: trained.Threads, Blend: trained.Blended,
		Seconds: map[string]float64{"load": loading.Seconds(), "bin": trained.BinSeconds, "train": trained.TrainSeconds, "score": trained.ScoreSeconds, "total": time.Since(start).Seconds()}}
	return struct {
		modelHead
		Report trainReport `json:"report"`
	}{r.describe(m), said}, data, nil
}

// settle takes the parameters that were not given from what is known before a table is read, on which a cache depends.
func settle(c *configs.Config, base *model.Model, retrain bool) error {
	if base != nil {
		if err := c.GoesOn(); err != nil {
			return err
		}
	}
	return c.SettleFor(preset.Table{Retrain: retrain})
}

// settledParams returns the parameters that training on a table will have.
func settledParams(c *configs.Config, train booster.Data, head *trainHead, base *model.Model, retrain, blend bool) (booster.Params, error) {
	objective, _, _ := c.ObjectiveOn(train.MetaColumns(), base) // an error comes once more from training
	if head.Loss != nil {
		objective = head.Loss.task()
	}
	return c.ParamsOn(train, objective, retrain, blend)
}

// base returns the model that training goes on from, nil for none.
func (r *request) base(head *trainHead, c *configs.Config) (*model.Model, error) {
	var base *model.Model
	switch {
	case head.Base != 0 && c.InitModel != "":
		return nil, usagef("a model to go on from is given twice: leave train.init_model out")
	case head.Base != 0:
		kept, err := r.server.model(head.Base)
		if err != nil {
			return nil, err
		}
		base = kept.Model
	case c.InitModel != "":
		var err error
		if base, err = model.Load(c.InitModel); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	if _, known := objectives.Lookup(base.Objective()); !known && head.Loss == nil {
		return nil, usagef("the model that training goes on from has an objective of its own, '%s': give the function again, as objective", base.Objective())
	}
	return base, c.CheckBase(base.Schema(), true)
}

// trainingTables reads the tables of a run.
func (r *request) trainingTables(ctx context.Context, head *trainHead, c *configs.Config, base *model.Model) (*traindata.Tables, error) {
	options := append(c.ReadOptions(), c.RoleOptions()...)
	if base != nil {
		options = append(c.ReadOptions(), c.BesideOptions()...)
	} else if len(c.Data.Label) == 0 { // some files say themselves what their label is
		options = append(options, dataset.NeedLabel())
	}
	if head.Effort != "" {
		options = append(options, dataset.DropTextLike())
	}
	inFiles := len(head.Train.Files) > 0 && !slices.ContainsFunc(head.Valid, func(s source) bool { return len(s.Files) != 1 })
	var loaded *traindata.Tables
	var err error
	if inFiles {
		loaded, err = r.loadFiles(ctx, head, c, base, options)
	} else {
		loaded, err = r.loadMemory(ctx, head, c, base, options)
	}
	if errors.Is(err, dataset.ErrNoLabel) {
		return nil, usagef("which column is to be predicted? Give label=NAME")
	}
	if err != nil {
		return nil, err
	}
	r.noteTraining(loaded.Train, base)
	return loaded, nil
}

// noteTraining says what is to be said about the training table.
func (r *request) noteTraining(train booster.Data, base *model.Model) {
	r.note(profile.Sentinels(train.Table())...)
	r.note(profile.Misspelt(train.MetaColumns().LabelColumn())...)
	if base == nil {
		r.note(profile.RowNames(train.Table())...)
	}
	r.logger().Debug(format.Counted(train.MetaColumns().NumRows(), "row") + " to train on")
}

// loadFiles reads tables that are all files: they need not fit into memory.
func (r *request) loadFiles(ctx context.Context, head *trainHead, c *configs.Config, base *model.Model, options []dataset.Option) (*traindata.Tables, error) {
	in := traindata.Input{Train: head.Train.Files, Options: options, ValidOptions: c.ReadOptions(), OutOfCore: c.Data.OutOfCore,
		Cache: c.Data.Cache, CutsFile: c.ForcedCutsFile, From: base, Log: r.logger()}
	for _, valid := range head.Valid {
		in.Valid = append(in.Valid, valid.Files[0])
	}
	loaded, err := traindata.Load(ctx, c.Params, in)
	if errors.Is(err, booster.ErrCache) {
		in.Rebuild = true
		loaded, err = traindata.Load(ctx, c.Params, in)
	}
	if err != nil {
		return nil, err
	}
	for _, data := range append([]booster.Data{loaded.Train}, loaded.Valid...) {
		r.noteTable(data.MetaColumns())
	}
	return loaded, nil
}

// loadMemory reads tables of which one at least was handed over.
func (r *request) loadMemory(ctx context.Context, head *trainHead, c *configs.Config, base *model.Model, options []dataset.Option) (*traindata.Tables, error) {
	if c.Data.Cache != "" {
		return nil, usagef("data.cache keeps tables of files: leave it out, or give the names of files")
	}
	if base != nil {
		options = append(options, dataset.As(base.Schema()), dataset.SkipUnlabelled())
	}
	train, err := r.read(ctx, &head.Train, options...)
	if err != nil {
		return nil, err
	}
	if base != nil {
		if err := r.warnOfUnused(head.Train.Table, train, c.Data.Ignore); err != nil {
			return nil, err
		}
	}
	t := &traindata.Tables{Train: booster.InMemory(train)}
	for i := range head.Valid {
		valid, err := r.read(ctx, &head.Valid[i], append(c.ReadOptions(), dataset.As(train.Schema()), dataset.SkipUnlabelled())...)
		if err != nil {
			return nil, err
		}
		t.Valid = append(t.Valid, booster.InMemory(valid))
	}
	return t, nil
}

// warnOfUnused warns of columns of a table in memory that training on from a model does not use, because the model does not
// know them.
func (r *request) warnOfUnused(number uint32, train *dataset.Table, ignored []string) error {
	if number == 0 { // files
		return nil
	}
	kept, err := r.server.table(number)
	if err != nil {
		return err
	}
	var unused []string
	for _, c := range kept.columns {
		if train.Column(c.Name) == nil && !slices.Contains(ignored, c.Name) {
			unused = append(unused, c.Name)
		}
	}
	if len(unused) > 0 {
		r.logger().Warn(fmt.Sprintf("the columns %q are not used: the model that training goes on from does not know them; leave them out, or train a new model", unused))
	}
	return nil
}

func featureNames(s dataset.Schema) []string { return s.RoleNames(dataset.Feature) }

// tellRounds returns what sends events of rounds: of all, or of some and of the last.
func (r *request) tellRounds(every bool) func(booster.Round) {
	var last time.Time
	return func(round booster.Round) {
		if now := time.Now(); every || now.Sub(last) >= roundInterval || round.Index+1 == round.Of {
			last = now
			told := &roundEvent{Round: round.Index + 1, Of: round.Of, Best: round.Best}
			for _, e := range round.Evals {
				told.Evals = append(told.Evals, evaluation{e.Set, e.Metric, format.Finite(e.Value)})
			}
			_ = r.server.out.write(r.id, event{Event: "round", roundEvent: told}, nil)
		}
	}
}

// tellFolds returns what sends events of the rounds of all folds together, nil where none are asked for.
func (r *request) tellFolds(head *trainHead) func(done, of int) {
	if !head.Events {
		return nil
	}
	tell := r.tellRounds(head.Every)
	return func(done, of int) { tell(booster.Round{Index: done - 1, Of: of, Best: done}) }
}
