package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in a packedBest, in bytes.
const (
	bestGain = 0
	bestCode = 8
	bestWord = 16
)

// wordsAVX512 compares the gains of 16 codes with a bound, as float32, which are off by less than what the bound allows
// for. The few that may be better than the best are worked out in float64.
func wordsAVX512(counting, eight, halves Mem) {
	TEXT("wordsAVX512", NOSPLIT, "func(words *uint64, n, start, first uint64, node *[8]uint64, bar float64, best *[3]uint64)")
	Pragma("noescape")
	Doc("wordsAVX512 finds the best of n codes, by the packed sums of their rows, if its gain is above a bar; of equal gains",
		"the first. The sums of start are on the left from the beginning. Runs of codes without sums",
		"are passed over, but for the first if first is 1. n is not 0, and no sum overflows its half of a word.")
	words, left := Load(Param("words"), GP64()), Load(Param("n"), GP64())
	forced, node := Load(Param("first"), GP64()), Load(Param("node"), GP64())
	p, total := newPacked(node, halves), broadcast(node, nodeTotal)
	VPBROADCASTQ(paramMem("start"), p.carry)
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
	shrinks, by, sizes := GP32(), broadcast32(node, nodeShrink), ZMM()
	MOVL(Mem{Base: node, Disp: nodeShrink}, shrinks)
	VPTERNLOGD(U8(0xff), sizes, sizes, sizes)
	VPSRLD(U8(1), sizes, sizes) // all bits but the sign

	Label("words_step")
	a, b, filled := p.load("words_whole", words.(reg.GPVirtual), left.(reg.GPVirtual))
	present := GP32()
	KMOVB(filled, present)
	ORL(forced.(reg.GP).As32(), present)
	JZ(LabelRef("words_next"))
	p.addUp(a, b)
	hl, gl, hr, gr, able := p.apart(a, b)
	TESTL(shrinks, shrinks)
	JZ(LabelRef("words_square"))
	for _, g := range []reg.VecVirtual{gl, gr} {
		VPANDD(sizes, g, g)
		VSUBPS(by, g, g)
		VMAXPS(p.zero, g, g)
	}
	Label("words_square")
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
		gain := exact(node, w, total)
		better := K()
		VCMPPD(U8(greaterFloat), gains, gain, able, better)
		VMOVAPD(gain, better, gains)
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
	MOVQ(p.full, Mem{Base: best, Disp: bestCode}) // −1: none
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
