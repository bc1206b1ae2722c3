package histogram

import (
	"boost/gradients"
	"boost/internal/kernel/hist"
)

// wave is the groups of rows that are added up at the same time, before they are added to the histogram in order.
type wave struct {
	starts []int // first piece of each group of the node, and the end
	first  int   // number of the wave's first group
	size   int   // groups of a wave
}

// buildFloats sums float32 gradients. The result is defined without reference to
// workers (docs/architecture.md, Numerics 1): every group of 4,096 consecutive rows is summed on its
// own, one accumulator per slot in row order, and groups are added in order.
func (b *build) buildFloats(alone bool) {
	b.pieces = cut(b.pieces[:0], b.runs, floatGroup, floatGroup)
	if b.strategy == FeatureParallel {
		b.reserveFloats(b.pool.Threads(), max(b.widest, nibbleCodes))
		b.do(alone, len(b.batches), (*floatColumnTask)(b))
		return
	}
	b.wave.starts = b.wave.starts[:0]
	for i := range b.pieces {
		if i == 0 || b.pieces[i-1].endsGroup {
			b.wave.starts = append(b.wave.starts, i)
		}
	}
	groups := len(b.wave.starts)
	b.wave.starts = append(b.wave.starts, len(b.pieces))
	b.wave.size = 1
	if !alone && b.strategy == RowParallel {
		b.wave.size = min(groups, groupsPerWorker*b.pool.Threads())
	}
	b.reserveFloats(b.wave.size, b.rowSlots)
	for b.wave.first = 0; b.wave.first < groups; b.wave.first += b.wave.size {
		b.do(alone, min(b.wave.size, groups-b.wave.first), (*floatRowTask)(b))
		b.do(alone, len(b.places), (*floatReduceTask)(b))
	}
}

// groupsPerWorker is the number of groups of a wave for each worker.
const groupsPerWorker = 2

func (b *Builder) reserveFloats(n, slots int) {
	for len(b.floats) < n {
		b.floats = append(b.floats, rowParallelScratch[hist.Slot[float64, float64]]{})
	}
	for i := range b.floats[:n] {
		b.floats[i].reserve(slots, true)
	}
}

// floatColumnTask fills one batch of columns from float32 gradients.
type floatColumnTask build

func (t *floatColumnTask) Run(worker, index int) {
	b := (*build)(t)
	g := &b.batches[index]
	for _, u := range g.groups[:g.n] {
		lo, hi := b.bins(b.featureGroups[u].Features[0])
		b.clearGroup(u)
		scratch := b.floats[worker].reserve(max(hi-lo, 16), true)
		for _, p := range b.pieces {
			run := &b.runs[p.run]
			entries := run.Entries[p.lo:p.hi]
			twoWordColumn(scratch, b.columnOf(worker, u, run.First, entries), floatValues(b.storage, run.First), entries)
			if p.endsGroup {
				drain(b.dst.GradF[lo:hi], b.dst.HessF[lo:hi], b.dst.Count[lo:hi], scratch.part(0, hi-lo))
			}
		}
	}
}

// floatRowTask sums one group of rows into a scratch of its own.
type floatRowTask build

func (t *floatRowTask) Run(worker, index int) {
	b := (*build)(t)
	for _, p := range b.pieces[b.wave.starts[b.wave.first+index]:b.wave.starts[b.wave.first+index+1]] {
		addRows(b, worker, b.floats[index].sums, floatValues(b.storage, b.runs[p.run].First), p)
	}
}

// floatReduceTask adds the groups of a wave for one feature, in order of rows.
type floatReduceTask build

func (t *floatReduceTask) Run(_, index int) {
	b := (*build)(t)
	p := b.places[index]
	if p.members != nil {
		panic("histogram: sums of floats need a code for each column")
	}
	if b.wave.first == 0 {
		b.clearGroup(p.group)
	}
	groups := min(len(b.wave.starts)-1-b.wave.first, b.wave.size) // b.floats may be longer: earlier nodes had more
	lo, hi := b.bins(b.featureGroups[p.group].Features[0])        // floats are never bundled
	for g := range groups {
		drain(b.dst.GradF[lo:hi], b.dst.HessF[lo:hi], b.dst.Count[lo:hi], b.floats[g].part(p.at, p.at+p.size))
	}
}

func floatValues(st *gradients.Storage, first int) values[float32, float32] {
	grad, hess := st.Floats()
	return values[float32, float32]{rowsOf(grad, first), rowsOf(hess, first)}
}
