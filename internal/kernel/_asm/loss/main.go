// Command loss writes the assembly of the package internal/kernel/loss: the same
// operations as its Go forms, in the same order and each rounded by itself, on 8 rows at
// a time with AVX-512 and on 4 with AVX2. No multiplication is fused with an addition.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Where the array of detmath.CoarseParts keeps its parts.
const (
	nodes   = 0
	stepInv = 8 * 128
	step    = stepInv + 8
	shift   = step + 8
	half    = shift + 8
	sixth   = half + 8
)

const (
	equal    = 0 // a comparison of VCMPPD
	signBit  = 1 << 63
	mantissa = 52 - 7 // detmath's nodes are moved by so many bits into the exponent
)

func main() {
	ConstraintExpr("amd64,!purego")
	shared = map[string]Mem{}
	for _, c := range []struct {
		name string
		bits uint64
	}{
		{"sign", signBit}, {"size", signBit - 1}, {"one", math.Float64bits(1)},
		{"limit", math.Float64bits(708)}, {"index", 127},
		{"bit4", 16}, {"bit5", 32}, {"bit6", 64},
		{"lowest", math.Float64bits(-708)}, {"highest", math.Float64bits(709)}, {"powerful", math.Float64bits(88)},
		{"normal", 0x0010 << 48}, {"normals", 0x7fe0 << 48}, {"lastNormal", 0x7fe0<<48 - 1},
		{"three", math.Float64bits(3)}, {"near", math.Float64bits(1e-4)}, {"flipped", math.Float64bits(1<<52 + 2048)},
	} {
		shared[c.name] = GLOBL(c.name, RODATA|NOPTR)
		DATA(0, U64(c.bits))
	}
	for _, f := range []form{{"AVX512", 8}, {"AVX2", 4}} {
		f.logistic("logistic", false)
		f.logistic("logisticWeighted", true)
		f.squared("squared", false)
		f.squared("squaredWeighted", true)
		f.peak()
		f.expSum()
		f.powers()
		f.inverse()
		f.split()
		f.sides()
		f.relative()
		f.weigh()
		f.tweedie()
		f.logCosh()
		f.softmax("softmax", false)
		f.softmax("softmaxWeighted", true)
		f.exactExp()
		f.exactLog()
		f.pairs("pairs", false)
		f.pairs("pairsByGain", true)
	}
	ranks()
	narrowRanks()
	Generate()
}

// shared are the constants that all functions read, by their names.
var shared map[string]Mem

// form is an instruction set with its number of float64 in a vector.
type form struct {
	name  string
	lanes int
}

func (f form) vector() reg.VecVirtual {
	if f.lanes == 8 {
		return ZMM()
	}
	return YMM()
}

// begin opens a function and loads its slices' starts. The loop ends where index, which
// counts up, is n.
func (f form) begin(name, parameters, doc string) {
	TEXT(name+f.name, NOSPLIT, "func("+parameters+")")
	Pragma("noescape")
	Doc(name+f.name+" "+doc, "n is a multiple of "+map[int]string{8: "8", 4: "4"}[f.lanes]+" and not 0.")
}

// loop is rows, and ends the function.
func (f form) loop(body func(i reg.GPVirtual)) {
	f.rows(body)
	VZEROUPPER()
	RET()
}

// rows runs body for the rows i … i+lanes-1.
func (f form) rows(body func(i reg.GPVirtual)) {
	n, i := Load(Param("n"), GP64()), GP64()
	XORQ(i, i)
	Label("step")
	body(i)
	ADDQ(U8(f.lanes), i)
	CMPQ(i, n)
	JNE(LabelRef("step"))
}

func pointer(name string) reg.Register { return Load(Param(name), GP64()) }

// constant fills a vector with one of the shared numbers.
func (f form) constant(name string) reg.VecVirtual { return f.broadcast(shared[name]) }

func (f form) broadcast(from Op) reg.VecVirtual {
	v := f.vector()
	VBROADCASTSD(from, v)
	return v
}

func (f form) load(base, i reg.Register) reg.VecVirtual {
	v := f.vector()
	VMOVUPD(Mem{Base: base, Index: i, Scale: 8}, v)
	return v
}

// store32 rounds to float32.
func (f form) store32(v reg.VecVirtual, base, i reg.Register) {
	to := Mem{Base: base, Index: i, Scale: 4}
	if f.lanes == 8 {
		VCVTPD2PS(v, v.AsY())
		VMOVUPS(v.AsY(), to)
		return
	}
	VCVTPD2PSY(v, v.AsX())
	VMOVUPS(v.AsX(), to)
}

// exponential is detmath.ExpCoarse for what is not above 0.
type exponential struct {
	form
	nodes                             reg.Register
	size, limit, sign                 reg.VecVirtual
	stepInv, shift, step, half, sixth reg.VecVirtual

	lowIndex reg.VecVirtual // of AVX2
	indexes  Mem            // of AVX2: room for a vector
}

func (f form) exponential() exponential {
	table := pointer("exp")
	part := func(at int) reg.VecVirtual { return f.broadcast(Mem{Base: table, Disp: at}) }
	e := exponential{
		form: f, nodes: table,
		size: f.constant("size"), limit: f.constant("limit"), sign: f.constant("sign"),
		stepInv: part(stepInv), shift: part(shift), step: part(step), half: part(half), sixth: part(sixth),
	}
	if f.lanes == 4 {
		e.lowIndex, e.indexes = f.constant("index"), f.aligned()
	}
	return e
}

// aligned is room for a vector on the stack, in one line of the cache.
func (f form) aligned() Mem {
	room, at := AllocLocal(2*8*f.lanes), GP64()
	LEAQ(room.Offset(8*f.lanes-1), at)
	ANDQ(I8(-8*f.lanes), at)
	return Mem{Base: at}
}

// of returns e^-|v|, where |v| is taken as at most 708. It uses v up.
func (e exponential) of(v reg.VecVirtual) reg.VecVirtual {
	VANDPD(e.size, v, v)
	VMINPD(e.limit, v, v) // of two that do not compare it takes the limit
	VORPD(e.sign, v, v)
	return e.power(v)
}

// power is detmath.ExpCoarse. It uses v up.
func (e exponential) power(v reg.VecVirtual) reg.VecVirtual {
	n, k, scale, t := e.vector(), e.vector(), e.vector(), e.vector()
	VMULPD(e.stepInv, v, n)
	VADDPD(e.shift, n, n)
	VSUBPD(e.shift, n, k)
	VMULPD(e.step, k, k)
	VSUBPD(k, v, v) // r
	if e.lanes == 8 {
		table512(Mem{Base: e.nodes, Disp: nodes}, n, scale)
	} else {
		e.pick256(n, k, scale)
	}
	VPSLLQ(U8(mantissa), n, n)
	VPADDQ(n, scale, scale)
	VMULPD(v, v, k)
	VMULPD(e.sixth, v, t)
	VADDPD(e.half, t, t)
	VMULPD(t, k, t)
	VADDPD(v, t, t)
	VMULPD(scale, t, t)
	VADDPD(t, scale, scale)
	return scale
}

// table512 looks up 8 of 128 numbers by the low seven bits of n: 16 of them are one permutation
// of two vectors, between which the three upper bits decide. A gather would take 50 cycles
// and more where microcode keeps it from leaking data, eight loads as many.
func table512(table Mem, n, to reg.VecVirtual) {
	var parts []reg.VecVirtual
	for i := range 8 {
		part := ZMM()
		if i == 0 {
			part = to
		}
		VMOVDQU64(table.Offset(128*i), part)
		VPERMT2Q(table.Offset(128*i+64), n, part)
		parts = append(parts, part)
	}
	for bit := range 3 {
		upper := K()
		VPTESTMQ_BCST(shared[upperBits[bit]], n, upper)
		for i := range len(parts) / 2 {
			VMOVDQA64(parts[2*i+1], upper, parts[2*i])
			parts[i] = parts[2*i]
		}
		parts = parts[:len(parts)/2]
	}
}

// pick256 reads the nodes at the numbers' low seven bits one by one, in half the time of a
// gather.
func (e exponential) pick256(n, spare, to reg.VecVirtual) {
	VANDPD(e.lowIndex, n, spare)
	VMOVUPD(spare, e.indexes)
	node := func(i int) Mem {
		at := GP64()
		MOVQ(e.indexes.Offset(8*i), at)
		return Mem{Base: e.nodes, Index: at, Scale: 8, Disp: nodes}
	}
	pair := func(i int, v reg.Register) {
		VMOVSD(node(i), v)
		VMOVHPD(node(i+1), v, v)
	}
	high := XMM()
	pair(0, to.AsX())
	pair(2, high)
	VINSERTF128(U8(1), high, to, to)
}

// upperBits are the bits of an index above those of one permutation.
var upperBits = []string{"bit4", "bit5", "bit6"}

const weighted = ", weights *float64"

func (f form) logistic(name string, byWeight bool) {
	parameters, what := "", ""
	if byWeight {
		parameters, what = weighted, ", times the weights"
	}
	f.begin(name, "grad, hess *float32, scores, labels *float64"+parameters+", n uint64, exp *[133]uint64",
		"writes the derivatives of the log loss of n rows"+what+".")
	grad, hess, scores, labels := pointer("grad"), pointer("hess"), pointer("scores"), pointer("labels")
	var weights reg.Register
	if byWeight {
		weights = pointer("weights")
	}
	exp, one := f.exponential(), f.constant("one")
	f.loop(func(i reg.GPVirtual) {
		s := f.load(scores, i)
		v := f.vector()
		VMOVAPD(s, v)
		e := exp.of(v)

		// Bit 61 of 1.0 is set: label 1 turns the sign.
		flip, inv, g := f.vector(), f.vector(), f.vector()
		VMOVUPD(Mem{Base: labels, Index: i, Scale: 8}, flip)
		VPSLLQ(U8(2), flip, flip)
		VANDPD(exp.sign, flip, flip)
		VXORPD(flip, s, s)
		if f.lanes == 8 {
			away := K()
			VPMOVQ2M(s, away)
			VBLENDMPD(e, one, away, g)
		} else {
			VBLENDVPD(s, e, one, g)
		}
		VORPD(flip, g, g)
		VADDPD(e, one, inv)
		VDIVPD(inv, one, inv)
		VMULPD(inv, g, g)
		VMULPD(inv, e, e)
		VMULPD(inv, e, e)
		if byWeight {
			w := f.load(weights, i)
			VMULPD(w, g, g)
			VMULPD(w, e, e)
		}
		f.store32(g, grad, i)
		f.store32(e, hess, i)
	})
}

func (f form) squared(name string, byWeight bool) {
	parameters, what := "", ""
	if byWeight {
		parameters, what = weighted, ", times the weights"
	}
	f.begin(name, "grad, hess *float32, scores, labels *float64"+parameters+", n uint64",
		"writes the derivatives of half the squared error of n rows"+what+".")
	grad, hess, scores, labels := pointer("grad"), pointer("hess"), pointer("scores"), pointer("labels")
	var weights reg.Register
	if byWeight {
		weights = pointer("weights")
	}
	one := f.constant("one")
	f.loop(func(i reg.GPVirtual) {
		g, h := f.load(scores, i), f.vector()
		VSUBPD(Mem{Base: labels, Index: i, Scale: 8}, g, g)
		if byWeight {
			VMOVUPD(Mem{Base: weights, Index: i, Scale: 8}, h)
			VMULPD(h, g, g)
		} else {
			VMOVAPD(one, h)
		}
		f.store32(g, grad, i)
		f.store32(h, hess, i)
	})
}

func (f form) peak() {
	f.begin("peak", "peak, scores *float64, n uint64", "raises n peaks to their scores.")
	peak, scores := pointer("peak"), pointer("scores")
	f.loop(func(i reg.GPVirtual) {
		p, s := f.load(peak, i), f.load(scores, i)
		VMAXPD(p, s, p) // of two that do not compare it keeps the peak
		VMOVUPD(p, Mem{Base: peak, Index: i, Scale: 8})
	})
}

func (f form) expSum() {
	f.begin("expSum", "sum, scores, peak *float64, n uint64, exp *[133]uint64",
		"adds e^(score-peak) to the sums of n rows.")
	sum, scores, peak := pointer("sum"), pointer("scores"), pointer("peak")
	exp := f.exponential()
	f.loop(func(i reg.GPVirtual) {
		v := f.load(peak, i)
		VSUBPD(Mem{Base: scores, Index: i, Scale: 8}, v, v)
		e := exp.of(v)
		VADDPD(Mem{Base: sum, Index: i, Scale: 8}, e, e)
		VMOVUPD(e, Mem{Base: sum, Index: i, Scale: 8})
	})
}

func (f form) powers() {
	f.begin("powers", "to, scores *float64, n uint64, factor float64, exp *[133]uint64",
		"writes e^(factor·score) of n rows, where exponents are taken as -708 to 88.")
	to, scores := pointer("to"), pointer("scores")
	exp := f.exponential()
	factor := f.held("factor")["factor"]
	low, high := f.constant("lowest"), f.constant("powerful")
	f.loop(func(i reg.GPVirtual) {
		v := f.vector()
		VMOVUPD(factor, v)
		VMULPD(Mem{Base: scores, Index: i, Scale: 8}, v, v)
		VMAXPD(low, v, v)
		VMINPD(high, v, v)
		VMOVUPD(exp.power(v), Mem{Base: to, Index: i, Scale: 8})
	})
}

func (f form) inverse() {
	f.begin("inverse", "x *float64, n uint64", "puts 1/x in the place of each of n numbers.")
	x, one := pointer("x"), f.constant("one")
	f.loop(func(i reg.GPVirtual) {
		v := f.vector()
		VDIVPD(Mem{Base: x, Index: i, Scale: 8}, one, v)
		VMOVUPD(v, Mem{Base: x, Index: i, Scale: 8})
	})
}

// split writes the form of what AddUp does with most numbers. Parts are vectors of 8 numbers, whatever the lanes are.
func (f form) split() {
	f.begin("split", "values *float64, n uint64, upper, lower float64, parts *[3][8]float64",
		"sums the upper and the lower parts of numbers by lane, and gathers the bits of what they leave.")
	values, parts := pointer("values"), pointer("parts")
	var from [2]reg.VecVirtual
	for i, name := range []string{"upper", "lower"} {
		at, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		from[i] = f.broadcast(at.Addr)
	}
	var sums [3]reg.VecVirtual
	for i := range sums {
		sums[i] = f.vector()
		VXORPD(sums[i], sums[i], sums[i])
	}
	f.rows(func(i reg.GPVirtual) {
		x := f.load(values, i)
		for part, from := range from {
			own := f.vector()
			VADDPD(x, from, own)
			VSUBPD(from, own, own)
			VSUBPD(own, x, x)
			VADDPD(own, sums[part], sums[part])
		}
		VORPD(x, sums[2], sums[2])
	})
	for i, v := range sums {
		VMOVUPD(v, Mem{Base: parts, Disp: 64 * i})
	}
	VZEROUPPER()
	RET()
}

func (f form) softmax(name string, byWeight bool) {
	parameters, what := "", ""
	if byWeight {
		parameters, what = weighted, ", times the weights"
	}
	f.begin(name, "grad, hess *float32, scores, peak, inv, labels *float64"+parameters+", n uint64, class, factor float64, exp *[133]uint64",
		"writes the derivatives of the multiclass log loss by the scores of one class"+what+".")
	grad, hess, scores, labels := pointer("grad"), pointer("hess"), pointer("scores"), pointer("labels")
	peak, inv := pointer("peak"), pointer("inv")
	var weights reg.Register
	if byWeight {
		weights = pointer("weights")
	}
	exp := f.exponential()
	// Only AVX2 is short of registers: it has these in memory, on the stack.
	held := map[string]Op{}
	spare := func(name string, from Op) {
		if f.lanes == 8 {
			held[name] = f.broadcast(from)
			return
		}
		v, at := f.vector(), AllocLocal(32)
		VBROADCASTSD(from, v)
		VMOVUPD(v, at)
		held[name] = at
	}
	address := func(name string) Mem {
		a, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		return a.Addr
	}
	spare("class", address("class"))
	spare("factor", address("factor"))
	spare("one", shared["one"])
	f.loop(func(i reg.GPVirtual) {
		v := f.load(peak, i)
		VSUBPD(Mem{Base: scores, Index: i, Scale: 8}, v, v)
		p := exp.of(v)
		VMULPD(Mem{Base: inv, Index: i, Scale: 8}, p, p)

		target, rest := f.load(labels, i), f.vector()
		if f.lanes == 8 {
			own := K()
			VCMPPD(U8(equal), held["class"], target, own)
			VMOVAPD_Z(held["one"], own, target)
		} else {
			VCMPPD(U8(equal), held["class"], target, target)
			VANDPD(held["one"], target, target)
		}
		VSUBPD(target, p, target) // p - target
		VMOVUPD(held["one"], rest)
		VSUBPD(p, rest, rest)
		VMULPD(rest, p, p)
		VMULPD(held["factor"], p, p)
		if byWeight {
			w := f.load(weights, i)
			VMULPD(w, target, target)
			VMULPD(w, p, p)
		}
		f.store32(target, grad, i)
		f.store32(p, hess, i)
	})
}
