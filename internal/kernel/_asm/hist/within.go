package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// within writes Within for 8 rows at a time. Registers hold what lies within the range, packed to the front; only so much is stored.
func within(name string, weighted bool) {
	weights, hess, up, results := "", "", "", "(found, below uint64)"
	if weighted {
		weights, hess, up, results = "weights *uint32, ", "hess *float32, ", "up, ", "(found, below, all, some, every uint64)"
	}
	TEXT(name, NOSPLIT, "func(values *float64, "+weights+"entries *uint64, n uint64, left *float64, "+hess+up+"low, high float64) "+results)
	Pragma("noescape")
	Doc(name + " is Within for n entries, a multiple of 8 and not 0.")
	pointer := func(param string) reg.Register { return Load(Param(param), GP64()) }
	broadcast := func(param string) reg.VecVirtual {
		x, v := XMM(), ZMM()
		Load(Param(param), x)
		VBROADCASTSD(x, v)
		return v
	}
	values, entries, n, left := pointer("values"), pointer("entries"), pointer("n"), pointer("left")
	low, high := broadcast("low"), broadcast("high")
	found := GP64()
	XORQ(found, found)
	var below reg.GPVirtual
	var toWeights, from reg.Register
	var ups, shift, belows, all, some, every reg.VecVirtual
	if weighted {
		toWeights, from, ups = pointer("weights"), pointer("hess"), broadcast("up")
		shift, belows, all, some, every = ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
		bits := GP64()
		MOVQ(U64(0x433<<52), bits) // 2⁵²
		VPBROADCASTQ(bits, shift)
		for _, v := range []reg.VecVirtual{belows, all, some} {
			VPXORQ(v, v, v)
		}
		VPTERNLOGQ(U8(0xff), every, every, every)
	} else {
		below = GP64()
		XORQ(below, below)
	}
	first, count := GP64(), GP64()
	MOVQ(I32(-1), first)
	Label("entries")
	halves, quarters := []reg.VecVirtual{YMM(), YMM()}, []reg.VecVirtual{XMM(), XMM()}
	for h, half := range halves {
		rows := make([]reg.GPVirtual, 4)
		for i := range rows {
			rows[i] = GP64()
			MOVWQZX(Mem{Base: entries, Disp: 8*(4*h+i) + rowOf}, rows[i])
		}
		upper := XMM()
		for i, to := range []reg.Register{half.AsX(), upper} {
			VMOVSD(Mem{Base: left, Index: rows[2*i], Scale: 8}, to)
			VMOVHPD(Mem{Base: left, Index: rows[2*i+1], Scale: 8}, to, to)
		}
		VINSERTF128(U8(1), upper, half, half)
		if weighted {
			VMOVSS(Mem{Base: from, Index: rows[0], Scale: 4}, quarters[h])
			for i := 1; i < 4; i++ {
				VINSERTPS(U8(i<<4), Mem{Base: from, Index: rows[i], Scale: 4}, quarters[h], quarters[h])
			}
		}
	}
	v := ZMM()
	VINSERTF64X4(U8(1), halves[1], halves[0].AsZ(), v)
	in, under := K(), K()
	VCMPPD(U8(13), low, v, in) // at least
	VCMPPD(U8(2), high, v, in, in)
	VCMPPD(U8(1), low, v, under)
	if weighted {
		eight, w, weighs := YMM(), ZMM(), K()
		VINSERTF128(U8(1), quarters[1], quarters[0].AsY(), eight)
		VCVTPS2PD(eight, w)
		VMULPD(ups, w, w)
		VADDPD(shift, w, w)
		VPMOVQD(w, eight)
		VPMOVZXDQ(eight, w)
		VPTESTMQ(w, w, weighs)
		KANDW(weighs, in, in)
		VPADDQ(w, all, all)
		VPADDQ(w, belows, under, belows)
		VPORQ(w, some, some)
		VPANDQ(w, every, weighs, every)
		VPCOMPRESSD_Z(eight, in, eight)
		storeFound(in, count, first, func(k reg.Register) { VMOVDQU32(eight, k, Mem{Base: toWeights, Index: found, Scale: 4}) })
	} else {
		KMOVW(under, count.As32())
		POPCNTL(count.As32(), count.As32())
		ADDQ(count, below)
	}
	VCOMPRESSPD_Z(v, in, v)
	storeFound(in, count, first, func(k reg.Register) { VMOVUPD(v, k, Mem{Base: values, Index: found, Scale: 8}) })
	ADDQ(count, found)
	ADDQ(U8(64), entries)
	SUBQ(U8(8), n)
	JNZ(LabelRef("entries"))
	Store(found, Return("found"))
	if weighted {
		below = GP64()
		addLanes(belows, 8, below)
		Store(below, Return("below"))
		sum := GP64()
		addLanes(all, 8, sum)
		Store(sum, Return("all"))
		for _, r := range []struct {
			name string
			v    reg.VecVirtual
			join func(ops ...Op)
		}{{"some", some, func(o ...Op) { VPORQ(o[0], o[1], o[2]) }}, {"every", every, func(o ...Op) { VPANDQ(o[0], o[1], o[2]) }}} {
			half, quarter, last := YMM(), XMM(), XMM()
			VEXTRACTI64X4(U8(1), r.v, half)
			r.join(half, r.v.AsY(), half)
			VEXTRACTI128(U8(1), half, quarter)
			r.join(quarter, half.AsX(), quarter)
			VPSRLDQ(U8(8), quarter, last)
			r.join(quarter, last, last)
			word := GP64()
			VMOVQ(last, word)
			Store(word, Return(r.name))
		}
	} else {
		Store(below, Return("below"))
	}
	VZEROUPPER()
	RET()
}

// storeFound calls store with a mask of as many lanes as are set in another, and leaves their number in count.
func storeFound(in reg.Register, count reg.GPVirtual, first reg.GPVirtual, store func(k reg.Register)) {
	front, k := GP64(), K()
	KMOVW(in, count.As32())
	POPCNTL(count.As32(), count.As32())
	BZHIQ(count, first, front)
	KMOVW(front.As32(), k)
	store(k)
}
