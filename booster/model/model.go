package model

import (
	"crypto/sha256"
	"slices"
	"sync"
	"sync/atomic"

	"boost/booster/model/internal/infer"
	"boost/dataset"
	"boost/internal/kernel/predict"
	"boost/objectives"
	"boost/objectives/metrics"
)

// Model is a trained model. It is immutable and safe for concurrent use.
type Model struct {
	contents *Contents
	engine   *infer.Engine

	levelsReady sync.Once
	levels      []map[string]int // by feature; see LevelIndex

	rowsReady sync.Once
	rows      *rowReader // see PredictRow
	rowsError error

	digest atomic.Pointer[[sha256.Size]byte] // see SHA256; nil until known
}

// New checks the contents and makes a model of them. The model keeps the slices that
// it is given: they must not be changed afterwards. Params are stored with sorted
// keys, and history values that are not finite become null. Errors name what is
// wrong; they do not wrap ErrModel.
func New(c Contents) (*Model, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if err := c.CheckOrder(); err != nil {
		return nil, err
	}
	return compile(&c), nil
}

// compile makes a model of contents that were checked.
func compile(c *Contents) *Model {
	return &Model{contents: c, engine: infer.New(c, predict.Best())}
}

// Contents returns what the model is made of. It must not be changed.
func (m *Model) Contents() *Contents { return m.contents }

// Schema returns the columns the model was trained on: tables to predict are read
// with dataset.As(m.Schema()). It must not be changed.
func (m *Model) Schema() dataset.Schema { return m.contents.Schema }

// Averaged returns of how many models the model, or a part of it, is the mean (train.bag_folds), 0 for one. Their rounds stand one behind
// the other: the first K are of no use by themselves.
func (m *Model) Averaged() int { return m.contents.Averaged() }

// Ensembles returns the rounds that count together only.
func (m *Model) Ensembles() Ensembles { return m.contents.Ensembles() }

// Outputs returns K, the number of predictions per row.
func (m *Model) Outputs() int { return m.contents.Outputs }

// Classes returns the names of the classes in the order of their indices, nil for a
// model without classes. Of two, the second is the positive one. The slice must not
// be changed.
func (m *Model) Classes() []string { return m.contents.Classes }

// HasCrossed reports whether the model has crossed columns.
func (m *Model) HasCrossed() bool {
	return slices.Max(append(m.contents.Schema.CrossedFeatures(), 0)) > 0
}

// Labels returns the names of the label columns, one for each output where there are several; nil for a model that names none.
func (m *Model) Labels() []string { return m.contents.Labels() }

// OutputNames returns what the predictions of several outputs are called: the classes, the labels, or quantile_0.1 and so on. It is nil for one
// output. The slice must not be changed.
func (m *Model) OutputNames() []string { return m.contents.OutputNames() }

// NumericClasses reports whether class labels compare as numbers ("1" = "1.0").
func (m *Model) NumericClasses() bool { return m.contents.NumericClasses }

// Objective returns the name of the loss that the model was trained for.
func (m *Model) Objective() string { return m.contents.Objective }

// DefaultMetrics returns the names of the metrics that are evaluated if none are named; the first led early stopping by default.
func (m *Model) DefaultMetrics() ([]string, error) { return m.contents.DefaultMetrics() }

// MetricInput returns what metrics of these names need to know of a table's rows: labels, weights, queries, and what the model's loss
// says of them; all but the predictions. The table was read with the model's schema, and has its labels.
func (m *Model) MetricInput(t *dataset.Table, names []string) (metrics.Input, error) {
	return m.contents.MetricInput(t, names)
}

// Link returns the function from raw scores to predictions.
func (m *Model) Link() objectives.Link { return m.contents.Link }

// Rounds returns the number of rounds whose trees the model keeps.
func (m *Model) Rounds() int { return m.contents.BestRound }

// Judged returns the rounds kept of the model that the history is of: Rounds, or, where the model is the mean of several (train.blend),
// those of the first.
func (m *Model) Judged() int {
	if c := m.contents; len(c.Segments) > 0 && c.After == 0 && c.Origin == nil && c.Averaged() > 0 {
		return c.Segments[0].Rounds
	}
	return m.contents.BestRound
}

// NumTrees returns the number of trees: rounds × outputs.
func (m *Model) NumTrees() int { return len(m.contents.Trees) }
