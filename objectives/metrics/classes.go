package metrics

import (
	"cmp"
	"math"
)

const half = 0.5 // above it the positive of two classes is predicted, unless the input says another threshold

// above returns the threshold of two classes: that of a metric's argument, or without one the input's.
func (in *Input) above(argument []float64) float64 {
	if len(argument) > 0 {
		return argument[0]
	}
	return cmp.Or(in.Threshold, half)
}

// classified are the links of models that predict classes.
var classified = []string{logistic, softmax, oneVsAll}

var thresholdArgument = Argument{
	Means: "a threshold of at least 0 and below 1", Example: "0.5", Default: []float64{half}, ofModel: true,
	contains: func(x float64) bool { return x >= 0 && x < 1 },
}

// Metrics of predicted classes. All are higher for better predictions, and NaN without weight and where a
// prediction is NaN.
var (
	accuracyInfo = Info{
		Name:    "accuracy",
		Aliases: []string{"accuracy_score"},
		Links:   classified,
		build: func(name string, _ []float64) Metric {
			return share{mean{name: name, row: rightClass, outputs: anyNumber}}
		},
	}
	balancedAccuracyInfo = Info{
		Name:    "balanced_accuracy",
		Aliases: []string{"balanced_accuracy_score", "balancedaccuracy"},
		Links:   classified,
		build:   ofTally(false, balancedAccuracy),
	}
	precisionInfo = Info{
		Name: "precision", Aliases: []string{"precision_score"}, Links: []string{logistic},
		Argument: &thresholdArgument, build: ofTally(true, func(t *tally) float64 { return t.hit[1] / t.guess[1] }),
	}
	recallInfo = Info{
		Name: "recall", Aliases: []string{"recall_score"}, Links: []string{logistic},
		Argument: &thresholdArgument, build: ofTally(true, func(t *tally) float64 { return t.hit[1] / t.label[1] }),
	}
	f1Info = Info{
		Name: "f1", Aliases: []string{"f1_score"}, Links: []string{logistic},
		Argument: &thresholdArgument, build: ofTally(true, func(t *tally) float64 { return t.f1(1) }),
	}
	macroPrecisionInfo = Info{
		Name: "macro_precision", Aliases: []string{"precision_macro"}, Links: classified,
		build: ofTally(false, macro(func(t *tally, k int) float64 { return t.hit[k] / t.guess[k] })),
	}
	macroRecallInfo = Info{
		Name: "macro_recall", Aliases: []string{"recall_macro"}, Links: classified,
		build: ofTally(false, macro(func(t *tally, k int) float64 { return t.hit[k] / t.label[k] })),
	}
	macroF1Info = Info{
		Name: "macro_f1", Aliases: []string{"f1_macro"}, Links: classified,
		build: ofTally(false, macro((*tally).f1)),
	}
	mccInfo = Info{
		Name:    "mcc",
		Aliases: []string{"matthews_corrcoef", "matthews_correlation"},
		Links:   classified,
		build:   ofTally(false, matthews),
	}
	kappaInfo = Info{
		Name:    "kappa",
		Aliases: []string{"cohen_kappa", "cohen_kappa_score"},
		Links:   classified,
		build:   ofTally(false, kappa),
	}
	linearKappaInfo = Info{
		Name:  "linear_kappa",
		Links: classified,
		build: func(name string, _ []float64) Metric { return weightedKappa{name, false} },
	}
	quadraticKappaInfo = Info{
		Name:    "quadratic_kappa",
		Aliases: []string{"quadratic_weighted_kappa", "qwk"},
		Links:   classified,
		build: func(name string, _ []float64) Metric {
			return weightedKappa{name, true}
		},
	}
)

// tallied is a metric of a tally of classes.
type tallied struct {
	name      string
	threshold []float64 // none is the input's
	two       bool      // takes two classes only
	figure    func(t *tally) float64
}

// ofTally makes a metric of a tally, at the threshold that is its argument or at the input's.
func ofTally(two bool, figure func(t *tally) float64) func(string, []float64) Metric {
	return func(name string, argument []float64) Metric { return tallied{name, argument, two, figure} }
}

func (m tallied) Name() string         { return m.name }
func (m tallied) HigherIsBetter() bool { return true }

func (m tallied) Eval(in Input) float64 {
	if m.two && in.Outputs != 1 {
		return math.NaN()
	}
	t, ok := tallyOf(&in, in.above(m.threshold))
	if !ok {
		return math.NaN()
	}
	return m.figure(&t)
}

// rightClass is 1 where the predicted class is the label.
func rightClass(in *Input, lo, hi int, out []float64) {
	var guesses [blockRows]int32
	guessClasses(in, in.above(nil), lo, hi, guesses[:hi-lo])
	for i, guess := range guesses[:hi-lo] {
		switch {
		case guess < 0:
			out[i] = math.NaN()
		case float64(guess) == in.Labels[lo+i]:
			out[i] = 1
		default:
			out[i] = 0
		}
	}
}

// balancedAccuracy is the mean of the recalls of the classes that labels have.
func balancedAccuracy(t *tally) float64 {
	sum, classes := 0.0, 0.0
	for k, labels := range t.label {
		if labels > 0 {
			sum += t.hit[k] / labels
			classes++
		}
	}
	return sum / classes
}

// f1 is the harmonic mean of precision and recall of a class, NaN where neither labels nor predictions have it.
func (t *tally) f1(k int) float64 { return 2 * t.hit[k] / (t.label[k] + t.guess[k]) }

// macro makes the mean over the classes that labels or predictions have. One that is undefined counts as 0.
func macro(figure func(t *tally, k int) float64) func(t *tally) float64 {
	return func(t *tally) float64 {
		sum, classes := 0.0, 0.0
		for k := range t.label {
			if t.label[k] == 0 && t.guess[k] == 0 {
				continue
			}
			classes++
			if x := figure(t, k); !math.IsNaN(x) {
				sum += x
			}
		}
		return sum / classes
	}
}

// matthews is the correlation of labels and predicted classes: the covariance by the root of the product of both
// variances (Gorodkin 2004, which for two classes is Matthews's). NaN where either is one class only.
func matthews(t *tally) float64 {
	covariance, labels, guesses := 0.0, 0.0, 0.0
	for k := range t.label {
		covariance += float64(t.hit[k]*t.total) - float64(t.label[k]*t.guess[k])
		labels += float64(t.label[k] * (t.total - t.label[k]))
		guesses += float64(t.guess[k] * (t.total - t.guess[k]))
	}
	// Of one class only both products are the same, so that this is 0/0.
	return min(max(covariance/math.Sqrt(labels*guesses), -1), 1)
}

// kappa is Cohen's: 1 less the disagreement by what it would be if labels and predictions were independent.
func kappa(t *tally) float64 {
	expected := 0.0
	for k := range t.label {
		expected += float64(t.label[k] * (t.total - t.guess[k]))
	}
	if expected == 0 {
		return math.NaN()
	}
	return 1 - float64(t.wrong*t.total)/expected
}

// weightedKappa is kappa where a disagreement counts by the distance of the classes in their order, or its square.
type weightedKappa struct {
	name   string
	square bool
}

func (m weightedKappa) Name() string         { return m.name }
func (m weightedKappa) HigherIsBetter() bool { return true }

func (m weightedKappa) Eval(in Input) float64 {
	t, ok := tallyOf(&in, in.above(nil))
	if !ok {
		return math.NaN()
	}
	expected := 0.0
	for i, labels := range t.label {
		for j, guesses := range t.guess {
			expected += float64(m.distance(float64(i-j)) * float64(labels*guesses))
		}
	}
	if expected == 0 {
		return math.NaN()
	}
	differ, weight := weightedSums(&in, m.distances)
	return 1 - float64(differ/weight*t.total)*t.total/expected
}

func (m weightedKappa) distance(d float64) float64 {
	if m.square {
		return d * d
	}
	return math.Abs(d)
}

// distances writes those of the predicted classes from the labels.
func (m weightedKappa) distances(in *Input, lo, hi int, out []float64) {
	var guesses [blockRows]int32
	guessClasses(in, in.above(nil), lo, hi, guesses[:hi-lo])
	for i := range out {
		out[i] = m.distance(float64(guesses[i]) - in.Labels[lo+i])
	}
}
