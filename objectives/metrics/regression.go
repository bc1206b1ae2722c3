package metrics

import (
	"math"
	"slices"

	"boost/internal/detmath"
)

// Losses of numbers. In their formulas y is the label, v the prediction, and d = v − y.
var (
	mapeInfo = Info{
		Name:  "mape",
		Links: numeric,
		build: ofRows(absolutePercentage),
	}
	smapeInfo = Info{
		Name:    "smape",
		Aliases: []string{"symmetric_mean_absolute_percentage_error"},
		Links:   numeric,
		build:   ofRows(symmetricPercentage),
	}
	rmsleInfo = Info{
		Name:    "rmsle",
		Aliases: []string{"root_mean_squared_log_error", "msle", "mean_squared_log_error"},
		Links:   numeric,
		build: func(name string, _ []float64) Metric {
			return rootMean{mean{name: name, row: squaredLogError}}
		},
	}
	huberInfo = Info{
		Name:     "huber",
		Links:    numeric,
		Argument: widthArgument.like("0.9"),
		build:    ofArgument(huberLoss),
	}
	fairInfo = Info{
		Name:     "fair",
		Links:    numeric,
		Argument: &widthArgument,
		build:    ofArgument(fairLoss),
	}
	logCoshInfo = Info{
		Name:    "log_cosh",
		Aliases: []string{"logcosh"},
		Links:   numeric,
		build:   ofRows(logCosh),
	}
	pinballInfo = Info{
		Name:     "pinball",
		Aliases:  []string{"quantile", "mean_pinball_loss", "quantile_loss"},
		Links:    append([]string{sorted}, numeric...),
		Argument: levelArgument.list(),
		build: func(name string, levels []float64) Metric {
			return mean{name: name, row: pinballLoss(levels), outputs: len(levels)}
		},
	}
	expectileInfo = Info{
		Name:     "expectile",
		Links:    numeric,
		Argument: &levelArgument,
		build:    ofArgument(expectileLoss),
	}
)

// absolutePercentage is |d|/max(1, |y|), as in LightGBM. scikit-learn divides by |y| itself, which
// gives the same for labels of at least 1 and huge numbers near 0.
func absolutePercentage(in *Input, lo, hi int, out []float64) {
	for i := range out {
		y := in.Labels[lo+i]
		out[i] = math.Abs(in.Values[lo+i]-y) / max(1, math.Abs(y))
	}
}

// symmetricPercentage is 2|d|/(|y|+|v|), from 0 to 2, and 0 where label and prediction are 0.
func symmetricPercentage(in *Input, lo, hi int, out []float64) {
	for i := range out {
		y, v := in.Labels[lo+i], in.Values[lo+i]
		out[i] = 0
		if size := math.Abs(y) + math.Abs(v); size != 0 {
			out[i] = 2 * math.Abs(v-y) / size
		}
	}
}

// squaredLogError is (log(1+v) − log(1+y))², NaN from −1 downwards.
func squaredLogError(in *Input, lo, hi int, out []float64) {
	for i := range out {
		y, v := in.Labels[lo+i], in.Values[lo+i]
		if y <= -1 || v <= -1 {
			out[i] = math.NaN()
			continue
		}
		d := log1p(v) - log1p(y)
		out[i] = d * d
	}
}

// huberLoss is d²/2 where |d| ≤ delta, else delta·(|d| − delta/2).
func huberLoss(delta float64) rowLosses {
	return func(in *Input, lo, hi int, out []float64) {
		for i := range out {
			d := math.Abs(in.Values[lo+i] - in.Labels[lo+i])
			if d > delta {
				out[i] = delta * (d - float64(delta/2))
			} else {
				out[i] = d * d / 2
			}
		}
	}
}

// fairLoss is c·|d| − c²·log(1 + |d|/c).
func fairLoss(c float64) rowLosses {
	return func(in *Input, lo, hi int, out []float64) {
		for i := range out {
			x := math.Abs(in.Values[lo+i]-in.Labels[lo+i]) / c
			out[i] = float64(c*c) * aboveLog1p(x)
		}
	}
}

// aboveLog1p returns x − log(1+x) for x ≥ 0.
func aboveLog1p(x float64) float64 {
	switch {
	case x < 0.01: // the next term of the series is below 10⁻¹² of the sum
		return x * x * (1.0/2 - float64(x*(1.0/3-float64(x*(1.0/4-float64(x*(1.0/5-float64(x*(1.0/6-float64(x*(1.0/7)))))))))))
	case math.IsInf(x, 1):
		return x
	}
	return x - detmath.Log(1+x)
}

// logCosh is log((eᵈ + e⁻ᵈ)/2), without overflow.
func logCosh(in *Input, lo, hi int, out []float64) {
	for i := range out {
		d := math.Abs(in.Values[lo+i] - in.Labels[lo+i])
		if d < 0.1 { // the next term of the series is below 10⁻¹² of the sum
			x := d * d
			out[i] = x * (1.0/2 - float64(x*(1.0/12-float64(x*(1.0/45-float64(x*(17.0/2520-float64(x*(31.0/14175)))))))))
			continue
		}
		out[i] = d - math.Ln2 + log1p(detmath.Exp(-2*d))
	}
}

// pinballLoss is level·(y − v) where the label is above the prediction, else (1 − level)·(v − y): the mean
// of it over the outputs, of which number k has level k.
func pinballLoss(levels []float64) rowLosses {
	levels = slices.Clone(levels)
	return func(in *Input, lo, hi int, out []float64) {
		n := len(in.Labels)
		clear(out)
		for k, level := range levels {
			values := in.Values[k*n+lo : k*n+hi]
			for i := range out {
				d := in.Labels[lo+i] - values[i]
				if d >= 0 {
					out[i] += float64(level * d)
				} else {
					out[i] += float64((level - 1) * d)
				}
			}
		}
		if len(levels) > 1 {
			for i := range out {
				out[i] /= float64(len(levels))
			}
		}
	}
}

// expectileLoss is half the asymmetric squared error: level·d²/2 where the prediction is not above the label,
// (1 − level)·d²/2 where it is. At level 0.5 it is d²/4.
func expectileLoss(level float64) rowLosses {
	return func(in *Input, lo, hi int, out []float64) {
		for i := range out {
			d := in.Values[lo+i] - in.Labels[lo+i]
			share := level
			if d > 0 {
				share = 1 - level
			}
			out[i] = share * (d * d / 2)
		}
	}
}

// log1p returns log(1+x). What 1+x rounds off is made good by the factor (Kahan).
func log1p(x float64) float64 {
	u := 1 + x
	if u == 1 || math.IsInf(u, 1) {
		return x
	}
	return detmath.Log(u) * (x / (u - 1))
}
