package model

import (
	"context"

	"boost/booster/trust"
	"boost/dataset"
	"boost/objectives/metrics"
)

// Trust returns what is known of how far the predictions can be trusted: their calibration, the threshold of their classes
// and their intervals. It is nil for a model that was not calibrated, and must not be changed.
func (m *Model) Trust() *trust.Trust { return m.contents.Trust }

// WithTrust returns the model with another calibration, threshold and intervals, and nothing else changed; nil takes them
// away. What does not fit the model is an error. Models that are made of it by other methods, such as Prefix, have none:
// their predictions are others. t must not be changed afterwards.
func (m *Model) WithTrust(t *trust.Trust) (*Model, error) {
	c := *m.contents
	c.Trust = t
	return New(c)
}

// Mapping returns what makes predictions of raw scores: the link, and the calibration where the model has one.
func (m *Model) Mapping() metrics.Link { return m.contents.Mapping() }

// PredictIntervals returns the lower and the upper bound of each row's label, rows × 2, row-major. They cover the share of
// new rows that the intervals were made for (trust.Intervals.Level). A model without such intervals is an error, and so are
// Rounds, unless all are asked for, and EarlyStop.
func (m *Model) PredictIntervals(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	return m.engine.Predictor().PredictIntervals(ctx, t, opts...)
}

// PredictSets reports for each row which classes are in its set, rows × classes, row-major. The class of a new row is in it
// as often as the sets were made for; a set can be empty, where no class is probable enough. Errors are those of
// PredictIntervals.
func (m *Model) PredictSets(ctx context.Context, t *dataset.Table, opts ...Option) ([]bool, error) {
	return m.engine.Predictor().PredictSets(ctx, t, opts...)
}

// Trust is Model.Trust.
func (c *Compact) Trust() *trust.Trust { return c.head().Contents().Trust }

// Mapping is Model.Mapping.
func (c *Compact) Mapping() metrics.Link { return c.head().Contents().Mapping() }

// PredictIntervals is Model.PredictIntervals.
func (c *Compact) PredictIntervals(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	return c.predictor().PredictIntervals(ctx, t, opts...)
}

// PredictSets is Model.PredictSets.
func (c *Compact) PredictSets(ctx context.Context, t *dataset.Table, opts ...Option) ([]bool, error) {
	return c.predictor().PredictSets(ctx, t, opts...)
}
