package grow

import "boost/parallel"

// passes grows a tree as a parallel.Series: plantRoot, searchRoot, then searched and divided in
// turn, each called when the pass that the one before began has ended. searched begins to split
// the best leaf (splitBest), divided to search its children; a direct search is done by the step itself.
type passes Grower

// step goes on with a tree when a pass has ended, and begins the next pass.
type step func(*Grower) pass

// pass is n indices of a task, and what goes on after them; without that the tree is grown.
type pass struct {
	n     int
	task  parallel.Task
	alone bool // the indices are not worth waking workers
	then  step
}

// Next implements parallel.Series.
func (p *passes) Next() (n int, task parallel.Task) {
	g := (*Grower)(p)
	for g.then != nil {
		next := g.then(g)
		if g.then = next.then; next.n > 0 && !next.alone {
			return next.n, next.task
		}
		for i := range next.n {
			next.task.Run(0, i)
		}
	}
	return 0, nil
}
