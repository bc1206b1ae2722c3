package booster

import "boost/parallel"

// bestScores are the raw scores of the training rows after the best round, which early
// stopping goes back to. They cost 8 bytes per row and output, and save scoring the rows
// by all kept trees again.
type bestScores struct {
	kept []float64 // nil where they are not kept
	of   []float64 // what is copied
}

// stopsEarly reports whether rounds may be trained that are not kept.
func (t *trainer) stopsEarly() bool { return t.p.EarlyStopping > 0 && len(t.sets) > 0 }

// bestScoresBytes is the memory of bestScores.
func (t *trainer) bestScoresBytes() int64 { return 8 * int64(t.outputs) * int64(t.n) }

// saveBest copies the scores before a round if they are those of the best round so far.
func (t *trainer) saveBest() {
	if t.saved.kept != nil && t.best == t.done {
		t.saved.of = t.scores
		t.pool.Do(parallel.Blocks(len(t.scores), saveBlock), &t.saved)
	}
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
func (t *trainer) backToBest() []float64 {
	if t.best == t.done {
		return t.scores
	}
	t.trees = t.trees[:t.best*t.outputs]
	if t.saved.kept != nil {
		t.scores, t.saved = t.saved.kept, bestScores{}
		return t.scores
	}
	startScores(t.scores, t.initial, t.base)
	t.addTrees(t.matrix, t.scores)
	return t.scores
}
