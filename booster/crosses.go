package booster

import (
	"fmt"
	"strings"

	"boost/booster/internal/crosses"
	"boost/booster/internal/source"
	"boost/dataset"
	"boost/internal/setting"
)

var errCrossedInFiles = fmt.Errorf(`%w: crossed columns (categorical.combinations) need the tables in memory: set data.out_of_core = "false", or train without them`, ErrParams)

func crossSettings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "categorical.combinations", Value: &p.Combinations, Range: setting.Between(0, 100), OmitDefault: true,
			Doc: "With splits = \"target\" or \"auto\": the most pairs of columns, of two categorical ones or of one and a numeric one with at most 64 values, that are crossed: their pairs of values are levels of a column of their own. Those that say most beside their columns are taken; with \"auto\" one of the two has more than 80 levels. 0 = none. CatBoost's max_ctr_complexity is 2 or more."},
	}
}

func (p *Params) checkCombinations() (problems []error) {
	if p.Combinations == 0 {
		return nil
	}
	if p.LevelSplits == SetSplits {
		problems = append(problems, fmt.Errorf(`categorical.combinations = %d needs categorical.splits = "target" or "auto"`, p.Combinations))
	}
	if len(p.Tree.Interaction) > 0 {
		problems = append(problems, fmt.Errorf("categorical.combinations = %d: a crossed column is of two columns, which constraints.interaction may keep apart: leave one of them out", p.Combinations))
	}
	return problems
}

// cross adds crossed columns to the training rows, which the base model has chosen where there is one.
func (r *run) cross(in *inputs, ex *examples) error {
	if r.p.Combinations == 0 || r.baseModel != nil {
		return nil
	}
	if r.ofTimes() {
		return fmt.Errorf("%w: categorical.combinations = %d: the times of censored rows have no mean, by which pairs of objective %s could be ordered: leave it out", ErrParams, r.p.Combinations, r.p.Objective)
	}
	switch rows := in.train.(type) {
	case source.InMemory:
		table, err := r.crossed(rows.Table, rows.Table, ex)
		if err != nil {
			return err
		}
		in.train, in.schema = rows.With(table), table.Schema()
	case *source.Binned: // it has them
	default:
		return errCrossedInFiles
	}
	return nil
}

// crossed returns a table with the crossed columns that its rows of the examples choose.
func (r *run) crossed(table, rows *dataset.Table, ex *examples) (*dataset.Table, error) {
	apart := func(column string) bool {
		t := &r.p.Tree
		_, penalty := t.FeaturePenalty[column]
		_, cost := t.FeatureCost[column]
		_, first := t.FirstLevel[column]
		_, last := t.LastLevel[column]
		_, weight := t.ColWeights[column]
		return t.Monotone[column] != 0 || penalty || cost || first || last || weight
	}
	levels := 1
	if r.p.LevelSplits == AutoSplits {
		levels = manyLevels
	}
	pairs := crosses.Choose(rows, apart, ex.levelTarget(), ex.tableWeights, r.p.Combinations, levels, r.pool)
	if len(pairs) > 0 {
		names := make([]string, len(pairs))
		for i, pair := range pairs {
			names[i] = dataset.CrossedName(pair[0], pair[1])
		}
		r.log.Info("columns are crossed: " + strings.Join(names, ", "))
	}
	return table.Cross(pairs)
}

// binnedCrosses adds to a table that is binned once the crossed columns that training on its rows chooses.
func binnedCrosses(p Params, t *dataset.Table) (*dataset.Table, error) {
	r, err := newRun(p, nil)
	if err != nil || p.Combinations == 0 {
		return t, err
	}
	defer r.close()
	in, err := r.open(source.InMemory{Table: t})
	if err != nil {
		return nil, err
	}
	ex, err := r.examples(in)
	if err != nil {
		return nil, err
	}
	rows := in.train.(source.InMemory).Table
	return r.crossed(t, rows, ex)
}
