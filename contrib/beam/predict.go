// Package beam scores the rows of an Apache Beam pipeline with a model of boost.
package beam

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"boost/booster/model"
)

// Register makes Predict known to workers for rows of type T, a struct whose fields are the model's columns by their names or by tags
// `boost:"name"` (model.NewRowPredictor has the rules). A program calls it in an init function.
func Register[T any]() {
	register.DoFn2x1[T, func(T, []float64), error](&predict[T]{})
	register.Emitter2[T, []float64]()
}

// Predict returns each row of a collection of T with its predictions, one per output of the model, as a collection of KV<T, []float64>. file is
// the model's, as boost writes it. A row that the model cannot score, and a T that lacks a column, fail the pipeline.
func Predict[T any](s beam.Scope, file []byte, rows beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("boost.Predict"), &predict[T]{Model: file}, rows)
}

// predict is the step of Predict.
type predict[T any] struct {
	Model []byte

	scorer *model.RowPredictor[T]
}

// Setup loads the model.
func (p *predict[T]) Setup() error {
	m, err := model.Decode(p.Model)
	if err != nil {
		return err
	}
	p.scorer, err = model.NewRowPredictor[T](m)
	return err
}

// ProcessElement scores a row.
func (p *predict[T]) ProcessElement(row T, emit func(T, []float64)) error {
	predictions, err := p.scorer.Predict(&row)
	if err == nil {
		emit(row, predictions)
	}
	return err
}
