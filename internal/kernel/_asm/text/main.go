// Command text writes the assembly of the package internal/kernel/text: finding the
// ends of cells, and reading eight numbers at a time. The Go form of what a number is
// stands in the tests there.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!purego")
	ends()
	numbers()
	Generate()
}

// ends looks at 64 bytes at a time and writes the indices of 16 of them at once, those that
// end a cell in front: no branch depends on how many cells end there.
func ends() {
	TEXT("cellEndsAVX512", NOSPLIT, "func(ends *int32, text *byte, from, to, want uint64, sep uint64) (n uint64)")
	Pragma("noescape")
	Doc("cellEndsAVX512 writes the indices of separators and line feeds in text[from:to], which is",
		"a multiple of 64 bytes, until there are as many as wanted, and up to 63 more. Behind the",
		"last one it may write anything, up to ends[want+62].")
	dst, text := Load(Param("ends"), GP64()), Load(Param("text"), GP64())
	at, to := Load(Param("from"), GP64()), Load(Param("to"), GP64())
	want, sep := Load(Param("want"), GP64()), Load(Param("sep"), GP64())
	seps, feeds, wide := ZMM(), ZMM(), ZMM()
	VPBROADCASTB(sep.(reg.GPVirtual).As32(), seps)
	r := GP32()
	MOVL(U32('\n'), r)
	VPBROADCASTB(r, feeds)
	MOVL(U32(64), r)
	VPBROADCASTD(r, wide)
	step := ZMM()
	MOVL(U32(16), r)
	VPBROADCASTD(r, step)
	var indices [4]reg.VecVirtual
	for part := range indices {
		indices[part] = ZMM()
		if part == 0 {
			VPBROADCASTD(at.(reg.GPVirtual).As32(), indices[0])
			VPADDD(counting(), indices[0], indices[0])
		} else {
			VPADDD(step, indices[part-1], indices[part])
		}
	}
	n := GP64()
	XORQ(n, n)
	Label("block")
	CMPQ(at, to)
	JCC(LabelRef("done"))
	CMPQ(n, want)
	JCC(LabelRef("done"))
	block, isSep, isFeed, bits := ZMM(), K(), K(), GP64()
	VMOVDQU64(Mem{Base: text, Index: at, Scale: 1}, block)
	VPCMPEQB(seps, block, isSep)
	VPCMPEQB(feeds, block, isFeed)
	KORQ(isSep, isFeed, isSep)
	KMOVQ(isSep, bits)
	for part := range indices {
		front, there, count := ZMM(), K(), GP32()
		KMOVW(bits.As32(), there)
		VPCOMPRESSD_Z(indices[part], there, front)
		VMOVDQU32(front, Mem{Base: dst, Index: n, Scale: 4})
		MOVWLZX(bits.As16(), count)
		POPCNTL(count, count)
		ADDQ(count.As64(), n)
		VPADDD(wide, indices[part], indices[part])
		if part < 3 {
			SHRQ(U8(16), bits)
		}
	}
	ADDQ(U8(64), at)
	JMP(LabelRef("block"))
	Label("done")
	VZEROUPPER()
	Store(n, ReturnIndex(0))
	RET()
}

// counting returns the numbers from 0 to 15.
func counting() Mem {
	table := GLOBL("counting", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(i))
	}
	return table
}

// Values of f(A, B, C) for VPTERNLOGQ, where A is the operand that is written to.
const (
	differAnd = 0x28 // (A ^ B) & C
	notOrAnd  = 0x02 // ^(A | B) & C
	orAnd     = 0xF8 // A | B & C
	choose    = 0xCA // A ? B : C
)

// Predicates of VPCMPQ and VPCMPUQ.
const (
	less        = 1
	notGreater  = 2
	greaterThan = 6
)

// constant returns a vector of eight times the same word.
func constant(word uint64) reg.VecVirtual {
	r, v := GP64(), ZMM()
	MOVQ(U64(word), r)
	VPBROADCASTQ(r, v)
	return v
}

// half is one of the two words of eight characters that a cell is looked at in. The
// last character of the cell is the last one of the second word.
type half struct {
	digits reg.VecVirtual // the characters less '0', 0 before the cell
	valid  reg.VecVirtual // ones where the cell has characters
	first  reg.VecVirtual // ones at the cell's first character
	low    reg.VecVirtual // 1 at the point, 0 without one
	point  reg.Register   // lanes that have a point here
	behind reg.VecVirtual // ones behind the point, or everywhere
	whole  reg.VecVirtual // the eight digits as a number
}

// characters loads the 16 characters before every second end, from ends[from] on.
func characters(text, ends reg.Register, from int) reg.VecVirtual {
	load := func(i int) Mem {
		end := GP64()
		MOVLQSX(Mem{Base: ends, Disp: 4 * (from + 2*i)}, end)
		return Mem{Base: text, Index: end, Scale: 1, Disp: -16}
	}
	low, high := ZMM(), ZMM()
	VMOVDQU64(load(0), low.AsX())
	VINSERTI64X2(U8(1), load(1), low.AsY(), low.AsY())
	VMOVDQU64(load(2), high.AsX())
	VINSERTI64X2(U8(1), load(3), high.AsY(), high.AsY())
	VINSERTI64X4(U8(1), high.AsY(), low, low)
	return low
}

func numbers() {
	TEXT("numbersAVX512", NOSPLIT, "func(values *float64, ends *int32, text *byte, groups uint64, points uint64, powers *[16]float64) (ok uint64)")
	Pragma("noescape")
	Doc("numbersAVX512 reads groups of eight cells: cell i is text[ends[i]+1:ends[i+1]]. It reads",
		"the 16 characters before each end. Bit i of ok is set where the cell is a number.")
	values, ends := Load(Param("values"), GP64()), Load(Param("ends"), GP64())
	text, groups := Load(Param("text"), GP64()), Load(Param("groups"), GP64())
	pointsWord, powers := Load(Param("points"), GP64()), Load(Param("powers"), GP64())

	zeros, minuses := constant('0'*0x0101010101010101), constant(('-'^'0')*0x0101010101010101)
	points := ZMM()
	VPBROADCASTQ(pointsWord, points)
	VPXORQ(zeros, points, points)
	ones, beyond, tops := constant(^uint64(0)), constant(0x7676767676767676), constant(0x8080808080808080)
	tens, hundreds := constant(0x010A010A010A010A), constant(0x0001006400010064)
	thousands, millions := constant(10_000), constant(100_000_000)
	limit, sign := constant(1<<53), constant(1<<63)
	bitsZ, bitsX, longest := constant(64), constant(128), constant(16)
	none := ZMM()
	VPXORQ(none, none, none)
	powersLow, powersHigh := ZMM(), ZMM()
	VMOVUPD(Mem{Base: powers}, powersLow)
	VMOVUPD(Mem{Base: powers, Disp: 64}, powersHigh)
	all, shift := GP64(), reg.RCX
	XORQ(all, all)
	XORQ(shift, shift)

	Label("group")
	begin, end, length := ZMM(), ZMM(), ZMM()
	VPMOVSXDQ(Mem{Base: ends}, begin)
	VPMOVSXDQ(Mem{Base: ends, Disp: 4}, end)
	VPSUBQ(begin, end, length)
	VPADDQ(ones, length, length)
	// One load a cell takes both words; gathering them is much slower where processors
	// are guarded against leaks by it.
	x, z := half{digits: ZMM()}, half{digits: ZMM()}
	even, odd := characters(text, ends, 1), characters(text, ends, 2)
	VPUNPCKLQDQ(odd, even, x.digits)
	VPUNPCKHQDQ(odd, even, z.digits)

	// The characters of the cell, and the first of them.
	bits := ZMM()
	VPSLLQ(U8(3), length, bits)
	cut := func(h *half, most reg.VecVirtual) {
		n := ZMM()
		VPSUBQ(bits, most, n)
		VPMAXSQ(none, n, n)
		h.valid = ZMM()
		VPSLLVQ(n, ones, h.valid)
		VPTERNLOGQ(U8(differAnd), h.valid, zeros, h.digits)
		h.first = ZMM()
	}
	cut(&x, bitsX)
	cut(&z, bitsZ)
	over := ZMM()
	VPSLLQ(U8(8), z.valid, z.first)
	VPSRLQ(U8(56), x.valid, over)
	VPTERNLOGQ(U8(notOrAnd), z.valid, over, z.first)
	VPSLLQ(U8(8), x.valid, x.first)
	VPANDNQ(x.valid, x.first, x.first)

	// A zero in place of the sign.
	differ, differX, minus := ZMM(), ZMM(), K()
	VPXORQ(minuses, z.digits, differ)
	VPANDQ(z.first, differ, differ)
	VPXORQ(minuses, x.digits, differX)
	VPTERNLOGQ(U8(orAnd), x.first, differX, differ)
	VPTESTNMQ(differ, differ, minus)
	VPANDNQ(z.digits, z.first, minus, z.digits)
	VPANDNQ(x.digits, x.first, minus, x.digits)

	// The first point of each word; another one is left as what is no digit.
	find := func(h *half) {
		is, at := K(), ZMM()
		VPCMPEQB(points, h.digits, is)
		VPMOVM2B(is, at)
		p := K()
		VPTESTMQ(at, at, p)
		h.point = p
		h.low, h.behind = ZMM(), ZMM()
		VPSUBQ(at, none, h.low)
		VPANDQ(at, h.low, h.low)
		VPSUBQ(h.low, none, at)
		VMOVDQA64(ones, h.behind)
		VPSLLQ(U8(8), at, p, h.behind)
	}
	find(&x)
	find(&z)
	// Characters before it move up by one.
	VPXORQ(x.behind, x.behind, z.point, x.behind)
	movedZ, movedX, carried := ZMM(), ZMM(), ZMM()
	VPSLLQ(U8(8), z.digits, movedZ)
	VPSRLQ(U8(56), x.digits, carried)
	VPORQ(carried, movedZ, movedZ)
	VPSLLQ(U8(8), x.digits, movedX)
	VPTERNLOGQ(U8(choose), movedZ, z.digits, z.behind)
	VPTERNLOGQ(U8(choose), movedX, x.digits, x.behind)
	z.digits, x.digits = z.behind, x.behind

	// Digits behind the point: 16 without one, which is as good as none.
	fraction, high := ZMM(), ZMM()
	VPLZCNTQ(x.low, fraction)
	VPADDQ(bitsZ, fraction, fraction)
	VPLZCNTQ(z.low, z.point, fraction)
	VPSRLQ(U8(3), fraction, fraction)

	// All are digits, there is one, and the number is exact.
	ok, check := K(), ZMM()
	VPADDUSB(beyond, z.digits, check)
	VPADDUSB(beyond, x.digits, high)
	VPORQ(high, check, check)
	VPTESTNMQ(tops, check, ok)
	VPCMPQ(U8(notGreater), longest, length, ok, ok)
	VPADDQ(ones, length, minus, length)
	anyPoint := K()
	KORB(x.point, z.point, anyPoint)
	VPADDQ(ones, length, anyPoint, length)
	VPCMPQ(U8(greaterThan), none, length, ok, ok)

	for _, h := range []*half{&x, &z} {
		h.whole = ZMM()
		low := ZMM()
		VPMADDUBSW(tens, h.digits, h.whole)
		VPMADDWD(hundreds, h.whole, h.whole)
		VPSRLQ(U8(32), h.whole, low)
		VPMULUDQ(thousands, h.whole, h.whole)
		VPADDQ(low, h.whole, h.whole)
	}
	mantissa := ZMM()
	VPMULUDQ(millions, x.whole, mantissa)
	VPADDQ(z.whole, mantissa, mantissa)
	VPCMPUQ(U8(less), limit, mantissa, ok, ok)
	VCVTUQQ2PD(mantissa, mantissa)
	VPERMI2PD(powersHigh, powersLow, fraction)
	VDIVPD(fraction, mantissa, mantissa)
	VPORQ(sign, mantissa, minus, mantissa)
	VMOVUPD(mantissa, Mem{Base: values})
	bit := GP64()
	KMOVB(ok, bit.As32())
	SHLQ(reg.CL, bit)
	ORQ(bit, all)
	ADDQ(U8(8), shift)
	ADDQ(U8(64), values)
	ADDQ(U8(32), ends)
	DECQ(groups)
	JNZ(LabelRef("group"))
	VZEROUPPER()
	Store(all, ReturnIndex(0))
	RET()
}
