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
	value := func(disp int) reg.VecVirtual { return spread(Mem{Base: a.rule, Disp: disp}) }
	gs, hs, away := value(gradScale), value(hessScale), value(gradOffset)
	least, mg, mh, most := value(leastGrad), value(topGrad), value(topHess), value(topSize)
	key, zeros := value(firstKey), value(zeroCode)
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
	draw := func(z reg.VecVirtual) (upper, lower reg.VecVirtual) {
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
		upper, lower = t, z
		VPSRLQ(U8(32), z, upper)
		VPORQ(two20, upper, upper)
		const andOr = 0xea
		VPTERNLOGQ(U8(andOr), two20, low32, lower)
		VSUBPD(two20, upper, upper)
		VSUBPD(two20, lower, lower)
		return upper, lower
	}
	// parts adds |v|, in 1/65,536 and rounded down, to a sum.
	parts := func(v, sum reg.VecVirtual) {
		VMULPD(perUnit, v, v)
		VCVTTPD2QQ(v, v)
		VPADDQ(v, sum, sum)
	}
	body := func(label string, drawn, offset bool) {
		Label(label)
		var z, gradCodes, hessCodes [2]reg.VecVirtual
		if drawn {
			z = keys(label)
		}
		const floor, trunc = 1, 3
		for i := range 2 {
			x, y, c, d, size := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
			VCVTPS2PD(Mem{Base: a.grad, Disp: 32 * i}, x)
			VCVTPS2PD(Mem{Base: a.hess, Disp: 32 * i}, y)
			if offset {
				VPANDQ(magnitude, x, size)
				VDIVPD(gs, size, size)
				VSUBPD(away, x, x)
			}
			VDIVPD(gs, x, x)
			VDIVPD(hs, y, y)
			if !offset {
				VPANDQ(magnitude, x, size)
			}
			if drawn {
				u, v := draw(z[i])
				VADDPD(u, x, c)
				VRNDSCALEPD(U8(floor), c, c)
				VADDPD(v, y, d)
			} else {
				VPANDNQ(x, magnitude, c) // the sign
				VPORQ(half, c, c)
				VADDPD(c, x, c)
				VRNDSCALEPD(U8(trunc), c, c)
				VADDPD(half, y, d)
			}
			VMAXPD(least, c, c)
			VMINPD(mg, c, c)
			VRNDSCALEPD(U8(floor), d, d)
			VMINPD(mh, d, d)
			VSUBPD(c, x, x)
			VPANDQ(magnitude, x, x)
			parts(x, s.err)
			VMINPD(most, size, size)
			parts(size, s.magnitude)
			VCVTTPD2QQ(c, c)
			VCVTTPD2QQ(d, d)
			gradCodes[i], hessCodes[i] = c, d
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
