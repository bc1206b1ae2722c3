package ptq

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"boost/internal/near"
)

// Method is a way to choose the scale of values.
type Method uint8

const (
	// Default is AbsMax for types with a scale and None for the others.
	Default Method = iota
	// None has no scale: values are rounded as they are. For floating-point types;
	// FP8 and FP4 then saturate, wider ones refuse values beyond their range.
	None
	// AbsMax is the smallest scale with which no value is clamped: the largest magnitude
	// over the type's largest number (S4.14). Unsigned types go from the smallest
	// to the largest value (S4.8). Binary takes the mean magnitude, its least-squares
	// scale (S4.13).
	AbsMax
	// Percentile is AbsMax of the values up to a percentile of their magnitudes; those
	// beyond are clamped (S4.15). Unsigned types lose half of the rest on either side.
	Percentile
	// MSE is the scale of the least squared error that a fixed search finds: never a
	// greater one than with AbsMax (S4.15).
	MSE
	// Given is a scale, and for unsigned types an offset, of the caller's (S4.18).
	Given
)

var methods = [...]string{Default: "default", None: "none", AbsMax: "absmax", Percentile: "percentile", MSE: "mse", Given: "given"}

// String returns the method's name, as ParseMethod reads it.
func (m Method) String() string {
	if int(m) >= len(methods) {
		return fmt.Sprintf("Method(%d)", uint8(m))
	}
	return methods[m]
}

// ParseMethod returns the method of a name: default, none, absmax, percentile, mse, given;
// case does not count. Any other word is ErrCalibration.
func ParseMethod(name string) (Method, error) {
	for m, known := range methods {
		if strings.EqualFold(name, known) {
			return Method(m), nil
		}
	}
	return 0, ErrCalibration{fmt.Sprintf("%q is no method%s: there are %s", name,
		near.Question(near.Words(name, methods[:])), strings.Join(methods[:], ", "))}
}

// Calibration is how scales are chosen. The zero value is the default of every type: one
// scale for all values by AbsMax, or none. Two versions of one type differ where their
// calibrations do.
type Calibration struct {
	Method Method
	// Percent is Percentile's, above 0 to 100: the share of weight whose magnitudes are
	// not clamped. 100 is AbsMax.
	Percent float64
	// Scale and Offset are Given's: Scale above 0, Offset for unsigned types only.
	Scale, Offset float64
	// Groups have a scale each. nil: one for all values.
	Groups *Groups
	// Weights count in Percentile and MSE; other methods leave them aside.
	Weights *Weights
	// Float32Scales rounds scales to float32, so that a file keeps each in 4 bytes. Over
	// a float32 master they always are. Unsigned types keep float64.
	Float32Scales bool
}

// String describes the calibration in a few words, as "percentile 99.9, 31 groups".
func (c Calibration) String() string {
	var text strings.Builder
	text.WriteString(c.Method.String())
	number := func(x float64) { text.WriteString(" " + strconv.FormatFloat(x, 'g', -1, 64)) }
	switch c.Method {
	case Percentile:
		number(c.Percent)
	case Given:
		number(c.Scale)
		if c.Offset != 0 {
			text.WriteString(" from")
			number(c.Offset)
		}
	}
	if c.Groups != nil {
		fmt.Fprintf(&text, ", %d groups", c.Groups.Count())
	}
	if c.Weights != nil {
		text.WriteString(", weighted")
	}
	if c.Float32Scales {
		text.WriteString(", float32 scales")
	}
	return text.String()
}

// Resolve returns what the calibration means for n values of a type: the default method by
// its name, and without what plays no part, so that equal calibrations are equal. Errors:
// ErrDType; ErrGroups if groups or weights are of another number of values; ErrCalibration
// if a method makes no sense for the type or lacks what it needs.
func (c Calibration) Resolve(d DType, n int) (Calibration, error) {
	if err := d.check(); err != nil {
		return c, err
	}
	if err := c.Groups.check(n); err != nil {
		return c, err
	}
	if c.Weights != nil && len(c.Weights.of) != n {
		return c, ErrGroups{fmt.Sprintf("weights: %d for %d values: expected one for each", len(c.Weights.of), n)}
	}
	kind := types[d].kind
	if c.Method == Default {
		c.Method = AbsMax
		if kind == float {
			c.Method = None
		}
	}
	if err := c.suits(d); err != nil {
		return c, err
	}
	if d == F64 {
		c.Groups = nil // no errors that could differ by group
	}
	if c.Method != Percentile && c.Method != MSE {
		c.Weights = nil
	}
	if c.Method == None || kind == affine {
		c.Float32Scales = false
	}
	return c, c.numbers(d)
}

// suits reports whether the method makes sense for the type.
func (c *Calibration) suits(d DType) error {
	kind := types[d].kind
	switch {
	case int(c.Method) >= len(methods):
		return ErrCalibration{fmt.Sprintf("there is no method %d", uint8(c.Method))}
	case c.Method == None && kind != float && kind != scaled:
		return ErrCalibration{fmt.Sprintf("%s needs a scale: choose absmax, or give a scale of 1 for whole numbers", d)}
	case c.Method != None && kind == float:
		return ErrCalibration{fmt.Sprintf("%s has no scale, so that %s makes no sense: choose none", d, c.Method)}
	case c.Method == Percentile && kind == signs:
		return ErrCalibration{fmt.Sprintf("%s clamps nothing, so that a percentile makes no sense: choose absmax, which takes the mean magnitude", d)}
	}
	return nil
}

// numbers checks the method's numbers, and rounds a given scale that is kept in 4 bytes.
func (c *Calibration) numbers(d DType) error {
	switch c.Method {
	case Percentile:
		if !(c.Percent > 0 && c.Percent <= 100) {
			return ErrCalibration{fmt.Sprintf("percentile %v: expected above 0 to 100", c.Percent)}
		}
	case Given:
		if c.Float32Scales {
			c.Scale = float64(float32(c.Scale))
		}
		if !(c.Scale > 0 && c.Scale*types[d].largest <= math.MaxFloat64) {
			return ErrCalibration{fmt.Sprintf("scale %v: expected a number above 0 whose product with %s's largest, %v, is finite", c.Scale, d, types[d].largest)}
		}
		if math.IsNaN(c.Offset) || math.IsInf(c.Offset, 0) || c.Offset != 0 && types[d].kind != affine {
			return ErrCalibration{fmt.Sprintf("offset %v for %s: expected 0, or for an unsigned type a finite number", c.Offset, d)}
		}
	}
	if c.Percent != 0 && c.Method != Percentile {
		return ErrCalibration{fmt.Sprintf("percentile %v with method %s: choose method percentile, or leave it 0", c.Percent, c.Method)}
	}
	if (c.Scale != 0 || c.Offset != 0) && c.Method != Given {
		return ErrCalibration{fmt.Sprintf("scale %v and offset %v with method %s: choose method given, or leave them 0", c.Scale, c.Offset, c.Method)}
	}
	return nil
}

// equal compares resolved calibrations.
func (c *Calibration) equal(o *Calibration) bool {
	return c.Method == o.Method && c.Percent == o.Percent && c.Scale == o.Scale && c.Offset == o.Offset &&
		c.Float32Scales == o.Float32Scales && c.Groups.equal(o.Groups) && c.Weights.equal(o.Weights)
}
