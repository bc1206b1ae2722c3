package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in packedVectors, in bytes.
const (
	nodeTotal     = 0
	nodeLeast     = 8
	nodeRidge     = 12
	nodeGradScale = 16
	nodeHessScale = 24
	nodeL2        = 32
	nodeUnits     = 40
	nodeL1        = 48
	nodeShrink    = 56
)

// Comparisons of VPCMPUD and VPCMPUQ.
const (
	notLessUnsigned = 5
	greaterUnsigned = 6
)

// broadcast returns a register of 8 times the number of 8 bytes at an offset.
func broadcast(base reg.Register, at int) reg.VecVirtual {
	v := ZMM()
	VPBROADCASTQ(Mem{Base: base, Disp: at}, v)
	return v
}

func broadcast32(base reg.Register, at int) reg.VecVirtual {
	v := ZMM()
	VPBROADCASTD(Mem{Base: base, Disp: at}, v)
	return v
}

// firstLanes returns a mask of as many of n lanes as there are numbers left. label is for its own use, and full is −1.
func firstLanes(label string, left, full reg.GPVirtual, n uint8) reg.GPVirtual {
	mask := GP64()
	MOVQ(full, mask)
	CMPQ(left, U8(n))
	JAE(LabelRef(label))
	BZHIQ(left, full, mask)
	Label(label)
	return mask
}

// lowerHalves returns a register of 8 words whose lower halves are full.
func lowerHalves() reg.VecVirtual {
	v := ZMM()
	VPTERNLOGQ(U8(0xff), v, v, v)
	VPSRLQ(U8(32), v, v)
	return v
}

// packed goes through the packed sums of 16 codes at a time: they are added up in 64-bit lanes, 8 and 8, and their
// halves are taken apart into 16 lanes of 32 bits.
type packed struct {
	zero, last, lower, upper       reg.VecVirtual
	allHess, allGrad, least, ridge reg.VecVirtual
	full                           reg.GPVirtual
	carry                          reg.VecVirtual // the sums before the codes
}

// newPacked fills the registers of a node, but for carry.
func newPacked(node reg.Register, halves Mem) *packed {
	p := &packed{
		zero: ZMM(), last: ZMM(), lower: ZMM(), upper: ZMM(), full: GP64(), carry: ZMM(),
		allHess: broadcast32(node, nodeTotal), allGrad: broadcast32(node, nodeTotal+4),
		least: broadcast32(node, nodeLeast), ridge: broadcast32(node, nodeRidge),
	}
	VPXORQ(p.zero, p.zero, p.zero)
	MOVQ(U32(7), p.full)
	VPBROADCASTQ(p.full, p.last)
	VMOVDQU32(halves, p.lower)
	VMOVDQU32(halves.Offset(64), p.upper)
	MOVQ(I32(-1), p.full)
	return p
}

// load loads the words of 16 codes, or of as many as are left. Lanes of filled are 0 if both of their words are.
func (p *packed) load(label string, words, left reg.GPVirtual) (a, b reg.VecVirtual, filled reg.OpmaskVirtual) {
	low, high := K(), K()
	KMOVW(firstLanes(label, left, p.full, 16).As32(), low)
	KSHIFTRW(U8(8), low, high)
	a, b, filled = ZMM(), ZMM(), K()
	VMOVDQU64_Z(Mem{Base: words}, low, a)
	VMOVDQU64_Z(Mem{Base: words, Disp: 64}, high, b)
	both := ZMM()
	VPORQ(a, b, both)
	VPTESTMQ(both, both, filled)
	return a, b, filled
}

// addUp turns the words of 16 codes into those up to each code, and adds their sum to carry.
func (p *packed) addUp(a, b reg.VecVirtual) {
	for _, v := range []reg.VecVirtual{a, b} { // lane i takes on those one, two and four places lower
		for _, by := range []uint8{1, 2, 4} {
			moved := ZMM()
			VALIGNQ(U8(8-by), p.zero, v, moved)
			VPADDQ(moved, v, v)
		}
	}
	sumA, sumB := ZMM(), ZMM()
	VPERMQ(a, p.last, sumA)
	VPERMQ(b, p.last, sumB)
	VPADDQ(p.carry, a, a)
	VPADDQ(sumA, p.carry, p.carry)
	VPADDQ(p.carry, b, b)
	VPADDQ(sumB, p.carry, p.carry)
}

// apart returns the sums on both sides as float32, the ridge added to those of hessians, and which codes leave enough
// hessian on both.
func (p *packed) apart(a, b reg.VecVirtual) (hl, gl, hr, gr reg.VecVirtual, able reg.OpmaskVirtual) {
	hl, gl, hr, gr, able = ZMM(), ZMM(), ZMM(), ZMM(), K()
	VMOVDQA64(a, hl)
	VPERMT2D(b, p.lower, hl)
	VMOVDQA64(a, gl)
	VPERMT2D(b, p.upper, gl)
	VPSUBD(hl, p.allHess, hr)
	VPSUBD(gl, p.allGrad, gr)
	VPCMPUD(U8(notLessUnsigned), p.least, hl, able)
	VPCMPUD(U8(notLessUnsigned), p.least, hr, able, able)
	VCVTUDQ2PS(hl, hl)
	VCVTUDQ2PS(hr, hr)
	VCVTDQ2PS(gl, gl)
	VCVTDQ2PS(gr, gr)
	VADDPS(p.ridge, hl, hl)
	VADDPS(p.ridge, hr, hr)
	return hl, gl, hr, gr, able
}

// shrink moves sums of gradients, as float64, towards 0 by L1, and leaves out their signs, which squares do not have.
func shrink(gl, gr, by reg.VecVirtual) {
	zero, sign := ZMM(), ZMM()
	VPXORQ(zero, zero, zero)
	VPTERNLOGQ(U8(0xff), sign, sign, sign)
	VPSRLQ(U8(1), sign, sign) // all bits but the sign
	for _, g := range []reg.VecVirtual{gl, gr} {
		VPANDQ(sign, g, g)
		VSUBPD(by, g, g)
		VMAXPD(zero, g, g)
	}
}

// exact returns the gains of the splits with the sums of 8 words on the left, as plainLoop has them.
func exact(node reg.Register, w, total reg.VecVirtual) (gain reg.VecVirtual) {
	rest, hl, hr, gl, gr := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	VPSUBQ(w, total, rest)
	lower := lowerHalves()
	VPANDQ(lower, w, hl)
	VPANDQ(lower, rest, hr)
	VPSRAQ(U8(32), w, gl)
	VPSRAQ(U8(32), rest, gr)
	for _, v := range []reg.VecVirtual{hl, hr, gl, gr} {
		VCVTQQ2PD(v, v)
	}
	scale := broadcast(node, nodeHessScale)
	VMULPD(scale, hl, hl)
	VMULPD(scale, hr, hr)
	scale = broadcast(node, nodeGradScale)
	VMULPD(scale, gl, gl)
	VMULPD(scale, gr, gr)
	scale = broadcast(node, nodeL2)
	VADDPD(scale, hl, hl)
	VADDPD(scale, hr, hr)
	shrink(gl, gr, broadcast(node, nodeL1))
	VMULPD(gl, gl, gl)
	VMULPD(gr, gr, gr)
	VDIVPD(hl, gl, gl)
	VDIVPD(hr, gr, gr)
	VADDPD(gr, gl, gl)
	return gl
}
