package grow

import (
	"unsafe"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/tree"
	"boost/tree/leafquantile"
)

// Bytes returns the most memory that a Grower takes beside the matrix and its row-major copy,
// given what such a copy would have and the gradients' mode: of what
// is kept per row, and of what histograms and the search take.
func (c *Config) Bytes(copied []binning.PackedGroup, set gradients.Settings, threads int) (rows, histograms int64) {
	resolved := *c
	c = &resolved
	c.resolve()
	m, n := c.Matrix, int64(c.Matrix.NRows())
	runs, _ := stretches(m.NRows(), threads)
	leaves, features := int64(c.Params.Leaves), int64(m.NFeatures())
	nodes := int64(c.maxNodes(threads))
	rows = 8*n + nodes*int64(runs)*int64(unsafe.Sizeof(histogram.Run{}))
	histograms = nodes*int64(unsafe.Sizeof(node{})) + features*2*8 // lists of all features and of a tree's
	if p := &c.Params; p.ReuseFeature > 0 || p.ReuseCut > 0 {      // lists of cuts have room to grow
		offsets := m.Offsets()
		histograms += features*(1+24) + 2*4*int64(offsets[len(offsets)-1])
	}
	if p := &c.Params; len(p.FeaturePenalty)+len(p.FeatureCost)+len(p.FirstLevel)+len(p.LastLevel)+len(p.ColWeights)+len(p.Monotone) > 0 || p.SplitCost > 0 {
		histograms += features * (6*8 + 2)
	}
	if p := &c.Params; p.tightens() && p.MonotoneMethod == AdvancedBounds {
		sides := min(leaves, features) // on the way to a node
		histograms += nodes*int64(unsafe.Sizeof(tree.Box{})) + 2*nodes*sides*tree.BoxSideBytes + leaves*2*int64(unsafe.Sizeof(neighbour{}))
	}
	if costs := int64(len(c.Params.FeatureRowCost)); costs > 0 {
		rows += costs * (n + 63) / 64 * 8
		histograms += features * (8 + 24 + 3*8 + 2)
	}
	if c.Renew {
		histograms += leaves * 16 * int64(threads)
	}
	if c.Quantiles {
		rows += 14 * n
		histograms += leafquantile.Bytes(m.NRows(), c.Params.Leaves, runs, threads)
	}
	block := int64(min(m.NRows(), hist.BlockRows))
	rows += int64(threads) * 8 * block
	if !m.OwnColumns() { // codes of a run are written out
		widest := binning.U8
		for f := range m.NFeatures() {
			widest = max(widest, binning.WidthOf(m.FeatureInfo(f).NBins))
		}
		rows += int64(threads) * block * int64(widest) / 8
	}
	histograms += c.splitterBytes(copied, set, threads, m.NRows())
	if c.splitsAlone(threads) {
		histograms += int64(threads) * c.splitterBytes(copied, set, threads, min(m.NRows(), c.aloneRows()))
	}
	if c.batches() {
		each := c.splitterBytes(copied, set, 1, m.NRows())
		if offsets := m.Offsets(); c.Ranks.Shared() { // sums that are sent
			each += 2 * 8 * int64(offsets[len(offsets)-1])
		}
		histograms += min(mostBatched, leaves) * each
	}
	if c.SparseSums {
		return rows, histograms + histogram.SparseSumsBytes(m, c.Params.Leaves, max(c.Params.MinDataInLeaf, 1), threads)
	}
	kept := int64(c.keptHistograms() + c.mostAhead(threads))
	if c.Params.Growth == Symmetric {
		histograms += c.levelsBytes(threads)
	}
	return rows, histograms + kept*histogram.Bytes(m, set, c.allRows())
}

// keptHistograms returns how many nodes have a histogram at the same time, beside those that are split ahead.
func (c *Config) keptHistograms() int {
	if c.Params.Growth == Symmetric { // nodes of the last level but one
		return min(c.Params.Leaves, 1<<(c.Params.MaxDepth-1))
	}
	return max(c.Params.Leaves-1, 1)
}

// splitterBytes is what histograms and the search take of a splitter alone, of so many threads and of nodes of
// so many rows.
func (c *Config) splitterBytes(copied []binning.PackedGroup, set gradients.Settings, threads, most int) (histograms int64) {
	m := c.Matrix
	features := int64(m.NFeatures())
	// Candidates of two nodes, their scores, and gains, bounds and lists by worker; lists of two nodes'
	// features and, where columns are drawn, their draws.
	histograms = features * (2*int64(unsafe.Sizeof(candidate{})+1) + 2*8 + 4*8 + (8+4+4*8)*int64(threads))
	if p := &c.Params; p.ColTree < 1 || p.ColLevel < 1 || p.ColNode < 1 {
		histograms += features * 4 * 8
	}
	if c.SparseSums {
		return histograms
	}
	histograms += histogram.ScratchBytes(m, copied, c.Strategy, set, threads, most)
	if histogram.Packs(set) { // the sums of a feature, or of a chunk of them, taken apart
		widest := int64(chunkCodes)
		for f := range m.NFeatures() {
			widest = max(widest, int64(m.FeatureInfo(f).NBins))
		}
		histograms += 16 * int64(threads) * widest
	}
	return histograms
}
