// Command scan writes the assembly of the package internal/kernel/scan: the gains of 8
// splits at a time, or of 4. The Go form is plainPass there.
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
	slack
	bar
	beat
)

// Comparisons of VPCMPQ, and those of VCMPPD: true of what does not compare, or false.
const (
	equal        = 0
	notLess      = 5
	notLessFloat = 21
	greaterFloat = 30
)

func main() {
	ConstraintExpr("amd64,!purego")
	counting := GLOBL("counting", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(i))
	}
	eight := GLOBL("eight", RODATA|NOPTR)
	DATA(0, U64(8))
	tiny := GLOBL("tiny", RODATA|NOPTR)
	DATA(0, F64(1e-60))
	plain(counting, eight, tiny)
	ends := GLOBL("ends", RODATA|NOPTR) // from word 4-n on: n words of ones, then of zeros
	for i := range 8 {
		if i < 4 {
			DATA(8*i, U64(1<<64-1))
		} else {
			DATA(8*i, U64(0))
		}
	}
	lanes := GLOBL("lanes", RODATA|NOPTR) // by bits of lanes: ones in these lanes
	for bits := range 16 {
		for i := range 4 {
			DATA(32*bits+8*i, U64(-uint64(bits>>i&1)))
		}
	}
	plainAVX2(counting, tiny, ends, lanes)
	halves := GLOBL("halves", RODATA|NOPTR) // the lower halves of the words of two vectors, then the upper ones
	for upper := range 2 {
		for i := range 16 {
			DATA(64*upper+4*i, U32(2*i+upper))
		}
	}
	boundsAVX512(halves)
	wordsAVX512(counting, eight, halves)
	flagsAVX512()
	levelsAVX512(counting, eight)
	sharesAVX512()
	narrow(counting, ends)
	Generate()
}

func plain(counting, eight, tiny Mem) {
	TEXT("plainAVX512", NOSPLIT, "func(grad *int64, hess *uint64, n, first uint64, sums *[5]int64, factors *[6]float64, best *[5][8]int64)")
	Pragma("noescape")
	Doc("plainAVX512 writes, for each of 8 lanes, the best of the n codes that it took if its gain is above a bar, of equal",
		"gains the first: 8 gains, 8 codes, and the sums of the gradients and the hessians up to",
		"them; then the number of the best lane. Codes without sums are passed over, but for code",
		"0 if first is 1. n is not 0.",
		"Two divisions take longer than all the rest of a step: gains are multiplied out with",
		"their denominators first, and divided only where they may exceed the best so far.")
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
	ridge, spare := fill(Mem{Base: factors, Disp: l2}), fill(Mem{Base: factors, Disp: slack})
	zero, code, last, step := ZMM(), ZMM(), ZMM(), fill(eight)
	VPXORQ(zero, zero, zero)
	VMOVDQU64(counting, code)
	bestGain, bestCode, bestGrad, bestHess := fill(Mem{Base: factors, Disp: bar}), ZMM(), ZMM(), ZMM()
	VPTERNLOGQ(U8(0xff), bestCode, bestCode, bestCode) // −1
	VPXORQ(bestGrad, bestGrad, bestGrad)
	VPXORQ(bestHess, bestHess, bestHess)
	// The best gain of all lanes times the slack, once it is above the least that products
	// cannot lose to the smallest numbers.
	toBeat, least60 := fill(Mem{Base: factors, Disp: beat}), fill(tiny)
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
	product, other, bound := ZMM(), ZMM(), ZMM()
	VMULPD(hr, gl, product)
	VMULPD(hl, gr, other)
	VADDPD(other, product, product)
	VMULPD(hl, hr, bound)
	VMULPD(toBeat, bound, bound)
	VCMPPD(U8(notLessFloat), bound, product, candidate, candidate)
	KTESTB(candidate, candidate)
	JZ(LabelRef("next"))

	VDIVPD(hl, gl, gl)
	VDIVPD(hr, gr, gr)
	VADDPD(gr, gl, gl)
	better := K()
	VCMPPD(U8(greaterFloat), bestGain, gl, candidate, better)
	VMOVAPD(gl, better, bestGain)
	VMOVDQA64(code, better, bestCode)
	VMOVDQA64(g, better, bestGrad)
	VMOVDQA64(h, better, bestHess)
	most := largest(bestGain)
	VCMPPD(U8(greaterFloat), least60, most, better)
	VMULPD(spare, most, better, toBeat)

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
	firstOfBest(bestGain, bestCode, func(lane reg.OpmaskVirtual, _, _ reg.VecVirtual) {
		number := GP64()
		KMOVB(lane, number.As32())
		BSFQ(number, number)
		MOVQ(number, Mem{Base: best, Disp: 64 * 4})
	})
	VZEROUPPER()
	RET()
}

// firstOfBest finds the lanes of the best gain, and of them that of the lowest code; without a code all have
// −1, the largest.
func firstOfBest(gains, codes reg.VecVirtual, use func(lane reg.OpmaskVirtual, gain, code reg.VecVirtual)) {
	lane, gain := K(), largest(gains)
	VCMPPD(U8(equal), gain, gains, lane)
	of, lowest, turned := ZMM(), ZMM(), ZMM()
	VPTERNLOGQ(U8(0xff), of, of, of)
	VMOVDQA64(codes, lane, of)
	VMOVDQA64(of, lowest)
	for _, turn := range []func(){
		func() { VSHUFI64X2(U8(0x4e), lowest, lowest, turned) },
		func() { VSHUFI64X2(U8(0xb1), lowest, lowest, turned) },
		func() { VPSHUFD(U8(0x4e), lowest, turned) },
	} {
		turn()
		VPMINUQ(turned, lowest, lowest)
	}
	VPCMPEQQ(lowest, of, lane, lane)
	use(lane, gain, lowest)
}

// largest returns a vector of the largest of eight numbers.
func largest(v reg.VecVirtual) reg.VecVirtual {
	most, turned := ZMM(), ZMM()
	VSHUFF64X2(U8(0x4e), v, v, turned)
	VMAXPD(turned, v, most)
	VSHUFF64X2(U8(0xb1), most, most, turned)
	VMAXPD(turned, most, most)
	VPERMILPD(U8(0x55), most, turned)
	VMAXPD(turned, most, most)
	return most
}
