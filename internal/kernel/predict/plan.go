package predict

import (
	"math"
	"slices"
)

// TileRows is how many rows are taken through a Plan at a time.
const TileRows = 512

const (
	// maxLeaves is how many leaves a list of one byte per row can name.
	maxLeaves = 256
	// fewLeaves is how many leaves have their values in registers.
	fewLeaves = 32
	// maxLists is how many lists wait at once: of the two sides of a node the one that
	// needs more is done first, so a tree that needs k has 2^k leaves.
	maxLists = 8
	// line is the length of a leaf's constant: the longest vector.
	line = 64
	// leavesAt is where the constants follow the lists.
	leavesAt = maxLists * TileRows
)

// Plan is a tree as a list of steps that every row of a tile takes, whatever its way: a
// step decides one node for all rows and picks for each the leaf that its side has
// found. Nodes follow their children, so the last step leaves the leaf of the tree.
// There is no branch but the one on the node's form, and its cost does not depend on
// the depth. The zero value is a plan of no tree.
type Plan struct {
	steps []step
	sets  [][32]byte
	leaf  []float64
	// halves are the lower and then the upper halves of the leaves' bits, nil where there
	// are more than fewLeaves.
	halves *[2 * fewLeaves]uint32
	root   uint16 // where the leaves of the tree are found
}

// step is one node. In the area, lists hold the number of a leaf for each row of a tile,
// constants 64 times the number of one leaf:
//
//	offset 0       8 lists of 512 bytes
//	offset 4,096   256 constants of 64 bytes
//
// The assembly reads a step by these offsets.
type step struct {
	column      uint32 // 0: where the codes of the node's column begin in the tile
	left, right uint16 // 4, 6: where the sides' leaves stand in the area
	to          uint16 // 8: the list to write, which may be one of the sides'
	minusLo     uint8  // 10: numeric: a code goes right if code + minusLo ≤ last, in bytes
	last        uint8  // 11
	stepLeft    uint8  // 12: 64 where the left side is a list, 0 where it is a constant
	stepRight   uint8  // 13
	set         uint16 // 14: categorical: 1 + number of the set, whose bits mark the right side
}

// Make makes the plan of a tree over columns of so many bits, in the memory of another plan, whose
// tree it forgets. False: a column has other than 8 bits or a split is beyond them, or the tree has too many leaves. It keeps
// the tree's leaf values.
func (p *Plan) Make(t *Tree, bits []uint8) bool {
	if len(t.Leaf) > maxLeaves {
		return false
	}
	for i := range t.Nodes {
		if n := &t.Nodes[i]; bits[n.Column] != 8 || n.Form == List || n.Form == Range && n.Lo > 255 {
			return false
		}
	}
	p.leaf, p.sets, p.steps = t.Leaf, p.sets[:0], slices.Grow(p.steps[:0], len(t.Nodes))
	r := planner{tree: t, plan: p}
	for n := len(t.Nodes) - 1; n >= 0; n-- {
		r.measure(n)
	}
	root := int32(0)
	if len(t.Nodes) == 0 {
		root = ^0
	}
	p.root, _ = r.add(root)
	p.split()
	return true
}

// split fills in the halves of few leaves.
func (p *Plan) split() {
	if len(p.leaf) > fewLeaves {
		p.halves = nil
		return
	}
	if p.halves == nil {
		p.halves = new([2 * fewLeaves]uint32)
	}
	for i, value := range p.leaf {
		bits := math.Float64bits(value)
		p.halves[i], p.halves[fewLeaves+i] = uint32(bits), uint32(bits>>32)
	}
}

// planner makes one plan.
type planner struct {
	tree  *Tree
	needs [maxLeaves]int8 // lists that a node's subtree needs at once
	busy  [maxLists]bool
	plan  *Plan
}

// measure finds how many lists the subtree of node n needs, after those of its children,
// whose numbers are higher.
func (p *planner) measure(n int) {
	left, right := p.need(p.tree.Nodes[n].Left), p.need(p.tree.Nodes[n].Right)
	p.needs[n] = max(left, right, 1)
	if left == right && left > 0 {
		p.needs[n]++
	}
}

func (p *planner) need(child int32) int8 {
	if child < 0 {
		return 0
	}
	return p.needs[child]
}

// add appends the steps of a child and returns where its leaves stand.
func (p *planner) add(child int32) (at uint16, stride uint8) {
	if child < 0 {
		return leavesAt + uint16(^child)*line, 0
	}
	n := &p.tree.Nodes[child]
	if n.Form == Range && n.Span == 0 {
		// Nothing goes right, which no step can say.
		return p.add(n.Left)
	}
	s := step{column: uint32(n.Column) * TileRows}
	if p.need(n.Right) > p.need(n.Left) {
		s.right, s.stepRight = p.add(n.Right)
		s.left, s.stepLeft = p.add(n.Left)
	} else {
		s.left, s.stepLeft = p.add(n.Left)
		s.right, s.stepRight = p.add(n.Right)
	}
	p.free(s.left, s.stepLeft)
	p.free(s.right, s.stepRight)
	s.to = p.take()
	if n.Form == Range {
		// Lo is at most 255. A span to 2³² ends with the column's codes.
		s.minusLo, s.last = -uint8(n.Lo), uint8(min(n.Lo+(n.Span-1), 255)-n.Lo)
	} else {
		s.set = p.set(n)
	}
	p.plan.steps = append(p.plan.steps, s)
	return s.to, line
}

func (p *planner) take() uint16 {
	for i, busy := range p.busy {
		if !busy {
			p.busy[i] = true
			return uint16(i) * TileRows
		}
	}
	panic("predict: a tree needs more lists than its leaves allow")
}

func (p *planner) free(at uint16, stride uint8) {
	if stride > 0 {
		p.busy[at/TileRows] = false
	}
}

// set appends the set of a node with a bit for every code that a byte holds.
func (p *planner) set(n *Node) uint16 {
	var set [32]byte
	words := p.tree.Words[n.Set : n.Set+n.Span]
	for code := range uint32(256) {
		c := min(code, n.Lo)
		set[code/8] |= byte(words[c/32]>>(c%32)&1) << (code % 8)
	}
	p.plan.sets = append(p.plan.sets, set)
	return uint16(len(p.plan.sets))
}

// Bytes is how much a pass over the plan reads beside the tile.
func (p *Plan) Bytes() int { return 16*len(p.steps) + 32*len(p.sets) + 8*len(p.leaf) }
