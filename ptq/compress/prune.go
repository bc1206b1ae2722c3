package compress

import (
	"context"
	"fmt"
	"iter"
	"math"

	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
)

// PruneParams says how far a model is pruned, and how. The zero value goes on until each tree is
// one leaf.
type PruneParams struct {
	// Leaves is the number of leaves, in all trees together, at which pruning ends.
	Leaves int
	// MaxLoss is the greatest relative growth of the loss on the table's rows: 0.001 is a loss
	// of at most 1.001 times the model's. 0 sets no limit.
	MaxLoss float64
	// Labels is the share, 0 … 1, of labels in what leaf values are fitted to; the rest is the
	// scores of the whole model. 0 where the model was trained on the table's rows, whose labels
	// it would learn by heart. On rows that it has never seen 0.05 does good.
	Labels float64
	// Pull is how much old leaf values weigh beside the table's rows; 0 is 0.3. At 1 the
	// old value of a leaf weighs as much as its rows, where rows fall into leaves as
	// training's did.
	Pull float64
	// Step is the share of leaves that a step takes, at most 0.5; 0 is 0.05.
	Step float64
	// Sweeps is how often a step goes through all trees; 0 is 3.
	Sweeps int
	// Objective is the loss of a model whose own is not built in.
	Objective objectives.Objective
}

// complete sets defaults and checks all values.
func (p *PruneParams) complete() error {
	if p.Pull == 0 {
		p.Pull = 0.3
	}
	if p.Step == 0 {
		p.Step = 0.05
	}
	if p.Sweeps == 0 {
		p.Sweeps = 3
	}
	switch {
	case p.Leaves < 0:
		return fmt.Errorf("pruning to %d leaves: give a number from 0 on", p.Leaves)
	case !(p.MaxLoss >= 0):
		return fmt.Errorf("pruning to a loss that grows by %v: give a share above 0, or 0 for no limit", p.MaxLoss)
	case !(p.Labels >= 0 && p.Labels <= 1):
		return fmt.Errorf("pruning with a share of labels of %v: give one from 0 to 1", p.Labels)
	case !(p.Pull > 0 && p.Pull <= 1e6):
		return fmt.Errorf("pruning with a pull of %v: give a number above 0, up to a million", p.Pull)
	case !(p.Step > 0 && p.Step <= 0.5):
		return fmt.Errorf("pruning a share of %v a step: give one above 0, up to 0.5", p.Step)
	case p.Sweeps < 0:
		return fmt.Errorf("pruning in %d sweeps: give 1 or more", p.Sweeps)
	}
	return nil
}

// PruneStep is a model on the way from the whole one to single leaves.
type PruneStep struct {
	Leaves, Splits int // in all trees
	// Loss is the model's on the table's rows by Metric, the first of its objective (objectives.DefaultMetrics);
	// Before is that of the whole model.
	Metric       string
	Loss, Before float64

	prune  *pruner
	states []prunedTree
}

// Growth is by which share of itself the loss has grown.
func (s *PruneStep) Growth() float64 {
	if s.Loss == s.Before {
		return 0
	}
	return s.Loss/s.Before - 1
}

// Prune returns the model of the last step of PruneSteps, and the step: the first with at most
// p.Leaves leaves, or the last whose loss is allowed.
func Prune(ctx context.Context, m *model.Model, t *dataset.Table, p PruneParams, opts ...Option) (*model.Model, *PruneStep, error) {
	var last *PruneStep
	for step, err := range PruneSteps(ctx, m, t, p, opts...) {
		if err != nil {
			return nil, nil, err
		}
		last = step
	}
	pruned, err := last.Model()
	return pruned, last, err
}

// PruneSteps prunes a model on the rows of a table with labels and yields what each step comes
// to, the whole model first, then fewer and fewer leaves, until p's limits are reached. Before
// it ends at p.MaxLoss, steps become smaller.
//
// A sweep goes through the trees in their order. For each it finds the part of the tree and the
// leaf values that are least in
//
//	Σ rows loss + pull·Σ leaves weight·(value − old value)²/2 + price·bytes
//
// where all other trees stay as they are: the loss by its second order at the scores of
// the moment, exactly over all prunings of the tree, from its leaves up (Breiman et al. 1984, ch.
// 3, with the files' bytes in place of leaves). A split costs what it takes in a compressed file,
// a cut its share of what naming it costs. The price of a step takes about p.Step of the leaves
// off, in its first sweep; those that follow move leaf values alone: trees make good what others
// lost. That leaves are fitted anew while trees are cut from the leaves up is the idea of LOP
// (Devos et al., ICML 2025), whose problem is another one, solved level by level.
//
// Rows count by the table's weights. Sums are taken over blocks of 4,096 rows, merged in order:
// threads do not change a bit. The leaf of each row in each tree is kept, 2 bytes each, in up to
// 256 MiB; beyond it is found again in each sweep. A tail, a table without rows or labels, one
// that lacks init scores, an objective that is neither built in nor given, and one whose leaves are quantiles are errors.
func PruneSteps(ctx context.Context, m *model.Model, t *dataset.Table, p PruneParams, opts ...Option) iter.Seq2[*PruneStep, error] {
	return func(yield func(*PruneStep, error) bool) {
		w, err := newPruner(ctx, m, t, p, opts)
		if err != nil {
			yield(nil, err)
			return
		}
		defer w.close()
		for step := w.here(); yield(step, nil) && step.Leaves > w.p.Leaves && step.Splits > 0; {
			if step, err = w.next(ctx, step); err != nil {
				yield(nil, err)
				return
			}
			if step == nil {
				return
			}
		}
	}
}

// smallestStep is the share of leaves below which steps towards a limit do not fall.
const smallestStep = 0.004

// next returns the step after one, nil where the loss allows none.
func (w *pruner) next(ctx context.Context, from *PruneStep) (*PruneStep, error) {
	for {
		if err := w.step(ctx, from.Leaves); err != nil {
			return nil, err
		}
		step := w.here()
		if w.p.MaxLoss == 0 || step.Growth() <= w.p.MaxLoss {
			return step, nil
		}
		if w.p.Step /= 2; w.p.Step < smallestStep || math.IsNaN(step.Growth()) {
			return nil, nil
		}
		w.restore(from)
	}
}
