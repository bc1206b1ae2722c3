package ptq

import (
	"fmt"
	"math"

	"boost/internal/detmath"
)

// Errors says how far a version is from the values that it stands for.
type Errors struct {
	// Max is the largest |value − version's|, never below the true one: a difference that
	// float64 cannot hold is rounded up.
	Max float64
	// Squared is the sum of the squares, and of nothing else: no weights, no mean.
	Squared float64
	// ByGroup is the largest in each group.
	ByGroup []float64
}

// Errors returns what Measure found when the version was made, by the groups of its
// calibration; false if it came from a file.
func (v *Version) Errors() (Errors, bool) {
	if v.errors == nil {
		return Errors{}, false
	}
	return *v.errors, true
}

// Measure compares the version with values, by groups of its caller's: a model's trees
// even where all of them share a scale. Errors: ErrGroups if there are not as many values
// or the groups do not divide them; ErrNotFinite; ErrOverflow if a value of the version is
// not finite.
func (v *Version) Measure(values []float64, groups *Groups) (Errors, error) {
	return measure(v, values, groups)
}

func measure(v Values, values []float64, groups *Groups) (Errors, error) {
	if len(values) != v.Len() {
		return Errors{}, ErrGroups{fmt.Sprintf("measure: %d values for a version of %d", len(values), v.Len())}
	}
	if err := groups.check(v.Len()); err != nil {
		return Errors{}, err
	}
	e := Errors{ByGroup: make([]float64, groups.Count())}
	var squares detmath.Sum
	var buffer [256]float64
	from := 0
	for span := range groups.spans() {
		end, worst := groups.end(span, v.Len()), 0.0
		for from < end {
			run := values[from:min(end, from+len(buffer))]
			v.DecodeRange(buffer[:len(run)], from)
			for i, x := range run {
				d := gap(x, buffer[i])
				if !(d <= math.MaxFloat64) {
					return Errors{}, cannotMeasure(v.Form(), from+i, x)
				}
				worst = max(worst, d)
				squares.AddWeighted(d, d)
			}
			from += len(run)
		}
		at := &e.ByGroup[groups.Of(span)]
		*at = max(*at, worst)
		e.Max = max(e.Max, worst)
	}
	e.Squared = squares.Round()
	return e, nil
}

func cannotMeasure(form Form, i int, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ErrNotFinite{i, x}
	}
	return ErrOverflow{form, i, x}
}

// gap returns |a − b|, rounded up.
func gap(a, b float64) float64 {
	d := a - b
	// What the difference lost in rounding (Knuth, The Art of Computer Programming 2,
	// §4.2.2): of the same sign, the true one is larger.
	back := d - a
	lost := (a - (d - back)) - (b + back)
	if lost > 0 && d > 0 || lost < 0 && d < 0 {
		return math.Nextafter(math.Abs(d), math.Inf(1))
	}
	return math.Abs(d)
}
