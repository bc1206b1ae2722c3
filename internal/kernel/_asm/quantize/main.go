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
	nearest16()
	wide512()
	general16(steps)
	scan("scanAVX512", 16)
	span("spanAVX512", 16)
	nearest8()
	wide256()
	general8(steps)
	scan("scanAVX2", 8)
	span("spanAVX2", 8)
	join()
	Generate()
}

// lanes is the number of rows of a step, two vectors of eight 64-bit numbers.
const lanes = 16

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
