package booster

import "time"

// Eval is one metric on one set.
type Eval struct {
	Set, Metric string
	Value       float64 // NaN where undefined
}

// Round describes a finished round.
type Round struct {
	Index, Of int    // 0-based number, and Params.Rounds; rounds of the base model count in both
	Evals     []Eval // of this round; empty in rounds that are not evaluated
	Best      int    // rounds in the best model so far; Index+1 where early stopping is off
	Elapsed   time.Duration
}

// Reasons why training ended.
const (
	StoppedRounds      = "rounds"
	StoppedEarly       = "early_stopping"
	StoppedTimeLimit   = "time_limit"
	StoppedInterrupted = "interrupted"
	StoppedUnsplit     = "no_splits" // of the trees of the first ten rounds
)

// Report describes a training run: what depends on the machine and the moment, and
// so has no place in the model.
type Report struct {
	Objective         string
	Rounds, BestRound int    // rounds trained, rounds kept; with those of the base model
	Resumed           int    // rounds that came from a checkpoint
	Stopped           string // one of the Stopped constants
	// Metrics holds the values at the best round by set ("train", "valid", …) and metric.
	Metrics      map[string]map[string]float64
	BinSeconds   float64 // finding cuts and packing codes, of all sets
	TrainSeconds float64 // rounds
	ScoreSeconds float64 // the metrics of the rounds that are kept
	Builder      string  // "sequential", "feature" or "row", or "direct" where no histograms were built
	Gradients    string
	Threads      int
	PeakBytes    int64 // estimate of the buffers of training
	ListBytes    int64 // of them, lists of slots beside the codes, which are left out where there is no room
	// HeldOut are the rows of the training table that were held out for early stopping, in
	// ascending order; nil where none were.
	HeldOut []int32
	// Retrained is set where the model was trained again on all rows, with those held out (Params.Retrain). Rounds, Stopped and the
	// metrics of the rows held out are of the first training.
	Retrained bool
	Blended   int // models that were averaged (Params.Blend), of which the first has BestRound rounds; 0 = one model
	Bagged    int // models that were averaged (Params.BagFolds), each of BestRound rounds; 0 = one model
}
