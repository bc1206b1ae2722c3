package booster

import (
	"boost/booster/model"
	"boost/internal/rng"
	"boost/parallel"
	"boost/tree"
)

// dropout is the state of boosting with dropout: a round leaves some of those before it out of the
// scores that its gradients are taken at, and is put back with them, all at lower weights. While
// training goes on, trees hold the leaf values of learning rate 1, and each round has a weight that they are multiplied by.
//
// It costs 8 bytes per row and output, and leaf numbers.
type dropout struct {
	*Dart
	seed    uint64
	weights []float64    // by round of the run
	best    []float64    // as they were after the best round
	dropped []int        // rounds of the run that the current round leaves out, ascending
	factor  float64      // on their weights once the round has been grown
	without []float64    // what they add to the scores of the training rows, outputs × n
	numbers *leafNumbers // of the training rows; nil where there is no room for them
}

func newDropout(p *Params, scores int) *dropout {
	return &dropout{Dart: &p.Dart, seed: p.Seed, without: make([]float64, scores)}
}

// choose draws the rounds to be left out, a pure function of the seed, the round and the weights, and
// returns the weight of the new round.
func (d *dropout) choose(round int, rate float64) float64 {
	d.draw(uint64(round))
	d.factor = 1
	if len(d.dropped) == 0 {
		return rate
	}
	k := float64(len(d.dropped))
	switch d.Normalize {
	case TreeNormalize:
		d.factor, rate = k/(k+rate), rate/(k+rate)
	case ForestNormalize:
		d.factor, rate = 1/(1+rate), rate/(1+rate)
	default:
		d.factor, rate = k/(k+1), rate/(k+1)
	}
	return rate
}

func (d *dropout) draw(round uint64) {
	d.dropped = d.dropped[:0]
	n := float64(len(d.weights))
	ofRound := rng.Key(d.seed, rng.DropRounds, round, 1)
	if n == 0 || rng.Unit(rng.Draw(ofRound, 0)) < d.SkipDrop {
		return
	}
	all, chance := 0.0, d.DropRate
	for _, w := range d.weights {
		all += w
	}
	if d.MaxDrop > 0 {
		chance = min(chance, float64(d.MaxDrop)/n)
	}
	key := rng.Key(d.seed, rng.DropRounds, round, 0)
	for i, w := range d.weights {
		p := chance
		if d.Sample == WeightedDrop {
			p = chance * (w * n / all)
		}
		if rng.Unit(rng.Draw(key, uint64(i))) < p {
			d.dropped = append(d.dropped, i)
		}
		if d.MaxDrop > 0 && len(d.dropped) == d.MaxDrop {
			return
		}
	}
	if d.OneDrop && len(d.dropped) == 0 {
		d.dropped = append(d.dropped, d.one(rng.Unit(rng.Draw(ofRound, 1)), all))
	}
}

// one returns the round that a number of [0, 1) falls on, where weights add up to all.
func (d *dropout) one(u, all float64) int {
	if d.Sample == UniformDrop {
		return int(u * float64(len(d.weights)))
	}
	at := float64(u * all)
	for i, w := range d.weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(d.weights) - 1
}

// drop takes the rounds that are drawn for a round out of the scores of the training rows, and returns the weight of
// the round.
func (b *boosting) drop(round int, rate float64) float64 {
	d := b.dart
	weight := d.choose(round, rate)
	if len(d.dropped) == 0 {
		return weight
	}
	clear(d.without)
	b.addDropped(b.droppedTrees(1), d.numbers, b.data.coded(), d.without)
	b.pool.Do(parallel.Blocks(len(b.scores), saveBlock), &addTask{b.scores, d.without, -1})
	return weight
}

// putBack adds what was taken out to the scores again, at its new weight, and tells the scores of the validation sets.
func (b *boosting) putBack(weight float64) {
	d := b.dart
	if len(d.dropped) > 0 {
		b.pool.Do(parallel.Blocks(len(b.scores), saveBlock), &addTask{b.scores, d.without, d.factor})
		if len(b.data.sets) > 0 {
			trees := b.droppedTrees(d.factor - 1)
			for _, s := range b.data.sets {
				b.addDropped(trees, s.numbers, b.data.codedOf(s), s.raw)
			}
		}
		for _, i := range d.dropped {
			d.weights[i] *= d.factor
		}
	}
	d.weights = append(d.weights, weight)
}

// addRound adds the trees of a new round, at its weight, to raw scores, and keeps the leaves of the rows.
func (b *boosting) addRound(trees []tree.Tree, numbers *leafNumbers, of model.Coded, scores []float64) {
	if numbers == nil {
		b.addAll(trees, of, scores)
		return
	}
	numbers.begin(b.outputs)
	found := make([]tree.Tree, len(trees))
	for k := range trees {
		found[k] = *numbered(&trees[k])
	}
	b.addAll(found, of, numbers.found)
	for k := range trees {
		numbers.take(b.pool, k, b.outputs, trees[k].Leaf, scores[k*numbers.n:(k+1)*numbers.n])
	}
}

// addDropped adds the trees of the dropped rounds to raw scores.
func (b *boosting) addDropped(trees []tree.Tree, numbers *leafNumbers, of model.Coded, scores []float64) {
	if numbers == nil {
		b.addAll(trees, of, scores)
		return
	}
	at := make([]int, 0, len(trees))
	for _, i := range b.dart.dropped {
		for k := range b.outputs {
			at = append(at, i*b.outputs+k)
		}
	}
	numbers.add(b.pool, trees, at, b.outputs, scores)
}

// droppedTrees returns the trees of the dropped rounds at their weights, times a factor.
func (b *boosting) droppedTrees(factor float64) []tree.Tree {
	trees := make([]tree.Tree, 0, len(b.dart.dropped)*b.outputs)
	for _, i := range b.dart.dropped {
		at := (b.first + i) * b.outputs
		for _, t := range b.trees[at : at+b.outputs] {
			trees = append(trees, *scaled(&t, b.dart.weights[i]*factor))
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
func (b *boosting) addAll(trees []tree.Tree, of model.Coded, scores []float64) {
	task := treesTask{trees, b.outputs, of, scores}
	b.pool.Do(b.outputs*task.blocks(), &task)
}

// treesTask adds all trees of an output to a block of scores while that is in the cache.
type treesTask struct {
	trees   []tree.Tree
	outputs int
	of      model.Coded
	scores  []float64
}

func (a *treesTask) blocks() int { return parallel.Blocks(len(a.scores)/a.outputs, treeBlock) }

func (a *treesTask) Run(_, piece int) {
	n, output := len(a.scores)/a.outputs, piece/a.blocks()
	lo, hi := parallel.Block(piece%a.blocks(), n, treeBlock)
	scores := a.scores[output*n : (output+1)*n]
	for i := output; i < len(a.trees); i += a.outputs {
		model.AddScores(&a.trees[i], a.of, lo, hi, scores)
	}
}

// addTask adds other scores to scores, times a factor.
type addTask struct {
	scores, other []float64
	factor        float64
}

func (a *addTask) Run(_, block int) {
	lo, hi := parallel.Block(block, len(a.scores), saveBlock)
	for i, v := range a.other[lo:hi] {
		a.scores[lo+i] += float64(v * a.factor)
	}
}
