package predict

// Tree is one decision tree in the form that the loops read. A tree without nodes
// is the single leaf 0. The zero value is an empty tree to be filled by Reset,
// Numeric and Categorical; filling it again reuses its memory.
type Tree struct {
	Nodes []Node
	Words []uint32  // the category sets, see Node
	Leaf  []float64 // value of each leaf
}

// Node is one split. Its children are c ≥ 0, node c of the tree, or c < 0, leaf ^c.
//
// Numeric: a code goes right if code-Lo < Span in uint32 arithmetic. Lo is the last
// left code + 1; Span ends at the first missing code where missing rows go left, and
// at 2³² where they go right, so one comparison decides present and missing alike.
//
// Bits: Words[Set:Set+Span] holds one bit per code 0 … Lo, set where the code goes
// right; Lo is the number of regular codes and its bit stands for all missing codes.
//
// List: Words[Set:Set+Span] holds the ascending codes that go left; codes ≥ Lo are
// missing.
type Node struct {
	Lo, Span    uint32
	Left, Right int32
	Column      int32 // index into the columns
	Set         uint32
	Form        Form
	MissingLeft bool // List only; the other forms have it in their numbers
}

// Form says how a node decides.
type Form uint8

// The forms of nodes.
const (
	Range Form = iota // numeric
	Bits              // categorical, few codes
	List              // categorical, a small set among many codes
)

// Reset empties the tree and gives it the leaf values, which it does not copy.
func (t *Tree) Reset(leaf []float64) {
	t.Nodes, t.Words, t.Leaf = t.Nodes[:0], t.Words[:0], leaf
}

// Numeric appends a numeric split: codes ≤ code go left, codes ≥ regular (missing) to
// the side of missingLeft, others right. code must be below regular.
func (t *Tree) Numeric(column int32, code, regular uint32, missingLeft bool, left, right int32) {
	n := Node{Lo: code + 1, Left: left, Right: right, Column: column}
	if missingLeft {
		n.Span = regular - n.Lo
	} else {
		n.Span = -n.Lo
	}
	t.Nodes = append(t.Nodes, n)
}

// Categorical appends a categorical split: codes in set, which is ascending and below
// regular, go left, codes ≥ regular (missing) to the side of missingLeft, others right.
func (t *Tree) Categorical(column int32, set []uint32, regular uint32, missingLeft bool, left, right int32) {
	n := Node{
		Lo: regular, Left: left, Right: right, Column: column,
		Set: uint32(len(t.Words)), MissingLeft: missingLeft,
	}
	words := regular/32 + 1
	// A bit per code would let a set of one among 2³² codes take half a gigabyte;
	// within this bound the words stay in proportion to the set.
	if uint64(words) <= 16+4*uint64(len(set)) {
		n.Form, n.Span = Bits, words
		t.appendBits(set, regular, words, missingLeft)
	} else {
		n.Form, n.Span = List, uint32(len(set))
		t.Words = append(t.Words, set...)
	}
	t.Nodes = append(t.Nodes, n)
}

func (t *Tree) appendBits(set []uint32, regular, words uint32, missingLeft bool) {
	start := len(t.Words)
	for range words {
		t.Words = append(t.Words, ^uint32(0))
	}
	bits := t.Words[start:]
	for _, c := range set {
		bits[c/32] &^= 1 << (c % 32)
	}
	if missingLeft {
		bits[regular/32] &^= 1 << (regular % 32)
	}
}

// right returns 1 if a row with this code goes right at the node, else 0.
func (t *Tree) right(n *Node, code uint32) int {
	switch n.Form {
	case Range:
		return below(code-n.Lo, n.Span)
	case Bits:
		c := min(code, n.Lo)
		return int(t.Words[n.Set+c/32] >> (c % 32) & 1)
	default:
		return rightOfList(t.Words[n.Set:n.Set+n.Span], code, n.Lo, n.MissingLeft)
	}
}

func rightOfList(set []uint32, code, regular uint32, missingLeft bool) int {
	if code >= regular {
		if missingLeft {
			return 0
		}
		return 1
	}
	lo, hi := 0, len(set)
	for lo < hi {
		if mid := (lo + hi) / 2; set[mid] < code {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(set) && set[lo] == code {
		return 0
	}
	return 1
}

// below returns 1 if a < b, else 0; it compiles to a flag, not to a jump.
func below(a, b uint32) int {
	r := 0
	if a < b {
		r = 1
	}
	return r
}

// Walk returns the leaf of one row: codes holds its code per column. It is the plain
// form that the loops over many rows are tested against.
func (t *Tree) Walk(codes []uint32) int {
	if len(t.Nodes) == 0 {
		return 0
	}
	c := int32(0)
	for c >= 0 {
		n := &t.Nodes[c]
		if t.right(n, codes[n.Column]) == 1 {
			c = n.Right
		} else {
			c = n.Left
		}
	}
	return int(^c)
}
