package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wide is the form of what only AVX-512 does.
var wide = form{"AVX512", 8}

// Comparisons of VCMPPD and VPCMPUQ.
const (
	less       = 1
	notLess    = 5
	notGreater = 10
)

// parts are the numbers of a table of detmath, by their place in it.
type parts struct {
	form
	base    reg.Register
	indexes Mem // of AVX2: room for a vector
}

func (f form) parts() parts {
	p := parts{form: f, base: pointer("parts")}
	if f.lanes == 4 {
		p.indexes = f.aligned()
	}
	return p
}

func (p parts) at(i int) Mem   { return Mem{Base: p.base, Disp: 8 * i} }
func (p parts) every(i int) Op { return p.spare(p.at(i)) }

// pick looks up a vector in each of several tables of 128 numbers, whose first have the places at, by the low seven bits of n.
func (p parts) pick(n reg.VecVirtual, low Op, at ...int) (found []reg.VecVirtual) {
	if p.lanes == 8 {
		for _, at := range at {
			found = append(found, p.vector())
			table512(p.at(at), n, found[len(found)-1])
		}
		return found
	}
	index := p.vector()
	VANDPD(low, n, index)
	VMOVUPD(index, p.indexes)
	var places [4]reg.GPVirtual
	for i := range places {
		places[i] = GP64()
		MOVQ(p.indexes.Offset(8*i), places[i])
	}
	for _, at := range at {
		to, high := p.vector(), XMM()
		for i, v := range []reg.Register{to.AsX(), high} {
			VMOVSD(Mem{Base: p.base, Index: places[2*i], Scale: 8, Disp: 8 * at}, v)
			VMOVHPD(Mem{Base: p.base, Index: places[2*i+1], Scale: 8, Disp: 8 * at}, v, v)
		}
		VINSERTF128(U8(1), high, to, to)
		found = append(found, to)
	}
	return found
}

// odd gathers whether any number is not as the function takes them.
type odd struct {
	form
	mask reg.OpmaskVirtual
	is   reg.VecVirtual // of AVX2: its signs
}

func (f form) odd() odd {
	o := odd{form: f}
	if f.lanes == 8 {
		o.mask = K()
		KXORB(o.mask, o.mask, o.mask)
	} else {
		o.is = f.vector()
		VXORPD(o.is, o.is, o.is)
	}
	return o
}

// compare adds the numbers of x that compare so with a bound.
func (o odd) compare(so uint8, bound Op, x reg.VecVirtual) {
	if o.lanes == 8 {
		are := K()
		VCMPPD(U8(so), bound, x, are)
		KORB(are, o.mask, o.mask)
		return
	}
	are := o.vector()
	VCMPPD(U8(so), bound, x, are)
	VORPD(are, o.is, o.is)
}

// end returns whether any was odd.
func (o odd) end() {
	result := GP64()
	if o.lanes == 8 {
		KMOVB(o.mask, result.As32())
	} else {
		VMOVMSKPD(o.is, result.As32())
	}
	Store(result, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

func (f form) beginExact(name string, parts int, doc string) {
	TEXT(name+f.name, NOSPLIT, fmt.Sprintf("func(to, from *float64, n uint64, parts *[%d]uint64) (odd uint64)", parts))
	Pragma("noescape")
	Doc(name+f.name+" "+doc, fmt.Sprintf("n is a multiple of %d and not 0.", f.lanes))
}

// exactExp is detmath.Exp of numbers whose result is normal.
func (f form) exactExp() {
	f.beginExact("exp", 264, "writes e^x of n numbers. It returns 0 if all are above -708 and below 709; only such are right.")
	to, from, p := pointer("to"), pointer("from"), f.parts()
	const bits, rest, rows = 0, 128, 256
	stepInv, shift, stepHi, stepLo := p.every(rows), p.every(rows+1), p.every(rows+2), p.every(rows+3)
	sixth, half, by120, by24 := p.every(rows+4), p.every(rows+5), p.every(rows+6), p.every(rows+7)
	low, high := f.spare(shared["lowest"]), f.spare(shared["highest"])
	var lowIndex Op
	if f.lanes == 4 {
		lowIndex = f.spare(shared["index"])
	}
	outside := f.odd()
	f.rows(func(i reg.GPVirtual) {
		x := f.load(from, i)
		outside.compare(notGreater, low, x)
		outside.compare(notLess, high, x)

		n, k, t := f.vector(), f.vector(), f.vector()
		VMULPD(stepInv, x, n)
		VADDPD(shift, n, n)
		VSUBPD(shift, n, k)
		VMULPD(stepHi, k, t)
		VSUBPD(t, x, x)
		VMULPD(stepLo, k, t)
		VSUBPD(t, x, x) // r
		found := p.pick(n, lowIndex, bits, rest)
		scale, left := found[0], found[1]
		VPSLLQ(U8(mantissa), n, n)
		VPADDQ(n, scale, scale)

		square, sum := f.vector(), f.vector()
		VMULPD(x, x, square)
		VMULPD(sixth, x, t)
		VADDPD(half, t, t)
		VMULPD(square, t, sum)
		VADDPD(sum, left, sum)
		VMULPD(by120, x, t)
		VADDPD(by24, t, t)
		VMULPD(square, square, square)
		VMULPD(square, t, t)
		VADDPD(t, sum, sum)
		VADDPD(sum, x, x)
		VMULPD(x, scale, x)
		VADDPD(x, scale, scale)
		VMOVUPD(scale, Mem{Base: to, Index: i, Scale: 8})
	})
	outside.end()
}

// outsideNormals adds the numbers that are not normal and above 0: less least, which their lowest is, they are above last as whole numbers
// or, with AVX2, have a sign.
func (o odd) outsideNormals(least, normals, last Op, x reg.VecVirtual) {
	t := o.vector()
	VPSUBQ(least, x, t)
	if o.lanes == 8 {
		are := K()
		VPCMPUQ(U8(notLess), normals, t, are)
		KORB(are, o.mask, o.mask)
		return
	}
	VORPD(t, o.is, o.is)
	VPCMPGTQ(last, t, t)
	VORPD(t, o.is, o.is)
}

// exponents writes the numbers that the upper twelve bits of whole numbers are. AVX2 flips the first bit, which makes 2048 more of each, and reads them as
// the last bits of floats.
func (f form) exponents(from reg.VecVirtual, flipped Op) reg.VecVirtual {
	k := f.vector()
	if f.lanes == 8 {
		VPSRAQ(U8(52), from, k)
		VCVTQQ2PD(k, k)
		return k
	}
	VPSRLQ(U8(52), from, k)
	VPXOR(flipped, k, k)
	VSUBPD(flipped, k, k)
	return k
}

// exactLog is detmath.Log of normal numbers above 0.
func (f form) exactLog() {
	f.beginExact("log", 397, "writes the logarithms of n numbers. It returns 0 if all are normal and above 0; only such are right.")
	to, from, p := pointer("to"), pointer("from"), f.parts()
	const inv, upper, lower, rows = 0, 128, 256, 384
	base, exponent, top, ln2Hi, ln2Lo := p.every(rows), p.every(rows+1), p.every(rows+2), p.every(rows+3), p.every(rows+4)
	var series [8]Op // from the last term to the first
	for i := range series {
		series[i] = p.every(rows + 5 + i)
	}
	one, least := f.spare(shared["one"]), f.spare(shared["normal"])
	var normals, last, flipped, lowIndex Op
	if f.lanes == 8 {
		normals = f.spare(shared["normals"])
	} else {
		last, flipped, lowIndex = f.spare(shared["lastNormal"]), f.spare(shared["flipped"]), f.spare(shared["index"])
	}
	outside := f.odd()
	f.rows(func(i reg.GPVirtual) {
		x := f.load(from, i)
		outside.outsideNormals(least, normals, last, x)

		off, z, high := f.vector(), f.vector(), f.vector()
		VPSUBQ(base, x, off)
		k := f.exponents(off, flipped)
		VANDPD(exponent, off, z)
		VPSUBQ(z, x, z)
		VPSRLQ(U8(mantissa), off, off)
		VANDPD(top, z, high)

		r, low := f.vector(), f.vector()
		found := p.pick(off, lowIndex, inv, upper, lower)
		VSUBPD(high, z, z)
		VMULPD(found[0], high, high)
		VSUBPD(one, high, high) // rHi
		VMULPD(found[0], z, z)  // rLo
		VADDPD(z, high, r)
		VSUBPD(r, high, low)
		VADDPD(z, low, low)

		w, sum := f.vector(), f.vector()
		VMULPD(ln2Hi, k, w)
		VADDPD(found[1], w, w)
		VADDPD(r, w, sum)
		VSUBPD(sum, w, w)
		VADDPD(r, w, w)
		VADDPD(w, low, low)
		VMULPD(ln2Lo, k, w)
		VADDPD(found[2], w, w)
		VADDPD(w, low, low)

		square, term, all := f.vector(), f.vector(), f.vector()
		VMULPD(r, r, square)
		for i := 0; i < len(series); i += 2 {
			VMULPD(series[i], r, term)
			VADDPD(series[i+1], term, term)
			if i > 0 {
				VMULPD(square, all, all)
				VADDPD(all, term, term)
			}
			VMOVAPD(term, all)
		}
		VMULPD(square, all, all)
		VADDPD(all, low, low)
		VADDPD(low, sum, sum)
		VMOVUPD(sum, Mem{Base: to, Index: i, Scale: 8})
	})
	outside.end()
}

// ranks counts for each key those that are less.
func ranks() {
	wide.begin("ranks", "to, keys *uint64, n uint64", "writes for each of n keys how many are less.")
	to, keys, n := pointer("to"), pointer("keys"), Load(Param("n"), GP64())
	one, word := ZMM(), GP64()
	MOVQ(U64(1), word)
	VPBROADCASTQ(word, one)
	i, j := GP64(), GP64()
	XORQ(i, i)
	Label("own")
	own, count := ZMM(), ZMM()
	VMOVDQU64(Mem{Base: keys, Index: i, Scale: 8}, own)
	VPXORQ(count, count, count)
	XORQ(j, j)
	Label("other")
	for part := range 8 {
		greater := K()
		VPCMPUQ_BCST(U8(more), Mem{Base: keys, Index: j, Scale: 8, Disp: 8 * part}, own, greater)
		VPADDQ(one, count, greater, count)
	}
	ADDQ(U8(8), j)
	CMPQ(j, n)
	JNE(LabelRef("other"))
	VMOVDQU64(count, Mem{Base: to, Index: i, Scale: 8})
	ADDQ(U8(8), i)
	CMPQ(i, n)
	JNE(LabelRef("own"))
	VZEROUPPER()
	RET()
}

const more = 6 // a comparison of VPCMPUQ

// narrowRanks is ranks with AVX2, which compares whole numbers with signs only: the highest bit of all is flipped.
func narrowRanks() {
	narrow := form{"AVX2", 4}
	TEXT("ranksAVX2", NOSPLIT, "func(to, keys *uint64, n uint64)")
	Pragma("noescape")
	Doc("ranksAVX2 writes for each of n keys how many are less.", "n is a multiple of 8 and not 0.")
	to, keys, n := pointer("to"), pointer("keys"), Load(Param("n"), GP64())
	sign := narrow.constant("sign")
	i, j := GP64(), GP64()
	XORQ(i, i)
	Label("own")
	var own, count [2]reg.VecVirtual
	for part := range own {
		own[part], count[part] = YMM(), YMM()
		VPXOR(Mem{Base: keys, Index: i, Scale: 8, Disp: 32 * part}, sign, own[part])
		VPXOR(count[part], count[part], count[part])
	}
	XORQ(j, j)
	Label("other")
	for step := range 2 {
		other := YMM()
		VPBROADCASTQ(Mem{Base: keys, Index: j, Scale: 8, Disp: 8 * step}, other)
		VPXOR(sign, other, other)
		for part := range own {
			less := YMM()
			VPCMPGTQ(other, own[part], less)
			VPSUBQ(less, count[part], count[part])
		}
	}
	ADDQ(U8(2), j)
	CMPQ(j, n)
	JNE(LabelRef("other"))
	for part := range count {
		VMOVDQU(count[part], Mem{Base: to, Index: i, Scale: 8, Disp: 32 * part})
	}
	ADDQ(U8(8), i)
	CMPQ(i, n)
	JNE(LabelRef("own"))
	VZEROUPPER()
	RET()
}
