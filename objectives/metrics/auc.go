package metrics

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"sync"

	"boost/parallel"
)

var aucInfo = Info{
	Name:    "auc",
	Aliases: []string{"roc_auc"},
	Links:   []string{logistic},
	build:   func(string, []float64) Metric { return auc{} },
}

// auc is the area under the receiver operating characteristic: the share of the
// weight of pairs (positive row, negative row) that the predictions order rightly,
// pairs of equal predictions counting half. It is NaN where a class has no weight
// and where a prediction is NaN.
//
// Weights are taken as whole multiples of a step, 2^-53 of the power of two above the
// largest of them, where whole numbers and float32 weights of like size lose nothing.
// The weight of pairs is then a sum of integers, exact in any order, and the ratio
// is rounded once.
type auc struct{}

func (auc) Name() string         { return "auc" }
func (auc) HigherIsBetter() bool { return true }

// ranked is a row: the bits of its prediction, made to compare like the number,
// and its weight in steps, negative for a row of the negative class.
type ranked struct {
	key   uint64
	count int64
}

const nanKey = math.MaxUint64

// rankBuffers keeps the rows' memory between rounds.
var rankBuffers = sync.Pool{New: func() any { return new(rankBuffer) }}

type rankBuffer struct {
	rows, spare []ranked
	at          [][digits]uint32 // of a radixSort
}

// takeRankBuffer returns memory for n rows, to be put back.
func takeRankBuffer(n int) *rankBuffer {
	buffer := rankBuffers.Get().(*rankBuffer)
	if cap(buffer.rows) < n {
		buffer.rows, buffer.spare = make([]ranked, n), make([]ranked, n)
	}
	return buffer
}

func (auc) Eval(in Input) float64 {
	if in.Outputs != 1 {
		return math.NaN()
	}
	buffer := takeRankBuffer(len(in.Labels))
	defer rankBuffers.Put(buffer)
	return areaOf(buffer.rank(&in, in.Values, 1), in.Weights)
}

// rank returns the rows sorted by these values, those of other labels than the class with negative counts.
func (b *rankBuffer) rank(in *Input, values []float64, class float64) []ranked {
	n := len(in.Labels)
	run(in.Pool, parallel.Blocks(n, blockRows), &rankTask{in, values, class, b.rows[:n], stepShift(in.Weights)})
	return b.sort(n, in.Pool)
}

// areaOf returns the area of sorted rows, NaN where there are none and where a value is NaN.
func areaOf(sorted []ranked, weights []float64) float64 {
	n := len(sorted)
	if n == 0 || sorted[n-1].key == nanKey {
		return math.NaN()
	}
	if weights == nil {
		return countedArea(sorted)
	}
	return area(sorted)
}

// stepShift returns s such that every weight times 2^s stays below 2^53.
func stepShift(weights []float64) int {
	largest := 0.0
	for _, w := range weights {
		largest = max(largest, w)
	}
	_, exponent := math.Frexp(largest)
	return 53 - exponent
}

// steps returns a weight as a number of steps.
func steps(weight float64, shift int) int64 {
	return int64(math.RoundToEven(math.Ldexp(weight, shift)))
}

// rankTask fills one block of rows.
type rankTask struct {
	in     *Input
	values []float64
	class  float64 // label of the rows of the positive class
	rows   []ranked
	shift  int
}

func (t *rankTask) Run(_, index int) {
	lo, hi := parallel.Block(index, len(t.rows), blockRows)
	for i := lo; i < hi; i++ {
		row := ranked{key: order(t.values[i]), count: 1}
		if t.in.Weights != nil {
			row.count = steps(t.in.Weights[i], t.shift)
			if row.count == 0 {
				row.key = 0 // a NaN without weight does not count
			}
		}
		if t.in.Labels[i] != t.class {
			row.count = -row.count
		}
		t.rows[i] = row
	}
}

// order maps numbers to integers that compare alike; -0 becomes 0, NaN comes last.
func order(x float64) uint64 {
	if math.IsNaN(x) {
		return nanKey
	}
	b := math.Float64bits(x + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// countedArea is area of less than 2^31 rows of weight 1, whose pairs are counted in 64 bits.
func countedArea(rows []ranked) float64 {
	var positives, negatives, twice uint64
	for i := 0; i < len(rows); {
		up, down := uint64(0), uint64(0)
		for key := rows[i].key; i < len(rows) && rows[i].key == key; i++ {
			negative := uint64(rows[i].count) >> 63
			down += negative
			up += 1 - negative
		}
		twice += up * (2*negatives + down)
		positives += up
		negatives += down
	}
	return ratio(wide{twice}, wide{positives}, wide{negatives})
}

// area goes through the rows by ascending prediction, ties together.
func area(rows []ranked) float64 {
	var positives, negatives, zero wide // below the ties at hand
	var twice wide                      // twice the weight of the pairs in order
	for i := 0; i < len(rows); {
		up, down := zero, zero
		for key := rows[i].key; i < len(rows) && rows[i].key == key; i++ {
			if c := rows[i].count; c > 0 {
				up.add(wide{uint64(c)})
			} else {
				down.add(wide{uint64(-c)})
			}
		}
		below := down
		below.add(negatives)
		below.add(negatives)
		twice.addProduct(up, below)
		positives.add(up)
		negatives.add(down)
	}
	return ratio(twice, positives, negatives)
}

// ratio returns twice / (2 · positives · negatives), rounded once, NaN without pairs.
func ratio(twice, positives, negatives wide) float64 {
	if positives == (wide{}) || negatives == (wide{}) {
		return math.NaN()
	}
	pairs := new(big.Int).Mul(positives.big(), negatives.big())
	share, _ := new(big.Rat).SetFrac(twice.big(), pairs.Lsh(pairs, 1)).Float64()
	return share
}

// wide is a whole number of 192 bits, the lowest word first. 2^32 rows of less than
// 2^53 steps stay below 2^85, twice as much below 2^86, and pairs below 2^171.
type wide [3]uint64

func (w *wide) add(x wide) {
	var carry uint64
	w[0], carry = bits.Add64(w[0], x[0], 0)
	w[1], carry = bits.Add64(w[1], x[1], carry)
	w[2], _ = bits.Add64(w[2], x[2], carry)
}

// compare returns -1, 0 or 1 as w is less than, equal to or more than x.
func (w wide) compare(x wide) int {
	for i := len(w) - 1; i > 0; i-- {
		if w[i] != x[i] {
			return cmp.Compare(w[i], x[i])
		}
	}
	return cmp.Compare(w[0], x[0])
}

// addProduct adds x·y, both below 2^128 and their product below 2^192.
func (w *wide) addProduct(x, y wide) {
	var p wide
	p[1], p[0] = bits.Mul64(x[0], y[0])
	p[2] = x[1] * y[1]
	w.add(p)
	if x[1] != 0 {
		hi, lo := bits.Mul64(x[1], y[0])
		w.add(wide{0, lo, hi})
	}
	if y[1] != 0 {
		hi, lo := bits.Mul64(x[0], y[1])
		w.add(wide{0, lo, hi})
	}
}

func (w wide) big() *big.Int {
	n := new(big.Int)
	for i := len(w) - 1; i >= 0; i-- {
		n.Lsh(n, 64)
		n.Or(n, new(big.Int).SetUint64(w[i]))
	}
	return n
}
