package evaluation

import (
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/predictions"
	"boost/objectives"
	"boost/objectives/metrics"
)

// Model is what predicts: a model as either load gives it.
type Model interface {
	predictions.Model
	Objective() string
	DefaultMetrics() ([]string, error)
	MetricInput(*dataset.Table, []string) (metrics.Input, error)
	Link() objectives.Link
	Mapping() metrics.Link
	Labels() []string
	Rounds() int
	Averaged() int
	Ensembles() model.Ensembles
	NumTrees() int
}
