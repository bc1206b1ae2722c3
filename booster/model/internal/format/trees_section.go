package format

import "boost/tree"

// The structure section: the split nodes of all trees, array by array, in the order
// of the trees. A tree with S split nodes has S+1 leaves, and as many category sets as
// categorical nodes.
//
//	offset size
//	0      4      T, number of trees
//	4      4      bytes per number (1, 2 or 4) of: feature, code, child, set code
//	8      8      N, split nodes of all trees
//	16     8      S, category sets of all trees
//	24     8      C, codes of all category sets
//	32     4·T    split nodes of each tree
//	…      N      flags: bit 0 categorical, bit 1 missing rows go left
//	…      w·N    feature
//	…      w·N    code: last left code, or number of the set within the tree
//	…      w·N    left child: 2c for split node c, 2l+1 for leaf l
//	…      w·N    right child
//	…      4·S    codes of each set
//	…      w·C    codes of the sets
//
// Each width is the least that holds its largest number.
type structure struct {
	feature, code, child, set uint8
	nodes, sets, codes        uint64
}

const StructureHead = 32

const (
	flagCategorical = 1 << iota
	flagMissingLeft
)

// childNumber maps a child reference to an unsigned number, split nodes to even ones.
func childNumber(c int32) uint32 { return uint32(c)<<1 ^ uint32(c>>31) }

func childReference(n uint32) int32 { return int32(n>>1) ^ -int32(n&1) }

// widest is what decides the head of a structure section.
type widest struct {
	feature, code, child, set uint32 // the largest of each
	nodes, sets, codes        uint64
}

// see takes a tree into account.
func (w *widest) see(t *tree.Tree) {
	w.nodes += uint64(t.NumSplits())
	w.sets += uint64(t.NumSets())
	w.codes += uint64(len(t.Sets))
	for n := range t.NumSplits() {
		w.feature = max(w.feature, uint32(t.Feature[n]))
		w.code = max(w.code, t.Code[n])
		w.child = max(w.child, childNumber(t.Left[n]), childNumber(t.Right[n]))
	}
	for _, c := range t.Sets {
		w.set = max(w.set, c)
	}
}

func (w *widest) structure() structure {
	return structure{widthOf(w.feature), widthOf(w.code), widthOf(w.child), widthOf(w.set), w.nodes, w.sets, w.codes}
}

func measure(trees []tree.Tree) structure {
	var w widest
	for i := range trees {
		w.see(&trees[i])
	}
	return w.structure()
}

func encodeStructure(trees []tree.Tree) []byte {
	s := measure(trees)
	b := le.AppendUint32(nil, uint32(len(trees)))
	b = append(b, s.feature, s.code, s.child, s.set)
	b = le.AppendUint64(b, s.nodes)
	b = le.AppendUint64(b, s.sets)
	b = le.AppendUint64(b, s.codes)
	for i := range trees {
		b = le.AppendUint32(b, uint32(trees[i].NumSplits()))
	}
	for i := range trees {
		b = appendFlags(b, &trees[i])
	}
	for i := range trees {
		for _, f := range trees[i].Feature {
			b = appendWide(b, uint32(f), s.feature)
		}
	}
	for i := range trees {
		for _, c := range trees[i].Code {
			b = appendWide(b, c, s.code)
		}
	}
	for i := range trees {
		for _, c := range trees[i].Left {
			b = appendWide(b, childNumber(c), s.child)
		}
	}
	for i := range trees {
		for _, c := range trees[i].Right {
			b = appendWide(b, childNumber(c), s.child)
		}
	}
	for i := range trees {
		for set := range trees[i].NumSets() {
			b = le.AppendUint32(b, trees[i].SetPtrs[set+1]-trees[i].SetPtrs[set])
		}
	}
	for i := range trees {
		for _, c := range trees[i].Sets {
			b = appendWide(b, c, s.set)
		}
	}
	return b
}

func appendFlags(b []byte, t *tree.Tree) []byte {
	for n := range t.NumSplits() {
		var flags byte
		if t.Categorical[n] {
			flags |= flagCategorical
		}
		if t.MissingLeft[n] {
			flags |= flagMissingLeft
		}
		b = append(b, flags)
	}
	return b
}

// decodeStatistics gives trees their covers and gains.
func decodeStatistics(b []byte, trees []tree.Tree) error {
	nodes := 0
	for i := range trees {
		nodes += trees[i].NumSplits()
	}
	if len(b) == 0 {
		return nil
	}
	total := nodes + len(trees)
	if len(b) != 8*nodes+8*total+4*nodes {
		return wrongStatistics(len(b), nodes)
	}
	cover := floats64(b[:8*nodes])
	leafCover := floats64(b[8*nodes : 8*nodes+8*total])
	gain := floats32(b[8*nodes+8*total:])
	for i := range trees {
		t := &trees[i]
		n := t.NumSplits()
		t.LeafCover, leafCover = Cut(leafCover, n+1)
		t.Cover, cover = Cut(cover, n)
		t.Gain, gain = Cut(gain, n)
	}
	return nil
}

func wrongStatistics(bytes, nodes int) error {
	return Errorf("the model is damaged: section %q has %d bytes for %d nodes", statisticsSection, bytes, nodes)
}

// Cut takes n entries off the front of an array that all trees share.
func Cut[T any](all []T, n int) (front, rest []T) { return all[:n:n], all[n:] }

// The leaves section: the leaf values of all trees, f64, in the order of the trees.
func encodeLeaves(trees []tree.Tree) []byte {
	var b []byte
	for i := range trees {
		b = appendFloats64(b, trees[i].Leaf)
	}
	return b
}

// The statistics section is empty if any tree has none; else, for N split nodes and N+T leaves of all trees:
//
//	size
//	8·N       cover of each split node, f64
//	8·(N+T)   cover of each leaf, f64
//	4·N       gain of each split node, f32
func encodeStatistics(trees []tree.Tree) []byte {
	var b []byte
	for i := range trees {
		if trees[i].NoStatistics() {
			return nil
		}
	}
	for i := range trees {
		b = appendFloats64(b, trees[i].Cover)
	}
	for i := range trees {
		b = appendFloats64(b, trees[i].LeafCover)
	}
	for i := range trees {
		b = appendFloats32(b, trees[i].Gain)
	}
	return b
}
