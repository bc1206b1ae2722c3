package trust

import (
	"fmt"
	"math"
	"slices"

	"boost/internal/detmath"
)

// Method is how probabilities are calibrated.
type Method string

// The methods. Auto is the one of the others with the lowest log loss on rows that it was not fitted to.
const (
	Auto      Method = "auto"
	None      Method = "none"
	Platt     Method = "platt"
	Beta      Method = "beta"
	Isotonic  Method = "isotonic"
	VennAbers Method = "venn-abers"
)

// Methods returns all methods, Auto first, the others from the simplest on.
func Methods() []Method { return []Method{Auto, None, Platt, Beta, Isotonic, VennAbers} }

// candidates are the methods that Auto chooses from.
func candidates(outputs int) []Method {
	if outputs == 1 {
		return Methods()[1:]
	}
	return []Method{None, Platt, Isotonic}
}

// Calibration makes better probabilities of a model's. All methods but Beta start from the log-odds of a probability,
//
//	s = ln(p / (1 − p))
//
// and count what is beyond ±36 as 36, where float64 probabilities end. With more than two classes each is calibrated against
// the others together, and the results are divided by their sum (Zadrozny and Elkan 2002).
type Calibration struct {
	Method Method
	Maps   []Map // of the positive class, or one for each class
}

// Map is the calibration of one output.
//
//	platt       1 / (1 + exp(−(a·s + b))), Coefficients a, b
//	beta        1 / (1 + exp(−(a·ln p − b·ln(1−p) + c))), Coefficients a, b, c; a and b are not below 0
//	isotonic    Values[i] at s = Knots[i], linear between knots, constant outside
//	venn-abers  Values[i] for Knots[i−1] ≤ s < Knots[i]; one value more than knots
type Map struct {
	Coefficients []float64
	Knots        []float64 // ascending
	Values       []float64 // probabilities
}

// MostNumbers is how many numbers the maps of a calibration have at most, all together.
const MostNumbers = 1 << 19

// Numbers returns how many numbers the map has.
func (m *Map) Numbers() int { return len(m.Coefficients) + len(m.Knots) + len(m.Values) }

// farthest is the log-odds that are not told apart from larger ones: 1 − 2^-53 has 36.7.
const farthest = 36

// mostInPlace is the number of outputs up to which Apply allocates nothing.
const mostInPlace = 32

// logOdds returns ln(p/q) of a probability and that of the opposite.
func logOdds(p, q float64) float64 {
	if p <= 0 || q <= 0 {
		return math.Copysign(farthest, p-q)
	}
	return min(max(detmath.Log(p)-detmath.Log(q), -farthest), farthest)
}

// Apply calibrates the probabilities of rows lo … hi−1, in place. values are output-major, outputs × n: entry output·n + row.
// Of two classes there is one output, the probability of the positive one.
func (c *Calibration) Apply(outputs int, values []float64, lo, hi, n int) {
	if outputs == 1 {
		for i, p := range values[lo:hi] {
			values[lo+i] = c.Maps[0].at(c.Method, logOdds(p, 1-p))
		}
		return
	}
	var memory [2 * mostInPlace]float64
	row, rest := memory[:mostInPlace], memory[mostInPlace:]
	if outputs > mostInPlace {
		row, rest = make([]float64, outputs), make([]float64, outputs)
	}
	row, rest = row[:outputs], rest[:outputs]
	for i := lo; i < hi; i++ {
		for k := range row {
			row[k] = values[k*n+i]
		}
		oneVsRest(row, rest)
		sum := 0.0
		for k, s := range row {
			row[k] = c.Maps[k].at(c.Method, s)
			sum += row[k]
		}
		for k, p := range row {
			if values[k*n+i] = 1 / float64(outputs); sum > 0 {
				values[k*n+i] = p / sum
			}
		}
	}
}

// oneVsRest writes the log-odds of each class of a row over its probability. Those of the others are added, because 1 − p
// would have lost them where p is near 1. rest is memory of the same length.
func oneVsRest(row, rest []float64) {
	after := 0.0
	for k := len(row) - 1; k >= 0; k-- {
		rest[k] = after
		after += row[k]
	}
	before := 0.0
	for k, p := range row {
		row[k] = logOdds(p, before+rest[k])
		before += p
	}
}

// at returns the calibrated probability at log-odds s.
func (m *Map) at(method Method, s float64) float64 {
	switch method {
	case Platt:
		return detmath.Sigmoid(float64(m.Coefficients[0]*s) + m.Coefficients[1])
	case Beta:
		lnP, lnQ := logBoth(s)
		return detmath.Sigmoid(float64(m.Coefficients[0]*lnP) - float64(m.Coefficients[1]*lnQ) + m.Coefficients[2])
	case Isotonic:
		return m.between(s)
	}
	at, found := slices.BinarySearch(m.Knots, s)
	if found {
		at++
	}
	return m.Values[at]
}

// logBoth returns ln p and ln(1−p) of log-odds.
func logBoth(s float64) (p, q float64) {
	return -softplus(-s), -softplus(s)
}

// softplus returns ln(1 + exp(x)).
func softplus(x float64) float64 {
	return max(x, 0) + detmath.Log1p(detmath.Exp(-math.Abs(x)))
}

// between interpolates.
func (m *Map) between(s float64) float64 {
	at, found := slices.BinarySearch(m.Knots, s)
	switch last := len(m.Knots) - 1; {
	case found:
		return m.Values[at]
	case at == 0:
		return m.Values[0]
	case at > last:
		return m.Values[last]
	}
	low, high := m.Values[at-1], m.Values[at]
	part := (s - m.Knots[at-1]) / (m.Knots[at] - m.Knots[at-1])
	return min(low+float64(part*(high-low)), high)
}

// check returns what is wrong with a calibration of a model of so many outputs.
func (c *Calibration) check(outputs int) error {
	if c.Method == None || !slices.Contains(candidates(outputs), c.Method) {
		return fmt.Errorf("calibration %q of %d outputs is unknown", c.Method, outputs)
	}
	if len(c.Maps) != outputs {
		return fmt.Errorf("calibration of %d outputs for %d", len(c.Maps), outputs)
	}
	numbers := 0
	for k := range c.Maps {
		if numbers += c.Maps[k].Numbers(); numbers > MostNumbers {
			return fmt.Errorf("calibration of more than %d numbers", MostNumbers)
		}
		if err := c.Maps[k].check(c.Method); err != nil {
			return fmt.Errorf("calibration %s of output %d: %w", c.Method, k, err)
		}
	}
	return nil
}

// check returns what is wrong with a map.
func (m *Map) check(method Method) error {
	coefficients, values := map[Method]int{Platt: 2, Beta: 3}[method], 0
	switch method {
	case Isotonic:
		values = max(len(m.Knots), 1)
	case VennAbers:
		values = len(m.Knots) + 1
	}
	if len(m.Coefficients) != coefficients || len(m.Values) != values || values == 0 && len(m.Knots) > 0 {
		return fmt.Errorf("%d coefficients, %d knots and %d values", len(m.Coefficients), len(m.Knots), len(m.Values))
	}
	for _, v := range slices.Concat(m.Coefficients, m.Knots) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%v is no number", v)
		}
	}
	for i, v := range m.Values {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("%v is no probability", v)
		}
		if method == Isotonic && i > 0 && v < m.Values[i-1] {
			return fmt.Errorf("probability %v comes after %v", v, m.Values[i-1])
		}
	}
	for i := 1; i < len(m.Knots); i++ {
		if !(m.Knots[i] > m.Knots[i-1]) {
			return fmt.Errorf("knot %v comes after %v", m.Knots[i], m.Knots[i-1])
		}
	}
	return nil
}
