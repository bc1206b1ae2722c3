package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"boost/booster/model/internal/jsonform"
	"boost/booster/trust"
	"boost/dataset"
	"boost/objectives"
)

// trustEntry is how the manifest spells a trust.Trust: only the keys that say something.
type trustEntry struct {
	Calibration *calibrationEntry `json:"calibration"`
	Fingerprint string            `json:"fingerprint"`
	Intervals   *intervalsEntry   `json:"intervals"`
	Rows        int               `json:"rows"`
	Threshold   float64           `json:"threshold"`
}

type calibrationEntry struct {
	Maps   mapList `json:"maps"`
	Method string  `json:"method"`
}

type mapEntry struct {
	Coefficients mapNumbers `json:"coefficients"`
	Knots        mapNumbers `json:"knots"`
	Values       mapNumbers `json:"values"`
}

type intervalsEntry struct {
	By     jsonform.Text `json:"by"`
	Groups groupList     `json:"groups"`
	High   int           `json:"high"`
	Kind   string        `json:"kind"`
	Level  float64       `json:"level"`
	Low    int           `json:"low"`
	Margin float64       `json:"margin"`
}

type groupEntry struct {
	Margin float64        `json:"margin"`
	Value  *jsonform.Text `json:"value"` // null for rows without a value
}

type (
	mapList    []trust.Map
	mapNumbers []float64
	groupList  []trust.Group
)

// mostGroups is how many groups of rows have intervals of their own.
const mostGroups = 1 << 16

func (l *mapList) UnmarshalJSON(b []byte) error {
	n, err := countElements(b, len(`{"coefficients":[0,0]}`), isObject)
	if err != nil {
		return err
	}
	if n > mostOutputs {
		return fmt.Errorf("%d calibrations, one for each output, are more than %d", n, mostOutputs)
	}
	numbers := 0
	*l, err = readList(b, 1, isObject, func(text []byte, to *trust.Map) error {
		var e mapEntry
		if err := json.Unmarshal(text, &e); err != nil {
			return err
		}
		*to = trust.Map{Coefficients: e.Coefficients, Knots: e.Knots, Values: e.Values}
		if numbers += to.Numbers(); numbers > trust.MostNumbers {
			return fmt.Errorf("a calibration of more than %d numbers", trust.MostNumbers)
		}
		return nil
	})
	return err
}

func (l *mapNumbers) UnmarshalJSON(b []byte) error {
	n, err := countElements(b, 1, isNumber)
	if err != nil {
		return err
	}
	if n > trust.MostNumbers {
		return fmt.Errorf("%d numbers of a calibration are more than %d", n, trust.MostNumbers)
	}
	*l, err = readList(b, 1, isNumber, readNumber)
	return err
}

func (l *groupList) UnmarshalJSON(b []byte) error {
	n, err := countElements(b, len(`{"margin":0,"value":""}`), isObject)
	if err != nil {
		return err
	}
	if n > mostGroups {
		return fmt.Errorf("%d groups are more than %d", n, mostGroups)
	}
	*l, err = readList(b, 1, isObject, func(text []byte, to *trust.Group) error {
		var e groupEntry
		if err := json.Unmarshal(text, &e); err != nil {
			return err
		}
		if to.Margin, to.Missing = e.Margin, e.Value == nil; e.Value != nil {
			to.Value = string(*e.Value)
		}
		return nil
	})
	return err
}

func trustForm(t *trust.Trust) any {
	form := map[string]any{"fingerprint": t.Fingerprint, "rows": t.Rows}
	if t.Threshold != 0 {
		form["threshold"] = t.Threshold
	}
	if c := t.Calibration; c != nil {
		form["calibration"] = map[string]any{"method": string(c.Method), "maps": jsonform.List(c.Maps, mapForm)}
	}
	if v := t.Intervals; v != nil {
		of := map[string]any{"kind": string(v.Kind), "level": v.Level, "margin": v.Margin}
		if v.Kind == trust.Quantiles {
			of["low"], of["high"] = v.Low, v.High
		}
		if v.By != "" {
			of["by"], of["groups"] = jsonform.Text(v.By).Form(), jsonform.List(v.Groups, groupForm)
		}
		form["intervals"] = of
	}
	return form
}

func mapForm(m trust.Map) any {
	form := map[string]any{}
	for key, numbers := range map[string][]float64{"coefficients": m.Coefficients, "knots": m.Knots, "values": m.Values} {
		if len(numbers) > 0 {
			form[key] = jsonform.Lazy(numbers, jsonform.AppendNumber)
		}
	}
	return form
}

func groupForm(g trust.Group) any {
	if g.Missing {
		return map[string]any{"margin": g.Margin, "value": nil}
	}
	return map[string]any{"margin": g.Margin, "value": jsonform.Text(g.Value).Form()}
}

func (e *trustEntry) contents() *trust.Trust {
	if e == nil {
		return nil
	}
	t := &trust.Trust{Threshold: e.Threshold, Rows: e.Rows, Fingerprint: e.Fingerprint}
	if c := e.Calibration; c != nil {
		t.Calibration = &trust.Calibration{Method: trust.Method(c.Method), Maps: c.Maps}
	}
	if v := e.Intervals; v != nil {
		t.Intervals = &trust.Intervals{
			Kind: trust.Kind(v.Kind), Level: v.Level, Margin: v.Margin, Low: v.Low, High: v.High, By: string(v.By), Groups: v.Groups,
		}
	}
	return t
}

// Mapping makes predictions of raw scores: by the link, then by the calibration, nil for none.
type Mapping struct {
	Link        objectives.Link
	Calibration *trust.Calibration
}

// Mapping returns how the model makes predictions of its raw scores.
func (c *Contents) Mapping() Mapping {
	m := Mapping{Link: c.Link}
	if c.Trust != nil {
		m.Calibration = c.Trust.Calibration
	}
	return m
}

// Apply writes the predictions of rows lo … hi-1; see objectives.Link.Apply.
func (m Mapping) Apply(outputs int, raw, values []float64, lo, hi, n int) {
	m.Link.Apply(outputs, raw, values, lo, hi, n)
	if m.Calibration != nil {
		m.Calibration.Apply(outputs, values, lo, hi, n)
	}
}

// checkTrust checks what is said of how far predictions can be trusted.
func (c *Contents) checkTrust() error {
	t := c.Trust
	if t == nil {
		return nil
	}
	if c.After > 0 {
		return errors.New("rounds after others, which are no model of their own, are calibrated")
	}
	if len(c.Labels()) > 1 {
		return fmt.Errorf("a model of %d labels is calibrated", len(c.Labels()))
	}
	if !isHex(t.Fingerprint, 32) {
		return fmt.Errorf("the data fingerprint of its calibration is %q: 32 hex digits expected", t.Fingerprint)
	}
	if err := t.Check(c.Outputs, len(c.Classes)); err != nil {
		return err
	}
	if v := t.Intervals; v != nil && v.By != "" && !slices.ContainsFunc(c.FeatureColumns(), func(s *dataset.ColumnSchema) bool {
		return s.Name == v.By && s.Kind == dataset.Category && s.Crossed == nil
	}) {
		return fmt.Errorf("intervals by column %q, which is no feature with levels", v.By)
	}
	return nil
}
