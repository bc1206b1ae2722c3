package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// flagsAVX512 gathers the sums of the first codes of 8 features.
func flagsAVX512() {
	TEXT("flagsAVX512", NOSPLIT, "func(gains *float64, words *uint64, at *uint32, n uint64, node *[8]uint64)")
	Pragma("noescape")
	Doc("flagsAVX512 is Flags for n features, which is not 0.")
	gains, words := Load(Param("gains"), GP64()), Load(Param("words"), GP64())
	at, left, node := Load(Param("at"), GP64()), Load(Param("n"), GP64()), Load(Param("node"), GP64())
	total, few, refused := broadcast(node, nodeTotal), ZMM(), ZMM()
	number := GP64()
	MOVL(Mem{Base: node, Disp: nodeLeast}, number.As32()) // at least 1
	DECQ(number)
	SHLQ(U8(32), number)
	VPBROADCASTQ(number, few)
	MOVQ(U64(math.Float64bits(-1)), number)
	VPBROADCASTQ(number, refused)
	full := GP64()
	MOVQ(I32(-1), full)

	Label("flags_step")
	lanes, gathered := K(), K()
	mask := firstLanes("flags_whole", left.(reg.GPVirtual), full, 8)
	KMOVB(mask.As32(), lanes)
	KMOVB(mask.As32(), gathered)
	where, w := ZMM(), ZMM()
	VPMOVZXDQ_Z(Mem{Base: at}, lanes, where)
	VPXORQ(w, w, w)
	VPGATHERQQ(Mem{Base: words, Index: where, Scale: 8}, gathered, w)

	able, enough, rest := K(), ZMM(), ZMM()
	VPSUBQ(w, total, rest)
	VPSLLQ(U8(32), w, enough) // hessians, without gradients
	VPSLLQ(U8(32), rest, rest)
	VPCMPUQ(U8(greaterUnsigned), few, enough, able)
	VPCMPUQ(U8(greaterUnsigned), few, rest, able, able)
	gain := ZMM()
	VMOVAPD(refused, gain)
	VMOVAPD(exact(node, w, total), able, gain)
	VMOVUPD(gain, lanes, Mem{Base: gains})
	ADDQ(U8(32), at)
	ADDQ(U8(64), gains)
	SUBQ(U8(8), left)
	JG(LabelRef("flags_step"))
	VZEROUPPER()
	RET()
}
