package format

import "boost/tree"

// The linear section, which only models with linear leaves have. Of T trees, L leaves of those trees that have
// coefficients, and K coefficients:
//
//	size
//	4·T   coefficients of each tree
//	4·L   coefficients of each leaf
//	8·L   constant of each leaf, f64; 0 in one without coefficients
//	4·K   feature of each coefficient, ascending in a leaf
//	8·K   coefficients, f64
const linearSection = "linear"

// flagLinear is set in the header of a file with a linear section, so that programs that do not know it say so.
const flagLinear = 1

// sectionFlags returns the flags of a file with these sections.
func sectionFlags(sections []Section) uint16 {
	if n := len(sections); n > 0 && sections[n-1].Name == linearSection {
		return flagLinear
	}
	return 0
}

// SectionsOf returns the names of the sections of a file with this header, whose usual ones are given.
func (h Header) SectionsOf(usual []string) []string {
	if h.flags&flagLinear != 0 {
		return append(usual[:len(usual):len(usual)], linearSection)
	}
	return usual
}

// encodeLinear returns the section, nil where no tree has linear leaves.
func encodeLinear(trees []tree.Tree) []byte {
	var linear []*tree.Linear
	for i := range trees {
		if l := trees[i].Linear; l != nil {
			linear = append(linear, l)
		}
	}
	if linear == nil {
		return nil
	}
	var b []byte
	for i := range trees {
		b = le.AppendUint32(b, uint32(trees[i].NumCoefs()))
	}
	for _, l := range linear {
		for leaf := range l.Const {
			b = le.AppendUint32(b, l.Ptrs[leaf+1]-l.Ptrs[leaf])
		}
	}
	for _, l := range linear {
		b = appendFloats64(b, l.Const)
	}
	for _, l := range linear {
		for _, f := range l.Feature {
			b = le.AppendUint32(b, uint32(f))
		}
	}
	for _, l := range linear {
		b = appendFloats64(b, l.Coef)
	}
	return b
}

// linearReader reads linear leaves off their section, tree by tree.
type linearReader struct {
	leaves, coefs, trees uint64 // of all trees that have some

	// What is left of each array.
	counts, lengths, constants, features, values []byte
}

func damagedLinear(what string) error {
	return Errorf("the model is damaged: section %q %s", linearSection, what)
}

// openLinear checks that the arrays of the section have the lengths that the numbers of coefficients ask for; splits are the split nodes of each of
// count trees.
func openLinear(b, splits []byte, count uint64) (*linearReader, error) {
	if b == nil {
		return nil, nil
	}
	r := reader{b: b}
	l := &linearReader{counts: r.takeArray(count, 4)}
	if r.short {
		return nil, damagedLinear("is cut short")
	}
	for i := range len(l.counts) / 4 {
		if coefs := uint64(le.Uint32(l.counts[4*i:])); coefs > 0 {
			l.trees++
			l.coefs += coefs
			l.leaves += uint64(le.Uint32(splits[4*i:])) + 1
		}
	}
	l.lengths, l.constants = r.takeArray(l.leaves, 4), r.takeArray(l.leaves, 8)
	l.features, l.values = r.takeArray(l.coefs, 4), r.takeArray(l.coefs, 8)
	if !r.done() {
		return nil, damagedLinear("has the wrong length")
	}
	if l.coefs == 0 {
		return nil, damagedLinear("has no coefficients")
	}
	return l, nil
}

// room returns memory for all linear leaves.
func (l *linearReader) room() *tree.Linear {
	if l == nil {
		return nil
	}
	return &tree.Linear{
		Ptrs: make([]uint32, 0, l.leaves+l.trees), Feature: make([]int32, 0, l.coefs), Coef: make([]float64, 0, l.coefs), Const: make([]float64, 0, l.leaves),
	}
}

// emptyLinear makes the memory of one tree that of the next; nil stays nil.
func emptyLinear(l *tree.Linear) *tree.Linear {
	if l != nil {
		*l = tree.Linear{Ptrs: l.Ptrs[:0], Feature: l.Feature[:0], Coef: l.Coef[:0], Const: l.Const[:0]}
	}
	return l
}

// next reads the linear leaves of the next tree, which has so many leaves, into the spare memory of room; nil for none.
func (l *linearReader) next(leaves int, room *tree.Linear) (*tree.Linear, error) {
	n := int(le.Uint32(front(&l.counts, 1, 4)))
	if n == 0 {
		return nil, nil
	}
	t := &tree.Linear{Ptrs: extend(&room.Ptrs, leaves+1), Const: extend(&room.Const, leaves), Feature: extend(&room.Feature, n), Coef: extend(&room.Coef, n)}
	lengths, end := front(&l.lengths, leaves, 4), uint64(0)
	t.Ptrs[0] = 0
	for i := range leaves {
		if end += uint64(le.Uint32(lengths[4*i:])); end > uint64(n) {
			return nil, damagedLinear("has more coefficients in leaves than in their tree")
		}
		t.Ptrs[i+1] = uint32(end)
	}
	setFloats64(t.Const, front(&l.constants, leaves, 8))
	features := front(&l.features, n, 4)
	for i := range t.Feature {
		t.Feature[i] = int32(le.Uint32(features[4*i:]))
	}
	setFloats64(t.Coef, front(&l.values, n, 8))
	return t, nil
}

// compressedSections returns the sections of a compressed model, of which linear may be nil.
func compressedSections(packed, linear []byte) []Section {
	if linear == nil {
		return []Section{{PackedSection, packed}}
	}
	return []Section{{PackedSection, packed}, {linearSection, linear}}
}

// decodeLinear gives trees, whose splits are known, their linear leaves.
func decodeLinear(b []byte, trees []tree.Tree) error {
	if b == nil {
		return nil
	}
	splits := make([]byte, 0, 4*len(trees))
	for i := range trees {
		splits = le.AppendUint32(splits, uint32(trees[i].NumSplits()))
	}
	r, err := openLinear(b, splits, uint64(len(trees)))
	if err != nil {
		return err
	}
	room := r.room()
	for i := range trees {
		if trees[i].Linear, err = r.next(trees[i].NumLeaves(), room); err != nil {
			return err
		}
	}
	return nil
}
