package booster

import (
	"fmt"

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

// counts reports whether histograms count rows, and why. Layouts that leave out cells need sums
// without counts.
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

// chooseGradients chooses what is left open of how gradients are stored, and puts it into the
// parameters, so that the model names it.
func (r *run) chooseGradients(n, outputs int, inFiles bool) (storing gradients.Settings, err error) {
	p := &r.p
	if p.Gradients == gradients.AutoName {
		l2 := int(p.L2Bytes)
		if l2 == 0 {
			l2 = cpu.L2()
		}
		mode, reason := gradients.Auto(n, outputs, l2)
		r.log.Info("gradients", "chosen", mode.String(), "reason", reason)
		p.Gradients = mode.String()
		if err := p.Validate(); err != nil {
			return storing, fmt.Errorf("train.gradients = \"auto\" became %s: %s: %w", mode, reason, err)
		}
		if inFiles && mode == gradients.F32 {
			return storing, errFloatsInFiles(gradients.Became(gradients.AutoName, mode))
		}
	}
	mode, err := gradients.ParseMode(p.Gradients)
	if err != nil {
		return storing, fmt.Errorf("%w: train.gradients: %w", ErrParams, err)
	}
	rounding, err := gradients.ParseRounding(p.Rounding, mode)
	if err != nil {
		return storing, fmt.Errorf("%w: gradients.rounding: %w", ErrParams, err)
	}
	renew := p.RenewLeaves == renewOn || p.RenewLeaves == gradients.AutoName && mode.Coarse()
	if p.Rounding, p.RenewLeaves = rounding.String(), renewOff; renew {
		p.RenewLeaves = renewOn
	}
	return gradients.Settings{
		Mode: mode, Rounding: rounding, Asymmetric: p.GradientMode == asymmetric, Clip: p.ClipNegativeHessian, Seed: p.Seed,
		EveryHessian: r.everyHessian,
	}, nil
}

func errFloatsInFiles(what string) error {
	return fmt.Errorf("%w: train.gradients = %s needs the table in memory: choose i16, i8, i4 or i32 to train out of core", ErrParams, what)
}
