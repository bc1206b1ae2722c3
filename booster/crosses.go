package booster

import (
	"context"
	"fmt"
	"slices"

	"boost/booster/internal/columns"
	"boost/booster/internal/crosses"
	"boost/booster/internal/levels"
	"boost/booster/internal/source"
	"boost/dataset"
	"boost/internal/setting"
)

// AutoCombinations is what AutoSplits crosses: RMSE with so many pairs and counts beside none was, on nycflights 0.935,
// insteval 0.994, loans 1.000, diabetes_readmit 1.000, pg15_tweedie 1.003.
const AutoCombinations = 4

func crossSettings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "categorical.combinations", Value: &p.Combinations, Range: setting.Between(-1, 100), OmitDefault: true,
			Doc: "With splits = \"target\" or \"auto\": the most pairs of columns, of two categorical ones or of one and a numeric one with at most 64 values, that are crossed: their pairs of values are levels of a column of their own. Those that say most beside their columns are taken; with \"auto\" one of the two has more than 80 levels. 0 = none; -1 = with \"auto\" 4 and counts, for tables of 6,000 rows or more, in smaller ones counts of columns with fewer than 12 rows a level, else none. CatBoost's max_ctr_complexity is 2 or more."},
		{Name: "categorical.counts", Value: &p.Counts, OmitDefault: true,
			Doc: "With splits = \"target\" or \"auto\": columns of their own for each column whose levels are put in order: one with the number of training rows of the row's level, CatBoost's statistic \"Counter\"; with several classes one for the share of each of the 8 most frequent ones; with \"auto\", up to 400 levels, which stay sets, one for the order."},
	}
}

// crosses reports whether columns are made of others: of how many pairs at most, and of counts.
func (p *Params) crosses() (pairs int, counts, some bool) {
	pairs, counts = p.Combinations, p.Counts
	if pairs < 0 {
		if pairs = 0; p.impliesCrosses() {
			pairs, counts = AutoCombinations, true
		}
	}
	return pairs, counts, pairs > 0 || counts
}

// impliesCrosses reports whether columns are made of others without being asked for.
func (p *Params) impliesCrosses() bool {
	return p.Combinations < 0 && p.LevelSplits == AutoSplits && len(p.Tree.Interaction) == 0 && !ofTimes(p.Objective)
}

func (p *Params) checkCrosses() (problems []error) {
	pairs, counts, some := p.crosses()
	if some && p.LevelSplits == SetSplits {
		problems = append(problems, fmt.Errorf(`categorical.combinations = %d and categorical.counts = %v need categorical.splits = "target" or "auto"`, pairs, counts))
	}
	if some && len(p.Tree.Interaction) > 0 {
		problems = append(problems, fmt.Errorf("categorical.combinations = %d and categorical.counts = %v: a crossed column is of columns which constraints.interaction may keep apart: leave one of them out", pairs, counts))
	}
	return problems
}

// cross adds crossed columns to the training rows, which the base model has chosen where there is one.
func (r *run) cross(ctx context.Context, in *inputs, ex *examples) error {
	if r.baseModel != nil {
		return nil
	}
	train, how, err := r.crossBy(ctx, in.train, in.train, ex)
	if in.crossed = how; err == nil && how != "" {
		in.train, in.schema = train, train.Schema()
	}
	return err
}

// crossBy adds to a source the crossed columns that training rows choose, and returns what these follow from beside the table, "" for none.
func (r *run) crossBy(ctx context.Context, s, rows source.Source, ex *examples) (crossed source.Source, how string, err error) {
	columns := rows.Schema().Columns
	if pairs, counts, some := r.p.crosses(); some && !(r.p.impliesCrosses() && !crosses.Enough(columns, ex.seen, manyLevels)) {
		if r.ofTimes() {
			return s, "", fmt.Errorf("%w: categorical.combinations = %d and categorical.counts = %v: the times of censored rows have no mean, by which levels of objective %s could be ordered: leave them out", ErrParams, pairs, counts, r.p.Objective)
		}
		how = crosses.Describe(fmt.Sprint(r.p.LevelSplits, pairs, counts, r.p.impliesCrosses(), ex.seen), columns, r.standsApart, ex.Labels, ex.tableWeights, ex.classes)
	}
	switch whole := s.(type) {
	case *source.Cached:
		return s, how, whole.CheckCrossed(how)
	case source.Crossable:
		if how != "" {
			made, err := r.crossed(ctx, rows.(source.Crossable), ex)
			if err != nil || made == nil {
				return s, how, err
			}
			crossed, err := whole.Cross(ctx, made)
			return crossed, how, err
		}
	}
	return s, how, nil // its codes are known, and so is what is made of it
}

// crossed returns the columns that are made of others, which training rows choose.
func (r *run) crossed(ctx context.Context, rows source.Crossable, ex *examples) (made []dataset.CrossedColumn, err error) {
	columns := rows.Schema().Columns
	categories := slices.DeleteFunc(slices.Clone(columns), func(c dataset.ColumnSchema) bool { return c.Role != dataset.Feature || c.Kind != dataset.Category })
	if len(categories) == 0 {
		return nil, nil
	}
	many := 1
	if r.p.LevelSplits == AutoSplits {
		many = manyLevels
	}
	targets := levels.Targets(ex.Labels, ex.classes)
	pairs, counts, _ := r.p.crosses()
	for _, c := range categories {
		n := len(c.Levels)
		tooFew := r.p.impliesCrosses() && ex.seen < crosses.FewestRows && !crosses.AreSparse(n, ex.seen)
		if !counts || tooFew || n <= many || r.standsApart(c.Name) {
			continue
		}
		of := []string{c.Name}
		made = append(made, dataset.CrossedColumn{Name: dataset.CrossedName(of...), Of: of})
		for _, t := range r.orderedCopies(n, targets) {
			made = append(made, dataset.CrossedColumn{Name: dataset.OrderedName(c.Name, t.Class), Of: of})
		}
	}
	if pairs > 0 && ex.seen >= crosses.FewestRows {
		table, judged, err := rows.Features(ctx, crosses.Judged(ex.n))
		if err != nil {
			return nil, err
		}
		for _, of := range crosses.Choose(table, judged, r.standsApart, targets[0].Values, ex.tableWeights, pairs, many, r.pool) {
			made = append(made, dataset.CrossedColumn{Name: dataset.CrossedName(of...), Of: of})
		}
	}
	if r.p.impliesCrosses() {
		made = crosses.WithoutTaken(columns, made, r.log)
	}
	if len(made) > 0 {
		r.log.Info("columns are made of others: " + crosses.Names(made))
	}
	return made, nil
}

// standsApart reports whether a rule of its own holds for a column, which would not for one that is made of it.
func (r *run) standsApart(column string) bool {
	t := &r.p.Tree
	return t.Monotone[column] != 0 || columns.Says(t.FeaturePenalty, column, 1) || columns.Says(t.FeatureCost, column, 0) || columns.Says(t.FeatureRowCost, column, 0) ||
		columns.Says(t.FirstLevel, column, 0) || columns.Says(t.LastLevel, column, 0) || columns.Says(t.ColWeights, column, 1)
}

// binnedCrosses adds to a table that is binned once the crossed columns that training on its rows, those of OnRows,
// chooses, as crossBy does. Of the options the rows, the objective, the ranks and the logger count.
func binnedCrosses(ctx context.Context, p Params, whole source.Source, of options) (crossed source.Source, how string, err error) {
	r, err := newRun(p, []Option{func(o *options) { o.rows, o.custom, o.ranks = of.rows, of.custom, of.ranks }})
	if err != nil {
		return nil, "", err
	}
	defer r.close()
	if _, _, some := r.p.crosses(); !some { // which takes no look at the rows
		return r.crossBy(ctx, whole, whole, nil)
	}
	in, err := r.open(source.Fresh(whole))
	if err != nil {
		return nil, "", err
	}
	ex, err := r.examples(in)
	if err != nil {
		return nil, "", err
	}
	if of.log != nil {
		r.log = of.log // of training, which says the rest itself
	}
	return r.crossBy(ctx, whole, in.train, ex)
}
