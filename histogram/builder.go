package histogram

import (
	"slices"

	"boost/binning"
	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// Builder fills histograms from the rows of nodes. It is made once for a training run, reuses all its memory,
// and makes one histogram at a time, in one of three ways:
//
//   - Build returns a whole histogram.
//   - Tiles begins one. The caller runs Tile for each part of it, so that it can search features right after
//     their sums are made. EndTiles ends it.
//   - Stream begins one of rows that are still to be found. Add adds some, Help adds rows that other workers
//     have not come to yet. EndStream returns how many parts are left, as Tiles does.
//
// It adds up stored columns (binning.FeatureGroup), and splits the sums of bundles up at the end. A worker's scratch
// costs (264 × byte-wide groups + bins of wider ones, or of all features in sparse layouts) × 8 bytes, and 16
// bytes per bin once a node had more than 65,536 rows.
type Builder struct {
	source
	passes
	workers
	pool     parallel.Runner
	strategy Strategy
	others   int // rows of the table that other ranks have
	beside   int // of these, those of the node
	current  build
}

// workers is the memory of the workers, which serves all builds.
type workers struct {
	blocks         []binning.Scratch
	packed         []packedScratch
	wide           []rowParallelScratch[hist.Slot[int64, uint64]]
	floats         []rowParallelScratch[hist.Slot[float64, float64]] // by worker, or by group of rows
	lowCardinality []*hist.LowCardinality                            // nil before a pass compares codes
	offers         []offer
}

// New returns a Builder over the matrix. rowMajor may be nil; otherwise it holds the
// row-major codes of some of the stored columns, each in a code of its own where gradients
// are floats. A matrix that is kept by rows is its own row-major copy.
func New(m *binning.Matrix, rowMajor *binning.RowMajor, pool parallel.Runner, s Strategy) *Builder {
	n := pool.Threads()
	b := &Builder{source: newSource(m, rowMajor), pool: pool, strategy: s}
	b.current.Builder = b
	b.workers = workers{
		blocks: make([]binning.Scratch, n), packed: make([]packedScratch, n), offers: make([]offer, n),
		wide:           make([]rowParallelScratch[hist.Slot[int64, uint64]], n),
		lowCardinality: make([]*hist.LowCardinality, n),
	}
	if m.Masked() {
		for w := range b.blocks {
			m.Reserve(&b.blocks[w], min(m.NRows(), hist.BlockRows))
		}
	}
	b.active, b.features = make([]bool, len(b.featureGroups)), make([]int, m.NFeatures())
	for f := range b.features {
		b.features[f] = f
	}
	b.layOut()
	return b
}

// Slots returns the number of slots of a histogram.
func (b *Builder) Slots() int { return int(b.offsets[len(b.offsets)-1]) }

// Strategy returns how the work is spread.
func (b *Builder) Strategy() Strategy { return b.strategy }

// UseLists makes the builder use lists of its row-major copy, if there are any.
func (b *Builder) UseLists(l *Lists) {
	if b.lists = l; l != nil {
		b.makeTiles()
	}
}

// OfRanks tells the builder that other ranks have so many rows of the table: its histograms are added up over ranks.
func (b *Builder) OfRanks(others int) { b.others, b.keepsTouched, b.spread = others, false, true }

// Beside tells the builder how many rows of the following nodes other ranks have.
func (b *Builder) Beside(rows int) { b.beside = rows }

// SetFeatures limits the following histograms to the given features, ascending.
// Slots of other features are left undefined.
func (b *Builder) SetFeatures(features []int) {
	if !slices.Equal(b.features, features) { // trees mostly have all of them
		b.features = append(b.features[:0], features...)
		b.layOut()
	}
}

// Build fills dst with the sums of the given rows.
func (b *Builder) Build(dst *Histogram, st *gradients.Storage, runs []Run) {
	var total Total
	if b.hasDefaults && st.Mode() != gradients.F32 {
		total = TotalOf(st, runs)
	}
	alone := b.strategy == Sequential || rowsIn(runs)*len(b.features) < smallNode
	if tiles := b.Tiles(dst, st, runs, total, alone); tiles > 0 {
		b.do(alone, tiles, (*tileTask)(&b.current))
		b.EndTiles()
	}
}

// smallNode is the number of updates of a node below which waking workers costs more than they save.
const smallNode = 30_000

// Tiles begins a histogram of rows the sums of whose codes are total, which mode F32 does not use. It returns in
// how many parts the histogram is made: the caller runs Tile for each of them, in any order, and then EndTiles.
// If it asked for a histogram that one worker makes alone, that is worker 0. With 0 parts the
// histogram is made already.
func (b *Builder) Tiles(dst *Histogram, st *gradients.Storage, runs []Run, total Total, alone bool) int {
	return b.begin(dst, st).tilesOf(runs, total, alone)
}

// Tile makes the i-th part of a histogram, and returns the features whose sums it holds,
// ascending. The slice must not be changed.
func (b *Builder) Tile(worker, i int) (features []int) { return b.current.tile(worker, i) }

// Touches calls visit with all features whose sums the i-th part of a histogram may change, active or not.
func (b *Builder) Touches(i int, visit func(feature int)) {
	d := &b.current
	tiles := d.tiles
	if d.reducing {
		tiles = b.reduced
	}
	group := func(u int) {
		for _, f := range b.featureGroups[u].Features {
			visit(f)
		}
	}
	if tiles[i].places == nil {
		g := &b.batches[i]
		for _, u := range g.groups[:g.n] {
			group(u)
		}
	}
	for j := range tiles[i].places {
		p := &tiles[i].places[j]
		for k := range p.nGroups() {
			group(p.groupAt(k))
		}
	}
}

// EndTiles ends what Tiles has begun.
func (b *Builder) EndTiles() { b.current.end() }

// do runs n indices on the pool, or on the caller where that is not worth it.
func (b *Builder) do(alone bool, n int, task parallel.Task) {
	if alone || b.strategy == Sequential {
		for i := range n {
			task.Run(0, i)
		}
		return
	}
	b.pool.Do(n, task)
}

// columnOf returns a group's codes of the rows that a run's entries can have.
func (b *Builder) columnOf(worker, u, first int, entries []uint64) binning.Column {
	lo, hi := first, min(first+hist.BlockRows, b.matrix.NRows())
	if b.matrix.Masked() {
		return b.matrix.Block(b.featureGroups[u].Features[0], lo, hi, entries, &b.blocks[worker])
	}
	return b.matrix.GroupColumn(u).Part(lo, hi)
}
