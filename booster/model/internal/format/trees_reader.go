package format

import (
	"fmt"
	"math"

	"boost/tree"
)

// treeReader reads trees off the sections that hold them, one after another.
type treeReader struct {
	structure
	count uint64

	// What is left of each array.
	splits, flags, features, codes, left, right, lengths, sets []byte
	leaves, cover, leafCover, gain                             []byte

	linear *linearReader // nil where no leaves are linear
}

func damagedStructure(what string) error {
	return Errorf("the model is damaged: section %q %s", StructureSection, what)
}

// openTrees checks that the arrays of the sections have the lengths that the numbers of trees, nodes and
// sets ask for. So a claim of many trees has to be paid for in leaves before anything is allocated for it.
func openTrees(b, leaves, statistics, linear []byte) (*treeReader, error) {
	if len(b) < StructureHead {
		return nil, damagedStructure("is cut short")
	}
	r := reader{b: b}
	t := &treeReader{count: uint64(r.u32()), leaves: leaves}
	w := r.take(4)
	t.feature, t.code, t.child, t.set = w[0], w[1], w[2], w[3]
	t.nodes, t.structure.sets, t.structure.codes = r.u64(), r.u64(), r.u64()
	for _, width := range w {
		if width != 1 && width != 2 && width != 4 {
			return nil, damagedStructure("has numbers of an unknown width")
		}
	}
	t.splits = r.takeArray(t.count, 4)
	t.flags = r.takeArray(t.nodes, 1)
	t.features = r.takeArray(t.nodes, uint64(t.feature))
	t.codes = r.takeArray(t.nodes, uint64(t.code))
	t.left = r.takeArray(t.nodes, uint64(t.child))
	t.right = r.takeArray(t.nodes, uint64(t.child))
	t.lengths = r.takeArray(t.structure.sets, 4)
	t.sets = r.takeArray(t.structure.codes, uint64(t.set))
	if !r.done() {
		return nil, damagedStructure("has the wrong length")
	}
	total := t.nodes + t.count
	if uint64(len(leaves)) != 8*total {
		return nil, damagedStructure("does not fit the leaves")
	}
	if len(statistics) > 0 {
		if uint64(len(statistics)) != 8*t.nodes+8*total+4*t.nodes {
			return nil, wrongStatistics(len(statistics), int(t.nodes))
		}
		t.cover, t.leafCover, t.gain = statistics[:8*t.nodes], statistics[8*t.nodes:8*(t.nodes+total)], statistics[8*(t.nodes+total):]
	}
	var err error
	t.linear, err = openLinear(linear, t.splits, t.count)
	return t, err
}

// check reads all trees in the memory of the largest, and returns an error unless they are valid over the
// features and their sections are what boost writes of them. It leaves the reader as it was.
func (r treeReader) check(features []tree.Feature, outputs int) error {
	head, all := r.structure, r.nodes
	var room, t tree.Tree
	if r.linear != nil { // a copy, as r is
		linear := *r.linear
		r.linear, room.Linear = &linear, &tree.Linear{}
	}
	var most widest
	for i := range int(r.count) {
		room = tree.Tree{
			Feature: room.Feature[:0], Code: room.Code[:0], Categorical: room.Categorical[:0], MissingLeft: room.MissingLeft[:0],
			Left: room.Left[:0], Right: room.Right[:0], SetPtrs: room.SetPtrs[:0], Sets: room.Sets[:0],
			Leaf: room.Leaf[:0], Gain: room.Gain[:0], Cover: room.Cover[:0], LeafCover: room.LeafCover[:0], Linear: emptyLinear(room.Linear),
		}
		if err := r.next(&t, &room); err != nil {
			return err
		}
		if err := t.Validate(features); err != nil {
			return Errorf("the model is damaged: model: %w", inTree(err, i, outputs))
		}
		most.see(&t)
		all -= uint64(t.NumSplits())
	}
	if all > 0 || len(r.lengths) > 0 || len(r.sets) > 0 {
		return damagedStructure("has nodes or category sets of no tree")
	}
	if s := most.structure(); s.feature != head.feature || s.code != head.code || s.child != head.child || s.set != head.set {
		return damagedStructure("has wider numbers than it needs")
	}
	return nil
}

// inTree says in which tree an error is.
func inTree(err error, tree, outputs int) error {
	return fmt.Errorf("tree %d (round %d, output %d): %w", tree, tree/outputs, tree%outputs, err)
}

// all reads all trees into memory of their own.
func (r *treeReader) all() ([]tree.Tree, error) {
	nodes, leaves := r.nodes, r.nodes+r.count
	room := tree.Tree{
		Feature: make([]int32, 0, nodes), Code: make([]uint32, 0, nodes),
		Categorical: make([]bool, 0, nodes), MissingLeft: make([]bool, 0, nodes),
		Left: make([]int32, 0, nodes), Right: make([]int32, 0, nodes),
		Sets: make([]uint32, 0, r.structure.codes), Leaf: make([]float64, 0, leaves), Linear: r.linear.room(),
	}
	if r.leafCover != nil {
		room.Cover, room.LeafCover, room.Gain = make([]float64, 0, nodes), make([]float64, 0, leaves), make([]float32, 0, nodes)
	}
	trees := make([]tree.Tree, r.count)
	for i := range trees {
		if err := r.next(&trees[i], &room); err != nil {
			return nil, err
		}
	}
	return trees, nil
}

// extend takes n elements of the spare capacity of room, or of new memory where that is not enough.
func extend[T any](room *[]T, n int) []T {
	if cap(*room)-len(*room) < n {
		*room = make([]T, 0, n)
	}
	at := len(*room)
	*room = (*room)[:at+n]
	return (*room)[at : at+n : at+n]
}

// front takes n numbers of that many bytes off an array.
func front(b *[]byte, n, width int) []byte {
	taken := (*b)[:n*width]
	*b = (*b)[n*width:]
	return taken
}

// next reads the next tree into the spare memory of room.
func (r *treeReader) next(t, room *tree.Tree) error {
	splits := uint64(le.Uint32(front(&r.splits, 1, 4)))
	if splits > uint64(len(r.flags)) {
		return damagedStructure("has more nodes in its trees than in all")
	}
	n := int(splits)
	*t = tree.Tree{
		Feature: extend(&room.Feature, n), Code: extend(&room.Code, n),
		Categorical: extend(&room.Categorical, n), MissingLeft: extend(&room.MissingLeft, n),
		Left: extend(&room.Left, n), Right: extend(&room.Right, n), Leaf: extend(&room.Leaf, n+1),
	}
	flags, features, codes := front(&r.flags, n, 1), front(&r.features, n, int(r.feature)), front(&r.codes, n, int(r.code))
	left, right := front(&r.left, n, int(r.child)), front(&r.right, n, int(r.child))
	sets := 0
	for i, f := range flags {
		if f&^(flagCategorical|flagMissingLeft) != 0 {
			return damagedStructure("has flags of an unknown kind")
		}
		t.Categorical[i], t.MissingLeft[i] = f&flagCategorical != 0, f&flagMissingLeft != 0
		sets += int(f & flagCategorical)
		t.Feature[i], t.Code[i] = int32(wideAt(features, i, r.feature)), wideAt(codes, i, r.code)
		t.Left[i], t.Right[i] = childReference(wideAt(left, i, r.child)), childReference(wideAt(right, i, r.child))
	}
	setFloats64(t.Leaf, front(&r.leaves, n+1, 8))
	if r.leafCover != nil {
		t.Cover, t.LeafCover, t.Gain = extend(&room.Cover, n), extend(&room.LeafCover, n+1), extend(&room.Gain, n)
		setFloats64(t.Cover, front(&r.cover, n, 8))
		setFloats64(t.LeafCover, front(&r.leafCover, n+1, 8))
		setFloats32(t.Gain, front(&r.gain, n, 4))
	}
	if r.linear != nil {
		var err error
		if t.Linear, err = r.linear.next(n+1, room.Linear); err != nil {
			return err
		}
	}
	if sets == 0 {
		return nil
	}
	return r.nextSets(t, room, sets)
}

// nextSets reads the category sets of the next tree.
func (r *treeReader) nextSets(t, room *tree.Tree, sets int) error {
	tooMany := damagedStructure("has more category sets than it holds")
	if 4*sets > len(r.lengths) {
		return tooMany
	}
	t.SetPtrs = extend(&room.SetPtrs, sets+1)
	t.SetPtrs[0] = 0
	end := uint64(0)
	for i := range sets {
		end += uint64(le.Uint32(r.lengths[4*i:]))
		if end > uint64(len(r.sets))/uint64(r.set) || end > math.MaxUint32 {
			return tooMany
		}
		t.SetPtrs[i+1] = uint32(end)
	}
	r.lengths = r.lengths[4*sets:]
	t.Sets = extend(&room.Sets, int(end))
	codes := front(&r.sets, int(end), int(r.set))
	for i := range t.Sets {
		t.Sets[i] = wideAt(codes, i, r.set)
	}
	return nil
}
