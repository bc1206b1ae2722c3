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
	steps := firstSteps()
	nearest()
	general16(steps)
	scan("scanAVX512", 16)
	span("spanAVX512", 16)
	nearest8()
	general8(steps)
	scan("scanAVX2", 8)
	span("spanAVX2", 8)
	join()
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

// arguments are those that all functions that make codes have.
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

// next goes on to the next rows of as many lanes, or on behind the loop.
func (a arguments) next(label string, lanes uint64) {
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
	a.next("rows", lanes)

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
	reduce(maxGrad, r, 0, func(a, b, c Op) { VPMAXUD(a, b, c) })
	reduce(minHess, r, 4, func(a, b, c Op) { VPMINSD(a, b, c) })
	reduce(maxHess, r, 8, func(a, b, c Op) { VPMAXSD(a, b, c) })
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
	a.next("rows", 8)

	loss := Load(Param("loss"), GP64())
	storeFloats(errs, loss, 0)
	storeFloats(sizes, loss, 8)
	for i, n := range counts {
		MOVQ(n, Mem{Base: loss, Disp: 16 + 8*i})
	}
	VZEROUPPER()
	RET()
}
