package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// margins writes the functions that take the sums of two groups out of those of both.
func margins() {
	TEXT("marginsAVX512", NOSPLIT, "func(own *uint64, size uint64, sums *uint64, rows uint64)")
	Pragma("noescape")
	Doc("marginsAVX512 is Margins for rows of size words. Neither is 0.")
	own, size := Load(Param("own"), GP64()), Load(Param("size"), GP64())
	sums, rows := Load(Param("sums"), GP64()), Load(Param("rows"), GP64())
	// The last 1 to 8 words of a row are masked, those before it are left in whole vectors.
	whole, last := GP64(), GP64()
	LEAQ(Mem{Base: size, Disp: -1}, last)
	MOVQ(last, whole)
	ANDQ(I8(-8), whole)
	ANDQ(I8(7), last)
	INCQ(last)
	mask, lanes := GP64(), K()
	MOVQ(I32(-1), mask)
	BZHIQ(last, mask, mask)
	KMOVB(mask.As32(), lanes)
	out := GP64()
	MOVQ(sums, out)

	Label("margins_row")
	all, v, at := ZMM(), ZMM(), GP64()
	VPXORQ(all, all, all)
	XORQ(at, at)
	JMP(LabelRef("margins_left"))
	Label("margins_whole")
	VMOVDQU64(Mem{Base: sums, Index: at, Scale: 8}, v)
	VPADDQ(v, all, all)
	VPADDQ(Mem{Base: own, Index: at, Scale: 8}, v, v)
	VMOVDQU64(v, Mem{Base: own, Index: at, Scale: 8})
	ADDQ(U8(8), at)
	Label("margins_left")
	CMPQ(at, whole)
	JB(LabelRef("margins_whole"))
	VMOVDQU64_Z(Mem{Base: sums, Index: at, Scale: 8}, lanes, v)
	VPADDQ(v, all, all)
	VPADDQ_Z(Mem{Base: own, Index: at, Scale: 8}, v, lanes, v)
	VMOVDQU64(v, lanes, Mem{Base: own, Index: at, Scale: 8})
	LEAQ(Mem{Base: sums, Index: size, Scale: 8}, sums)

	half, quarter, turned := YMM(), XMM(), XMM()
	VEXTRACTI64X4(U8(1), all, half)
	VPADDQ(half, all.AsY(), half)
	VEXTRACTI128(U8(1), half, quarter)
	VPADDQ(quarter, half.AsX(), quarter)
	VPSHUFD(U8(0x4e), quarter, turned)
	VPADDQ(turned, quarter, quarter)
	VMOVQ(quarter, Mem{Base: out})
	ADDQ(U8(8), out)
	DECQ(rows)
	JNZ(LabelRef("margins_row"))
	VZEROUPPER()
	RET()

	marginPairs()
}

// marginPairs goes through 8 rows of two words at a time.
func marginPairs() {
	inOrder := GLOBL("inOrder", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(i/4+i%4*2))
	}
	TEXT("marginPairsAVX512", NOSPLIT, "func(own *uint64, sums *uint64, rows uint64)")
	Pragma("noescape")
	Doc("marginPairsAVX512 is Margins for rows of 2 words: a multiple of 8, and not 0.")
	own, sums, rows := Load(Param("own"), GP64()), Load(Param("sums"), GP64()), Load(Param("rows"), GP64())
	out, order := GP64(), ZMM()
	MOVQ(sums, out)
	VMOVDQU64(inOrder, order)
	firsts, seconds := ZMM(), ZMM()
	for _, v := range []reg.VecVirtual{firsts, seconds} {
		VPXORQ(v, v, v)
	}
	Label("pairs_step")
	a, b, first, second := ZMM(), ZMM(), ZMM(), ZMM()
	VMOVDQU64(Mem{Base: sums}, a)
	VMOVDQU64(Mem{Base: sums, Disp: 64}, b)
	VPUNPCKLQDQ(b, a, first)
	VPUNPCKHQDQ(b, a, second)
	VPADDQ(first, firsts, firsts)
	VPADDQ(second, seconds, seconds)
	VPADDQ(first, second, second)
	VPERMQ(second, order, second)
	VMOVDQU64(second, Mem{Base: out})
	ADDQ(U8(64), out)
	ADDQ(U32(128), sums)
	SUBQ(U8(8), rows)
	JNZ(LabelRef("pairs_step"))
	// Words of firsts and seconds take turns in one vector.
	VPUNPCKLQDQ(seconds, firsts, a)
	VPUNPCKHQDQ(seconds, firsts, b)
	VPADDQ(a, b, a)
	half, both := YMM(), XMM()
	VEXTRACTI64X4(U8(1), a, half)
	VPADDQ(half, a.AsY(), half)
	VEXTRACTI128(U8(1), half, both)
	VPADDQ(both, half.AsX(), both)
	VPADDQ(Mem{Base: own}, both, both)
	VMOVDQU(both, Mem{Base: own})
	VZEROUPPER()
	RET()
}
