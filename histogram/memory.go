package histogram

import (
	"unsafe"

	"boost/binning"
	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// Bytes returns the memory of one histogram over a matrix, for nodes of at most so many rows, those of other ranks among them.
func Bytes(m *binning.Matrix, set gradients.Settings, rows int) int64 {
	perSlot := int64(16)
	switch {
	case set.Counts():
		perSlot = 20
	case Packs(set) && rows <= wordRows:
		perSlot = 8
	}
	slots := int64(m.Offsets()[m.NFeatures()])
	if int(slots) >= manySlots && !set.Counts() && m.OwnColumns() {
		return perSlot*slots + slots/8
	}
	return perSlot * slots
}

// Packs reports whether histograms of nodes of few rows keep both sums of a slot in one word.
func Packs(set gradients.Settings) bool { return set.OneWord() && !set.Counts() }

// ScratchBytes returns the most memory that a Builder takes beside the histograms, for nodes of at most so many rows.
// groups are those of its row-major copy.
func ScratchBytes(m *binning.Matrix, groups []binning.PackedGroup, s Strategy, set gradients.Settings, threads, rows int) int64 {
	layout := &source{matrix: m, sparse: newSparseRows(m), featureGroups: groupsOf(m)}
	bytes := int64(len(layout.featureGroups)) * int64(unsafe.Sizeof(place{})+unsafe.Sizeof(columnBatch{})/4+2*unsafe.Sizeof(0)+2)
	if layout.sparse != nil {
		bytes += int64(len(layout.featureGroups)) * int64(unsafe.Sizeof(binning.FeatureGroup{})+unsafe.Sizeof(0))
	}
	bytes += 8 * int64(m.NFeatures()) // active ones
	bytes += int64(len(layout.featureGroups)) * int64(unsafe.Sizeof([]flag{}))
	if layout.sparse == nil { // features of bundles as flags, and of tiles, which there are of four kinds
		bytes += int64(m.NFeatures())*5*8 + int64(len(layout.featureGroups))*4*int64(unsafe.Sizeof(tile{}))
	}
	all, widest, rowMajorSize, lowCardinality := int64(0), int64(16), int64(0), int64(0)
	slots := int64(0) // of a pass over rows; tiles, which may take its place, have fewer
	for u := range layout.featureGroups {
		size := int64(layout.size(u))
		all, widest = all+size, max(widest, size)
		slots += max(size, 16)
		if layout.sparse == nil && layout.isLowCardinality(u) {
			lowCardinality = int64(unsafe.Sizeof(hist.LowCardinality{})) // for all of a worker's columns
		}
	}
	switch byRow := m.ByRow(); {
	case layout.sparse != nil, byRow != nil && byRow.Bits != binning.U8:
		slots = all
	default:
		if byRow != nil {
			groups = byRow.Groups
		}
		for i := range groups {
			for _, u := range groups[i].Members {
				rowMajorSize += max(int64(layout.size(u)), 16)
			}
		}
		slots += int64(len(groups))*hist.Slots - rowMajorSize
	}
	workers := int64(threads)
	if set.Mode == gradients.F32 {
		return bytes + floatScratch(rows, slots, widest, s, workers)
	}
	slot, oneWord := int64(8), set.OneWord()
	if !oneWord {
		slot = int64(unsafe.Sizeof(hist.Slot[int64, uint64]{}))
	}
	if set.Counts() {
		slot += 4
	}
	if s == FeatureParallel {
		if oneWord {
			bytes += workers * lowCardinality
			widest = 4 * max(widest, hist.Slots) // columns go by fours
		}
		return bytes + workers*widest*slot
	}
	if s == Sequential {
		workers = 1
	}
	if oneWord {
		bytes += workers * lowCardinality
	}
	if bytes += workers * slots * slot; oneWord && rows > hist.WordRows {
		bytes += workers * all * 16 // what packed sums are flushed to
	}
	return bytes
}

// floatScratch is what sums of floats take, which come with counts.
func floatScratch(rows int, slots, widest int64, s Strategy, workers int64) int64 {
	const slot = int64(unsafe.Sizeof(hist.Slot[float64, float64]{})) + 4
	switch s {
	case FeatureParallel:
		return workers * widest * slot
	case Sequential:
		return slots * slot
	}
	return min(int64(parallel.Blocks(rows, floatGroup)), groupsPerWorker*workers) * slots * slot
}
