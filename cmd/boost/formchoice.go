package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"boost/booster/model"
	"boost/internal/near"
	"boost/ptq"
	"boost/ptq/compress"
)

// formChoice is what a compressed model may be stored in: flags of quantize, or keys of
// [quantize]. The names are what messages call them.
type formChoice struct {
	forms                                       []ptq.Form
	calibrate, by                               string
	typesName, tiersName, calibrateName, byName string

	calibration compress.Calibration // less the weights of leaves
}

// tierNames are the names of tiers.
func tierNames() []string {
	var names []string
	for _, form := range ptq.Tiers() {
		names = append(names, form.String())
	}
	return names
}

// addTypes adds data types and Q4_0 by name.
func (c *formChoice) addTypes(names []string) error {
	for _, name := range names {
		form, err := ptq.ParseForm(name)
		if err == nil && slices.Contains(ptq.Tiers(), form) {
			err = fmt.Errorf("%s is a tier: use %s", name, c.tiersName)
		}
		if err != nil {
			return usagef("%s: %v", c.typesName, err)
		}
		c.forms = append(c.forms, form)
	}
	return nil
}

// addTiers adds tiers by name.
func (c *formChoice) addTiers(names []string) error {
	for _, name := range names {
		form, err := ptq.ParseForm(name)
		if err != nil || !slices.Contains(ptq.Tiers(), form) {
			return usagef("%s: there is no tier %q%s: there are %s", c.tiersName, name, near.Question(near.Words(name, tierNames())), strings.Join(tierNames(), ", "))
		}
		c.forms = append(c.forms, form)
	}
	return nil
}

// named reports whether there are forms; without any, all that are worth it are tried.
func (c *formChoice) named() bool { return c.forms != nil }

// check reads how scales are chosen, and refuses what makes no sense for the forms.
func (c *formChoice) check() (err error) {
	if c.calibration.By, err = compress.ParseGranularity(c.by); err != nil {
		return usagef("%s: %v", c.byName, err)
	}
	c.calibration.Float32Scales = c.calibration.By == compress.ByTree || c.calibration.By == compress.ByBlock
	if c.calibrate != "" {
		if err := c.method(); err != nil {
			return err
		}
	}
	typed := slices.ContainsFunc(c.forms, func(f ptq.Form) bool { _, is := f.DType(); return is })
	if !typed && (c.calibrate != "" || c.calibration.By != compress.ByOutput) {
		return usagef("%s and %s are about the scales of data types, as I8, and none is named with %s: Q4_0 and tiers have a scale in each block",
			c.calibrateName, c.byName, c.typesName)
	}
	for _, form := range c.forms {
		if _, is := form.DType(); !is {
			continue
		}
		_, err := ptq.Encode(form, ptq.Calibration{Method: c.calibration.Method, Percent: c.calibration.Percent}, []float64{-1, 1}, nil)
		if errors.As(err, new(ptq.ErrCalibration)) {
			return usagef("%s: %v", c.calibrateName, err)
		}
	}
	return nil
}

// method reads calibrate.
func (c *formChoice) method() (err error) {
	name, percent, has := strings.Cut(c.calibrate, ":")
	if c.calibration.Method, err = ptq.ParseMethod(name); err != nil || c.calibration.Method == ptq.Given {
		return usagef("%s must be absmax, mse, percentile:P or none, not %q", c.calibrateName, c.calibrate)
	}
	if has != (c.calibration.Method == ptq.Percentile) {
		return usagef("%s percentile needs a percentage, as percentile:99.9, and nothing else takes one: %q", c.calibrateName, c.calibrate)
	}
	if has {
		if c.calibration.Percent, err = strconv.ParseFloat(percent, 64); err != nil {
			return usagef("%s: %q is no percentage", c.calibrateName, percent)
		}
	}
	return nil
}

// formats returns what there is to choose from for a model; nil: all that are worth it.
func (c *formChoice) formats(m *model.Model) ([]compress.Format, error) {
	calibration := c.calibration
	if by := calibration.Method; (by == ptq.MSE || by == ptq.Percentile) && m.HasStatistics() {
		narrow, err := m.Narrowed(model.NameKnown)
		if err != nil {
			return nil, err
		}
		if calibration.Weights, err = compress.CoverWeights(narrow); err != nil {
			return nil, err
		}
	}
	var formats []compress.Format
	for _, form := range c.forms {
		format := compress.Format{Form: form}
		if _, is := form.DType(); is {
			format.Calibration = calibration
		}
		formats = append(formats, format)
	}
	return formats, nil
}

// asUsage makes a wrong use of a refusal of the search that another command line would not meet.
func asUsage(err error) error {
	if errors.Is(err, compress.ErrTrainingData) || errors.Is(err, compress.ErrNeedsData) ||
		errors.Is(err, compress.ErrChoice) || errors.Is(err, compress.ErrCompressed) ||
		errors.As(err, new(ptq.ErrCalibration)) || errors.As(err, new(compress.ErrPruning)) {
		return usagef("%v", err)
	}
	return err
}
