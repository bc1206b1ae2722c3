package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// levelsAVX512 lists 8 levels at a time. What is written after the last one is for others to write over.
func levelsAVX512(counting, eight Mem) {
	TEXT("levelsAVX512", NOSPLIT, "func(codes *uint32, stats *float64, words *uint64, n, least uint64, factors *[3]float64, ends *[2]float64) uint64")
	Pragma("noescape")
	Doc("levelsAVX512 lists the codes, of n, whose packed hessians are at least so large, and their statistics: their gradients,",
		"times the first factor, by their hessians, times the second, and the third. It writes up to 8 of each more than it",
		"lists, and the least and the largest statistic, and returns how many it lists. Neither n nor least is 0.")
	codes, stats := Load(Param("codes"), GP64()), Load(Param("stats"), GP64())
	words, left := Load(Param("words"), GP64()), Load(Param("n"), GP64())
	factors := Load(Param("factors"), GP64())
	least, lower := ZMM(), lowerHalves()
	VPBROADCASTQ(paramMem("least"), least)
	gradScale, hessScale, smooth := broadcast(factors, 0), broadcast(factors, 8), broadcast(factors, 16)
	lowest, highest := ZMM(), ZMM()
	number := GP64()
	MOVQ(U64(math.Float64bits(math.Inf(1))), number)
	VPBROADCASTQ(number, lowest)
	MOVQ(U64(math.Float64bits(math.Inf(-1))), number)
	VPBROADCASTQ(number, highest)
	code, step := ZMM(), ZMM()
	VMOVDQU64(counting, code)
	VPBROADCASTQ(eight, step)
	full, total := GP64(), GP64()
	MOVQ(I32(-1), full)
	XORQ(total, total)

	Label("levels_step")
	lanes, listed := K(), K()
	mask := firstLanes("levels_whole", left.(reg.GPVirtual), full, 8)
	KMOVB(mask.As32(), lanes)
	w, h := ZMM(), ZMM()
	VMOVDQU64_Z(Mem{Base: words}, lanes, w)
	VPANDQ(lower, w, h)
	VPCMPUQ(U8(notLessUnsigned), least, h, listed)
	KMOVB(listed, mask.As32())
	TESTL(mask.As32(), mask.As32())
	JZ(LabelRef("levels_next"))
	POPCNTL(mask.As32(), mask.As32())
	VPSRAQ(U8(32), w, w)
	VCVTQQ2PD(w, w)
	VCVTQQ2PD(h, h)
	VMULPD(gradScale, w, w)
	VMULPD(hessScale, h, h)
	VADDPD(smooth, h, h)
	VDIVPD(h, w, w)
	VMINPD(w, lowest, listed, lowest)
	VMAXPD(w, highest, listed, highest)
	packed := ZMM()
	VCOMPRESSPD_Z(w, listed, packed)
	VMOVUPD(packed, Mem{Base: stats})
	VPCOMPRESSQ_Z(code, listed, packed)
	VPMOVQD(packed, packed.AsY())
	VMOVDQU(packed.AsY(), Mem{Base: codes})
	LEAQ(Mem{Base: stats, Index: mask, Scale: 8}, stats)
	LEAQ(Mem{Base: codes, Index: mask, Scale: 4}, codes)
	ADDQ(mask, total)
	Label("levels_next")
	VPADDQ(step, code, code)
	ADDQ(U8(64), words)
	SUBQ(U8(8), left)
	JG(LabelRef("levels_step"))

	ends := Load(Param("ends"), GP64())
	for i, v := range []reg.VecVirtual{lowest, highest} {
		turned := ZMM()
		take := func() {
			if i == 0 {
				VMINPD(turned, v, v)
			} else {
				VMAXPD(turned, v, v)
			}
		}
		VSHUFF64X2(U8(0x4e), v, v, turned)
		take()
		VSHUFF64X2(U8(0xb1), v, v, turned)
		take()
		VPERMILPD(U8(0x55), v, turned)
		take()
		VMOVSD(v.AsX(), Mem{Base: ends, Disp: 8 * i})
	}
	Store(total, ReturnIndex(0))
	VZEROUPPER()
	RET()

	TEXT("bucketsAVX512", NOSPLIT, "func(buckets *uint8, stats *float64, n uint64, least, scale float64)")
	Pragma("noescape")
	Doc("bucketsAVX512 writes the numbers of the buckets of n statistics, a multiple of 8 and not 0: what they are above the",
		"least one, scaled, and cut off.")
	buckets, stats2, n := Load(Param("buckets"), GP64()), Load(Param("stats"), GP64()), Load(Param("n"), GP64())
	low, scale := ZMM(), ZMM()
	VPBROADCASTQ(paramMem("least"), low)
	VPBROADCASTQ(paramMem("scale"), scale)
	Label("buckets_step")
	v := ZMM()
	VMOVUPD(Mem{Base: stats2}, v)
	VSUBPD(low, v, v)
	VMULPD(scale, v, v)
	VCVTTPD2DQ(v, v.AsY())
	VPMOVDB(v.AsY(), v.AsX())
	VMOVQ(v.AsX(), Mem{Base: buckets})
	ADDQ(U8(8), buckets)
	ADDQ(U8(64), stats2)
	SUBQ(U8(8), n)
	JNZ(LabelRef("buckets_step"))
	VZEROUPPER()
	RET()
}
