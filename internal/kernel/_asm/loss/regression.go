package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const derivatives = "grad, hess *float32, scores, labels *float64"

// choose writes a where the condition of VCMPPD holds of b and the bound, else what is in to.
func (f form) choose(a Op, so uint8, bound Op, b, to reg.VecVirtual) {
	if f.lanes == 8 {
		is := K()
		VCMPPD(U8(so), bound, b, is)
		VMOVUPD(a, is, to)
		return
	}
	is := f.vector()
	VCMPPD(U8(so), bound, b, is)
	VBLENDVPD(is, a, to, to)
}

// sides is what Absolute and Pinball call.
func (f form) sides() {
	f.begin("sides", derivatives+", n uint64, over, under, none float64",
		"writes a gradient of over for rows whose scores are above their labels, of under and none for those below and at them, and hessians of 1.")
	grad, hess, scores, labels := pointer("grad"), pointer("hess"), pointer("scores"), pointer("labels")
	held, one := f.held("over", "under", "none"), f.constant("one")
	zero := f.vector()
	VXORPD(zero, zero, zero)
	f.loop(func(i reg.GPVirtual) {
		d, g, h := f.load(scores, i), f.vector(), f.vector()
		VSUBPD(Mem{Base: labels, Index: i, Scale: 8}, d, d)
		VMOVUPD(held["over"], g)
		f.choose(held["under"], less, zero, d, g)
		f.choose(held["none"], equal, zero, d, g)
		VMOVAPD(one, h)
		f.store32(g, grad, i)
		f.store32(h, hess, i)
	})
}

// relative is Relative without weights.
func (f form) relative() {
	f.begin("relative", derivatives+", n uint64", "writes the derivatives of the relative distance of n rows.")
	grad, hess, scores, labels := pointer("grad"), pointer("hess"), pointer("scores"), pointer("labels")
	size, sign, one := f.constant("size"), f.constant("sign"), f.constant("one")
	zero := f.vector()
	VXORPD(zero, zero, zero)
	f.loop(func(i reg.GPVirtual) {
		d, y, g := f.load(scores, i), f.load(labels, i), f.vector()
		VSUBPD(y, d, d)
		VANDPD(size, y, y)
		VMAXPD(one, y, y)
		VDIVPD(y, one, y)
		VANDPD(sign, d, g)
		VORPD(y, g, g)
		f.choose(zero, equal, zero, d, g)
		f.store32(g, grad, i)
		f.store32(y, hess, i)
	})
}

// weigh is Weigh.
func (f form) weigh() {
	f.begin("weigh", "grad, hess *float32, weights *float64, n uint64", "multiplies the derivatives of n rows by their weights.")
	grad, hess, weights := pointer("grad"), pointer("hess"), pointer("weights")
	f.loop(func(i reg.GPVirtual) {
		w := f.load(weights, i)
		for _, values := range []reg.Register{grad, hess} {
			v := f.vector()
			VCVTPS2PD(Mem{Base: values, Index: i, Scale: 4}, v)
			VMULPD(w, v, v)
			f.store32(v, values, i)
		}
	})
}

// limited returns e^v with the exponent taken as -708 to 88, as powers does. It uses v up.
func (e exponential) limited(low, high Op, v reg.VecVirtual) reg.VecVirtual {
	VMAXPD(low, v, v)
	VMINPD(high, v, v)
	return e.power(v)
}

// tweedie is Tweedie without weights.
func (f form) tweedie() {
	f.begin("tweedie", derivatives+", n uint64, low, high, share float64, exp *[133]uint64",
		"writes the derivatives of the tweedie loss of n rows: low and high are 1 and 2 less the power, share is -low.")
	grad, hess, scores, labels := pointer("grad"), pointer("hess"), pointer("scores"), pointer("labels")
	exp := f.exponential()
	held := f.held("low", "high", "share")
	least, most := f.spare(shared["lowest"]), f.spare(shared["powerful"])
	f.loop(func(i reg.GPVirtual) {
		a, b, g := f.load(scores, i), f.vector(), f.vector()
		VMULPD(held["high"], a, b)
		VMULPD(held["low"], a, a)
		a = exp.limited(least, most, a)
		b = exp.limited(least, most, b)
		VMULPD(Mem{Base: labels, Index: i, Scale: 8}, a, a)
		VSUBPD(a, b, g)
		VMULPD(held["high"], b, b)
		VMULPD(held["share"], a, a)
		VADDPD(a, b, b)
		f.store32(g, grad, i)
		f.store32(b, hess, i)
	})
}

// logCosh is LogCosh without weights.
func (f form) logCosh() {
	f.begin("logCosh", derivatives+", n uint64, exp *[133]uint64", "writes the derivatives of the logarithm of cosh of n distances.")
	grad, hess, scores, labels := pointer("grad"), pointer("hess"), pointer("scores"), pointer("labels")
	exp := f.exponential()
	one, three, near := f.spare(shared["one"]), f.spare(shared["three"]), f.spare(shared["near"])
	f.loop(func(i reg.GPVirtual) {
		d, size, e := f.load(scores, i), f.vector(), f.vector()
		VSUBPD(Mem{Base: labels, Index: i, Scale: 8}, d, d)
		VANDPD(exp.size, d, size)
		VADDPD(size, size, e)
		e = exp.of(e)

		share, under, small := f.vector(), f.vector(), f.vector()
		VMOVUPD(one, share)
		VADDPD(share, e, under)
		VSUBPD(e, share, share)
		VMULPD(size, under, under)
		VDIVPD(under, share, share)
		VMULPD(d, d, small)
		VDIVPD(three, small, small)
		VMOVUPD(one, under)
		VSUBPD(small, under, small)
		f.choose(small, lessOrEqual, near, size, share)
		VMULPD(share, d, d)
		f.store32(d, grad, i)
		f.store32(share, hess, i)
	})
}

const lessOrEqual = 2 // a comparison of VCMPPD
