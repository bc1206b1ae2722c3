package histogram

import (
	"fmt"
	"slices"

	"boost/binning"
	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// Strategy says how the work of one histogram is spread.
type Strategy uint8

// The strategies. All give the same histograms, bit for bit.
const (
	Sequential      Strategy = iota // one worker, all features
	FeatureParallel                 // workers take features, column-major codes
	RowParallel                     // workers take rows, row-major codes where there are some, then add up
)

// String returns the strategy's name in configs.
func (s Strategy) String() string { return [...]string{"sequential", "feature", "row"}[s] }

// Choose returns the strategy for a config name; "auto" (or "") decides by shape and
// whether there is a copy by rows, and says why in reason. An unknown name is an error.
func Choose(name string, m *binning.Matrix, groups bool, threads int) (s Strategy, reason string, err error) {
	columns := m.Layout() == binning.LayoutCol
	for _, s := range []Strategy{Sequential, FeatureParallel, RowParallel} {
		if name == s.String() {
			if s == FeatureParallel && !columns {
				return 0, "", fmt.Errorf("builder \"feature\" reads columns, and the codes are kept in layout %q: use auto, sequential or row, or binning.layout = \"col\"", m.Layout())
			}
			return s, "asked for", nil
		}
	}
	if name != "" && name != "auto" {
		return 0, "", fmt.Errorf("builder %q is not known: use auto, sequential, feature or row", name)
	}
	rows, features := m.NRows(), m.NFeatures()
	slots := int(m.Offsets()[features])
	switch {
	case threads == 1 || rows*features < smallTable:
		workers := fmt.Sprintf("%d threads", threads)
		if threads == 1 {
			workers = "1 thread"
		}
		return Sequential, fmt.Sprintf("%d rows × %d features on %s", rows, features, workers), nil
	case columns && !groups && slots > rows && features >= 4*threads:
		return FeatureParallel, fmt.Sprintf("%d bins outnumber %d rows: adding up per-worker histograms would cost more than the rows", slots, rows), nil
	}
	if slots > rows && groups {
		return RowParallel, fmt.Sprintf("%d bins outnumber %d rows: each worker makes tiles of a histogram by itself", slots, rows), nil
	}
	if slots > rows {
		return RowParallel, fmt.Sprintf("%d features are too few for %d threads, or are not kept by columns", features, threads), nil
	}
	return RowParallel, fmt.Sprintf("%d rows outnumber %d bins", rows, slots), nil
}

const (
	// smallTable is the number of cells below which waking workers costs more than
	// they save.
	smallTable = 50_000
	// smallNode is the same for the updates of one node.
	smallNode = 30_000
	// rowChunk is the most rows that a worker takes at a time.
	rowChunk = 8192
	// denseShare: a node with at least one row in this many of those that its runs span is
	// read in sequence, others with their rows touched ahead; denseBytes: so is one with a
	// row in that many bytes of codes, since the processor guesses whole lines.
	denseShare = 2
	denseBytes = 32
)

// Builder fills histograms from the rows of a node. It is made once per training
// run and reuses all its memory. It adds up stored columns ("groups"), and splits the
// sums of bundles up at the end. A worker's scratch costs (264 × byte-wide groups +
// bins of wider ones, or of all features in sparse layouts) × 8 bytes, and 16 bytes
// per bin once a node had more than 65,536 rows.
type Builder struct {
	matrix        *binning.Matrix
	rowMajor      *binning.RowMajor // nil: all groups are read by column
	pool          parallel.Runner
	strategy      Strategy
	offsets       []uint32
	featureGroups []binning.FeatureGroup // in sparse layouts one per feature
	firstSlots    []int                  // first slot of each group, where groups follow each other
	flags         [][]flag               // of groups that are bundles of features of two codes, else nil
	sparse        *sparseRows            // nil in layouts with columns
	hasDefaults   bool                   // some features have a slot that is not added up
	lists         *Lists                 // of the row-major copy, may be nil
	byLists       bool                   // the current node is added up by them

	features      []int // active features, ascending
	inRowMajor    []bool
	active        []bool // groups with active features
	columns       []int  // active groups that a row-wise pass reads by column
	wholeRow      bool   // the row-major copy is read at all
	wideAt        []int  // first slots of a wide row-major copy's groups in a worker's scratch
	batches       []columnBatch
	places        []place
	rowSlots      int
	rowMajorSlots int               // of the groups of the row-major copy, without gaps
	hasPacked     bool              // some place is that of a packed group
	alone         []tile            // for one worker
	shared        []tile            // for all
	lines         []tile            // for nodes of more rows, of whole cache lines
	tiles         []tile            // of the current node
	reduced       []tile            // a place each, of rows that workers have added up
	reducing      bool              // the current node's are those of reduced
	tileFeatures  []int             // of all tiles, one after the other
	scratch       []binning.Scratch // per worker
	total         Total

	storage        *gradients.Storage
	runs           []Run
	dst            *Histogram
	pieces         []piece
	dense          bool
	packed         []packedScratch        // per worker, as wide
	offers         []offer                // per worker
	lowCardinality []*hist.LowCardinality // per worker, nil before there were columns of few codes
	widest         int                    // codes of the widest group
	wide           []rowParallelScratch[hist.Slot[int64, uint64]]
	floats         []rowParallelScratch[hist.Slot[float64, float64]] // per worker, or group of rows
	starts         []int                                             // float row pass: first piece of each group, and the end
	wave           int                                               // float row pass: first group of the wave

	inFlight int // float row pass: groups of a wave

	keepsTouched bool // nodes with few rows keep to the slots that they touch
	activeSlots  int
	grad32       []int32 // of the current node with few rows, in 32-bit modes
	hess32       []uint32
}

// columnBatch is up to four groups of one width that share a pass over the entries.
type columnBatch struct {
	groups [4]int
	n      int
}

// New returns a Builder over the matrix. rowMajor may be nil; otherwise it holds the
// row-major codes of some of the stored columns, each in a code of its own where gradients
// are floats. A matrix that is kept by rows is its own row-major copy.
func New(m *binning.Matrix, rowMajor *binning.RowMajor, pool parallel.Runner, s Strategy) *Builder {
	b := &Builder{
		matrix: m, rowMajor: rowMajor, pool: pool, strategy: s, offsets: m.Offsets(), featureGroups: m.FeatureGroups(),
		packed:         make([]packedScratch, pool.Threads()),
		offers:         make([]offer, pool.Threads()),
		wide:           make([]rowParallelScratch[hist.Slot[int64, uint64]], pool.Threads()),
		scratch:        make([]binning.Scratch, pool.Threads()),
		lowCardinality: make([]*hist.LowCardinality, pool.Threads()),
	}
	b.sparse = newSparseRows(m)
	if b.sparse != nil {
		b.featureGroups = b.sparse.groups(m)
	}
	b.firstSlots = make([]int, len(b.featureGroups)+1)
	for u := range b.featureGroups {
		b.firstSlots[u+1] = b.firstSlots[u] + b.size(u)
		b.widest = max(b.widest, b.size(u))
		for _, f := range b.featureGroups[u].Features {
			_, defaultBin := m.DefaultBin(f)
			b.hasDefaults = b.hasDefaults || defaultBin
		}
	}
	b.listFlags()
	if m.Masked() {
		for w := range b.scratch {
			m.Reserve(&b.scratch[w], min(m.NRows(), hist.BlockRows))
		}
	}
	b.inRowMajor, b.active = make([]bool, len(b.featureGroups)), make([]bool, len(b.featureGroups))
	b.features = make([]int, m.NFeatures())
	for f := range b.features {
		b.features[f] = f
	}
	if byRow := m.ByRow(); byRow != nil {
		b.rowMajor = byRow
	}
	if b.rowMajor != nil {
		for i := range b.rowMajor.Groups {
			for _, u := range b.rowMajor.Groups[i].Members {
				b.inRowMajor[u] = true
			}
		}
	}
	b.layOut()
	return b
}

// Slots returns the number of slots of a histogram.
func (b *Builder) Slots() int { return int(b.offsets[len(b.offsets)-1]) }

// Strategy returns how the work is spread.
func (b *Builder) Strategy() Strategy { return b.strategy }

// SetFeatures limits the following histograms to the given features, ascending.
// Slots of other features are left undefined.
func (b *Builder) SetFeatures(features []int) {
	if !slices.Equal(b.features, features) { // trees mostly have all of them
		b.features = append(b.features[:0], features...)
		b.layOut()
	}
}

// layOut settles how passes over the active features go.
func (b *Builder) layOut() {
	clear(b.active)
	b.activeSlots = 0
	for _, f := range b.features {
		b.active[b.groupOf(f)] = true
		b.activeSlots += int(b.offsets[f+1] - b.offsets[f])
	}
	b.keepsTouched = b.activeSlots >= manySlots && b.matrix.OwnColumns()
	b.batchColumns()
	groups := 0
	for u, active := range b.active {
		if active && b.inRowMajor[u] {
			groups++
		}
	}
	// A row-wise pass takes all groups of the row-major copy; with few of them active, columns are
	// cheaper where there are some.
	b.wholeRow = groups > 0 && (2*groups > len(b.rowMajor.Groups) || b.matrix.ByRow() != nil)
	b.columns = b.columns[:0]
	for u, active := range b.active {
		if active && (!b.wholeRow || !b.inRowMajor[u]) {
			b.columns = append(b.columns, u)
		}
	}
	b.placeGroups()
	b.makeTiles()
}

// groupOf returns the group that holds a feature.
func (b *Builder) groupOf(f int) int {
	if b.sparse != nil {
		return f
	}
	return b.matrix.GroupOf(f)
}

// batchColumns puts the active groups into batches of four of one width, those of low cardinality apart.
func (b *Builder) batchColumns() {
	b.batches = b.batches[:0]
	if b.sparse != nil {
		return
	}
	type alike struct {
		bits binning.Width
		few  bool
	}
	open := map[alike]int{}
	for u, active := range b.active {
		if !active {
			continue
		}
		k := alike{b.featureGroups[u].Bits, b.isLowCardinality(u)}
		if g, ok := open[k]; ok && !b.matrix.Masked() {
			b.batches[g].groups[b.batches[g].n] = u
			b.batches[g].n++
			if b.batches[g].n == 4 {
				delete(open, k)
			}
			continue
		}
		b.batches = append(b.batches, columnBatch{groups: [4]int{u}, n: 1})
		open[k] = len(b.batches) - 1
	}
}

// Build fills dst with the sums of the given rows.
func (b *Builder) Build(dst *Histogram, st *gradients.Storage, runs []Run) {
	var total Total
	if b.hasDefaults && st.Mode() != gradients.F32 {
		total = TotalOf(st, runs)
	}
	b.BuildKnown(dst, st, runs, total)
}

// BuildKnown is Build where the sums of all the rows' codes are known; they are not used
// in mode F32.
func (b *Builder) BuildKnown(dst *Histogram, st *gradients.Storage, runs []Run, total Total) {
	rows := 0
	for _, r := range runs {
		rows += len(r.Entries)
	}
	alone := b.strategy == Sequential || rows*len(b.features) < smallNode
	if tiles := b.Tiles(dst, st, runs, total, alone); tiles > 0 {
		b.do(alone, tiles, (*tileTask)(b))
		b.EndTiles()
	}
}

// Tiles begins a histogram, as BuildKnown does, and returns in how many parts it is made:
// the caller runs Tile for each of them, in any order, on worker 0 where it asked for few
// parts to make alone and else on any, and EndTiles after all. With 0 the histogram is made
// already.
func (b *Builder) Tiles(dst *Histogram, st *gradients.Storage, runs []Run, total Total, alone bool) int {
	b.open(dst, st)
	b.runs, b.total = runs, total
	rows, span := 0, 0
	for _, r := range runs {
		if n := len(r.Entries); n > 0 {
			rows += n
			span += int(hist.Row(r.Entries[n-1])) - int(hist.Row(r.Entries[0])) + 1
		}
	}
	if !st.Counts() && b.IsSparseNode(rows) {
		dst.resetSparse(b.Slots(), b.kind(st, rows))
		if b.grad32, b.hess32 = nil, nil; st.Mode() == gradients.I32 {
			b.grad32, b.hess32 = st.Codes32()
		}
		b.buildSparseNode()
		b.EndTiles()
		return 0
	}
	dst.reserve(st, b.Slots(), b.kind(st, rows))
	if rows == 0 {
		dst.clear(st, 0, b.Slots())
		b.EndTiles()
		return 0
	}
	b.dense, b.byLists = b.isDense(rows, span), b.listed(st)
	// What workers need is made here and not by each when it first takes part, which on a
	// busy machine may be late.
	b.reserveLowCardinality()
	b.tiles = b.tilesFor(st, rows, alone)
	switch {
	case st.Mode() == gradients.F32:
		b.buildFloats(alone)
	case len(b.tiles) > 0:
		b.pieces = cut(b.pieces[:0], runs, intGroup, intGroup)
		b.reserveTiles()
		return len(b.tiles)
	default:
		b.pieces = cut(b.pieces[:0], runs, intGroup, max(leastPiece, min(rowChunk, rows/(4*b.pool.Threads()))))
		b.addUp(rows, alone)
		return b.endRows(alone)
	}
	b.EndTiles()
	return 0
}

// open begins a histogram.
func (b *Builder) open(dst *Histogram, st *gradients.Storage) {
	if b.hasDefaults && st.Counts() {
		panic("histogram: bundles and sparse layouts need integer gradients without an offset")
	}
	b.storage, b.dst, b.reducing = st, dst, false
}

// kind returns how the sums of a node of so many rows are kept.
func (b *Builder) kind(st *gradients.Storage, rows int) kind {
	packs := st.OneWord() && !st.Counts()
	return kind{inWords: packs && rows <= wordRows, wide: !packs || b.matrix.NRows() > wordRows}
}

// listed says that rows are added up by lists.
func (b *Builder) listed(st *gradients.Storage) bool {
	return b.lists != nil && b.wholeRow && st.OneWord() && !st.Counts()
}

// wordRows is hist.WordRows, a variable for tests.
var wordRows = hist.WordRows

// isDense says that so many rows are read as if all rows that they lie among were.
func (b *Builder) isDense(rows, span int) bool {
	return rows*denseShare >= span || b.rowMajor != nil && rows*denseBytes >= span*b.rowMajor.Stride
}

// endRows ends a pass over rows: in parts, whose number is returned, or at once.
func (b *Builder) endRows(alone bool) int {
	if b.reducing = len(b.reduced) > 0; b.reducing {
		return len(b.reduced)
	}
	b.reduce(alone)
	b.EndTiles()
	return 0
}

// tileTask makes the tiles of a histogram.
type tileTask Builder

func (t *tileTask) Run(worker, index int) { (*Builder)(t).Tile(worker, index) }

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

// begin clears the slots of a group, right before its sums are added to them.
func (b *Builder) begin(u int) {
	for _, f := range b.featureGroups[u].Features {
		lo, hi := b.bins(f)
		b.dst.clear(b.storage, lo, hi)
	}
}

// bins returns the slots of a feature in a flat histogram.
func (b *Builder) bins(f int) (lo, hi int) { return int(b.offsets[f]), int(b.offsets[f+1]) }

// rowsOf returns the per-row values that a run's entries can have, of which the first row is given.
func rowsOf[T any](values []T, first int) []T {
	return values[first:min(first+hist.BlockRows, len(values))]
}

// columnOf returns a group's codes of the rows that a run's entries can have.
func (b *Builder) columnOf(worker, u, first int, entries []uint64) binning.Column {
	lo, hi := first, min(first+hist.BlockRows, b.matrix.NRows())
	if b.matrix.Masked() {
		return b.matrix.Block(b.featureGroups[u].Features[0], lo, hi, entries, &b.scratch[worker])
	}
	return b.matrix.GroupColumn(u).Part(lo, hi)
}

// size returns the number of slots that a pass over a group fills.
func (b *Builder) size(u int) int {
	if b.matrix.Masked() {
		return int(b.matrix.FeatureInfo(b.featureGroups[u].Features[0]).NBins)
	}
	return int(b.featureGroups[u].NBins)
}
