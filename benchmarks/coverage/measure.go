package coverage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/harness"
	"boost/booster"
	"boost/booster/calibrate"
	"boost/booster/model"
	"boost/booster/trust"
	"boost/dataset"
	"boost/internal/detmath"
	"boost/objectives/metrics"
)

// LargeTest is the number of test rows from which a coverage says enough.
const LargeTest = 10_000

// Sets returns the sets of numbers, of classes and of counts that have so many test rows. Where names are given it is those alone.
func Sets(folder string, names ...string) ([]*accuracy.Set, error) {
	all, err := accuracy.Sets(folder)
	if err != nil {
		return nil, err
	}
	regression := map[string]bool{}
	for _, s := range all {
		regression[s.Name] = true
	}
	for _, c := range accuracy.Cases() {
		if c.Objective != "poisson" || regression[c.Set] {
			continue
		}
		s, err := accuracy.OpenCase(folder, c, accuracy.OtherRecord{})
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return slices.DeleteFunc(all, func(s *accuracy.Set) bool {
		return s.TestRows < LargeTest || len(names) > 0 && !slices.Contains(names, s.Name)
	}), nil
}

// levels are the shares of rows that intervals are to cover.
var levels = []float64{0.8, 0.9, 0.95}

// Record holds what was measured, by set.
type Record struct {
	Machine harness.Machine   `json:"machine"`
	Sets    map[string]Result `json:"sets"`
}

// Result is one set: means over splits of its training rows, of which four fifths train a model and the other fifth
// calibrates it. Test rows are always the same.
type Result struct {
	Splits    int             `json:"splits"`
	Rows      int             `json:"rows"` // of the calibration
	TestRows  int             `json:"test_rows"`
	Kind      trust.Kind      `json:"kind"`
	Intervals map[string]Span `json:"intervals"`           // by level
	Quantiles *Span           `json:"quantiles,omitempty"` // of level 0.9, by a model of the quantiles 0.05 and 0.95
	By        string          `json:"by,omitempty"`
	Groups    []Group         `json:"groups,omitempty"`  // of level 0.9
	Methods   []trust.Method  `json:"methods,omitempty"` // chosen, by split
	Before    Chances         `json:"before,omitzero"`   // of the model's probabilities
	After     Chances         `json:"after,omitzero"`    // of calibrated ones
}

// Span is how often intervals cover the labels of test rows, which count by their weight.
type Span struct {
	Coverage float64 `json:"coverage"`
	// Inside is the coverage without the rows that are exactly at the margin: where many rows have the same score, intervals
	// cover all of these or none.
	Inside float64 `json:"inside"`
	Least  float64 `json:"least"` // coverage of a split
	Most   float64 `json:"most"`
	Width  float64 `json:"width"` // mean of the intervals' widths, or of the classes of sets
}

// add adds the share of a split.
func (s *Span) add(of Span, share float64) {
	if s.Most == 0 || of.Coverage < s.Least {
		s.Least = of.Coverage
	}
	s.Most = max(s.Most, of.Coverage)
	s.Coverage += share * of.Coverage
	s.Inside += share * of.Inside
	s.Width += share * of.Width
}

// Group is the rows of one level of a column that has intervals of its own.
type Group struct {
	Value string `json:"value"`
	Test  int    `json:"test_rows"`
	Span  Span   `json:"span"`
}

// Chances are metrics of probabilities.
type Chances struct {
	LogLoss float64 `json:"logloss"`
	ECE     float64 `json:"ece"`
}

// Measure trains on splits of a set, as reference.json does, calibrates and counts.
func Measure(ctx context.Context, s *accuracy.Set, splits, threads int) (Result, error) {
	r := Result{Splits: splits, Intervals: map[string]Span{}}
	trainer := accuracy.Trainer{Threads: threads, Gradients: "i16"}
	all, test, err := s.Tables(ctx)
	if err != nil {
		return r, err
	}
	r.TestRows = test.NumRows()
	for split := range splits {
		trained, held := accuracy.SplitTable(s, all, split)
		r.Rows = held.NumRows()
		m, err := trainer.Train(ctx, s, trained, nil)
		if err != nil {
			return r, err
		}
		l := look{ctx: ctx, model: m, held: held, test: test, share: 1 / float64(splits)}
		if l.in, err = m.MetricInput(test, nil); err != nil {
			return r, err
		}
		if err := l.measure(&r); err != nil {
			return r, fmt.Errorf("split %d: %w", split, err)
		}
		if s.Task != "regression" {
			continue
		}
		if l.model, err = trainer.Train(ctx, s, trained, func(p *booster.Params) {
			p.Objective, p.Loss.Alpha = "quantile", []float64{0.05, 0.95}
		}); err != nil {
			return r, err
		}
		c, err := l.cover(calibrate.Params{Level: 0.9})
		if err != nil {
			return r, err
		}
		if r.Quantiles == nil {
			r.Quantiles = &Span{}
		}
		r.Quantiles.add(c.span(nil), l.share)
	}
	return r, nil
}

// look is one split.
type look struct {
	ctx        context.Context
	model      *booster.Model
	held, test *dataset.Table
	in         metrics.Input // of the test rows
	share      float64       // of the splits
}

func (l *look) measure(r *Result) error {
	for _, level := range levels {
		c, err := l.cover(calibrate.Params{Method: trust.None, Level: level})
		if err != nil {
			return err
		}
		key := strconv.FormatFloat(level, 'g', -1, 64)
		span := r.Intervals[key]
		span.add(c.span(nil), l.share)
		r.Kind, r.Intervals[key] = c.kind, span
	}
	if err := l.byGroup(r); err != nil || l.model.Classes() == nil {
		return err
	}
	return l.calibrate(r)
}

// covered is what intervals are for each test row.
type covered struct {
	kind            trust.Kind
	covers, insides []bool // of the label; without the margin itself
	width           []float64
	weights         []float64 // nil for all 1
}

// cover fits intervals and predicts them for the test rows.
func (l *look) cover(p calibrate.Params) (*covered, error) {
	m, _, err := calibrate.Fit(l.ctx, l.model, l.held, p)
	if err != nil {
		return nil, err
	}
	c := &covered{kind: m.Trust().Intervals.Kind, weights: l.in.Weights}
	if c.covers, c.width, err = l.spans(m); err != nil {
		return nil, err
	}
	narrower := *m.Trust()
	v := *narrower.Intervals
	v.Margin, v.Groups = below(v.Kind, v.Margin), slices.Clone(v.Groups)
	for i := range v.Groups {
		v.Groups[i].Margin = below(v.Kind, v.Groups[i].Margin)
	}
	narrower.Intervals = &v
	if m, err = m.WithTrust(&narrower); err != nil {
		return nil, err
	}
	c.insides, _, err = l.spans(m)
	return c, err
}

// below returns a margin that is less by so little that only the rows at it are lost, and by so much that no bound rounds to
// what it was.
func below(kind trust.Kind, margin float64) float64 {
	margin -= 1e-9 * max(1, math.Abs(margin))
	if kind != trust.Quantiles {
		margin = max(margin, 0)
	}
	return margin
}

// spans reports for each test row whether its label is covered, and how wide its interval is.
func (l *look) spans(m *model.Model) (covers []bool, width []float64, err error) {
	labels := l.in.Labels
	covers, width = make([]bool, len(labels)), make([]float64, len(labels))
	if m.Classes() == nil {
		bounds, err := m.PredictIntervals(l.ctx, l.test)
		if err != nil {
			return nil, nil, err
		}
		for i, y := range labels {
			covers[i], width[i] = bounds[2*i] <= y && y <= bounds[2*i+1], bounds[2*i+1]-bounds[2*i]
		}
		return covers, width, nil
	}
	member, err := m.PredictSets(l.ctx, l.test)
	if err != nil {
		return nil, nil, err
	}
	for i, y := range labels {
		set := member[i*len(m.Classes()):][:len(m.Classes())]
		covers[i] = set[int(y)]
		for _, in := range set {
			if in {
				width[i]++
			}
		}
	}
	return covers, width, nil
}

// span counts some rows, nil for all.
func (c *covered) span(rows []int) Span {
	if rows == nil {
		rows = make([]int, len(c.covers))
		for i := range rows {
			rows[i] = i
		}
	}
	var covers, insides, width, all detmath.Sum
	for _, row := range rows {
		w := 1.0
		if c.weights != nil {
			w = c.weights[row]
		}
		all.Add(w)
		width.AddWeighted(w, c.width[row])
		if c.covers[row] {
			covers.Add(w)
		}
		if c.insides[row] {
			insides.Add(w)
		}
	}
	n := all.Round()
	return Span{Coverage: covers.Round() / n, Inside: insides.Round() / n, Width: width.Round() / n}
}

// leastGroup is how many test rows a group that is counted has.
const leastGroup = 1000

// byGroup covers 0.9 of each level of the categorical column that has the fewest levels, but two such groups.
func (l *look) byGroup(r *Result) error {
	var rows map[string][]int
	for _, column := range l.model.Contents().FeatureColumns() {
		if column.Kind != dataset.Category || column.Crossed != nil {
			continue
		}
		found := rowsOf(l.test.Column(column.Name))
		if len(found) > 1 && (rows == nil || len(found) < len(rows)) {
			rows, r.By = found, column.Name
		}
	}
	if rows == nil {
		return nil
	}
	c, err := l.cover(calibrate.Params{Method: trust.None, Level: 0.9, By: r.By})
	if err != nil {
		return err
	}
	for _, level := range slices.Sorted(maps.Keys(rows)) {
		at := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Value == level })
		if at < 0 {
			at = len(r.Groups)
			r.Groups = append(r.Groups, Group{Value: level, Test: len(rows[level])})
		}
		r.Groups[at].Span.add(c.span(rows[level]), l.share)
	}
	return nil
}

// rowsOf returns the rows of each level that has enough.
func rowsOf(column *dataset.Column) map[string][]int {
	byCode := make([][]int, len(column.Levels()))
	for row, code := range column.Codes() {
		if code >= 0 {
			byCode[code] = append(byCode[code], row)
		}
	}
	rows := map[string][]int{}
	for code, of := range byCode {
		if len(of) >= leastGroup {
			rows[column.Levels()[code]] = of
		}
	}
	return rows
}

// calibrate compares probabilities before and after a calibration, on the test rows.
func (l *look) calibrate(r *Result) error {
	c, found, err := calibrate.Fit(l.ctx, l.model, l.held, calibrate.Params{})
	if few := (*trust.FewRowsError)(nil); errors.As(err, &few) {
		return nil // it has classes of less than five rows
	}
	if err != nil {
		return err
	}
	r.Methods = append(r.Methods, found.Method)
	if err := l.judge(&r.Before, l.model); err != nil {
		return err
	}
	return l.judge(&r.After, c)
}

// judge adds the share of a split.
func (l *look) judge(to *Chances, m *model.Model) error {
	values, err := m.Predict(l.ctx, l.test)
	if err != nil {
		return err
	}
	in := l.in
	in.Values = make([]float64, len(values))
	metrics.OutputMajor(values, m.Outputs(), in.Values)
	names := []string{"logloss", "ece"}
	if m.Outputs() > 1 {
		names[0] = "multi_logloss"
	}
	list, err := metrics.List(names)
	if err != nil {
		return err
	}
	to.LogLoss += l.share * list[0].Eval(in)
	to.ECE += l.share * list[1].Eval(in)
	return nil
}

// Off returns, in words, the coverages of at least LargeTest rows that are more than a point from their level; above it also
// without the rows at the margin.
func (r *Record) Off() []string {
	var off []string
	add := func(what string, level float64, s Span, rows int) {
		if rows >= LargeTest && (s.Coverage < level-0.01 || s.Inside > level+0.01) {
			off = append(off, fmt.Sprintf("%s: intervals of %v cover %.4f", what, level, s.Coverage))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Sets)) {
		set := r.Sets[name]
		for _, level := range levels {
			add(name, level, set.Intervals[strconv.FormatFloat(level, 'g', -1, 64)], set.TestRows)
		}
		if set.Quantiles != nil {
			add(name+", quantiles", 0.9, *set.Quantiles, set.TestRows)
		}
		for _, g := range set.Groups {
			add(name+", "+set.By+" "+g.Value, 0.9, g.Span, g.Test)
		}
	}
	return off
}
