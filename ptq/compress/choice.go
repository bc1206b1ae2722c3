package compress

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"boost/booster/model"
	"boost/internal/near"
	"boost/ptq"
)

// Choice is what a compressed model may be stored in, as people write it.
type Choice struct {
	Forms     []ptq.Form // none: all that are worth it are tried
	Calibrate string     // how scales of data types are chosen: absmax, mse, percentile:P, none; "" = absmax
	By        string     // which leaves share a scale: a name of a Granularity

	// What messages call data types, tiers, Calibrate and By: flags or keys.
	TypesName, TiersName, CalibrateName, ByName string

	calibration Calibration // less the weights of leaves
}

// AddTypes adds data types and Q4_0 by name.
func (c *Choice) AddTypes(names []string) error {
	for _, name := range names {
		form, err := ptq.ParseForm(name)
		if err == nil && slices.Contains(ptq.Tiers(), form) {
			err = fmt.Errorf("%s is a tier: use %s", name, c.TiersName)
		}
		if err != nil {
			return fmt.Errorf("%s: %v", c.TypesName, err)
		}
		c.Forms = append(c.Forms, form)
	}
	return nil
}

// AddTiers adds tiers by name.
func (c *Choice) AddTiers(names []string) error {
	for _, name := range names {
		form, err := ptq.ParseForm(name)
		if err != nil || !slices.Contains(ptq.Tiers(), form) {
			return fmt.Errorf("%s: there is no tier %q%s: there are %s", c.TiersName, name, near.Question(near.Words(name, ptq.FormNames(ptq.Tiers()))), strings.Join(ptq.FormNames(ptq.Tiers()), ", "))
		}
		c.Forms = append(c.Forms, form)
	}
	return nil
}

// Check reads how scales are chosen, and refuses what makes no sense for the forms.
func (c *Choice) Check() (err error) {
	if c.calibration.By, err = ParseGranularity(c.By); err != nil {
		return fmt.Errorf("%s: %v", c.ByName, err)
	}
	c.calibration.Float32Scales = c.calibration.By == ByTree || c.calibration.By == ByBlock
	if c.Calibrate != "" {
		if err := c.method(); err != nil {
			return err
		}
	}
	typed := slices.ContainsFunc(c.Forms, func(f ptq.Form) bool { _, is := f.DType(); return is })
	if !typed && (c.Calibrate != "" || c.calibration.By != ByOutput) {
		return fmt.Errorf("%s and %s are about the scales of data types, as I8, and none is named with %s: Q4_0 and tiers have a scale in each block",
			c.CalibrateName, c.ByName, c.TypesName)
	}
	for _, form := range c.Forms {
		if _, is := form.DType(); !is {
			continue
		}
		_, err := ptq.Encode(form, ptq.Calibration{Method: c.calibration.Method, Percent: c.calibration.Percent}, []float64{-1, 1}, nil)
		if errors.As(err, new(ptq.ErrCalibration)) {
			return fmt.Errorf("%s: %v", c.CalibrateName, err)
		}
	}
	return nil
}

// method reads calibrate.
func (c *Choice) method() (err error) {
	name, percent, has := strings.Cut(c.Calibrate, ":")
	if c.calibration.Method, err = ptq.ParseMethod(name); err != nil || c.calibration.Method == ptq.Given {
		return fmt.Errorf("%s must be absmax, mse, percentile:P or none, not %q", c.CalibrateName, c.Calibrate)
	}
	if has != (c.calibration.Method == ptq.Percentile) {
		return fmt.Errorf("%s percentile needs a percentage, as percentile:99.9, and nothing else takes one: %q", c.CalibrateName, c.Calibrate)
	}
	if has {
		if c.calibration.Percent, err = strconv.ParseFloat(percent, 64); err != nil {
			return fmt.Errorf("%s: %q is no percentage", c.CalibrateName, percent)
		}
	}
	return nil
}

// Formats returns what there is to choose from for a model; nil: all that are worth it.
func (c *Choice) Formats(m *model.Model) ([]Format, error) {
	calibration := c.calibration
	if by := calibration.Method; (by == ptq.MSE || by == ptq.Percentile) && m.HasStatistics() {
		narrow, err := m.Narrowed(model.KnownNames)
		if err != nil {
			return nil, err
		}
		if calibration.Weights, err = CoverWeights(narrow); err != nil {
			return nil, err
		}
	}
	var formats []Format
	for _, form := range c.Forms {
		format := Format{Form: form}
		if _, is := form.DType(); is {
			format.Calibration = calibration
		}
		formats = append(formats, format)
	}
	return formats, nil
}
