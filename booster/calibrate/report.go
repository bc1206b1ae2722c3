package calibrate

import (
	"context"
	"math"

	"boost/booster/model"
	"boost/booster/trust"
	"boost/internal/detmath"
	"boost/objectives/metrics"
)

// Report is what a calibration and intervals bring. Figures are of rows that were not used for them: each fifth of the table by
// what the other four fifths gave. They count rows by weight.
type Report struct {
	Rows                         int
	TrainingData, ValidationData bool // the table is one that the model was trained on, or that its rounds were chosen by

	Method     trust.Method      // chosen; None where probabilities stay as they are
	Candidates []trust.Candidate // that Auto chose from
	Figures    []Figure          // of a model of classes
	Threshold  float64           // above which the positive of two classes is predicted
	Costs      *Costs            // nil unless costs were given

	Intervals *Coverage // nil without
}

// Figure is a metric before and after; NaN where it is undefined.
type Figure struct {
	Name          string
	Before, After float64
}

// Costs are those of mistakes, for each row on average.
type Costs struct {
	Before float64 // of the model as it was, above a half
	After  float64 // of calibrated probabilities, above the threshold
}

// Coverage is what intervals cover.
type Coverage struct {
	Kind     trust.Kind
	Level    float64
	Coverage float64 // share of the rows whose label lies inside; NaN where the rows are too few to tell
	Width    float64 // mean of upper − lower, or of the classes in a set
	By       string
	Groups   []GroupCoverage
}

// GroupCoverage is the coverage of one group.
type GroupCoverage struct {
	Value    string
	Missing  bool // rows without a value
	Rows     int
	Own      bool // it has intervals of its own; else it had too few rows for them
	Coverage float64
	Width    float64

	rows []int
}

// judge compares the model's probabilities with those of calibrations that were fitted without the row.
func (f *fitting) judge() error {
	names := []string{"logloss", "brier", "ece"}
	if f.model.Outputs() > 1 {
		names[0] = "multi_logloss"
	}
	list, err := metrics.List(names)
	if err != nil {
		return err
	}
	after := f.in
	after.Values = f.held
	for i, metric := range list {
		f.report.Figures = append(f.report.Figures, Figure{names[i], metric.Eval(f.in), metric.Eval(after)})
	}
	if f.hasCosts() {
		f.report.Costs = &Costs{f.cost(f.in.Values, trust.Half), f.cost(f.held, f.Threshold)}
	}
	return nil
}

// cost returns what decisions cost for each row.
func (f *fitting) cost(values []float64, threshold float64) float64 {
	var cost, weight detmath.Sum
	for i, p := range values {
		w := f.weight(i)
		weight.Add(w)
		switch positive := p > threshold; {
		case positive && f.in.Labels[i] == 0:
			cost.Add(float64(w * f.FalsePositive))
		case !positive && f.in.Labels[i] == 1:
			cost.Add(float64(w * f.FalseNegative))
		}
	}
	return cost.Round() / weight.Round()
}

func (f *fitting) weight(row int) float64 {
	if f.in.Weights == nil {
		return 1
	}
	return f.in.Weights[row]
}

// count finds what margins of other rows cover.
func (r *Report) count(v *trust.Intervals, s trust.Sample, lacking []trust.Group) {
	c := &Coverage{Kind: v.Kind, Level: v.Level, By: v.By}
	r.Intervals = c
	held, ok := trust.HeldMargins(v.Level, s)
	covered := func(rows func(row int) bool) float64 {
		if !ok {
			return math.NaN()
		}
		var inside, all detmath.Sum
		for i, score := range s.Scores {
			if !rows(i) {
				continue
			}
			w := 1.0
			if s.Weights != nil {
				w = s.Weights[i]
			}
			if all.Add(w); score <= held[i] {
				inside.Add(w)
			}
		}
		return inside.Round() / all.Round()
	}
	c.Coverage = covered(func(int) bool { return true })
	for g, name := range s.Names {
		group := GroupCoverage{Value: name.Value, Missing: name.Missing, Own: true}
		for _, l := range lacking {
			group.Own = group.Own && l != name
		}
		for i, of := range s.Groups {
			if of == int32(g) {
				group.rows = append(group.rows, i)
			}
		}
		group.Rows = len(group.rows)
		group.Coverage = covered(func(row int) bool { return s.Groups[row] == int32(g) })
		c.Groups = append(c.Groups, group)
	}
}

// measure finds how wide the model's intervals are.
func (f *fitting) measure(ctx context.Context, m *model.Model) error {
	c := f.report.Intervals
	if c == nil {
		return nil
	}
	width := make([]float64, f.table.NumRows())
	if c.Kind == trust.Sets {
		member, err := m.PredictSets(ctx, f.table, model.Pool(f.Pool))
		if err != nil {
			return err
		}
		classes := len(m.Classes())
		for i, in := range member {
			if in {
				width[i/classes]++
			}
		}
	} else {
		bounds, err := m.PredictIntervals(ctx, f.table, model.Pool(f.Pool))
		if err != nil {
			return err
		}
		for i := range width {
			width[i] = bounds[2*i+1] - bounds[2*i]
		}
	}
	var all, weight detmath.Sum
	for i, w := range width {
		all.Add(float64(f.weight(i) * w))
		weight.Add(f.weight(i))
	}
	c.Width = all.Round() / weight.Round()
	for g := range c.Groups {
		var all, weight detmath.Sum
		for _, i := range c.Groups[g].rows {
			all.Add(float64(f.weight(i) * width[i]))
			weight.Add(f.weight(i))
		}
		c.Groups[g].Width, c.Groups[g].rows = all.Round()/weight.Round(), nil
	}
	return nil
}
