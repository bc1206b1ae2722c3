package pack

import (
	"math"
	"math/bits"

	"boost/internal/entropy"
	"boost/tree"
)

// start codes the head, and forgets what trees were walked before. A writer is told how many nodes all trees
// have and which features they split on; isStrict finds out whether they are strict once that is known.
func (w *walker) start(nodes int, used []bool, isStrict func() bool) error {
	w.index, w.previous, w.work, w.path = 0, 0, 0, w.path[:0]
	w.alike, w.size = 0, entropy.Number{}
	var number entropy.Number
	w.nodes = int(min(number.Code(w.coder, uint64(nodes)), math.MaxInt32))
	w.left = w.nodes
	w.inUse(used)
	if len(w.symbols) == 0 && w.nodes > 0 {
		return damaged("nodes split on no feature")
	}
	w.unbar()
	w.strict = true
	w.strict = w.coder.Bit(bit(!w.coder.Reading() && isStrict()), entropy.One/2) == 1
	w.contexts.clear(w.nodes)
	w.spent(partHead)
	return nil
}

// featuresOf returns which features trees split on.
func featuresOf(trees []tree.Tree, features int) []bool {
	used := make([]bool, features)
	for i := range trees {
		for _, f := range trees[i].Feature {
			used[f] = true
		}
	}
	return used
}

// inUse codes which features trees split on.
func (w *walker) inUse(used []bool) {
	w.symbols, w.place = w.symbols[:0], w.place[:0]
	var estimate entropy.Bit
	for f := range w.features {
		w.place = append(w.place, int32(len(w.symbols)))
		if estimate.Code(w.coder, bit(len(used) > 0 && used[f])) == 1 {
			w.symbols = append(w.symbols, int32(f))
		}
	}
	w.bits = bits.Len(uint(max(len(w.symbols), 1) - 1))
}

// unbar lets every code reach the root, and forgets how large sets were.
func (w *walker) unbar() {
	w.reach = sized(w.reach, len(w.symbols))
	sets := 0
	for symbol := range w.reach {
		feature, r := w.features[w.symbols[symbol]], &w.reach[symbol]
		*r = reach{high: feature.Regular - 1, barred: r.barred[:0]}
		if !feature.Categorical {
			continue
		}
		r.sizes = sets % maxSetSizes
		sets++
		if feature.Regular < manyLevels {
			r.barred = sized(r.barred, int(feature.Regular))
			clear(r.barred)
		}
	}
	w.setSizes = sized(w.setSizes, min(sets, maxSetSizes))
	clear(w.setSizes)
}
