package sampling

import (
	"slices"
	"sync"

	"boost/gradients"
	"boost/internal/comm"
	"boost/parallel"
)

// Sampler chooses the rows that the trees of a round are grown on. The zero value takes all.
type Sampler struct {
	p      *Params
	seed   uint64
	rows   int
	pool   *parallel.Pool
	sample *gradients.Bag // nil without sampling
	goss   *gradients.Goss
	mvs    *gradients.Mvs
	draws  *Draws
	ranks  *comm.Ranks

	Bag     *gradients.Bag // of this round; nil for all rows
	outside *outside
}

// outside is the rows that are not in a bag, listed when they are asked for.
type outside struct {
	sync.Mutex
	rows  []uint32
	known bool
}

// Outside returns the rows that are not in the bag, ascending. Trees that grow side by side may ask for them at once.
func (s *Sampler) Outside() []uint32 {
	o := s.outside
	o.Lock()
	defer o.Unlock()
	if !o.known {
		o.rows, o.known = s.Bag.Outside(slices.Grow(o.rows[:0], s.rows)), true
	}
	return o.rows
}

// New returns a Sampler of so many rows, those of one of ranks, which may be nil.
func New(p *Params, seed uint64, rows int, draws *Draws, ranks *comm.Ranks, pool *parallel.Pool) Sampler {
	s := Sampler{p: p, seed: seed, rows: rows, pool: pool, draws: draws, ranks: ranks, outside: new(outside)}
	if !p.drawsRows() {
		return s
	}
	s.sample = gradients.NewBag(rows)
	s.sample.Ranks = ranks
	if p.goss() {
		s.goss = gradients.NewGoss(rows, p.GossTop, p.GossOther, pool)
	}
	if p.mvs() {
		s.mvs = gradients.NewMvs(rows, p.MvsFraction, p.MvsLambda, pool)
	}
	return s
}

// Choose fills the bag of a round. Gradients choose rows from the round learned on, at which the trees have learned enough for
// them to show which rows matter.
func (s *Sampler) Choose(buffer *gradients.Buffer, round, learned int) {
	switch d := s.draws; {
	case s.goss != nil:
		if round < learned {
			return
		}
		s.Bag = s.sample
		s.goss.Sample(s.Bag, buffer, s.seed, round)
	case s.mvs != nil:
		s.Bag = s.sample
		s.mvs.Sample(s.Bag, buffer, s.seed, round)
	case d.temperature > 0:
		gradients.WeighBayesian(s.pool, buffer, d.temperature, s.ranks, s.seed, round/s.p.RowEvery)
		return
	case d.bootstrap != nil && d.bootstrap.Weighs(): // the weights of rows are those of the draws, which stay for RowEvery rounds
		s.Bag = s.sample
		d.bootstrap.Sample(s.pool, s.Bag, buffer, s.seed, round/s.p.RowEvery)
	case s.sample == nil || s.Bag != nil && round%s.p.RowEvery != 0:
		return
	default:
		s.Bag = s.sample
		s.draw(buffer, round/s.p.RowEvery)
	}
	s.outside.known = false
}

// draw refills the bag without a look at gradients.
func (s *Sampler) draw(buffer *gradients.Buffer, iteration int) {
	switch d := s.draws; {
	case d.strata != nil:
		d.strata.Sample(s.pool, s.Bag, s.seed, iteration)
	case d.bootstrap != nil:
		d.bootstrap.Sample(s.pool, s.Bag, buffer, s.seed, iteration)
	default:
		s.Bag.Sample(s.pool, s.seed, iteration, s.p.RowFraction)
	}
}
