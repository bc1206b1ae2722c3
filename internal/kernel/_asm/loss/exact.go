package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What the functions of this file do needs AVX-512: its permutations look up tables of 128 numbers, and it takes whole numbers for floats.
var wide = form{"AVX512", 8}

// Comparisons of VCMPPD and VPCMPUQ.
const (
	less       = 1
	notLess    = 5
	notGreater = 10
)

// parts are the numbers of a table of detmath, by their place in it.
type parts struct{ base reg.Register }

func (p parts) at(i int) Mem               { return Mem{Base: p.base, Disp: 8 * i} }
func (p parts) every(i int) reg.VecVirtual { return wide.broadcast(p.at(i)) }

// pick looks up 8 of 128 numbers, the first of which has the place at, by the low seven bits of n.
func (p parts) pick(at int, n, to reg.VecVirtual) { table512(p.at(at), n, to) }

func beginExact(name string, parts int, doc string) {
	TEXT(name+wide.name, NOSPLIT, fmt.Sprintf("func(to, from *float64, n uint64, parts *[%d]uint64) (odd uint64)", parts))
	Pragma("noescape")
	Doc(name+wide.name+" "+doc, "n is a multiple of 8 and not 0.")
}

func endExact(odd reg.OpmaskVirtual) {
	result := GP64()
	KMOVB(odd, result.As32())
	Store(result, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// exactExp is detmath.Exp of numbers whose result is normal.
func exactExp() {
	beginExact("exp", 264, "writes e^x of n numbers. It returns 0 if all are above -708 and below 709; only such are right.")
	to, from, p := pointer("to"), pointer("from"), parts{pointer("parts")}
	const bits, rest, rows = 0, 128, 256
	stepInv, shift, stepHi, stepLo := p.every(rows), p.every(rows+1), p.every(rows+2), p.every(rows+3)
	sixth, half, by120, by24 := p.every(rows+4), p.every(rows+5), p.every(rows+6), p.every(rows+7)
	low, high := wide.constant("lowest"), wide.constant("highest")
	odd := K()
	KXORB(odd, odd, odd)
	wide.rows(func(i reg.GPVirtual) {
		x := wide.load(from, i)
		below, above := K(), K()
		VCMPPD(U8(notGreater), low, x, below)
		VCMPPD(U8(notLess), high, x, above)
		KORB(below, odd, odd)
		KORB(above, odd, odd)

		n, k, t, scale, left := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
		VMULPD(stepInv, x, n)
		VADDPD(shift, n, n)
		VSUBPD(shift, n, k)
		VMULPD(stepHi, k, t)
		VSUBPD(t, x, x)
		VMULPD(stepLo, k, t)
		VSUBPD(t, x, x) // r
		p.pick(bits, n, scale)
		p.pick(rest, n, left)
		VPSLLQ(U8(mantissa), n, n)
		VPADDQ(n, scale, scale)

		square, sum := ZMM(), ZMM()
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
	endExact(odd)
}

// exactLog is detmath.Log of normal numbers above 0.
func exactLog() {
	beginExact("log", 397, "writes the logarithms of n numbers. It returns 0 if all are normal and above 0; only such are right.")
	to, from, p := pointer("to"), pointer("from"), parts{pointer("parts")}
	const inv, upper, lower, rows = 0, 128, 256, 384
	base, exponent, top, ln2Hi, ln2Lo := p.every(rows), p.every(rows+1), p.every(rows+2), p.every(rows+3), p.every(rows+4)
	var series [8]reg.VecVirtual // from the last term to the first
	for i := range series {
		series[i] = p.every(rows + 5 + i)
	}
	one, least, normals := wide.constant("one"), wide.constant("normal"), wide.constant("normals")
	odd := K()
	KXORB(odd, odd, odd)
	wide.rows(func(i reg.GPVirtual) {
		x := wide.load(from, i)
		t := ZMM()
		VPSUBQ(least, x, t)
		outside := K()
		VPCMPUQ(U8(notLess), normals, t, outside)
		KORB(outside, odd, odd)

		off, k, z, high := ZMM(), ZMM(), ZMM(), ZMM()
		VPSUBQ(base, x, off)
		VPSRAQ(U8(52), off, k)
		VCVTQQ2PD(k, k)
		VPANDQ(exponent, off, z)
		VPSUBQ(z, x, z)
		VPSRLQ(U8(mantissa), off, off)
		VPANDQ(top, z, high)

		node, r, low := ZMM(), ZMM(), ZMM()
		p.pick(inv, off, node)
		VSUBPD(high, z, z)
		VMULPD(node, high, high)
		VSUBPD(one, high, high) // rHi
		VMULPD(node, z, z)      // rLo
		VADDPD(z, high, r)
		VSUBPD(r, high, low)
		VADDPD(z, low, low)

		w, sum := ZMM(), ZMM()
		p.pick(upper, off, node)
		VMULPD(ln2Hi, k, w)
		VADDPD(node, w, w)
		VADDPD(r, w, sum)
		VSUBPD(sum, w, w)
		VADDPD(r, w, w)
		VADDPD(w, low, low)
		p.pick(lower, off, node)
		VMULPD(ln2Lo, k, w)
		VADDPD(node, w, w)
		VADDPD(w, low, low)

		square, term, all := ZMM(), ZMM(), ZMM()
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
	endExact(odd)
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
