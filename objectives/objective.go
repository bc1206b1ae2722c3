package objectives

// Link names the function from raw scores to predictions. It is stored in the
// model by name, so that a loaded model's value is defined.
type Link string

// The links.
const (
	Identity Link = "identity"   // value = raw
	Logistic Link = "logistic"   // value = 1/(1+exp(-raw))
	Softmax  Link = "softmax"    // value_k = exp(raw_k)/Σ exp(raw_j)
	Exp      Link = "exp"        // value = exp(raw)
	Expm1    Link = "expm1"      // value = exp(raw) − 1
	OneVsAll Link = "one_vs_all" // value_k = p_k/Σ p_j, p = 1/(1+exp(-raw))
	Softplus Link = "softplus"   // value = log(1 + exp(raw))
	Sorted   Link = "sorted"     // values = the raw scores of a row, ascending
)

// Rows holds what an objective sees of the training rows.
type Rows struct {
	Labels    []float64     // one per row: the number, the class index 0 … K-1, or the time, negative if censored
	Targets   [][]float64   // where a row has several labels: each of them, by row; Labels is the first. Nil of one label
	Weights   []float64     // one per row, ≥ 0; nil means all 1
	Upper     []float64     // of times in intervals: up to when each event came, +Inf for any time, where Labels is from when on, 0 or more; nil otherwise
	Queries   []int         // row with which each query begins, and the number of rows behind them; nil without queries
	Order     []int32       // of an OfAllRows: the rows as its Order returns them; nil: it finds them itself
	Positions *PositionBias // of lambdarank, where rows have positions; nil otherwise
	Round     int           // of training, from 0; only Gradients may depend on it
	First     int           // number of the first row among those of all ranks of a training, by which random numbers count rows
	Seed      uint64        // of random numbers, which are a function of it, the round and the row
}

// Objective is a loss to be minimised. Implement it to train on a loss of your own.
// Implementations must be safe for concurrent calls of Gradients on disjoint ranges
// and must compute the same numbers for a row whatever the range it came in.
type Objective interface {
	// Name is stored in the model.
	Name() string
	// Outputs returns K, the number of raw scores of a row and of trees in a round.
	Outputs() int
	// Link returns the function from raw scores to predictions.
	Link() Link
	// Check reports the first label that the loss is not defined for.
	Check(rows Rows) error
	// BaseScore returns the K raw scores that training starts from. Rows have passed Check.
	BaseScore(rows Rows) ([]float64, error)
	// Gradients writes the first and second derivative of the weighted loss by the raw score
	// for rows lo … hi-1 that have passed Check. scores, grad and hess are output-major: entry k*n + row, n = len(rows.Labels).
	Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32)
}

// StepLimiter is an Objective that bounds leaf values: before the learning rate, no
// leaf is farther from 0 than MaxStep. Newton's step Σg/Σh grows without bound where
// a loss is nearly flat, far beyond where its second derivative says anything.
type StepLimiter interface {
	Objective
	MaxStep() float64
}

// QuantileLeaves is an Objective whose gradients choose the splits but tell little of how far a leaf is from its rows'
// labels. A leaf's value is instead the quantile at LeafLevel(output), in (0, 1), of label − score over its rows, each weighted by its
// hessian.
type QuantileLeaves interface {
	Objective
	LeafLevel(output int) float64
}

// maxLogit is the longest step of the losses of classes. A logit of 30 is a chance of
// 1 − 10⁻¹³: a longer step only overshoots, and the next rounds with it.
const maxLogit = 30
