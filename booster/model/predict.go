package model

import (
	"context"
	"iter"

	"boost/booster/model/internal/infer"
	"boost/dataset"
	"boost/parallel"
	"boost/tree"
)

// Option says how a prediction runs. Only Rounds and EarlyStop change a result.
type Option = infer.Option

// Pool runs the prediction on a pool of the caller's, which serves nobody else meanwhile.
func Pool(p *parallel.Pool) Option { return infer.Pool(p) }

// Threads runs the prediction on up to n threads. Fewer than 1, like no option at
// all, means as many as the process may use.
func Threads(n int) Option { return infer.Threads(n) }

// Rounds predicts with the first k rounds only, 0 … Model.Rounds: to the last bit what
// Model.Prefix(k) predicts. With another k the prediction is an error, and so it is with k below Model.Rounds where the
// prediction is calibrated (see Model.Trust).
func Rounds(k int) Option { return infer.Rounds(k) }

// EarlyStop lets rows stop before the last tree, where those that are left cannot change
// what is asked for, whatever leaves the row reaches in them.
//
// With PredictClass the allowance is 0: a row stops when its class is certain, and the
// classes are those of a prediction without the option. With Predict and PredictRaw the
// allowance is above 0, and no raw score of a row differs from the one without the option
// by more than it; the score is then the middle of what is possible. Results do not
// depend on threads or instruction sets here either. Anything else is an error, and so
// is a model whose classes do not follow from raw scores by a logistic or softmax link, or whose
// predictions are calibrated.
func EarlyStop(allowance float64) Option { return infer.EarlyStop(allowance) }

// Predict returns the predictions for a table, rows × outputs, row-major: the number,
// the probability of the positive class (one column), or one probability per class, calibrated
// where the model is (see Trust).
// The table is coerced to the model's schema; one that lacks a feature column is an
// error that wraps dataset.ErrTable.
func (m *Model) Predict(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	return m.engine.Predictor().Predict(ctx, t, opts...)
}

// PredictRaw returns the raw scores, before the link, rows × outputs, row-major.
func (m *Model) PredictRaw(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	return m.engine.Predictor().PredictRaw(ctx, t, opts...)
}

// PredictClass returns for each row the index of its class in Classes: with one
// output the second class where its probability is above one half, or above the model's threshold
// (trust.Trust.PositiveAbove), else the class with the highest probability, the lower index among equals. A model without
// classes is an error.
func (m *Model) PredictClass(ctx context.Context, t *dataset.Table, opts ...Option) ([]int32, error) {
	return m.engine.Predictor().PredictClass(ctx, t, opts...)
}

// PredictLeaf returns the leaf of each row in each tree, rows × trees, row-major.
func (m *Model) PredictLeaf(ctx context.Context, t *dataset.Table, opts ...Option) ([]int32, error) {
	return m.engine.Predictor().PredictLeaf(ctx, t, opts...)
}

// Contributions divides the raw scores of rows among the features: rows × outputs × (features + 1), row-major, where
// the last is what a row has of which nothing is known, and the others are the Shapley values of the features, in the
// order of FeatureNames (see tree/shapley: Lundberg et al. 2018, path-dependent). All of an output together are its raw score, without
// init scores. A compressed model, which has no covers, returns ErrNoStatistics, and one with linear leaves an error. Of the options Rounds
// counts.
func (m *Model) Contributions(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	return m.engine.Contributions(ctx, t, opts)
}

// CheckContributions returns why Contributions fails for this model, whatever the table, nil where it does not.
func (m *Model) CheckContributions() error { return m.engine.CheckContributions() }

// Stage is the predictions for a table after some rounds; see Model.Staged.
type Stage = infer.Stage

// Staged predicts a table after every so many rounds and after the last: each stage adds its
// trees to the scores of the one before, so that all together cost one prediction. The scores
// of a stage are those of a prediction with Rounds, bit for bit. It takes the memory of the
// rows' codes, and 16 bytes per row and output.
//
// An error, such as those of Predict, is the last thing that is yielded, with a nil Stage.
// A Stage must not be used after the next one was asked for.
func (m *Model) Staged(ctx context.Context, t *dataset.Table, every int, opts ...Option) iter.Seq2[*Stage, error] {
	return m.engine.Staged(ctx, t, every, opts)
}

// PredictValues writes the predictions for one row to out, one per output, as Predict makes
// them for a table. values are those of the schema's feature columns, in order: numbers,
// or for a category the index of its level in the column's Levels (see LevelIndex), of a crossed column that of
// dataset.CrossedLevel; NaN is missing, a number that dataset.Missing names is a number, and another number than such an index is a level that the model does not know.
// Init scores are 0. It allocates nothing, but for a calibration of more than 32 classes, and is safe for concurrent
// use. It panics where values or out have another length than the model has features or outputs.
func (m *Model) PredictValues(values, out []float64) { m.engine.PredictValues(values, out) }

// PredictValuesRaw is PredictValues for the raw scores, before the link.
func (m *Model) PredictValuesRaw(values, out []float64) { m.engine.PredictValuesRaw(values, out) }

// PredictMatrix returns the predictions for rows of values that stand one after the other,
// rows × outputs, row-major: those that PredictValues makes for each row, in the time that
// Predict takes for a table. A row has the values of the schema's feature columns, in order:
// numbers, or for a category the index of its level in the column's Levels; NaN is missing.
// Init scores are 0. Values that do not fill whole rows are an error.
func PredictMatrix[T float32 | float64](ctx context.Context, m *Model, values []T, opts ...Option) ([]float64, error) {
	return infer.PredictMatrix(ctx, m.engine, values, opts)
}

// PredictMatrixRaw is PredictMatrix for the raw scores, before the link.
func PredictMatrixRaw[T float32 | float64](ctx context.Context, m *Model, values []T, opts ...Option) ([]float64, error) {
	return infer.PredictMatrixRaw(ctx, m.engine, values, opts)
}

// Coded is rows as trees see them: their codes, and the values of features where leaves are linear.
type Coded = infer.Coded

// AddScores adds to scores[row] the value of the row's leaf, for rows lo … hi-1. It allocates
// nothing once warm, and concurrent calls on disjoint rows are safe. The tree must be
// valid.
func AddScores(t *tree.Tree, of Coded, lo, hi int, scores []float64) {
	infer.AddScores(t, of, lo, hi, scores)
}

// AddTree is AddScores for all rows, or the listed ones where rows is not nil, by blocks of rows on a pool.
func AddTree(pool *parallel.Pool, t *tree.Tree, of Coded, rows []uint32, scores []float64) {
	infer.AddTree(pool, t, of, rows, scores)
}

// AddPlanned is AddTree for all rows, tile by tile. It reports false, and adds nothing, where rows have to be listed.
func AddPlanned(pool *parallel.Pool, t *tree.Tree, of Coded, scores []float64) bool {
	return infer.AddPlanned(pool, t, of, scores)
}

// AddTrees adds trees, those of each round in the order of outputs, to the scores of all rows, output-major.
func AddTrees(pool *parallel.Pool, trees []tree.Tree, outputs int, of Coded, scores []float64) {
	infer.AddTrees(pool, trees, outputs, of, scores)
}

// FromInitScores reports whether the model was trained from init scores. Its predictions
// add to those of a table; where that has none they add to 0, and are what the model
// itself contributes.
func (m *Model) FromInitScores() bool { return m.engine.FromInitScores() }

// LacksInitScores reports whether the model was trained from init scores and a table,
// read with the model's schema, has none.
func (m *Model) LacksInitScores(t *dataset.Table) bool { return m.engine.LacksInitScores(t) }
