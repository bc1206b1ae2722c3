package booster

import (
	"fmt"

	"boost/histogram"
)

// plan is the way that histograms are built. It never changes a model, since all ways give the
// same sums.
type plan struct {
	strategy histogram.Strategy
	direct   bool // no histograms are built, but direct sums
	mirrored bool // the copy by rows is read
	reason   string
}

// name returns the word for the plan in logs and reports.
func (p plan) name() string {
	if p.direct {
		return "direct"
	}
	return p.strategy.String()
}

// choosePlan settles how histograms are built, by the parameters and the table's shape.
func (t *trainer) choosePlan() (plan, error) {
	mirrored := len(t.mirrored()) > 0
	strategy, reason, err := histogram.Choose(t.p.Builder, t.matrix, mirrored, t.pool.Threads())
	if err != nil {
		return plan{}, fmt.Errorf("%w: train.builder: %w", ErrParams, err)
	}
	if t.direct() {
		return plan{strategy: strategy, direct: true, reason: fmt.Sprintf(
			"histograms of %d codes in %d features would cost more than the cells: sums are kept of the features that can be split only",
			t.matrix.Offsets()[t.matrix.NFeatures()], t.matrix.NFeatures())}, nil
	}
	return plan{strategy: strategy, mirrored: mirrored && strategy != histogram.FeatureParallel, reason: reason}, nil
}

// direct says that sums are kept of the features that can be split only: where no
// builder was asked for.
func (t *trainer) direct() bool {
	return t.anyBuilder() && histogram.PreferSparse(t.matrix, t.p.Tree.Leaves)
}

func (t *trainer) anyBuilder() bool { return t.p.Builder == "" || t.p.Builder == "auto" }
