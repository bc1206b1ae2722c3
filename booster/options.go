package booster

import (
	"errors"
	"fmt"
	"log/slog"
	"math"

	"boost/booster/cache"
	"boost/booster/internal/budget"
	"boost/booster/internal/holdout"
	"boost/booster/internal/source"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/comm"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/parallel"
)

// Model is a trained model; see package model.
type Model = model.Model

// LoadModel reads a model that Model.Save wrote. Every error wraps model.ErrModel, begins with the
// path and says what is wrong with the file.
func LoadModel(path string) (*Model, error) { return model.Load(path) }

// NumericsVersion changes whenever the same data, parameters and seed give other
// model bytes than before (docs/architecture.md, Numerics 9). It is stored in every model.
const NumericsVersion = 9

// ErrInterrupted is wrapped by Train's error when its context was cancelled.
var ErrInterrupted = errors.New("training was interrupted")

// ErrBudget is wrapped by Train's error when nothing could be made within the time
// or memory limit.
var ErrBudget = budget.ErrOver

// ErrCache is wrapped by errors about a cache file that cannot be used. TrainOn returns it if only
// training shows that the cache holds other rows than the run's: read the tables anew and train again.
var ErrCache = cache.ErrUnusable

// ErrParams is wrapped by every error of Params.Validate.
var ErrParams = errors.New("invalid parameter")

// Option changes one training run.
type Option func(*options)

type options struct {
	baseModel *Model // training goes on from it; nil for from nothing
	valid     []validSet
	earlyStop *int
	custom    objectives.Objective // in place of Params.Objective; nil for none
	metrics   [2][]metrics.Metric  // before and behind those of the parameters
	onRound   func(Round)
	log       *slog.Logger
	report    *Report
	pool      *parallel.Pool
	cache     *cache.Task // to be written
	store     func(tree int, values []float64) error
	saves     Checkpoints
	most      int            // rounds of the model after which training ends; 0 = those of the parameters
	rows      *holdout.Lists // nil for all
	stopWhen  func(Round) (best int, stop bool)
	rateBy    func(before Round) float64

	ranks      comm.Comm // nil for one process
	byFeatures bool      // they have the same rows

	everyHessian bool // without the shortcut of equal hessians
	memory       budget.Machine
}

type validSet struct {
	name   string
	source source.Source
}

// Valid adds a validation set, scored after every evaluated round. The first one
// decides early stopping. Its table is best read with dataset.As(train.Schema()).
func Valid(name string, t *dataset.Table) Option { return ValidOn(name, InMemory(t)) }

// ValidOn is Valid for rows that need not be in memory. Files have to be opened with
// dataset.As(the training table's schema).
func ValidOn(name string, d Data) Option {
	return func(o *options) { o.valid = append(o.valid, validSet{name, d.source}) }
}

// EarlyStop sets Params.EarlyStopping: training ends after so many rounds without a
// better first metric on the first validation set. Without a validation set a
// tenth of the rows of each class (regression: of all rows) is held out for it.
func EarlyStop(rounds int) Option { return func(o *options) { o.earlyStop = &rounds } }

// WithObjective trains on a loss of your own instead of Params.Objective, made with objectives.FromFunc
// or by implementing the interface. Its link is stored, so that a loaded model predicts without it.
func WithObjective(objective objectives.Objective) Option {
	return func(o *options) { o.custom = objective }
}

// WithMetric adds a metric of your own after those of Params.Metrics, made with metrics.FromFunc or by
// implementing the interface.
func WithMetric(m metrics.Metric) Option {
	return func(o *options) { o.metrics[1] = append(o.metrics[1], m) }
}

// LedBy is WithMetric for the metric that leads early stopping: it comes before all others.
func LedBy(m metrics.Metric) Option { return func(o *options) { o.metrics[0] = []metrics.Metric{m} } }

// OnRound calls f after every round, from the goroutine that called Train. The
// Evals it is given are overwritten by the next round.
func OnRound(f func(Round)) Option { return func(o *options) { o.onRound = f } }

// Logger receives lossy or surprising choices, once each, with their reasons.
func Logger(l *slog.Logger) Option { return func(o *options) { o.log = l } }

// WithReport fills r before Train returns, also when it returns an error with a model.
func WithReport(r *Report) Option { return func(o *options) { o.report = r } }

// WithPool runs on a pool of the caller's instead of one of Params.Threads workers.
func WithPool(p *parallel.Pool) Option { return func(o *options) { o.pool = p } }

// WithCache writes the codes of the tables to a cache as they are found.
func WithCache(task *cache.Task) Option { return func(o *options) { o.cache = task } }

// StoreLeaves calls f once for each tree, in their order. f replaces the leaf values by what is kept of
// them, as in a model that is stored in fewer bits. The scores of rows are updated afterwards, so
// that later trees correct what was lost. Values that are not finite, and errors, end the run.
func StoreLeaves(f func(tree int, values []float64) error) Option {
	return func(o *options) { o.store = f }
}

// keep replaces the leaf values of a tree by what is stored of them.
func (o *options) keep(tree int, values []float64) error {
	if o.store == nil {
		return nil
	}
	if err := o.store(tree, values); err != nil {
		return fmt.Errorf("tree %d cannot be stored: %w", tree, err)
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("tree %d cannot be stored: leaf %d would be %v", tree, i, v)
		}
	}
	return nil
}
