package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// Offsets in a Span, which has 16 bytes.
const (
	spanFrom    = 0
	spanRegular = 4
	spanCommon  = 8
	spanMissing = 12
)

// boundsAVX512 bounds the gains of 16 codes at a time, in float32. No branch depends on a gain, so that the features
// overlap.
//
// With h and k for the hessian sums of the left and the right, the ridge added, f and g for their gradient sums, and
// F = f + g, a split gains d²/(hk(h + k)) for d = fk − gh, and what all splits of the node have in common: f²/h + g²/k =
// d²/(hk(h + k)) + F²/(h + k). In float32, d is off by less than 5.1 units of 2⁻²⁴ of |fk| + |gh|, and (|fk| + |gh|)² is
// at most 2hk(h + k) times f²/h + g²/k. So d² is at most a 512th more than it seems, and what a split gains 2⁻³³ times
// f²/h + g²/k on top. The reciprocal is off by 2⁻¹⁴.
func boundsAVX512(halves Mem) {
	TEXT("boundsAVX512", NOSPLIT, "func(bounds *float32, words *uint64, spans *[4]uint32, features *int, n uint64, node *[8]uint64)")
	Pragma("noescape")
	Doc("boundsAVX512 is Bounds for n features, which is not 0.")
	out, words := Load(Param("bounds"), GP64()), Load(Param("words"), GP64())
	spans, features := Load(Param("spans"), GP64()), Load(Param("features"), GP64())
	n, node := Load(Param("n"), GP64()), Load(Param("node"), GP64())
	p, at := newPacked(node, halves), GP64()

	Label("bounds_feature")
	most := ZMM()
	VPXORQ(most, most, most)
	span, own, regular := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: features}, span)
	SHLQ(U8(4), span)
	ADDQ(spans, span)
	MOVL(Mem{Base: span, Disp: spanFrom}, own.As32())
	LEAQ(Mem{Base: words, Index: own, Scale: 8}, own)
	MOVL(Mem{Base: span, Disp: spanRegular}, regular.As32())

	// One side has no more hessian than all codes but the most frequent.
	others := GP64()
	MOVL(Mem{Base: span, Disp: spanCommon}, at.As32())
	MOVL(Mem{Base: node, Disp: nodeTotal}, others.As32())
	SUBL(Mem{Base: own, Index: at, Scale: 8}, others.As32())
	CMPL(others.As32(), Mem{Base: node, Disp: nodeLeast})
	JB(LabelRef("bounds_done"))

	// Missing rows go left first, and then right: once more, with the last code too.
	start, left, again := GP64(), GP64(), GP64()
	XORQ(start, start)
	XORQ(again, again)
	LEAQ(Mem{Base: regular, Disp: -1}, left)
	CMPL(Mem{Base: span, Disp: spanMissing}, U8(0))
	JE(LabelRef("bounds_pass"))
	MOVQ(Mem{Base: own, Index: regular, Scale: 8}, start)
	MOVQ(start, again)

	Label("bounds_pass")
	from := GP64()
	VPBROADCASTQ(start, p.carry)
	MOVQ(own, from)
	CMPQ(left, U8(0))
	JLE(LabelRef("bounds_passed"))

	Label("bounds_step")
	a, b, filled := p.load("bounds_whole", from, left)
	KTESTB(filled, filled)
	JZ(LabelRef("bounds_next"))
	p.addUp(a, b)
	hl, gl, hr, gr, able := p.apart(a, b)
	VMULPS(hr, gl, gl)
	VMULPS(hl, gr, gr)
	VSUBPS(gr, gl, gl)
	VMULPS(gl, gl, gl)
	VMULPS(hr, hl, hl)
	VRCP14PS(hl, hl)
	VMULPS_Z(hl, gl, able, gl)
	VMAXPS(gl, most, most)

	Label("bounds_next")
	ADDQ(U8(128), from)
	SUBQ(U8(16), left)
	JG(LabelRef("bounds_step"))

	Label("bounds_passed")
	TESTQ(again, again)
	JZ(LabelRef("bounds_done"))
	XORQ(again, again)
	XORQ(start, start)
	MOVQ(regular, left)
	JMP(LabelRef("bounds_pass"))

	Label("bounds_done")
	half := YMM()
	VEXTRACTF64X4(U8(1), most, half)
	VMAXPS(half, most.AsY(), half)
	quarter, turned := XMM(), XMM()
	VEXTRACTF128(U8(1), half, quarter)
	VMAXPS(quarter, half.AsX(), quarter)
	VMOVHLPS(quarter, quarter, turned)
	VMAXPS(turned, quarter, quarter)
	VMOVSHDUP(quarter, turned)
	VMAXPS(turned, quarter, quarter)
	VMOVSS(quarter, Mem{Base: out})
	ADDQ(U8(4), out)
	ADDQ(U8(8), features)
	DECQ(n)
	JNZ(LabelRef("bounds_feature"))
	VZEROUPPER()
	RET()
}
