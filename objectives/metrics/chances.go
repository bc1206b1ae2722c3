package metrics

import (
	"math"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
	"boost/parallel"
)

// Metrics of the probabilities of classes.
var (
	brierInfo = Info{
		Name:    "brier",
		Aliases: []string{"brier_score", "brier_score_loss", "brierscore"},
		Links:   classified,
		Shares:  true,
		build:   func(name string, _ []float64) Metric { return mean{name: name, row: brierScore, outputs: anyNumber} },
	}
	crossEntropyInfo = Info{
		Name:    "cross_entropy",
		Aliases: []string{"xentropy", "crossentropy"},
		Links:   []string{logistic},
		Shares:  true,
		build:   ofRows(crossEntropy),
	}
	kullbackLeiblerInfo = Info{
		Name:    "kullback_leibler",
		Aliases: []string{"kldiv"},
		Links:   []string{logistic},
		Shares:  true,
		build:   ofRows(kullbackLeibler),
	}
	crossEntropyLambdaInfo = Info{
		Name:    "cross_entropy_lambda",
		Aliases: []string{"xentlambda"},
		Links:   []string{softplus},
		Shares:  true,
		build:   func(string, []float64) Metric { return crossEntropyLambda{} },
	}
	eceInfo = Info{
		Name:    "ece",
		Aliases: []string{"expected_calibration_error"},
		Links:   classified,
		Argument: &Argument{
			Means: "a number of bins from 1 to 1000", Example: "10", Default: []float64{10},
			contains: func(x float64) bool { return x >= 1 && x <= 1000 && x == math.Floor(x) },
		},
		build: func(name string, argument []float64) Metric { return calibrationError{name, int(argument[0])} },
	}
	topKInfo = Info{
		Name:    "top_k",
		Aliases: []string{"top_k_accuracy", "top_k_accuracy_score"},
		Links:   []string{softmax, oneVsAll},
		Argument: &Argument{
			Means: "a number of classes from 1 on", Example: "2",
			contains: func(x float64) bool { return x >= 1 && x <= 1e6 && x == math.Floor(x) },
		},
		build: func(name string, argument []float64) Metric {
			return share{mean{name: name, row: amongHighest(int(argument[0])), outputs: several}}
		},
	}
)

// brierScore is (p − y)² for the probability of the positive of two classes, and Σ (p_k − [y = k])² over more.
func brierScore(in *Input, lo, hi int, out []float64) {
	if in.Outputs == 1 {
		squaredError(in, lo, hi, out)
		return
	}
	n := len(in.Labels)
	for i := range out {
		sum := 0.0
		for k := range in.Outputs {
			d := in.Values[k*n+lo+i]
			if float64(k) == in.Labels[lo+i] {
				d--
			}
			sum += float64(d * d)
		}
		out[i] = sum
	}
}

// crossEntropy is −y·log(p) − (1−y)·log(1−p) for a label from 0 to 1, with logarithms of no less than 10⁻¹², as
// in LightGBM.
func crossEntropy(in *Input, lo, hi int, out []float64) {
	for i := range out {
		out[i] = entropyOf(in.Labels[lo+i], in.Values[lo+i])
	}
}

func entropyOf(y, p float64) float64 {
	if !(y >= 0 && y <= 1) {
		return math.NaN()
	}
	return -float64(y*detmath.Log(max(p, 1e-12))) - float64((1-y)*detmath.Log(max(1-p, 1e-12)))
}

// crossEntropyLambda is the mean over the rows with weight of crossEntropy for the chance 1 − e^(−weight·v), as in LightGBM: the weight
// is in the chance, and rows count alike.
type crossEntropyLambda struct{}

func (crossEntropyLambda) Name() string         { return "cross_entropy_lambda" }
func (crossEntropyLambda) HigherIsBetter() bool { return false }

func (crossEntropyLambda) Eval(in Input) float64 {
	rows := len(in.Labels)
	for _, w := range in.Weights {
		if w == 0 {
			rows--
		}
	}
	if in.Outputs != 1 || rows == 0 {
		return math.NaN()
	}
	weights := in.Weights
	in.Weights = nil
	total, _ := weightedSums(&in, func(in *Input, lo, hi int, out []float64) {
		for i := range out {
			w := 1.0
			if weights != nil {
				w = weights[lo+i]
			}
			if out[i] = 0; w > 0 {
				out[i] = entropyOf(in.Labels[lo+i], loss.OneMinusExp(w*in.Values[lo+i]))
			}
		}
	})
	return total / float64(rows)
}

// kullbackLeibler is crossEntropy less its value where p = y.
func kullbackLeibler(in *Input, lo, hi int, out []float64) {
	crossEntropy(in, lo, hi, out)
	for i := range out {
		if y := in.Labels[lo+i]; y > 0 && y < 1 {
			out[i] += float64(y*detmath.Log(y)) + float64((1-y)*detmath.Log(1-y))
		}
	}
}

// amongHighest is 1 where the label is among the k classes of the highest probability. Of equal ones the later
// classes come first, as in scikit-learn.
func amongHighest(k int) rowLosses {
	return func(in *Input, lo, hi int, out []float64) {
		n := len(in.Labels)
		for i := range out {
			label := int(in.Labels[lo+i])
			p, higher, isNaN := in.Values[label*n+lo+i], 0, false
			for c := range in.Outputs {
				q := in.Values[c*n+lo+i]
				isNaN = isNaN || math.IsNaN(q)
				if q > p || q == p && c > label {
					higher++
				}
			}
			switch {
			case isNaN:
				out[i] = math.NaN()
			case higher < k:
				out[i] = 1
			default:
				out[i] = 0
			}
		}
	}
}

// calibrationError is the expected calibration error: by bins of the probability, the distance of the mean
// probability from the share of rows that came true, and the mean of it weighted by the bins' rows. Of two classes the
// probability is that of the positive one, of more that of the predicted class, which comes true where it is the
// label. The bins are (i/bins, (i+1)/bins], and 0 is in the first.
type calibrationError struct {
	name string
	bins int
}

func (m calibrationError) Name() string         { return m.name }
func (m calibrationError) HigherIsBetter() bool { return false }

func (m calibrationError) Eval(in Input) float64 {
	t := &binTask{in: &in, bins: m.bins, parts: make([]binPart, threadsOf(in.Pool))}
	for i := range t.parts {
		t.parts[i].gap = make([]detmath.Sum, m.bins)
	}
	run(in.Pool, parallel.Blocks(len(in.Labels), blockRows), t)
	all := &t.parts[0]
	for i := 1; i < len(t.parts); i++ {
		all.weight.Merge(&t.parts[i].weight)
		all.isNaN = all.isNaN || t.parts[i].isNaN
		for b := range all.gap {
			all.gap[b].Merge(&t.parts[i].gap[b])
		}
	}
	weight := all.weight.Round()
	if all.isNaN || !(weight > 0) {
		return math.NaN()
	}
	sum := 0.0
	for b := range all.gap {
		sum += math.Abs(all.gap[b].Round())
	}
	return sum / weight
}

// binTask adds one block of rows to the bins of its worker.
type binTask struct {
	in    *Input
	bins  int
	parts []binPart // one per worker
}

type binPart struct {
	gap     []detmath.Sum // by bin, of weight·(probability − [it came true])
	weight  detmath.Sum
	isNaN   bool
	guesses [blockRows]int32
}

func (t *binTask) Run(worker, index int) {
	in, part, n := t.in, &t.parts[worker], len(t.in.Labels)
	lo, hi := parallel.Block(index, n, blockRows)
	guesses := part.guesses[:hi-lo]
	guessClasses(in, half, lo, hi, guesses)
	for i, guess := range guesses {
		w := 1.0
		if in.Weights != nil {
			w = in.Weights[lo+i]
		}
		switch {
		case w == 0:
			continue
		case guess < 0:
			part.isNaN = true
			continue
		}
		class := 1.0
		p := in.Values[lo+i]
		if in.Outputs > 1 {
			class, p = float64(guess), in.Values[int(guess)*n+lo+i]
		}
		gap := p
		if in.Labels[lo+i] == class {
			gap--
		}
		part.gap[t.bin(p)].AddWeighted(w, gap)
		part.weight.Add(w)
	}
}

// bin returns the bin of a probability.
func (t *binTask) bin(p float64) int {
	bins := float64(t.bins)
	b := math.Ceil(p*bins) - 1
	switch { // where the product was rounded over a border
	case p <= b/bins:
		b--
	case p > (b+1)/bins:
		b++
	}
	return int(min(max(b, 0), bins-1))
}
