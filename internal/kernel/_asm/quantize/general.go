package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in the struct generalRule of the package.
const (
	gradScale = 8 * iota
	hessScale
	gradPerScale // a little less than 1/gradScale, for the form of AVX-512
	hessPerScale
	gradOffset
	leastGrad
	topGrad
	topHess
	topSize
	firstKey  // of the draw of the first row
	zeroCode  // in every lane
	ruleWords = iota
)

// largestAt is where the largest bits follow the fields of a loss.
const largestAt = 48

// Forms of a loop over rows, as the package numbers them.
const (
	formNearest = iota // with an offset
	formDrawn
	formDrawnOffset
)

// signature is that of the functions that follow a rule word by word.
const signature = "func(grad, hess *float32, n uint64, gradCodes *int16, hessCodes *uint16, rows *uint16, form uint64, rule *uint64, loss *uint64)"

// What draws are mixed with (package rng).
const (
	golden = 0x9E3779B97F4A7C15
	times1 = 0xBF58476D1CE4E5B9
	times2 = 0x94D049BB133111EB
)

// Floats by their bits.
const (
	bits65536 = 0x40f0000000000000
	// bits2To20 is 2²⁰, whose last bit is worth 2⁻³²: with 32 bits of a draw as its lowest, it
	// is 2²⁰ more than the draw in 0 … 1.
	bits2To20 = 0x4130000000000000
	// bitsHalf is the largest number below a half. Added to x away from zero, it reaches the
	// next whole number where x is at least a half beyond the last one, and nowhere else.
	bitsHalf = 0x3fdfffffffffffff
)

const magnitude64, magnitude32 = 0x7fffffffffffffff, 0x7fffffff7fffffff

// loops writes the loop of every form, and what chooses among them; body writes one
// round of a loop.
func loops(a arguments, form reg.Register, lanes uint64, body func(label string, drawn, offset bool)) {
	CMPQ(form, U8(formDrawn))
	JEQ(LabelRef("drawn"))
	JHI(LabelRef("drawnOffset"))
	body("nearest", false, true)
	a.next("nearest", lanes)
	JMP(LabelRef("sums"))
	body("drawn", true, false)
	a.next("drawn", lanes)
	JMP(LabelRef("sums"))
	body("drawnOffset", true, true)
	a.next("drawnOffset", lanes)
	Label("sums")
}

// firstSteps is a table of 0 … 7 times golden.
func firstSteps() Mem {
	steps := GLOBL("steps", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(uint64(i)*golden&(1<<64-1)))
	}
	return steps
}

// general16 writes the form of AVX-512, two vectors of eight numbers a round.
func general16(steps Mem) {
	TEXT("generalAVX512", NOSPLIT, signature)
	Pragma("noescape")
	Doc("generalAVX512 is general for n rows, a multiple of 16 and not 0: those of a list, or, where rows is",
		"nil, consecutive ones.")
	a, list, form := load(), Load(Param("rows"), GP64()), Load(Param("form"), GP64())
	s := newSums()
	largest := zero()
	value := func(disp int) Mem { return Mem{Base: a.rule, Disp: disp} } // a word that all lanes take
	gp, hp, beyond := spread(value(gradPerScale)), spread(value(hessPerScale)), constant(bitsBeyond)
	key, zeros := spread(value(firstKey)), spread(value(zeroCode))
	magnitude, magnitudes := constant(magnitude64), constant(magnitude32)
	perUnit, two20, half, low32 := constant(bits65536), constant(bits2To20), constant(bitsHalf), constant(1<<32-1)
	m1, m2, gold := constant(times1), constant(times2), constant(golden)
	state := ZMM()
	VPADDQ(steps, key, state)

	// keys returns the keys of the round's draws: key + row·golden.
	keys := func(label string) [2]reg.VecVirtual {
		z := [2]reg.VecVirtual{ZMM(), ZMM()}
		TESTQ(list, list)
		JNE(LabelRef(label + "Listed"))
		VMOVDQA64(state, z[0])
		VPADDQ(eightGold(), state, z[1])
		VPADDQ(eightGold(), z[1], state)
		JMP(LabelRef(label + "Keys"))
		Label(label + "Listed")
		for i := range z {
			VPMOVZXWQ(Mem{Base: list, Disp: 16 * i}, z[i])
			VPMULLQ(gold, z[i], z[i])
			VPADDQ(key, z[i], z[i])
		}
		ADDQ(U8(2*lanes), list)
		Label(label + "Keys")
		return z
	}
	mixed := func(z [2]reg.VecVirtual) [2]reg.VecVirtual {
		for _, z := range z {
			t := ZMM()
			mix := func(shift uint64, times reg.VecVirtual) {
				VPSRLQ(U8(shift), z, t)
				VPXORQ(t, z, z)
				if times != nil {
					VPMULLQ(times, z, z)
				}
			}
			mix(30, m1)
			mix(27, m2)
			mix(31, nil)
		}
		return z
	}
	// upper and lower are the halves of a draw as numbers from 0 to 1.
	upper := func(z reg.VecVirtual) reg.VecVirtual {
		u := ZMM()
		VPSRLQ(U8(32), z, u)
		VPORQ(two20, u, u)
		VSUBPD(two20, u, u)
		return u
	}
	lower := func(z reg.VecVirtual) reg.VecVirtual {
		const orAnd = 0xf8
		v := ZMM()
		VMOVDQA64(two20, v)
		VPTERNLOGQ(U8(orAnd), z, low32, v)
		VSUBPD(two20, v, v)
		return v
	}
	// among makes what follows from quotients without dividing, as nearest.go does: both bounds go
	// through the same steps, none of which reverses an order, and where results differ in any
	// of the round's rows, these are divided. by returns the steps for vector i.
	var divide []func()
	among := func(
		label string, fetch func(i int, q reg.VecVirtual), per reg.VecVirtual, scale int, by func(i int) func(q reg.VecVirtual),
	) (ends [2]reg.VecVirtual) {
		differ := [2]reg.OpmaskVirtual{K(), K()}
		for i := range ends {
			ends[i] = ZMM()
			above := ZMM()
			fetch(i, ends[i])
			VMULPD(per, ends[i], ends[i])
			VMULPD(beyond, ends[i], above)
			end := by(i)
			end(ends[i])
			end(above)
			const unequal = 4
			VPCMPQ(U8(unequal), ends[i], above, differ[i])
		}
		KORTESTB(differ[0], differ[1])
		JNE(LabelRef(label + "Divide"))
		Label(label + "Among")
		divide = append(divide, func() {
			Label(label + "Divide")
			for i := range ends {
				fetch(i, ends[i])
				VDIVPD_BCST(value(scale), ends[i], ends[i])
				by(i)(ends[i])
			}
			JMP(LabelRef(label + "Among"))
		})
		return ends
	}
	body := func(label string, drawn, offset bool) {
		Label(label)
		var z, size, gradCodes [2]reg.VecVirtual
		if drawn {
			z = mixed(keys(label))
		}
		hessians := func(i int, q reg.VecVirtual) { VCVTPS2PD(Mem{Base: a.hess, Disp: 32 * i}, q) }
		added := func(i int) func(q reg.VecVirtual) {
			more := half
			if drawn {
				more = lower(z[i])
			}
			return func(q reg.VecVirtual) {
				VADDPD(more, q, q)
				VMINPD_BCST(value(topHess), q, q)
				VCVTTPD2QQ(q, q)
			}
		}
		var hessCodes [2]reg.VecVirtual
		if offset {
			hessCodes = among(label+"Hess", hessians, hp, hessScale, added)
		} else { // products would save nothing: draws alone take as long as two divisions
			for i := range hessCodes {
				hessCodes[i] = ZMM()
				hessians(i, hessCodes[i])
				VDIVPD_BCST(value(hessScale), hessCodes[i], hessCodes[i])
				added(i)(hessCodes[i])
			}
		}
		gradients := func(i int, q reg.VecVirtual) { VCVTPS2PD(Mem{Base: a.grad, Disp: 32 * i}, q) }
		// sized takes what a gradient, divided, adds to the magnitude.
		sized := func(q reg.VecVirtual) {
			VMINPD_BCST(value(topSize), q, q)
			VMULPD(perUnit, q, q)
			VCVTTPD2QQ(q, q)
		}
		if offset {
			sizes := func(i int, q reg.VecVirtual) {
				gradients(i, q)
				VPANDQ(magnitude, q, q)
			}
			size = among(label+"Size", sizes, gp, gradScale, func(int) func(q reg.VecVirtual) { return sized })
		}
		const floor, trunc = 1, 3
		for i := range size {
			x, c := ZMM(), ZMM()
			gradients(i, x)
			if offset {
				VSUBPD_BCST(value(gradOffset), x, x)
			}
			VDIVPD_BCST(value(gradScale), x, x)
			if drawn {
				c = upper(z[i])
				VADDPD(c, x, c)
				VRNDSCALEPD(U8(floor), c, c)
			} else {
				VPANDNQ(x, magnitude, c) // the sign
				VPORQ(half, c, c)
				VADDPD(c, x, c)
				VRNDSCALEPD(U8(trunc), c, c)
			}
			VMAXPD_BCST(value(leastGrad), c, c)
			VMINPD_BCST(value(topGrad), c, c)
			if !offset {
				size[i] = ZMM()
				VPANDQ(magnitude, x, size[i])
				sized(size[i])
			}
			VPADDQ(size[i], s.magnitude, s.magnitude)
			VSUBPD(c, x, x)
			VPANDQ(magnitude, x, x)
			VMULPD(perUnit, x, x)
			VCVTTPD2QQ(x, x)
			VPADDQ(x, s.err, s.err)
			VCVTTPD2QQ(c, c)
			gradCodes[i] = c
		}
		floats, rows, kept := ZMM(), K(), K()
		VPANDD(Mem{Base: a.grad}, magnitudes, floats)
		VPMAXUD(floats, largest, largest)
		VPTESTMD(floats, floats, rows)
		s.count(0, rows)
		codes := words(gradCodes[0], gradCodes[1])
		const unequal = 4
		VPCMPW(U8(unequal), zeros.AsY(), codes.AsY(), kept)
		KANDW(rows, kept, kept)
		s.count(1, kept)
		VMOVDQU64(codes.AsY(), Mem{Base: a.gradCodes})
		floats = ZMM()
		VMOVDQU32(Mem{Base: a.hess}, floats)
		VPMAXUD(floats, largest, largest) // of minus signs, too: they are the largest bits
		VPTESTMD(floats, floats, rows)
		s.count(2, rows)
		codes = words(hessCodes[0], hessCodes[1])
		VPTESTMW(codes.AsY(), codes.AsY(), kept)
		s.count(3, kept)
		VMOVDQU64(codes.AsY(), Mem{Base: a.hessCodes})
	}
	loops(a, form, lanes, body)

	loss := Load(Param("loss"), GP64())
	s.store(loss)
	reduce(largest, loss, largestAt, func(a, b, c Op) { VPMAXUD(a, b, c) })
	VZEROUPPER()
	RET()
	for _, block := range divide {
		block()
	}
}

// eightGold is a table of eight times eight times golden.
func eightGold() Mem { return wide("eightGold", 8*golden&(1<<64-1), 8) }

// tables are the constants in memory, by name.
var tables = map[string]Mem{}

// wide returns a table of so many times the same word.
func wide(name string, word uint64, times int) Mem {
	m, ok := tables[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for i := range times {
			DATA(8*i, U64(word))
		}
		tables[name] = m
	}
	return m
}
