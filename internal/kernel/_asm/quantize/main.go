// Command quantize writes the assembly of the package internal/kernel/quantize: gradients
// and hessians become codes 16 rows at a time. The Go forms are quantize.go and general.go
// there.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!purego")
	nearest()
	draws()
	scan("scanAVX512", 16)
	nearest8()
	scan("scanAVX2", 8)
	Generate()
}

// lanes is the number of rows of a step, two vectors of eight 64-bit numbers.
const lanes = 16

// Offsets in the struct vectorRule of the package.
const (
	gradUnit = 8 * iota
	hessUnit
	mostGrad
	mostHess
	drawKey // of the first row
)

// spread returns a vector of eight times a word in memory.
func spread(m Mem) reg.VecVirtual {
	v := ZMM()
	VPBROADCASTQ(m, v)
	return v
}

// constant returns a vector of eight times the same word.
func constant(word uint64) reg.VecVirtual {
	r, v := GP64(), ZMM()
	MOVQ(U64(word), r)
	VPBROADCASTQ(r, v)
	return v
}

func zero() reg.VecVirtual {
	v := ZMM()
	VPXORQ(v, v, v)
	return v
}

// quotient returns x/unit. Multiplying by the inverse and mending the result by fused
// multiplications would take half the time, but no fused one is allowed near a model.
func quotient(x, unit reg.VecVirtual) reg.VecVirtual {
	q := ZMM()
	VDIVPD(unit, x, q)
	return q
}

// sums are counters that are kept in registers.
type sums struct {
	err, magnitude reg.VecVirtual
	counts         [4]reg.GPVirtual // rows and kept codes of gradients, and of hessians
}

func newSums() sums {
	s := sums{err: zero(), magnitude: zero()}
	for i := range s.counts {
		s.counts[i] = GP64()
		XORQ(s.counts[i], s.counts[i])
	}
	return s
}

// count adds the number of lanes in a mask to a counter.
func (s sums) count(which int, k reg.Register) {
	bits := GP64()
	KMOVW(k, bits.As32())
	POPCNTL(bits.As32(), bits.As32())
	ADDQ(bits, s.counts[which])
}

// store writes the sums to a loss, whose fields have the order of the struct.
func (s sums) store(loss reg.Register) {
	for i, v := range []reg.VecVirtual{s.err, s.magnitude} {
		half, total := YMM(), GP64()
		VEXTRACTI64X4(U8(1), v, half)
		VPADDQ(half, v.AsY(), v.AsY())
		VEXTRACTI32X4(U8(1), v.AsY(), half.AsX())
		VPADDQ(half.AsX(), v.AsX(), v.AsX())
		VPSHUFD(U8(0x4e), v.AsX(), half.AsX())
		VPADDQ(half.AsX(), v.AsX(), v.AsX())
		VMOVQ(v.AsX(), total)
		MOVQ(total, Mem{Base: loss, Disp: 8 * i})
	}
	for i, n := range s.counts {
		MOVQ(n, Mem{Base: loss, Disp: 16 + 8*i})
	}
}

// arguments are those that both functions have.
type arguments struct {
	grad, hess, end, gradCodes, hessCodes, rule reg.Register
}

func load() arguments {
	a := arguments{
		grad: Load(Param("grad"), GP64()), hess: Load(Param("hess"), GP64()), end: Load(Param("n"), GP64()),
		gradCodes: Load(Param("gradCodes"), GP64()), hessCodes: Load(Param("hessCodes"), GP64()),
		rule: Load(Param("rule"), GP64()),
	}
	LEAQ(Mem{Base: a.grad, Index: a.end, Scale: 4}, a.end)
	return a
}

// next goes on to the next rows, or on behind the loop.
func (a arguments) next(label string) {
	ADDQ(U8(4*lanes), a.grad)
	ADDQ(U8(4*lanes), a.hess)
	ADDQ(U8(2*lanes), a.gradCodes)
	ADDQ(U8(2*lanes), a.hessCodes)
	CMPQ(a.grad, a.end)
	JNE(LabelRef(label))
}

// words joins two vectors of eight numbers that fit 16 bits.
func words(low, high reg.VecVirtual) reg.VecVirtual {
	l, h := YMM(), XMM()
	VPMOVQW(low, l.AsX())
	VPMOVQW(high, h)
	VINSERTI32X4(U8(1), h, l, l)
	return l
}

func nearest() {
	TEXT("codesAVX512", NOSPLIT, "func(grad, hess *float32, n uint64, gradCodes *int16, hessCodes *uint16, rule *uint64, loss *uint64)")
	Pragma("noescape")
	Doc("codesAVX512 is Codes for n rows, a multiple of 16 and not 0.")
	a := load()
	s := newSums()
	gu, hu := spread(Mem{Base: a.rule, Disp: gradUnit}), spread(Mem{Base: a.rule, Disp: hessUnit})
	mg, mh := spread(Mem{Base: a.rule, Disp: mostGrad}), spread(Mem{Base: a.rule, Disp: mostHess})
	half, magnitude := constant(1<<15), constant(0x7fffffff7fffffff)

	Label("rows")
	floats, size, sign := ZMM(), ZMM(), ZMM()
	VMOVDQU32(Mem{Base: a.grad}, floats)
	VPANDD(magnitude, floats, size)
	VPSRAD(U8(31), floats, sign)
	k := K()
	VPTESTMD(size, size, k)
	s.count(0, k)
	code := func(part reg.VecVirtual, unit, most reg.VecVirtual, withLoss bool) reg.VecVirtual {
		x, q, c := ZMM(), ZMM(), ZMM()
		VCVTPS2PD(part.AsY(), x)
		VCVTTPD2QQ(quotient(x, unit), q)
		VPMINSQ(most, q, q)
		VPADDQ(half, q, c)
		VPSRLQ(U8(16), c, c)
		if withLoss {
			rest := ZMM()
			VPSLLQ(U8(16), c, rest)
			VPSUBQ(rest, q, rest)
			VPABSQ(rest, rest)
			VPADDQ(rest, s.err, s.err)
			VPADDQ(q, s.magnitude, s.magnitude)
		}
		return c
	}
	upper := func(v reg.VecVirtual) reg.VecVirtual {
		u := ZMM()
		VEXTRACTF64X4(U8(1), v, u.AsY())
		return u
	}
	codes := words(code(size, gu, mg, true), code(upper(size), gu, mg, true))
	VPTESTMW(codes, codes, k)
	s.count(1, k)
	signs := YMM()
	VPMOVDW(sign, signs)
	VPXORD(signs, codes, codes)
	VPSUBW(signs, codes, codes)
	VMOVDQU64(codes, Mem{Base: a.gradCodes})

	VMOVDQU32(Mem{Base: a.hess}, floats)
	VPANDD(magnitude, floats, size)
	VPTESTMD(size, size, k)
	s.count(2, k)
	codes = words(code(floats, hu, mh, false), code(upper(floats), hu, mh, false))
	VPTESTMW(codes, codes, k)
	s.count(3, k)
	VMOVDQU64(codes, Mem{Base: a.hessCodes})
	a.next("rows")

	s.store(Load(Param("loss"), GP64()))
	VZEROUPPER()
	RET()
}

func draws() {
	TEXT("drawnAVX512", NOSPLIT, "func(grad, hess *float32, n uint64, gradCodes *int16, hessCodes *uint16, rule *uint64, loss *uint64)")
	Pragma("noescape")
	Doc("drawnAVX512 is general for n rows of stochastic rounding without an offset, a multiple of 16",
		"and not 0.")
	a := load()
	s := newSums()
	gu, hu := spread(Mem{Base: a.rule, Disp: gradUnit}), spread(Mem{Base: a.rule, Disp: hessUnit})
	mg, mh := spread(Mem{Base: a.rule, Disp: mostGrad}), spread(Mem{Base: a.rule, Disp: mostHess})
	magnitude, none := constant(0x7fffffffffffffff), zero()
	least, perUnit, unit32 := ZMM(), constant(0x40f0000000000000), constant(0x3df0000000000000) // 65536 and 2⁻³²
	VSUBPD(mg, none, least)

	// Keys of the next eight rows: key + (row+1)·golden.
	const golden = 0x9E3779B97F4A7C15
	const first, second = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
	step, m1, m2, low32 := constant(8*golden&(1<<64-1)), constant(first), constant(second), constant(1<<32-1)
	state := ZMM()
	steps := GLOBL("steps", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(uint64(i)*golden))
	}
	VMOVDQU64(steps, state)
	VPADDQ(spread(Mem{Base: a.rule, Disp: drawKey}), state, state)

	Label("rows")
	part := func(v Mem) reg.VecVirtual {
		x := ZMM()
		VCVTPS2PD(v, x)
		return x
	}
	draw := func() (upper, lower reg.VecVirtual) {
		z, t := ZMM(), ZMM()
		mix := func(shift uint64, times reg.VecVirtual) {
			VPSRLQ(U8(shift), z, t)
			VPXORQ(t, z, z)
			if times != nil {
				VPMULLQ(times, z, z)
			}
		}
		VMOVDQA64(state, z)
		VPADDQ(step, state, state)
		mix(30, m1)
		mix(27, m2)
		mix(31, nil)
		upper, lower = ZMM(), ZMM()
		VPSRLQ(U8(32), z, upper)
		VPANDQ(low32, z, lower)
		for _, u := range []reg.VecVirtual{upper, lower} {
			VCVTUQQ2PD(u, u)
			VMULPD(unit32, u, u)
		}
		return upper, lower
	}
	rounded := func(x, u, lo, hi reg.VecVirtual) reg.VecVirtual {
		c := ZMM()
		VADDPD(u, x, c)
		VRNDSCALEPD(U8(1), c, c) // down
		VMAXPD(lo, c, c)
		VMINPD(hi, c, c)
		return c
	}
	kept := K()
	var gs, hs [2]reg.VecVirtual
	for i := range 2 {
		g, h := part(Mem{Base: a.grad, Disp: 32 * i}), part(Mem{Base: a.hess, Disp: 32 * i})
		x, y := quotient(g, gu), quotient(h, hu)
		ug, uh := draw()
		gs[i], hs[i] = rounded(x, ug, least, mg), rounded(y, uh, none, mh)
		off, size := ZMM(), ZMM()
		VSUBPD(gs[i], x, off)
		VPANDQ(magnitude, off, off)
		VMULPD(perUnit, off, off)
		VCVTTPD2QQ(off, off)
		VPADDQ(off, s.err, s.err)
		VPANDQ(magnitude, x, size)
		VMINPD(mg, size, size)
		VMULPD(perUnit, size, size)
		VCVTTPD2QQ(size, size)
		VPADDQ(size, s.magnitude, s.magnitude)
		VCVTTPD2QQ(gs[i], gs[i])
		VCVTTPD2QQ(hs[i], hs[i])
	}
	floats := ZMM()
	k := K()
	VPSLLD(U8(1), Mem{Base: a.grad}, floats)
	VPTESTMD(floats, floats, k)
	s.count(0, k)
	codes := words(gs[0], gs[1])
	VPTESTMW(codes, codes, kept)
	KANDW(k, kept, kept)
	s.count(1, kept)
	VMOVDQU64(codes, Mem{Base: a.gradCodes})
	VPSLLD(U8(1), Mem{Base: a.hess}, floats)
	VPTESTMD(floats, floats, k)
	s.count(2, k)
	codes = words(hs[0], hs[1])
	VPTESTMW(codes, codes, kept)
	s.count(3, kept)
	VMOVDQU64(codes, Mem{Base: a.hessCodes})
	a.next("rows")

	s.store(Load(Param("loss"), GP64()))
	VZEROUPPER()
	RET()
}

// scan writes the function that looks at so many rows at a time.
func scan(name string, lanes int) {
	TEXT(name, NOSPLIT, "func(grad, hess *float32, n uint64, r *uint32)")
	Pragma("noescape")
	Doc(name + " widens a Range by n rows, a multiple of 16 and not 0.")
	grad, hess, end := Load(Param("grad"), GP64()), Load(Param("hess"), GP64()), Load(Param("n"), GP64())
	r := Load(Param("r"), GP64())
	LEAQ(Mem{Base: grad, Index: end, Scale: 4}, end)
	vector := func() reg.VecVirtual {
		if lanes == 16 {
			return ZMM()
		}
		return YMM()
	}
	word := func(disp int) reg.VecVirtual {
		v := vector()
		VPBROADCASTD(Mem{Base: r, Disp: disp}, v)
		return v
	}
	maxGrad, minHess, maxHess, magnitude := word(0), word(4), word(8), vector()
	size, h := vector(), vector()
	if lanes == 16 {
		magnitude = constant(0x7fffffff7fffffff)
	} else {
		VPCMPEQD(magnitude, magnitude, magnitude)
		VPSRLD(U8(1), magnitude, magnitude)
	}
	Label("rows")
	if lanes == 16 {
		VPANDD(Mem{Base: grad}, magnitude, size)
		VMOVDQU32(Mem{Base: hess}, h)
	} else {
		VPAND(Mem{Base: grad}, magnitude, size)
		VMOVDQU(Mem{Base: hess}, h)
	}
	VPMAXUD(size, maxGrad, maxGrad)
	VPMINSD(h, minHess, minHess)
	VPMAXSD(h, maxHess, maxHess)
	ADDQ(U8(4*lanes), grad)
	ADDQ(U8(4*lanes), hess)
	CMPQ(grad, end)
	JNE(LabelRef("rows"))
	reduce := func(v reg.VecVirtual, disp int, op func(a, b, c Op)) {
		half, out := YMM(), GP32()
		if lanes == 16 {
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
		MOVL(out, Mem{Base: r, Disp: disp})
	}
	reduce(maxGrad, 0, func(a, b, c Op) { VPMAXUD(a, b, c) })
	reduce(minHess, 4, func(a, b, c Op) { VPMINSD(a, b, c) })
	reduce(maxHess, 8, func(a, b, c Op) { VPMAXSD(a, b, c) })
	VZEROUPPER()
	RET()
}

// nearest8 is nearest with AVX2, eight rows at a time in two vectors of four. It has no
// conversions of 64-bit numbers: quotients stay floats, which hold all of them and their
// sums exactly, being below 2⁵³.
func nearest8() {
	TEXT("codesAVX2", NOSPLIT, "func(grad, hess *float32, n uint64, gradCodes *int16, hessCodes *uint16, rule *uint64, loss *uint64)")
	Pragma("noescape")
	Doc("codesAVX2 is Codes for n rows, a multiple of 16 and not 0. The largest codes of its rule are",
		"floats.")
	a := load()
	spread := func(m Mem) reg.VecVirtual {
		v := YMM()
		VBROADCASTSD(m, v)
		return v
	}
	constant := func(word uint64) reg.VecVirtual {
		r, v := GP64(), YMM()
		MOVQ(U64(word), r)
		VMOVQ(r, v.AsX())
		VPBROADCASTQ(v.AsX(), v)
		return v
	}
	mg, mh := spread(Mem{Base: a.rule, Disp: mostGrad}), spread(Mem{Base: a.rule, Disp: mostHess})
	half, up, down := constant(0x40e0000000000000), constant(0x40f0000000000000), constant(0x3ef0000000000000) // 2¹⁵, 2¹⁶, 2⁻¹⁶
	magnitude, none := constant(0x7fffffff7fffffff), YMM()
	VPXOR(none, none, none)
	errs, sizes := YMM(), YMM()
	VXORPD(errs, errs, errs)
	VXORPD(sizes, sizes, sizes)
	var counts [4]reg.GPVirtual
	for i := range counts {
		counts[i] = GP64()
		XORQ(counts[i], counts[i])
	}

	Label("rows")
	const trunc, floor = 3, 1
	code := func(part reg.VecVirtual, unit int, most reg.VecVirtual, withLoss bool) reg.VecVirtual {
		q, c := YMM(), YMM()
		VCVTPS2PD(part.AsX(), q)
		VDIVPD(func() Op { v := YMM(); VBROADCASTSD(Mem{Base: a.rule, Disp: unit}, v); return v }(), q, q)
		VROUNDPD(U8(trunc), q, q)
		VMINPD(most, q, q)
		VADDPD(half, q, c)
		VMULPD(down, c, c)
		VROUNDPD(U8(floor), c, c)
		if withLoss {
			rest := YMM()
			VMULPD(up, c, rest)
			VSUBPD(rest, q, rest)
			VPSLLQ(U8(1), rest, rest)
			VPSRLQ(U8(1), rest, rest)
			VADDPD(rest, errs, errs)
			VADDPD(q, sizes, sizes)
		}
		out := YMM()
		VCVTTPD2DQY(c, out.AsX())
		return out
	}
	count := func(which int, bits reg.GPVirtual, of int) {
		POPCNTL(bits, bits)
		if of == 16 { // two bits a lane
			SHRL(U8(1), bits)
		}
		ADDQ(bits.As64(), counts[which])
	}
	pass := func(from reg.Register, to reg.Register, rows, kept, unit int, most reg.VecVirtual, signed bool) {
		floats, size, high, codes, zeros := YMM(), YMM(), YMM(), YMM(), YMM()
		bits := GP32()
		VMOVDQU(Mem{Base: from}, floats)
		VPAND(magnitude, floats, size)
		VPCMPEQD(none, size, zeros)
		VMOVMSKPS(zeros, bits)
		XORL(U32(0xff), bits)
		count(rows, bits, 8)
		VEXTRACTI128(U8(1), size, high.AsX())
		first := code(size, unit, most, signed)
		second := code(high, unit, most, signed)
		VPACKUSDW(second.AsX(), first.AsX(), codes.AsX())
		VPCMPEQW(none.AsX(), codes.AsX(), zeros.AsX())
		bits = GP32()
		VPMOVMSKB(zeros.AsX(), bits)
		XORL(U32(0xffff), bits)
		count(kept, bits, 16)
		if signed {
			sign := YMM()
			VPSRAD(U8(31), floats, sign)
			VEXTRACTI128(U8(1), sign, high.AsX())
			VPACKSSDW(high.AsX(), sign.AsX(), sign.AsX())
			VPXOR(sign.AsX(), codes.AsX(), codes.AsX())
			VPSUBW(sign.AsX(), codes.AsX(), codes.AsX())
		}
		VMOVDQU(codes.AsX(), Mem{Base: to})
	}
	pass(a.grad, a.gradCodes, 0, 1, gradUnit, mg, true)
	pass(a.hess, a.hessCodes, 2, 3, hessUnit, mh, false)
	ADDQ(U8(32), a.grad)
	ADDQ(U8(32), a.hess)
	ADDQ(U8(16), a.gradCodes)
	ADDQ(U8(16), a.hessCodes)
	CMPQ(a.grad, a.end)
	JNE(LabelRef("rows"))

	loss := Load(Param("loss"), GP64())
	for i, v := range []reg.VecVirtual{errs, sizes} {
		high, total := YMM(), GP64()
		VEXTRACTF128(U8(1), v, high.AsX())
		VADDPD(high.AsX(), v.AsX(), v.AsX())
		VPERMILPD(U8(1), v.AsX(), high.AsX())
		VADDSD(high.AsX(), v.AsX(), v.AsX())
		VCVTTSD2SIQ(v.AsX(), total)
		MOVQ(total, Mem{Base: loss, Disp: 8 * i})
	}
	for i, n := range counts {
		MOVQ(n, Mem{Base: loss, Disp: 16 + 8*i})
	}
	VZEROUPPER()
	RET()
}
