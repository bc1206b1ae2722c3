package booster

import (
	"errors"
	"fmt"
	"math"

	"boost/gradients"
	"boost/internal/cpu"
)

// Names of gradients.mode.
const (
	symmetric  = "symmetric"
	asymmetric = "asymmetric"
)

// Words of gradients.renew_leaves.
const (
	renewOn  = "on"
	renewOff = "off"
)

// counts says that histograms count rows, and why in words; such sums are not found again
// from what layouts without all cells leave out.
func (p *Params) counts() (why string, yes bool) {
	switch {
	case p.Gradients == gradients.F32.String():
		return "train.gradients is \"f32\"", true
	case p.GradientMode == asymmetric:
		return "gradients.mode is \"asymmetric\"", true
	}
	return "", false
}

// checkGradients returns what does not go together in how gradients are to be stored.
func (p *Params) checkGradients() []error {
	var errs []error
	bad := func(key, value, want string) {
		errs = append(errs, fmt.Errorf("%s = %q: %s", key, value, want))
	}
	if p.GradientMode == asymmetric && p.Gradients != gradients.I16.String() {
		bad("gradients.mode", p.GradientMode, fmt.Sprintf("is made for train.gradients = \"i16\", which is %q", p.Gradients))
	}
	if p.Rounding == gradients.Stochastic.String() && p.Gradients == gradients.F32.String() {
		bad("gradients.rounding", p.Rounding, "nothing is rounded with train.gradients = \"f32\"")
	}
	return errs
}

// checkSampling returns what is wrong with sampling by gradients.
func (p *Params) checkSampling() []error {
	return append(p.checkGoss(), p.checkMvs()...)
}

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

// samplesRows reports whether trees are grown on a part of the rows.
func (p *Params) samplesRows() bool { return p.RowFraction < 1 || p.goss() || p.mvs() }

// goss reports whether rows are sampled by their gradients.
func (p *Params) goss() bool { return p.GossTop > 0 }

// gossStart returns the round from which rows are sampled by their gradients: before, the
// trees have learned too little for these to say which rows matter.
func (p *Params) gossStart() int { return int(1 / p.LearningRate) }

// everyHessian makes training do without the shortcut of equal hessians; tests set it.
var everyHessian = false

// settleGradients replaces what is left open of how gradients are stored by what is
// chosen, so that the model names it.
func (t *trainer) settleGradients() error {
	p := &t.p
	if p.Gradients == gradients.AutoName {
		l2 := int(p.L2Bytes)
		if l2 == 0 {
			l2 = cpu.L2()
		}
		mode, reason := gradients.Auto(t.n, t.outputs, l2)
		t.say("gradients", "chosen", mode.String(), "reason", reason)
		p.Gradients = mode.String()
		if err := p.Validate(); err != nil {
			return fmt.Errorf("train.gradients = \"auto\" became %s: %s: %w", mode, reason, err)
		}
		if t.inFiles && mode == gradients.F32 {
			return errFloatsInFiles("\"auto\", which is \"f32\" here: " + reason)
		}
	}
	mode, err := gradients.ParseMode(p.Gradients)
	if err != nil {
		return fmt.Errorf("%w: train.gradients: %w", ErrParams, err)
	}
	rounding, err := gradients.ParseRounding(p.Rounding, mode)
	if err != nil {
		return fmt.Errorf("%w: gradients.rounding: %w", ErrParams, err)
	}
	renew := p.RenewLeaves == renewOn || p.RenewLeaves == gradients.AutoName && mode.Coarse()
	if p.Rounding, p.RenewLeaves = rounding.String(), renewOff; renew {
		p.RenewLeaves = renewOn
	}
	t.storing = gradients.Settings{
		Mode: mode, Rounding: rounding, Asymmetric: p.GradientMode == asymmetric, Clip: p.ClipNegativeHessian, Seed: p.Seed,
		EveryHessian: everyHessian,
	}
	return nil
}

func errFloatsInFiles(what string) error {
	return fmt.Errorf("%w: train.gradients = %s needs the table in memory: choose i16, i8, i4 or i32 to train out of core", ErrParams, what)
}
