package booster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
)

// From goes on training from a model: its trees stand first, Params.Rounds more are grown
// behind them, and rounds are counted on. The new rows are coded with the model's cuts and
// dictionaries, whose levels are added to, and their scores start from what the model
// predicts for them. Where nothing else has changed, 50 rounds and 50 from them on are the
// trees of 100, bit for bit.
//
// The table is brought to the model's columns, as by dataset.As. The objective, the
// classes and their order are the model's; parameters that say otherwise are an error
// that wraps ErrParams. A model that was trained from init scores needs them in all tables,
// one that was not refuses them. Early stopping judges the model as it is, too: where no
// new round is better, none is kept.
func From(base *Model) Option { return func(o *options) { o.baseModel = base } }

// baseRounds returns the rounds of the base model, 0 without one.
func (t *trainer) baseRounds() int {
	if t.from == nil {
		return 0
	}
	return t.from.Rounds()
}

// follow brings a table to the columns of the base model.
func (t *trainer) follow(s source) (source, error) {
	if err := checkBaseScores(t.from, s.rest()); err != nil {
		return nil, err
	}
	followed, err := s.as(t.from.Schema())
	if err != nil {
		return nil, err
	}
	rest := followed.rest()
	if rest.LabelColumn() == nil {
		return nil, fmt.Errorf("%w: there is no column %q, the label of the base model", dataset.ErrTable, labelName(t.from))
	}
	if t.from.LacksInitScores(rest) {
		return nil, fmt.Errorf("%w: the base model was trained from init scores: give the table its own", dataset.ErrTable)
	}
	return followed, nil
}

// checkBaseScores refuses init scores where the base model says itself where training
// starts.
func checkBaseScores(base *Model, t *dataset.Table) error {
	if base.FromInitScores() {
		return nil
	}
	for _, c := range t.Columns() {
		if c.Role() == dataset.InitScoreRole {
			return fmt.Errorf("%w: column %q holds init scores, and the base model was trained without: training starts from one or the other", dataset.ErrTable, c.Name())
		}
	}
	return nil
}

func labelName(m *Model) string {
	for _, c := range m.Schema().Columns {
		if c.Role == dataset.LabelRole {
			return c.Name
		}
	}
	return ""
}

// targetOf returns the target of a model, for rows that it is trained on or refitted to.
func targetOf(m *Model, custom objectives.Objective) (*target, error) {
	c := m.Contents()
	tg := &target{objective: custom, classes: c.Classes, numeric: c.NumericClasses}
	if custom == nil {
		objective, err := objectives.New(c.Objective, objectives.Options{Classes: len(c.Classes)})
		if err != nil {
			return nil, fmt.Errorf("%w: the base model has an objective of its own, give it (WithObjective): %w", ErrParams, err)
		}
		tg.objective = objective
	}
	if o := tg.objective; o.Name() != c.Objective || o.Link() != c.Link || o.Outputs() != c.Outputs {
		return nil, fmt.Errorf("%w: objective %s has link %s and %d outputs, the model's is %s with link %s and %d outputs",
			ErrParams, o.Name(), o.Link(), o.Outputs(), c.Objective, c.Link, c.Outputs)
	}
	return tg, nil
}

// baseTarget settles objective and classes from the base model.
func (t *trainer) baseTarget() (*target, error) {
	c := t.from.Contents()
	if t.p.Objective != "" && t.p.Objective != c.Objective {
		return nil, fmt.Errorf("%w: train.objective = %q: the base model's is %q, leave it out", ErrParams, t.p.Objective, c.Objective)
	}
	t.p.Objective = c.Objective
	if p := t.p.PositiveClass; p != "" && (len(c.Classes) != 2 || c.Classes[1] != p) {
		return nil, fmt.Errorf("%w: data.positive_class = %q: the classes of the base model are %s, and stay in this order", ErrParams, p, someNames(c.Classes))
	}
	return targetOf(t.from, t.objective)
}

// extendCuts finds the codes of levels that the base model does not know.
func (t *trainer) extendCuts(ctx context.Context, train source) (*binning.Cuts, []string, error) {
	if _, err := t.from.TreesOn(t.from.Contents().Cuts); err != nil {
		return nil, nil, fmt.Errorf("%w: train.init_model: %w", ErrParams, err)
	}
	cuts, notes, err := train.extend(ctx, t.from.Contents().Cuts, t.p.Binning)
	if err != nil {
		return nil, nil, err
	}
	if keys := t.otherBinning(); len(keys) > 0 {
		t.log.Info("numbers are coded with the cuts of the base model: parameters that would say otherwise do not count", "parameters", strings.Join(keys, ", "))
	}
	return cuts, notes, nil
}

// otherBinning lists the parameters of cuts that are not those of the base model.
func (t *trainer) otherBinning() []string {
	mine, err := t.p.ModelParams()
	if err != nil {
		return nil
	}
	var have, had map[string]json.RawMessage
	if json.Unmarshal(mine, &have) != nil || json.Unmarshal(t.from.Contents().Params, &had) != nil {
		return nil
	}
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(have)) {
		if before, ok := had[key]; ok && strings.HasPrefix(key, "binning.") && string(before) != string(have[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}

// startFromBase puts the base model's trees before those to come and the rows' scores where
// they lead.
func (t *trainer) startFromBase() error {
	if t.from == nil {
		return nil
	}
	trees, err := t.from.TreesOn(t.cuts)
	if err != nil {
		return err
	}
	t.trees = append(t.trees, trees...)
	t.reuse(trees)
	t.first, t.done, t.best = t.from.Rounds(), t.from.Rounds(), t.from.Rounds()
	t.wide = slices.Clone(t.from.Contents().WideRounds)
	t.addTrees(t.matrix, t.scores)
	for _, s := range t.sets {
		t.addTrees(s.matrix, s.raw)
		s.startHistory(t)
	}
	if t.first > 0 {
		t.evaluateBase()
	}
	return nil
}

// addTrees adds all trees that there are to raw scores, output-major, in their order.
func (t *trainer) addTrees(m *binning.Matrix, scores []float64) {
	n := len(scores) / t.outputs
	for i := range t.trees {
		k := i % t.outputs
		task := treeTask{t: &t.trees[i], cuts: t.cuts, matrix: m, scores: scores[k*n : (k+1)*n]}
		t.pool.Do(task.pieces(), &task)
	}
}

// startHistory begins the set's history with that of the base model, where that was
// judged on the same rows; the rounds of others are not known.
func (s *evalSet) startHistory(t *trainer) {
	if t.first == 0 {
		return
	}
	for i, m := range t.metrics {
		values := make([]*float64, t.first-1)
		if t.sameSet(s) {
			for _, h := range t.from.Contents().History {
				if h.Set == s.name && h.Metric == m.Name() {
					copy(values, h.Values)
				}
			}
		}
		s.history[i] = values
	}
}

// sameSet reports whether the base model was judged on the rows of a set, under its name.
func (t *trainer) sameSet(s *evalSet) bool {
	c := t.from.Contents()
	if len(t.validPrints) == 0 { // held out of the training rows
		seed := struct {
			Seed uint64 `json:"train.seed"`
		}{}
		return len(c.ValidPrints) == 0 && c.Fingerprint == t.fingerprint && json.Unmarshal(c.Params, &seed) == nil && seed.Seed == t.p.Seed
	}
	var names []string
	for _, h := range c.History {
		if !slices.Contains(names, h.Set) {
			names = append(names, h.Set)
		}
	}
	for i, given := range t.valid {
		if given.name == s.name {
			return slices.Index(names, s.name) == i && i < len(c.ValidPrints) && c.ValidPrints[i] == t.validPrints[i]
		}
	}
	return false
}

// evaluateBase judges the base model: what follows has to be better.
func (t *trainer) evaluateBase() {
	t.evaluateSets(true)
	t.stop.first = t.first
	if t.p.EarlyStopping > 0 && len(t.evals) > 0 {
		t.stop.see(t.first, t.evals[0].Value)
	}
	t.evals = t.evals[:0]
}

// origin says what the model was trained from, nil for nothing.
func (t *trainer) origin(params json.RawMessage) (*model.Origin, []model.Segment, error) {
	if t.from == nil {
		return nil, nil, nil
	}
	return t.from.Continuation(params)
}
