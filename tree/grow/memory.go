package grow

import (
	"unsafe"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// Bytes returns the most memory that a Grower takes beside the matrix and its mirror,
// given what a mirror would have and the gradients' mode: of what
// is kept per row, and of what histograms and the search take.
func (c *Config) Bytes(mirrored []binning.Joint, set gradients.Settings, threads int) (rows, histograms int64) {
	m, n := c.Matrix, int64(c.Matrix.NRows())
	blocks, leaves, features := int64(parallel.Blocks(m.NRows(), hist.BlockRows)), int64(c.Params.Leaves), int64(m.NFeatures())
	block := min(n, hist.BlockRows)
	rows = 8*n + int64(threads)*8*block + leaves*blocks*int64(unsafe.Sizeof(histogram.Run{}))
	if !m.OwnColumns() { // codes of a block are written out
		widest := binning.U8
		for f := range m.NFeatures() {
			widest = max(widest, binning.WidthOf(m.FeatureInfo(f).NBins))
		}
		rows += int64(threads) * block * int64(widest) / 8
	}
	// Candidates of two leaves, and whether there are, and gains by worker; lists of all
	// features, of a tree's, two nodes' and, where columns are drawn, their draws.
	histograms = features * (2*int64(unsafe.Sizeof(candidate{})) + 2 + 6*8 + 8*int64(threads))
	if p := &c.Params; p.ColTree < 1 || p.ColLevel < 1 || p.ColNode < 1 {
		histograms += features * 4 * 8
	}
	if p := &c.Params; p.ReuseFeature > 0 || p.ReuseCut > 0 { // lists of cuts have room to grow
		offsets := m.Offsets()
		histograms += features*(1+24) + 2*4*int64(offsets[len(offsets)-1])
	}
	if c.Renew {
		histograms += leaves * 16 * int64(threads)
	}
	if c.Direct {
		return rows, histograms + histogram.DirectBytes(m, c.Params.Leaves, max(c.Params.MinDataInLeaf, 1), threads)
	}
	histograms += histogram.ScratchBytes(m, mirrored, c.Strategy, set, threads)
	if histogram.Packs(set) { // the sums of a feature, or of a chunk of them, taken apart
		widest := int64(chunkCodes)
		for f := range m.NFeatures() {
			widest = max(widest, int64(m.FeatureInfo(f).NBins))
		}
		histograms += 16 * int64(threads) * widest
	}
	return rows, histograms + max(leaves-1, 1)*histogram.Bytes(m, set)
}
