package objectives

import (
	"cmp"
	"fmt"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
)

// positive is a loss of predictions e^score. Training starts from the mean.
type positive struct {
	name      string
	zero      bool // a label may be 0
	gradients func(grad, hess []float32, scores, labels, weights []float64)
}

func (p positive) Name() string   { return p.name }
func (positive) Outputs() int     { return 1 }
func (positive) Link() Link       { return Exp }
func (positive) MaxStep() float64 { return maxLogit }

func (p positive) Check(rows Rows) error {
	if err := (regression{}).Check(rows); err != nil {
		return err
	}
	for i, y := range rows.Labels {
		switch {
		case y < 0:
			return &RowError{i, "label", y, fmt.Sprintf("0 or more: objective %s is of counts and amounts", p.name)}
		case y == 0 && !p.zero:
			return &RowError{i, "label", y, fmt.Sprintf("a number above 0: objective %s takes no zeros, tweedie of a power below 2 does", p.name)}
		}
	}
	return nil
}

// BaseScore is the logarithm of the labels' weighted mean, taken as 1e-15 where all labels are 0.
func (positive) BaseScore(rows Rows) ([]float64, error) {
	m, err := mean(rows)
	return []float64{detmath.Log(cmp.Or(m, leastShare))}, err
}

func (p positive) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	p.gradients(grad[lo:hi], hess[lo:hi], scores[lo:hi], rows.Labels[lo:hi], slice(rows.Weights, lo, hi))
}

var (
	poissonInfo = Info{
		Name:    "poisson",
		Aliases: []string{"count:poisson"},
		Link:    Exp,
		Takes:   Params{PoissonStep: 0.7},
		Metrics: fixed("poisson_deviance", "rmse", "mae"),
		Make: func(o Options) (Objective, error) {
			raise := detmath.Exp(o.PoissonStep)
			return positive{"poisson", true, func(grad, hess []float32, scores, labels, weights []float64) {
				loss.Poisson(grad, hess, scores, labels, weights, raise)
			}}, nil
		},
	}
	gammaInfo = Info{
		Name:    "gamma",
		Aliases: []string{"reg:gamma"},
		Link:    Exp,
		Metrics: fixed("gamma_deviance", "rmse", "mae"),
		Make:    func(Options) (Objective, error) { return positive{"gamma", false, loss.Gamma}, nil },
	}
	tweedieInfo = Info{
		Name:    "tweedie",
		Aliases: []string{"reg:tweedie"},
		Link:    Exp,
		Takes:   Params{Power: 1.5},
		Metrics: func(p Params) []string { return []string{argued("tweedie_deviance", p.Power), "rmse", "mae"} },
		Make: func(o Options) (Objective, error) {
			if !(o.Power >= 1 && o.Power <= 2) {
				return nil, fmt.Errorf("objective.power = %v: objective tweedie takes 1 to 2", o.Power)
			}
			return positive{"tweedie", o.Power < 2, func(grad, hess []float32, scores, labels, weights []float64) {
				loss.Tweedie(grad, hess, scores, labels, weights, o.Power)
			}}, nil
		},
	}
	squaredLogInfo = Info{
		Name:    "squared_log",
		Aliases: []string{"reg:squaredlogerror", "squared_log_error", "mean_squared_log_error", "msle", "rmsle"},
		Link:    Expm1,
		Metrics: fixed("rmsle", "rmse", "mae"),
		Make:    func(Options) (Objective, error) { return squaredLog{}, nil },
	}
)

// squaredLog is half the squared difference of log(1 + label) and log(1 + prediction). The raw score is the latter.
type squaredLog struct{}

func (squaredLog) Name() string { return "squared_log" }
func (squaredLog) Outputs() int { return 1 }
func (squaredLog) Link() Link   { return Expm1 }

func (squaredLog) Check(rows Rows) error {
	if err := (regression{}).Check(rows); err != nil {
		return err
	}
	for i, y := range rows.Labels {
		if y <= -1 {
			return &RowError{i, "label", y, "a number above -1, since the loss is of log(1 + label)"}
		}
	}
	return nil
}

// BaseScore is the weighted mean of log(1 + label).
func (squaredLog) BaseScore(rows Rows) ([]float64, error) {
	logs := Rows{Labels: make([]float64, len(rows.Labels)), Weights: rows.Weights}
	for i, y := range rows.Labels {
		logs.Labels[i] = detmath.Log1p(y)
	}
	return regression{}.BaseScore(logs)
}

func (squaredLog) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	for i := lo; i < hi; i++ {
		w := 1.0
		if rows.Weights != nil {
			w = rows.Weights[i]
		}
		grad[i], hess[i] = float32((scores[i]-detmath.Log1p(rows.Labels[i]))*w), float32(w)
	}
}

// argued writes a metric's name with its argument: pinball@0.9.
func argued(name string, arguments ...float64) string { return name + "@" + levels(arguments) }

// fixed is the metrics of a loss whose parameters do not matter to them.
func fixed(names ...string) func(Params) []string { return func(Params) []string { return names } }
