package booster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"boost/binning"
	"boost/booster/internal/labels"
	"boost/booster/internal/source"
	"boost/dataset"
	"boost/objectives"
	"boost/tree"
)

// From goes on training from a model: its trees stand first, Params.Rounds more are grown
// behind them, and rounds are counted on. The new rows are coded with the model's cuts and
// dictionaries, whose levels are added to, and their scores start from what the model
// predicts for them. Where nothing else has changed, 50 rounds and 50 from them on are the
// trees of 100, bit for bit, unless levels are in the order of their mean label: then use other rows.
//
// The table is brought to the model's columns, as by dataset.As. The objective, the
// classes and their order are the model's; other parameters are an error that wraps ErrParams. A model that was trained from init scores needs them in all tables,
// one that was not refuses them. Early stopping judges the model as it is, too: where no
// new round is better, none is kept.
func From(base *Model) Option { return func(o *options) { o.baseModel = base } }

// follow brings a table to the columns of a model; name is what errors call the model.
func follow(s source.Source, m *Model, name string) (source.Source, error) {
	if err := checkBaseScores(m, s.MetaColumns()); err != nil {
		return nil, err
	}
	followed, err := s.As(m.Schema())
	if err != nil {
		return nil, err
	}
	rest := followed.MetaColumns()
	if rest.LabelColumn() == nil {
		return nil, fmt.Errorf("%w: there is no column %q, the label of %s", dataset.ErrTable, labelName(m), name)
	}
	if m.LacksInitScores(rest) {
		return nil, fmt.Errorf("%w: %s was trained from init scores: give the table its own", dataset.ErrTable, name)
	}
	return followed, nil
}

// checkBaseScores refuses init scores if the base model was trained without.
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

func labelName(m *Model) string { return strings.Join(m.Labels(), ", ") }

// targetOf returns the target of a model, for rows that it is trained on or refitted to.
func targetOf(m *Model, custom objectives.Objective) (*target, error) {
	c := m.Contents()
	tg := &target{objective: custom, outputs: c.Outputs, classes: c.Classes, numeric: c.NumericClasses, several: max(len(c.Labels()), 1)}
	if custom == nil {
		objective, err := c.Loss()
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

// baseTarget finds objective and classes from the base model.
func (r *run) baseTarget() (*target, error) {
	c := r.baseModel.Contents()
	if r.p.Objective != "" && r.p.Objective != c.Objective {
		return nil, fmt.Errorf("%w: train.objective = %q: the base model's is %q, leave it out", ErrParams, r.p.Objective, c.Objective)
	}
	r.p.Objective = c.Objective
	if info, ok := objectives.Lookup(c.Objective); ok && r.custom == nil {
		base, err := ParamsOf(r.baseModel)
		if err != nil {
			return nil, err
		}
		if !reflect.DeepEqual(r.p.Loss, objectives.Params{}) {
			if given, err := info.Complete(r.p.Loss); err != nil || !reflect.DeepEqual(given, base.Loss) {
				return nil, fmt.Errorf("%w: the parameters of the objective are those of the base model: leave the keys objective.… out", ErrParams)
			}
		}
		r.p.Loss = base.Loss
	}
	if p := r.p.PositiveClass; p != "" && (len(c.Classes) != 2 || c.Classes[1] != p) {
		return nil, fmt.Errorf("%w: data.positive_class = %q: the classes of the base model are %s, and stay in this order", ErrParams, p, labels.Names(c.Classes))
	}
	return targetOf(r.baseModel, r.custom)
}

// extendCuts finds the codes of levels that the base model does not know.
func (r *run) extendCuts(ctx context.Context, train source.Source) (*binning.Cuts, []string, error) {
	if _, err := r.baseModel.TreesOn(r.baseModel.Contents().Cuts); err != nil {
		return nil, nil, fmt.Errorf("%w: train.init_model: %w", ErrParams, err)
	}
	cuts, notes, err := train.Extend(ctx, r.baseModel.Contents().Cuts, r.p.Binning)
	if err != nil {
		return nil, nil, err
	}
	if keys := r.otherCodes(); len(keys) > 0 {
		r.log.Info("columns are coded as the base model has them: parameters that would say otherwise do not count", "parameters", strings.Join(keys, ", "))
	}
	return cuts, notes, nil
}

// otherCodes lists the parameters of how columns are coded that differ from those of the base model.
func (r *run) otherCodes() []string {
	var have, had map[string]json.RawMessage
	if mine, err := r.p.ModelParams(); err != nil || json.Unmarshal(mine, &have) != nil || json.Unmarshal(r.baseModel.Contents().Params, &had) != nil {
		return nil
	}
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(have)) {
		codes := strings.HasPrefix(key, "binning.") || slices.Contains([]string{"categorical.splits", "categorical.combinations", "categorical.counts"}, key)
		if codes && string(had[key]) != string(have[key]) { // what had lacks is the default
			keys = append(keys, key)
		}
	}
	return keys
}

// startFromBase begins with the trees of the base model and the scores that they lead to.
func (b *boosting) startFromBase() error {
	from, more := b.baseModel, min(b.p.Rounds, 1000)*b.outputs
	if from == nil {
		b.trees = make([]tree.Tree, 0, more)
		return nil
	}
	trees, err := from.TreesOn(b.data.cuts)
	if err != nil {
		return err
	}
	b.trees = append(make([]tree.Tree, 0, len(trees)+more), trees...)
	b.lanes.reuse(trees)
	b.first, b.done, b.best = from.Rounds(), from.Rounds(), from.Rounds()
	b.wide = slices.Clone(from.Contents().WideRounds)
	b.addAll(b.trees, b.data.coded(), b.scores)
	for _, s := range b.data.sets {
		b.addAll(b.trees, b.data.codedOf(s), s.raw)
	}
	if b.first > 0 {
		b.startHistories()
		b.warnOfSeenRows()
		b.judge.startFrom(b.first)
	}
	return nil
}

// startHistories begins each set's history with that of the base model, if that was
// judged on the same rows. The rounds of others are not known.
func (b *boosting) startHistories() {
	for _, s := range b.data.sets {
		for i, m := range b.judge.metrics {
			values := make([]*float64, b.first-1)
			if b.sameSet(s) {
				for _, h := range b.baseModel.Contents().History {
					if h.Set == s.name && h.Metric == m.Name() {
						copy(values, h.Values)
					}
				}
			}
			s.history[i] = values
		}
	}
}

// warnOfSeenRows warns of what the base model knows of the table that it was trained on.
func (b *boosting) warnOfSeenRows() {
	base, err := ParamsOf(b.baseModel)
	if c := b.baseModel.Contents(); err != nil || c.Fingerprint == "" || c.Fingerprint != b.data.fingerprint || b.most > 0 {
		return
	}
	if sets := b.data.sets; len(sets) > 0 && len(b.data.validPrints) == 0 && (base.Retrain || !b.sameSet(sets[0])) {
		b.log.Warn("the base model was trained on the rows that are held out, and seems better on them than it is: give a validation set that it has not seen, or train.early_stopping = 0")
	}
	if slices.ContainsFunc(b.data.cuts.Features, func(f binning.Feature) bool { return f.Ordered }) {
		b.log.Warn("the base model has levels in the order of these rows' own labels, which more rounds learn from: train all rounds at once, or go on with other rows")
	}
}

// sameSet reports whether the base model was judged on the rows of a set, under its name.
func (b *boosting) sameSet(s *evalSet) bool {
	c := b.baseModel.Contents()
	if len(b.data.validPrints) == 0 { // held out of the training rows
		base, err := ParamsOf(b.baseModel)
		return err == nil && len(c.ValidPrints) == 0 && c.Fingerprint == b.data.fingerprint && base.HoldsOut(0) &&
			base.Seed == b.p.Seed && base.ValidShare == b.p.ValidShare && base.ValidBy == b.p.ValidBy
	}
	var names []string
	for _, h := range c.History {
		if !slices.Contains(names, h.Set) {
			names = append(names, h.Set)
		}
	}
	i := slices.IndexFunc(b.valid, func(given validSet) bool { return given.name == s.name })
	return i >= 0 && slices.Index(names, s.name) == i && i < len(c.ValidPrints) && c.ValidPrints[i] == b.data.validPrints[i]
}

// startFrom judges the base model: what follows has to be better.
func (j *judge) startFrom(rounds int) {
	j.evaluate(true)
	j.stop.First = rounds
	if j.early && len(j.evals) > 0 {
		j.stop.See(rounds, j.evals[0].Value)
	}
	j.evals = j.evals[:0]
}
