package pack

import (
	"math/bits"

	"boost/internal/entropy"
	"boost/tree"
)

// manyLevels is from how many levels on a set is a list of distances instead of a bit a level.
const manyLevels = 1025

// workOfCode is what a code in a list of distances takes, as many times as a bit for a level.
const workOfCode = 8

// setSizes are estimates for sets of a categorical feature: how many codes they have, and how
// far these are apart where they are listed. From feature maxSetSizes on, they are shared.
type setSizes struct{ length, gap entropy.Number }

const maxSetSizes = 64

// set codes the category set of a node: how many codes, then for each level that can
// reach it whether it is one of them, or, where levels are many, the distances.
func (w *walker) set(t *tree.Tree, n int32, symbol uint32) error {
	regular := w.features[w.symbols[symbol]].Regular
	sizes := &w.setSizes[w.reach[symbol].sizes]
	var codes []uint32
	if !w.coder.Reading() {
		codes = t.Set(int(n))
	}
	length := sizes.length.Code(w.coder, uint64(len(codes)))
	if length > uint64(regular) {
		return damaged("a set of %d codes of %d", length, regular)
	}
	work := uint64(regular)
	if regular >= manyLevels {
		work = workOfCode * length
	}
	if w.work += work; w.work > w.allowed {
		return damaged("sets are larger than the bytes can say")
	}
	if w.coder.Reading() {
		if len(t.SetPtrs) == 0 {
			t.SetPtrs = append(t.SetPtrs, 0)
		}
		t.Code[n] = uint32(len(t.SetPtrs) - 1)
	}
	var err error
	if regular < manyLevels {
		err = w.levels(t, codes, uint32(length), symbol)
	} else {
		err = w.list(t, codes, int(length), regular, &sizes.gap)
	}
	if w.coder.Reading() {
		t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
	}
	return err
}

// list codes a set of that length by the distances of its codes.
func (w *walker) list(t *tree.Tree, codes []uint32, length int, regular uint32, gaps *entropy.Number) error {
	next := uint64(0)
	for i := range length {
		gap := uint64(0)
		if !w.coder.Reading() {
			gap = uint64(codes[i]) - next
		}
		gap = gaps.Code(w.coder, gap)
		if gap >= uint64(regular)-next {
			return damaged("a set has a code of %d or more", regular)
		}
		next += gap
		if w.coder.Reading() {
			t.Sets = append(t.Sets, uint32(next))
		}
		next++
	}
	return nil
}

// levels codes a set of that length by a bit for each level that can reach the node, until all
// are told.
func (w *walker) levels(t *tree.Tree, codes []uint32, length, symbol uint32) error {
	barred := w.reach[symbol].barred
	free := uint32(0)
	for _, splits := range barred {
		free += bit(splits == 0)
	}
	if length > free {
		return damaged("a set of %d codes of which %d reach its node", length, free)
	}
	c := &w.contexts
	x := c.of(levelByLevel, symbol, 0)
	for level := uint32(0); length > 0; level++ {
		if barred[level] > 0 {
			continue
		}
		in := uint32(1)
		if length < free {
			// Of the levels left, the share that is in the set: its size, and three bits.
			share := length << 16 / free
			size := uint32(bits.Len32(share))
			in = c.mixers[mixLevel][size].Code(w.coder, bit(len(codes) > 0 && codes[0] == level),
				c.at(x, level),
				c.at(c.of(levelByShare, size, 0), share>>(max(size, 3)-3)),
				c.at(c.of(levelByBoth, symbol, size), level))
		}
		free--
		if in == 0 {
			continue
		}
		length--
		if w.coder.Reading() {
			t.Sets = append(t.Sets, level)
		} else {
			codes = codes[1:]
		}
	}
	return nil
}
