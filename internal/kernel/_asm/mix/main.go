// Command mix writes the assembly of the package internal/kernel/mix.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	golden    = 0x9E3779B97F4A7C15
	missing   = 0x7FF8_6D69_7373_696E
	unordered = 3 // comparisons of VCMPPD
	unequal   = 4
	less      = 1 // of VPCMPUQ
)

func main() {
	ConstraintExpr("amd64,!purego")
	steps := GLOBL("steps", RODATA|NOPTR)
	for lane := range 8 {
		DATA(8*lane, U64(golden*uint64(lane)))
	}
	numbers("numbers32AVX512", "float32", 4, steps)
	numbers("numbers64AVX512", "float64", 8, steps)
	draws(steps)
	Generate()
}

// draws writes rng.Draw of 8 rows at a time.
func draws(steps Mem) {
	TEXT("drawsAVX512", NOSPLIT, "func(to *uint64, n uint64, first uint64)")
	Pragma("noescape")
	Doc("drawsAVX512 writes the mixes of first, first + golden and so on: n numbers, a multiple of 8 and not 0.")
	to, n := Load(Param("to"), GP64()), Load(Param("n"), GP64())
	at := ZMM()
	VPBROADCASTQ(Load(Param("first"), GP64()), at)
	VPADDQ(steps, at, at)
	m := newMixer()
	var eight uint64 = golden
	step := constant(8 * eight)
	Label("step")
	x := ZMM()
	VMOVDQA64(at, x)
	m.mix(x)
	VMOVDQU64(x, Mem{Base: to})
	VPADDQ(step, at, at)
	ADDQ(U32(64), to)
	SUBQ(U8(8), n)
	JNZ(LabelRef("step"))
	VZEROUPPER()
	RET()
}

// constant fills a vector with a number.
func constant(x uint64) reg.VecVirtual {
	v, word := ZMM(), GP64()
	MOVQ(U64(x), word)
	VPBROADCASTQ(word, v)
	return v
}

// numbers adds up the mixes of 8 cells at a time: each lane has a sum of 128 bits.
func numbers(name, kind string, size int, steps Mem) {
	TEXT(name, NOSPLIT, "func(values *"+kind+", n uint64, row uint64, key0 uint64, key1 uint64, sums *uint64)")
	Pragma("noescape")
	Doc(name+" sets sums to those of 8 lanes, first their lower halves and then the upper ones, over n values, a multiple of 8",
		"and not 0. row is the first value's row times golden.")
	values, n := Load(Param("values"), GP64()), Load(Param("n"), GP64())
	every := func(param string) reg.VecVirtual {
		v := ZMM()
		VPBROADCASTQ(Load(Param(param), GP64()), v)
		return v
	}
	row, key0, key1 := every("row"), every("key0"), every("key1")
	VPADDQ(steps, row, row)
	m := newMixer()
	var eight uint64 = golden
	eight *= 8
	step, none, one := constant(eight), constant(missing), constant(1)
	zero, lows, highs := ZMM(), ZMM(), ZMM()
	for _, v := range []reg.VecVirtual{zero, lows, highs} {
		VPXORQ(v, v, v)
	}

	Label("step")
	x, turned := ZMM(), ZMM()
	if size == 4 {
		VCVTPS2PD(Mem{Base: values}, x)
	} else {
		VMOVUPD(Mem{Base: values}, x)
	}
	used, gaps, carry := K(), K(), K()
	VCMPPD(U8(unequal), zero, x, used) // a NaN is unequal
	VCMPPD(U8(unordered), x, x, gaps)
	VMOVDQA64(none, gaps, x)
	lo, hi := ZMM(), ZMM()
	VPXORQ(key0, x, lo)
	VPADDQ(key1, x, hi)
	m.mix(lo)
	m.mix(hi)
	VPADDQ(row, lo, lo)
	VPROLQ(U8(32), row, turned)
	VPXORQ(turned, hi, hi)
	m.mix(lo)
	m.mix(hi)
	VPROLQ(U8(17), lo, turned)
	VPADDQ(turned, hi, hi)
	m.mix(hi)
	VPADDQ(lo, lows, used, lows)
	VPCMPUQ(U8(less), lo, lows, used, carry)
	VPADDQ(hi, highs, used, highs)
	VPADDQ(one, highs, carry, highs)
	VPADDQ(step, row, row)
	ADDQ(U32(8*size), values)
	SUBQ(U8(8), n)
	JNZ(LabelRef("step"))

	out := Load(Param("sums"), GP64())
	VMOVDQU64(lows, Mem{Base: out})
	VMOVDQU64(highs, Mem{Base: out, Disp: 64})
	VZEROUPPER()
	RET()
}

// mixer holds the factors of SplitMix64's finalizer.
type mixer struct{ first, second reg.VecVirtual }

func newMixer() mixer { return mixer{constant(0xBF58476D1CE4E5B9), constant(0x94D049BB133111EB)} }

func (m mixer) mix(x reg.VecVirtual) {
	part := ZMM()
	fold := func(shift uint8) {
		VPSRLQ(U8(shift), x, part)
		VPXORQ(part, x, x)
	}
	fold(30)
	VPMULLQ(m.first, x, x)
	fold(27)
	VPMULLQ(m.second, x, x)
	fold(31)
}
