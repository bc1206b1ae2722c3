package pack

import (
	"math"
	"math/bits"

	"boost/internal/entropy"
	"boost/tree"
)

// start codes the head, and forgets what trees were walked before. The trees, which have that
// many nodes, are needed for writing only.
func (w *walker) start(nodes int, trees []tree.Tree) error {
	w.index, w.previous, w.work, w.path = 0, 0, 0, w.path[:0]
	w.alike, w.size = 0, entropy.Number{}
	var number entropy.Number
	w.nodes = int(min(number.Code(w.coder, uint64(nodes)), math.MaxInt32))
	w.left = w.nodes
	w.inUse(trees)
	if len(w.symbols) == 0 && w.nodes > 0 {
		return damaged("nodes split on no feature")
	}
	w.unbar()
	w.strict = true
	w.strict = w.coder.Bit(bit(!w.coder.Reading() && w.allStrict(trees)), entropy.One/2) == 1
	w.contexts.clear(w.nodes)
	w.spent(partHead)
	return nil
}

// inUse codes which features trees split on.
func (w *walker) inUse(trees []tree.Tree) {
	var used []bool
	if !w.coder.Reading() {
		used = make([]bool, len(w.features))
	}
	for i := range trees {
		for _, f := range trees[i].Feature {
			used[f] = true
		}
	}
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
