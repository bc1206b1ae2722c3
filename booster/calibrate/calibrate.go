package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/booster/model"
	"boost/booster/trust"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/parallel"
)

// Params is what is wanted.
type Params struct {
	// Method is how probabilities are calibrated; "" is Auto for models of classes, and None for others.
	Method trust.Method
	// Level is the share of new rows that intervals cover, between 0 and 1; 0 is no intervals.
	Level float64
	// By is a categorical feature, each of whose values has intervals that cover Level of its rows; "" is none.
	By string
	// Threshold is the probability above which the positive of two classes is predicted; 0 leaves it at a half.
	Threshold float64
	// FalsePositive and FalseNegative are what mistakes cost, in place of Threshold: see trust.CostThreshold. 0 is not given.
	FalsePositive, FalseNegative float64
	// AllowTrainingData accepts the rows that trained the model, on which it seems better than it is.
	AllowTrainingData bool
	// Pool works on the rows; nil for one of the call's own.
	Pool *parallel.Pool
}

var (
	// ErrParams is wrapped by errors about what is wanted: what a model cannot have, and what is out of range.
	ErrParams = errors.New("calibration")
	// ErrTrainingData refuses the rows that the model was trained on.
	ErrTrainingData = errors.New("the table is one that the model, or a model that it was made of, was trained on, where it seems better than it is: give other rows, or allow it (--allow-train-data)")
)

// paramsError is an error with a text of its own that wraps ErrParams.
type paramsError struct{ text string }

func (e *paramsError) Error() string { return e.text }
func (e *paramsError) Unwrap() error { return ErrParams }

func paramsErrorf(format string, args ...any) error {
	return &paramsError{fmt.Sprintf(format, args...)}
}

// fewRowsError is a *trust.FewRowsError with the name of the class.
type fewRowsError struct {
	few   *trust.FewRowsError
	class string
}

func (e *fewRowsError) Error() string {
	return fmt.Sprintf("%v: class %q has %d rows: to be calibrated each class needs %d, and some hundreds to gain by it (--method none leaves probabilities as they are)",
		dataset.ErrTable, e.class, e.few.Rows, e.few.Least)
}

func (e *fewRowsError) Unwrap() []error { return []error{dataset.ErrTable, e.few} }

// Fit returns the model with what is wanted in place of what it had of the kind, and what that brings. The table has the
// model's features and label; rows count by the model's weight column where it has that. Everything follows from the rows in
// their order, on any number of threads.
//
// Intervals and calibrations hold for rows that are drawn as these were. They should be neither rows that trained the model,
// nor those on which its rounds or parameters were chosen. Errors wrap ErrParams, ErrTrainingData and dataset.ErrTable.
func Fit(ctx context.Context, m *model.Model, t *dataset.Table, p Params) (*model.Model, *Report, error) {
	if err := p.fit(m); err != nil {
		return nil, nil, err
	}
	plain, err := m.WithTrust(nil)
	if err != nil {
		return nil, nil, err
	}
	if t, err = t.As(m.Schema()); err != nil {
		return nil, nil, err
	}
	if p.Pool == nil {
		p.Pool = parallel.NewPool(cpu.Threads())
		defer p.Pool.Close()
	}
	f := &fitting{Params: p, model: plain, table: t, report: &Report{Rows: t.NumRows(), Threshold: trust.Half, Method: p.Method}}
	if err := f.look(ctx); err != nil {
		return nil, nil, err
	}
	f.trust = trust.Trust{Rows: t.NumRows(), Fingerprint: f.print, Threshold: p.Threshold}
	if p.Threshold != 0 {
		f.report.Threshold = p.Threshold
	}
	if err := f.calibrate(); err != nil {
		return nil, nil, err
	}
	if err := f.cover(); err != nil {
		return nil, nil, err
	}
	out := plain
	if f.trust.Calibration != nil || f.trust.Threshold != 0 || f.trust.Intervals != nil {
		if out, err = plain.WithTrust(&f.trust); err != nil {
			return nil, nil, err
		}
	}
	if err := f.measure(ctx, out); err != nil {
		return nil, nil, err
	}
	return out, f.report, nil
}

// fit completes what is wanted of a model, or says what it cannot have.
func (p *Params) fit(m *model.Model) error {
	c := m.Contents()
	two := m.Outputs() == 1 && len(m.Classes()) == 2
	takesAway := p.Method == trust.None // what the model has, intervals too
	if p.Method == "" {
		if p.Method = trust.None; m.Classes() != nil {
			p.Method = trust.Auto
		}
	}
	if err := Suits(c); err != nil {
		return err
	}
	switch {
	case !slices.Contains(trust.Methods(), p.Method):
		return paramsErrorf("calibration %q is unknown: expected one of %v", p.Method, trust.Methods())
	case p.Method != trust.None && m.Classes() == nil:
		return paramsErrorf("calibration %q is for probabilities of classes, and the model predicts numbers: leave it out", p.Method)
	case (p.Method == trust.Beta || p.Method == trust.VennAbers) && !two:
		return paramsErrorf("calibration %q is for two classes, and the model has %d: take %s, %s or %s", p.Method, m.Outputs(), trust.Auto, trust.Platt, trust.Isotonic)
	case p.Level != 0 && !(p.Level > 0 && p.Level < 1):
		return paramsErrorf("intervals that cover %v of the rows: expected a share between 0 and 1, such as 0.9", p.Level)
	case p.By != "" && p.Level == 0:
		return paramsErrorf("groups of column %q need intervals: give a share of rows that these cover", p.By)
	case p.hasCosts() && p.Threshold != 0:
		return paramsErrorf("a threshold and costs: give one of them")
	case (p.hasCosts() || p.Threshold != 0) && !two:
		return paramsErrorf("a threshold is for two classes, and the model has %d: leave it out", len(m.Classes()))
	case p.Threshold != 0 && !(p.Threshold > 0 && p.Threshold < 1):
		return paramsErrorf("threshold %v: expected a probability between 0 and 1", p.Threshold)
	case m.Classes() == nil && p.Level == 0 && !takesAway:
		return paramsErrorf("the model predicts numbers, which have intervals only: give a share of rows that these cover, such as 0.9")
	}
	if p.hasCosts() {
		var err error
		if p.Threshold, err = trust.CostThreshold(p.FalsePositive, p.FalseNegative); err != nil {
			return &paramsError{err.Error()}
		}
	}
	return p.fitGroups(c)
}

func (p *Params) hasCosts() bool { return p.FalsePositive != 0 || p.FalseNegative != 0 }

// Suits refuses models whose predictions are neither probabilities of classes nor numbers like the labels. Its errors wrap ErrParams.
func Suits(c *model.Contents) error {
	info, builtIn := objectives.Lookup(c.Objective)
	switch {
	case builtIn && info.Queries:
		return paramsErrorf("objective %s predicts an order, which has neither probabilities nor intervals", c.Objective)
	case builtIn && info.Times:
		return paramsErrorf("objective %s is of times of which some are only known to be later: these have no intervals here", c.Objective)
	case len(c.Labels()) > 1:
		return paramsErrorf("a model of %d labels cannot be calibrated: train a model for each", len(c.Labels()))
	case c.After > 0:
		return paramsErrorf("the model is the tail of another one: append it to the rounds before it")
	}
	return nil
}

// fitGroups checks the column of the groups.
func (p *Params) fitGroups(c *model.Contents) error {
	if p.By == "" {
		return nil
	}
	columns := c.FeatureColumns()
	at := slices.IndexFunc(columns, func(s *dataset.ColumnSchema) bool { return s.Name == p.By })
	switch {
	case at < 0:
		return paramsErrorf("groups of column %q, which is no feature of the model", p.By)
	case columns[at].Kind != dataset.Category || columns[at].Crossed != nil:
		return paramsErrorf("groups of column %q, which has numbers: expected a categorical feature (train with data.categorical to make it one)", p.By)
	}
	return nil
}

// fitting is one call of Fit.
type fitting struct {
	Params
	model  *model.Model // without a trust
	table  *dataset.Table
	print  string
	in     metrics.Input // Values are the model's
	held   []float64     // probabilities as new rows have them
	trust  trust.Trust
	report *Report
}

// look reads the labels and predicts the rows.
func (f *fitting) look(ctx context.Context) error {
	c := f.model.Contents()
	f.print = f.table.Fingerprint(f.Pool)
	f.report.TrainingData = c.TrainedOn(f.print)
	if f.report.TrainingData && !f.AllowTrainingData {
		return ErrTrainingData
	}
	f.report.ValidationData = slices.Contains(c.ValidPrints, f.print)
	var err error
	if f.in, err = f.model.MetricInput(f.table, nil); err != nil {
		return err
	}
	rowMajor, err := f.model.Predict(ctx, f.table, model.Pool(f.Pool))
	if err != nil {
		return err
	}
	f.in.Pool, f.in.Values = f.Pool, make([]float64, len(rowMajor))
	metrics.OutputMajor(rowMajor, f.model.Outputs(), f.in.Values)
	f.held = f.in.Values
	return nil
}

// calibrate finds the calibration of a model of classes.
func (f *fitting) calibrate() error {
	if f.model.Classes() == nil {
		return nil
	}
	if f.Method == trust.None {
		return f.judge()
	}
	fitted, err := trust.FitCalibration(trust.Rows{Outputs: f.model.Outputs(), Values: f.in.Values, Labels: f.in.Labels, Weights: f.in.Weights}, f.Method)
	if few := (*trust.FewRowsError)(nil); errors.As(err, &few) {
		return &fewRowsError{few, f.model.Classes()[few.Class]}
	}
	if err != nil {
		return err
	}
	f.trust.Calibration, f.held, f.report.Candidates = fitted.Calibration, fitted.Held, fitted.Candidates
	if f.report.Method = trust.None; fitted.Calibration != nil {
		f.report.Method = fitted.Calibration.Method
	}
	return f.judge()
}

// cover finds the intervals.
func (f *fitting) cover() error {
	if f.Level == 0 {
		return nil
	}
	v := &trust.Intervals{Level: f.Level, By: f.By}
	scores, err := f.scores(v)
	if err != nil {
		return err
	}
	s := trust.Sample{Scores: scores, Weights: f.in.Weights}
	f.group(&s)
	lacking, err := trust.FitIntervals(v, s)
	if err != nil {
		return fmt.Errorf("%w: %w", dataset.ErrTable, err)
	}
	f.trust.Intervals = v
	f.report.count(v, s, lacking)
	return nil
}

// scores chooses the kind of intervals, and returns how far the labels are from the predictions.
func (f *fitting) scores(v *trust.Intervals) ([]float64, error) {
	n, values := f.table.NumRows(), f.in.Values
	switch {
	case f.model.Classes() != nil:
		v.Kind = trust.Sets
		return trust.SetScores(f.model.Outputs(), values, f.in.Labels), nil
	case f.model.Outputs() == 1:
		v.Kind = trust.Residuals
		return trust.ResidualScores(values, f.in.Labels), nil
	}
	v.Kind = trust.Quantiles
	var err error
	if v.Low, v.High, err = f.quantiles(); err != nil {
		return nil, err
	}
	return trust.QuantileScores(values[v.Low*n:][:n], values[v.High*n:][:n], f.in.Labels), nil
}

// quantiles returns the outputs whose levels are nearest to the ends of the interval.
func (f *fitting) quantiles() (low, high int, err error) {
	p := objectives.Params{}
	if c := f.model.Contents(); len(c.Params) > 0 {
		if p, err = objectives.ParamsIn(c.Params); err != nil {
			return 0, 0, err
		}
	}
	if len(p.Alpha) != f.model.Outputs() {
		return 0, 0, paramsErrorf("a model of %d numbers that are no quantiles has no intervals", f.model.Outputs())
	}
	nearest := func(level float64) int {
		best := 0
		for k, a := range p.Alpha {
			if math.Abs(a-level) < math.Abs(p.Alpha[best]-level) {
				best = k
			}
		}
		return best
	}
	low, high = nearest(float64((1-f.Level)/2)), nearest(float64((1+f.Level)/2))
	if low >= high || p.Alpha[low] >= 0.5 || p.Alpha[high] <= 0.5 {
		return 0, 0, paramsErrorf("those of the model's quantiles %v that are nearest to an interval that covers %v are not on both sides of the median: train with objective.alpha = [%.4g, %.4g]",
			p.Alpha, f.Level, (1-f.Level)/2, (1+f.Level)/2)
	}
	return low, high, nil
}

// group tells the groups of the rows, in the order of the column's levels, those without a value last.
func (f *fitting) group(s *trust.Sample) {
	if f.By == "" {
		return
	}
	column := f.table.Column(f.By)
	levels := column.Levels()
	counts := make([]int, len(levels)+1)
	s.Groups = slices.Clone(column.Codes())
	for i, code := range s.Groups {
		if code < 0 {
			s.Groups[i] = int32(len(levels))
		}
		counts[s.Groups[i]]++
	}
	number := make([]int32, len(counts))
	for code, rows := range counts {
		if rows == 0 {
			continue
		}
		number[code] = int32(len(s.Names))
		if code == len(levels) {
			s.Names = append(s.Names, trust.Group{Missing: true})
		} else {
			s.Names = append(s.Names, trust.Group{Value: levels[code]})
		}
	}
	for i, code := range s.Groups {
		s.Groups[i] = number[code]
	}
}
