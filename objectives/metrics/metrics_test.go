package metrics_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"

	"boost/internal/testenv"
	"boost/objectives/metrics"
	"boost/parallel"
)

func eval(t *testing.T, name string, in metrics.Input) float64 {
	t.Helper()
	m, err := metrics.New(name)
	if err != nil {
		t.Fatal(err)
	}
	if m.Name() != name {
		t.Errorf("New(%q).Name() = %q", name, m.Name())
	}
	return m.Eval(in)
}

// peerRows are the 60 rows that the figures of TestPeers were made on.
func peerRows() (number, two, three metrics.Input, weights []float64) {
	const n = 60
	number, two = metrics.Input{Outputs: 1}, metrics.Input{Outputs: 1}
	three = metrics.Input{Outputs: 3, Values: make([]float64, 3*n)}
	for i := range n {
		number.Labels = append(number.Labels, float64(i*29%31)/3-4)
		number.Values = append(number.Values, float64(i*17%19)/2-4)
		label := 0.0
		if i*7%11 < 5 {
			label = 1
		}
		two.Labels = append(two.Labels, label)
		two.Values = append(two.Values, float64(1+i*37%23)/24)
		three.Labels = append(three.Labels, float64(i*5%7%3))
		q := [3]float64{float64(1 + i*3%5), float64(1 + i*11%7), float64(1 + i*2%4)}
		for c := range q {
			three.Values[c*n+i] = q[c] / (q[0] + q[1] + q[2])
		}
		weights = append(weights, float64(i*13%7)/2)
	}
	return number, two, three, weights
}

// Figures of scikit-learn 1.9.1 (root of mean_squared_error, mean_absolute_error,
// r2_score, log_loss, roc_auc_score, 1-accuracy_score at > 0.5, sample_weight) and,
// for multi_error, LightGBM 4.7.0 (a round with learning_rate 1e-300 on init_score
// log q). LightGBM's auc, binary_logloss, binary_error and multi_logloss on the same
// rows agree with scikit-learn's to 14 digits. 11 of the rows tie for the highest class.
func TestPeers(t *testing.T) {
	number, two, three, weights := peerRows()
	cases := []struct {
		name             string
		in               metrics.Input
		plain, weighted  float64
		higher, severals bool
	}{
		{"rmse", number, 4.044486416143633, 4.287430266231277, false, false},
		{"mae", number, 3.313888888888889, 3.549180327868852, false, false},
		{"r2", number, -0.8953845163505281, -1.0532561017279547, true, false},
		{"logloss", two, 0.9303596343928195, 0.9627525987920151, false, false},
		{"auc", two, 0.5173961840628507, 0.47748729121278144, true, false},
		{"error", two, 0.48333333333333334, 0.48633879781420764, false, false},
		{"multi_logloss", three, 1.0107893811338489, 1.072210919109013, false, true},
		{"multi_error", three, 0.48333333333333334, 0.5136612021857924, false, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, want := range []struct {
				value   float64
				weights []float64
			}{{c.plain, nil}, {c.weighted, weights}} {
				c.in.Weights = want.weights
				if got := eval(t, c.name, c.in); math.Abs(got-want.value) > 3e-15*math.Abs(want.value) {
					t.Errorf("weighted %v: %v, want %v", want.weights != nil, got, want.value)
				}
			}
			m, _ := metrics.New(c.name)
			if m.HigherIsBetter() != c.higher {
				t.Errorf("HigherIsBetter = %v", m.HigherIsBetter())
			}
		})
	}
}

// Hand computations of what the peers' figures leave out.
func TestByHand(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	zero := math.Copysign(0, -1)
	in := func(values, labels, weights []float64) metrics.Input {
		return metrics.Input{Outputs: len(values) / max(len(labels), 1), Values: values, Labels: labels, Weights: weights}
	}
	list := func(x ...float64) []float64 { return x }
	worst := 15 * math.Ln10 // -log(1e-15)
	cases := []struct {
		name, metric string
		in           metrics.Input
		want         float64
	}{
		{"no_rows", "rmse", metrics.Input{Outputs: 1}, nan},
		{"no_rows", "auc", metrics.Input{Outputs: 1}, nan},
		{"no_rows", "r2", metrics.Input{Outputs: 1}, nan},
		{"no_weight", "rmse", in(list(1, 2), list(3, 4), list(0, 0)), nan},
		{"no_weight", "auc", in(list(1, 2), list(0, 1), list(0, 0)), nan},
		{"weight_0_hides_nan", "rmse", in(list(nan, 2), list(3, 4), list(0, 7)), 2},
		{"weight_0_hides_inf", "mae", in(list(inf, 2), list(3, 4), list(0, 7)), 2},
		{"nan", "rmse", in(list(nan, 2), list(3, 4), nil), nan},
		{"nan", "error", in(list(nan, 0), list(0, 0), nil), nan},
		{"nan", "logloss", in(list(nan, 0), list(0, 0), nil), nan},
		{"nan", "multi_error", in(list(0.2, nan), list(0), nil), nan},
		{"huge", "rmse", in(list(1e200), list(0), nil), inf},
		{"equal_labels", "r2", in(list(.1, .2, .3), list(.1, .1, .1), nil), nan},
		{"equal_where_weighted", "r2", in(list(.1, .2, .3), list(.1, 5, .1), list(1, 0, 1)), nan},
		{"perfect", "r2", in(list(.1, .2), list(.1, .2), nil), 1},
		{"mean", "r2", in(list(2, 2), list(1, 3), nil), 0},
		{"sure_and_wrong", "logloss", in(list(0, 1), list(1, 0), nil), worst},
		{"sure_and_right", "logloss", in(list(0, 1), list(0, 1), nil), 0},
		{"half_is_negative", "error", in(list(.5, .5), list(0, 1), nil), 0.5},
		{"above_half_is_positive", "error", in(list(0.5000000000000001, .2), list(1, 0), nil), 0},
		{"threshold_of_the_input", "error", metrics.Input{Outputs: 1, Values: list(.2, .4), Labels: list(1, 0), Threshold: 0.3}, 1},
		{"threshold_of_the_input", "accuracy", metrics.Input{Outputs: 1, Values: list(.2, .4), Labels: list(0, 1), Threshold: 0.3}, 1},
		{"threshold_of_the_input", "recall", metrics.Input{Outputs: 1, Values: list(.2, .4), Labels: list(1, 1), Threshold: 0.3}, 0.5},
		{"half_of_the_name", "error@0.5", metrics.Input{Outputs: 1, Values: list(.2, .4), Labels: list(1, 0), Threshold: 0.3}, 0.5},
		{"half_of_the_name", "recall@0.5", metrics.Input{Outputs: 1, Values: list(.2, .4), Labels: list(1, 1), Threshold: 0.3}, 0},
		{"threshold_of_the_name", "recall@0.1", metrics.Input{Outputs: 1, Values: list(.2, .4), Labels: list(1, 1), Threshold: 0.3}, 1},
		{"sure_and_wrong", "multi_logloss", in(list(0, 1), list(0), nil), worst},
		{"tie_with_label", "multi_error", in(list(.4, .4, .2), list(0), nil), 1},
		{"tie_of_others", "multi_error", in(list(.25, .25, .5), list(2), nil), 0},
		{"right", "auc", in(list(.1, .2, .3), list(0, 0, 1), nil), 1},
		{"reversed", "auc", in(list(.3, .2, .1), list(0, 0, 1), nil), 0},
		{"all_tied", "auc", in(list(.3, .3, .3), list(0, 0, 1), nil), 0.5},
		{"zeros_tie", "auc", in(list(0, zero), list(0, 1), nil), 0.5},
		{"zeros_tie", "auc", in(list(zero, 0), list(0, 1), nil), 0.5},
		{"infinities", "auc", in(list(-inf, inf, -1, 1), list(0, 1, 0, 1), nil), 1},
		{"negative_numbers", "auc", in(list(-3, -2, -1), list(0, 1, 0), nil), 0.5},
		{"one_class", "auc", in(list(.1, .2), list(1, 1), nil), nan},
		{"one_class", "auc", in(list(.1, .2), list(0, 0), nil), nan},
		{"one_class_has_weight", "auc", in(list(.1, .2), list(0, 1), list(0, 1)), nan},
		{"nan", "auc", in(list(nan, .2), list(0, 1), nil), nan},
		{"weight_0_hides_nan", "auc", in(list(nan, .1, .2), list(0, 0, 1), list(0, 1, 1)), 1},
		// pairs: (.3 over .1) 2·.5, (.3 tied .3) 2·3/2, (.2 over .1) 4·.5; of (2+4)·(.5+3)
		{"weights", "auc", in(list(.1, .3, .3, .2), list(0, 0, 1, 1), list(.5, 3, 2, 4)), (1 + 3 + 2) / 21.0},
		{"tiny_weights", "auc", in(list(.1, .3, .2), list(0, 1, 0), list(1e-300, 1e-300, 1e-300)), 1},
		{"no_rows", "medae", metrics.Input{Outputs: 1}, nan},
		{"no_rows", "max_error", metrics.Input{Outputs: 1}, nan},
		{"no_weight", "medae", in(list(1, 2), list(3, 4), list(0, 0)), nan},
		{"no_weight", "max_error", in(list(1, 2), list(3, 4), list(0, 0)), nan},
		{"nan", "medae", in(list(nan, 2), list(3, 4), nil), nan},
		{"nan", "max_error", in(list(nan, 2), list(3, 4), nil), nan},
		{"weight_0_hides_nan", "medae", in(list(nan, 2), list(3, 4), list(0, 7)), 2},
		{"weight_0_hides_nan", "max_error", in(list(nan, 2), list(3, 4), list(0, 7)), 2},
		{"inf", "medae", in(list(inf, 2, 2), list(3, 4, 5), nil), 3},
		{"half_of_the_weight", "medae", in(list(1, 9, 4), list(0, 0, 0), list(2, 1, 1)), 2.5},
		{"weight_0_between", "medae", in(list(1, 2, 4), list(0, 0, 0), list(2, 0, 2)), 2.5},
		{"inf", "fair@1", in(list(inf), list(0), nil), inf},
		{"inf", "huber@1", in(list(inf), list(0), nil), inf},
		{"huge", "log_cosh", in(list(1e300), list(0), nil), 1e300},
		{"nan", "log_cosh", in(list(nan), list(0), nil), nan},
		{"nan", "fair@1", in(list(nan), list(0), nil), nan},
		{"nan", "huber@1", in(list(nan), list(0), nil), nan},
		{"nan", "pinball@0.5", in(list(nan), list(0), nil), nan},
		{"nan", "expectile@0.5", in(list(nan), list(0), nil), nan},
		{"nan", "smape", in(list(nan), list(0), nil), nan},
		{"nan", "rmsle", in(list(nan), list(0), nil), nan},
		{"minus_one", "rmsle", in(list(-1), list(0), nil), nan},
		{"prediction_0", "poisson_deviance", in(list(0), list(1), nil), nan},
		{"prediction_0", "gamma_deviance", in(list(0), list(1), nil), nan},
		{"prediction_0", "tweedie_deviance@1.5", in(list(0), list(1), nil), nan},
		{"nan", "tweedie_deviance@1.5", in(list(nan), list(1), nil), nan},
		{"label_below_0", "poisson_deviance", in(list(1), list(-1), nil), nan},
		{"label_0", "gamma_deviance", in(list(1), list(0), nil), nan},
		{"label_0", "tweedie_deviance@2.5", in(list(1), list(0), nil), nan},
		{"two_levels", "pinball@0.25/0.5", in(list(1, 2), list(3), nil), 0.5},
		{"wrong_outputs", "pinball@0.25/0.5", in(list(1), list(3), nil), nan},
		{"wrong_outputs", "pinball@0.5", in(list(1, 2), list(3), nil), nan},
		{"wrong_outputs", "medae", in(list(1, 2), list(3), nil), nan},
		{"wrong_outputs", "max_error", in(list(1, 2), list(3), nil), nan},
		{"no_rows", "accuracy", metrics.Input{Outputs: 1}, nan},
		{"no_rows", "mcc", metrics.Input{Outputs: 1}, nan},
		{"no_rows", "linear_kappa", metrics.Input{Outputs: 1}, nan},
		{"no_rows", "ece", metrics.Input{Outputs: 1}, nan},
		{"no_rows", "average_precision", metrics.Input{Outputs: 1}, nan},
		{"no_rows", "auc_ovr", metrics.Input{Outputs: 2}, nan},
		{"no_rows", "auc_mu", metrics.Input{Outputs: 2}, nan},
		{"no_weight", "f1", in(list(1, 0), list(1, 0), list(0, 0)), nan},
		{"no_weight", "kappa", in(list(1, 0), list(1, 0), list(0, 0)), nan},
		{"no_weight", "ece", in(list(1, 0), list(1, 0), list(0, 0)), nan},
		{"no_weight", "average_precision", in(list(1, 0), list(1, 0), list(0, 0)), nan},
		{"nan", "accuracy", in(list(nan, 0), list(1, 0), nil), nan},
		{"nan", "macro_f1", in(list(nan, 0), list(1, 0), nil), nan},
		{"nan", "mcc", in(list(.5, .5, .2, .5, nan, .3), list(0, 1), nil), nan},
		{"nan", "quadratic_kappa", in(list(nan, 0), list(1, 0), nil), nan},
		{"nan", "ece", in(list(nan, 0), list(1, 0), nil), nan},
		{"nan", "average_precision", in(list(nan, 0), list(1, 0), nil), nan},
		{"nan", "brier", in(list(nan, 0), list(1, 0), nil), nan},
		{"nan", "cross_entropy", in(list(nan, 0), list(1, 0), nil), nan},
		{"nan", "top_k@1", in(list(.2, nan), list(0), nil), nan},
		{"nan", "auc_ovr", in(list(.2, nan, .8, .7), list(0, 1), nil), nan},
		{"weight_0_hides_nan", "accuracy", in(list(nan, 0), list(1, 0), list(0, 7)), 1},
		{"weight_0_hides_nan", "f1", in(list(nan, 1), list(1, 1), list(0, 7)), 1},
		{"weight_0_hides_nan", "ece", in(list(nan, .75), list(1, 1), list(0, 7)), .25},
		{"weight_0_hides_nan", "average_precision", in(list(nan, 1), list(0, 1), list(0, 7)), 1},
		{"one_class", "mcc", in(list(0, 1), list(1, 1), nil), nan},
		{"one_prediction", "mcc", in(list(0, 0), list(0, 1), nil), nan},
		{"one_class_and_prediction", "kappa", in(list(1, 1), list(1, 1), nil), nan},
		{"one_class_and_prediction", "quadratic_kappa", in(list(1, 1), list(1, 1), nil), nan},
		{"right", "kappa", in(list(.1, .9, .9), list(0, 1, 1), list(.1, .3, .7)), 1},
		{"right", "quadratic_kappa", in(list(.1, .9, .9), list(0, 1, 1), list(.1, .3, .7)), 1},
		{"at_the_threshold", "recall@0.25", in(list(.25, .5), list(1, 1), nil), .5},
		{"label_of_no_class", "f1", in(list(.7, .8), list(.4, 1), nil), 2 / 3.0},
		{"label_of_no_class", "kappa", in(list(.7, .2), list(7, 1), nil), -1},
		{"label_of_no_class", "cross_entropy", in(list(.5), list(2), nil), nan},
		{"sure_and_wrong", "cross_entropy", in(list(0), list(1), nil), 12 * math.Ln10},
		{"right", "kullback_leibler", in(list(.25), list(.25), nil), 0},
		// bins (0, ½] and (½, 1]: |½ + ¼ − 1| and |¾ − 1| of 3 rows
		{"two_bins", "ece@2", in(list(.5, .25, .75), list(0, 1, 1), nil), .5 / 3},
		{"first_of_equal", "accuracy", in(list(.4, .4, .2), list(0), nil), 1},
		{"last_of_equal", "top_k@1", in(list(.4, .4, .2), list(0), nil), 0},
		{"wrong_outputs", "precision", in(list(.1, .3), list(0), nil), nan},
		{"wrong_outputs", "average_precision", in(list(.1, .3), list(0), nil), nan},
		{"wrong_outputs", "auc_ovr", in(list(.1), list(0), nil), nan},
		{"wrong_outputs", "auc_mu", in(list(.1), list(0), nil), nan},
		{"wrong_outputs", "top_k@1", in(list(.1), list(0), nil), nan},
		{"wrong_outputs", "auc", in(list(.1, .3), list(0), nil), nan},
		{"wrong_outputs", "rmse", in(list(.1, .3), list(0), nil), nan},
		{"wrong_outputs", "r2", in(list(.1, .3), list(0), nil), nan},
		{"wrong_outputs", "multi_error", in(list(.1), list(0), nil), nan},
	}
	for _, c := range cases {
		t.Run(c.metric+"/"+c.name, func(t *testing.T) {
			got := eval(t, c.metric, c.in)
			if math.IsNaN(c.want) != math.IsNaN(got) || math.Abs(got-c.want) > 2e-16*math.Abs(c.want) {
				t.Errorf("%s(%v, %v, %v) = %v, want %v", c.metric, c.in.Values, c.in.Labels, c.in.Weights, got, c.want)
			}
		})
	}
}

// Small and large errors against 60 digits of Python's decimal: x − ln(1+x), and ln((eˣ+e⁻ˣ)/2).
func TestLossesOfSmallErrors(t *testing.T) {
	for metric, want := range map[string]map[float64]float64{
		"fair@1": {
			1e-9: 4.999999996666667e-19, 0.005: 1.2458488960926388e-05, 0.0099: 4.868394962581728e-05,
			0.0101: 5.0664146998559146e-05, 0.25: 0.026856448685790246, 3: 1.6137056388801094,
		},
		"log_cosh": {
			1e-9: 5e-19, 0.05: 0.0012494795136255856, 0.0999: 0.004981726972548374,
			0.1001: 0.005001660571407579, 0.5: 0.12011450695827752, 30: 29.306852819440056,
		},
	} {
		for d, loss := range want {
			got := eval(t, metric, metrics.Input{Outputs: 1, Values: []float64{0}, Labels: []float64{d}})
			if math.Abs(got-loss) > 5e-13*loss {
				t.Errorf("%s of %v is %v, want %v", metric, d, got, loss)
			}
		}
	}
}

// randomRows makes n rows with many ties and, if asked, uneven weights.
func randomRows(r *rand.Rand, n, outputs int, weighted bool) metrics.Input {
	in := metrics.Input{Outputs: outputs, Values: make([]float64, n*outputs), Labels: make([]float64, n)}
	for i := range in.Values {
		in.Values[i] = (1 + math.Floor(r.Float64()*float64(n)/3)) / (2 + float64(n)/3)
	}
	for i := range in.Labels {
		in.Labels[i] = float64(r.IntN(max(outputs, 2)))
	}
	if weighted {
		in.Weights = make([]float64, n)
		for i := range in.Weights {
			in.Weights[i] = math.Floor(r.Float64()*3) * r.Float64()
		}
	}
	return in
}

func metricsOf(outputs int) []string {
	if outputs > 1 {
		return []string{
			"multi_logloss", "multi_error", "pinball@0.1/0.5/0.9", "top_k@2", "auc_ovr", "auc_mu", "accuracy",
			"balanced_accuracy", "macro_precision", "macro_recall", "macro_f1", "mcc", "kappa", "linear_kappa",
			"quadratic_kappa", "brier", "ece",
		}
	}
	return []string{
		"rmse", "mae", "r2", "medae", "max_error", "mape", "smape", "rmsle", "huber@0.1", "fair@1", "log_cosh",
		"pinball@0.9", "expectile@0.9", "poisson_deviance", "tweedie_deviance@1.5", "logloss", "auc", "error",
		"average_precision", "precision", "recall@0.3", "f1", "cross_entropy", "kullback_leibler", "accuracy",
		"balanced_accuracy", "macro_precision", "macro_recall", "macro_f1", "mcc", "kappa", "linear_kappa",
		"quadratic_kappa", "brier", "ece@15",
	}
}

// The same bits for every number of threads and every order of rows; twice the rows
// is twice the weight.
func TestOrderAndThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1000, testenv.UnlessShort(50_000, 9000)} {
		for _, outputs := range []int{1, 3} {
			for _, weighted := range []bool{false, true} {
				in := randomRows(r, n, outputs, weighted)
				shuffled, twice := in, in
				perm := r.Perm(n)
				shuffled.Labels, twice.Labels = take(in.Labels, perm), append(slices.Clone(in.Labels), in.Labels...)
				shuffled.Values, twice.Values, twice.Weights = nil, nil, nil
				for k := range outputs {
					column := in.Values[k*n : k*n+n]
					shuffled.Values = append(shuffled.Values, take(column, perm)...)
					twice.Values = append(append(twice.Values, column...), column...)
				}
				double := in
				double.Weights = make([]float64, n)
				for i := range double.Weights {
					double.Weights[i] = 2
				}
				if weighted {
					shuffled.Weights = take(in.Weights, perm)
					twice.Weights = append(slices.Clone(in.Weights), in.Weights...)
					for i, w := range in.Weights {
						double.Weights[i] = 2 * w
					}
				}
				for _, rows := range []*metrics.Input{&in, &shuffled, &twice, &double} {
					rows.Raw = rows.Values
				}
				for _, name := range metricsOf(outputs) {
					want := eval(t, name, in)
					if math.IsNaN(want) {
						t.Fatalf("%s is NaN", name)
					}
					same := func(what string, got float64) {
						t.Helper()
						if math.Float64bits(got) != math.Float64bits(want) {
							t.Errorf("%s of %d rows, weights %v, %s: %v, want %v", name, n, weighted, what, got, want)
						}
					}
					for _, threads := range []int{1, 2, 3, 8} {
						pool := parallel.NewPool(threads)
						withPool := in
						withPool.Pool = pool
						same("in a pool", eval(t, name, withPool))
						pool.Close()
					}
					same("shuffled", eval(t, name, shuffled))
					same("every row twice", eval(t, name, twice))
					same("every weight doubled", eval(t, name, double))
				}
			}
		}
	}
}

func take(x []float64, perm []int) []float64 {
	y := make([]float64, len(x))
	for i, p := range perm {
		y[i] = x[p]
	}
	return y
}

// The area by counting every pair in rational numbers.
func TestAUCPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 40 {
		in := randomRows(r, 2+r.IntN(60), 1, trial%2 == 1)
		inOrder, all := new(big.Rat), new(big.Rat)
		for i, up := range in.Labels {
			for j, down := range in.Labels {
				if up != 1 || down != 0 {
					continue
				}
				weight := big.NewRat(1, 1)
				if in.Weights != nil {
					weight.Mul(new(big.Rat).SetFloat64(in.Weights[i]), new(big.Rat).SetFloat64(in.Weights[j]))
				}
				all.Add(all, weight)
				switch {
				case in.Values[i] > in.Values[j]:
					inOrder.Add(inOrder, weight)
				case in.Values[i] == in.Values[j]:
					inOrder.Add(inOrder, new(big.Rat).Mul(weight, big.NewRat(1, 2)))
				}
			}
		}
		want := math.NaN()
		if all.Sign() > 0 {
			want, _ = new(big.Rat).Quo(inOrder, all).Float64()
		}
		// The step of the weights moves the last digit at most.
		if got := eval(t, "auc", in); math.Abs(got-want) > 2e-16 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("trial %d: auc = %v, want %v", trial, got, want)
		}
	}
}

// The area against gonum's curve, with enough rows for every pass of the sort.
func TestAUCAgainstGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pool := parallel.NewPool(2)
	defer pool.Close()
	for _, weighted := range []bool{false, true} {
		in := randomRows(r, 70_000, 1, weighted)
		for i := range in.Values {
			in.Values[i] = r.NormFloat64() + in.Labels[i]
			if i%3 == 0 {
				in.Values[i] = math.Round(in.Values[i] * 8)
			}
		}
		in.Pool = pool
		byValue := make([]int, len(in.Values))
		for i := range byValue {
			byValue[i] = i
		}
		slices.SortFunc(byValue, func(a, b int) int {
			if in.Values[a] < in.Values[b] {
				return -1
			}
			return 1
		})
		var weights []float64
		if weighted {
			weights = take(in.Weights, byValue)
		}
		classes := make([]bool, len(byValue))
		for i, row := range byValue {
			classes[i] = in.Labels[row] == 1
		}
		hits, falseAlarms, _ := stat.ROC(nil, take(in.Values, byValue), classes, weights)
		want := integrate.Trapezoidal(falseAlarms, hits)
		if got := eval(t, "auc", in); math.Abs(got-want) > 1e-12 {
			t.Errorf("weights %v: auc = %.16f, want %.16f", weighted, got, want)
		}
	}
}

// Sums that a plain loop gets wrong: one row dwarfs the others.
func TestExactSums(t *testing.T) {
	n := 10_000
	in := metrics.Input{Outputs: 1, Values: make([]float64, n), Labels: make([]float64, n)}
	in.Values[0] = 1e17
	for i := 1; i < n; i++ {
		in.Values[i] = 1
	}
	// 1e17 + 9999 rounds to 100000000000010000; a plain loop stays at 1e17.
	if got, want := eval(t, "mae", in), 100000000000010000.0/10000; got != want {
		t.Errorf("mae = %v, want %v", got, want)
	}
}

func TestNames(t *testing.T) {
	if _, err := metrics.New("exactness"); err == nil {
		t.Error("New accepted an unknown name")
	}
	for _, name := range metrics.Names() {
		info, ok := metrics.Lookup(name)
		if !ok {
			t.Fatalf("Lookup(%q) found nothing", name)
		}
		written := name
		if a := info.Argument; a != nil {
			written += "@" + a.Example
			if a.Default == nil || info.Queries { // of these all positions, not so many
				name = written
			}
		}
		m, err := metrics.NewCanonical(written)
		if err != nil || m.Name() != name {
			t.Errorf("NewCanonical(%q) is %v, %v, want %q", written, m, err, name)
		}
		if len(info.Links) == 0 || !metrics.Fits(name, info.Links[0]) {
			t.Errorf("%s does not fit the first of the links %v", name, info.Links)
		}
	}
	known := metrics.Names()
	for _, name := range metrics.Names() {
		info, _ := metrics.Lookup(name)
		for _, alias := range info.Aliases {
			if slices.Contains(known, alias) || alias != strings.ToLower(alias) {
				t.Errorf("%s has the other name %q, which is taken or not in lower case", name, alias)
			}
			known = append(known, alias)
		}
	}
	for name, link := range map[string]string{
		"auc": "identity", "logloss": "softmax", "multi_error": "logistic", "r2": "logistic", "rmse": "softmax", "mae": "probit",
		"pinball@0.5": "logistic", "f1@0.3": "softmax", "top_k@2": "logistic", "accuracy": "identity", "none@0.5": "identity",
	} {
		if metrics.Fits(name, link) {
			t.Errorf("%s fits %s", name, link)
		}
	}
}

// The canonical form of arguments, and what is said of wrong ones.
func TestArguments(t *testing.T) {
	for written, want := range map[string]string{
		"pinball@.90": "pinball@0.9", "pinball@5e-1": "pinball@0.5", "pinball@0.10/0.50/.9": "pinball@0.1/0.5/0.9",
		"huber@1.0": "huber@1", "huber@1e6": "huber@1000000", "huber@1e21": "huber@1e+21", "fair@1e-7": "fair@1e-07",
		"tweedie_deviance@+1.5": "tweedie_deviance@1.5", "tweedie_deviance@-0": "tweedie_deviance@0", "rmse": "rmse",
		"f1@0.50": "f1@0.5", "error@0.70": "error@0.7", "f1@.30": "f1@0.3", "precision": "precision", "ece@10": "ece", "ece@1e1": "ece", "top_k@2.0": "top_k@2",
	} {
		m, err := metrics.New(written)
		if err != nil || m.Name() != want {
			t.Errorf("New(%q): %v, want %q", written, err, want)
		}
		canonical := want
		if want == "f1@0.5" { // settings and models leave out what is the default
			canonical = "f1"
		}
		for _, name := range []string{written, want, canonical} {
			if got, err := metrics.Canonical(name); err != nil || got != canonical {
				t.Errorf("Canonical(%q) = %q, %v, want %q", name, got, err, canonical)
			}
			if m, err := metrics.NewCanonical(name); err != nil || m.Name() != canonical {
				t.Errorf("NewCanonical(%q): %v, want %q", name, err, canonical)
			}
		}
	}
	for written, want := range map[string]string{
		"pinball":                 `metric "pinball" needs a level above 0 and below 1, as in "pinball@0.9"`,
		"pinball@":                `"" is not a level`,
		"pinball@1":               `"1" is not a level above 0 and below 1: write the like of "pinball@0.9"`,
		"pinball@nan":             `"nan" is not a level`,
		"pinball@0.5/0.1":         `"0.5/0.1" does not ascend: write the like of "pinball@0.1/0.5/0.9"`,
		"pinball@0.5/0.5":         `does not ascend`,
		"pinball@0.5/":            `"" is not a level`,
		"expectile@0.1/0.5":       `"0.1/0.5" is not a level`,
		"huber@0":                 `"0" is not a number above 0: write the like of "huber@0.9"`,
		"huber@inf":               `"inf" is not a number above 0`,
		"fair@-1":                 `"-1" is not a number above 0`,
		"tweedie_deviance":        `needs a power of at most 0 or at least 1, as in "tweedie_deviance@1.5"`,
		"tweedie_deviance@0.5":    `"0.5" is not a power`,
		"rmse@2":                  `metric "rmse@2": rmse takes no argument: write "rmse"`,
		"none@2":                  `unknown metric "none@2"`,
		"f1@1":                    `"1" is not a threshold of at least 0 and below 1: write the like of "f1@0.5"`,
		"ece@2.5":                 `"2.5" is not a number of bins`,
		"top_k":                   `needs a number of classes from 1 on, as in "top_k@2"`,
		"pinball@0.5@0.9":         `"0.5@0.9" is not a level`,
		"tweedie_deviance@1e400 ": `is not a power`,
	} {
		if m, err := metrics.New(written); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%q) = %v, %v, want an error with %s", written, m, err, want)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	pool := parallel.NewPool(2)
	defer pool.Close()
	for _, outputs := range []int{1, 7} {
		in := randomRows(r, 1_000_000/outputs, outputs, false)
		in.Raw = in.Values
		in.Pool = pool
		for _, name := range metricsOf(outputs) {
			m, _ := metrics.New(name)
			if math.IsNaN(m.Eval(in)) {
				continue // takes another number of outputs
			}
			b.Run("metric="+name, func(b *testing.B) {
				for b.Loop() {
					m.Eval(in)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(in.Labels)), "ns/row")
			})
		}
	}
}
