package bin

import (
	"math"
	"math/bits"
	"unsafe"

	"boost/internal/cpu"
)

// pivots are cuts in the order in which a binary search meets them: node h of a
// complete binary tree has the children 2h and 2h+1, and a value goes right where
// it is above the node's pivot. All values take as many steps, without branches, so
// vectors of them go down together, the upper levels by permutations of registers
// that hold the pivots. Below the last level stand the codes, after a leading 1.
//
// Absent cuts are +Inf, which nothing is above. NaN goes right everywhere and comes
// out beyond them; the code is kept down to that of missing.
//
// A float64 value goes down as a float32. Rounding keeps the order, so all cuts that
// round to less are below the value, and those that round to more are not; a search
// among those that round to the same decides.
type pivots struct {
	level   cpu.Level
	depth   int       // levels of the tree
	nodes   []float32 // 2^depth; the first is no node
	missing uint32    // code of NaN: cuts + 1
	cuts    []float64 // for float64 values: ascending, then +Inf as often as a search looks beyond the last
	half    uint64    // and the first step of that search, a power of two
}

// maxDepth is the depth up to which a descent is faster than the slots of an Index: at
// the last levels every pivot comes from a more distant cache.
const maxDepth = 16

// depthOf is the depth of a tree of n cuts with room for the path of NaN. Small
// trees have the depths that there are kernels for.
func depthOf(n int) int {
	depth := bits.Len(uint(n) + 1)
	if depth > 8 {
		return depth
	}
	return max(4, (depth+1)&^1)
}

// newPivots32 makes the pivots for float32 values from ascending cuts.
func newPivots32(cuts []float32, level cpu.Level) *pivots {
	p := &pivots{level: level, depth: depthOf(len(cuts)), missing: uint32(len(cuts)) + 1}
	p.nodes = make([]float32, 1<<p.depth)
	for h := 1; h < len(p.nodes); h++ {
		up := p.depth - bits.Len(uint(h)) // levels from the node to the last
		rank := (2*h+1)<<up&(len(p.nodes)-1) - 1
		if rank < len(cuts) {
			p.nodes[h] = cuts[rank]
		} else {
			p.nodes[h] = float32(math.Inf(1))
		}
	}
	return p
}

// maxEqual is how many cuts may round to the same float32: three steps for each value
// find the first of seven that is not below it, and an Index with slots is no slower
// than four.
const maxEqual = 7

// newPivots64 makes the pivots for float64 values from ascending cuts. It returns nil
// if more than maxEqual of them round to the same float32.
func newPivots64[K Float](cuts []K, level cpu.Level) *pivots {
	rounded := make([]float32, len(cuts))
	equal, most := 0, 1
	for i, cut := range cuts {
		rounded[i] = float32(cut)
		if i > 0 && rounded[i] != rounded[i-1] {
			equal = 0
		}
		equal++
		most = max(most, equal)
	}
	if most > maxEqual {
		return nil
	}
	p := newPivots32(rounded, level)
	steps := bits.Len(uint(most))
	p.half = 1 << (steps - 1)
	p.cuts = make([]float64, len(cuts)+1+1<<steps)
	for i := range p.cuts {
		if i < len(cuts) {
			p.cuts[i] = float64(cuts[i])
		} else {
			p.cuts[i] = math.Inf(1)
		}
	}
	return p
}

// descend writes the codes of values: what the kernels of every instruction set do.
func descend[C Code, V Float](dst []C, values []V, p *pivots) {
	dst = dst[:len(values)]
	for i, x := range values {
		code := p.below(float32(x))
		for half := p.half; half > 0; half >>= 1 {
			if p.cuts[uint64(code)+half-1] < float64(x) {
				code += uint32(half)
			}
		}
		dst[i] = C(code)
	}
}

// below counts the cuts whose pivots are below x.
func (p *pivots) below(x float32) uint32 {
	h := uint32(1)
	for range p.depth {
		above := !(x <= p.nodes[h])
		h *= 2
		if above {
			h++
		}
	}
	return min(h-uint32(len(p.nodes)), p.missing)
}

// encode writes codes of any width. The kernels write those that the depth asks for;
// where others are wanted, a chunk at a time is converted.
func encode[C Code, V Float](dst []C, values []V, p *pivots) {
	dst = dst[:len(values)]
	at := unsafe.Pointer(unsafe.SliceData(dst))
	switch width := unsafe.Sizeof(C(0)); {
	case width == 1 && p.depth <= 8:
		run(unsafe.Slice((*uint8)(at), len(dst)), values, p)
	case p.depth <= 8:
		convert[uint8](dst, values, p)
	case width == 2:
		run(unsafe.Slice((*uint16)(at), len(dst)), values, p)
	default:
		convert[uint16](dst, values, p)
	}
}

func convert[K, C Code, V Float](dst []C, values []V, p *pivots) {
	var codes [chunk]K
	for len(values) > 0 {
		n := min(chunk, len(values))
		run(codes[:n], values[:n], p)
		for i, code := range codes[:n] {
			dst[i] = C(code)
		}
		dst, values = dst[n:], values[n:]
	}
}
