package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lane2 is one vector of 8 values on its way down.
type lane2 struct {
	offset  int              // of its first value from the loop's
	x       reg.VecVirtual   // the values as float32
	at      reg.VecVirtual   // the node: 1, then 2·node or 2·node+1
	greater []reg.VecVirtual // the ways taken at the first levels: -1 right, 0 left
	index   Mem              // where single elements of at are read from
}

// permuted is how many levels are looked up by permutations of 8 pivots at a time; of
// the next level it would take 16, and single loads are faster.
const permuted = 7

// avx2 writes the kernel for vectors of 8 values, two of which take turns, since each
// step waits for the last. Pivots and constants stay in the first-level cache.
func (k kernel) avx2() {
	a := k.begin("AVX2")
	two, above, last := AllocLocal(32), AllocLocal(32), AllocLocal(32)
	word := GP32()
	MOVL(U32(2), word)
	fill(word, two)
	fill(a.above, above)
	fill(a.last, last)
	first := YMM()
	VMOVUPS(Mem{Base: a.pivots}, first)
	lanes := []*lane2{{offset: 0, index: AllocLocal(32)}, {offset: 8, index: AllocLocal(32)}}

	TESTQ(a.n, a.n)
	JZ(LabelRef("done"))
	Label("loop")
	root := YMM()
	VBROADCASTSS(Mem{Base: a.pivots, Disp: 4}, root)
	for _, l := range lanes {
		l.x = k.load2(a, l.offset)
		l.at = YMM()
		VMOVDQU(two, l.at)
		l.step(root, false)
	}
	for level := 1; level < k.levels; level++ {
		for _, l := range lanes {
			if level < permuted {
				l.step(l.pivot(a, first, level), true)
			} else {
				l.gather(a)
			}
		}
	}
	if k.deep {
		left := GP64()
		MOVQ(a.deeper, left)
		Label("deeper")
		for _, l := range lanes {
			l.gather(a)
		}
		DECQ(left)
		JNZ(LabelRef("deeper"))
	}
	for _, l := range lanes {
		VPMINUD(last, l.at, l.at)
		VPSUBD(above, l.at, l.at)
	}
	if k.double {
		refine2(a, lanes)
	}
	for _, l := range lanes {
		k.store2(a, l)
	}
	k.end(a, 8*len(lanes))
}

// fill writes a word into all lanes of a vector in memory.
func fill(word reg.GPVirtual, to Mem) {
	first, v := XMM(), YMM()
	VMOVD(word, first)
	VPBROADCASTD(first, v)
	VMOVDQU(v, to)
}

func (k kernel) load2(a arguments, offset int) reg.VecVirtual {
	x := YMM()
	if !k.double {
		VMOVUPS(Mem{Base: a.values, Disp: 4 * offset}, x)
		return x
	}
	high := XMM()
	VXORPS(x, x, x)
	VCVTPD2PSY(Mem{Base: a.values, Disp: 8 * offset}, x.AsX())
	VCVTPD2PSY(Mem{Base: a.values, Disp: 8*offset + 32}, high)
	VINSERTF128(U8(1), high, x, x)
	return x
}

// step goes to the child, which is right where the value is above the pivot or NaN.
// The first step need not double: it starts at the root's left child.
func (l *lane2) step(pivot reg.VecVirtual, double bool) {
	greater := YMM()
	VCMPPS(U8(notLessEqual), pivot, l.x, greater)
	if double {
		VPADDD(l.at, l.at, l.at)
	}
	VPSUBD(greater, l.at, l.at)
	if len(l.greater) < permuted-4 {
		l.greater = append(l.greater, greater)
	}
}

// pivot looks up the pivots of the lane's nodes, 8 of them in one permutation by the
// low bits of the node, more of them in several, between which the first ways taken
// decide.
func (l *lane2) pivot(a arguments, first reg.VecVirtual, level int) reg.VecVirtual {
	if level < 3 {
		pivot := YMM()
		VPERMPS(first, l.at, pivot)
		return pivot
	}
	return l.choose(a, 4<<level, 1<<level/8, level-4)
}

// choose looks up in count tables at offset at of the pivots, of which the last ways
// taken up to level way choose one.
func (l *lane2) choose(a arguments, at, count, way int) reg.VecVirtual {
	pivot := YMM()
	if count == 1 {
		VPERMPS(Mem{Base: a.pivots, Disp: at}, l.at, pivot)
		return pivot
	}
	left := l.choose(a, at, count/2, way)
	right := l.choose(a, at+16*count, count/2, way)
	VBLENDVPS(l.greater[way+1-log2(count)], right, left, pivot)
	return pivot
}

func log2(n int) int {
	log := 0
	for ; n > 1; n /= 2 {
		log++
	}
	return log
}

// gather takes a level by single loads, which are faster than VGATHERDPS on many
// processors and not slower on the others.
func (l *lane2) gather(a arguments) {
	VMOVDQU(l.at, l.index)
	var halves [2]reg.VecVirtual
	for i := range halves {
		halves[i] = YMM()
		for j := range 4 {
			from := Mem{Base: a.pivots, Index: element(l.index, 4*i+j), Scale: 4}
			if j == 0 {
				VBROADCASTSS(from, halves[i])
			} else {
				VINSERTPS(U8(j<<4), from, halves[i].AsX(), halves[i].AsX())
			}
		}
	}
	VINSERTF128(U8(1), halves[1].AsX(), halves[0], halves[0])
	l.step(halves[0], true)
}

// refine2 counts the cuts below the value among those that round to the same
// float32 as it does.
func refine2(a arguments, lanes []*lane2) {
	half := GP64()
	MOVQ(a.half, half)
	Label("refine")
	base, size := GP64(), YMM()
	LEAQ(Mem{Base: a.cuts, Index: half, Scale: 8, Disp: -8}, base)
	step := XMM()
	VMOVD(half.As32(), step)
	VPBROADCASTD(step, size)
	for _, l := range lanes {
		VMOVDQU(l.at, l.index)
		var below [2]reg.VecVirtual
		for i := range below {
			below[i] = YMM()
			high := YMM()
			for j, to := range []reg.VecVirtual{below[i], high} {
				VBROADCASTSD(Mem{Base: base, Index: element(l.index, 4*i+2*j), Scale: 8}, to)
				VMOVHPD(Mem{Base: base, Index: element(l.index, 4*i+2*j+1), Scale: 8}, to.AsX(), to.AsX())
			}
			VINSERTF128(U8(1), high.AsX(), below[i], below[i])
			VCMPPD(U8(lessThan), Mem{Base: a.values, Disp: 8*l.offset + 32*i}, below[i], below[i])
		}
		// The low halves of all eight masks, in order.
		VSHUFPS(U8(0x88), below[1], below[0], below[0])
		VPERMQ(U8(0xD8), below[0], below[0])
		VPAND(size, below[0], below[0])
		VPADDD(below[0], l.at, l.at)
	}
	SHRQ(U8(1), half)
	JNZ(LabelRef("refine"))
}

func (k kernel) store2(a arguments, l *lane2) {
	to := Mem{Base: a.dst, Disp: l.offset * k.width}
	high := XMM()
	VEXTRACTI128(U8(1), l.at, high)
	VPACKUSDW(high, l.at.AsX(), high)
	if k.width == 2 {
		VMOVDQU(high, to)
		return
	}
	VPACKUSWB(high, high, high)
	VMOVQ(high, to)
}
