package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Codes in vectors, 16 rows a round. All that follows from a value is a whole number: its
// quotient by the unit, rounded to a float and then down, of which only the lower 32 bits are
// kept, there being no more where the largest code bounds it.
//
// Divisions would take two thirds of the time on some processors, and the fused multiplication
// that could mend a product to a quotient is not allowed near a model. But products tell what a
// quotient lies between: vectorRule.gradPer is less than 1/unit, by at most 2⁻⁵¹ of it, so that
//
//	least = value·per  ≤  value/unit  ≤  least·(1 + 2⁻⁴⁹) = beyond,
//
// all of them rounded to floats, and the second one is not equal but at 0. Where least and
// beyond round down to the same number, it is the quotient's, too. Where they do not, in any of
// 16 rows (8 with AVX2), which needs a quotient within 2⁻⁴⁹ of itself from a whole number,
// all of these rows are divided.

// Offsets in the struct vectorRule of the package.
const (
	gradUnit = 8 * iota
	hessUnit
	gradPer
	hessPer
	mostGrad
	mostHess
	vectorRuleWords = iota
)

// Floats by their bits.
const (
	bitsBeyond  = 0x3ff0000000000008 // 1 + 2⁻⁴⁹
	bitsTwo52   = 0x4330000000000000 // 2⁵², whose last bit is worth 1
	bitsThree51 = 0x4338000000000000 // 2⁵² + 2⁵¹, the same for a sum that is a little less than 2⁵²
	bitsOneHalf = 0x3fe0000000000000
)

// half32 is half a code, in both halves of a word.
const half32 = 1<<15 | 1<<47

func nearest16() {
	TEXT("codesAVX512", NOSPLIT, "func(grad, hess *float32, n uint64, gradCodes *int16, hessCodes *uint16, rule *uint64, loss *uint64)")
	Pragma("noescape")
	Doc("codesAVX512 is Codes for n rows, a multiple of 16 and not 0, at most perCall.")
	even := GLOBL("even", RODATA|NOPTR)
	for i := range lanes {
		DATA(4*i, U32(2*i))
	}
	a := load()
	s := newSums()
	value := func(disp int) reg.VecVirtual { return spread(Mem{Base: a.rule, Disp: disp}) }
	beyond, two52, half, none := constant(bitsBeyond), constant(bitsTwo52), constant(half32), zero()
	magnitude, magnitudes, evens := constant(magnitude64), constant(magnitude32), ZMM()
	VMOVDQU32(even, evens)
	errs, rests, codes := zero(), zero(), zero() // of 32 bits

	type side struct{ unit, per, most reg.VecVirtual }
	var divide []func()
	// parts returns the quotients of the rows of two vectors, rounded down.
	parts := func(name string, x [2]reg.VecVirtual, by side) reg.VecVirtual {
		var least, above [2]reg.VecVirtual
		whole := func(v [2]reg.VecVirtual) reg.VecVirtual {
			for _, v := range v {
				VADDPD_RZ_SAE(two52, v, v)
			}
			VPERMT2D(v[1], evens, v[0])
			return v[0]
		}
		for i := range x {
			least[i], above[i] = ZMM(), ZMM()
			VMULPD(by.per, x[i], least[i])
			VMINPD(by.most, least[i], least[i])
			VMULPD(beyond, least[i], above[i])
		}
		q, differ := whole(least), K()
		const unequal = 4
		VPCMPD(U8(unequal), whole(above), q, differ)
		KORTESTW(differ, differ)
		JNE(LabelRef(name + "Divide"))
		Label(name + "Parts")
		divide = append(divide, func() {
			Label(name + "Divide")
			for i := range x {
				VDIVPD(by.unit, x[i], x[i])
				VMINPD(by.most, x[i], x[i])
			}
			VMOVDQA32(whole(x), q)
			JMP(LabelRef(name + "Parts"))
		})
		return q
	}
	code := func(q reg.VecVirtual) reg.VecVirtual {
		c := ZMM()
		VPADDD(half, q, c)
		VPSRLD(U8(16), c, c)
		return c
	}
	rows, kept := K(), K()
	gradients := side{value(gradUnit), value(gradPer), value(mostGrad)}
	hessians := side{value(hessUnit), value(hessPer), value(mostHess)}

	Label("rows")
	var x [2]reg.VecVirtual
	for i := range x {
		x[i] = ZMM()
		VCVTPS2PD(Mem{Base: a.grad, Disp: 32 * i}, x[i])
		VPANDQ(magnitude, x[i], x[i])
	}
	q := parts("gradients", x, gradients)
	c, rest, floats, negative := code(q), ZMM(), ZMM(), K()
	VPSLLD(U8(16), c, rest)
	VPSUBD(rest, q, rest)
	VPADDD(rest, rests, rests)
	VPABSD(rest, rest)
	VPADDD(rest, errs, errs)
	VPADDD(c, codes, codes)
	VMOVDQU32(Mem{Base: a.grad}, floats)
	VPTESTMD(magnitudes, floats, rows)
	s.count(0, rows)
	VPTESTMD(c, c, kept)
	s.count(1, kept)
	VPMOVD2M(floats, negative)
	VPSUBD(c, none, negative, c)
	VPMOVDW(c, Mem{Base: a.gradCodes})

	for i := range x {
		x[i] = ZMM()
		VCVTPS2PD(Mem{Base: a.hess, Disp: 32 * i}, x[i])
	}
	c = code(parts("hessians", x, hessians))
	VPTESTMD(Mem{Base: a.hess}, magnitudes, rows)
	s.count(2, rows)
	VPTESTMD(c, c, kept)
	s.count(3, kept)
	VPMOVDW(c, Mem{Base: a.hessCodes})
	a.next("rows", lanes)

	widen(codes, s.magnitude, false)
	VPSLLQ(U8(16), s.magnitude, s.magnitude)
	widen(rests, s.magnitude, true)
	widen(errs, s.err, false)
	s.store(Load(Param("loss"), GP64()))
	VZEROUPPER()
	RET()
	for _, block := range divide {
		block()
	}
}

// nearest8 is nearest16 with AVX2, in four vectors of four quotients. Numbers are rounded down by
// taking a half off and rounding to the nearest, which gives the number below where a quotient
// is whole and odd: beyond is more than the quotient, so that is seen.
func nearest8() {
	four := func(name string, word uint64) Mem { return wide(name+"4", word, 4) }
	beyond, three51, oneHalf := four("beyond", bitsBeyond), four("three51", bitsThree51), four("oneHalf", bitsOneHalf)
	half, magnitude := four("half32", half32), four("magnitude64", magnitude64)
	pairs := GLOBL("pairs", RODATA|NOPTR) // brings 0 1, 4 5, 8 9, 12 13, 2 3, … in order
	for i, pair := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
		DATA(4*i, U32(pair))
	}

	TEXT("codesAVX2", NOSPLIT, "func(grad, hess *float32, n uint64, gradCodes *int16, hessCodes *uint16, rule *uint64, loss *uint64)")
	Pragma("noescape")
	Doc("codesAVX2 is codesAVX512.")
	a := load()
	// The rule in memory, every word four times.
	rule := AllocLocal(32 * vectorRuleWords)
	value := func(disp int) Mem { return rule.Offset(4 * disp) }
	for disp := 0; disp < 8*vectorRuleWords; disp += 8 {
		v := YMM()
		VPBROADCASTQ(Mem{Base: a.rule, Disp: disp}, v)
		VMOVDQU(v, value(disp))
	}
	none := func() reg.VecVirtual {
		v := YMM()
		VPXOR(v, v, v)
		return v
	}
	nothing, errs, rests, codes := none(), none(), none(), none()
	var without [4]reg.VecVirtual // rows that count nowhere: of 32 bits those of values, of 16 those of codes
	for i := range without {
		without[i] = none()
	}

	type side struct{ unit, per, most Mem }
	var divide []func()
	// parts returns the quotients of eight rows, rounded down, in the order 0 1 4 5 2 3 6 7.
	parts := func(name string, x [2]reg.VecVirtual, by side) reg.VecVirtual {
		join := func(v [2]reg.VecVirtual) reg.VecVirtual {
			const evens = 0x88
			VSHUFPS(U8(evens), v[1], v[0], v[0])
			return v[0]
		}
		whole := func(v [2]reg.VecVirtual) reg.VecVirtual {
			for _, v := range v {
				VSUBPD(oneHalf, v, v)
				VADDPD(three51, v, v)
			}
			return join(v)
		}
		var least, above [2]reg.VecVirtual
		for i := range x {
			least[i], above[i] = YMM(), YMM()
			VMULPD(by.per, x[i], least[i])
			VMINPD(by.most, least[i], least[i])
			VMULPD(beyond, least[i], above[i])
		}
		q, differ := whole(least), whole(above)
		VPXOR(q, differ, differ)
		VPTEST(differ, differ)
		JNE(LabelRef(name + "Divide"))
		Label(name + "Parts")
		divide = append(divide, func() {
			Label(name + "Divide")
			const trunc = 3
			for i := range x {
				VDIVPD(by.unit, x[i], x[i])
				VMINPD(by.most, x[i], x[i])
				VROUNDPD(U8(trunc), x[i], x[i])
				VADDPD(three51, x[i], x[i])
			}
			VMOVDQA(join(x), q)
			JMP(LabelRef(name + "Parts"))
		})
		return q
	}
	gradients := side{value(gradUnit), value(gradPer), value(mostGrad)}
	hessians := side{value(hessUnit), value(hessPer), value(mostHess)}
	// round makes the codes of 16 rows.
	round := func(name string, from, to reg.Register, by side, values, kept reg.VecVirtual, signed bool) {
		var eights [2]reg.VecVirtual
		for e := range eights {
			var x [2]reg.VecVirtual
			for i := range x {
				x[i] = YMM()
				VCVTPS2PD(Mem{Base: from, Disp: 32*e + 16*i}, x[i])
				if signed {
					VPAND(magnitude, x[i], x[i])
				}
			}
			q, c, zeros := parts(name+string(rune('0'+e)), x, by), YMM(), YMM()
			VPADDD(half, q, c)
			VPSRLD(U8(16), c, c)
			const equal = 0
			VCMPPS(U8(equal), Mem{Base: from, Disp: 32 * e}, nothing, zeros)
			VPSUBD(zeros, values, values)
			if signed {
				rest, floats := YMM(), YMM()
				VPSLLD(U8(16), c, rest)
				VPSUBD(rest, q, rest)
				VPADDD(rest, rests, rests)
				VPABSD(rest, rest)
				VPADDD(rest, errs, errs)
				VPADDD(c, codes, codes)
				const pairs0213 = 0xd8
				VPERMQ(U8(pairs0213), Mem{Base: from, Disp: 32 * e}, floats)
				VPSIGND(floats, c, c)
			}
			eights[e] = c
		}
		c, zeros := eights[0], YMM()
		if signed {
			VPACKSSDW(eights[1], c, c)
		} else {
			VPACKUSDW(eights[1], c, c)
		}
		VPCMPEQW(nothing, c, zeros)
		VPSUBW(zeros, kept, kept)
		order := YMM()
		VMOVDQU(pairs, order)
		VPERMD(c, order, c)
		VMOVDQU(c, Mem{Base: to})
	}

	Label("rows")
	round("gradients", a.grad, a.gradCodes, gradients, without[0], without[1], true)
	round("hessians", a.hess, a.hessCodes, hessians, without[2], without[3], false)
	a.next("rows", lanes)

	loss, size, lost := Load(Param("loss"), GP64()), none(), none()
	widen(codes, size, false)
	VPSLLQ(U8(16), size, size)
	widen(rests, size, true)
	widen(errs, lost, false)
	for i, v := range []reg.VecVirtual{lost, size} {
		storeWords(v, loss, 8*i)
	}
	for i, v := range without {
		if i%2 == 1 {
			VPMADDWD(four("ones16", 0x0001_0001_0001_0001), v, v)
		}
		storeRest(v, loss, 16+8*i)
	}
	VZEROUPPER()
	RET()
	for _, block := range divide {
		block()
	}
}

// widen adds 32-bit numbers to sums of 64 bits.
func widen(v, sum reg.VecVirtual, signed bool) {
	for i := range 2 {
		var half, words reg.VecVirtual
		if v.Size() == 64 {
			half, words = YMM(), ZMM()
			VEXTRACTI64X4(U8(i), v, half)
		} else {
			half, words = XMM(), YMM()
			VEXTRACTI128(U8(i), v, half)
		}
		if signed {
			VPMOVSXDQ(half, words)
		} else {
			VPMOVZXDQ(half, words)
		}
		VPADDQ(words, sum, sum)
	}
}

// storeWords writes the sum of four words.
func storeWords(v reg.VecVirtual, loss reg.Register, disp int) {
	high, total := XMM(), GP64()
	VEXTRACTI128(U8(1), v, high)
	VPADDQ(high, v.AsX(), v.AsX())
	VPSHUFD(U8(0x4e), v.AsX(), high)
	VPADDQ(high, v.AsX(), v.AsX())
	VMOVQ(v.AsX(), total)
	MOVQ(total, Mem{Base: loss, Disp: disp})
}

// storeRest writes how many of the rows are not among those that eight lanes have counted.
func storeRest(v reg.VecVirtual, loss reg.Register, disp int) {
	high, rows, n := XMM(), GP32(), Load(Param("n"), GP64())
	VEXTRACTI128(U8(1), v, high)
	VPADDD(high, v.AsX(), v.AsX())
	for _, shuffle := range []uint64{0x4e, 0xb1} {
		VPSHUFD(U8(shuffle), v.AsX(), high)
		VPADDD(high, v.AsX(), v.AsX())
	}
	VMOVD(v.AsX(), rows)
	SUBQ(rows.As64(), n)
	MOVQ(n, Mem{Base: loss, Disp: disp})
}
