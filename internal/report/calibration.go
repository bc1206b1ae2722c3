package report

import (
	"io"
	"math"

	"boost/booster/calibrate"
	"boost/booster/model"
	"boost/booster/trust"
	"boost/internal/format"
)

// Calibration is what boost calibrate found.
type Calibration struct{ *calibrate.Report }

// JSON returns what is printed as JSON; undefined figures are null.
func (c Calibration) JSON() any {
	type change struct {
		Before *float64 `json:"before"`
		After  *float64 `json:"after"`
	}
	type candidate struct {
		Method  trust.Method `json:"method"`
		LogLoss *float64     `json:"logloss"`
	}
	type group struct {
		Value    *string  `json:"value"` // null for rows without a value
		Rows     int      `json:"rows"`
		Own      bool     `json:"own"`
		Coverage *float64 `json:"coverage"`
		Width    *float64 `json:"width"`
	}
	type intervals struct {
		Kind     trust.Kind `json:"kind"`
		Level    float64    `json:"level"`
		Coverage *float64   `json:"coverage"`
		Width    *float64   `json:"width"`
		By       string     `json:"by,omitempty"`
		Groups   []group    `json:"groups,omitempty"`
	}
	out := struct {
		Rows       int               `json:"rows"`
		Method     trust.Method      `json:"method"`
		Candidates []candidate       `json:"candidates,omitempty"`
		Metrics    map[string]change `json:"metrics,omitempty"`
		Threshold  *float64          `json:"threshold,omitempty"`
		Cost       *change           `json:"cost,omitempty"`
		Intervals  *intervals        `json:"intervals,omitempty"`
	}{Rows: c.Rows, Method: c.Method}
	for _, of := range c.Candidates {
		out.Candidates = append(out.Candidates, candidate{of.Method, format.Finite(of.LogLoss)})
	}
	for _, f := range c.Figures {
		if out.Metrics == nil {
			out.Metrics = map[string]change{}
		}
		out.Metrics[f.Name] = change{format.Finite(f.Before), format.Finite(f.After)}
	}
	if c.Threshold != trust.Half {
		out.Threshold = &c.Threshold
	}
	if c.Costs != nil {
		out.Cost = &change{format.Finite(c.Costs.Before), format.Finite(c.Costs.After)}
	}
	if v := c.Intervals; v != nil {
		out.Intervals = &intervals{v.Kind, v.Level, format.Finite(v.Coverage), format.Finite(v.Width), v.By, nil}
		for i := range v.Groups {
			g := &v.Groups[i]
			of := group{nil, g.Rows, g.Own, format.Finite(g.Coverage), format.Finite(g.Width)}
			if !g.Missing {
				of.Value = &g.Value
			}
			out.Intervals.Groups = append(out.Intervals.Groups, of)
		}
	}
	return out
}

// Write writes it for people.
func (c Calibration) Write(w io.Writer) error {
	rows := [][]string{{"rows", format.Count(c.Rows)}}
	if len(c.Figures) > 0 {
		rows = append(rows, []string{"calibration", string(c.Method)})
	}
	if c.Threshold != trust.Half {
		rows = append(rows, []string{"threshold", format.People(c.Threshold)})
	}
	if err := format.Table(w, rows, "lr"); err != nil {
		return err
	}
	if len(c.Candidates) > 0 {
		rows = [][]string{{"candidate", "logloss"}}
		for _, of := range c.Candidates {
			rows = append(rows, []string{string(of.Method), format.People(of.LogLoss)})
		}
		if err := section(w, rows, "lr"); err != nil {
			return err
		}
	}
	if len(c.Figures) > 0 && (c.Method != trust.None || c.Costs != nil) { // else nothing changes
		rows = [][]string{{"on held-out fifths", "before", "after"}}
		for _, f := range c.Figures {
			rows = append(rows, []string{f.Name, format.People(f.Before), format.People(f.After)})
		}
		if c.Costs != nil {
			rows = append(rows, []string{"cost of a row", format.People(c.Costs.Before), format.People(c.Costs.After)})
		}
		if err := section(w, rows, "lrr"); err != nil {
			return err
		}
	}
	if c.Intervals == nil {
		return nil
	}
	return c.writeIntervals(w)
}

func (c Calibration) writeIntervals(w io.Writer) error {
	v := c.Intervals
	width := "mean width"
	if v.Kind == trust.Sets {
		width = "mean classes"
	}
	coverage := func(x float64) string {
		if math.IsNaN(x) {
			return "too few rows"
		}
		return format.People(100*x) + " %"
	}
	rows := [][]string{{"intervals of " + format.People(100*v.Level) + " %", "rows", "coverage", width},
		{"all rows", format.Count(c.Rows), coverage(v.Coverage), format.People(v.Width)}}
	for i := range v.Groups {
		g := &v.Groups[i]
		name := format.OneLine(v.By) + " = " + format.OneLine(g.Value)
		if g.Missing {
			name = format.OneLine(v.By) + " is missing"
		}
		rows = append(rows, []string{name, format.Count(g.Rows), coverage(g.Coverage), format.People(g.Width)})
	}
	return section(w, rows, "lrrr")
}

// trustRows says how a model was calibrated.
func trustRows(t *model.TrustDescription) [][]string {
	if t == nil {
		return nil
	}
	rows := [][]string{{"calibrated on", format.Counted(t.Rows, "row") + ", data " + t.Fingerprint}}
	if t.Calibration != "" {
		rows = append(rows, []string{"calibration", string(t.Calibration)})
	}
	if t.Threshold != 0 {
		rows = append(rows, []string{"threshold", format.SixDigits(t.Threshold)})
	}
	if t.Intervals == "" {
		return rows
	}
	text := format.People(100*t.Level) + " % by " + string(t.Intervals)
	if t.By != "" {
		text += ", in " + format.Counted(len(t.Groups), "group") + " of " + format.OneLine(t.By)
	}
	return append(rows, []string{"intervals", text})
}
