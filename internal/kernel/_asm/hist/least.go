package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// least writes the function that finds the least hessian code, in the lowest 16 bits of an entry.
func least() {
	TEXT("leastAVX2", NOSPLIT, "func(entries *uint64, n uint64) uint64")
	Pragma("noescape")
	Doc("leastAVX2 is LeastHess for n entries, a multiple of 16 and not 0.")
	entries, n := Load(Param("entries"), GP64()), Load(Param("n"), GP64())
	mins := []reg.VecVirtual{YMM(), YMM()}
	for _, v := range mins {
		VPCMPEQD(v, v, v)
	}
	Label("least_entries")
	for i := range 4 {
		VPMINUW(Mem{Base: entries, Disp: 32 * i}, mins[i%2], mins[i%2])
	}
	ADDQ(U32(128), entries)
	SUBQ(U8(16), n)
	JNZ(LabelRef("least_entries"))
	all, half := mins[0], XMM()
	VPMINUW(mins[1], all, all)
	VEXTRACTI128(U8(1), all, half)
	VPMINUW(half, all.AsX(), half)
	VPSRLDQ(U8(8), half, all.AsX())
	VPMINUW(half, all.AsX(), half)
	VZEROUPPER()
	result := GP64()
	VMOVQ(half, result)
	MOVWQZX(result.As16(), result)
	Store(result, ReturnIndex(0))
	RET()
}
