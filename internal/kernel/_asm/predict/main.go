// Command predict writes the assembly of the package internal/kernel/predict: a tile of
// 512 rows takes the steps of a plan. The Go form is tile.go there.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	tileRows = 512
	stepSize = 16
)

// Where a step has its parts.
const (
	column    = 0
	left      = 4
	right     = 6
	to        = 8
	minusLo   = 10
	last      = 11
	stepLeft  = 12
	stepRight = 13
	set       = 14
)

// lessEqual is the predicate of VPCMPUB.
const lessEqual = 2

func main() {
	ConstraintExpr("amd64,!purego")
	c := constants{
		bits:  bytes("bits", 0x8040201008040201),
		low4:  bytes("low4", 0x0F0F0F0F0F0F0F0F),
		low5:  bytes("low5", 0x1F1F1F1F1F1F1F1F),
		order: bytes("order", 0x0B0A030209080100, 0x0F0E07060D0C0504),
	}
	avx512(c)
	avx2(c)
	bitsSet := bytes("bitsSet", 0x0302020102010100, 0x0403030203020201)
	firstTwo := bytes("firstTwo", 0, 0x0101010101010101)
	for _, doubles := range []bool{false, true} {
		(&codeGroups{
			doubles:  doubles,
			bitsSet:  bitsSet,
			firstTwo: firstTwo,
		}).write()
	}
	codeRow()
	swapped := bytes("swapped", 0x0607040502030001, 0x0E0F0C0D0A0B0809)
	for _, wide := range []bool{true, false} {
		for _, many := range []bool{false, true} {
			for _, missing := range []bool{false, true} {
				(&forest{wide: wide, many: many, missing: missing, swapped: swapped}).write()
			}
		}
	}
	Generate()
}

// constants are vectors for the look-up of a code in a set, and the order in which rows
// get their values.
type constants struct{ bits, low4, low5, order Mem }

// bytes fills a vector with repeated words.
func bytes(name string, words ...uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(words[i%len(words)]))
	}
	return m
}

// begin starts a function.
func begin(name string) {
	TEXT(name, NOSPLIT, "func(steps *byte, n uint64, sets *[32]byte, codes *uint8, area *byte, leaf *float64, halves *[64]uint32, scores *[512]float64)")
	Pragma("noescape")
	Doc(name+" takes a tile through n > 0 steps and adds the leaves' values to its scores.",
		"halves are the lower and then the upper halves of up to 32 leaves, nil for more leaves.")
}

// node is a step in registers.
type node struct{ codes, left, right, to, stepLeft, stepRight, set reg.GPVirtual }

func load(at, codes, area reg.Register) node {
	part := func(offset int) Mem { return Mem{Base: at, Disp: offset} }
	var n node
	for _, r := range []*reg.GPVirtual{&n.codes, &n.left, &n.right, &n.to, &n.stepLeft, &n.stepRight, &n.set} {
		*r = GP64()
	}
	MOVL(part(column), n.codes.As32())
	ADDQ(codes, n.codes)
	MOVWQZX(part(left), n.left)
	ADDQ(area, n.left)
	MOVWQZX(part(right), n.right)
	ADDQ(area, n.right)
	MOVWQZX(part(to), n.to)
	ADDQ(area, n.to)
	MOVBQZX(part(stepLeft), n.stepLeft)
	MOVBQZX(part(stepRight), n.stepRight)
	MOVWQZX(part(set), n.set)
	return n
}

// avx512 writes the form for vectors of 64 rows.
func avx512(c constants) {
	const lanes = 64
	begin("addTileAVX512")
	at, end := Load(Param("steps"), GP64()), Load(Param("n"), GP64())
	sets, codes, area := Load(Param("sets"), GP64()), Load(Param("codes"), GP64()), Load(Param("area"), GP64())
	SHLQ(U8(4), end)
	ADDQ(at, end)
	bits, low4, low5 := ZMM(), ZMM(), ZMM()
	VMOVDQU64(c.bits, bits)
	VMOVDQU64(c.low4, low4)
	VMOVDQU64(c.low5, low5)

	Label("step")
	n := load(at, codes, area)
	code := func(i int) Mem { return Mem{Base: n.codes, Disp: lanes * i} }
	pick := func(i int, goesRight reg.Register) {
		v := ZMM()
		VMOVDQU64(Mem{Base: n.left}, v)
		VPBLENDMB(Mem{Base: n.right}, v, goesRight, v)
		VMOVDQU64(v, Mem{Base: n.to, Disp: lanes * i})
		if i < tileRows/lanes-1 {
			ADDQ(n.stepLeft, n.left)
			ADDQ(n.stepRight, n.right)
		}
	}
	TESTQ(n.set, n.set)
	JNE(LabelRef("categorical"))
	back, span := ZMM(), ZMM()
	VPBROADCASTB(Mem{Base: at, Disp: minusLo}, back)
	VPBROADCASTB(Mem{Base: at, Disp: last}, span)
	for i := range tileRows / lanes {
		x, goesRight := ZMM(), K()
		VPADDB(code(i), back, x)
		VPCMPUB(U8(lessEqual), span, x, goesRight)
		pick(i, goesRight)
	}
	Label("done")
	ADDQ(U8(stepSize), at)
	CMPQ(at, end)
	JNE(LabelRef("step"))

	list := GP64()
	MOVWQZX(Mem{Base: at, Disp: to - stepSize}, list)
	ADDQ(area, list)
	halves, scores := Load(Param("halves"), GP64()), Load(Param("scores"), GP64())
	TESTQ(halves, halves)
	JNE(LabelRef("few"))
	VZEROUPPER()
	addValues(list, Load(Param("leaf"), GP64()), scores)

	// The values of few leaves stand in registers. Their halves come out in the order of
	// the unpacking, so the rows go in in an order that it puts right.
	Label("few")
	var half [4]reg.VecVirtual
	for i := range half {
		half[i] = ZMM()
		VMOVDQU32(Mem{Base: halves, Disp: 64 * i}, half[i])
	}
	order := ZMM()
	VMOVDQU64(c.order, order)
	for i := range tileRows / lanes {
		v := ZMM()
		VMOVDQU64(Mem{Base: list, Disp: lanes * i}, v)
		VPSHUFB(order, v, v)
		VMOVDQU64(v, Mem{Base: list, Disp: lanes * i})
	}
	rows := GP64()
	MOVQ(U32(tileRows/32), rows)
	Label("values16")
	for i := range 2 {
		low, high, sum := ZMM(), ZMM(), ZMM()
		VPMOVZXBD(Mem{Base: list, Disp: 16 * i}, low)
		VMOVDQA64(low, high)
		VPERMI2D(half[1], half[0], low)
		VPERMI2D(half[3], half[2], high)
		VPUNPCKLDQ(high, low, sum)
		VPUNPCKHDQ(high, low, high)
		for j, v := range []reg.Register{sum, high} {
			at := Mem{Base: scores, Disp: 128*i + 64*j}
			VADDPD(at, v, v)
			VMOVUPD(v, at)
		}
	}
	ADDQ(U8(32), list)
	ADDQ(U32(256), scores)
	DECQ(rows)
	JNE(LabelRef("values16"))
	VZEROUPPER()
	RET()

	// A set has 32 bytes, one for eight codes: the highest bit of a code picks one of two
	// look-ups of 16 bytes, its lowest three the bit in the byte.
	Label("categorical")
	words := GP64()
	MOVQ(n.set, words)
	SHLQ(U8(5), words)
	ADDQ(sets, words)
	low, high := ZMM(), ZMM()
	VBROADCASTI32X4(Mem{Base: words, Disp: -32}, low)
	VBROADCASTI32X4(Mem{Base: words, Disp: -16}, high)
	for i := range tileRows / lanes {
		x, eighth, member, upper, goesRight := ZMM(), ZMM(), ZMM(), K(), K()
		VMOVDQU64(code(i), x)
		VPSRLW(U8(3), x, eighth)
		VPANDQ(low5, eighth, eighth)
		VPMOVB2M(x, upper)
		VPSHUFB(eighth, low, member)
		VPSHUFB(eighth, high, upper, member)
		VPANDQ(low4, x, x)
		VPSHUFB(x, bits, x)
		VPTESTMB(x, member, goesRight)
		pick(i, goesRight)
	}
	JMP(LabelRef("done"))
}

// avx2 writes the form for vectors of 32 rows.
func avx2(c constants) {
	const lanes = 32
	begin("addTileAVX2")
	at, end := Load(Param("steps"), GP64()), Load(Param("n"), GP64())
	sets, codes, area := Load(Param("sets"), GP64()), Load(Param("codes"), GP64()), Load(Param("area"), GP64())
	SHLQ(U8(4), end)
	ADDQ(at, end)
	bits, low4, low5 := YMM(), YMM(), YMM()
	VMOVDQU(c.bits, bits)
	VMOVDQU(c.low4, low4)
	VMOVDQU(c.low5, low5)

	Label("step")
	n := load(at, codes, area)
	// The sides advance by a vector; constants repeat in twice as many bytes.
	SHRQ(U8(1), n.stepLeft)
	SHRQ(U8(1), n.stepRight)
	pick := func(i int, goesRight reg.Register) {
		v := YMM()
		VMOVDQU(Mem{Base: n.left}, v)
		VPBLENDVB(goesRight, Mem{Base: n.right}, v, v)
		VMOVDQU(v, Mem{Base: n.to, Disp: lanes * i})
		if i < tileRows/lanes-1 {
			ADDQ(n.stepLeft, n.left)
			ADDQ(n.stepRight, n.right)
		}
	}
	code := func(i int) Mem { return Mem{Base: n.codes, Disp: lanes * i} }
	TESTQ(n.set, n.set)
	JNE(LabelRef("categorical"))
	back, span := YMM(), YMM()
	VPBROADCASTB(Mem{Base: at, Disp: minusLo}, back)
	VPBROADCASTB(Mem{Base: at, Disp: last}, span)
	for i := range tileRows / lanes {
		x, least := YMM(), YMM()
		VPADDB(code(i), back, x)
		VPMINUB(span, x, least)
		VPCMPEQB(least, x, x)
		pick(i, x)
	}
	Label("done")
	ADDQ(U8(stepSize), at)
	CMPQ(at, end)
	JNE(LabelRef("step"))
	VZEROUPPER()

	list := GP64()
	MOVWQZX(Mem{Base: at, Disp: to - stepSize}, list)
	ADDQ(area, list)
	addValues(list, Load(Param("leaf"), GP64()), Load(Param("scores"), GP64()))

	Label("categorical")
	words := GP64()
	MOVQ(n.set, words)
	SHLQ(U8(5), words)
	ADDQ(sets, words)
	low, high := YMM(), YMM()
	VBROADCASTI128(Mem{Base: words, Disp: -32}, low)
	VBROADCASTI128(Mem{Base: words, Disp: -16}, high)
	for i := range tileRows / lanes {
		x, eighth, member, upper := YMM(), YMM(), YMM(), YMM()
		VMOVDQU(code(i), x)
		VPSRLW(U8(3), x, eighth)
		VPAND(low5, eighth, eighth)
		VPSHUFB(eighth, low, member)
		VPSHUFB(eighth, high, upper)
		VPBLENDVB(x, upper, member, member)
		VPAND(low4, x, x)
		VPSHUFB(x, bits, x)
		VPAND(x, member, member)
		VPCMPEQB(x, member, x)
		pick(i, x)
	}
	JMP(LabelRef("done"))
}

// addValues adds to each score the value of the row's leaf, and returns.
func addValues(list, leaf, scores reg.Register) {
	rows := GP64()
	MOVQ(U32(tileRows/8), rows)
	Label("values")
	for i := range 4 {
		first, second, sum := GP64(), GP64(), XMM()
		MOVBQZX(Mem{Base: list, Disp: 2 * i}, first)
		MOVBQZX(Mem{Base: list, Disp: 2*i + 1}, second)
		VMOVSD(Mem{Base: leaf, Index: first, Scale: 8}, sum)
		VMOVHPD(Mem{Base: leaf, Index: second, Scale: 8}, sum, sum)
		VADDPD(Mem{Base: scores, Disp: 16 * i}, sum, sum)
		VMOVUPD(sum, Mem{Base: scores, Disp: 16 * i})
	}
	ADDQ(U8(8), list)
	ADDQ(U8(64), scores)
	DECQ(rows)
	JNE(LabelRef("values"))
	RET()
}
