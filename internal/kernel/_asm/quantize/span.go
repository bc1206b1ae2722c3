package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// span writes the function that takes the smallest and the largest gradient, so many at
// a time. Whole numbers order as floats do once the lower bits of negative ones are turned
// over: −0 before 0, NaN beyond the infinities.
func span(name string, lanes int) {
	TEXT(name, NOSPLIT, "func(grad *float32, n uint64, ends *int32)")
	Pragma("noescape")
	Doc(name+" widens a span, whose ends are as ordered makes them, by n gradients, a multiple of 16 and",
		"not 0.")
	grad, end, ends := Load(Param("grad"), GP64()), Load(Param("n"), GP64()), Load(Param("ends"), GP64())
	LEAQ(Mem{Base: grad, Index: end, Scale: 4}, end)
	vector := func() reg.VecVirtual {
		if lanes == 16 {
			return ZMM()
		}
		return YMM()
	}
	lowest, highest, v, sign := vector(), vector(), vector(), vector()
	VPBROADCASTD(Mem{Base: ends}, lowest)
	VPBROADCASTD(Mem{Base: ends, Disp: 4}, highest)
	Label("rows")
	if lanes == 16 {
		VMOVDQU32(Mem{Base: grad}, v)
		VPSRAD(U8(31), v, sign)
		VPSRLD(U8(1), sign, sign)
		VPXORD(sign, v, v)
	} else {
		VMOVDQU(Mem{Base: grad}, v)
		VPSRAD(U8(31), v, sign)
		VPSRLD(U8(1), sign, sign)
		VPXOR(sign, v, v)
	}
	VPMINSD(v, lowest, lowest)
	VPMAXSD(v, highest, highest)
	ADDQ(U8(4*lanes), grad)
	CMPQ(grad, end)
	JNE(LabelRef("rows"))
	reduce(lowest, ends, 0, func(a, b, c Op) { VPMINSD(a, b, c) })
	reduce(highest, ends, 4, func(a, b, c Op) { VPMAXSD(a, b, c) })
	VZEROUPPER()
	RET()
}

// reduce writes to memory what an operation makes of the 32-bit numbers of a vector.
func reduce(v reg.VecVirtual, to reg.Register, disp int, op func(a, b, c Op)) {
	half, out := YMM(), GP32()
	if v.Size() == 64 {
		VEXTRACTI64X4(U8(1), v, half)
		op(half, v.AsY(), v.AsY())
	}
	VEXTRACTI128(U8(1), v.AsY(), half.AsX())
	op(half.AsX(), v.AsX(), v.AsX())
	for _, shuffle := range []uint64{0x4e, 0xb1} {
		VPSHUFD(U8(shuffle), v.AsX(), half.AsX())
		op(half.AsX(), v.AsX(), v.AsX())
	}
	VMOVD(v.AsX(), out)
	MOVL(out, Mem{Base: to, Disp: disp})
}
