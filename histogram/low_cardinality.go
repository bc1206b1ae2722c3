package histogram

import (
	"slices"

	"boost/binning"
	"boost/internal/kernel/hist"
)

// reserveLowCardinality makes every worker's memory for comparing, if a pass over columns takes some.
func (b *build) reserveLowCardinality() {
	if b.lowCardinality[0] != nil || !b.storage.OneWord() || b.sparse != nil {
		return
	}
	lowCardinality := slices.ContainsFunc(b.columns, b.isLowCardinality)
	if b.strategy == FeatureParallel {
		lowCardinality = slices.ContainsFunc(b.batches, func(g columnBatch) bool { return b.isLowCardinality(g.groups[0]) })
	}
	for w := range b.lowCardinality {
		if lowCardinality {
			b.lowCardinality[w] = &hist.LowCardinality{}
		}
	}
}

// addLowCardinality adds entries of one run to the packed sums of up to four columns of one width with
// few codes, as far as they can be compared, and returns the entries left.
func (b *Builder) addLowCardinality(worker int, groups []int, sums [][]uint64, first int, entries []uint64) (left []uint64) {
	var codes [4][]uint8
	for i, u := range groups {
		if c := b.columnOf(worker, u, first, entries); c.Bits == binning.U4 {
			codes[i] = c.U4()
		} else {
			codes[i] = c.U8()
		}
	}
	if b.featureGroups[groups[0]].Bits == binning.U4 {
		return b.lowCardinality[worker].Nibbles(sums, codes[:len(groups)], entries)
	}
	return b.lowCardinality[worker].Bytes(sums, codes[:len(groups)], entries)
}

// addLowCardinalityPlaces is addLowCardinality for the first n of some places, the first of which has few codes;
// slots begin at the slot base of a whole pass.
func (b *Builder) addLowCardinalityPlaces(worker int, slots []uint64, base int, places []place, first int, entries []uint64) (n int, left []uint64) {
	var groups [4]int
	var sums [4][]uint64
	for n < len(places) && n < len(groups) {
		p := &places[n]
		if n > 0 && (!b.isLowCardinality(p.group) || b.featureGroups[p.group].Bits != b.featureGroups[groups[0]].Bits) {
			break
		}
		groups[n], sums[n] = p.group, slots[p.at-base:p.at-base+p.size]
		n++
	}
	return n, b.addLowCardinality(worker, groups[:n], sums[:n], first, entries)
}
