package pack

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"boost/internal/entropy"
	"boost/tree"
)

// ErrDamaged is wrapped by every error of a Reader.
var ErrDamaged = errors.New("damaged trees")

// A stream of n bytes holds at most these many nodes and codes of category sets, so that what
// a reader makes is in proportion to what it is given. A writer pads with zeros, which only
// trees that are all the same need.
const (
	nodesPerByte    = 16
	setCodesPerByte = 256
)

// Write packs the structure of trees, which are valid over the features; tree i belongs to
// output i mod outputs. Numbering, leaf values and statistics are not written: reading gives
// trees as Canonical numbers them.
func Write(trees []tree.Tree, features []tree.Feature, outputs int) []byte {
	canonical := make([]tree.Tree, len(trees))
	nodes, setCodes := 0, 0
	for i := range trees {
		canonical[i] = Canonical(&trees[i])
		nodes += trees[i].NumSplits()
		setCodes += len(trees[i].Sets)
	}
	w := &walker{coder: entropy.NewWriter(nil), features: features, outputs: outputs}
	w.start(len(trees), nodes, canonical)
	for i := range canonical {
		w.tree(&canonical[i])
	}
	b := w.coder.Close()
	least := max((nodes+nodesPerByte-1)/nodesPerByte, (setCodes+setCodesPerByte-1)/setCodesPerByte)
	if len(b) < least {
		b = append(b, make([]byte, least-len(b))...)
	}
	return b
}

// Reader reads packed trees one after another. Its memory is some 0.6 MB at most, beside four
// bytes for each level of the categorical features.
type Reader struct {
	w     walker
	bytes []byte
	trees int
	read  int
}

// NewReader begins to read count trees over the features from b, which it keeps and does not
// change. It allocates what its features and length justify.
func NewReader(b []byte, count int, features []tree.Feature, outputs int) (*Reader, error) {
	r := &Reader{bytes: b, trees: count}
	r.w = walker{coder: entropy.NewReader(b), features: features, outputs: outputs}
	return r, r.begin()
}

func (r *Reader) begin() error {
	if err := r.w.start(r.trees, 0, nil); err != nil {
		return err
	}
	if r.w.nodes > nodesPerByte*len(r.bytes) {
		return damaged("%d nodes are more than %d bytes can hold", r.w.nodes, len(r.bytes))
	}
	return nil
}

// Nodes returns how many split nodes all trees have; they have as many leaves more as there
// are trees.
func (r *Reader) Nodes() int { return r.w.nodes }

// Rewind goes back to the first tree.
func (r *Reader) Rewind() {
	r.read = 0
	r.w.coder.Reset(r.bytes)
	// What was read once is read again.
	if err := r.begin(); err != nil {
		panic("pack: " + err.Error())
	}
}

// Next reads a tree into t, of which it uses the memory. Leaf has its length and any
// values, statistics are empty. The error wraps ErrDamaged.
func (r *Reader) Next(t *tree.Tree) error {
	if r.read == r.trees {
		return damaged("there are only %d", r.trees)
	}
	if err := r.w.tree(t); err != nil {
		return fmt.Errorf("%w, in tree %d", err, r.read)
	}
	if err := r.w.coder.Err(); err != nil {
		return damaged("%w, in tree %d", err, r.read)
	}
	r.read++
	if r.w.setCodes > setCodesPerByte*len(r.bytes) {
		return damaged("%d codes of category sets are more than %d bytes can hold", r.w.setCodes, len(r.bytes))
	}
	if r.read == r.trees && r.w.left != 0 {
		return damaged("%d nodes belong to no tree", r.w.left)
	}
	return nil
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// walker goes through trees and codes what it finds, or finds what was coded: the same steps
// write and read.
type walker struct {
	coder    *entropy.Coder
	features []tree.Feature
	outputs  int

	count    int     // trees
	nodes    int     // of all trees
	left     int     // of them, not yet walked
	setCodes int     // so far
	index    int     // of the next tree
	strict   bool    // no node divides codes that its ancestors have divided
	symbols  []int32 // features that trees split on, ascending
	place    []int32 // feature → symbol
	width    int     // bits of a symbol

	states []state // by symbol
	frames []frame
	table  []entropy.Bit // contexts, by hash
	shift  uint          // 64 less the bits of a place in it

	alike    entropy.Bit // whether a tree has as many nodes as the one before
	size     entropy.Number
	previous int
	mixers   [4][32]entropy.Mixer
	plain    entropy.Number // of the head
}

// state is what the path from the root says of a feature, and what its sets are like.
type state struct {
	low, high uint32   // codes that reach the node
	barred    []uint32 // per level: how many splits on the path keep it away
	sets      *setModel
}

type setModel struct{ length, gap entropy.Number }

// frame is a split node on the path whose children are not all walked.
type frame struct {
	node      int32
	side      int8 // 0: left comes, 1: right comes, 2: done
	leaf      [2]bool
	low, high uint32 // of its feature, before it
}

// manyLevels is from how many levels on a set is a list of distances instead of a bit a level.
const manyLevels = 1025

// Uses of contexts.
const (
	useShape = iota
	useFeature
	useCode
	useSide
	useLevel
)

// start codes the head; the trees are needed for writing only.
func (w *walker) start(count, nodes int, trees []tree.Tree) error {
	w.count, w.index, w.setCodes, w.previous = count, 0, 0, 0
	w.alike, w.size, w.plain, w.mixers = entropy.Bit{}, entropy.Number{}, entropy.Number{}, [4][32]entropy.Mixer{}
	w.nodes = int(min(w.plain.Code(w.coder, uint64(nodes)), math.MaxInt32))
	w.left = w.nodes
	used := make([]bool, len(w.features))
	for i := range trees {
		for _, f := range trees[i].Feature {
			used[f] = true
		}
	}
	w.symbols, w.place = w.symbols[:0], w.place[:0]
	var estimate entropy.Bit
	for f := range w.features {
		bit := uint32(0)
		if used[f] {
			bit = 1
		}
		w.place = append(w.place, int32(len(w.symbols)))
		if estimate.Code(w.coder, bit) == 1 {
			w.symbols = append(w.symbols, int32(f))
		}
	}
	if len(w.symbols) == 0 && w.nodes > 0 {
		return damaged("nodes split on no feature")
	}
	w.width = bits.Len(uint(max(len(w.symbols), 1) - 1))
	w.states = slices.Grow(w.states[:0], len(w.symbols))[:len(w.symbols)]
	for s := range w.states {
		feature, old := w.features[w.symbols[s]], w.states[s]
		w.states[s] = state{high: feature.Regular - 1, sets: old.sets}
		if feature.Categorical {
			if old.sets == nil {
				w.states[s].sets = &setModel{}
			}
			*w.states[s].sets = setModel{}
			if feature.Regular < manyLevels {
				w.states[s].barred = slices.Grow(old.barred[:0], int(feature.Regular))[:feature.Regular]
				clear(w.states[s].barred)
			}
		}
	}
	strict := uint32(0)
	if !w.coder.Reading() && w.allStrict(trees) {
		strict = 1
	}
	w.strict = w.coder.Bit(strict, entropy.One/2) == 1
	size := min(max(bits.Len(uint(w.nodes))+3, 10), 17)
	w.shift = uint(64 - size)
	w.table = slices.Grow(w.table[:0], 1<<size)[:1<<size]
	clear(w.table)
	w.frames = w.frames[:0]
	return nil
}

// context returns where the estimates of a context begin in the table, those of its decisions
// follow one another. Contexts may meet there: they then share estimates.
func (w *walker) context(use, symbol, known uint32) uint32 {
	const a, b = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9
	h := uint64(use<<24|symbol)*a ^ uint64(known)*b
	h ^= h >> 32
	return uint32(h * a >> w.shift)
}

// at returns the estimate of a decision in a context.
func (w *walker) at(context, decision uint32) *entropy.Bit {
	return &w.table[(context+decision)&uint32(len(w.table)-1)]
}

// tree walks a tree.
func (w *walker) tree(t *tree.Tree) error {
	splits := w.splits(t.NumSplits())
	if splits > w.left {
		return damaged("there are more nodes than %d", w.nodes)
	}
	w.left -= splits
	output := uint32(w.index % w.outputs)
	w.index++
	if w.coder.Reading() {
		t.Feature, t.Code = sized(t.Feature, splits), sized(t.Code, splits)
		t.Categorical, t.MissingLeft = sized(t.Categorical, splits), sized(t.MissingLeft, splits)
		t.Left, t.Right = sized(t.Left, splits), sized(t.Right, splits)
		t.Leaf = sized(t.Leaf, splits+1)
		t.SetPtrs, t.Sets = t.SetPtrs[:0], t.Sets[:0]
		t.Gain, t.Cover, t.LeafCover = t.Gain[:0], t.Cover[:0], t.LeafCover[:0]
	}
	if splits == 0 {
		return nil
	}
	node, leaf := int32(0), int32(0)
	unmade, open := splits-1, 2 // nodes without a parent, children not decided
	w.frames = w.frames[:0]
	enter := func() error {
		n := node
		node++
		parent := uint32(0)
		if k := len(w.frames); k > 0 {
			parent = uint32(w.place[t.Feature[w.frames[k-1].node]]) + 1
		}
		depth := len(w.frames)
		symbol := w.feature(t.Feature[n], output, parent, depth)
		f := w.symbols[symbol]
		t.Feature[n], t.Categorical[n] = f, w.features[f].Categorical
		s := &w.states[symbol]
		at := frame{node: n, low: s.low, high: s.high}
		bucket := uint32(0)
		if t.Categorical[n] {
			if err := w.set(t, n, symbol); err != nil {
				return err
			}
		} else {
			t.Code[n] = w.code(t.Code[n], symbol, output, parent, depth)
			bucket = 1 + (min(max(t.Code[n], s.low), s.high)-s.low)*15/max(s.high-s.low, 1)
		}
		for side, c := range [2]*int32{&t.Left[n], &t.Right[n]} {
			open--
			at.leaf[side] = w.shape(*c < 0, depth, side, at.leaf[0], unmade, open)
			if !at.leaf[side] {
				unmade--
				open += 2
			}
		}
		t.MissingLeft[n] = w.side(t.MissingLeft[n], symbol, bucket, at.leaf)
		w.frames = append(w.frames, at)
		return nil
	}
	if err := enter(); err != nil {
		return err
	}
	for len(w.frames) > 0 {
		at := &w.frames[len(w.frames)-1]
		n := at.node
		symbol := uint32(w.place[t.Feature[n]])
		if at.side > 0 {
			w.leave(t, at, symbol)
		}
		if at.side == 2 {
			w.frames = w.frames[:len(w.frames)-1]
			continue
		}
		side := at.side
		at.side++
		w.enter(t, at, symbol, side == 0)
		child := &t.Left[n]
		if side == 1 {
			child = &t.Right[n]
		}
		if at.leaf[side] {
			*child = ^leaf
			leaf++
			continue
		}
		*child = node
		if err := enter(); err != nil {
			return err
		}
	}
	return nil
}

// sized returns a slice of that length in the memory of s if it is large enough.
func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// splits codes how many nodes a tree has.
func (w *walker) splits(n int) int {
	same := uint32(0)
	if n == w.previous {
		same = 1
	}
	if w.alike.Code(w.coder, same) == 0 {
		w.previous = int(min(w.size.Code(w.coder, uint64(n)), math.MaxInt32))
	}
	return w.previous
}

// feature codes the symbol of a node's feature.
func (w *walker) feature(f int32, output, parent uint32, depth int) uint32 {
	value := uint32(0)
	if !w.coder.Reading() {
		value = uint32(w.place[f])
	}
	level := uint32(min(depth, 7))
	x, y, z := w.context(useFeature, 0, output), w.context(useFeature, 1, parent), w.context(useFeature, 2, level)
	node, base := uint32(1), uint32(0)
	for k := w.width - 1; k >= 0; k-- {
		if int(base)+1<<k >= len(w.symbols) {
			node <<= 1
			continue
		}
		bit := w.mixers[0][min(k, 31)].Code(w.coder, value>>k&1,
			w.at(x, node), w.at(y, node), w.at(z, node))
		node = node<<1 | bit
		base |= bit << k
	}
	return base
}

// code codes the code of a numeric node among those that reach it.
func (w *walker) code(value, symbol, output, parent uint32, depth int) uint32 {
	s := &w.states[symbol]
	known := output<<3 | uint32(min(depth, 5))
	x, y, z := w.context(useCode, symbol<<2, 0), w.context(useCode, symbol<<2|1, parent), w.context(useCode, symbol<<2|2, known)
	node, base := uint32(1), uint32(0)
	for k := bits.Len32(w.features[w.symbols[symbol]].Regular-1) - 1; k >= 0; k-- {
		upper := base | 1<<k
		switch {
		case upper > s.high:
			node <<= 1
			continue
		case upper <= s.low:
			node, base = node<<1|1, upper
			continue
		}
		bit := w.mixers[1][min(k, 31)].Code(w.coder, value>>k&1,
			w.at(x, node), w.at(y, node), w.at(z, node))
		node = node<<1 | bit
		base |= bit << k
	}
	return base
}

// shape codes whether a child is a leaf.
func (w *walker) shape(leaf bool, depth, side int, leftLeaf bool, unmade, open int) bool {
	if unmade == 0 {
		return true
	}
	if open == 0 {
		return false
	}
	known := uint32(side)
	if side == 1 && leftLeaf {
		known = 2
	}
	share := uint32(min(uint64(unmade)<<8/uint64(open+1), math.MaxUint32))
	size := bits.Len32(share)
	half := share << 1 >> (size - 1) & 1
	if size < 2 {
		half = 0
	}
	bit := uint32(0)
	if leaf {
		bit = 1
	}
	return w.at(w.context(useShape, known, uint32(min(depth, 15))), uint32(size)<<1|half).Code(w.coder, bit) == 1
}

// side codes where missing rows go.
func (w *walker) side(left bool, symbol, bucket uint32, leaf [2]bool) bool {
	flags := uint32(0)
	if leaf[0] {
		flags |= 1
	}
	if leaf[1] {
		flags |= 2
	}
	bit := uint32(0)
	if left {
		bit = 1
	}
	return w.mixers[2][0].Code(w.coder, bit,
		w.at(w.context(useSide, 0, symbol), bucket), w.at(w.context(useSide, 1, flags), bucket), w.at(w.context(useSide, 2, symbol), flags)) == 1
}

// set codes the category set of a node: how many codes, then for each level that can
// reach it whether it is one of them, or, where levels are many, the distances.
func (w *walker) set(t *tree.Tree, n int32, symbol uint32) error {
	s := &w.states[symbol]
	regular := w.features[w.symbols[symbol]].Regular
	var codes []uint32
	if !w.coder.Reading() {
		codes = t.Set(int(n))
	}
	length := s.sets.length.Code(w.coder, uint64(len(codes)))
	if length > uint64(regular) {
		return damaged("a set of %d codes of %d", length, regular)
	}
	w.setCodes += int(length)
	if w.coder.Reading() {
		if len(t.SetPtrs) == 0 {
			t.SetPtrs = append(t.SetPtrs, 0)
		}
		t.Code[n] = uint32(len(t.SetPtrs) - 1)
	}
	if regular >= manyLevels {
		if err := w.gaps(t, codes, int(length), s.sets, regular); err != nil {
			return err
		}
	} else if !w.levels(t, codes, uint32(length), symbol) {
		return damaged("a set has levels that do not reach it")
	}
	if w.coder.Reading() {
		t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
	}
	return nil
}

func (w *walker) gaps(t *tree.Tree, codes []uint32, length int, m *setModel, regular uint32) error {
	next := uint64(0)
	for i := range length {
		gap := uint64(0)
		if !w.coder.Reading() {
			gap = uint64(codes[i]) - next
		}
		gap = m.gap.Code(w.coder, gap)
		if gap >= uint64(regular)-next {
			return damaged("a set has a code of %d or more", regular)
		}
		if w.coder.Reading() {
			t.Sets = append(t.Sets, uint32(next+gap))
		}
		next += gap + 1
	}
	return nil
}

// levels codes which levels are in a set of that length; false if it is longer than there
// are levels that reach it.
func (w *walker) levels(t *tree.Tree, codes []uint32, length, symbol uint32) bool {
	barred := w.states[symbol].barred
	free := uint32(0)
	for _, splits := range barred {
		if splits == 0 {
			free++
		}
	}
	if length > free {
		return false
	}
	x := w.context(useLevel, symbol<<1, 0)
	for level := uint32(0); length > 0; level++ {
		if barred[level] > 0 {
			continue
		}
		in := uint32(1)
		if length < free {
			bit := uint32(0)
			if len(codes) > 0 && codes[0] == level {
				bit = 1
			}
			share := min(uint32(uint64(length)<<16/uint64(free)), 65535)
			size := uint32(bits.Len32(share))
			in = w.mixers[3][min(size, 31)].Code(w.coder, bit,
				w.at(x, level), w.at(w.context(useLevel, 0, size), share>>(max(size, 3)-3)), w.at(w.context(useLevel, symbol<<1|1, size), level))
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
	return true
}

// allStrict says whether in canonical trees every code lies among those that reach its node,
// and every level of a set is one of them. So it is in trees that were grown.
func (w *walker) allStrict(trees []tree.Tree) bool {
	w.strict = true
	for i := range trees {
		if t := &trees[i]; t.NumSplits() > 0 && !w.treeStrict(t, 0) {
			for s := range w.states {
				w.states[s].low, w.states[s].high = 0, w.features[w.symbols[s]].Regular-1
				clear(w.states[s].barred)
			}
			return false
		}
	}
	return true
}

func (w *walker) treeStrict(t *tree.Tree, n int32) bool {
	symbol := uint32(w.place[t.Feature[n]])
	s := &w.states[symbol]
	at := frame{node: n, low: s.low, high: s.high}
	if !t.Categorical[n] {
		if t.Code[n] < s.low || t.Code[n] > s.high {
			return false
		}
	} else if s.barred != nil {
		for _, level := range t.Set(int(n)) {
			if s.barred[level] > 0 {
				return false
			}
		}
	}
	for _, child := range [2]int32{t.Left[n], t.Right[n]} {
		w.enter(t, &at, symbol, at.side == 0)
		at.side++
		if child >= 0 && !w.treeStrict(t, child) {
			return false
		}
		w.leave(t, &at, symbol)
	}
	return true
}

// enter narrows what reaches the left or right child of a node.
func (w *walker) enter(t *tree.Tree, at *frame, symbol uint32, left bool) {
	if !w.strict {
		return
	}
	s, n := &w.states[symbol], int(at.node)
	switch {
	case !t.Categorical[n] && left:
		s.high = t.Code[n]
	case !t.Categorical[n]:
		s.low, s.high = min(t.Code[n]+1, at.high), at.high
	case s.barred != nil:
		s.bar(t.Set(n), left, 1)
	}
}

// leave takes back what enter did before the last child.
func (w *walker) leave(t *tree.Tree, at *frame, symbol uint32) {
	if !w.strict {
		return
	}
	s, n := &w.states[symbol], int(at.node)
	switch {
	case !t.Categorical[n]:
		s.low, s.high = at.low, at.high
	case s.barred != nil:
		s.bar(t.Set(n), at.side == 1, ^uint32(0))
	}
}

// bar adds by, which is 1 or -1, to the splits that keep levels from the side of a set.
func (s *state) bar(set []uint32, left bool, by uint32) {
	if !left {
		for _, level := range set {
			s.barred[level] += by
		}
		return
	}
	for level := range s.barred {
		if len(set) > 0 && set[0] == uint32(level) {
			set = set[1:]
			continue
		}
		s.barred[level] += by
	}
}
