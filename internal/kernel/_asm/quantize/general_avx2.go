package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// general8 writes the form of AVX2, two vectors of four numbers a round. Of 64-bit numbers
// it multiplies halves and converts none: sums of what rounding lost are floats, which hold
// them exactly below 2⁵³. It divides: the steps that products need twice take longer than divisions
// do beside all others.
func general8(steps Mem) {
	four := func(name string, word uint64) Mem { return wide(name+"4", word, 4) }
	magnitude, magnitudes := four("magnitude64", magnitude64), four("magnitude32", magnitude32)
	perUnit, two20, half := four("perUnit", bits65536), four("two20", bits2To20), four("half", bitsHalf)
	fourGold := four("fourGold", 4*golden&(1<<64-1))
	type factor struct{ all, upper Mem }
	times := func(name string, word uint64) factor { return factor{four(name, word), four(name+"Upper", word>>32)} }
	m1, m2, gold := times("times1", times1), times("times2", times2), times("golden", golden)

	TEXT("generalAVX2", NOSPLIT, signature)
	Pragma("noescape")
	Doc("generalAVX2 is generalAVX512, but that an error of 2⁵³ and more need not be exact.")
	a, list, form := load(), Load(Param("rows"), GP64()), Load(Param("form"), GP64())
	// The rule in memory, every word four times.
	rule := AllocLocal(32 * ruleWords)
	value := func(disp int) Mem { return rule.Offset(4 * disp) }
	for disp := 0; disp < 8*ruleWords; disp += 8 {
		v := YMM()
		VPBROADCASTQ(Mem{Base: a.rule, Disp: disp}, v)
		VMOVDQU(v, value(disp))
	}
	none := func() reg.VecVirtual {
		v := YMM()
		VPXOR(v, v, v)
		return v
	}
	errs, sizes, largest, state := none(), none(), none(), YMM()
	var without [4]reg.VecVirtual // rows that count nowhere: of gradient and hessian, and of their codes
	for i := range without {
		without[i] = none()
	}
	VMOVDQU(value(firstKey), state)
	VPADDQ(steps, state, state)

	// Both vectors of a round go through every stage together, so that none waits long for itself.
	each := func(do func(i int)) {
		for i := range 2 {
			do(i)
		}
	}
	pair := func() (v [2]reg.VecVirtual) {
		each(func(i int) { v[i] = YMM() })
		return v
	}
	multiply := func(z [2]reg.VecVirtual, by factor) {
		cross, upper := pair(), pair()
		each(func(i int) { VPSRLQ(U8(32), z[i], upper[i]) })
		each(func(i int) { VPMULUDQ(by.upper, z[i], cross[i]) })
		each(func(i int) { VPMULUDQ(by.all, upper[i], upper[i]) })
		each(func(i int) { VPMULUDQ(by.all, z[i], z[i]) })
		each(func(i int) { VPADDQ(cross[i], upper[i], upper[i]) })
		each(func(i int) { VPSLLQ(U8(32), upper[i], upper[i]) })
		each(func(i int) { VPADDQ(upper[i], z[i], z[i]) })
	}
	keys := func(label string) [2]reg.VecVirtual {
		z := pair()
		TESTQ(list, list)
		JNE(LabelRef(label + "Listed"))
		VMOVDQA(state, z[0])
		VPADDQ(fourGold, state, z[1])
		VPADDQ(fourGold, z[1], state)
		JMP(LabelRef(label + "Keys"))
		Label(label + "Listed")
		each(func(i int) { // a row has no upper half
			row := YMM()
			VPMOVZXWQ(Mem{Base: list, Disp: 8 * i}, row)
			VPMULUDQ(gold.upper, row, z[i])
			VPSLLQ(U8(32), z[i], z[i])
			VPMULUDQ(gold.all, row, row)
			VPADDQ(row, z[i], z[i])
			VPADDQ(value(firstKey), z[i], z[i])
		})
		ADDQ(U8(16), list)
		Label(label + "Keys")
		return z
	}
	draw := func(z [2]reg.VecVirtual) (upper, lower [2]reg.VecVirtual) {
		t := pair()
		mix := func(shift uint64) {
			each(func(i int) { VPSRLQ(U8(shift), z[i], t[i]) })
			each(func(i int) { VPXOR(t[i], z[i], z[i]) })
		}
		mix(30)
		multiply(z, m1)
		mix(27)
		multiply(z, m2)
		mix(31)
		const odd = 0xaa
		each(func(i int) { VPSRLQ(U8(32), z[i], t[i]) })
		each(func(i int) { VPBLENDD(U8(odd), two20, z[i], z[i]) })
		each(func(i int) { VPOR(two20, t[i], t[i]) })
		each(func(i int) { VSUBPD(two20, z[i], z[i]) })
		each(func(i int) { VSUBPD(two20, t[i], t[i]) })
		return t, z
	}
	const floor, trunc = 1, 3
	parts := func(v [2]reg.VecVirtual, sum reg.VecVirtual) {
		each(func(i int) { VMULPD(perUnit, v[i], v[i]) })
		each(func(i int) { VROUNDPD(U8(trunc), v[i], v[i]) })
		each(func(i int) { VADDPD(v[i], sum, sum) })
	}
	body := func(label string, drawn, offset bool) {
		Label(label)
		x, y := pair(), pair()
		var u, v [2]reg.VecVirtual
		if drawn {
			u, v = draw(keys(label))
		}
		bits, codes := YMM(), YMM()
		nothing := YMM()

		each(func(i int) { VCVTPS2PD(Mem{Base: a.hess, Disp: 16 * i}, y[i]) })
		each(func(i int) { VDIVPD(value(hessScale), y[i], y[i]) })
		if drawn {
			each(func(i int) { VADDPD(v[i], y[i], y[i]) })
		} else {
			each(func(i int) { VADDPD(half, y[i], y[i]) })
		}
		each(func(i int) { VMINPD(value(topHess), y[i], y[i]) })
		each(func(i int) { VCVTTPD2DQY(y[i], y[i].AsX()) })
		VPACKUSDW(y[1].AsX(), y[0].AsX(), codes.AsX())
		VMOVDQU(codes.AsX(), Mem{Base: a.hessCodes})
		VPXOR(nothing, nothing, nothing)
		VPCMPEQW(nothing.AsX(), codes.AsX(), codes.AsX())
		VPSUBW(codes.AsX(), without[3].AsX(), without[3].AsX())
		VMOVDQU(Mem{Base: a.hess}, bits)
		VPMAXUD(bits, largest, largest) // of minus signs, too: they are the largest bits
		VPCMPEQD(nothing, bits, bits)
		VPSUBD(bits, without[2], without[2])

		each(func(i int) { VCVTPS2PD(Mem{Base: a.grad, Disp: 16 * i}, x[i]) })
		size := pair()
		if offset {
			each(func(i int) { VPAND(magnitude, x[i], size[i]) })
			each(func(i int) { VDIVPD(value(gradScale), size[i], size[i]) })
			each(func(i int) { VMINPD(value(topSize), size[i], size[i]) })
			parts(size, sizes)
			each(func(i int) { VSUBPD(value(gradOffset), x[i], x[i]) })
		}
		each(func(i int) { VDIVPD(value(gradScale), x[i], x[i]) })
		c := u
		if drawn {
			each(func(i int) { VADDPD(u[i], x[i], c[i]) })
			each(func(i int) { VROUNDPD(U8(floor), c[i], c[i]) })
		} else {
			c = pair()
			each(func(i int) { VMOVUPD(magnitude, c[i]) })
			each(func(i int) { VPANDN(x[i], c[i], c[i]) }) // the sign
			each(func(i int) { VPOR(half, c[i], c[i]) })
			each(func(i int) { VADDPD(c[i], x[i], c[i]) })
			each(func(i int) { VROUNDPD(U8(trunc), c[i], c[i]) })
		}
		if !offset {
			each(func(i int) { VPAND(magnitude, x[i], size[i]) })
			each(func(i int) { VMINPD(value(topSize), size[i], size[i]) })
			parts(size, sizes)
		}
		each(func(i int) { VMAXPD(value(leastGrad), c[i], c[i]) })
		each(func(i int) { VMINPD(value(topGrad), c[i], c[i]) })
		each(func(i int) { VSUBPD(c[i], x[i], x[i]) })
		each(func(i int) { VCVTTPD2DQY(c[i], c[i].AsX()) })
		each(func(i int) { VPAND(magnitude, x[i], x[i]) })
		parts(x, errs)
		codes, bits, nothing = YMM(), YMM(), YMM()
		VPACKSSDW(c[1].AsX(), c[0].AsX(), codes.AsX())
		VMOVDQU(codes.AsX(), Mem{Base: a.gradCodes})
		VINSERTI128(U8(1), c[1].AsX(), c[0], c[0])
		VPCMPEQD(value(zeroCode), c[0], c[0])
		VMOVDQU(Mem{Base: a.grad}, bits)
		VPAND(magnitudes, bits, bits)
		VPMAXUD(bits, largest, largest)
		VPXOR(nothing, nothing, nothing)
		VPCMPEQD(nothing, bits, bits)
		VPSUBD(bits, without[0], without[0])
		VPOR(bits, c[0], c[0])
		VPSUBD(c[0], without[1], without[1])
	}
	loops(a, form, 8, body)

	loss := Load(Param("loss"), GP64())
	storeFloats(errs, loss, 0)
	storeFloats(sizes, loss, 8)
	VPMOVZXWD(without[3].AsX(), without[3])
	for i, v := range without {
		storeRest(v, loss, 16+8*i)
	}
	reduce(largest, loss, largestAt, func(a, b, c Op) { VPMAXUD(a, b, c) })
	VZEROUPPER()
	RET()
}

// storeFloats writes the sum of four floats to a loss, as a whole number.
func storeFloats(v reg.VecVirtual, loss reg.Register, disp int) {
	high, total := XMM(), GP64()
	VEXTRACTF128(U8(1), v, high)
	VADDPD(high, v.AsX(), v.AsX())
	VPERMILPD(U8(1), v.AsX(), high)
	VADDSD(high, v.AsX(), v.AsX())
	VCVTTSD2SIQ(v.AsX(), total)
	MOVQ(total, Mem{Base: loss, Disp: disp})
}
