package predict

// BlockRows is how many rows are taken through a tree at a time: enough that a node
// of a usual tree still has a list worth a loop, few enough that the lists stay in
// the first cache level.
const BlockRows = 4096

// walkBelow is the length under which a list of rows is walked row by row: setting up
// a pass over a column costs more than the steps of so few rows.
const walkBelow = 4

// Scratch is the working memory of one caller; the zero value is ready.
type Scratch struct {
	bits  []uint32 // all 1 between splits by lists: a bit for each code
	rows  [2][]uint32
	codes []uint32
	stack []frame
}

// frame is a node and the part of a row buffer that holds its rows.
type frame struct {
	node   int32
	lo, hi int32
	buffer int8
}

// AddRange adds to scores[row] the value of the row's leaf, for rows lo … hi-1.
// columns are indexed by the nodes' Column and reach to row hi-1 at least.
func AddRange(t *Tree, columns []Column, lo, hi int, scores []float64, s *Scratch) {
	if len(t.Nodes) == 0 {
		value := t.Leaf[0]
		for r := range scores[lo:hi] {
			scores[lo+r] += value
		}
		return
	}
	for ; lo < hi; lo += BlockRows {
		n := min(BlockRows, hi-lo)
		rows := s.block(n)
		for i := range rows {
			rows[i] = uint32(lo + i)
		}
		addBlock(t, columns, n, scores, s)
	}
}

// AddRows is AddRange for the listed rows, each of which gets its leaf's value as
// often as it is listed.
func AddRows(t *Tree, columns []Column, rows []uint32, scores []float64, s *Scratch) {
	if len(t.Nodes) == 0 {
		value := t.Leaf[0]
		for _, r := range rows {
			scores[r] += value
		}
		return
	}
	for len(rows) > 0 {
		n := min(BlockRows, len(rows))
		copy(s.block(n), rows[:n])
		addBlock(t, columns, n, scores, s)
		rows = rows[n:]
	}
}

// block returns the first row buffer, n long, and makes the scratch big enough.
func (s *Scratch) block(n int) []uint32 {
	if cap(s.codes) < n {
		s.rows[0], s.rows[1] = make([]uint32, n), make([]uint32, n)
		s.codes = make([]uint32, n)
	}
	s.rows[0], s.rows[1], s.codes = s.rows[0][:n], s.rows[1][:n], s.codes[:n]
	return s.rows[0]
}

// addBlock takes the n rows in the first buffer down the tree. A node's rows lie in
// one buffer and move to the same places of the other, left ones from the front,
// right ones from the back; what its left subtree does stays left of its right rows.
func addBlock(t *Tree, columns []Column, n int, scores []float64, s *Scratch) {
	stack := append(s.stack[:0], frame{hi: int32(n)})
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		node := &t.Nodes[f.node]
		src := s.rows[f.buffer][f.lo:f.hi]
		if len(src) < walkBelow {
			for _, r := range src {
				scores[r] += t.Leaf[t.walkFrom(f.node, columns, r)]
			}
			continue
		}
		column := &columns[node.Column]
		if node.Left < 0 && node.Right < 0 && node.Form == Range {
			addPair(column, node, src, [2]float64{t.Leaf[^node.Left], t.Leaf[^node.Right]}, scores)
			continue
		}
		dst := s.rows[1-f.buffer][f.lo:f.hi]
		m := t.split(column, node, src, dst, s)
		mid := f.lo + int32(m)
		if node.Right < 0 {
			addLeaf(dst[m:], t.Leaf[^node.Right], scores)
		} else if mid < f.hi {
			stack = append(stack, frame{node.Right, mid, f.hi, 1 - f.buffer})
		}
		if node.Left < 0 {
			addLeaf(dst[:m], t.Leaf[^node.Left], scores)
		} else if f.lo < mid {
			stack = append(stack, frame{node.Left, f.lo, mid, 1 - f.buffer})
		}
	}
	s.stack = stack
}

func (t *Tree) walkFrom(c int32, columns []Column, row uint32) int32 {
	for c >= 0 {
		n := &t.Nodes[c]
		if t.right(n, columns[n.Column].At(row)) == 1 {
			c = n.Right
		} else {
			c = n.Left
		}
	}
	return ^c
}

func addLeaf(rows []uint32, value float64, scores []float64) {
	for _, r := range rows {
		scores[r] += value
	}
}

// split moves src to dst, rows that go left to the front in order, the others to the
// back in reverse, and returns how many go left.
func (t *Tree) split(column *Column, n *Node, src, dst []uint32, s *Scratch) int {
	if n.Form != Range {
		codes := s.codes[:len(src)]
		column.gather(src, codes)
		words := t.Words[n.Set : n.Set+n.Span]
		if n.Form == Bits {
			return splitBits(words, codes, n.Lo, src, dst)
		}
		return s.splitList(words, codes, n, src, dst)
	}
	switch column.Bits {
	case 4:
		return splitNibbles(column.U4, n.Lo, n.Span, src, dst)
	case 8:
		return split(column.U8, n.Lo, n.Span, src, dst)
	case 16:
		return split(column.U16, n.Lo, n.Span, src, dst)
	default:
		return split(column.U32, n.Lo, n.Span, src, dst)
	}
}

func split[C uint8 | uint16 | uint32](col []C, lo, span uint32, src, dst []uint32) int {
	dst = dst[:len(src)]
	left, last := 0, len(src)-1
	for i, r := range src {
		// Both places are free until the row's side is known; the wrong one is
		// overwritten by a later row.
		dst[left] = r
		dst[last-i+left] = r
		left += 1 - below(uint32(col[r])-lo, span)
	}
	return left
}

func splitNibbles(col []byte, lo, span uint32, src, dst []uint32) int {
	dst = dst[:len(src)]
	left, last := 0, len(src)-1
	for i, r := range src {
		dst[left] = r
		dst[last-i+left] = r
		left += 1 - below(nibble(col, r)-lo, span)
	}
	return left
}

func splitBits(words, codes []uint32, regular uint32, src, dst []uint32) int {
	dst = dst[:len(src)]
	codes = codes[:len(src)]
	left, last := 0, len(src)-1
	for i, r := range src {
		c := min(codes[i], regular)
		dst[left] = r
		dst[last-i+left] = r
		left += 1 - int(words[c/32]>>(c%32)&1)
	}
	return left
}

// splitList is splitBits for a list of the codes that go left: its bits are set for the
// time of the split, since to look a code up in a list is to guess wrong at every step.
func (s *Scratch) splitList(set, codes []uint32, n *Node, src, dst []uint32) int {
	for need := int(n.Lo/32) + 1; len(s.bits) < need; {
		s.bits = append(s.bits, ^uint32(0))
	}
	flip := func() {
		for _, c := range set {
			s.bits[c/32] ^= 1 << (c % 32)
		}
		if n.MissingLeft {
			s.bits[n.Lo/32] ^= 1 << (n.Lo % 32)
		}
	}
	flip()
	left := splitBits(s.bits, codes, n.Lo, src, dst)
	flip()
	return left
}

// addPair ends rows at a numeric node whose children are both leaves.
func addPair(column *Column, n *Node, rows []uint32, value [2]float64, scores []float64) {
	switch column.Bits {
	case 4:
		for _, r := range rows {
			scores[r] += value[below(nibble(column.U4, r)-n.Lo, n.Span)]
		}
	case 8:
		pair(column.U8, n.Lo, n.Span, rows, &value, scores)
	case 16:
		pair(column.U16, n.Lo, n.Span, rows, &value, scores)
	default:
		pair(column.U32, n.Lo, n.Span, rows, &value, scores)
	}
}

func pair[C uint8 | uint16 | uint32](col []C, lo, span uint32, rows []uint32, value *[2]float64, scores []float64) {
	for _, r := range rows {
		scores[r] += value[below(uint32(col[r])-lo, span)]
	}
}
