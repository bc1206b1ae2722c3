package grow

import "boost/parallel"

// leafwise grows a tree as a parallel.Series: the root is searched; then, while a leaf can be
// split, the best one is.
//
// A split goes through these steps, each of which begins a pass over rows or features that all
// workers take part in. The next step follows when the pass has ended:
//
//	root:   initRoot ─rows→ searchRoot ─┐
//	leaf:   divide ─rows→ finishSplit ──┴→ buildAndSearch ─features→ finishSearch
type leafwise Grower

// Next implements parallel.Series.
func (l *leafwise) Next() (n int, task parallel.Task) {
	g := (*Grower)(l)
	for {
		if n, task = g.batch.next(); n > 0 {
			return n, task
		}
		if g.all.then != nil { // the split in progress goes on
			if n, task = g.all.nextPass(); n > 0 {
				return n, task
			}
			g.frontier.finished(&g.all.split)
		}
		leaf := g.frontier.nextLeaf()
		if last := len(g.again) - 1; leaf >= 0 && last >= 0 {
			g.all.beginAgain(g.again[last])
			g.again = g.again[:last]
			continue
		}
		if leaf < 0 && g.levels != nil {
			if n, task = g.levels.next(); n > 0 {
				return n, task
			}
			leaf = g.frontier.nextLeaf()
		}
		switch {
		case leaf < 0: // the tree is grown
			return 0, nil
		case g.frontier.isLarge(leaf): // all workers split it
			g.frontier.take(leaf)
			g.all.beginSplit(leaf)
		case g.batch.members != nil:
			g.batch.begin(leaf)
		default: // each worker splits one leaf after the other, this one first
			return len(g.frontier.solos), g.frontier.loop
		}
	}
}

// step goes on with a split when a pass has ended, and begins the next pass.
type step func(*split) pass

// pass is n indices of a task, and what goes on after them; without that the split is done.
type pass struct {
	n     int
	task  parallel.Task
	alone bool // the indices are not worth waking workers
	then  step

	exchange exchange // with other ranks, in place of a task
}

// run runs all indices as one worker.
func (p *pass) run(worker int) {
	for i := range p.n {
		p.task.Run(worker, i)
	}
}

// bestLeaf returns the leaf that is to be split next, -1 if none can be split: the one whose split counts for most, the lowest
// number among equal ones; or, level by level, the first of those nearest to the root, in the order in which their parents were split.
func (g *Grower) bestLeaf() int {
	leaf, score, turn := -1, 0.0, 0
	for i, at := range g.leaves {
		n := &g.nodes[at]
		if !n.best.found {
			continue
		}
		own, ownTurn := g.urgency(n), 0
		if g.byDepth() {
			if ownTurn = 2 * int(n.parent); n.isRight {
				ownTurn++
			}
		}
		if leaf < 0 || own > score || own == score && ownTurn < turn {
			leaf, score, turn = i, own, ownTurn
		}
	}
	return leaf
}

// byDepth reports whether trees grow level by level.
func (g *Grower) byDepth() bool {
	return g.config.Params.Growth == ByDepth || g.config.Params.Growth == Symmetric
}

// urgency orders nodes that can be split: the highest one is split first.
func (g *Grower) urgency(n *node) float64 {
	if g.byDepth() {
		return -float64(n.depth)
	}
	return n.best.score
}
