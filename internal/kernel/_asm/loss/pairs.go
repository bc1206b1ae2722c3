package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairLanes is the number of partial sums, whatever the vectors.
const pairLanes = 8

// pairs is Pairs.row of the rows below one. With byGain, change is computed from the rows' gains and discounts.
func (f form) pairs(name string, byGain bool) {
	parameters := "change *float64"
	if byGain {
		parameters = "gains, discounts *float64, gain, discount float64"
	}
	TEXT(name+f.name, NOSPLIT, "func(grad, hess, scores, odds *float64, n uint64, own, score, offset float64, mask uint64, sums *[3][8]float64, "+parameters+")")
	Pragma("noescape")
	Doc(name+f.name+" adds the derivatives of n rows by their pairs with one above, and to partial sums for that one.", "n is a multiple of 8 and not 0.")
	grad, hess, scores, odds := pointer("grad"), pointer("hess"), pointer("scores"), pointer("odds")
	var change, gains, discounts reg.Register
	held := f.held("own", "score", "offset", "mask")
	if byGain {
		gains, discounts = pointer("gains"), pointer("discounts")
		for name, at := range f.held("gain", "discount") {
			held[name] = at
		}
	} else {
		change = pointer("change")
	}
	size, one := f.spare(shared["size"]), f.spare(shared["one"])
	var sums [3][]reg.VecVirtual
	to := pointer("sums")
	for i := range sums {
		for part := range pairLanes / f.lanes {
			v := f.vector()
			VMOVUPD(Mem{Base: to, Disp: 8 * (pairLanes*i + f.lanes*part)}, v)
			sums[i] = append(sums[i], v)
		}
	}
	n, i := Load(Param("n"), GP64()), GP64()
	XORQ(i, i)
	Label("step")
	for part := range pairLanes / f.lanes {
		at := func(base reg.Register) Mem { return Mem{Base: base, Index: i, Scale: 8, Disp: 8 * f.lanes * part} }
		c, e, distance, inverse := f.vector(), f.vector(), f.vector(), f.vector()
		if byGain {
			VMOVUPD(held["gain"], c)
			VSUBPD(at(gains), c, c)
			VMOVUPD(held["discount"], inverse)
			VSUBPD(at(discounts), inverse, inverse)
			VMULPD(inverse, c, c)
		} else {
			VMOVUPD(at(change), c)
		}
		VMOVUPD(at(odds), e)
		VMOVUPD(held["score"], distance)
		VSUBPD(at(scores), distance, distance)
		VANDPD(held["mask"], distance, distance)
		VADDPD(held["offset"], distance, distance)
		VADDPD(held["own"], e, inverse)
		VMULPD(distance, inverse, inverse)
		over := f.vector()
		VMOVUPD(one, over)
		VDIVPD(inverse, over, inverse)

		share, g := f.vector(), f.vector()
		VMULPD(inverse, c, share)
		if f.lanes == 8 {
			below := K()
			VPMOVQ2M(c, below)
			VMOVAPD(e, g)
			VMOVUPD(held["own"], below, g)
		} else {
			VMOVUPD(held["own"], g)
			VBLENDVPD(c, g, e, g)
		}
		VMULPD(share, g, g)
		VANDPD(size, share, share)
		VMULPD(held["own"], share, share)
		VMULPD(inverse, distance, distance)
		VMULPD(distance, e, e)
		VMULPD(e, share, share) // hessian

		VADDPD(g, sums[0][part], sums[0][part])
		VADDPD(share, sums[1][part], sums[1][part])
		VANDPD(size, g, e)
		VADDPD(e, sums[2][part], sums[2][part])
		VADDPD(at(grad), g, g)
		VMOVUPD(g, at(grad))
		VADDPD(at(hess), share, share)
		VMOVUPD(share, at(hess))
	}
	ADDQ(U8(pairLanes), i)
	CMPQ(i, n)
	JNE(LabelRef("step"))
	to = pointer("sums")
	for i := range sums {
		for part, v := range sums[i] {
			VMOVUPD(v, Mem{Base: to, Disp: 8 * (pairLanes*i + f.lanes*part)})
		}
	}
	VZEROUPPER()
	RET()
}

// held broadcasts parameters.
func (f form) held(names ...string) map[string]Op {
	held := map[string]Op{}
	for _, name := range names {
		a, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		held[name] = f.spare(a.Addr)
	}
	return held
}

// spare broadcasts a number to a register, or to memory on the stack where registers are few.
func (f form) spare(from Op) Op {
	v := f.broadcast(from)
	if f.lanes == 8 {
		return v
	}
	at := AllocLocal(32)
	VMOVUPD(v, at)
	return at
}
