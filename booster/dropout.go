package booster

import (
	"boost/booster/internal/dropout"
	"boost/booster/internal/scores"
	"boost/booster/model"
	"boost/tree"
)

// drop takes the rounds that are drawn for a round out of the scores of the training rows, and returns the weight of
// the round.
func (b *boosting) drop(round int, rate float64) float64 {
	d := b.dart
	weight := d.Choose(round, rate)
	if len(d.Dropped) == 0 {
		return weight
	}
	clear(d.Without)
	b.addDropped(b.droppedTrees(1), d.Numbers, b.data.coded(), d.Without)
	scores.Add(b.pool, b.scores, d.Without, -1)
	return weight
}

// putBack adds what was taken out to the scores again, at its new weight, and tells the scores of the validation sets.
func (b *boosting) putBack(weight float64) {
	d := b.dart
	if len(d.Dropped) > 0 {
		scores.Add(b.pool, b.scores, d.Without, d.Factor)
		if len(b.data.sets) > 0 {
			trees := b.droppedTrees(d.Factor - 1)
			for _, s := range b.data.sets {
				b.addDropped(trees, s.numbers, b.data.codedOf(s), s.raw)
			}
		}
	}
	d.PutBack(weight)
}

// addRound adds the trees of a new round, at its weight, to raw scores, and keeps the leaves of the rows.
func (b *boosting) addRound(trees []tree.Tree, numbers *dropout.LeafNumbers, of model.Coded, to []float64) {
	if numbers == nil {
		b.addAll(trees, of, to)
		return
	}
	numbers.Begin()
	found := make([]tree.Tree, len(trees))
	for k := range trees {
		found[k] = *dropout.Numbered(&trees[k])
	}
	b.addAll(found, of, numbers.Found)
	for k := range trees {
		numbers.Take(b.pool, k, trees[k].Leaf, to)
	}
}

// addDropped adds the trees of the dropped rounds to raw scores.
func (b *boosting) addDropped(trees []tree.Tree, numbers *dropout.LeafNumbers, of model.Coded, to []float64) {
	if numbers == nil {
		b.addAll(trees, of, to)
		return
	}
	at := make([]int, 0, len(trees))
	for _, i := range b.dart.Dropped {
		for k := range b.outputs {
			at = append(at, i*b.outputs+k)
		}
	}
	numbers.Add(b.pool, trees, at, to)
}

// droppedTrees returns the trees of the dropped rounds at their weights, times a factor.
func (b *boosting) droppedTrees(factor float64) []tree.Tree {
	trees := make([]tree.Tree, 0, len(b.dart.Dropped)*b.outputs)
	for _, i := range b.dart.Dropped {
		at := (b.first + i) * b.outputs
		for _, t := range b.trees[at : at+b.outputs] {
			trees = append(trees, *scaled(&t, b.dart.Weight(i)*factor))
		}
	}
	return trees
}

// scaled returns a tree with its leaf values times a factor; all else is shared.
func scaled(t *tree.Tree, factor float64) *tree.Tree {
	s := t.CloneLeaves()
	s.Scale(factor)
	return s
}

// addAll adds trees, those of each round in the order of outputs, to raw scores, output-major.
func (b *boosting) addAll(trees []tree.Tree, of model.Coded, to []float64) {
	model.AddTrees(b.pool, trees, b.outputs, of, to)
}
