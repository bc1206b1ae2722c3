package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"boost/booster/model"
	"boost/dataset"
	"boost/parallel"
	"boost/ptq"
	"boost/ptq/compress"
)

// Floor is how much worse than the model that was added a form of it may be.
type Floor struct {
	// MaxDelta is what a raw score may change by, whatever the row: 0 allows no change at
	// all, +Inf any.
	MaxDelta float64
	// MaxLoss is by which share of itself the metric may get worse on the table that the model was
	// added with, 0.001 for 0.1 %; +Inf: by any.
	MaxLoss float64
}

// NoFloor allows every form.
var NoFloor = Floor{math.Inf(1), math.Inf(1)}

func (f Floor) check() error {
	if !(f.MaxDelta >= 0) || !(f.MaxLoss >= 0) {
		return fmt.Errorf("a floor of %v and %v: expected numbers of 0 or more, +Inf for no limit", f.MaxDelta, f.MaxLoss)
	}
	return nil
}

// Certificate says what the leaves of a model in so many bits change (S3.60).
type Certificate struct {
	Bits  int   `json:"bits"`
	Bytes int64 `json:"bytes"` // of the codes and their scales
	// Bound is for each output the sum over its trees of the largest |leaf − stored leaf|,
	// rounded up; Scores what no raw score that starts from the base score changes by more than as
	// it is computed (compress.Leaves.ScoreBound).
	Bound  []float64 `json:"bound"`
	Scores []float64 `json:"scores"`
	// Data is the fingerprint of the table that the model was added with, TrainingData says that it
	// was trained on these rows.
	Data         string `json:"data,omitempty"`
	TrainingData bool   `json:"training_data,omitempty"`
	// Metric was Before for the model as it was added and After in this form, on Rows rows of the table
	// that it was added with; "" without one.
	Metric         string  `json:"metric,omitempty"`
	HigherIsBetter bool    `json:"higher_is_better,omitempty"`
	Rows           int     `json:"rows,omitempty"`
	Before         float64 `json:"before,omitempty"`
	After          float64 `json:"after,omitempty"`
}

// Delta is what a raw score of any output changes by at most.
func (c *Certificate) Delta() float64 { return slices.Max(c.Scores) }

// Loss is by which share of itself the metric got worse, negative where it got better; NaN without a table.
func (c *Certificate) Loss() float64 {
	switch {
	case c.Metric == "":
		return math.NaN()
	case c.Before == c.After:
		return 0
	case c.HigherIsBetter:
		return (c.Before - c.After) / math.Abs(c.Before)
	}
	return (c.After - c.Before) / math.Abs(c.Before)
}

// within reports whether the form is no worse than the floor allows.
func (f Floor) within(c *Certificate) bool {
	if c.Delta() == 0 {
		return true
	}
	if !(c.Delta() <= f.MaxDelta) {
		return false
	}
	return math.IsInf(f.MaxLoss, 1) || c.Loss() <= f.MaxLoss
}

// forms are the widths that a registry keeps leaves in, and what they are in files.
var forms = map[int]ptq.Form{8: ptq.FormHot, 7: ptq.FormWarm, 5: ptq.FormWarm5, 3: ptq.FormCold}

// exactly is more bits than any form has: the model is read as it was added, or not at all.
const exactly = 9

// widths are those bits, descending.
var widths = []int{8, 7, 5, 3}

// certify measures what a model loses in each width, which is what it loses narrowed.
func certify(ctx context.Context, full, narrow *model.Model, t *dataset.Table, opts []compress.Option) ([]Certificate, error) {
	tensor, err := compress.Open(narrow)
	if err != nil {
		return nil, err
	}
	var names []string
	if t != nil {
		if names, err = narrow.DefaultMetrics(); err != nil {
			return nil, err
		}
		names = names[:1]
	}
	data, err := fingerprint(full, t)
	if err != nil {
		return nil, err
	}
	var all []Certificate
	for _, b := range widths {
		leaves, err := tensor.Morph(forms[b], compress.Calibration{})
		if err != nil {
			return nil, err
		}
		c := Certificate{Bits: b, Bytes: leaves.Bytes(), Bound: leaves.Bound}
		for k, start := range narrow.Contents().BaseScore {
			c.Scores = append(c.Scores, leaves.ScoreBound(k, start))
		}
		if !(c.Delta() <= math.MaxFloat64) {
			return nil, fmt.Errorf("leaves in %d bits may change scores beyond all numbers", b)
		}
		if t != nil {
			if err := c.compare(ctx, narrow, leaves, t, names, opts); err != nil {
				return nil, err
			}
			c.Data, c.TrainingData = data, narrow.Contents().TrainedOn(data)
		}
		all = append(all, c)
	}
	return all, nil
}

// fingerprint is that of a table as a model reads it; "" without one.
func fingerprint(m *model.Model, t *dataset.Table) (string, error) {
	if t == nil {
		return "", nil
	}
	t, err := t.As(m.Schema())
	if err != nil {
		return "", err
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	return t.Fingerprint(pool), nil
}

func (c *Certificate) compare(ctx context.Context, full *model.Model, leaves *compress.Leaves, t *dataset.Table, names []string, opts []compress.Option) error {
	small, err := leaves.Apply(full)
	if err != nil {
		return err
	}
	found, err := compress.Compare(ctx, full, small, t, names, opts...)
	if err != nil {
		return err
	}
	if len(found.Data.Metrics) == 0 {
		return fmt.Errorf("a table without labels says nothing of the loss")
	}
	m := found.Data.Metrics[0]
	if !(math.Abs(m.A) <= math.MaxFloat64 && math.Abs(m.B) <= math.MaxFloat64) {
		return fmt.Errorf("%s is %v for the model and %v for its leaves in %d bits: it says nothing of the loss", m.Name, m.A, m.B, c.Bits)
	}
	c.Metric, c.HigherIsBetter, c.Rows, c.Before, c.After = m.Name, m.HigherIsBetter, found.Data.Rows, m.A, m.B
	return nil
}

// least returns the fewest bits that a floor allows: those down to which every form is within it.
func (f Floor) least(certificates []Certificate) int {
	bits := exactly
	for i := range certificates {
		if !f.within(&certificates[i]) {
			break
		}
		bits = certificates[i].Bits
	}
	return bits
}

// json is the certificate as the manifest of a compressed model holds it.
func (c *Certificate) json() (json.RawMessage, error) {
	full := compress.Certificate{Method: compress.ByLeaves, RawBound: c.Bound}
	if c.Metric != "" {
		full.Data, full.TrainingData, full.Metric, full.Rows, full.Before, full.After = c.Data, c.TrainingData, c.Metric, c.Rows, c.Before, c.After
	}
	return full.JSON()
}
