package objectives_test

import (
	"math"
	"strings"
	"testing"

	"boost/objectives"
)

// one returns the derivatives of a loss for one row of weight 1.
func one(o objectives.Objective, score, label float64) (grad, hess float64) {
	g, h := make([]float32, 1), make([]float32, 1)
	o.Gradients(objectives.Rows{Labels: []float64{label}}, 0, 1, []float64{score}, g, h)
	return float64(g[0]), float64(h[0])
}

func made(t *testing.T, name string, p objectives.Params) objectives.Objective {
	t.Helper()
	o, err := objectives.New(name, objectives.Options{Params: p})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Gradients are the slopes of the losses as books have them.
func TestSlopes(t *testing.T) {
	square := func(d float64) float64 { return d * d / 2 }
	losses := []struct {
		name string
		p    objectives.Params
		loss func(score, label float64) float64
	}{
		{"regression", objectives.Params{}, func(s, y float64) float64 { return square(s - y) }},
		{"l1", objectives.Params{}, func(s, y float64) float64 { return math.Abs(s - y) }},
		{"huber", objectives.Params{Delta: 1.5}, func(s, y float64) float64 {
			if d := math.Abs(s - y); d > 1.5 {
				return 1.5 * (d - 1.5/2)
			}
			return square(s - y)
		}},
		{"fair", objectives.Params{FairC: 2}, func(s, y float64) float64 { d := math.Abs(s-y) / 2; return 4 * (d - math.Log1p(d)) }},
		{"log_cosh", objectives.Params{}, func(s, y float64) float64 { return math.Log(math.Cosh(s - y)) }},
		{"quantile", objectives.Params{Alpha: []float64{.8}}, func(s, y float64) float64 { return max(.8*(y-s), .2*(s-y)) }},
		{"expectile", objectives.Params{Alpha: []float64{.8}}, func(s, y float64) float64 {
			if y > s {
				return .8 * square(y-s)
			}
			return .2 * square(y-s)
		}},
		{"mape", objectives.Params{}, func(s, y float64) float64 { return math.Abs(s-y) / max(1, math.Abs(y)) }},
		{"poisson", objectives.Params{}, func(s, y float64) float64 { return math.Exp(s) - y*s }},
		{"gamma", objectives.Params{}, func(s, y float64) float64 { return y*math.Exp(-s) + s }},
		{"tweedie", objectives.Params{Power: 1.3}, func(s, y float64) float64 {
			return -y*math.Exp(-.3*s)/-.3 + math.Exp(.7*s)/.7
		}},
		{"cross_entropy", objectives.Params{}, func(s, y float64) float64 {
			if y > 1 {
				y = 1 / y
			}
			return y*math.Log1p(math.Exp(-s)) + (1-y)*math.Log1p(math.Exp(s))
		}},
		{"cross_entropy_lambda", objectives.Params{}, func(s, y float64) float64 {
			if y > 1 {
				y = 1 / y
			}
			return y*math.Log1p(math.Exp(-s)) + (1-y)*math.Log1p(math.Exp(s))
		}},
		{"focal", objectives.Params{FocalGamma: 1.5}, func(s, y float64) float64 {
			if y != 1 { // the labels are 1 or not
				s = -s
			}
			q := 1 / (1 + math.Exp(-s))
			return -math.Pow(1-q, 1.5) * math.Log(q)
		}},
		{"aft", objectives.Params{}, func(s, y float64) float64 { z := math.Log(y) - s; return z * z / 2 }},
		{"squared_log", objectives.Params{}, func(s, y float64) float64 { return square(s - math.Log1p(y)) }},
	}
	tested := map[string]bool{"binary": true, "multiclass": true, "one_vs_all": true, "cox": true, "multi_label": true} // the last is binary of each label
	for _, c := range losses {
		tested[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			o := made(t, c.name, c.p)
			for _, y := range []float64{.25, 1, 3.5, 40} {
				for _, s := range []float64{-3.1, -.4, .3, .9, 2.2, 7.7} {
					const by = 1e-5
					slope := (c.loss(s+by, y) - c.loss(s-by, y)) / (2 * by)
					label := y
					switch {
					case strings.HasPrefix(c.name, "cross_entropy") && y > 1:
						label = 1 / y
					case c.name == "focal" && y != 1:
						label = 0
					}
					grad, hess := one(o, s, label)
					if math.Abs(grad-slope) > 1e-6*max(1, math.Abs(slope)) {
						t.Errorf("score %v, label %v: gradient %v, slope %v", s, y, grad, slope)
					}
					switch c.name {
					case "huber", "fair", "log_cosh": // the parabola touches the loss and is nowhere below it
						for _, step := range []float64{-20, -3, -.5, -1e-3, 1e-3, .5, 3, 20} {
							if over := c.loss(s, y) + grad*step + hess*step*step/2; c.loss(s+step, y) > over+1e-5*max(1, over) {
								t.Errorf("score %v, label %v: loss at %+v is %v, the parabola %v", s, y, step, c.loss(s+step, y), over)
							}
						}
					case "regression", "expectile", "aft", "gamma", "tweedie", "squared_log", "cross_entropy", "cross_entropy_lambda", "focal":
						const by = 1e-3
						bend := (c.loss(s+by, y) - 2*c.loss(s, y) + c.loss(s-by, y)) / (by * by)
						if c.name == "focal" && bend < hess {
							continue
						}
						if math.Abs(hess-bend) > 1e-4*max(1, math.Abs(bend)) {
							t.Errorf("score %v, label %v: hessian %v, second derivative %v", s, y, hess, bend)
						}
					}
				}
			}
		})
	}
	for _, name := range objectives.Names() {
		if info, _ := objectives.Lookup(name); !tested[name] && !info.Queries { // losses of queries have no slope of one row
			t.Errorf("%s is not tested", name)
		}
	}
}

// Figures of numpy 2.4: quantile(y, level, method="averaged_inverted_cdf"), of rows repeated by twice their weights, and with weights
// method="inverted_cdf".
func TestStartQuantiles(t *testing.T) {
	number, _, _, weights := peerRows()
	for _, c := range []struct {
		name            string
		level           float64
		plain, weighted float64
	}{
		{"quantile", .1, 1.5, 1.5},
		{"quantile", .5, 5.666666666666666, 5.5},
		{"quantile", .9, 9.666666666666668, 9.833333333333334},
		{"quantile", .37, 4.5, 4.166666666666666},
		{"l1", 0, 5.666666666666666, 5.5},
		{"huber", 0, 5.666666666666666, 5.5},
		{"mape", 0, 2.5, 2.5},
	} {
		p := objectives.Params{}
		if c.level > 0 {
			p.Alpha = []float64{c.level}
		}
		o := made(t, c.name, p)
		labels := make([]float64, len(number))
		for i, y := range number {
			labels[i] = y + 4.5
		}
		for _, want := range []struct {
			weights []float64
			start   float64
		}{{nil, c.plain}, {weights, c.weighted}} {
			got, err := o.BaseScore(objectives.Rows{Labels: labels, Weights: want.weights})
			if err != nil || math.Abs(got[0]-want.start) > 1e-14 {
				t.Errorf("%s %v, weights %v: start %v (%v), want %v", c.name, c.level, want.weights != nil, got, err, want.start)
			}
		}
	}
}

func TestParams(t *testing.T) {
	for _, c := range []struct {
		name string
		p    objectives.Params
		want string // in the error
	}{
		{"regression", objectives.Params{Alpha: []float64{.5}}, "objective.alpha is for objective quantile or expectile, not regression"},
		{"quantile", objectives.Params{Delta: 1}, "objective.delta is for objective huber, not quantile"},
		{"quantile", objectives.Params{Alpha: []float64{.5, .5}}, "objective.alpha = [0.5 0.5]: levels lie between 0 and 1, and ascend"},
		{"quantile", objectives.Params{Alpha: []float64{.9, .1}}, "ascend"},
		{"quantile", objectives.Params{Alpha: []float64{1}}, "between 0 and 1"},
		{"expectile", objectives.Params{Alpha: []float64{.1, .9}}, "objective expectile has one level"},
		{"tweedie", objectives.Params{Power: .5}, "objective.power = 0.5: objective tweedie takes 1 to 2"},
	} {
		if _, err := objectives.New(c.name, objectives.Options{Params: c.p}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %+v: error %v, want %q", c.name, c.p, err, c.want)
		}
	}
	p, err := objectives.ParamsIn([]byte(`{"objective.alpha":[0.1,0.9],"objective.power":1.2,"train.rounds":3}`))
	if err != nil || len(p.Alpha) != 2 || p.Alpha[1] != .9 || p.Power != 1.2 {
		t.Errorf("ParamsIn = %+v (%v)", p, err)
	}
}

// Labels that a loss is not defined for are refused, with their row.
func TestCheckAmounts(t *testing.T) {
	for _, c := range []struct {
		name   string
		p      objectives.Params
		labels []float64
		refuse bool
	}{
		{"poisson", objectives.Params{}, []float64{0, 3}, false},
		{"poisson", objectives.Params{}, []float64{1, -1}, true},
		{"gamma", objectives.Params{}, []float64{1, 0}, true},
		{"tweedie", objectives.Params{}, []float64{1, 0}, false},
		{"tweedie", objectives.Params{Power: 2}, []float64{1, 0}, true},
		{"cross_entropy", objectives.Params{}, []float64{0.3, 1}, false},
		{"cross_entropy", objectives.Params{}, []float64{0.3, 1.5}, true},
		{"squared_log", objectives.Params{}, []float64{1, -.5}, false},
		{"squared_log", objectives.Params{}, []float64{1, -1}, true},
	} {
		err := made(t, c.name, c.p).Check(objectives.Rows{Labels: c.labels})
		if row, ok := err.(*objectives.RowError); (err != nil) != c.refuse || c.refuse && (!ok || row.Row != 1) {
			t.Errorf("%s, labels %v: %v", c.name, c.labels, err)
		}
	}
}

// Where rows have weights, the chance of cross_entropy_lambda is 1 − (1 + e^s)^−weight; far out its derivatives stay numbers.
func TestCrossEntropyLambdaOfWeights(t *testing.T) {
	o := made(t, "cross_entropy_lambda", objectives.Params{})
	at := func(s, y, w float64) (grad, hess float64) {
		g, h := make([]float32, 1), make([]float32, 1)
		o.Gradients(objectives.Rows{Labels: []float64{y}, Weights: []float64{w}}, 0, 1, []float64{s}, g, h)
		return float64(g[0]), float64(h[0])
	}
	for _, w := range []float64{0.3, 0.999, 2.5, 40} {
		for _, y := range []float64{0, 0.25, 1} {
			for _, s := range []float64{-9, -3.1, 0.3, 2.2} {
				loss := func(s float64) float64 {
					u := w * math.Log1p(math.Exp(s))
					return -y*math.Log(-math.Expm1(-u)) + (1-y)*u
				}
				const by = 1e-4
				slope, bend := (loss(s+by)-loss(s-by))/(2*by), (loss(s+by)-2*loss(s)+loss(s-by))/(by*by)
				grad, hess := at(s, y, w)
				if math.Abs(grad-slope) > 1e-6*max(1, math.Abs(slope)) || math.Abs(hess-bend) > 1e-5*max(1, bend) {
					t.Errorf("score %v, label %v, weight %v: derivatives %v and %v, want %v and %v", s, y, w, grad, hess, slope, bend)
				}
			}
			for _, s := range []float64{-1e4, -745, -30, 30, 700, 1e4} {
				// Far below, a chance of w·e^s loses −y·(log w + s): the slope is −y. Far above it is (1 − y)·w.
				want := -y
				if s > 0 {
					want = (1 - y) * w
				}
				if grad, hess := at(s, y, w); s > -700 && math.Abs(grad-want) > 1e-3*w || !(math.Abs(grad) <= w+1) || !(hess >= 0 && hess <= w+1) {
					t.Errorf("score %v, label %v, weight %v: derivatives %v and %v", s, y, w, grad, hess)
				}
			}
		}
	}
	if grad, hess := at(0.5, 1, 0); grad != 0 || hess != 0 {
		t.Errorf("weight 0: derivatives %v and %v", grad, hess)
	}
}
