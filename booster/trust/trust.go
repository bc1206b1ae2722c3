package trust

import (
	"errors"
	"fmt"
	"math"
)

// Trust is what rows that did not train a model say about its predictions. What is absent changes nothing.
type Trust struct {
	Calibration *Calibration // of probabilities; nil where they stay as they are
	Threshold   float64      // the positive of two classes is predicted above it; 0 means 0.5
	Intervals   *Intervals   // nil for none

	Rows        int    // that it was made from
	Fingerprint string // of their table
}

// Half is the threshold of two classes that cost the same.
const Half = 0.5

// PositiveAbove returns the probability above which the positive of two classes is predicted. t may be nil.
func (t *Trust) PositiveAbove() float64 {
	if t == nil || t.Threshold == 0 {
		return Half
	}
	return t.Threshold
}

// ChangesValues reports whether probabilities or classes differ from those without it. t may be nil.
func (t *Trust) ChangesValues() bool {
	return t != nil && (t.Calibration != nil || t.Threshold != 0)
}

// Check returns what is wrong with it for a model of so many outputs and classes. Of two classes there is one output.
func (t *Trust) Check(outputs, classes int) error {
	switch {
	case t.Calibration == nil && t.Threshold == 0 && t.Intervals == nil:
		return errors.New("nothing is calibrated")
	case t.Rows < 1:
		return fmt.Errorf("calibrated on %d rows", t.Rows)
	case t.Threshold != 0 && (outputs != 1 || classes != 2):
		return fmt.Errorf("a threshold for %d classes: only two have one", classes)
	case !(t.Threshold >= 0 && t.Threshold < 1):
		return fmt.Errorf("threshold %v is not a probability between 0 and 1", t.Threshold)
	}
	if t.Calibration != nil {
		if classes == 0 {
			return errors.New("a calibration of probabilities for a model without classes")
		}
		if err := t.Calibration.check(outputs); err != nil {
			return err
		}
	}
	if t.Intervals != nil {
		return t.Intervals.check(outputs, classes)
	}
	return nil
}

// CostThreshold returns the probability above which predicting the positive class costs least on average, where a false
// positive and a false negative cost so much and what is right costs nothing: FP / (FP + FN) (Elkan, "The foundations of
// cost-sensitive learning", 2001, §2.2). Costs that are not finite and above 0 are an error.
func CostThreshold(falsePositive, falseNegative float64) (float64, error) {
	for _, cost := range []float64{falsePositive, falseNegative} {
		if !(cost > 0 && cost <= math.MaxFloat64) {
			return 0, fmt.Errorf("a mistake costs %v: expected a number above 0", cost)
		}
	}
	sum := falsePositive + falseNegative
	if math.IsInf(sum, 1) {
		falsePositive, sum = float64(falsePositive/2), float64(falsePositive/2)+float64(falseNegative/2)
	}
	threshold := falsePositive / sum
	if threshold == 0 || threshold == 1 {
		return 0, fmt.Errorf("costs of %v and %v are too far apart: their threshold is %v", falsePositive, falseNegative, threshold)
	}
	return threshold, nil
}
