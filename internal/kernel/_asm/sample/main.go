// Command sample writes the assembly of the package internal/kernel/sample: rows are measured, summed and drawn by AVX-512, 8 or 16 at
// a time. The Go forms are sample.go there.
package main

import (
	"math"

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
	largest()
	sumMagnitudes()
	sumBelow()
	addSquares()
	roots()
	keep(lanes)
	scale()
	Generate()
}

// begin begins a function.
func begin(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

// words fills a vector with a number of 32 bits.
func words(x uint32) reg.VecVirtual {
	v, word := ZMM(), GP32()
	MOVL(U32(x), word)
	VPBROADCASTD(word, v)
	return v
}

// doubles fills a vector with a float64.
func doubles(x float64) reg.VecVirtual {
	v, word := ZMM(), GP64()
	MOVQ(U64(math.Float64bits(x)), word)
	VPBROADCASTQ(word, v)
	return v
}

// parameter fills a vector with a parameter, a float64.
func parameter(name string) reg.VecVirtual {
	v, x := ZMM(), XMM()
	Load(Param(name), x)
	VBROADCASTSD(x, v)
	return v
}

func none() reg.VecVirtual {
	v := ZMM()
	VPXORQ(v, v, v)
	return v
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
func highest(v reg.VecVirtual, whole bool) reg.Register {
	y, x, part := v.AsY(), v.AsX(), XMM()
	if whole {
		half := YMM()
		VEXTRACTI64X4(U8(1), v, half)
		VPMAXUD(half, y, y)
	}
	VEXTRACTI128(U8(1), y, part)
	VPMAXUD(part, x, x)
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
	half, part := YMM(), XMM()
	VEXTRACTI64X4(U8(1), v, half)
	VPADDQ(half, v.AsY(), v.AsY())
	VEXTRACTI128(U8(1), v.AsY(), part)
	VPADDQ(part, v.AsX(), v.AsX())
	VPSHUFD(U8(0b01001110), v.AsX(), part)
	VPADDQ(part, v.AsX(), v.AsX())
	result := GP64()
	VMOVQ(v.AsX(), result)
	return result
}

func largest() {
	begin("largestAVX512", "func(values *float32, n uint64) uint32", "largestAVX512 is Largest of n values, a multiple of 16 and not 0.")
	values, n := Load(Param("values"), GP64()), Load(Param("n"), GP64())
	bits, most := words(magnitude), none()
	loop("largest", n, 16, map[reg.Register]int{values: 4}, []reg.Register{values}, func() {
		x := ZMM()
		VPANDD(Mem{Base: values}, bits, x)
		VPMAXUD(x, most, most)
	})
	result := highest(most, true)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}

// adder adds whole numbers of a unit up.
type adder struct{ up, toWhole, sum reg.VecVirtual }

func newAdder() adder {
	return adder{parameter("up"), doubles(1<<52 + 1<<51), none()}
}

// add adds 8 magnitudes.
func (a *adder) add(singles Op) {
	x := ZMM()
	VCVTPS2PD(singles, x)
	VMULPD(a.up, x, x)
	VADDPD(a.toWhole, x, x)
	VPADDQ(x, a.sum, a.sum)
}

func sumMagnitudes() {
	begin("sumMagnitudesAVX512", "func(values *float32, n uint64, up float64) int64",
		"sumMagnitudesAVX512 adds up the bits of whole of the magnitudes of n values, a multiple of 8 and not 0.")
	values, n := Load(Param("values"), GP64()), Load(Param("n"), GP64())
	bits, a := words(magnitude), newAdder()
	loop("magnitudes", n, 8, map[reg.Register]int{values: 4}, []reg.Register{values}, func() {
		x := YMM()
		VPANDD(Mem{Base: values}, bits.AsY(), x)
		a.add(x)
	})
	result := total(a.sum)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}

func sumBelow() {
	begin("sumBelowAVX512", "func(size *float32, n uint64, cut uint32, up float64) (sum int64, below uint64)",
		"sumBelowAVX512 adds up the bits of whole of n sizes, a multiple of 16 and not 0: of 0 in place of those whose bits are not below cut.",
		"It counts the others.")
	size, n := Load(Param("size"), GP64()), Load(Param("n"), GP64())
	cut, below := ZMM(), GP64()
	VPBROADCASTD(Load(Param("cut"), GP32()), cut)
	XORQ(below, below)
	a := newAdder()
	loop("below", n, 16, map[reg.Register]int{size: 4}, []reg.Register{size}, func() {
		x, high, k, count := ZMM(), YMM(), K(), GP32()
		VMOVDQU32(Mem{Base: size}, x)
		VPCMPD(U8(less), cut, x, k)
		VMOVDQA32_Z(x, k, x)
		VEXTRACTF64X4(U8(1), x, high)
		a.add(x.AsY())
		a.add(high)
		KMOVW(k, count)
		POPCNTL(count, count)
		ADDQ(count.As64(), below)
	})
	result := total(a.sum)
	VZEROUPPER()
	Store(result, Return("sum"))
	Store(below, Return("below"))
	RET()
}

func addSquares() {
	begin("addSquaresAVX512", "func(to *float64, grad *float32, hess *float32, n uint64, ratio float64)",
		"addSquaresAVX512 is AddSquares of n rows, a multiple of 8 and not 0.")
	to, grad, hess := Load(Param("to"), GP64()), Load(Param("grad"), GP64()), Load(Param("hess"), GP64())
	n, ratio := Load(Param("n"), GP64()), parameter("ratio")
	loop("squares", n, 8, map[reg.Register]int{to: 8, grad: 4, hess: 4}, []reg.Register{to, grad, hess}, func() {
		g, h := ZMM(), ZMM()
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

func roots() {
	begin("rootsAVX512", "func(size *float32, squares *float64, n uint64) (largest uint32)",
		"rootsAVX512 is Roots of n rows, a multiple of 8 and not 0.")
	size, squares, n := Load(Param("size"), GP64()), Load(Param("squares"), GP64()), Load(Param("n"), GP64())
	finite, most := words(math.Float32bits(math.MaxFloat32)), none()
	loop("roots", n, 8, map[reg.Register]int{size: 4, squares: 8}, []reg.Register{size, squares}, func() {
		x, y := ZMM(), YMM()
		VSQRTPD(Mem{Base: squares}, x)
		VCVTPD2PS(x, y)
		VMINPS(finite.AsY(), y, y) // the former of what is not a number
		VMOVUPS(y, Mem{Base: size})
		VPMAXUD(y, most.AsY(), most.AsY())
	})
	result := highest(most, false)
	VZEROUPPER()
	Store(result, Return("largest"))
	RET()
}

func keep(lanes Mem) {
	begin("keepAVX512", "func(kept *uint16, weights *float32, draws *uint64, size *float32, n uint64, first uint32, mu float64, step float64) (count uint64)",
		"keepAVX512 is Keep of n rows, a multiple of 16 and not 0. It writes up to 16 rows from each place of kept on.")
	kept, weights := Load(Param("kept"), GP64()), Load(Param("weights"), GP64())
	draws, size, n := Load(Param("draws"), GP64()), Load(Param("size"), GP64()), Load(Param("n"), GP64())
	rows, sixteen := ZMM(), words(16)
	VPBROADCASTD(Load(Param("first"), GP32()), rows)
	VPADDD(lanes, rows, rows)
	mu, step, one := parameter("mu"), parameter("step"), doubles(1)
	all, ones := ZMM(), words(math.Float32bits(1))
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

func scale() {
	begin("scaleAVX512", "func(values *float32, by *float32, n uint64)", "scaleAVX512 is Scale of n values, a multiple of 16 and not 0.")
	values, by, n := Load(Param("values"), GP64()), Load(Param("by"), GP64()), Load(Param("n"), GP64())
	loop("scale", n, 16, map[reg.Register]int{values: 4, by: 4}, []reg.Register{values, by}, func() {
		x := ZMM()
		VMOVUPS(Mem{Base: values}, x)
		VMULPS(Mem{Base: by}, x, x)
		VMOVUPS(x, Mem{Base: values})
	})
	VZEROUPPER()
	RET()
}
