package metrics

import (
	"math"
	"math/big"
	"math/bits"
	"sync"

	"boost/parallel"
)

// auc is the area under the receiver operating characteristic: the share of the
// weight of pairs (positive row, negative row) that the predictions order rightly,
// pairs of equal predictions counting half. It is NaN where a class has no weight
// and where a prediction is NaN.
//
// Weights are taken as whole numbers of a step of at most 2^-62·n·(largest weight):
// pair weights are then sums of integers, exact in any order, and the ratio is
// rounded once. Whole-number weights and most others are exact in that step too.
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

type rankBuffer struct{ rows, spare []ranked }

func (auc) Eval(in Input) float64 {
	if in.Outputs != 1 {
		return math.NaN()
	}
	n := len(in.Labels)
	buffer := rankBuffers.Get().(*rankBuffer)
	defer rankBuffers.Put(buffer)
	if cap(buffer.rows) < n {
		buffer.rows, buffer.spare = make([]ranked, n), make([]ranked, n)
	}
	rows := buffer.rows[:n]
	run(in.Pool, parallel.Blocks(n, blockRows), &rankTask{in: &in, rows: rows, shift: stepShift(in.Weights)})
	return area(sortRanked(rows, buffer.spare[:n], in.Pool))
}

// stepShift returns s such that the sum of all weights times 2^s stays below 2^62.
func stepShift(weights []float64) int {
	largest := 0.0
	for _, w := range weights {
		largest = max(largest, w)
	}
	_, exponent := math.Frexp(largest)
	return 62 - exponent - bits.Len(uint(len(weights)))
}

// rankTask fills one block of rows.
type rankTask struct {
	in    *Input
	rows  []ranked
	shift int
}

func (t *rankTask) Run(_, index int) {
	lo, hi := parallel.Block(index, len(t.rows), blockRows)
	for i := lo; i < hi; i++ {
		row := ranked{key: order(t.in.Values[i]), count: 1}
		if t.in.Weights != nil {
			row.count = int64(math.RoundToEven(math.Ldexp(t.in.Weights[i], t.shift)))
			if row.count == 0 {
				row.key = 0 // a NaN without weight does not count
			}
		}
		if t.in.Labels[i] != 1 {
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

// area goes through the rows by ascending prediction, ties together.
func area(rows []ranked) float64 {
	if len(rows) == 0 || rows[len(rows)-1].key == nanKey {
		return math.NaN()
	}
	var positives, negatives uint64 // below the ties at hand
	var twiceHi, twiceLo uint64     // twice the weight of the pairs in order
	for i := 0; i < len(rows); {
		var up, down uint64
		for key := rows[i].key; i < len(rows) && rows[i].key == key; i++ {
			if c := rows[i].count; c > 0 {
				up += uint64(c)
			} else {
				down += uint64(-c)
			}
		}
		// All sums stay below 2^62, so this factor is below 2^63 and the total below 2^125.
		hi, lo := bits.Mul64(up, 2*negatives+down)
		var carry uint64
		twiceLo, carry = bits.Add64(twiceLo, lo, 0)
		twiceHi += hi + carry
		positives += up
		negatives += down
	}
	if positives == 0 || negatives == 0 {
		return math.NaN()
	}
	inOrder := new(big.Int).Lsh(new(big.Int).SetUint64(twiceHi), 64)
	inOrder.Add(inOrder, new(big.Int).SetUint64(twiceLo))
	pairs := new(big.Int).Mul(new(big.Int).SetUint64(positives), new(big.Int).SetUint64(2*negatives))
	share, _ := new(big.Rat).SetFrac(inOrder, pairs).Float64()
	return share
}
