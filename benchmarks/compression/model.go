package compression

import (
	"context"
	"fmt"

	"boost/benchmarks/accuracy"
	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/ptq/compress"
)

// Sets are the data sets whose models are measured: numbers, two classes and more, 2,300 to 37,000
// training rows.
var Sets = []string{"ames_housing", "california_housing", "diamonds", "protein_casp", "adult", "lightgbm_binary", "spambase", "wine_quality", "digits"}

// Model is a trained model and the rows that it is judged by.
type Model struct {
	Set         *accuracy.Set
	Model       *model.Model
	Train, Test *dataset.Table
	Loss        float64 // on the test rows, by accuracy.Set.Metric

	params booster.Params
}

// New trains a model on a set by the settings of reference.json: 200 rounds of 31 leaves.
func New(ctx context.Context, set *accuracy.Set, threads int) (*Model, error) {
	m := &Model{Set: set}
	var err error
	if m.Train, m.Test, err = set.Tables(ctx); err != nil {
		return nil, err
	}
	m.params = booster.Defaults()
	m.params.Objective, m.params.Rounds, m.params.Threads = set.Task, set.Rounds, threads
	if m.Model, err = booster.Train(ctx, m.params, m.Train); err != nil {
		return nil, err
	}
	m.Loss, err = set.LossOf(ctx, m.Model, m.Test)
	return m, err
}

// Figure is what one way of storing a model's leaves came to.
type Figure struct {
	Way    string  `json:"way"`    // the form, and what else there is to say
	Cosine float64 `json:"cosine"` // of all leaves
	Bytes  float64 `json:"bytes"`  // a leaf, scales included
	Square float64 `json:"square"` // error, as a share of the leaves' own sum of squares
	Raw    float64 `json:"raw"`    // largest change of a raw score on the test rows
	Bound  float64 `json:"bound"`  // largest of the outputs' bounds, without data
	Change float64 `json:"change"` // of the loss on the test rows, as a share of it
}

// figure measures leaves that stand for those of the model.
func (m *Model) figure(ctx context.Context, way string, l *compress.Leaves) (Figure, error) {
	f := Figure{Way: way}
	other, err := l.Apply(m.Model)
	if err != nil {
		return f, fmt.Errorf("%s: %w", way, err)
	}
	if err := m.compare(ctx, &f, other); err != nil {
		return f, fmt.Errorf("%s: %w", way, err)
	}
	f.Bytes = float64(l.Bytes()) / float64(l.Values.Len())
	for k := range l.Bound {
		f.Bound = max(f.Bound, l.ScoreBound(k, m.Model.Contents().BaseScore[k]))
	}
	if f.Raw > f.Bound {
		return f, fmt.Errorf("%s: a raw score changes by %v, beyond the bound %v", way, f.Raw, f.Bound)
	}
	return f, nil
}

// compare fills in what follows from predictions and leaves.
func (m *Model) compare(ctx context.Context, f *Figure, other *model.Model) error {
	c, err := compress.Compare(ctx, m.Model, other, m.Test, []string{})
	if err != nil {
		return err
	}
	own := 0.0
	for _, v := range m.Model.Leaves() {
		own += v * v
	}
	f.Cosine, f.Raw, f.Square = c.Cosine, c.Data.MaxRaw, c.MSE*float64(c.Leaves)/own
	loss, err := m.Set.LossOf(ctx, other, m.Test)
	f.Change = loss/m.Loss - 1
	return err
}
