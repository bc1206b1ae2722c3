package booster

import "boost/parallel"

// bestScores are the raw scores of the training rows after the best round, which early
// stopping goes back to. They cost 8 bytes per row and output, and save another pass of all kept trees
// over the rows.
type bestScores struct {
	kept []float64 // nil where they are not kept
	of   []float64 // what is copied
}

// save copies the scores.
func (s *bestScores) save(scores []float64, pool *parallel.Pool) {
	s.of = scores
	pool.Do(parallel.Blocks(len(scores), saveBlock), s)
}

// saveBlock is the number of scores that a task copies: 1 MiB, from which on copying goes
// past the caches and takes 0.6 of the time.
const saveBlock = 1 << 17

// Run copies one block.
func (s *bestScores) Run(_, block int) {
	lo, hi := parallel.Block(block, len(s.of), saveBlock)
	copy(s.kept[lo:hi], s.of[lo:hi])
}

// backToBest drops the rounds after the best one and returns the scores without them.
func (b *boosting) backToBest() []float64 {
	if b.best == b.done && !b.forest() {
		return b.scores
	}
	b.trees = b.trees[:b.best*b.outputs]
	if b.saved.kept != nil {
		b.scores, b.saved = b.saved.kept, bestScores{}
		return b.scores
	}
	startScores(b.scores, b.initial, b.base)
	b.addAll(b.trees, b.data.coded(), b.scores)
	return b.scores
}
