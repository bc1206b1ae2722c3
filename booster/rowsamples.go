package booster

import (
	"errors"
	"fmt"
	"slices"

	"boost/dataset"
	"boost/gradients"
	"boost/internal/setting"
)

// ByQuery as Params.RowBy stands for the queries of the table.
const ByQuery = "query"

func rowSampleSettings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "sampling.positive_fraction", Value: &p.PositiveFraction, Range: setting.Between(0, 1), OmitDefault: true,
			Doc:     "Two classes: share of the positive rows that a round sees, in place of row_fraction; 0 or 1 = all.",
			Aliases: []string{"pos_bagging_fraction", "pos_sub_row", "pos_subsample", "pos_bagging"}},
		{Name: "sampling.negative_fraction", Value: &p.NegativeFraction, Range: setting.Between(0, 1), OmitDefault: true,
			Doc:     "Two classes: share of the negative rows that a round sees; 0 or 1 = all.",
			Aliases: []string{"neg_bagging_fraction", "neg_sub_row", "neg_subsample", "neg_bagging"}},
		{Name: "sampling.row_by", Value: &p.RowBy, OmitDefault: true,
			Doc:     "Rows that are drawn together: \"query\", those of a query; a column, those with the same value in it (it is no feature); empty = each by itself.",
			Aliases: []string{"bagging_by_query"}},
		{Name: "sampling.stratified", Value: &p.Stratified, OmitDefault: true,
			Doc: "Classes: row_fraction of each class, to a row."},
		{Name: "sampling.replace", Value: &p.Replace, OmitDefault: true,
			Doc: "Rows are drawn with replacement: how often is Poisson distributed with row_fraction as its mean, and a row counts as often as it is drawn."},
		{Name: "sampling.bagging_temperature", Value: &p.BaggingTemperature, Range: setting.Between(0, 10), OmitDefault: true,
			Doc: "Bayesian bootstrap: every round counts every row (-log u) to this power, u being drawn anew; 0 = off. CatBoost's default is 1."},
	}
}

// byClass reports whether the two classes have shares of their own.
func (p *Params) byClass() bool {
	return p.PositiveFraction > 0 && p.PositiveFraction < 1 || p.NegativeFraction > 0 && p.NegativeFraction < 1
}

// bootstraps reports whether rows are drawn by more than the same chance for each.
func (p *Params) bootstraps() bool {
	return p.byClass() || p.Replace || p.RowBy != "" && p.RowFraction < 1
}

// checkRowSamples returns what does not go together in how rows are sampled.
func (p *Params) checkRowSamples() []error {
	var errs []error
	const classes = "positive_fraction and negative_fraction"
	byGradient := p.goss() || p.mvs()
	for _, pair := range []struct {
		one, other string
		both       bool
	}{
		{classes, "row_fraction", p.byClass() && p.RowFraction < 1},
		{classes, "row_by", p.byClass() && p.RowBy != ""},
		{classes, "stratified", p.byClass() && p.Stratified},
		{classes, "goss_top or mvs_fraction", p.byClass() && byGradient},
		{"row_by", "stratified", p.RowBy != "" && p.Stratified},
		{"row_by", "goss_top or mvs_fraction", p.RowBy != "" && byGradient},
		{"stratified", "replace", p.Stratified && p.Replace},
		{"stratified", "goss_top or mvs_fraction", p.Stratified && byGradient},
		{"replace", "goss_top or mvs_fraction", p.Replace && byGradient},
		{"bagging_temperature", "what else draws rows", p.BaggingTemperature > 0 && p.drawsRows()},
	} {
		if pair.both {
			errs = append(errs, fmt.Errorf("sampling.%s and %s do not go together: leave one of them out", pair.one, pair.other))
		}
	}
	if p.RowBy != "" && p.RowFraction == 1 && !p.Replace {
		errs = append(errs, errors.New("sampling.row_by says which rows are drawn together, and all rows are taken: set sampling.row_fraction below 1"))
	}
	if p.Stratified && p.RowFraction == 1 {
		errs = append(errs, errors.New("sampling.stratified says how rows are drawn, and all rows are taken: set sampling.row_fraction below 1"))
	}
	return errs
}

// newRowSamples checks what of the sampling depends on the rows, and prepares it.
func (r *run) newRowSamples(in *inputs, ex *examples) (*rowSamples, error) {
	p := &r.p
	if p.byClass() && len(ex.classes) != 2 {
		return nil, fmt.Errorf("%w: sampling.positive_fraction and sampling.negative_fraction are for two classes: use sampling.row_fraction", ErrParams)
	}
	if p.Stratified && ex.classes == nil {
		return nil, fmt.Errorf("%w: sampling.stratified draws from each class, and objective %s has none: leave it out", ErrParams, p.Objective)
	}
	s := &rowSamples{temperature: p.BaggingTemperature}
	switch {
	case p.Stratified:
		s.strata = gradients.NewStrata(ex.Labels, len(ex.classes), p.RowFraction)
	case p.bootstraps():
		set := gradients.BootstrapSettings{Shares: []float64{p.RowFraction}, Replace: p.Replace}
		if p.byClass() {
			set.Class = ex.Labels
			set.Shares = []float64{orAll(p.NegativeFraction), orAll(p.PositiveFraction)}
		}
		var err error
		if set.Groups, err = in.sampledGroups(p.RowBy); err != nil {
			return nil, err
		}
		s.bootstrap = gradients.NewBootstrap(ex.n, set)
	}
	return s, nil
}

func orAll(share float64) float64 {
	if share == 0 {
		return 1
	}
	return share
}

// rowSamples are ways to draw rows beside a Bag's own. At most one is set.
type rowSamples struct {
	bootstrap   *gradients.Bootstrap
	strata      *gradients.Strata
	temperature float64 // 0: no Bayesian bootstrap
}

// sampledGroups numbers the rows that are drawn together alike; nil for each by itself.
func (in *inputs) sampledGroups(by string) ([]uint32, error) {
	if by == "" {
		return nil, nil
	}
	t := in.train.MetaColumns()
	numbers := make([]uint32, t.NumRows())
	if by == ByQuery {
		queries, err := t.Groups()
		if err != nil {
			return nil, err
		}
		if queries == nil {
			return nil, fmt.Errorf("%w: sampling.row_by = %q: the table has no queries: name their column (data.group)", dataset.ErrTable, by)
		}
		for q := range len(queries) - 1 {
			for row := queries[q]; row < queries[q+1]; row++ {
				numbers[row] = uint32(q)
			}
		}
		return numbers, nil
	}
	isID := func(c dataset.ColumnSchema) bool { return c.Name == by && c.Role == dataset.IDRole }
	c := t.Column(by)
	switch {
	case c == nil && slices.ContainsFunc(in.schema.Columns, isID):
		return nil, fmt.Errorf("%w: sampling.row_by = %q needs the table in memory: set data.out_of_core = \"false\" and leave data.cache out", ErrParams, by)
	case c == nil || c.Role() != dataset.IDRole:
		return nil, fmt.Errorf("%w: there is no id column %q, whose rows are drawn together (sampling.row_by)", dataset.ErrTable, by)
	}
	known := map[string]uint32{}
	for row := range numbers {
		text := c.Text(row)
		number, ok := known[text]
		if !ok {
			number = uint32(len(known))
			known[text] = number
		}
		numbers[row] = number
	}
	return numbers, nil
}
