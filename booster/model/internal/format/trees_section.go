package format

import (
	"math"

	"boost/tree"
)

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

func measure(trees []tree.Tree) structure {
	var s structure
	var feature, code, child, set uint32
	for i := range trees {
		t := &trees[i]
		s.nodes += uint64(t.NumSplits())
		s.sets += uint64(t.NumSets())
		s.codes += uint64(len(t.Sets))
		for n := range t.NumSplits() {
			feature = max(feature, uint32(t.Feature[n]))
			code = max(code, t.Code[n])
			child = max(child, childNumber(t.Left[n]), childNumber(t.Right[n]))
		}
		for _, c := range t.Sets {
			set = max(set, c)
		}
	}
	s.feature, s.code, s.child, s.set = widthOf(feature), widthOf(code), widthOf(child), widthOf(set)
	return s
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

// decodeTrees reads the three sections that hold trees.
func decodeTrees(structureBytes, leaves, statistics []byte) ([]tree.Tree, error) {
	trees, err := decodeStructure(structureBytes, uint64(len(leaves)))
	if err != nil {
		return nil, err
	}
	values := floats64(leaves)
	for i := range trees {
		trees[i].Leaf, values = Cut(values, trees[i].NumSplits()+1)
	}
	return trees, decodeStatistics(statistics, trees)
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
		return Errorf("the model is damaged: section %q has %d bytes for %d nodes", statisticsSection, len(b), nodes)
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

// Cut takes n entries off the front of an array that all trees share.
func Cut[T any](all []T, n int) (front, rest []T) { return all[:n:n], all[n:] }

// decodeStructure returns the trees without their numbers. leafBytes is the length of the leaves section: a claim of many trees has to
// be paid for in leaves before anything is allocated for it.
func decodeStructure(b []byte, leafBytes uint64) ([]tree.Tree, error) {
	damaged := func(what string) ([]tree.Tree, error) {
		return nil, Errorf("the model is damaged: section %q %s", StructureSection, what)
	}
	if len(b) < StructureHead {
		return damaged("is cut short")
	}
	r := reader{b: b}
	count := uint64(r.u32())
	w := r.take(4)
	s := structure{feature: w[0], code: w[1], child: w[2], set: w[3]}
	s.nodes, s.sets, s.codes = r.u64(), r.u64(), r.u64()
	for _, width := range w {
		if width != 1 && width != 2 && width != 4 {
			return damaged("has numbers of an unknown width")
		}
	}
	splits := r.takeArray(count, 4)
	flags := r.takeArray(s.nodes, 1)
	features := r.takeArray(s.nodes, uint64(s.feature))
	codes := r.takeArray(s.nodes, uint64(s.code))
	left := r.takeArray(s.nodes, uint64(s.child))
	right := r.takeArray(s.nodes, uint64(s.child))
	lengths := r.takeArray(s.sets, 4)
	sets := r.takeArray(s.codes, uint64(s.set))
	if !r.done() {
		return damaged("has the wrong length")
	}
	if leafBytes != 8*(s.nodes+count) {
		return damaged("does not fit the leaves")
	}
	all := tree.Tree{
		Feature: make([]int32, s.nodes), Code: make([]uint32, s.nodes),
		Categorical: make([]bool, s.nodes), MissingLeft: make([]bool, s.nodes),
		Left: make([]int32, s.nodes), Right: make([]int32, s.nodes),
		Sets: make([]uint32, s.codes),
	}
	for n := range flags {
		all.Categorical[n] = flags[n]&flagCategorical != 0
		all.MissingLeft[n] = flags[n]&flagMissingLeft != 0
		all.Feature[n] = int32(wideAt(features, n, s.feature))
		all.Code[n] = wideAt(codes, n, s.code)
		all.Left[n] = childReference(wideAt(left, n, s.child))
		all.Right[n] = childReference(wideAt(right, n, s.child))
	}
	for i := range all.Sets {
		all.Sets[i] = wideAt(sets, i, s.set)
	}
	trees := make([]tree.Tree, count)
	for i := range trees {
		n := uint64(le.Uint32(splits[4*i:]))
		if n > uint64(len(all.Feature)) {
			return damaged("has more nodes in its trees than in all")
		}
		used, ok := takeTree(&trees[i], &all, int(n), lengths)
		if !ok {
			return damaged("has more category sets than it holds")
		}
		lengths = lengths[used:]
	}
	if len(all.Feature) > 0 || len(lengths) > 0 || len(all.Sets) > 0 {
		return damaged("has nodes or category sets of no tree")
	}
	return trees, nil
}

// takeTree moves the first n nodes of all to t, with the sets that they name, whose
// lengths stand at the front of lengths. It returns how many bytes of lengths it
// used, and false if the sets reach beyond what is there.
func takeTree(t, all *tree.Tree, n int, lengths []byte) (int, bool) {
	t.Feature, all.Feature = Cut(all.Feature, n)
	t.Code, all.Code = Cut(all.Code, n)
	t.Categorical, all.Categorical = Cut(all.Categorical, n)
	t.MissingLeft, all.MissingLeft = Cut(all.MissingLeft, n)
	t.Left, all.Left = Cut(all.Left, n)
	t.Right, all.Right = Cut(all.Right, n)
	sets := 0
	for _, categorical := range t.Categorical {
		if categorical {
			sets++
		}
	}
	if sets == 0 {
		return 0, true
	}
	if 4*sets > len(lengths) {
		return 0, false
	}
	t.SetPtrs = make([]uint32, sets+1)
	end := uint64(0)
	for i := range sets {
		end += uint64(le.Uint32(lengths[4*i:]))
		if end > uint64(len(all.Sets)) || end > math.MaxUint32 {
			return 0, false
		}
		t.SetPtrs[i+1] = uint32(end)
	}
	t.Sets, all.Sets = Cut(all.Sets, int(end))
	return 4 * sets, true
}

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
