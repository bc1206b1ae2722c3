package booster

import (
	"errors"
	"fmt"
	"math"

	"boost/gradients"
	"boost/parallel"
)

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

// mvs reports whether rows are sampled with minimal variance.
func (p *Params) mvs() bool { return p.MvsFraction > 0 && p.MvsFraction < 1 }

// samplesRows reports whether trees are grown on a part of the rows, or on rows that are weighed by draws.
func (p *Params) samplesRows() bool { return p.drawsRows() || p.BaggingTemperature > 0 }

// drawsRows reports whether some rows are left out of a round.
func (p *Params) drawsRows() bool { return p.RowFraction < 1 || p.goss() || p.mvs() || p.bootstraps() }

// goss reports whether rows are sampled by their gradients.
func (p *Params) goss() bool { return p.GossTop > 0 }

// sampler chooses the rows that the trees of a round are grown on.
type sampler struct {
	p      *Params
	pool   *parallel.Pool
	sample *gradients.Bag // nil without sampling
	goss   *gradients.Goss
	mvs    *gradients.Mvs
	*rowSamples
	bag     *gradients.Bag // of this round: sample, or nil for all rows
	outside []uint32       // rows not in the bag, ascending
}

func newSampler(p *Params, rows int, samples *rowSamples, pool *parallel.Pool) sampler {
	s := sampler{p: p, pool: pool, rowSamples: samples}
	if !p.drawsRows() {
		return s
	}
	s.sample = gradients.NewBag(rows)
	if p.goss() {
		s.goss = gradients.NewGoss(rows, p.GossTop, p.GossOther, pool)
	}
	if p.mvs() {
		s.mvs = gradients.NewMvs(rows, p.MvsFraction, p.MvsLambda, pool)
	}
	return s
}

// choose fills the bag of a round.
func (s *sampler) choose(buffer *gradients.Buffer, rows, round int) {
	switch {
	case s.goss != nil:
		if s.p.Boosting != RandomForest && round < int(1/s.p.rateOf(0)) { // the trees have learned too little for gradients to show which rows matter
			return
		}
		s.bag = s.sample
		s.goss.Sample(s.bag, buffer, s.p.Seed, round)
	case s.mvs != nil:
		s.bag = s.sample
		s.mvs.Sample(s.bag, buffer, s.p.Seed, round)
	case s.temperature > 0:
		gradients.WeighBayesian(s.pool, buffer, s.temperature, s.p.Seed, round/s.p.RowEvery)
		return
	case s.bootstrap != nil && s.bootstrap.Weighs(): // the weights of rows are those of the draws, which stay for RowEvery rounds
		s.bag = s.sample
		s.bootstrap.Sample(s.pool, s.bag, buffer, s.p.Seed, round/s.p.RowEvery)
	case s.sample == nil || s.bag != nil && round%s.p.RowEvery != 0:
		return
	default:
		s.bag = s.sample
		s.draw(buffer, round/s.p.RowEvery)
	}
	if s.outside == nil {
		s.outside = make([]uint32, 0, rows)
	}
	s.outside = s.bag.Outside(s.outside[:0])
}

// draw refills the bag without a look at gradients.
func (s *sampler) draw(buffer *gradients.Buffer, iteration int) {
	switch {
	case s.strata != nil:
		s.strata.Sample(s.pool, s.bag, s.p.Seed, iteration)
	case s.bootstrap != nil:
		s.bootstrap.Sample(s.pool, s.bag, buffer, s.p.Seed, iteration)
	default:
		s.bag.Sample(s.pool, s.p.Seed, iteration, s.p.RowFraction)
	}
}
