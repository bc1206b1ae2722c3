package metrics

import (
	"math"
	"math/bits"

	"boost/parallel"
)

// The class that a row is predicted to have is the first of those with the highest probability, and of two classes the
// positive one where its probability is above a threshold.

// tally is the weight of the rows by class, in steps: that have it as their label, that are predicted to have it, and both.
type tally struct {
	label, guess, hit []float64
	total, wrong      float64 // of all rows, and of those whose predicted class is not the label
}

// counter is a whole number of steps of weight, of 128 bits, the lower word first. 2^32 rows of less than 2^53
// steps stay below 2^85.
type counter [2]uint64

func (c *counter) add(x counter) {
	var carry uint64
	c[0], carry = bits.Add64(c[0], x[0], 0)
	c[1] += x[1] + carry
}

func (c *counter) subtract(x counter) {
	var borrow uint64
	c[0], borrow = bits.Sub64(c[0], x[0], 0)
	c[1] -= x[1] + borrow
}

// float returns the count in units of weight, rounded once.
func (c counter) float(shift int) float64 {
	high, below := bits.LeadingZeros64(c[1]), 0
	word := c[0]
	if c[1] != 0 {
		below = 64 - high
		word = c[1]<<high | c[0]>>below
		if c[0]<<high != 0 {
			word |= 1 // so that the conversion knows of what lies below
		}
	}
	return math.Ldexp(float64(word), below-shift)
}

// tallyOf counts rows by class, with a threshold for two. It is not ok without weight, and where the prediction of
// a row with weight is NaN.
func tallyOf(in *Input, threshold float64) (t tally, ok bool) {
	k := max(in.Outputs, 2)
	cells, _, ok := count(in, threshold, 3*k, false)
	list := make([]float64, len(cells))
	var total, wrong counter
	for i, c := range cells {
		list[i] = c.float(0)
		switch {
		case i < k:
			total.add(c)
			wrong.add(c)
		case i >= 2*k:
			wrong.subtract(c)
		}
	}
	return tally{list[:k], list[k : 2*k], list[2*k:], total.float(0), wrong.float(0)}, ok
}

// Confusion returns the weight of the rows by label and predicted class: entry label·K + class of K×K, where K is the
// number of classes. Of two classes the positive one is predicted where its probability is above the threshold. It is
// not ok without weight, and where the prediction of a row with weight is NaN.
func Confusion(in Input, threshold float64) (weights []float64, ok bool) {
	k := max(in.Outputs, 2)
	cells, shift, ok := count(&in, threshold, k*k, true)
	weights = make([]float64, len(cells))
	for i, c := range cells {
		weights[i] = c.float(shift)
	}
	return weights, ok
}

// count counts every row with weight in so many cells, which are units of weight times 2^shift. It is not ok
// where there is none, or where one has NaN for a prediction.
func count(in *Input, threshold float64, cells int, pairs bool) (all []counter, shift int, ok bool) {
	t := &countTask{in: in, threshold: threshold, classes: max(in.Outputs, 2), pairs: pairs, parts: make([]countPart, threadsOf(in.Pool))}
	if in.Weights != nil {
		t.shift = stepShift(in.Weights)
	}
	for i := range t.parts {
		t.parts[i].cells = make([]counter, cells)
	}
	run(in.Pool, parallel.Blocks(len(in.Labels), blockRows), t)
	all = t.parts[0].cells
	isNaN, any := false, false
	for i, part := range t.parts {
		isNaN, any = isNaN || part.isNaN, any || part.any
		if i > 0 {
			for at, c := range part.cells {
				all[at].add(c)
			}
		}
	}
	return all, t.shift, any && !isNaN
}

// countTask counts the rows of one block. A worker has cells of its own: which blocks it got does not show, because
// whole numbers are added.
type countTask struct {
	in        *Input
	threshold float64
	shift     int
	classes   int
	pairs     bool // cells are label × predicted class, else three lists: label, predicted class, both
	parts     []countPart
}

type countPart struct {
	cells      []counter
	any, isNaN bool
	guesses    [blockRows]int32
}

func (t *countTask) Run(worker, index int) {
	part, k := &t.parts[worker], t.classes
	cells := part.cells
	lo, hi := parallel.Block(index, len(t.in.Labels), blockRows)
	guesses := part.guesses[:hi-lo]
	guessClasses(t.in, t.threshold, lo, hi, guesses)
	for i, guess := range guesses {
		weight := counter{1}
		if t.in.Weights != nil {
			weight[0] = uint64(steps(t.in.Weights[lo+i], t.shift))
		}
		if weight == (counter{}) {
			continue
		}
		part.any = true
		label, class := 0, int(guess)
		switch y := t.in.Labels[lo+i]; {
		case t.in.Outputs > 1:
			label = int(y)
		case y == 1: // as in auc, any other number is the negative class
			label = 1
		}
		switch {
		case class < 0:
			part.isNaN = true
		case t.pairs:
			cells[label*k+class].add(weight)
		default:
			cells[label].add(weight)
			cells[k+class].add(weight)
			if label == class {
				cells[2*k+label].add(weight)
			}
		}
	}
}

// guessClasses writes the predicted classes of rows lo … hi-1 to out, -1 where a prediction is NaN.
func guessClasses(in *Input, threshold float64, lo, hi int, out []int32) {
	if in.Outputs == 1 {
		for i, p := range in.Values[lo:hi] {
			switch {
			case math.IsNaN(p):
				out[i] = -1
			case p > threshold:
				out[i] = 1
			default:
				out[i] = 0
			}
		}
		return
	}
	n := len(in.Labels)
	for i := range out {
		best, at := in.Values[lo+i], int32(0)
		for c := 1; c < in.Outputs; c++ {
			if p := in.Values[c*n+lo+i]; p > best || math.IsNaN(p) {
				best, at = p, int32(c)
			}
		}
		if math.IsNaN(best) {
			at = -1
		}
		out[i] = at
	}
}
