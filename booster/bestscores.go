package booster

import "boost/booster/internal/scores"

// backToBest drops the rounds after the best one and returns the scores without them.
func (b *boosting) backToBest() []float64 {
	if b.best == b.done && !b.forest() {
		return b.scores
	}
	b.trees = b.trees[:b.best*b.outputs]
	if b.saved != nil {
		b.scores, b.saved = b.saved, nil
		return b.scores
	}
	scores.Start(b.scores, b.initial, b.base)
	b.addAll(b.trees, b.data.coded(), b.scores)
	return b.scores
}
