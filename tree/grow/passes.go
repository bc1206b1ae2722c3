package grow

import "boost/parallel"

// passes grows a tree as a parallel.Series: plantRoot, searchRoot, then splitBest, divided and
// searched in turn, each of which begins a pass that the next one ends.
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
		pass := g.then(g)
		if g.then = pass.then; pass.n > 0 && !pass.alone {
			return pass.n, pass.task
		}
		for i := range pass.n {
			pass.task.Run(0, i)
		}
	}
	return 0, nil
}
