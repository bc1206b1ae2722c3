package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// narrow writes the forms of the searches of packed sums with AVX2.
func narrow(counting, ends Mem) {
	whole := GLOBL("whole52", RODATA|NOPTR) // 2⁵²: whole numbers below it are the lowest bits of their sum with it
	DATA(0, F64(1<<52))
	size := GLOBL("size52", RODATA|NOPTR) // all bits but the sign
	DATA(0, U64(math.MaxInt64))
	n := &narrowSums{counting: counting, ends: ends, whole: whole, size: size}
	n.bounds()
	n.words()
	n.flags()
	n.shares()
	n.levels()
	n.buckets()
}

// narrowSums goes through packed sums 8 codes at a time, as packed does: four and four, whose halves are taken apart into lanes
// of 32 bits, in the order 0 1 4 5 2 3 6 7.
type narrowSums struct {
	counting, ends, whole, size Mem

	zero, carry, allHess, allGrad reg.VecVirtual
	least, ridge                  Mem // on the stack
	large                         reg.GPVirtual
}

func quads(from Mem) reg.VecVirtual {
	v := YMM()
	VPBROADCASTQ(from, v)
	return v
}

func doubles(from Mem) reg.VecVirtual {
	v := YMM()
	VBROADCASTSD(from, v)
	return v
}

func dwords(from Mem) reg.VecVirtual {
	v := YMM()
	VPBROADCASTD(from, v)
	return v
}

// kept puts a vector on the stack.
func kept(v reg.VecVirtual) Mem {
	at := AllocLocal(32)
	VMOVDQU(v, at)
	return at
}

// begin fills what is the same for all codes of a node, but for carry.
func (s *narrowSums) begin(node reg.Register) {
	s.zero, s.carry = YMM(), YMM()
	s.allHess, s.allGrad = dwords(Mem{Base: node, Disp: nodeTotal}), dwords(Mem{Base: node, Disp: nodeTotal + 4})
	s.least, s.ridge = kept(dwords(Mem{Base: node, Disp: nodeLeast})), kept(dwords(Mem{Base: node, Disp: nodeRidge}))
	VPXOR(s.zero, s.zero, s.zero)
	s.large = GP64() // below 0 where sums of hessians do not fit 31 bits
	MOVL(Mem{Base: node, Disp: nodeTotal}, s.large.As32())
}

// mask returns ones in the first lanes, of 64 bits: as many as left, 0 to 4.
func (s *narrowSums) mask(left reg.GPVirtual) reg.VecVirtual {
	table, within := GP64(), YMM()
	LEAQ(s.ends, table)
	SHLQ(U8(3), left)
	SUBQ(left, table)
	VMOVDQU(Mem{Base: table, Disp: 32}, within)
	return within
}

// load loads the words of 8 codes, or of as many as are left, and jumps where all are 0, unless forced is not.
func (s *narrowSums) load(name, next string, words, left reg.GPVirtual, forced reg.GPVirtual) (a, b reg.VecVirtual) {
	a, b = YMM(), YMM()
	CMPQ(left, U8(8))
	JAE(LabelRef(name + "_whole"))
	four, n, rest := GP64(), GP64(), GP64()
	MOVQ(U32(4), four)
	MOVQ(left, n)
	CMPQ(n, four)
	CMOVQGT(four, n)
	MOVQ(left, rest)
	SUBQ(n, rest)
	VPMASKMOVQ(Mem{Base: words}, s.mask(n), a)
	VPMASKMOVQ(Mem{Base: words, Disp: 32}, s.mask(rest), b)
	JMP(LabelRef(name + "_loaded"))
	Label(name + "_whole")
	VMOVDQU(Mem{Base: words}, a)
	VMOVDQU(Mem{Base: words, Disp: 32}, b)
	Label(name + "_loaded")
	both := YMM()
	VPOR(a, b, both)
	if forced != nil {
		TESTQ(forced, forced)
		JNZ(LabelRef(name + "_taken"))
	}
	VPTEST(both, both)
	JZ(LabelRef(next))
	if forced != nil {
		Label(name + "_taken")
	}
	return a, b
}

// addUp turns the words of 8 codes into those up to each code, and adds their sum to carry.
func (s *narrowSums) addUp(a, b reg.VecVirtual) {
	for _, v := range []reg.VecVirtual{a, b} { // lane i takes on the lanes before it
		moved := YMM()
		VPSLLDQ(U8(8), v, moved)
		VPADDQ(moved, v, v)
		VPERMQ(U8(0x55), v, moved)
		VPBLENDD(U8(0x0f), s.zero, moved, moved)
		VPADDQ(moved, v, v)
	}
	for _, v := range []reg.VecVirtual{a, b} {
		sum := YMM()
		VPERMQ(U8(0xff), v, sum)
		VPADDQ(s.carry, v, v)
		VPADDQ(sum, s.carry, s.carry)
	}
}

// apart returns the sums on both sides as float32, the ridge added to those of hessians, and which codes leave enough hessian on
// both.
func (s *narrowSums) apart(name string, a, b reg.VecVirtual) (hl, gl, hr, gr, able reg.VecVirtual) {
	hl, gl, hr, gr, able = YMM(), YMM(), YMM(), YMM(), YMM()
	VSHUFPS(U8(0x88), b, a, hl)
	VSHUFPS(U8(0xdd), b, a, gl)
	VPSUBD(hl, s.allHess, hr)
	VPSUBD(gl, s.allGrad, gr)
	other := YMM()
	VPMAXUD(s.least, hl, able)
	VPCMPEQD(hl, able, able)
	VPMAXUD(s.least, hr, other)
	VPCMPEQD(hr, other, other)
	VPAND(other, able, able)
	TESTL(s.large.As32(), s.large.As32())
	JS(LabelRef(name + "_large"))
	VCVTDQ2PS(hl, hl)
	VCVTDQ2PS(hr, hr)
	JMP(LabelRef(name + "_floats"))
	Label(name + "_large") // the upper and the lower 16 bits by themselves: only their sum is rounded
	for _, h := range []reg.VecVirtual{hl, hr} {
		upper, low, by := YMM(), YMM(), YMM()
		VPCMPEQD(low, low, low)
		VPSRLD(U8(16), low, low)
		VPSRLD(U8(16), h, upper)
		VPAND(low, h, h)
		VCVTDQ2PS(upper, upper)
		VCVTDQ2PS(h, h)
		number := GP32()
		MOVL(U32(math.Float32bits(1<<16)), number)
		VMOVD(number, by.AsX())
		VPBROADCASTD(by.AsX(), by)
		VMULPS(by, upper, upper)
		VADDPS(upper, h, h)
	}
	Label(name + "_floats")
	VCVTDQ2PS(gl, gl)
	VCVTDQ2PS(gr, gr)
	VADDPS(s.ridge, hl, hl)
	VADDPS(s.ridge, hr, hr)
	return hl, gl, hr, gr, able
}

// floats returns the lower halves of 4 words, without signs, and the upper ones, with signs, as float64.
func (s *narrowSums) floats(w reg.VecVirtual) (h, g reg.VecVirtual) {
	h, g = YMM(), YMM()
	upper := XMM()
	whole := doubles(s.whole)
	VPBLENDD(U8(0b10101010), whole, w, h)
	VSUBPD(whole, h, h)
	VEXTRACTF128(U8(1), w, upper)
	VSHUFPS(U8(0xdd), upper, w.AsX(), upper)
	VCVTDQ2PD(upper, g)
	return h, g
}

// exact returns the gains of the splits with the sums of 4 words on the left, as plainLoop has them.
func (s *narrowSums) exact(node reg.Register, w reg.VecVirtual) (gain reg.VecVirtual) {
	rest := YMM()
	VPSUBQ(w, quads(Mem{Base: node, Disp: nodeTotal}), rest)
	hl, gl := s.floats(w)
	hr, gr := s.floats(rest)
	scale := doubles(Mem{Base: node, Disp: nodeHessScale})
	VMULPD(scale, hl, hl)
	VMULPD(scale, hr, hr)
	scale = doubles(Mem{Base: node, Disp: nodeGradScale})
	VMULPD(scale, gl, gl)
	VMULPD(scale, gr, gr)
	scale = doubles(Mem{Base: node, Disp: nodeL2})
	VADDPD(scale, hl, hl)
	VADDPD(scale, hr, hr)
	size, by, zero := doubles(s.size), doubles(Mem{Base: node, Disp: nodeL1}), YMM()
	VXORPD(zero, zero, zero)
	for _, g := range []reg.VecVirtual{gl, gr} {
		VANDPD(size, g, g)
		VSUBPD(by, g, g)
		VMAXPD(zero, g, g)
		VMULPD(g, g, g)
	}
	VDIVPD(hl, gl, gl)
	VDIVPD(hr, gr, gr)
	VADDPD(gr, gl, gl)
	return gl
}

// bounds is boundsAVX512 for 8 codes at a time. The quotient is that of a division.
func (s *narrowSums) bounds() {
	TEXT("boundsAVX2", NOSPLIT, "func(bounds *float32, words *uint64, spans *[4]uint32, features *int, n uint64, node *[8]uint64)")
	Pragma("noescape")
	Doc("boundsAVX2 is Bounds for n features, which is not 0.")
	out, words := Load(Param("bounds"), GP64()), Load(Param("words"), GP64())
	spans, features := Load(Param("spans"), GP64()), Load(Param("features"), GP64())
	n, node := Load(Param("n"), GP64()), Load(Param("node"), GP64())
	s.begin(node)
	at := GP64()

	Label("bounds2_feature")
	most := YMM()
	VXORPS(most, most, most)
	span, own, regular := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: features}, span)
	SHLQ(U8(4), span)
	ADDQ(spans, span)
	MOVL(Mem{Base: span, Disp: spanFrom}, own.As32())
	LEAQ(Mem{Base: words, Index: own, Scale: 8}, own)
	MOVL(Mem{Base: span, Disp: spanRegular}, regular.As32())

	// One side has no more hessian than all codes but the most frequent.
	others := GP64()
	MOVL(Mem{Base: span, Disp: spanCommon}, at.As32())
	MOVL(Mem{Base: node, Disp: nodeTotal}, others.As32())
	SUBL(Mem{Base: own, Index: at, Scale: 8}, others.As32())
	CMPL(others.As32(), Mem{Base: node, Disp: nodeLeast})
	JB(LabelRef("bounds2_done"))

	// Missing rows go left first, and then right: once more, with the last code too.
	start, left, again := GP64(), GP64(), GP64()
	XORQ(start, start)
	XORQ(again, again)
	LEAQ(Mem{Base: regular, Disp: -1}, left)
	CMPL(Mem{Base: span, Disp: spanMissing}, U8(0))
	JE(LabelRef("bounds2_pass"))
	MOVQ(Mem{Base: own, Index: regular, Scale: 8}, start)
	MOVQ(start, again)

	Label("bounds2_pass")
	from := GP64()
	VMOVQ(start, s.carry.AsX())
	VPBROADCASTQ(s.carry.AsX(), s.carry)
	MOVQ(own, from)
	CMPQ(left, U8(0))
	JLE(LabelRef("bounds2_passed"))

	Label("bounds2_step")
	a, b := s.load("bounds2", "bounds2_next", from, left, nil)
	s.addUp(a, b)
	hl, gl, hr, gr, able := s.apart("bounds2", a, b)
	VMULPS(hr, gl, gl)
	VMULPS(hl, gr, gr)
	VSUBPS(gr, gl, gl)
	VMULPS(gl, gl, gl)
	VMULPS(hr, hl, hl)
	VDIVPS(hl, gl, gl)
	VANDPS(able, gl, gl)
	VMAXPS(gl, most, most)

	Label("bounds2_next")
	ADDQ(U8(64), from)
	SUBQ(U8(8), left)
	JG(LabelRef("bounds2_step"))

	Label("bounds2_passed")
	TESTQ(again, again)
	JZ(LabelRef("bounds2_done"))
	XORQ(again, again)
	XORQ(start, start)
	MOVQ(regular, left)
	JMP(LabelRef("bounds2_pass"))

	Label("bounds2_done")
	quarter, turned := XMM(), XMM()
	VEXTRACTF128(U8(1), most, quarter)
	VMAXPS(quarter, most.AsX(), quarter)
	VMOVHLPS(quarter, quarter, turned)
	VMAXPS(turned, quarter, quarter)
	VMOVSHDUP(quarter, turned)
	VMAXPS(turned, quarter, quarter)
	VMOVSS(quarter, Mem{Base: out})
	ADDQ(U8(4), out)
	ADDQ(U8(8), features)
	DECQ(n)
	JNZ(LabelRef("bounds2_feature"))
	VZEROUPPER()
	RET()
}

// words is wordsAVX512 for 8 codes at a time. What is best so far, by lane of four, is kept in memory.
func (s *narrowSums) words() {
	TEXT("wordsAVX2", NOSPLIT, "func(words *uint64, n, start, first uint64, node *[8]uint64, best *[3][4]uint64)")
	Pragma("noescape")
	Doc("wordsAVX2 is wordsAVX512, but that it writes the best of each of four lanes: their gains, which are to hold the bar, their codes, which",
		"are to be -1, and the packed sums up to them.")
	words, left := Load(Param("words"), GP64()), Load(Param("n"), GP64())
	forced, node := Load(Param("first"), GP64()), Load(Param("node"), GP64())
	best := Load(Param("best"), GP64())
	s.begin(node)
	VPBROADCASTQ(paramMem("start"), s.carry)
	toBeat, code := YMM(), GP64()
	newBound := func(gain reg.VecVirtual) { // gain: in the first lane
		VMULSD(Mem{Base: node, Disp: nodeUnits}, gain, gain)
		VCVTSD2SS(gain, gain, gain)
		VBROADCASTSS(gain, toBeat)
	}
	bar := XMM()
	VMOVSD(Mem{Base: best}, bar)
	newBound(bar)
	shrinks := GP32()
	MOVL(Mem{Base: node, Disp: nodeShrink}, shrinks)
	XORQ(code, code)

	Label("words2_step")
	a, b := s.load("words2", "words2_next", words.(reg.GPVirtual), left.(reg.GPVirtual), forced.(reg.GPVirtual))
	s.addUp(a, b)
	hl, gl, hr, gr, able := s.apart("words2", a, b)
	TESTL(shrinks, shrinks)
	JZ(LabelRef("words2_square"))
	by, size := dwords(Mem{Base: node, Disp: nodeShrink}), YMM()
	VPCMPEQD(size, size, size)
	VPSRLD(U8(1), size, size)
	for _, g := range []reg.VecVirtual{gl, gr} {
		VPAND(size, g, g)
		VSUBPS(by, g, g)
		VMAXPS(s.zero, g, g)
	}
	Label("words2_square")
	VMULPS(gl, gl, gl)
	VMULPS(gr, gr, gr)
	VMULPS(hr, gl, gl)
	VMULPS(hl, gr, gr)
	VADDPS(gr, gl, gl)
	VMULPS(hr, hl, hl)
	VMULPS(toBeat, hl, hl)
	VCMPPS(U8(notLessFloat), hl, gl, gl)
	VPAND(gl, able, able)
	any := GP32()
	VMOVMSKPS(able, any)
	TESTL(any, any)
	JZ(LabelRef("words2_next"))

	VPERMQ(U8(0b11011000), able, able) // in the order of codes
	for i, w := range []reg.VecVirtual{a, b} {
		lanes, of := YMM(), YMM()
		if i == 0 {
			VPMOVSXDQ(able.AsX(), lanes)
		} else {
			upper := XMM()
			VEXTRACTI128(U8(1), able, upper)
			VPMOVSXDQ(upper, lanes)
		}
		gain, better := s.exact(node, w), YMM()
		VCMPPD(U8(greaterFloat), Mem{Base: best}, gain, better)
		VPAND(lanes, better, better)
		number := GP64()
		LEAQ(Mem{Base: code, Disp: 4 * i}, number)
		VMOVQ(number, of.AsX())
		VPBROADCASTQ(of.AsX(), of)
		VPADDQ(s.counting, of, of)
		for row, v := range []reg.VecVirtual{gain, of, w} {
			VPMASKMOVQ(v, better, Mem{Base: best, Disp: 32 * row})
		}
	}
	most, turned := XMM(), XMM()
	VMOVUPD(Mem{Base: best}, most)
	VMAXPD(Mem{Base: best, Disp: 16}, most, most)
	VPERMILPD(U8(1), most, turned)
	VMAXSD(turned, most, most)
	newBound(most)

	Label("words2_next")
	XORQ(forced, forced)
	ADDQ(U8(8), code)
	ADDQ(U8(64), words)
	SUBQ(U8(8), left)
	JG(LabelRef("words2_step"))
	VZEROUPPER()
	RET()
}

// flags is flagsAVX512 for 4 features at a time.
func (s *narrowSums) flags() {
	TEXT("flagsAVX2", NOSPLIT, "func(gains *float64, words *uint64, at *uint32, n uint64, node *[8]uint64)")
	Pragma("noescape")
	Doc("flagsAVX2 is Flags for n features, a multiple of 4 and not 0.")
	gains, words := Load(Param("gains"), GP64()), Load(Param("words"), GP64())
	at, left, node := Load(Param("at"), GP64()), Load(Param("n"), GP64()), Load(Param("node"), GP64())
	number := GP64()
	MOVL(Mem{Base: node, Disp: nodeLeast}, number.As32())
	few, refused := YMM(), YMM()
	VMOVQ(number, few.AsX())
	VPBROADCASTQ(few.AsX(), few)
	MOVQ(U64(math.Float64bits(-1)), number)
	VMOVQ(number, refused.AsX())
	VPBROADCASTQ(refused.AsX(), refused)

	Label("flags2_step")
	w, high := YMM(), XMM()
	for i, v := range []reg.Register{w.AsX(), high} {
		for part := range 2 {
			where := GP64()
			MOVL(Mem{Base: at, Disp: 4 * (2*i + part)}, where.As32())
			if word := (Mem{Base: words, Index: where, Scale: 8}); part == 0 {
				VMOVQ(word, v)
			} else {
				VMOVHPD(word, v, v)
			}
		}
	}
	VINSERTF128(U8(1), high, w, w)
	rest, short, other := YMM(), YMM(), YMM()
	VPSUBQ(w, quads(Mem{Base: node, Disp: nodeTotal}), rest)
	for i, v := range []reg.VecVirtual{w, rest} { // hessians, without gradients
		h := YMM()
		VPSLLQ(U8(32), v, h)
		VPSRLQ(U8(32), h, h)
		VPCMPGTQ(h, few, []reg.VecVirtual{short, other}[i])
	}
	VPOR(other, short, short)
	gain := s.exact(node, w)
	VBLENDVPD(short, refused, gain, gain)
	VMOVUPD(gain, Mem{Base: gains})
	ADDQ(U8(16), at)
	ADDQ(U8(32), gains)
	SUBQ(U8(4), left)
	JNZ(LabelRef("flags2_step"))
	VZEROUPPER()
	RET()
}

// shares is sharesAVX512 for 4 levels at a time.
func (s *narrowSums) shares() {
	TEXT("sharesAVX2", NOSPLIT, "func(shares *float64, words *uint64, spans *[4]uint32, features *int, n uint64)")
	Pragma("noescape")
	Doc("sharesAVX2 is sharesAVX512.")
	out, words := Load(Param("shares"), GP64()), Load(Param("words"), GP64())
	spans, features, n := Load(Param("spans"), GP64()), Load(Param("features"), GP64()), Load(Param("n"), GP64())
	zero := YMM()
	VPXOR(zero, zero, zero)

	Label("shares2_feature")
	span, own, left, missing := GP64(), GP64(), GP64(), GP64()
	MOVQ(Mem{Base: features}, span)
	SHLQ(U8(4), span)
	ADDQ(spans, span)
	MOVL(Mem{Base: span, Disp: spanFrom}, own.As32())
	LEAQ(Mem{Base: words, Index: own, Scale: 8}, own)
	MOVL(Mem{Base: span, Disp: spanRegular}, left.As32())
	MOVL(Mem{Base: span, Disp: spanMissing}, missing.As32())
	ADDQ(missing, left)
	sum := YMM()
	VXORPD(sum, sum, sum)
	JMP(LabelRef("shares2_left"))

	Label("shares2_step")
	w := s.four("shares2", own, left)
	none := YMM()
	VPCMPEQQ(zero, w, none)
	h, g := s.floats(w)
	VMULPD(g, g, g)
	VDIVPD(h, g, g)
	VANDNPD(g, none, g)
	VADDPD(g, sum, sum)
	ADDQ(U8(32), own)
	SUBQ(U8(4), left)
	Label("shares2_left")
	CMPQ(left, U8(0))
	JG(LabelRef("shares2_step"))

	quarter, turned := XMM(), XMM()
	VEXTRACTF128(U8(1), sum, quarter)
	VADDPD(quarter, sum.AsX(), quarter)
	VPERMILPD(U8(1), quarter, turned)
	VADDPD(turned, quarter, quarter)
	VMOVSD(quarter, Mem{Base: out})
	ADDQ(U8(8), out)
	ADDQ(U8(8), features)
	DECQ(n)
	JNZ(LabelRef("shares2_feature"))
	VZEROUPPER()
	RET()
}

// four loads four words, or as many as are left, and 0 for the others.
func (s *narrowSums) four(name string, words, left reg.GPVirtual) reg.VecVirtual {
	w := YMM()
	CMPQ(left, U8(4))
	JAE(LabelRef(name + "_whole"))
	n := GP64()
	MOVQ(left, n)
	VPMASKMOVQ(Mem{Base: words}, s.mask(n), w)
	JMP(LabelRef(name + "_loaded"))
	Label(name + "_whole")
	VMOVDQU(Mem{Base: words}, w)
	Label(name + "_loaded")
	return w
}

// levels is levelsAVX512 for 4 levels at a time.
func (s *narrowSums) levels() {
	// By the mask of the levels that are listed: the places of their halves, and of their numbers of 32 bits.
	orders, places := GLOBL("levelOrders", RODATA|NOPTR), 0
	for mask := range 16 {
		var order [8]uint32
		n := 0
		for lane := range 4 {
			if mask>>lane&1 == 1 {
				order[2*n], order[2*n+1] = uint32(2*lane), uint32(2*lane+1)
				n++
			}
		}
		for _, half := range order {
			DATA(places, U32(half))
			places += 4
		}
	}
	numbers := GLOBL("levelNumbers", RODATA|NOPTR)
	places = 0
	for mask := range 16 {
		var order [4]uint32
		n := 0
		for lane := range 4 {
			if mask>>lane&1 == 1 {
				order[n] = uint32(lane)
				n++
			}
		}
		for _, lane := range order {
			DATA(places, U32(lane))
			places += 4
		}
	}
	first := GLOBL("firstLevels", RODATA|NOPTR)
	for i := range 4 {
		DATA(4*i, U32(i))
	}

	TEXT("levelsAVX2", NOSPLIT, "func(codes *uint32, stats *float64, words *uint64, n, least uint64, factors *[3]float64, ends *[2]float64) uint64")
	Pragma("noescape")
	Doc("levelsAVX2 is levelsAVX512, but that it writes up to 4 of each more than it lists.")
	codes, stats := Load(Param("codes"), GP64()), Load(Param("stats"), GP64())
	words, left := Load(Param("words"), GP64()), Load(Param("n"), GP64())
	factors := Load(Param("factors"), GP64())
	least := quads(paramMem("least"))
	gradScale, hessScale, smooth := doubles(Mem{Base: factors}), doubles(Mem{Base: factors, Disp: 8}), doubles(Mem{Base: factors, Disp: 16})
	lowest, highest, number := YMM(), YMM(), GP64()
	for _, end := range []struct {
		v     reg.VecVirtual
		value float64
	}{{lowest, math.Inf(1)}, {highest, math.Inf(-1)}} {
		MOVQ(U64(math.Float64bits(end.value)), number)
		VMOVQ(number, end.v.AsX())
		VPBROADCASTQ(end.v.AsX(), end.v)
	}
	code, step, total := XMM(), XMM(), GP64()
	VMOVDQU(first, code)
	MOVQ(U32(4), number)
	VMOVQ(number, step)
	VPBROADCASTD(step, step)
	XORQ(total, total)
	orderOf, numberOf := GP64(), GP64()
	LEAQ(orders, orderOf)
	LEAQ(numbers, numberOf)

	Label("levels2_step")
	w := s.four("levels2", words.(reg.GPVirtual), left.(reg.GPVirtual))
	h, short, mask := YMM(), YMM(), GP64()
	VPSLLQ(U8(32), w, h)
	VPSRLQ(U8(32), h, h)
	VPCMPGTQ(h, least, short)
	VMOVMSKPD(short, mask.As32())
	XORL(U8(15), mask.As32())
	JZ(LabelRef("levels2_next"))
	hess, stat := s.floats(w)
	VMULPD(gradScale, stat, stat)
	VMULPD(hessScale, hess, hess)
	VADDPD(smooth, hess, hess)
	VDIVPD(hess, stat, stat)
	for i, end := range []reg.VecVirtual{lowest, highest} {
		taken := YMM()
		if i == 0 {
			VMINPD(stat, end, taken)
		} else {
			VMAXPD(stat, end, taken)
		}
		VBLENDVPD(short, end, taken, end)
	}
	count, place, order, listed, which := GP64(), GP64(), YMM(), YMM(), XMM()
	POPCNTL(mask.As32(), count.As32())
	SHLQ(U8(4), mask)
	VMOVDQU(Mem{Base: numberOf, Index: mask, Scale: 1}, which)
	VPERMILPS(which, code, which)
	VMOVDQU(which, Mem{Base: codes})
	LEAQ(Mem{Base: orderOf, Index: mask, Scale: 2}, place)
	VMOVDQU(Mem{Base: place}, order)
	VPERMPS(stat, order, listed)
	VMOVUPD(listed, Mem{Base: stats})
	LEAQ(Mem{Base: stats, Index: count, Scale: 8}, stats)
	LEAQ(Mem{Base: codes, Index: count, Scale: 4}, codes)
	ADDQ(count, total)
	Label("levels2_next")
	VPADDD(step, code, code)
	ADDQ(U8(32), words)
	SUBQ(U8(4), left)
	JG(LabelRef("levels2_step"))

	ends := Load(Param("ends"), GP64())
	for i, v := range []reg.VecVirtual{lowest, highest} {
		half, turned := XMM(), XMM()
		VEXTRACTF128(U8(1), v, half)
		take := func(a, b reg.VecVirtual) {
			if i == 0 {
				VMINPD(a, b, b)
			} else {
				VMAXPD(a, b, b)
			}
		}
		take(v.AsX().(reg.VecVirtual), half)
		VPERMILPD(U8(1), half, turned)
		take(turned, half)
		VMOVSD(half, Mem{Base: ends, Disp: 8 * i})
	}
	Store(total, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// buckets is bucketsAVX512 for numbers below 128.
func (s *narrowSums) buckets() {
	TEXT("bucketsAVX2", NOSPLIT, "func(buckets *uint8, stats *float64, n uint64, least, scale float64)")
	Pragma("noescape")
	Doc("bucketsAVX2 is bucketsAVX512 for numbers below 128.")
	buckets, stats, n := Load(Param("buckets"), GP64()), Load(Param("stats"), GP64()), Load(Param("n"), GP64())
	low, scale := doubles(paramMem("least")), doubles(paramMem("scale"))
	Label("buckets2_step")
	var parts [2]reg.VecVirtual
	for i := range parts {
		v := YMM()
		parts[i] = XMM()
		VMOVUPD(Mem{Base: stats, Disp: 32 * i}, v)
		VSUBPD(low, v, v)
		VMULPD(scale, v, v)
		VCVTTPD2DQY(v, parts[i])
	}
	VPACKSSDW(parts[1], parts[0], parts[0])
	VPACKUSWB(parts[0], parts[0], parts[0])
	VMOVQ(parts[0], Mem{Base: buckets})
	ADDQ(U8(8), buckets)
	ADDQ(U8(64), stats)
	SUBQ(U8(8), n)
	JNZ(LabelRef("buckets2_step"))
	VZEROUPPER()
	RET()
}
