package objectives_test

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/objectives"
	"boost/objectives/metrics"
)

func must(t *testing.T, name string, classes int) objectives.Objective {
	t.Helper()
	info, _ := objectives.Lookup(name)
	targets := 1
	if info.Several {
		targets = 2
	}
	o, err := objectives.New(name, objectives.Options{Classes: classes, Targets: targets})
	if err != nil {
		t.Fatal(err)
	}
	if o.Name() != name {
		t.Errorf("New(%q).Name() = %q", name, o.Name())
	}
	return o
}

// classesOf returns how many classes a loss is made for here.
func classesOf(name string, many int) int {
	switch info, _ := objectives.Lookup(name); info.Labels {
	case objectives.TwoClasses:
		return 2
	case objectives.ManyClasses:
		return many
	}
	return 0
}

// peerRows are the 60 rows that the figures of TestLightGBM were made on.
func peerRows() (number, two, three, weights []float64) {
	for i := range 60 {
		number = append(number, float64(i*29%31)/3-4)
		label := 0.0
		if i*7%11 < 5 {
			label = 1
		}
		two = append(two, label)
		three = append(three, float64(i*5%7%3))
		weights = append(weights, float64(i*13%7)/2)
	}
	return number, two, three, weights
}

// LightGBM 4.7.0 on these rows: "start" is the raw score of a model on a constant
// feature; "step" the raw scores for feature 0 and 1 after one round on the feature
// i mod 2 with learning_rate 1, num_leaves 2, min_data_in_leaf 1 and
// min_sum_hessian_in_leaf 0, that is start - Σgradient/Σhessian of each half. The
// factor K/(K-1) of the multiclass hessian shows in the steps. LightGBM's gradients
// are float32, so the steps hold to 7 digits.
func TestLightGBM(t *testing.T) {
	number, two, three, weights := peerRows()
	amounts, chances := make([]float64, len(number)), make([]float64, len(number))
	for i, y := range number {
		amounts[i], chances[i] = y+4.5, float64(1+i*37%23)/32
	}
	exposures := slices.Clone(weights) // LightGBM takes no zeros
	for i, w := range exposures {
		exposures[i] = cmp.Or(w, 0.25)
	}
	cases := []struct {
		name     string
		classes  int
		labels   []float64
		weights  []float64
		start    []float64
		step     [2][]float64
		outputs  int
		linkName objectives.Link
	}{
		{"one_vs_all", 3, three, nil, []float64{-0.26826398659467926, -0.9279867716373464, -0.9279867716373464},
			[2][]float64{{-0.13251739329351062, -1.010066142321901, -1.010066142321901},
				{-0.40401061226036167, -0.8459074645528217, -0.8459074645528217}}, 3, objectives.OneVsAll},
		{"one_vs_all", 3, three, weights, []float64{-0.5020919437972363, -0.9239536046197243, -0.6686561605516496},
			[2][]float64{{-0.33740930291724225, -0.9951894049631197, -0.7766453110846041},
				{-0.6580147779596377, -0.8565068925785114, -0.5664110573537067}}, 3, objectives.OneVsAll},
		{"cross_entropy", 0, chances, nil, []float64{-0.5264118006832356}, [2][]float64{{-0.5911115156702409}, {-0.46171206771075957}}, 1, objectives.Logistic},
		{"cross_entropy", 0, chances, weights, []float64{-0.4955539879958483}, [2][]float64{{-0.42273954638898736}, {-0.5644953106307421}}, 1, objectives.Logistic},
		{"cross_entropy_lambda", 0, chances, nil, []float64{-0.7991825536065771}, [2][]float64{{-0.5839735009130912}, {-0.4427973089505977}}, 1, objectives.Softplus},
		{"cross_entropy_lambda", 0, chances, exposures, []float64{-0.7818912311810096}, [2][]float64{{-1.0436112285779637}, {-1.0291632667548454}}, 1, objectives.Softplus},
		{"poisson", 0, amounts, nil, []float64{1.7287013350243692}, [2][]float64{{1.7277218754715342}, {1.7296807921252333}}, 1, objectives.Exp},
		{"poisson", 0, amounts, weights, []float64{1.7250733312332385}, [2][]float64{{1.7694241245591737}, {1.6830816228830794}}, 1, objectives.Exp},
		{"gamma", 0, amounts, nil, []float64{1.7287013350243692}, [2][]float64{{1.7267250484769185}, {1.7306698383119543}}, 1, objectives.Exp},
		{"gamma", 0, amounts, weights, []float64{1.7250733312332385}, [2][]float64{{1.8070623028273651}, {1.6327013538436908}}, 1, objectives.Exp},
		{"tweedie", 0, amounts, nil, []float64{1.7287013350243692}, [2][]float64{{1.7267270011041098}, {1.7306717790503505}}, 1, objectives.Exp},
		{"tweedie", 0, amounts, weights, []float64{1.7250733312332385}, [2][]float64{{1.8105670696611709}, {1.6367792948951712}}, 1, objectives.Exp},
		{"regression", 0, number, nil, []float64{1.1333333333333333},
			[2][]float64{{1.1222222040096919}, {1.1444444209337234}}, 1, objectives.Identity},
		{"regression", 0, number, weights, []float64{1.1129325999588262},
			[2][]float64{{1.6142322069089219}, {0.6382978349653818}}, 1, objectives.Identity},
		{"binary", 2, two, nil, []float64{-0.20067069546215124},
			[2][]float64{{-0.1333305806054067}, {-0.2680107139881577}}, 1, objectives.Logistic},
		{"binary", 2, two, weights, []float64{-0.23052365861183224},
			[2][]float64{{0.5257981111556422}, {-0.9466155252475534}}, 1, objectives.Logistic},
		{"multiclass", 3, three, nil, []float64{-0.8362480242006186, -1.2611312181658847, -1.2611312181658847},
			[2][]float64{{-0.7457502989943164, -1.3158507986222543, -1.3158507986222543},
				{-0.9267457709832624, -1.2064116801095348, -1.2064116801095348}}, 3, objectives.Softmax},
		{"multiclass", 3, three, weights, []float64{-0.9753796482441617, -1.2582424342599936, -1.0823517677963295},
			[2][]float64{{-0.8655912218255961, -1.3057329687082952, -1.1543445341726073},
				{-1.0793282037911889, -1.2132779588182883, -1.0141883663075102}}, 3, objectives.Softmax},
	}
	for _, c := range cases {
		name := c.name + "/plain"
		if c.weights != nil {
			name = c.name + "/weighted"
		}
		t.Run(name, func(t *testing.T) {
			o := must(t, c.name, c.classes)
			if o.Outputs() != c.outputs || o.Link() != c.linkName {
				t.Errorf("outputs %d, link %s", o.Outputs(), o.Link())
			}
			rows := objectives.Rows{Labels: c.labels, Weights: c.weights}
			if err := o.Check(rows); err != nil {
				t.Fatal(err)
			}
			start, err := o.BaseScore(rows)
			if err != nil {
				t.Fatal(err)
			}
			n := len(c.labels)
			scores := make([]float64, n*c.outputs)
			for k, want := range c.start {
				// LightGBM keeps labels and weights in float32: of the numbers in thirds 8 digits are left.
				if math.Abs(start[k]-want) > 4e-8*math.Abs(want) {
					t.Errorf("start %d = %.17g, want %.17g", k, start[k], want)
				}
				for i := range n {
					scores[k*n+i] = start[k]
				}
			}
			grad, hess := make([]float32, len(scores)), make([]float32, len(scores))
			o.Gradients(rows, 0, n, scores, grad, hess)
			for half := range 2 {
				for k, want := range c.step[half] {
					g, h := 0.0, 0.0
					for i := half; i < n; i += 2 {
						g += float64(grad[k*n+i])
						h += float64(hess[k*n+i])
					}
					if got := start[k] - g/h; math.Abs(got-want) > 3e-7*math.Abs(want) {
						t.Errorf("step of half %d, output %d = %.10g, want %.10g", half, k, got, want)
					}
				}
			}
		})
	}
}

func TestBaseScore(t *testing.T) {
	list := func(x ...float64) []float64 { return x }
	clipped := 34.538776394910684 // 15·ln 10; log(1e-15/(1-1e-15)) differs from it by 1e-15
	cases := []struct {
		name, objective string
		classes         int
		labels, weights []float64
		want            []float64
		tolerance       float64
	}{
		{"mean", "regression", 0, list(1, 2, 6), nil, list(3), 0},
		{"weighted", "regression", 0, list(1, 2, 6), list(1, 0, 3), list(19.0 / 4), 0},
		{"one_row", "regression", 0, list(-7.5), nil, list(-7.5), 0},
		{"cancel", "regression", 0, list(1e30, 3, -1e30), nil, list(1), 0},
		{"quarter", "binary", 2, list(0, 0, 0, 1), nil, list(-math.Log(3)), 1e-15},
		{"weighted", "binary", 2, list(0, 0, 0, 1), list(1, 1, 1, 3), list(0), 0},
		{"all_negative", "binary", 2, list(0, 0), nil, list(-clipped), 1e-13},
		// 1-1e-15 as a float64 is 1 - 9·2^-53: ln((1-9·2^-53)/(9·2^-53)) = 34.5395762…
		{"all_positive", "binary", 2, list(1, 1), nil, list(34.53957599234088), 1e-13},
		{"positives_have_no_weight", "binary", 2, list(1, 0), list(0, 1), list(-clipped), 1e-13},
		{"shares", "multiclass", 3, list(0, 1, 1, 2), nil, list(-math.Log(4), -math.Log(2), -math.Log(4)), 1e-15},
		{"small", "poisson", 0, list(1e-20, 3e-20), nil, list(math.Log(2e-20)), 1e-13},
		{"nothing", "tweedie", 0, list(0, 0), nil, list(-clipped), 1e-13},
		{"absent_class", "multiclass", 3, list(0, 1), nil, list(-math.Log(2), -math.Log(2), -clipped), 1e-15},
	}
	for _, c := range cases {
		t.Run(c.objective+"/"+c.name, func(t *testing.T) {
			got, err := must(t, c.objective, c.classes).BaseScore(objectives.Rows{Labels: c.labels, Weights: c.weights})
			if err != nil {
				t.Fatal(err)
			}
			for k := range c.want {
				if !(math.Abs(got[k]-c.want[k]) <= c.tolerance) {
					t.Errorf("score %d = %.17g, want %.17g", k, got[k], c.want[k])
				}
			}
		})
	}
}

// The start score is exact, so that the order of rows cannot show in a model.
func TestBaseScoreOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 5000
	labels, weights := make([]float64, n), make([]float64, n)
	for i := range n {
		labels[i], weights[i] = math.Ldexp(r.NormFloat64(), r.IntN(60)), r.Float64()
	}
	o := must(t, "regression", 0)
	want, _ := o.BaseScore(objectives.Rows{Labels: labels, Weights: weights})
	r.Shuffle(n, func(i, j int) {
		labels[i], labels[j] = labels[j], labels[i]
		weights[i], weights[j] = weights[j], weights[i]
	})
	got, _ := o.BaseScore(objectives.Rows{Labels: labels, Weights: weights})
	if got[0] != want[0] {
		t.Errorf("start score %v after a shuffle, %v before", got[0], want[0])
	}
}

func TestCheck(t *testing.T) {
	list := func(x ...float64) []float64 { return x }
	inf, nan := math.Inf(1), math.NaN()
	cases := []struct {
		name, objective string
		labels, weights []float64
		row             int // of the RowError; -1: another error; -2: none
		what            string
	}{
		{"numbers", "regression", list(1, -2.5, 1e30, 0), nil, -2, ""},
		{"nan", "regression", list(1, nan), nil, 1, "label"},
		{"inf", "regression", list(1, 2, -inf), nil, 2, "label"},
		{"beyond_float32", "regression", list(1e308), nil, 0, "label"},
		{"gradient_beyond_float32", "regression", list(1, 1e30), list(1, 1e30), 1, "weight"},
		{"zero_weights_are_fine", "regression", list(1, 2), list(0, 1), -2, ""},
		{"no_rows", "regression", nil, nil, -1, ""},
		{"negative_weight", "regression", list(1, 2), list(1, -1), 1, "weight"},
		{"nan_weight", "binary", list(1, 0), list(nan, 1), 0, "weight"},
		{"inf_weight", "multiclass", list(1, 0), list(inf, 1), 0, "weight"},
		{"all_weights_zero", "binary", list(1, 0), list(0, 0), -1, ""},
		{"weights_too_few", "binary", list(1, 0), list(1), -1, ""},
		{"classes", "binary", list(1, 0, 1), nil, -2, ""},
		{"one_class", "binary", list(1, 1), nil, -2, ""},
		{"not_a_class", "binary", list(1, 0, 2), nil, 2, "label"},
		{"between", "binary", list(0.5), nil, 0, "label"},
		{"negative", "multiclass", list(0, -1), nil, 1, "label"},
		{"beyond", "multiclass", list(0, 1, 2, 3), nil, 3, "label"},
		{"nan", "multiclass", list(0, nan), nil, 1, "label"},
	}
	for _, c := range cases {
		t.Run(c.objective+"/"+c.name, func(t *testing.T) {
			classes := map[string]int{"binary": 2, "multiclass": 3}[c.objective]
			err := must(t, c.objective, classes).Check(objectives.Rows{Labels: c.labels, Weights: c.weights})
			if (err == nil) != (c.row == -2) {
				t.Fatalf("error %v", err)
			}
			if err != nil && !errors.Is(err, objectives.ErrRows) {
				t.Errorf("%v is no ErrRows", err)
			}
			var at *objectives.RowError
			if errors.As(err, &at) != (c.row >= 0) {
				t.Fatalf("error %v, want a row %v", err, c.row >= 0)
			}
			if c.row >= 0 && (at.Row != c.row || at.What != c.what) {
				t.Errorf("%v, want row %d, %s", err, c.row, c.what)
			}
		})
	}
}

// S0.27: no built-in loss has a negative hessian, at any score.
func TestHessians(t *testing.T) {
	t.Run("S0.27/never_negative", func(t *testing.T) {
		scores := []float64{0, 1, -1, 40, -40, 700, -700, 1e6, -1e6, 1e300, -1e300, 0x1p-1074}
		n := len(scores)
		for _, name := range objectives.Names() {
			o := must(t, name, classesOf(name, 3))
			all := make([]float64, n*o.Outputs())
			for k := range o.Outputs() {
				for i := range n {
					all[k*n+i] = scores[(i+k*5)%n]
				}
			}
			labels := make([]float64, n)
			for i := range labels {
				labels[i] = float64(1 - i%2)
			}
			grad, hess := make([]float32, len(all)), make([]float32, len(all))
			o.Gradients(objectives.Rows{Labels: labels, Targets: [][]float64{labels, labels}, Queries: []int{0, n}}, 0, n, all, grad, hess)
			for i, h := range hess {
				if !(h >= 0) || math.IsNaN(float64(grad[i])) {
					t.Errorf("%s: entry %d at score %v: gradient %v, hessian %v", name, i, all[i], grad[i], h)
				}
			}
		}
	})
}

// Gradients of a range touch that range only and do not depend on it.
func TestRanges(t *testing.T) {
	const n = 1000
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range objectives.Names() {
		o := must(t, name, classesOf(name, 4))
		if _, ok := o.(objectives.OfAllRows); ok {
			continue // it gets all rows
		}
		k := o.Outputs()
		rows := objectives.Rows{Labels: make([]float64, n), Weights: make([]float64, n), Queries: []int{0, 313, 401, 720, n}}
		rows.Targets = [][]float64{rows.Labels, rows.Labels}
		scores := make([]float64, n*k)
		for i := range n {
			rows.Labels[i], rows.Weights[i] = float64(r.IntN(2)), r.Float64()
		}
		for i := range scores {
			scores[i] = r.NormFloat64()
		}
		grad, hess := make([]float32, n*k), make([]float32, n*k)
		o.Gradients(rows, 0, n, scores, grad, hess)
		const marker = 99
		g, h := slices.Repeat([]float32{marker}, n*k), slices.Repeat([]float32{marker}, n*k)
		lo, hi := 313, 720
		o.Gradients(rows, lo, hi, scores, g, h)
		for i := range g {
			wantG, wantH := float32(marker), float32(marker)
			if row := i % n; row >= lo && row < hi {
				wantG, wantH = grad[i], hess[i]
			}
			if g[i] != wantG || h[i] != wantH {
				t.Fatalf("%s: entry %d is %v %v, want %v %v", name, i, g[i], h[i], wantG, wantH)
			}
		}
	}
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		name    string
		classes int
	}{{"hinge", 0}, {"", 0}, {"Binary", 2}, {"binary", 1}, {"binary", 3}, {"multiclass", 0}, {"multiclass", 1}} {
		if o, err := objectives.New(c.name, objectives.Options{Classes: c.classes}); err == nil {
			t.Errorf("New(%q, %d classes) = %v, want an error", c.name, c.classes, o)
		}
	}
	for _, name := range objectives.Names() {
		must(t, name, classesOf(name, 3))
	}
}

func TestLinks(t *testing.T) {
	raw := []float64{-2, 0, 3, 1, -1, 800}
	cases := []struct {
		link objectives.Link
		k    int
		want func(i int) float64
	}{
		{objectives.Identity, 1, func(i int) float64 { return raw[i] }},
		{objectives.Logistic, 1, func(i int) float64 { return 1 / (1 + math.Exp(-raw[i])) }},
		{objectives.Exp, 2, func(i int) float64 { return math.Exp(raw[i]) }},
		{objectives.Expm1, 1, func(i int) float64 { return math.Exp(raw[i]) - 1 }},
		{objectives.Softplus, 1, func(i int) float64 { return max(raw[i], 0) + math.Log1p(math.Exp(-math.Abs(raw[i]))) }},
		{objectives.Sorted, 3, func(i int) float64 { return []float64{-2, -1, 0, 1, 3, 800}[[]int{0, 2, 1, 3, 4, 5}[i]] }},
		{objectives.OneVsAll, 2, func(i int) float64 {
			own, other := 1/(1+math.Exp(-raw[i])), 1/(1+math.Exp(-raw[(i+3)%6]))
			return own / (own + other)
		}},
		{objectives.Softmax, 2, func(i int) float64 {
			return 1 / (1 + math.Exp(raw[(i+3)%6]-raw[i])) // of two classes
		}},
	}
	for _, c := range cases {
		t.Run(string(c.link), func(t *testing.T) {
			n := len(raw) / c.k
			got := make([]float64, len(raw))
			for lo := 0; lo < n; lo += 2 { // in two pieces
				c.link.Apply(c.k, raw, got, lo, min(lo+2, n), n)
			}
			for i := range raw {
				if want := c.want(i); math.Abs(got[i]-want) > 1e-15*math.Abs(want) && got[i] != want {
					t.Errorf("entry %d: %v, want %v", i, got[i], want)
				}
			}
			if l, err := objectives.ParseLink(string(c.link)); l != c.link || err != nil {
				t.Errorf("ParseLink = %v, %v", l, err)
			}
		})
	}
	if _, err := objectives.ParseLink("logit"); err == nil {
		t.Error("ParseLink accepted logit")
	}
	defer func() {
		if recover() == nil {
			t.Error("Apply of an unknown link did not panic")
		}
	}()
	objectives.Link("logit").Apply(1, raw, raw, 0, 1, 1)
}

func TestDefaultMetrics(t *testing.T) {
	for _, c := range []struct {
		name  string
		link  objectives.Link
		first string
	}{
		{"regression", objectives.Identity, "rmse"}, {"binary", objectives.Logistic, "logloss"},
		{"multiclass", objectives.Softmax, "multi_logloss"}, {"mine", objectives.Logistic, "logloss"},
		{"mine", objectives.Exp, "rmse"}, {"binary", objectives.Identity, "rmse"},
		{"quantile", objectives.Sorted, "pinball@0.5"}, {"tweedie", objectives.Exp, "tweedie_deviance@1.5"},
	} {
		names, err := objectives.DefaultMetrics(c.name, c.link, objectives.Params{})
		if err != nil || names[0] != c.first {
			t.Errorf("%s, %s: %v (%v), want %s first", c.name, c.link, names, err, c.first)
		}
		for _, name := range names {
			if !metrics.Fits(name, objectives.MetricLink(c.name, c.link)) {
				t.Errorf("%s is watched by default with the link %s, but is not defined for it", name, c.link)
			}
		}
	}
	if names, err := objectives.DefaultMetrics("mine", "probit", objectives.Params{}); err == nil {
		t.Errorf("an unknown link has the metrics %v", names)
	}
}
