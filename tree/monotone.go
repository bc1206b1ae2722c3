package tree

import "math"

// KeepOrder changes leaf values so that predictions do not fall along features whose direction is 1, nor rise where it is −1. Values
// that keep to that stay as they are; of others, neighbours out of order take their mean, weighted by cover (the generalized pool
// adjacent violators algorithm of Burdakov, Grimvall and Sysoev 2006). It takes time for each two leaves, where any are out of order.
func (t *Tree) KeepOrder(values []float64, directions []int8) {
	o := t.order(directions)
	if o.violation(values) < 0 {
		return
	}
	blocks := make([]block, len(o.leaves)) // of those of the leaves that are done, each at the number of its last one
	home := make([]int, len(o.leaves))     // by turn: the block
	for turn := range o.leaves {
		leaf := o.leaves[turn]
		b := &blocks[turn]
		*b = block{value: values[leaf], weight: t.weight(leaf), turns: []int{turn}}
		for i := range turn {
			if o.bound(i, turn) {
				b.below = append(b.below, i)
			}
		}
		home[turn] = turn
		for {
			highest := -1
			for _, i := range b.below {
				if at := home[i]; at != turn && (highest < 0 || blocks[at].value > blocks[highest].value) {
					highest = at
				}
			}
			if highest < 0 || !(blocks[highest].value > b.value) {
				break
			}
			b.join(&blocks[highest])
			for _, i := range blocks[highest].turns {
				home[i] = turn
			}
		}
	}
	for turn, leaf := range o.leaves {
		values[leaf] = blocks[home[turn]].value
	}
}

// block is some leaves that have one value.
type block struct {
	value, weight float64
	turns         []int
	below         []int // leaves whose values may not be greater
}

// join takes in a block of a greater value.
func (b *block) join(other *block) {
	weight := b.weight + other.weight
	mean := b.value + float64((other.value-b.value)*(other.weight/weight))
	b.value, b.weight = min(max(mean, b.value), other.value), weight
	b.turns, b.below = append(b.turns, other.turns...), append(b.below, other.below...)
}

// weight returns a leaf's cover, or nearly nothing for one without rows.
func (t *Tree) weight(leaf int32) float64 {
	if len(t.LeafCover) == 0 {
		return 1
	}
	return max(t.LeafCover[leaf], 1e-100)
}

// OutOfOrder returns a split that KeepOrder would change values for, −1 if there is none.
func (t *Tree) OutOfOrder(directions []int8) int { return t.order(directions).violation(t.Leaf) }

// order is the leaves of a tree in an order in which none may be less than one before it.
type order struct {
	tree       *Tree
	directions []int8
	leaves     []int32
	boxes      []Box // of these
	spans      []span
}

// span is a split whose lower side are the leaves from, …, middle−1 and whose upper side are middle, …, end−1.
type span struct{ node, from, middle, end int }

func (t *Tree) order(directions []int8) *order {
	o := &order{tree: t, directions: directions}
	if len(t.Feature) == 0 {
		o.leaves, o.boxes = []int32{0}, []Box{nil}
		return o
	}
	o.walk(0, nil)
	return o
}

func (o *order) walk(at int32, box Box) {
	t := o.tree
	if at < 0 {
		o.leaves, o.boxes = append(o.leaves, ^at), append(o.boxes, box)
		return
	}
	f, direction := t.Feature[at], int8(0)
	if !t.Categorical[at] {
		direction = o.directions[f]
	}
	from, middle := len(o.leaves), 0
	for i, left := range [...]bool{direction >= 0, direction < 0} {
		child, own := t.Right[at], Box(nil)
		if left {
			child = t.Left[at]
		}
		if t.Categorical[at] {
			own = box.Choose(nil, f, t.Set(int(at)), t.MissingLeft[at], left)
		} else {
			own = box.Cut(nil, f, t.Code[at], t.MissingLeft[at], left)
		}
		if o.walk(child, own); i == 0 {
			middle = len(o.leaves)
		}
	}
	if direction != 0 {
		o.spans = append(o.spans, span{int(at), from, middle, len(o.leaves)})
	}
}

// bound reports whether the values of two leaves are bound to each other.
func (o *order) bound(i, j int) bool {
	feature, _ := o.boxes[i].Bound(o.boxes[j], o.directions)
	return feature >= 0
}

// violation returns a split with leaves on its sides that are out of order, −1 if there is none.
func (o *order) violation(values []float64) int {
	for _, s := range o.spans {
		least := math.Inf(1)
		for _, leaf := range o.leaves[s.middle:s.end] {
			least = min(least, values[leaf])
		}
		for i := s.from; i < s.middle; i++ {
			value := values[o.leaves[i]]
			if value <= least {
				continue
			}
			for j := s.middle; j < s.end; j++ {
				if value > values[o.leaves[j]] && o.bound(i, j) {
					return s.node
				}
			}
		}
	}
	return -1
}
