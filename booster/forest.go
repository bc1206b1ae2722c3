package booster

import (
	"fmt"

	"boost/booster/internal/scores"
	"boost/booster/model"
)

// A random forest grows every tree on the gradients of the scores before the first round, and
// predicts the mean of its trees. While it grows, trees hold the values of their leaves and validation sets the
// sums of them. In the model leaves are divided by the number of rounds, so that sums are means, and it is a model like any other.

// forest reports whether a random forest is grown.
func (b *boosting) forest() bool { return b.p.Boosting == RandomForest }

// meanScores sets the raw scores of the validation sets to those of the forest so far.
func (b *boosting) meanScores() {
	for _, s := range b.data.sets {
		scores.Start(s.raw, s.initial, b.base)
		scores.AddMean(b.pool, s.raw, s.sum, b.done)
	}
}

// refitsForest reports whether a model that is to be refitted is a random forest.
func refitsForest(m *Model) (forest bool, err error) {
	for round := range m.Rounds() {
		text, err := m.Contents().RoundParams(round)
		if err != nil {
			return false, err
		}
		p, err := paramsIn(text)
		switch {
		case err != nil:
			return false, err
		case p.Boosting == DartBoosting:
			return false, fmt.Errorf("%w: round %d was trained with train.boosting = \"dart\": what its trees count for depends on rounds after it, so that they cannot be refitted one by one: train anew", ErrParams, round)
		case round > 0 && (p.Boosting == RandomForest) != forest:
			return false, fmt.Errorf("%w: a model of a random forest and boosted trees cannot be refitted: train anew", ErrParams)
		}
		forest = p.Boosting == RandomForest
		if o := m.Contents().Origin; (forest || p.ratesDiffer()) && o != nil && o.How != model.Refitted {
			return false, fmt.Errorf("%w: round %d was trained as one of a random forest, or by a schedule of learning rates, and the model was %s since: refit before that", ErrParams, round, o.How)
		}
	}
	return forest, nil
}
