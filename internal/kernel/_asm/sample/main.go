// Command sample writes the assembly of the package internal/kernel/sample: rows are measured, summed and drawn by AVX-512 8 or 16 at
// a time, and by AVX2 half as many. The Go forms are sample.go there.
package main

import (
	"math"
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	less        = 1 // comparisons of VPCMPD and VCMPPD
	lessOrEqual = 2

	magnitude = math.MaxInt32 // the bits of a float32 but for its sign
)

func main() {
	ConstraintExpr("amd64,!purego")
	lanes := GLOBL("lanes", RODATA|NOPTR)
	for lane := range 16 {
		DATA(4*lane, U32(lane))
	}
	for _, w := range []width{{"AVX512", 8, ZMM, YMM}, {"AVX2", 4, YMM, XMM}} {
		w.sumMagnitudes()
		w.sumBelow()
		w.addSquares()
		w.roots()
		w.scale()
	}
	keep(lanes)
	keepNarrow()
	Generate()
}

// width is that of vectors.
type width struct {
	level  string
	lanes  int                   // float64 of a vector; there are twice as many float32 in one
	vector func() reg.VecVirtual // a new one
	half   func() reg.VecVirtual // a new one of half the width
}

func (w width) wide() bool { return w.level == "AVX512" }

// begin begins a function; doc goes on after its name.
func (w width) begin(name, signature, doc string) {
	begin(name+w.level, signature, name+w.level+doc)
}

// of says of how many rows a function is.
func of(rows int, what string) string {
	return " of n " + what + ", a multiple of " + strconv.Itoa(rows) + " and not 0"
}

func begin(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

// words fills a vector with a number of 32 bits.
func (w width) words(x uint32) reg.VecVirtual {
	v, word, first := w.vector(), GP32(), XMM()
	MOVL(U32(x), word)
	VMOVD(word, first)
	VPBROADCASTD(first, v)
	return v
}

// doubles fills a vector with a float64.
func (w width) doubles(x float64) reg.VecVirtual {
	v, word, first := w.vector(), GP64(), XMM()
	MOVQ(U64(math.Float64bits(x)), word)
	VMOVQ(word, first)
	VPBROADCASTQ(first, v)
	return v
}

// parameter fills a vector with a parameter, a float64.
func (w width) parameter(name string) reg.VecVirtual {
	v, x := w.vector(), XMM()
	Load(Param(name), x)
	VBROADCASTSD(x, v)
	return v
}

// none returns a vector of zeros.
func (w width) none() reg.VecVirtual {
	v := w.vector()
	if w.wide() {
		VPXORQ(v, v, v)
	} else {
		VPXOR(v, v, v)
	}
	return v
}

// and sets to to the bits that both have.
func (w width) and(a Op, b, to reg.VecVirtual) {
	if w.wide() && to.Size() == 64 {
		VPANDD(a, b, to)
	} else {
		VPAND(a, b, to)
	}
}

// low returns the lower half of a vector.
func (w width) low(v reg.VecVirtual) reg.VecVirtual {
	if w.wide() {
		return v.AsY().(reg.VecVirtual)
	}
	return v.AsX().(reg.VecVirtual)
}

// loop repeats a body over n rows, so many at a time, and moves pointers on by that many of their size.
func loop(label string, n reg.Register, rows int, sizes map[reg.Register]int, order []reg.Register, body func()) {
	Label(label)
	body()
	for _, pointer := range order {
		ADDQ(U32(rows*sizes[pointer]), pointer)
	}
	SUBQ(U8(rows), n)
	JNZ(LabelRef(label))
}

// highest returns the largest number of 32 bits of a vector.
func highest(v reg.VecVirtual) reg.Register {
	y, x, part := v.AsY(), v.AsX(), XMM()
	if v.Size() == 64 {
		half := YMM()
		VEXTRACTI64X4(U8(1), v, half)
		VPMAXUD(half, y, y)
	}
	if v.Size() >= 32 {
		VEXTRACTI128(U8(1), y, part)
		VPMAXUD(part, x, x)
	}
	VPSHUFD(U8(0b01001110), x, part)
	VPMAXUD(part, x, x)
	VPSHUFD(U8(0b10110001), x, part)
	VPMAXUD(part, x, x)
	result := GP32()
	VMOVD(x, result)
	return result
}

// total returns the sum of the numbers of 64 bits of a vector.
func total(v reg.VecVirtual) reg.Register {
	part := XMM()
	if v.Size() == 64 {
		half := YMM()
		VEXTRACTI64X4(U8(1), v, half)
		VPADDQ(half, v.AsY(), v.AsY())
	}
	VEXTRACTI128(U8(1), v.AsY(), part)
	VPADDQ(part, v.AsX(), v.AsX())
	VPSHUFD(U8(0b01001110), v.AsX(), part)
	VPADDQ(part, v.AsX(), v.AsX())
	result := GP64()
	VMOVQ(v.AsX(), result)
	return result
}

// adder adds whole numbers of a unit up.
type adder struct {
	width
	up, toWhole, sum reg.VecVirtual
}

func (w width) newAdder() adder {
	return adder{w, w.parameter("up"), w.doubles(1<<52 + 1<<51), w.none()}
}

// add adds the magnitudes of half a vector.
func (a *adder) add(singles Op) {
	x := a.vector()
	VCVTPS2PD(singles, x)
	VMULPD(a.up, x, x)
	VADDPD(a.toWhole, x, x)
	VPADDQ(x, a.sum, a.sum)
}

func (w width) sumMagnitudes() {
	w.begin("sumMagnitudes", "func(values *float32, n uint64, up float64) int64",
		" adds up the bits of whole of the magnitudes"+of(w.lanes, "values")+".")
	values, n := Load(Param("values"), GP64()), Load(Param("n"), GP64())
	bits, a := w.words(magnitude), w.newAdder()
	loop("magnitudes"+w.level, n, w.lanes, map[reg.Register]int{values: 4}, []reg.Register{values}, func() {
		x := w.half()
		w.and(Mem{Base: values}, w.low(bits), x)
		a.add(x)
	})
	result := total(a.sum)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}

func (w width) sumBelow() {
	w.begin("sumBelow", "func(size *float32, n uint64, cut uint32, up float64) (sum int64, below uint64)",
		" adds up the bits of whole"+of(2*w.lanes, "sizes")+": of 0 in place of those whose bits are not below cut. It counts the others.")
	size, n := Load(Param("size"), GP64()), Load(Param("n"), GP64())
	cut, first, below := w.vector(), XMM(), GP64()
	VMOVD(Load(Param("cut"), GP32()), first)
	VPBROADCASTD(first, cut)
	XORQ(below, below)
	a := w.newAdder()
	loop("below"+w.level, n, 2*w.lanes, map[reg.Register]int{size: 4}, []reg.Register{size}, func() {
		x, high, count := w.vector(), w.half(), GP32()
		if w.wide() {
			k := K()
			VMOVDQU32(Mem{Base: size}, x)
			VPCMPD(U8(less), cut, x, k)
			VMOVDQA32_Z(x, k, x)
			VEXTRACTF64X4(U8(1), x, high)
			KMOVW(k, count)
		} else {
			is := w.vector()
			VMOVDQU(Mem{Base: size}, x)
			VPCMPGTD(x, cut, is)
			VPAND(is, x, x)
			VEXTRACTF128(U8(1), x, high)
			VMOVMSKPS(is, count)
		}
		a.add(w.low(x))
		a.add(high)
		POPCNTL(count, count)
		ADDQ(count.As64(), below)
	})
	result := total(a.sum)
	VZEROUPPER()
	Store(result, Return("sum"))
	Store(below, Return("below"))
	RET()
}

func (w width) addSquares() {
	w.begin("addSquares", "func(to *float64, grad *float32, hess *float32, n uint64, ratio float64)", " is AddSquares"+of(w.lanes, "rows")+".")
	to, grad, hess := Load(Param("to"), GP64()), Load(Param("grad"), GP64()), Load(Param("hess"), GP64())
	n, ratio := Load(Param("n"), GP64()), w.parameter("ratio")
	loop("squares"+w.level, n, w.lanes, map[reg.Register]int{to: 8, grad: 4, hess: 4}, []reg.Register{to, grad, hess}, func() {
		g, h := w.vector(), w.vector()
		VCVTPS2PD(Mem{Base: grad}, g)
		VCVTPS2PD(Mem{Base: hess}, h)
		VMULPD(g, g, g)
		VMULPD(h, h, h)
		VMULPD(ratio, h, h)
		VADDPD(h, g, g)
		VADDPD(Mem{Base: to}, g, g)
		VMOVUPD(g, Mem{Base: to})
	})
	VZEROUPPER()
	RET()
}

func (w width) roots() {
	w.begin("roots", "func(size *float32, squares *float64, n uint64) (largest uint32)", " is Roots"+of(w.lanes, "rows")+".")
	size, squares, n := Load(Param("size"), GP64()), Load(Param("squares"), GP64()), Load(Param("n"), GP64())
	finite, most := w.low(w.words(math.Float32bits(math.MaxFloat32))), w.low(w.none())
	loop("roots"+w.level, n, w.lanes, map[reg.Register]int{size: 4, squares: 8}, []reg.Register{size, squares}, func() {
		x, y := w.vector(), w.half()
		VSQRTPD(Mem{Base: squares}, x)
		if w.wide() {
			VCVTPD2PS(x, y)
		} else {
			VCVTPD2PSY(x, y)
		}
		VMINPS(finite, y, y) // the former of what is not a number
		VMOVUPS(y, Mem{Base: size})
		VPMAXUD(y, most, most)
	})
	result := highest(most)
	VZEROUPPER()
	Store(result, Return("largest"))
	RET()
}

func (w width) scale() {
	w.begin("scale", "func(values *float32, by *float32, n uint64)", " is Scale"+of(2*w.lanes, "values")+".")
	values, by, n := Load(Param("values"), GP64()), Load(Param("by"), GP64()), Load(Param("n"), GP64())
	loop("scale"+w.level, n, 2*w.lanes, map[reg.Register]int{values: 4, by: 4}, []reg.Register{values, by}, func() {
		x := w.vector()
		VMOVUPS(Mem{Base: values}, x)
		VMULPS(Mem{Base: by}, x, x)
		VMOVUPS(x, Mem{Base: values})
	})
	VZEROUPPER()
	RET()
}

func keep(lanes Mem) {
	begin("keepAVX512", "func(kept *uint16, weights *float32, draws *uint64, size *float32, n uint64, first uint32, mu float64, step float64) (count uint64)",
		"keepAVX512 is Keep of n rows, a multiple of 16 and not 0. It writes up to 16 rows from each place of kept on.")
	kept, weights := Load(Param("kept"), GP64()), Load(Param("weights"), GP64())
	draws, size, n := Load(Param("draws"), GP64()), Load(Param("size"), GP64()), Load(Param("n"), GP64())
	w := width{"AVX512", 8, ZMM, YMM}
	rows, sixteen := ZMM(), w.words(16)
	VPBROADCASTD(Load(Param("first"), GP32()), rows)
	VPADDD(lanes, rows, rows)
	mu, step, one := w.parameter("mu"), w.parameter("step"), w.doubles(1)
	all, ones := ZMM(), w.words(math.Float32bits(1))
	word := GP64()
	MOVQ(U64(1<<53), word)
	VPBROADCASTQ(word, all)
	loop("keep", n, 16, map[reg.Register]int{weights: 4, draws: 8, size: 4}, []reg.Register{weights, draws, size}, func() {
		ks := [2]reg.Register{K(), K()}
		for i, k := range ks {
			draw, s, weight, single, out := ZMM(), ZMM(), ZMM(), YMM(), YMM()
			VPSRLQ(U8(11), Mem{Base: draws, Disp: 64 * i}, draw)
			VPSUBQ(draw, all, draw)
			VCVTQQ2PD(draw, draw)
			VMULPD(step, draw, draw)
			VCVTPS2PD(Mem{Base: size, Disp: 32 * i}, s)
			VCMPPD(U8(lessOrEqual), s, draw, k)
			VDIVPD(s, mu, weight)
			VMAXPD(one, weight, weight)
			VCVTPD2PS(weight, single)
			VMOVAPS(ones.AsY(), out)
			VMOVAPS(single, k, out)
			VMOVUPS(out, Mem{Base: weights, Disp: 32 * i})
		}
		k, count, these := K(), GP32(), ZMM()
		KUNPCKBW(ks[0], ks[1], k)
		VPCOMPRESSD_Z(rows, k, these)
		VPMOVDW(these, Mem{Base: kept})
		KMOVW(k, count)
		POPCNTL(count, count)
		LEAQ(Mem{Base: kept, Index: count.As64(), Scale: 2}, kept)
		VPADDD(sixteen, rows, rows)
	})
	VZEROUPPER()
	start := Load(Param("kept"), GP64())
	SUBQ(start, kept)
	SHRQ(U8(1), kept)
	Store(kept, Return("count"))
	RET()
}

// places writes the table of places: by a mask of 8 rows, the numbers of those in it, from the first byte on.
func places() Mem {
	table := GLOBL("places", RODATA|NOPTR)
	for mask := range 256 {
		var word uint64
		n := 0
		for row := range 8 {
			if mask>>row&1 == 1 {
				word |= uint64(row) << (8 * n)
				n++
			}
		}
		DATA(8*mask, U64(word))
	}
	return table
}

// keepNarrow is keep with AVX2, which has neither compression nor numbers of 64 bits as floats.
func keepNarrow() {
	begin("keepAVX2", "func(kept *uint16, weights *float32, draws *uint64, size *float32, n uint64, first uint32, mu float64, step float64) (count uint64)",
		"keepAVX2 is Keep of n rows, a multiple of 8 and not 0. It writes up to 8 rows from each place of kept on.")
	kept, weights := Load(Param("kept"), GP64()), Load(Param("weights"), GP64())
	draws, size, n := Load(Param("draws"), GP64()), Load(Param("size"), GP64()), Load(Param("n"), GP64())
	w := width{"AVX2", 4, YMM, XMM}
	row, eight, number := XMM(), XMM(), GP32()
	VMOVD(Load(Param("first"), GP32()), row)
	VPBROADCASTW(row, row)
	MOVL(U32(8), number)
	VMOVD(number, eight)
	VPBROADCASTW(eight, eight)
	mu, step, one := w.parameter("mu"), w.parameter("step"), w.doubles(1)
	ones := w.words(math.Float32bits(1))
	// A whole number below 2^64 is the sum of two floats, in which its halves are the lowest bits.
	low, high, both := w.doubles(1<<52), w.doubles(1<<84), w.doubles(1<<84+1<<52)
	all, word := YMM(), GP64()
	MOVQ(U64(1<<53), word)
	VMOVQ(word, all.AsX())
	VPBROADCASTQ(all.AsX(), all)
	table, these, mask := GP64(), GP32(), GP32()
	LEAQ(places(), table)
	loop("keepNarrow", n, 8, map[reg.Register]int{weights: 4, draws: 8, size: 4}, []reg.Register{weights, draws, size}, func() {
		for i := range 2 {
			draw, upper, s, weight, is, out := YMM(), YMM(), YMM(), YMM(), YMM(), XMM()
			VMOVDQU(Mem{Base: draws, Disp: 32 * i}, draw)
			VPSRLQ(U8(11), draw, draw)
			VPSUBQ(draw, all, draw)
			VPSRLQ(U8(32), draw, upper)
			VPOR(high, upper, upper)
			VPBLENDD(U8(0b10101010), low, draw, draw)
			VSUBPD(both, upper, upper)
			VADDPD(upper, draw, draw)
			VMULPD(step, draw, draw)
			VCVTPS2PD(Mem{Base: size, Disp: 16 * i}, s)
			VCMPPD(U8(lessOrEqual), s, draw, is)
			VDIVPD(s, mu, weight)
			VMAXPD(one, weight, weight)
			VCVTPD2PSY(weight, out)
			part := XMM()
			if i == 0 {
				VMOVMSKPD(is, these)
			} else {
				VMOVMSKPD(is, mask)
				SHLL(U8(4), mask)
				ORL(mask, these)
			}
			VEXTRACTF128(U8(1), is, part)
			VSHUFPS(U8(0b10001000), part, is.AsX(), part)
			VBLENDVPS(part, out, ones.AsX(), out)
			VMOVUPS(out, Mem{Base: weights, Disp: 16 * i})
		}
		numbers := XMM()
		VPMOVZXBW(Mem{Base: table, Index: these.As64(), Scale: 8}, numbers)
		VPADDW(row, numbers, numbers)
		VMOVDQU(numbers, Mem{Base: kept})
		POPCNTL(these, these)
		LEAQ(Mem{Base: kept, Index: these.As64(), Scale: 2}, kept)
		VPADDW(eight, row, row)
	})
	VZEROUPPER()
	start := Load(Param("kept"), GP64())
	SUBQ(start, kept)
	SHRQ(U8(1), kept)
	Store(kept, Return("count"))
	RET()
}
