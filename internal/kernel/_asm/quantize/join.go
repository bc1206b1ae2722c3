package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// join writes the functions that pack codes, 16 rows a round: 8 bits and 4 bits of each.
func join() {
	ends := func(packed string) (to, grad, hess, left reg.Register) {
		return Load(Param(packed), GP64()), Load(Param("grad"), GP64()), Load(Param("hess"), GP64()), Load(Param("n"), GP64())
	}
	next := func(to, grad, hess, left reg.Register, bytes uint64) {
		ADDQ(U8(bytes), to)
		ADDQ(U8(2*lanes), grad)
		ADDQ(U8(2*lanes), hess)
		SUBQ(U8(lanes), left)
		JNE(LabelRef("rows"))
		VZEROUPPER()
		RET()
	}

	TEXT("join8AVX2", NOSPLIT, "func(packed *uint16, grad *int16, hess *uint16, n uint64)")
	Pragma("noescape")
	Doc("join8AVX2 is join8 for n rows, a multiple of 16 and not 0.")
	to, grad, hess, left := ends("packed")
	low, g, h := YMM(), YMM(), YMM()
	VPCMPEQW(low, low, low)
	VPSRLW(U8(8), low, low)
	Label("rows")
	VPAND(Mem{Base: grad}, low, g)
	VMOVDQU(Mem{Base: hess}, h)
	VPSLLW(U8(8), h, h)
	VPOR(g, h, h)
	VMOVDQU(h, Mem{Base: to})
	next(to, grad, hess, left, 2*lanes)

	TEXT("join4AVX2", NOSPLIT, "func(packed *uint8, grad *int16, hess *uint16, n uint64)")
	Pragma("noescape")
	Doc("join4AVX2 is join4 for n rows, a multiple of 16 and not 0.")
	to, grad, hess, left = ends("packed")
	low, g, h = YMM(), YMM(), YMM()
	VPCMPEQW(low, low, low)
	VPSRLW(U8(12), low, low)
	Label("rows")
	VPAND(Mem{Base: grad}, low, g)
	VPAND(Mem{Base: hess}, low, h)
	VPSLLW(U8(4), h, h)
	VPOR(g, h, h)
	VEXTRACTI128(U8(1), h, g.AsX())
	VPACKUSWB(g.AsX(), h.AsX(), h.AsX())
	VMOVDQU(h.AsX(), Mem{Base: to})
	next(to, grad, hess, left, lanes)
}
