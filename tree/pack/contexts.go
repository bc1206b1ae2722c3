package pack

import (
	"math/bits"

	"boost/internal/entropy"
)

// contexts are estimates by what is known where they are used, in a table by hash: contexts may
// meet there, and then share estimates.
type contexts struct {
	table  []entropy.Bit
	shift  uint // 64 less the bits of a place in the table
	mixers [mixers][32]entropy.Mixer
}

// What is estimated in a context.
const (
	leafByDepth = iota
	leafByFeature
	leafByOutput
	featureByPlace
	featureByParent
	featureByParents
	codeByFeature
	codeByParent
	codeByPlace
	directionByCode
	directionByLeaves
	directionByFeature
	levelByLevel
	levelByShare
	levelByBoth
)

// What mixers are for; some have one for each bit of a number.
const (
	mixFeature = iota
	mixCode
	mixDirection
	mixLevel
	mixLeaf
	mixers
)

// clear forgets all, and makes the table large enough for trees of that many nodes.
func (c *contexts) clear(nodes int) {
	size := min(max(bits.Len(uint(nodes))+3, 10), 17)
	c.shift = uint(64 - size)
	c.table = sized(c.table, 1<<size)
	clear(c.table)
	c.mixers = [mixers][32]entropy.Mixer{}
}

// of returns where the estimates of a context begin in the table; those of its decisions follow
// one another. The constants are those of splitmix64.
func (c *contexts) of(what, a, b uint32) uint32 {
	const first, second = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9
	h := (uint64(what)<<32|uint64(a))*first ^ uint64(b)*second
	h ^= h >> 32
	return uint32(h * first >> c.shift)
}

// at returns the estimate of a decision in a context.
func (c *contexts) at(context, decision uint32) *entropy.Bit {
	return &c.table[(context+decision)&uint32(len(c.table)-1)]
}

// number codes a number from low to high, of at most that many bits, from the highest bit on:
// bits that these leave no choice are not coded. Its contexts are x, y and z.
func (w *walker) number(mix int, value, low, high uint32, bits int, x, y, z uint32) uint32 {
	c := &w.contexts
	node, base := uint32(1), uint32(0)
	for k := bits - 1; k >= 0; k-- {
		upper := base | 1<<k
		switch {
		case upper > high:
			node <<= 1
			continue
		case upper <= low:
			node, base = node<<1|1, upper
			continue
		}
		b := c.mixers[mix][k&31].Code(w.coder, value>>k&1, c.at(x, node), c.at(y, node), c.at(z, node))
		node = node<<1 | b
		base |= b << k
	}
	return base
}

// feature codes the symbol of a node's feature.
func (w *walker) feature(symbol, parent, depth uint32) uint32 {
	c := &w.contexts
	grand := uint32(0)
	if depth > 1 {
		grand = w.path[depth-2].symbol + 1
	}
	return w.number(mixFeature, symbol, 0, uint32(len(w.symbols)-1), w.bits,
		c.of(featureByPlace, min(depth, 7), w.output), c.of(featureByParent, parent, 0), c.of(featureByParents, parent, grand))
}

// code codes the code of a numeric node among those that reach it.
func (w *walker) code(value, symbol, parent, depth uint32) uint32 {
	c, r := &w.contexts, &w.reach[symbol]
	last := w.features[w.symbols[symbol]].Regular - 1
	place := w.output<<5 | min(depth, 5)<<2 | bit(r.low > 0)<<1 | bit(r.high < last)
	return w.number(mixCode, value, r.low, r.high, bits.Len32(last),
		c.of(codeByFeature, symbol, 0), c.of(codeByParent, symbol, parent), c.of(codeByPlace, symbol, place))
}

// leaf codes whether a child is a leaf. Its kind is 0 of a left child, 1 of a right one, 2 of
// a right one beside a leaf.
func (w *walker) leaf(is bool, kind, depth, symbol, fifteenth uint32) bool {
	w.open--
	if w.unmade > 0 && w.open > 0 {
		// How many of the nodes there are for a child, in 1/256: the size of the number, and
		// the bit below its highest.
		share := uint32(min(uint64(w.unmade)<<8/uint64(w.open+1), 1<<30-1))
		size := bits.Len32(share)
		share = uint32(size)<<1 | share<<2>>size&1
		c := &w.contexts
		x, y, z := c.at(c.of(leafByDepth, kind, min(depth, 15)), share),
			c.at(c.of(leafByFeature, symbol, fifteenth), kind),
			c.at(c.of(leafByOutput, kind, w.output), share)
		is = c.mixers[mixLeaf][kind].Code(w.coder, bit(is), x, y, z) == 1
	} else {
		is = w.unmade == 0
	}
	if !is {
		w.unmade--
		w.open += 2
	}
	return is
}

// direction codes where missing values go. leaves are the children that are some: 1 the
// left, 2 the right.
func (w *walker) direction(left bool, symbol, fifteenth, leaves uint32) bool {
	c := &w.contexts
	return c.mixers[mixDirection][0].Code(w.coder, bit(left),
		c.at(c.of(directionByCode, symbol, 0), fifteenth),
		c.at(c.of(directionByLeaves, leaves, 0), fifteenth),
		c.at(c.of(directionByFeature, symbol, 0), leaves)) == 1
}
