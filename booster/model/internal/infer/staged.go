package infer

import (
	"context"
	"fmt"
	"iter"

	"boost/booster/trust"
	"boost/dataset"
	"boost/parallel"
)

// Staged predicts a table after every so many rounds and after the last. An error is the last thing that is
// yielded, with a nil Stage. A Stage must not be used after the next one was asked for.
func (e *Engine) Staged(ctx context.Context, t *dataset.Table, every int, opts []Option) iter.Seq2[*Stage, error] {
	return func(yield func(*Stage, error) bool) {
		s, err := e.newStage(t, every, opts)
		if err != nil {
			yield(nil, err)
			return
		}
		defer s.close()
		for {
			if err := s.add(ctx, every); err != nil {
				yield(nil, err)
				return
			}
			if !yield(s, nil) || s.done == s.job.trees {
				return
			}
		}
	}
}

// Stage is the predictions for a table after some rounds; see Staged.
type Stage struct {
	job  *job
	pool *parallel.Pool
	own  bool // the pool is

	from, done int // trees: before this stage, and after it
	encoded    bool
	task       func(*block)
}

func (e *Engine) newStage(t *dataset.Table, every int, opts []Option) (*Stage, error) {
	if every < 1 {
		return nil, fmt.Errorf("a stage of %d rounds: give 1 or more", every)
	}
	j, err := e.Predictor().newJob(ofStages, opts)
	if err != nil {
		return nil, err
	}
	if err := j.take(t); err != nil {
		return nil, err
	}
	s := &Stage{job: j, pool: j.options.pool}
	if s.pool == nil {
		s.pool, s.own = parallel.NewPool(j.threads()), true
	}
	j.blockRows = j.forest.blockRows(j.rows, s.pool.Threads(), 0)
	j.blocks = make([]*block, parallel.Blocks(j.rows, j.blockRows)) // each keeps its rows
	return s, nil
}

// add takes all rows through the next rounds.
func (s *Stage) add(ctx context.Context, rounds int) error {
	j := s.job
	s.from = s.done
	s.done = j.trees
	if left := (j.trees - s.from) / j.head.contents.Outputs; left > rounds {
		s.done = s.from + rounds*j.head.contents.Outputs
	}
	s.task = func(b *block) { j.forest.add(b, s.from, s.done) }
	err := s.pool.DoContext(ctx, len(j.blocks), s)
	s.encoded = true
	return err
}

// Run makes a Stage a parallel.Task: it does the task for a block, which at first it encodes.
func (s *Stage) Run(_, index int) {
	j := s.job
	if !s.encoded {
		b := j.head.newBlock(j.blockRows)
		j.fill(b, index)
		j.blocks[index] = b
	}
	s.task(j.blocks[index])
}

func (s *Stage) visit(task func(*block)) {
	s.task = task
	s.pool.Do(len(s.job.blocks), s)
}

// Rounds returns how many rounds the predictions are those of.
func (s *Stage) Rounds() int { return s.done / s.job.head.contents.Outputs }

// Raw returns the raw scores, rows × outputs, row-major, as PredictRaw does.
func (s *Stage) Raw() []float64 {
	out := make([]float64, s.job.rows*s.job.head.contents.Outputs)
	s.visit(func(b *block) { b.transpose(b.raw, out) })
	return out
}

// Values returns the predictions, rows × outputs, row-major, as Predict does.
func (s *Stage) Values() []float64 {
	out := make([]float64, s.job.rows*s.job.head.contents.Outputs)
	s.visit(func(b *block) {
		b.link(s.job.head)
		b.transpose(b.values, out)
	})
	return out
}

// Classes returns the index of each row's class, as PredictClass does; it is an error for a
// model without classes.
func (s *Stage) Classes() ([]int32, error) {
	if err := s.job.head.needClasses(); err != nil {
		return nil, err
	}
	out := make([]int32, s.job.rows)
	s.visit(func(b *block) {
		b.link(s.job.head)
		b.classes(b.values, trust.Half, out)
	})
	return out, nil
}

// close gives the memory back.
func (s *Stage) close() {
	s.job.release()
	if s.own {
		s.pool.Close()
	}
}
