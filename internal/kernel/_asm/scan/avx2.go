package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What plainAVX2 is given beside the sums at the start, in words of eight bytes.
const (
	narrowGradScale = 8 * iota
	narrowHessScale
	narrowL2
	narrowSlack
	narrowTotalGrad
	narrowTotalHess
	narrowAtLeast
)

// Rows of four of what plainAVX2 returns, and places in the last.
const (
	bestGains = 32 * iota
	bestCodes
	bestGrads
	bestHesses
	rest
	outside  = rest
	toBeatAt = rest + 8
)

// aligner is 1.5·2⁵²: whole numbers below 2⁵¹ in size, added to its bits, leave its exponent
// alone, so that subtracting it as a float64 makes floats of them.
const aligner = 0x4338000000000000

func plainAVX2(counting, tiny, ends, lanes Mem) {
	align := GLOBL("aligner", RODATA|NOPTR)
	DATA(0, U64(aligner))

	TEXT("plainAVX2", NOSPLIT, "func(grad *int64, hess *uint64, n, first uint64, start *[2]int64, factors *[7]float64, best *[5][4]int64)")
	Pragma("noescape")
	Doc("plainAVX2 is plainAVX512 for 4 lanes, where the sums of all hessians, and the totals, are",
		"below 2⁵¹. The first four rows of best are to hold the bar, no codes and no sums, the last",
		"0 and the least gain that is divided. The first word of the last row will not be below 2⁵² where sums of",
		"gradients were too large for the rest to mean anything.")
	grad, hess := Load(Param("grad"), GP64()), Load(Param("hess"), GP64())
	left, forced := Load(Param("n"), GP64()), Load(Param("first"), GP64())
	start, factors, best := Load(Param("start"), GP64()), Load(Param("factors"), GP64()), Load(Param("best"), GP64())
	code, maskOf := GP64(), GP64()
	XORQ(code, code)
	LEAQ(lanes, maskOf)
	fill := func(from Mem) reg.VecVirtual {
		v := YMM()
		VPBROADCASTQ(from, v)
		return v
	}
	factor := func(at int) reg.VecVirtual { return fill(Mem{Base: factors, Disp: at}) }
	carryGrad, carryHess := fill(Mem{Base: start}), fill(Mem{Base: start, Disp: 8})
	wide, zero := YMM(), YMM()
	VPXOR(wide, wide, wide)
	VPXOR(zero, zero, zero)
	align4 := fill(align)

	Label("step")
	g, h := YMM(), YMM()
	CMPQ(left, U8(4))
	JAE(LabelRef("whole"))
	table, within := GP64(), YMM()
	LEAQ(ends, table)
	SHLQ(U8(3), left)
	SUBQ(left, table)
	VMOVDQU(Mem{Base: table, Disp: 32}, within)
	SHRQ(U8(3), left)
	VPMASKMOVQ(Mem{Base: grad}, within, g)
	VPMASKMOVQ(Mem{Base: hess}, within, h)
	JMP(LabelRef("loaded"))
	Label("whole")
	VMOVDQU(Mem{Base: grad}, g)
	VMOVDQU(Mem{Base: hess}, h)
	Label("loaded")
	both, candidates := YMM(), GP32()
	VPOR(g, h, both)
	VPCMPEQQ(zero, both, both)
	VMOVMSKPD(both, candidates)
	XORL(U8(15), candidates)
	ORL(forced.(reg.GP).As32(), candidates)
	JZ(LabelRef("next"))

	// Lane i takes on the lanes before it.
	for _, v := range []reg.VecVirtual{g, h} {
		moved := YMM()
		VPSLLDQ(U8(8), v, moved)
		VPADDQ(moved, v, v)
		VPERMQ(U8(0x55), v, moved)
		VPBLENDD(U8(0x0f), zero, moved, moved)
		VPADDQ(moved, v, v)
	}
	VPADDQ(carryGrad, g, g)
	VPADDQ(carryHess, h, h)
	VPERMQ(U8(0xff), g, carryGrad)
	VPERMQ(U8(0xff), h, carryHess)

	gl, gr, hl, hr := YMM(), YMM(), YMM(), YMM()
	VPADDQ(align4, g, gl)
	VPXOR(align4, gl, gr)
	VPOR(gr, wide, wide)
	VSUBPD(align4, gl, gl)
	VPADDQ(align4, h, hl)
	VSUBPD(align4, hl, hl)
	all := factor(narrowTotalGrad)
	VSUBPD(gl, all, gr)
	all = factor(narrowTotalHess)
	VSUBPD(hl, all, hr)
	least, enough := factor(narrowAtLeast), YMM()
	VMINPD(hl, hr, enough)
	VCMPPD(U8(notLessFloat), least, enough, enough)
	scale := factor(narrowHessScale)
	VMULPD(scale, hl, hl)
	VMULPD(scale, hr, hr)
	scale = factor(narrowGradScale)
	VMULPD(scale, gl, gl)
	VMULPD(scale, gr, gr)
	ridge := factor(narrowL2)
	VADDPD(ridge, hl, hl)
	VADDPD(ridge, hr, hr)
	VMULPD(gl, gl, gl)
	VMULPD(gr, gr, gr)
	product, other, bound := YMM(), YMM(), YMM()
	VMULPD(hr, gl, product)
	VMULPD(hl, gr, other)
	VADDPD(other, product, product)
	VMULPD(hl, hr, bound)
	toBeat := fill(Mem{Base: best, Disp: toBeatAt})
	VMULPD(toBeat, bound, bound)
	VCMPPD(U8(notLessFloat), bound, product, product)
	VANDPD(enough, product, product)
	able := GP32()
	VMOVMSKPD(product, able)
	ANDL(candidates, able)
	JZ(LabelRef("next"))

	VDIVPD(hl, gl, gl)
	VDIVPD(hr, gr, gr)
	VADDPD(gr, gl, gl)
	better, old := YMM(), YMM()
	SHLL(U8(5), able)
	VMOVDQU(Mem{Base: best, Disp: bestGains}, old)
	VCMPPD(U8(greaterFloat), old, gl, better)
	VPAND(Mem{Base: maskOf, Index: able.As64(), Scale: 1}, better, better)
	most := YMM()
	VBLENDVPD(better, gl, old, most)
	VMOVUPD(most, Mem{Base: best, Disp: bestGains})
	codes := YMM()
	VMOVQ(code, codes.AsX())
	VPBROADCASTQ(codes.AsX(), codes)
	VPADDQ(counting, codes, codes)
	for i, v := range []reg.VecVirtual{codes, g, h} {
		VPMASKMOVQ(v, better, Mem{Base: best, Disp: bestCodes + 32*i})
	}
	turned := XMM()
	VEXTRACTF128(U8(1), most, turned)
	VMAXPD(turned, most.AsX(), most.AsX())
	VPERMILPD(U8(1), most.AsX(), turned)
	VMAXSD(turned, most.AsX(), most.AsX())
	VUCOMISD(tiny, most.AsX())
	JBE(LabelRef("next"))
	VMULSD(Mem{Base: factors, Disp: narrowSlack}, most.AsX(), most.AsX())
	VMOVSD(most.AsX(), Mem{Base: best, Disp: toBeatAt})

	Label("next")
	XORQ(forced, forced)
	ADDQ(U8(4), code)
	ADDQ(U8(32), grad)
	ADDQ(U8(32), hess)
	SUBQ(U8(4), left)
	JG(LabelRef("step"))

	half := XMM()
	VEXTRACTI128(U8(1), wide, half)
	VPOR(half, wide.AsX(), half)
	low, high := GP64(), GP64()
	VMOVQ(half, low)
	VPEXTRQ(U8(1), half, high)
	ORQ(high, low)
	MOVQ(low, Mem{Base: best, Disp: outside})
	VZEROUPPER()
	RET()
}
