// Command scan writes the assembly of the package internal/kernel/scan: the gains of 8
// splits at a time. The Go form is plainPass there.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What the function is given, in words of eight bytes.
const (
	startGrad = 8 * iota
	startHess
	totalGrad
	totalHess
	atLeast
)

const (
	gradScale = 8 * iota
	hessScale
	l2
	minChild
)

// Comparisons of VPCMPQ, and one of VCMPPD that is true of what does not compare.
const (
	notLess      = 5
	notLessFloat = 5
	greaterFloat = 30 // false, and quiet, of what does not compare
)

func main() {
	ConstraintExpr("amd64,!purego")
	counting := GLOBL("counting", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(i))
	}
	refused := GLOBL("refused", RODATA|NOPTR)
	DATA(0, F64(-1))
	eight := GLOBL("eight", RODATA|NOPTR)
	DATA(0, U64(8))
	plain(counting, refused, eight)
	Generate()
}

func plain(counting, refused, eight Mem) {
	TEXT("plainAVX512", NOSPLIT, "func(grad *int64, hess *uint64, n, first uint64, sums *[5]int64, factors *[4]float64, best *[4][8]int64)")
	Pragma("noescape")
	Doc("plainAVX512 writes, for each of 8 lanes, the best of the n codes that it took, of equal",
		"gains the first: 8 gains, 8 codes, and the sums of the gradients and the hessians up to",
		"them. Codes without sums are passed over, but for code 0 if first is 1. n is not 0.")
	grad, hess := Load(Param("grad"), GP64()), Load(Param("hess"), GP64())
	left, sums, factors := Load(Param("n"), GP64()), Load(Param("sums"), GP64()), Load(Param("factors"), GP64())

	fill := func(from Mem) reg.VecVirtual {
		v := ZMM()
		VPBROADCASTQ(from, v)
		return v
	}
	carryGrad, carryHess := fill(Mem{Base: sums, Disp: startGrad}), fill(Mem{Base: sums, Disp: startHess})
	allGrad, allHess := fill(Mem{Base: sums, Disp: totalGrad}), fill(Mem{Base: sums, Disp: totalHess})
	least := fill(Mem{Base: sums, Disp: atLeast})
	scaleGrad, scaleHess := fill(Mem{Base: factors, Disp: gradScale}), fill(Mem{Base: factors, Disp: hessScale})
	ridge, child := fill(Mem{Base: factors, Disp: l2}), fill(Mem{Base: factors, Disp: minChild})
	zero, code, last, step := ZMM(), ZMM(), ZMM(), fill(eight)
	VPXORQ(zero, zero, zero)
	VMOVDQU64(counting, code)
	bestGain, bestCode, bestGrad, bestHess := fill(refused), ZMM(), ZMM(), ZMM()
	VPTERNLOGQ(U8(0xff), bestCode, bestCode, bestCode) // −1
	VPXORQ(bestGrad, bestGrad, bestGrad)
	VPXORQ(bestHess, bestHess, bestHess)
	seven := GP64()
	MOVQ(U32(7), seven)
	VPBROADCASTQ(seven, last)

	within, forced := K(), K()
	first := Load(Param("first"), GP64())
	KMOVB(first.(reg.GP).As32(), forced)
	KXNORB(within, within, within)

	Label("step")
	CMPQ(left, U8(8))
	JAE(LabelRef("whole"))
	// Lanes beyond the end are read as without sums.
	mask := GP64()
	MOVQ(I32(-1), mask)
	BZHIQ(left, mask, mask)
	KMOVB(mask.As32(), within)
	Label("whole")
	g, h, both := ZMM(), ZMM(), ZMM()
	VMOVDQU64_Z(Mem{Base: grad}, within, g)
	VMOVDQU64_Z(Mem{Base: hess}, within, h)
	candidate := K()
	VPORQ(g, h, both)
	VPTESTMQ(both, both, candidate)
	KORB(forced, candidate, candidate)
	KTESTB(candidate, candidate)
	JZ(LabelRef("next"))

	// Lane i takes on the lanes before it: those one, two and four places lower.
	for _, v := range []reg.VecVirtual{g, h} {
		for _, by := range []uint8{1, 2, 4} {
			moved := ZMM()
			VALIGNQ(U8(8-by), zero, v, moved)
			VPADDQ(moved, v, v)
		}
	}
	VPADDQ(carryGrad, g, g)
	VPADDQ(carryHess, h, h)
	VPERMQ(g, last, carryGrad)
	VPERMQ(h, last, carryHess)

	restHess, hl, hr := ZMM(), ZMM(), ZMM()
	VPSUBQ(h, allHess, restHess)
	VPCMPQ(U8(notLess), least, h, candidate, candidate)
	VPCMPQ(U8(notLess), least, restHess, candidate, candidate)
	VCVTQQ2PD(h, hl)
	VCVTQQ2PD(restHess, hr)
	VMULPD(scaleHess, hl, hl)
	VMULPD(scaleHess, hr, hr)
	VCMPPD(U8(notLessFloat), child, hl, candidate, candidate)
	VCMPPD(U8(notLessFloat), child, hr, candidate, candidate)
	KTESTB(candidate, candidate)
	JZ(LabelRef("next"))

	gl, gr := ZMM(), ZMM()
	VCVTQQ2PD(g, gl)
	VPSUBQ(g, allGrad, gr)
	VCVTQQ2PD(gr, gr)
	VMULPD(scaleGrad, gl, gl)
	VMULPD(scaleGrad, gr, gr)
	VADDPD(ridge, hl, hl)
	VADDPD(ridge, hr, hr)
	VMULPD(gl, gl, gl)
	VMULPD(gr, gr, gr)
	VDIVPD(hl, gl, gl)
	VDIVPD(hr, gr, gr)
	VADDPD(gr, gl, gl)
	better := K()
	VCMPPD(U8(greaterFloat), bestGain, gl, candidate, better)
	VMOVAPD(gl, better, bestGain)
	VMOVDQA64(code, better, bestCode)
	VMOVDQA64(g, better, bestGrad)
	VMOVDQA64(h, better, bestHess)

	Label("next")
	KXORB(forced, forced, forced)
	VPADDQ(step, code, code)
	ADDQ(U8(64), grad)
	ADDQ(U8(64), hess)
	SUBQ(U8(8), left)
	JG(LabelRef("step"))

	best := Load(Param("best"), GP64())
	for i, v := range []reg.VecVirtual{bestGain, bestCode, bestGrad, bestHess} {
		VMOVDQU64(v, Mem{Base: best, Disp: 64 * i})
	}
	VZEROUPPER()
	RET()
}
