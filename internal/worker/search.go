package worker

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"boost/booster"
	"boost/booster/search"
	"boost/booster/search/tune"
	"boost/booster/traindata"
	"boost/configs"
	"boost/dataset"
	"boost/internal/format"
	"boost/internal/report"
)

// foldsHead is what requests that judge on folds have beside those to train.
type foldsHead struct {
	trainHead
	Folds   int    `json:"folds"`
	Repeats int    `json:"repeats"`
	Plain   bool   `json:"plain"`    // classes are not spread evenly
	GroupBy string `json:"group_by"` // column whose values name rows that stay together
	Time    string `json:"time"`     // column in whose order rows are divided
	Sliding bool   `json:"sliding"`  // with Time: train on the block before alone
}

// division says how rows are divided.
func (h *foldsHead) division(c *configs.Config, p *booster.Params) search.Division {
	d := search.Division{Folds: h.Folds, Repeats: h.Repeats, Plain: h.Plain, GroupBy: h.GroupBy, Time: h.Time, Sliding: h.Sliding, Seed: p.Seed}
	if c.Data.Group == d.GroupBy { // queries stay together by themselves
		d.GroupBy = ""
	}
	return d
}

// foldsRun is a table that is divided into folds, and what they begin with.
type foldsRun struct {
	config *configs.Config
	params booster.Params
	tables *traindata.Tables
	start  time.Time
}

func (f *foldsRun) table() *dataset.Table { return f.tables.Train.Table() }

// readForFolds reads the table of a request that judges on folds, and settles the parameters.
func (r *request) readForFolds(ctx context.Context, head *foldsHead) (*foldsRun, error) {
	f := &foldsRun{start: time.Now()}
	var err error
	if f.config, err = r.configure(&head.trainHead); err != nil {
		return nil, err
	}
	c := f.config
	switch {
	case c.InitModel != "":
		return nil, usagef("train.init_model = %q has seen the rows that folds are judged on: leave it out", c.InitModel)
	case c.Budget > 0:
		return nil, usagef("train.budget is for training: leave it out; tune has a budget of its own")
	}
	c.Data.Cache, c.Data.OutOfCore = "", traindata.OutOfCoreFalse
	if err := settle(c, nil, true); err != nil {
		return nil, err
	}
	if f.tables, err = r.trainingTables(ctx, &head.trainHead, c, nil); err != nil {
		return nil, err
	}
	if f.params, err = settledParams(c, f.tables.Train, &head.trainHead, nil, true, false); err != nil {
		f.tables.Close()
		return nil, err
	}
	if head.Loss != nil {
		f.params.Objective = head.Loss.task()
	}
	return f, nil
}

// skipped returns how many rows are left out. Where the others are of a table that was handed over, it returns their numbers too.
func (f *foldsRun) skipped(head *trainHead) (count int, kept []int32) {
	t := f.table()
	if count = t.Skipped(); count == 0 || len(head.Train.Files) > 0 {
		return count, nil
	}
	kept = make([]int32, t.NumRows())
	for row := range kept {
		_, number := t.Locate(row)
		kept[row] = int32(number - 1)
	}
	return count, kept
}

// crossValidate trains on parts of the rows and judges on the others. The body of the answer has the predictions of all rows, rows ×
// outputs, then the raw scores, the fold of each row, as i4, the numbers of the rows that are left, as i4, where some are left out
// and these are known, and the files of the models.
func (r *request) crossValidate(ctx context.Context) (any, []byte, error) {
	var head struct {
		foldsHead
		Strict     bool    `json:"strict"`
		Resamples  int     `json:"resamples"`
		Confidence float64 `json:"confidence"`
	}
	if err := r.parse(&head); err != nil {
		return nil, nil, err
	}
	f, err := r.readForFolds(ctx, &head.foldsHead)
	if err != nil {
		return nil, nil, err
	}
	defer f.tables.Close()
	if err := f.config.CheckTable(f.table()); err != nil {
		return nil, nil, err
	}
	p := search.Params{Division: head.division(f.config, &f.params), Strict: head.Strict, Resamples: head.Resamples, Confidence: head.Confidence, Log: r.logger(), OnRound: r.tellFolds(&head.trainHead)}
	functions, err := head.functions(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	p.Own = functions.own
	found, err := search.CrossValidate(functions.ctx, f.params, f.table(), p)
	if err = functions.end(err); err != nil {
		return nil, nil, err
	}
	skipped, kept := f.skipped(&head.trainHead)
	body := slices.Concat(bytesOf(found.Values), bytesOf(found.Raw), bytesOf(found.Fold), bytesOf(kept))
	models, sizes := make([]modelHead, len(found.Models)), make([]int, len(found.Models))
	for i, m := range found.Models {
		data, err := m.Encode()
		if err != nil {
			return nil, nil, err
		}
		models[i], sizes[i] = r.describe(m), len(data)
		body = append(body, data...)
	}
	drop, add := []string{}, map[string]any{}
	if found.Undefined == "" {
		drop, add = trainingAfter(&head.trainHead, f.config, found.Best)
	}
	said := report.CrossValidation{Result: found, Repeats: max(1, head.Repeats), Strict: head.Strict, Confidence: head.Confidence, Seconds: time.Since(f.start).Seconds()}
	return struct {
		Report any            `json:"report"`
		Shape  [2]int         `json:"shape"` // of the predictions
		Models []modelHead    `json:"models"`
		Sizes  []int          `json:"sizes"` // of the files of the models
		Drop   []string       `json:"drop"`  // settings that training on all rows goes without
		Add    map[string]any `json:"add"`   // and those that it has beside the others

		Skipped int  `json:"skipped"` // bad rows that are left out
		Kept    bool `json:"kept"`    // the body has the numbers of the others
	}{said.JSON(), [2]int{len(found.Fold), found.Models[0].Outputs()}, models, sizes, drop, add, skipped, kept != nil}, body, nil
}

// trainingAfter returns what is to be changed about the settings for training on all rows with a number of rounds.
func trainingAfter(head *trainHead, c *configs.Config, rounds int) (drop []string, add map[string]any) {
	drop = []string{}
	rates := search.RatesOf(c.Params, rounds)
	for _, setting := range head.Settings {
		if key, _ := configs.KeyOf(setting[0]); search.Decides(key, rates, c.Data.Position != "") {
			drop = append(drop, setting[0])
		}
	}
	add = map[string]any{"train.rounds": rounds, "train.early_stopping": 0}
	if rates != nil {
		add["train.learning_rates"] = rates
	} else if (c.Effort != "" || c.Preset != "") && !c.Given("train.learning_rate") { // which would be chosen by the rounds
		add["train.learning_rate"] = c.Params.LearningRate
	}
	return drop, add
}

// average averages the models of folds. The body of the answer is the file of what they make together.
func (r *request) average(context.Context) (any, []byte, error) {
	var head struct {
		Models []uint32 `json:"models"`
	}
	if err := r.parse(&head); err != nil {
		return nil, nil, err
	}
	var found search.Result
	for _, number := range head.Models {
		kept, err := r.server.model(number)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(kept.Schema().Columns, func(c dataset.ColumnSchema) bool { return c.Role == dataset.InitScoreRole }) {
			return nil, nil, usagef("models that start from init scores cannot be averaged")
		}
		found.Models = append(found.Models, kept.Model)
	}
	if len(found.Models) == 0 {
		return nil, nil, protocolf("there are no models to average")
	}
	m, err := found.Average()
	if err != nil {
		return nil, nil, err
	}
	data, err := m.Encode()
	return r.describe(m), data, err
}

// tuneHead is the head of a request to search for settings.
type tuneHead struct {
	foldsHead
	Trials  int         `json:"trials"`
	Budget  string      `json:"budget"` // time as 90s or 10m; "" for none
	Try     [][2]string `json:"try"`    // keys, with LOW..HIGH, LOW..HIGH:log or A,B,C
	Only    bool        `json:"only"`   // those of Try alone
	Sampler string      `json:"sampler"`
	NoPrune bool        `json:"no_prune"`
	Judge   int         `json:"judge"`
	HeldOut string      `json:"held_out"` // share of the rows; "" for none
	Study   string      `json:"study"`    // file; "" for none
}

// tune searches for better settings.
func (r *request) tune(ctx context.Context) (any, []byte, error) {
	var head tuneHead
	if err := r.parse(&head); err != nil {
		return nil, nil, err
	}
	p := tune.Params{Trials: head.Trials, Sampler: head.Sampler, NoPrune: head.NoPrune, Judged: head.Judge, Study: head.Study, Log: r.logger()}
	var err error
	if head.Budget != "" {
		if p.Budget, err = time.ParseDuration(head.Budget); err != nil || p.Budget <= 0 {
			return nil, nil, usagef("budget = %q: must be seconds above 0, or text like 90s or 10m", head.Budget)
		}
	}
	if p.Trials == 0 && p.Budget == 0 {
		p.Trials = 50
	}
	if head.HeldOut != "" {
		if p.HeldOut, err = configs.ParseShare(head.HeldOut); err != nil {
			return nil, nil, usagef("held_out = %s: %v", head.HeldOut, err)
		}
	}
	f, err := r.readForFolds(ctx, &head.foldsHead)
	if err != nil {
		return nil, nil, err
	}
	defer f.tables.Close()
	table := f.table()
	functions, err := head.functions(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	p.Own = functions.own
	if head.Loss == nil {
		if f.params.Objective, _, err = f.config.ObjectiveOn(table, nil); err != nil {
			return nil, nil, err
		}
	}
	if head.Study != "" && len(p.Own.Options) > 0 {
		return nil, nil, usagef("a study does not know which functions its trials had: leave study out, or the functions")
	}
	p.Division = head.division(f.config, &f.params)
	if p.Space, err = head.space(f.params, f.config, table); err != nil {
		return nil, nil, err
	}
	if p.Budget > 0 { // the time is for reading too
		if p.Budget -= time.Since(f.start); p.Budget <= 0 {
			return nil, nil, fmt.Errorf("%w: the budget was over when the table was read", booster.ErrBudget)
		}
	}
	if head.Events {
		p.OnTrial = func(t tune.Trial, best bool) { r.tellTrial(t, p.Space, best) }
	}
	found, err := tune.Search(functions.ctx, f.params, table, p)
	if err = functions.end(err); err != nil {
		return nil, nil, err
	}
	c := *f.config
	c.Params, c.Effort, c.Preset = found.Params, "", ""
	c.Params.Binning.ForcedCuts = f.config.Params.Binning.ForcedCuts // the key names their file
	c.ResetIdle()
	c.Data.Ignore = slices.Concat(c.Data.Ignore, table.Dropped())
	c.Data.OutOfCore = configs.Default().Data.OutOfCore
	settings := map[string]any{"train.effort": ""} // nothing is left to be chosen
	for _, k := range c.Changed() {
		if k.Name != "train.objective" || head.Loss == nil {
			settings[k.Name] = k.JSON()
		}
	}
	said := report.Tuning{Result: found, Seconds: time.Since(f.start).Seconds(), Study: head.Study}
	return struct {
		Report   any            `json:"report"`
		Settings map[string]any `json:"settings"`
		Skipped  int            `json:"skipped"` // bad rows that are left out
	}{said.JSON(), settings, table.Skipped()}, nil, nil
}

// space returns what is searched.
func (h *tuneHead) space(p booster.Params, c *configs.Config, table *dataset.Table) (tune.Space, error) {
	var tried tune.Space
	for _, try := range h.Try {
		key, err := configs.KeyOf(try[0])
		var d tune.Dimension
		if err == nil {
			d, err = tune.Parse(key, try[1])
		}
		if err != nil {
			return nil, usagef("space: %s: %v", try[0], err)
		}
		tried = append(tried, d)
	}
	if h.Only && len(tried) == 0 {
		return nil, usagef("only=True searches the keys of space alone: name them")
	}
	space := tune.SpaceWith(tried, h.Only, p, table.NumRows(), c.Given)
	return space, c.CheckTable(table, space.Names()...)
}

// trialEvent is a finished trial of a search.
type trialEvent struct {
	Trial     int               `json:"trial"`
	State     tune.State        `json:"state"`
	Value     *float64          `json:"value"`
	BestRound int               `json:"best_round"`
	Rounds    int               `json:"rounds"`
	Values    map[string]string `json:"values"`
	Best      bool              `json:"is_best"` // so far
	Error     string            `json:"error,omitempty"`
}

// tellTrial sends an event of a trial.
func (r *request) tellTrial(t tune.Trial, space tune.Space, best bool) {
	told := trialEvent{Trial: t.Number, State: t.State, Value: format.Finite(t.Value), BestRound: t.Best, Rounds: t.Rounds, Values: map[string]string{}, Best: best, Error: t.Error}
	for i, value := range t.Values {
		told.Values[space[i].Name] = value
	}
	text := "trial " + strconv.Itoa(t.Number) + ": " + string(t.State)
	switch {
	case best:
		text = fmt.Sprintf("trial %d: %.6g after %s, the best so far", t.Number, t.Value, format.Counted(t.Best, "round"))
	case t.State == tune.Failed:
		text += ": " + t.Error
	}
	r.logger().Debug(text)
	_ = r.server.out.write(r.id, struct {
		Event string `json:"event"`
		trialEvent
	}{"trial", told}, nil)
}
