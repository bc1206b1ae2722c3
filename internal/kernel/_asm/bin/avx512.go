package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lane512 is one vector of 16 values on its way down.
type lane512 struct {
	offset  int                 // of its first value from the loop's
	x       reg.VecVirtual      // the values as float32
	at      reg.VecVirtual      // the node: 1, then 2·node or 2·node+1
	greater []reg.OpmaskVirtual // the ways taken at the first two levels
	index   Mem                 // where single elements of at are read from
}

// avx512 writes the kernel for vectors of 16 values, two of which take turns, since
// each step waits for the last. The pivots of 8 levels stand in 16 registers.
func (k kernel) avx512() {
	a := k.begin("AVX512")
	tables := make([]reg.VecVirtual, 1<<k.levels/16)
	for i := range tables {
		tables[i] = ZMM()
		VMOVUPS(Mem{Base: a.pivots, Disp: 64 * i}, tables[i])
	}
	one, above, last := ZMM(), ZMM(), ZMM()
	word := GP32()
	MOVL(U32(1), word)
	VPBROADCASTD(word, one)
	VPBROADCASTD(a.above, above)
	VPBROADCASTD(a.last, last)
	lanes := []*lane512{{offset: 0}, {offset: 16}}
	if k.double {
		lanes[0].index, lanes[1].index = AllocLocal(64), AllocLocal(64)
	}

	TESTQ(a.n, a.n)
	JZ(LabelRef("done"))
	Label("loop")
	root := ZMM()
	VBROADCASTSS(Mem{Base: a.pivots, Disp: 4}, root)
	for _, l := range lanes {
		l.x = k.load512(a, l.offset)
		l.at = ZMM()
		VPADDD(one, one, l.at)
		l.step(root, one, false)
	}
	for level := 1; level < k.levels; level++ {
		for _, l := range lanes {
			l.step(l.pivot(tables, level), one, true)
		}
	}
	if k.deep {
		gather512(a, lanes, one)
	}
	for _, l := range lanes {
		VPMINUD(last, l.at, l.at)
		VPSUBD(above, l.at, l.at)
	}
	if k.double {
		refine512(a, lanes)
	}
	for _, l := range lanes {
		k.store512(a, l)
	}
	k.end(a, 16*len(lanes))
}

func (k kernel) load512(a arguments, offset int) reg.VecVirtual {
	x := ZMM()
	if !k.double {
		VMOVUPS(Mem{Base: a.values, Disp: 4 * offset}, x)
		return x
	}
	high := YMM()
	VCVTPD2PS(Mem{Base: a.values, Disp: 8 * offset}, x.AsY())
	VCVTPD2PS(Mem{Base: a.values, Disp: 8*offset + 64}, high)
	VINSERTF64X4(U8(1), high, x, x)
	return x
}

// step goes to the child, which is right where the value is above the pivot or NaN.
// The first step need not double: it starts at the root's left child.
func (l *lane512) step(pivot, one reg.VecVirtual, double bool) {
	greater := K()
	VCMPPS(U8(notLessEqual), pivot, l.x, greater)
	if double {
		VPADDD(l.at, l.at, l.at)
	}
	VPADDD(one, l.at, greater, l.at)
	if len(l.greater) < 2 {
		l.greater = append(l.greater, greater)
	}
}

// pivot looks up the pivots of the lanes' nodes in registers: 16 or 32 of them in
// one permutation by the low bits of the node, more of them in several, between
// which the first ways taken decide.
func (l *lane512) pivot(tables []reg.VecVirtual, level int) reg.VecVirtual {
	pivot := ZMM()
	if level <= 4 {
		VPERMPS(tables[level/4], l.at, pivot)
		return pivot
	}
	own := tables[1<<level/16 : 2<<level/16]
	var parts []reg.VecVirtual
	for i := 0; i < len(own); i += 2 {
		part := ZMM()
		VMOVDQA32(l.at, part)
		VPERMI2PS(own[i+1], own[i], part)
		parts = append(parts, part)
	}
	for way := level - 6; way >= 0; way-- {
		for i := range len(parts) / 2 {
			VBLENDMPS(parts[2*i+1], parts[2*i], l.greater[way], parts[i])
		}
		parts = parts[:len(parts)/2]
	}
	return parts[0]
}

// gather512 takes the levels whose pivots are in memory only.
func gather512(a arguments, lanes []*lane512, one reg.VecVirtual) {
	full, left := K(), GP64()
	KXNORW(full, full, full)
	MOVQ(a.deeper, left)
	Label("deeper")
	for _, l := range lanes {
		all, pivot := K(), ZMM()
		KXNORW(full, full, all)
		VXORPS(pivot, pivot, pivot)
		VGATHERDPS(Mem{Base: a.pivots, Index: l.at, Scale: 4}, all, pivot)
		l.step(pivot, one, true)
	}
	DECQ(left)
	JNZ(LabelRef("deeper"))
}

// refine512 counts the cuts below the value among those that round to the same
// float32 as it does. Single loads are as fast as a gather of 8 where gathers are
// fast, and twice as fast where they are not.
func refine512(a arguments, lanes []*lane512) {
	half := GP64()
	MOVQ(a.half, half)
	Label("refine")
	base, size := GP64(), ZMM()
	LEAQ(Mem{Base: a.cuts, Index: half, Scale: 8, Disp: -8}, base)
	VPBROADCASTD(half.As32(), size)
	for _, l := range lanes {
		VMOVDQU32(l.at, l.index)
		var below [2]reg.OpmaskVirtual
		for i := range below {
			var quarters [4]reg.VecVirtual
			for j := range quarters {
				quarters[j] = ZMM()
				VBROADCASTSD(Mem{Base: base, Index: element(l.index, 8*i+2*j), Scale: 8}, quarters[j])
				VMOVHPD(Mem{Base: base, Index: element(l.index, 8*i+2*j+1), Scale: 8}, quarters[j].AsX(), quarters[j].AsX())
			}
			for i := 1; i < 4; i++ {
				VINSERTF32X4(U8(i), quarters[i].AsX(), quarters[0], quarters[0])
			}
			below[i] = K()
			VCMPPD(U8(lessThan), Mem{Base: a.values, Disp: 8*l.offset + 64*i}, quarters[0], below[i])
		}
		KUNPCKBW(below[0], below[1], below[0])
		VPADDD(size, l.at, below[0], l.at)
	}
	SHRQ(U8(1), half)
	JNZ(LabelRef("refine"))
}

func (k kernel) store512(a arguments, l *lane512) {
	to := Mem{Base: a.dst, Disp: l.offset * k.width}
	if k.width == 2 {
		VPMOVDW(l.at, to)
	} else {
		VPMOVDB(l.at, to)
	}
}
