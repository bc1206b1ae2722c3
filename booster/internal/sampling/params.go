package sampling

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/gradients"
	"boost/internal/setting"
)

// Params are how the rows of a round are chosen: the keys of [sampling] in docs/config.md that are about rows.
type Params struct {
	RowFraction float64 // share of rows per round
	RowEvery    int     // rounds between new row samples
	GossTop     float64 // share of rows kept for their gradients; 0 = off
	GossOther   float64 // share of rows drawn from the others
	MvsFraction float64 // share of rows drawn by their gradients and hessians; 0 or 1 = all rows
	MvsLambda   float64 // weight of the squared hessian; gradients.AutoLambda = by the round's means

	PositiveFraction   float64 // share of the rows of the positive class per round; 0 = all
	NegativeFraction   float64 // the same of the other class
	RowBy              string  // ByQuery, or an id column: rows that are drawn together
	Stratified         bool    // RowFraction of each class, to a row
	Replace            bool    // rows are drawn with replacement
	BaggingTemperature float64 // of the Bayesian bootstrap; 0 = off
}

// ByQuery as RowBy stands for the queries of the table.
const ByQuery = "query"

// Defaults returns the parameters of no sampling.
func Defaults() Params { return Params{RowFraction: 1, RowEvery: 1, MvsLambda: gradients.AutoLambda} }

// Settings describes how many rows are drawn, and which by their gradients.
func Settings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "sampling.row_fraction", Value: &p.RowFraction, Range: setting.Above(0, 1),
			Doc:     "Share of the rows that a round sees.",
			Aliases: []string{"bagging_fraction", "subsample", "sub_row", "bagging"}},
		{Name: "sampling.row_every", Value: &p.RowEvery, Range: setting.AtLeast(1),
			Doc:     "Rounds between new samples of rows.",
			Aliases: []string{"bagging_freq", "subsample_freq"}},
		{Name: "sampling.goss_top", Value: &p.GossTop, Range: setting.Between(0, 1),
			Doc:     "Share of the rows, those of the largest gradients, that every round keeps (GOSS); 0 = off. Starts after 1/learning_rate rounds.",
			Aliases: []string{"top_rate"}},
		{Name: "sampling.goss_other", Value: &p.GossOther, Range: setting.Between(0, 1),
			Doc:     "Share of the rows that are drawn from those below goss_top, and weighted up.",
			Aliases: []string{"other_rate"}},
		{Name: "sampling.mvs_fraction", Value: &p.MvsFraction, Range: setting.Between(0, 1), OmitDefault: true,
			Doc: "Share of the rows that a round is expected to see, drawn the likelier the larger their gradients and hessians are, and divided by that likelihood (MVS); 0 or 1 = all rows."},
		{Name: "sampling.mvs_lambda", Value: &p.MvsLambda, Range: setting.AtLeast(-1), OmitDefault: true,
			Doc:     "Weight of the squared hessian beside the squared gradient in mvs_fraction's likelihood; -1 = the squared ratio of their means in the round. CatBoost's mvs_reg counts every hessian as 1.",
			Aliases: []string{"mvs_reg"}},
	}
}

// DrawSettings describes how rows are drawn beside that.
func DrawSettings(p *Params) []setting.Setting {
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

// CheckGradients returns what is wrong with the choice of rows by their gradients.
func CheckGradients(p *Params) []error { return slices.Concat(p.checkGoss(), p.checkMvs()) }

func (p *Params) checkGoss() []error {
	top, other := p.GossTop, p.GossOther
	switch {
	case top == 0 && other == 0:
		return nil
	case !(top > 0 && other > 0 && top+other <= 1):
		return []error{fmt.Errorf("sampling.goss_top = %v and sampling.goss_other = %v: both must be above 0 and together at most 1 (or both 0: off)", top, other)}
	case p.RowFraction < 1:
		return []error{errors.New("sampling.goss_top and sampling.row_fraction both choose rows: set row_fraction = 1, or goss_top = 0 and goss_other = 0")}
	case p.RowEvery > 1:
		return []error{errors.New("sampling.row_every is for sampling.row_fraction: rows are chosen by their gradients every round")}
	}
	return nil
}

func (p *Params) checkMvs() []error {
	var errs []error
	bad := func(text string, args ...any) { errs = append(errs, fmt.Errorf(text, args...)) }
	if l := p.MvsLambda; l != gradients.AutoLambda && !(l >= 0 && !math.IsInf(l, 0)) {
		bad("sampling.mvs_lambda = %v: must be a finite number, 0 or more (or %d: by the means of gradients and hessians)", l, gradients.AutoLambda)
	}
	if !p.mvs() {
		return errs
	}
	if p.goss() {
		bad("sampling.mvs_fraction and sampling.goss_top both choose rows by their gradients: set mvs_fraction = 0, or goss_top = 0 and goss_other = 0")
	}
	if p.RowFraction < 1 {
		bad("sampling.mvs_fraction and sampling.row_fraction both choose rows: set row_fraction = 1, or mvs_fraction = 0")
	}
	if p.RowEvery > 1 {
		bad("sampling.row_every is for sampling.row_fraction: rows are chosen by their gradients every round")
	}
	return errs
}

// CheckDraws returns what does not go together in how rows are sampled.
func CheckDraws(p *Params) []error {
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

// mvs reports whether rows are sampled with minimal variance.
func (p *Params) mvs() bool { return p.MvsFraction > 0 && p.MvsFraction < 1 }

// Samples reports whether trees are grown on a part of the rows, or on rows that are weighed by draws.
func Samples(p *Params) bool { return p.drawsRows() || p.BaggingTemperature > 0 }

// drawsRows reports whether some rows are left out of a round.
func (p *Params) drawsRows() bool { return p.RowFraction < 1 || p.goss() || p.mvs() || p.bootstraps() }

// goss reports whether rows are sampled by their gradients.
func (p *Params) goss() bool { return p.GossTop > 0 }

// byClass reports whether the two classes have shares of their own.
func (p *Params) byClass() bool {
	return p.PositiveFraction > 0 && p.PositiveFraction < 1 || p.NegativeFraction > 0 && p.NegativeFraction < 1
}

// bootstraps reports whether rows are drawn by more than the same chance for each.
func (p *Params) bootstraps() bool {
	return p.byClass() || p.Replace || p.RowBy != "" && p.RowFraction < 1
}

// BytesPerRow returns what a sample of rows takes per row.
func BytesPerRow(p *Params) int64 {
	bytes := int64(0)
	if p.drawsRows() {
		bytes += 2 + 4 // those in the bag, and those outside
	}
	if p.goss() || p.mvs() || p.RowBy != "" {
		bytes += 4 // what they are chosen by
	}
	return bytes
}
