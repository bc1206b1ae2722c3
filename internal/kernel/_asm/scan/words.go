package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in what wordsAVX512 is given of a node, and in what it returns, in bytes: see packedVectors and packedBest.
const (
	nodeTotal     = 0
	nodeLeast     = 8
	nodeRidge     = 12
	nodeGradScale = 16
	nodeHessScale = 24
	nodeL2        = 32
	nodeUnits     = 40

	bestGain = 0
	bestCode = 8
	bestWord = 16
)

// Comparison of VPCMPUD.
const notLessUnsigned = 5

// wordsAVX512 goes through 16 codes at a time: their sums up to each code are made in 64-bit lanes, 8 and 8,
// and compared as 16 float32, which are off by less than what the bound allows for. The few that may be
// better than the best are done again in float64.
func wordsAVX512(counting, eight Mem) {
	halves := GLOBL("halves", RODATA|NOPTR) // the lower halves of the words of two vectors, then the upper ones
	for upper := range 2 {
		for i := range 16 {
			DATA(64*upper+4*i, U32(2*i+upper))
		}
	}
	lower32 := GLOBL("lower32", RODATA|NOPTR)
	DATA(0, U64(1<<32-1))

	TEXT("wordsAVX512", NOSPLIT, "func(words *uint64, n, start, first uint64, node *[6]uint64, bar float64, best *[3]uint64)")
	Pragma("noescape")
	Doc("wordsAVX512 finds the best of n codes, by the packed sums of their rows, if its gain is above a bar; of equal gains",
		"the first. The sums of start are on the left from the beginning. Runs of codes without sums",
		"are passed over, but for the first if first is 1. n is not 0, and no sum overflows its half of a word.")
	words, left := Load(Param("words"), GP64()), Load(Param("n"), GP64())
	forced, node := Load(Param("first"), GP64()), Load(Param("node"), GP64())
	carry := ZMM()
	VPBROADCASTQ(paramMem("start"), carry)
	fill := func(at int) reg.VecVirtual {
		v := ZMM()
		VPBROADCASTQ(Mem{Base: node, Disp: at}, v)
		return v
	}
	fill32 := func(at int) reg.VecVirtual {
		v := ZMM()
		VPBROADCASTD(Mem{Base: node, Disp: at}, v)
		return v
	}
	total, allHess, allGrad := fill(nodeTotal), fill32(nodeTotal), fill32(nodeTotal+4)
	least, ridge := fill32(nodeLeast), fill32(nodeRidge)
	lower, upper := ZMM(), ZMM()
	VMOVDQU32(halves, lower)
	VMOVDQU32(halves.Offset(64), upper)
	zero, last := ZMM(), ZMM()
	VPXORQ(zero, zero, zero)
	seven := GP64()
	MOVQ(U32(7), seven)
	VPBROADCASTQ(seven, last)
	gains, codes, kept := ZMM(), ZMM(), ZMM()
	VPBROADCASTQ(paramMem("bar"), gains)
	VPTERNLOGQ(U8(0xff), codes, codes, codes) // −1
	VPXORQ(kept, kept, kept)
	code := ZMM()
	VMOVDQU64(counting, code)
	step := ZMM()
	VPBROADCASTQ(eight, step)
	any := GP64()
	XORQ(any, any)
	toBeat := ZMM()
	newBound := func(gain reg.VecVirtual) { // gain: one of eight, the same in all lanes
		x := gain.(reg.Vec).AsX()
		scaled := XMM()
		VMULSD(Mem{Base: node, Disp: nodeUnits}, x, scaled)
		VCVTSD2SS(scaled, scaled, scaled)
		VBROADCASTSS(scaled, toBeat)
	}
	newBound(gains)

	low, high := K(), K()
	KXNORB(low, low, low)
	KXNORB(high, high, high)

	Label("words_step")
	CMPQ(left, U8(16))
	JAE(LabelRef("words_whole"))
	mask := GP64()
	MOVQ(I32(-1), mask)
	BZHIQ(left, mask, mask)
	KMOVW(mask.As32(), low)
	KSHIFTRW(U8(8), low, high)
	Label("words_whole")
	a, b := ZMM(), ZMM()
	VMOVDQU64_Z(Mem{Base: words}, low, a)
	VMOVDQU64_Z(Mem{Base: words, Disp: 64}, high, b)
	both, filled := ZMM(), K()
	VPORQ(a, b, both)
	VPTESTMQ(both, both, filled)
	present := GP32()
	KMOVB(filled, present)
	ORL(forced.(reg.GP).As32(), present)
	JZ(LabelRef("words_next"))

	// Lane i takes on the lanes before it: those one, two and four places lower.
	for _, v := range []reg.VecVirtual{a, b} {
		for _, by := range []uint8{1, 2, 4} {
			moved := ZMM()
			VALIGNQ(U8(8-by), zero, v, moved)
			VPADDQ(moved, v, v)
		}
	}
	sumA, sumB := ZMM(), ZMM()
	VPERMQ(a, last, sumA)
	VPERMQ(b, last, sumB)
	VPADDQ(carry, a, a)
	VPADDQ(sumA, carry, carry)
	VPADDQ(carry, b, b)
	VPADDQ(sumB, carry, carry)

	hl, gl, hr, gr := ZMM(), ZMM(), ZMM(), ZMM()
	VMOVDQA64(a, hl)
	VPERMT2D(b, lower, hl)
	VMOVDQA64(a, gl)
	VPERMT2D(b, upper, gl)
	VPSUBD(hl, allHess, hr)
	VPSUBD(gl, allGrad, gr)
	able := K()
	VPCMPUD(U8(notLessUnsigned), least, hl, able)
	VPCMPUD(U8(notLessUnsigned), least, hr, able, able)
	VCVTUDQ2PS(hl, hl)
	VCVTUDQ2PS(hr, hr)
	VCVTDQ2PS(gl, gl)
	VCVTDQ2PS(gr, gr)
	VADDPS(ridge, hl, hl)
	VADDPS(ridge, hr, hr)
	VMULPS(gl, gl, gl)
	VMULPS(gr, gr, gr)
	VMULPS(hr, gl, gl)
	VMULPS(hl, gr, gr)
	VADDPS(gr, gl, gl)
	VMULPS(hr, hl, hl)
	VMULPS(toBeat, hl, hl)
	VCMPPS(U8(notLessFloat), hl, gl, able, able)
	KTESTW(able, able)
	JZ(LabelRef("words_next"))

	// The same again for those that remain, as plainLoop has it.
	ORQ(U8(1), any)
	for i, w := range []reg.VecVirtual{a, b} {
		of, done := code, "words_half_"+string(rune('a'+i))
		if i == 1 {
			KSHIFTRW(U8(8), able, able)
			of = ZMM()
			VPADDQ(step, code, of)
		}
		KTESTB(able, able)
		JZ(LabelRef(done))
		rest, hl, hr, gl, gr := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
		VPSUBQ(w, total, rest)
		only := ZMM()
		VPBROADCASTQ(lower32, only)
		VPANDQ(only, w, hl)
		VPANDQ(only, rest, hr)
		VPSRAQ(U8(32), w, gl)
		VPSRAQ(U8(32), rest, gr)
		for _, v := range []reg.VecVirtual{hl, hr, gl, gr} {
			VCVTQQ2PD(v, v)
		}
		scale := fill(nodeHessScale)
		VMULPD(scale, hl, hl)
		VMULPD(scale, hr, hr)
		scale = fill(nodeGradScale)
		VMULPD(scale, gl, gl)
		VMULPD(scale, gr, gr)
		scale = fill(nodeL2)
		VADDPD(scale, hl, hl)
		VADDPD(scale, hr, hr)
		VMULPD(gl, gl, gl)
		VMULPD(gr, gr, gr)
		VDIVPD(hl, gl, gl)
		VDIVPD(hr, gr, gr)
		VADDPD(gr, gl, gl)
		better := K()
		VCMPPD(U8(greaterFloat), gains, gl, able, better)
		VMOVAPD(gl, better, gains)
		VMOVDQA64(of, better, codes)
		VMOVDQA64(w, better, kept)
		Label(done)
	}
	most := largest(gains)
	newBound(most)

	Label("words_next")
	XORQ(forced, forced)
	VPADDQ(step, code, code)
	VPADDQ(step, code, code)
	ADDQ(U8(128), words)
	SUBQ(U8(16), left)
	JG(LabelRef("words_step"))

	best := Load(Param("best"), GP64())
	MOVQ(I32(-1), mask)
	MOVQ(mask, Mem{Base: best, Disp: bestCode})
	TESTQ(any, any)
	JZ(LabelRef("words_end"))
	firstOfBest(gains, codes, func(lane reg.OpmaskVirtual, gain, at reg.VecVirtual) {
		word := ZMM()
		VMOVQ(at.(reg.Vec).AsX(), Mem{Base: best, Disp: bestCode})
		VMOVQ(gain.(reg.Vec).AsX(), Mem{Base: best, Disp: bestGain})
		VPCOMPRESSQ_Z(kept, lane, word)
		VMOVQ(word.(reg.Vec).AsX(), Mem{Base: best, Disp: bestWord})
	})
	Label("words_end")
	VZEROUPPER()
	RET()
}

func paramMem(name string) Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}
