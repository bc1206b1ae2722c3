package histogram

import (
	"slices"

	"boost/binning"
	"boost/internal/kernel/hist"
)

// isFew says that a unit's column has so few codes, of a byte or half of one, that rows that
// follow each other are added up by comparing. Columns with a mask are put together for
// the rows of a node only.
func (b *Builder) isFew(u int) bool {
	bits := b.units[u].Bits
	return (bits == binning.U4 || bits == binning.U8) && !b.matrix.Masked() && hist.FewPays(b.size(u))
}

// reserveFew makes every worker's memory for comparing, if a pass over columns takes some.
func (b *Builder) reserveFew() {
	if b.few[0] != nil || !b.storage.OneWord() || b.sparse != nil {
		return
	}
	few := slices.ContainsFunc(b.columns, b.isFew)
	if b.strategy == FeatureParallel {
		few = slices.ContainsFunc(b.groups, func(g columnGroup) bool { return b.isFew(g.units[0]) })
	}
	for w := range b.few {
		if few {
			b.few[w] = &hist.Few{}
		}
	}
}

// addFew adds entries of one run to the packed sums of up to four columns of one width with
// few codes, as far as they can be compared, and returns the entries left.
func (b *Builder) addFew(worker int, units []int, sums [][]uint64, first int, entries []uint64) (left []uint64) {
	var codes [4][]uint8
	for i, u := range units {
		if c := b.columnOf(worker, u, first, entries); c.Bits == binning.U4 {
			codes[i] = c.U4()
		} else {
			codes[i] = c.U8()
		}
	}
	if b.units[units[0]].Bits == binning.U4 {
		return b.few[worker].Nibbles(sums, codes[:len(units)], entries)
	}
	return b.few[worker].Bytes(sums, codes[:len(units)], entries)
}

// addFewPlaces is addFew for the first n of some places, the first of which has few codes;
// slots begin at the slot base of a whole pass.
func (b *Builder) addFewPlaces(worker int, slots []uint64, base int, places []place, first int, entries []uint64) (n int, left []uint64) {
	var units [4]int
	var sums [4][]uint64
	for n < len(places) && n < len(units) {
		p := &places[n]
		if n > 0 && (!b.isFew(p.unit) || b.units[p.unit].Bits != b.units[units[0]].Bits) {
			break
		}
		units[n], sums[n] = p.unit, slots[p.at-base:p.at-base+p.size]
		n++
	}
	return n, b.addFew(worker, units[:n], sums[:n], first, entries)
}
