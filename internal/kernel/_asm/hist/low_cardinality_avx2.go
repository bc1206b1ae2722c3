package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// narrowStep is the number of rows of a step with AVX2.
const narrowStep = 32

// planesAVX2 writes the form of planes for AVX2.
func planesAVX2(one Mem) {
	order := GLOBL("planeOrder2", RODATA|NOPTR) // where packing leaves every four bytes of a plane
	for i := range 8 {
		DATA(4*i, U32(4*(i%2)+i/2))
	}
	TEXT("planesAVX2", NOSPLIT, "func(planes *[4][1024]uint8, entries *uint64, n uint64, sums *[4][16]uint32)")
	Pragma("noescape")
	Doc("planesAVX2 is planesAVX512 for a multiple of 32 entries.")
	to, from := Load(Param("planes"), GP64()), Load(Param("entries"), GP64())
	left, sums := Load(Param("n"), GP64()), Load(Param("sums"), GP64())
	low16, low8 := YMM(), YMM()
	VPCMPEQB(low16, low16, low16)
	VPSRLW(U8(8), low16, low8)
	VPSRLD(U8(16), low16, low16)

	Label("step")
	var hess, grad [4]reg.VecVirtual
	for i := range 4 {
		v, w := YMM(), Mem{Base: from, Disp: 64*i + 32}
		VMOVUPS(Mem{Base: from, Disp: 64 * i}, v)
		hess[i], grad[i] = YMM(), YMM()
		VSHUFPS(U8(0x88), w, v, hess[i])
		VSHUFPS(U8(0xdd), w, v, grad[i])
		VPERMQ(U8(0xd8), hess[i], hess[i])
		VPERMQ(U8(0xd8), grad[i], grad[i])
		VPAND(low16, hess[i], hess[i])
		if i%2 == 1 { // words, then bytes; nothing is beyond their limits
			VPACKUSDW(hess[i], hess[i-1], hess[i-1])
			VPACKSSDW(grad[i], grad[i-1], grad[i-1])
		}
	}
	zero := YMM()
	VPXOR(zero, zero, zero)
	for i, words := range [][2]reg.VecVirtual{{hess[0], hess[2]}, {grad[0], grad[2]}} {
		lo, next, hi := YMM(), YMM(), YMM()
		VPAND(low8, words[0], lo)
		VPAND(low8, words[1], next)
		VPACKUSWB(next, lo, lo)
		VPSRLW(U8(8), words[0], hi)
		VPSRLW(U8(8), words[1], next)
		VPACKUSWB(next, hi, hi)
		for j, v := range []reg.VecVirtual{lo, hi} {
			plane := 2*i + j
			at := YMM()
			VMOVDQU(order, at)
			VPERMD(v, at, v)
			VMOVDQU(v, Mem{Base: to, Disp: compareBlock * plane})
			if plane == 3 { // signed: 1 times each, as words, then 1 times each of these
				ones := YMM()
				VMOVDQU(one, ones)
				VPMADDUBSW(v, ones, v)
				VPCMPEQW(ones, ones, ones)
				VPSRLW(U8(15), ones, ones)
				VPMADDWD(ones, v, v)
			} else {
				VPSADBW(zero, v, v)
			}
			VPADDD(Mem{Base: sums, Disp: 64 * plane}, v, v)
			VMOVDQU(v, Mem{Base: sums, Disp: 64 * plane})
		}
	}
	ADDQ(U32(8*narrowStep), from)
	ADDQ(U32(narrowStep), to)
	SUBQ(U8(narrowStep), left)
	JNZ(LabelRef("step"))
	VZEROUPPER()
	RET()
}

// compareAVX2 writes the form of compare for AVX2.
func compareAVX2(codes int, table Mem) {
	name := "compareAVX2x" + strconv.Itoa(codes)
	TEXT(name, NOSPLIT, "func(sums *[4][16]uint32, codes *uint8, planes *[4][1024]uint8, n uint64, first uint64)")
	Pragma("noescape")
	Doc(name+" adds 8 parts of the sums of four planes of bytes to the first ones of sums, for the rows",
		"with code first, then for those with the next one, and so on for "+strconv.Itoa(codes)+". It takes n rows, a multiple",
		"of 32, not 0 and not above 2048; their codes stand one to a byte. The fourth plane is signed.")
	sums, from := Load(Param("sums"), GP64()), Load(Param("codes"), GP64())
	planes, left := Load(Param("planes"), GP64()), Load(Param("n"), GP64())
	first, wanted := Load(Param("first"), GP64()), GP64()
	SHLQ(U8(6), first)
	LEAQ(table, wanted)
	ADDQ(first, wanted)
	// Words: a step adds two bytes to each, 64 steps at most 64 × 510 < 2¹⁵.
	parts := make([]reg.VecVirtual, 4*codes)
	for i := range parts {
		parts[i] = YMM()
		VPXOR(parts[i], parts[i], parts[i])
	}
	Label("step")
	for c := range codes {
		in := YMM() // −1 where the code is wanted
		VMOVDQU(Mem{Base: wanted, Disp: compareStep * c}, in)
		VPCMPEQB(Mem{Base: from}, in, in)
		for plane := range 3 {
			data := YMM()
			VMOVDQU(Mem{Base: planes, Disp: compareBlock * plane}, data)
			VPMADDUBSW(in, data, data)
			VPSUBW(data, parts[4*c+plane], parts[4*c+plane])
		}
		VPABSB(in, in)
		VPMADDUBSW(Mem{Base: planes, Disp: compareBlock * 3}, in, in)
		VPADDW(in, parts[4*c+3], parts[4*c+3])
	}
	ADDQ(U8(narrowStep), from)
	ADDQ(U8(narrowStep), planes)
	SUBQ(U8(narrowStep), left)
	JNZ(LabelRef("step"))
	ones := YMM()
	VPCMPEQW(ones, ones, ones)
	VPSRLW(U8(15), ones, ones)
	for i, v := range parts {
		at := Mem{Base: sums, Disp: 64 * i}
		VPMADDWD(ones, v, v)
		VPADDD(at, v, v)
		VMOVDQU(v, at)
	}
	VZEROUPPER()
	RET()
}

// nibblesAVX2 writes the function that gives each of two codes in a byte a byte.
func nibblesAVX2(low Mem) {
	TEXT("nibblesAVX2", NOSPLIT, "func(codes *uint8, packed *uint8, n uint64)")
	Pragma("noescape")
	Doc("nibblesAVX2 writes n packed codes, a multiple of 32 and not 0, one to a byte.")
	to, from, n := Load(Param("codes"), GP64()), Load(Param("packed"), GP64()), Load(Param("n"), GP64())
	mask := YMM()
	VMOVDQU(low, mask)
	Label("step")
	codes, upper := YMM(), YMM()
	VPMOVZXBW(Mem{Base: from}, codes)
	VPSLLW(U8(4), codes, upper)
	VPOR(upper, codes, codes)
	VPAND(mask, codes, codes)
	VMOVDQU(codes, Mem{Base: to})
	ADDQ(U8(narrowStep/2), from)
	ADDQ(U8(narrowStep), to)
	SUBQ(U8(narrowStep), n)
	JNZ(LabelRef("step"))
	VZEROUPPER()
	RET()
}
