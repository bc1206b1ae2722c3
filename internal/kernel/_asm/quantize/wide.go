package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Codes of 32 bits, rounded to the nearest, 8 rows a round. A quotient has up to 48 bits, which are
// too many for products to say what it is rounded to: values are divided.

// next32 goes on to the next 8 rows, or on behind the loop.
func (a arguments) next32() {
	for _, r := range []reg.Register{a.grad, a.hess, a.gradCodes, a.hessCodes} {
		ADDQ(U8(32), r)
	}
	CMPQ(a.grad, a.end)
	JNE(LabelRef("rows"))
}

func wide512() {
	TEXT("wideCodesAVX512", NOSPLIT, "func(grad, hess *float32, n uint64, gradCodes *int32, hessCodes *uint32, rule *uint64, loss *uint64)")
	Pragma("noescape")
	Doc("wideCodesAVX512 is Codes for codes of 32 bits of n rows, a multiple of 8 and not 0, at most perCall.")
	a, s := load(), newSums()
	value := func(disp int) reg.VecVirtual { return spread(Mem{Base: a.rule, Disp: disp}) }
	units := []reg.VecVirtual{value(gradUnit), value(hessUnit)}
	mosts := []reg.VecVirtual{value(mostGrad), value(mostHess)}
	half, none, signs := constant(1<<15), zero(), constant(magnitude64)
	magnitudes := constant(magnitude32).AsY()
	// code returns a side's quotients, and what they are rounded to.
	code := func(side int, x reg.VecVirtual) (q, c reg.VecVirtual) {
		q, c = ZMM(), ZMM()
		VDIVPD(units[side], x, x)
		VMINPD(mosts[side], x, x)
		VCVTTPD2QQ(x, q)
		VPADDQ(half, q, c)
		VPSRLQ(U8(16), c, c)
		return q, c
	}
	Label("rows")
	floats, x, rows := YMM(), ZMM(), K()
	VMOVDQU(Mem{Base: a.grad}, floats)
	VCVTPS2PD(floats, x)
	VPANDQ(signs, x, x)
	q, c := code(0, x)
	rest, kept, negative := ZMM(), K(), K()
	VPADDQ(q, s.magnitude, s.magnitude)
	VPSLLQ(U8(16), c, rest)
	VPSUBQ(rest, q, rest)
	VPABSQ(rest, rest)
	VPADDQ(rest, s.err, s.err)
	VPTESTMD(magnitudes, floats, rows)
	s.count(0, rows)
	VPTESTMQ(c, c, kept)
	s.count(1, kept)
	VPMOVD2M(floats, negative)
	VPSUBQ(c, none, negative, c)
	VPMOVQD(c, Mem{Base: a.gradCodes})

	x = ZMM()
	VCVTPS2PD(Mem{Base: a.hess}, x)
	_, c = code(1, x)
	VPTESTMD(Mem{Base: a.hess}, magnitudes, rows)
	s.count(2, rows)
	VPTESTMQ(c, c, kept)
	s.count(3, kept)
	VPMOVQD(c, Mem{Base: a.hessCodes})
	a.next32()
	s.store(Load(Param("loss"), GP64()))
	VZEROUPPER()
	RET()
}

// wide256 is wide512 with AVX2, in two vectors of four quotients. A quotient without its fraction and
// 2⁵² added to it has its whole number as its lower bits.
func wide256() {
	four := func(name string, word uint64) Mem { return wide(name+"4", word, 4) }
	two52, half, signs := four("two52", bitsTwo52), four("half64", 1<<15), four("magnitude64", magnitude64)

	TEXT("wideCodesAVX2", NOSPLIT, "func(grad, hess *float32, n uint64, gradCodes *int32, hessCodes *uint32, rule *uint64, loss *uint64)")
	Pragma("noescape")
	Doc("wideCodesAVX2 is wideCodesAVX512.")
	a := load()
	none := func() reg.VecVirtual {
		v := YMM()
		VPXOR(v, v, v)
		return v
	}
	value := func(disp int) reg.VecVirtual {
		v := YMM()
		VPBROADCASTQ(Mem{Base: a.rule, Disp: disp}, v)
		return v
	}
	units := []reg.VecVirtual{value(gradUnit), value(hessUnit)}
	mosts := []reg.VecVirtual{value(mostGrad), value(mostHess)}
	nothing, errs, size := none(), none(), none()
	without := [4]reg.VecVirtual{none(), none(), none(), none()} // rows that count nowhere
	const (
		trunc     = 3
		evens     = 0x88
		equal     = 0
		pairs0213 = 0xd8 // brings 0 1 4 5 2 3 6 7 in order
	)
	// round makes the codes of 8 rows.
	round := func(side int, from, to reg.Register) {
		var low, parts [2]reg.VecVirtual
		for i := range low {
			x, c := YMM(), YMM()
			VCVTPS2PD(Mem{Base: from, Disp: 16 * i}, x)
			if side == 0 {
				VPAND(signs, x, x)
			}
			VDIVPD(units[side], x, x)
			VMINPD(mosts[side], x, x)
			VROUNDPD(U8(trunc), x, x)
			VADDPD(two52, x, x)
			VPXOR(two52, x, x)
			VPADDQ(half, x, c)
			VPSRLQ(U8(16), c, c)
			if low[i] = c; side == 0 {
				VPADDQ(x, size, size)
				rest := YMM()
				VPSLLQ(U8(16), c, rest)
				VPSUBQ(rest, x, rest)
				parts[i] = rest
			}
		}
		c, zeros := low[0], YMM()
		VSHUFPS(U8(evens), low[1], c, c)
		VPERMQ(U8(pairs0213), c, c)
		VPCMPEQD(nothing, c, zeros)
		VPSUBD(zeros, without[2*side+1], without[2*side+1])
		VCMPPS(U8(equal), Mem{Base: from}, nothing, zeros)
		VPSUBD(zeros, without[2*side], without[2*side])
		if side == 0 {
			rest := parts[0]
			VSHUFPS(U8(evens), parts[1], rest, rest)
			VPABSD(rest, rest)
			VPADDD(rest, errs, errs)
			VPSIGND(Mem{Base: from}, c, c)
		}
		VMOVDQU(c, Mem{Base: to})
	}
	Label("rows")
	round(0, a.grad, a.gradCodes)
	round(1, a.hess, a.hessCodes)
	a.next32()

	loss, lost := Load(Param("loss"), GP64()), none()
	widen(errs, lost, false)
	for i, v := range []reg.VecVirtual{lost, size} {
		storeWords(v, loss, 8*i)
	}
	for i, v := range without {
		storeRest(v, loss, 16+8*i)
	}
	VZEROUPPER()
	RET()
}
