package grow

import "boost/parallel"

// passes grows a tree as a parallel.Series: initRoot, searchRoot, then finishSearch and finishSplit in
// turn, each called when the pass that the one before began has ended. finishSearch begins to split
// the best leaf, or lets workers split leaves alone (frontier.goOn), finishSplit to search its
// children; a direct search is done by the step itself.
type passes splitter

// step goes on with a tree when a pass has ended, and begins the next pass.
type step func(*splitter) pass

// pass is n indices of a task, and what goes on after them; without that the tree is grown.
type pass struct {
	n     int
	task  parallel.Task
	alone bool // the indices are not worth waking workers
	then  step
}

// run runs all indices as one worker.
func (p *pass) run(worker int) {
	for i := range p.n {
		p.task.Run(worker, i)
	}
}

// Next implements parallel.Series.
func (p *passes) Next() (n int, task parallel.Task) {
	s := (*splitter)(p)
	for s.then != nil {
		next := s.then(s)
		if s.then = next.then; next.n > 0 && !next.alone {
			return next.n, next.task
		}
		next.run(0)
	}
	return 0, nil
}
