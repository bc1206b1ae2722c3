package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// compareBlock is the number of rows whose planes are made at a time (compareBlock of the package).
	compareBlock = 1024
	// compareStep is the number of rows of a step: the bytes of a vector.
	compareStep = 64
)

// lowCardinality writes the functions that add up columns of few codes by comparing.
func lowCardinality() {
	one, low, codes := fill("one8", 1), fill("low4", 15), compareCodes()
	planes(one, planeOrder())
	for _, n := range []int{3, 5, 7} {
		compare(n, true, codes, one, low)
		compare(n, false, codes, one, low)
	}
	planesAVX2(one)
	for n := 1; n <= 3; n++ {
		compareAVX2(n, codes)
	}
	nibblesAVX2(low)
	fold()
}

// planes writes the function that spreads the codes of consecutive entries over four
// planes of bytes: the lower and upper bytes of the hessians, and of the gradients.
func planes(one, planeOrder Mem) {
	TEXT("planesAVX512", NOSPLIT, "func(planes *[4][1024]uint8, entries *uint64, n uint64, sums *[4][16]uint32)")
	Pragma("noescape")
	Doc("planesAVX512 writes the lower and upper bytes of the hessian codes and of the gradient codes",
		"of n entries, a multiple of 64 and not 0, in their order, and adds 16 parts of the sum of",
		"each plane to sums. The upper bytes of gradients are signed.")
	to, from := Load(Param("planes"), GP64()), Load(Param("entries"), GP64())
	left, sums := Load(Param("n"), GP64()), Load(Param("sums"), GP64())
	low16, low8, ones, order := ZMM(), ZMM(), ZMM(), ZMM()
	VPTERNLOGD(U8(0xff), low16, low16, low16)
	VPSRLW(U8(8), low16, low8)
	VPSRLD(U8(16), low16, low16)
	VMOVDQU64(one, ones)
	VMOVDQU64(planeOrder, order)
	total := make([]reg.VecVirtual, 4)
	for i := range total {
		total[i] = ZMM()
		VMOVDQU64(Mem{Base: sums, Disp: 64 * i}, total[i])
	}

	Label("step")
	// The halves of 16 entries each. A lane of 128 bits takes two entries of either vector.
	var hess, grad [4]reg.VecVirtual
	for i := range 4 {
		v, w := ZMM(), Mem{Base: from, Disp: 128*i + 64}
		VMOVDQU64(Mem{Base: from, Disp: 128 * i}, v)
		hess[i], grad[i] = ZMM(), ZMM()
		VSHUFPS(U8(0x88), w, v, hess[i])
		VSHUFPS(U8(0xdd), w, v, grad[i])
	}
	for i := range 4 {
		VPANDD(low16, hess[i], hess[i])
	}
	// Words, then bytes; nothing is beyond their limits.
	for i := 0; i < 4; i += 2 {
		VPACKUSDW(hess[i+1], hess[i], hess[i])
		VPACKSSDW(grad[i+1], grad[i], grad[i])
	}
	for i, words := range [][2]reg.VecVirtual{{hess[0], hess[2]}, {grad[0], grad[2]}} {
		lo, next, hi := ZMM(), ZMM(), ZMM()
		VPANDD(low8, words[0], lo)
		VPANDD(low8, words[1], next)
		VPACKUSWB(next, lo, lo)
		VPSRLW(U8(8), words[0], hi)
		VPSRLW(U8(8), words[1], next)
		VPACKUSWB(next, hi, hi)
		for j, v := range []reg.VecVirtual{lo, hi} {
			plane := 2*i + j
			VPERMW(v, order, v)
			VMOVDQU64(v, Mem{Base: to, Disp: compareBlock * plane})
			if plane == 3 { // signed
				VPDPBUSD(v, ones, total[plane])
			} else {
				VPDPBUSD(ones, v, total[plane])
			}
		}
	}
	ADDQ(U32(8*compareStep), from)
	ADDQ(U32(compareStep), to)
	SUBQ(U8(compareStep), left)
	JNZ(LabelRef("step"))
	for i := range total {
		VMOVDQU64(total[i], Mem{Base: sums, Disp: 64 * i})
	}
	VZEROUPPER()
	RET()
}

// planeOrder lists for every two bytes of a plane where packing leaves them.
func planeOrder() Mem {
	// Entry e is in vector e/8, lane e%8/2; vectors 2i and 2i+1 are halved together: a lane of
	// the i-th halves has entries 16i+2l, 16i+2l+1, 16i+8+2l, 16i+8+2l+1. A lane of what is
	// packed has 4 of the first halves, 4 of the second, of the third, of the fourth.
	order := GLOBL("planeOrder", RODATA|NOPTR)
	var at [32]uint16
	for lane := range 4 {
		for i := range 4 {
			at[(16*i+2*lane)/2] = uint16(8*lane + 2*i)
			at[(16*i+8+2*lane)/2] = uint16(8*lane + 2*i + 1)
		}
	}
	for i, a := range at {
		DATA(2*i, U16(a))
	}
	return order
}

// compareCodes holds the codes from 0 on, each in 64 bytes.
func compareCodes() Mem {
	codes := GLOBL("compareCodes", RODATA|NOPTR)
	for code := range 16 {
		for i := range 8 {
			DATA(compareStep*code+8*i, U64(uint64(code)*0x0101010101010101))
		}
	}
	return codes
}

// fill sets the global of 64 bytes of the given name to one byte.
func fill(name string, b byte) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(uint64(b)*0x0101010101010101))
	}
	return m
}

// compare writes the function that adds up the rows of so many codes.
func compare(codes int, nibbles bool, table, ones, low Mem) {
	name, unit := "compareBytes", "one to a byte"
	if nibbles {
		name, unit = "compareNibbles", "two to a byte"
	}
	name += strconv.Itoa(codes)
	TEXT(name, NOSPLIT, "func(sums *[4][16]uint32, codes *uint8, planes *[4][1024]uint8, n uint64, first uint64)")
	Pragma("noescape")
	Doc(name+" adds 16 parts of the sums of four planes of bytes to sums, for the rows with code first,",
		"then for those with the next one, and so on for "+strconv.Itoa(codes)+". It takes n rows, a multiple of 64 and not 0;",
		"their codes stand "+unit+". The fourth plane is signed.")
	sums, from := Load(Param("sums"), GP64()), Load(Param("codes"), GP64())
	planes, left := Load(Param("planes"), GP64()), Load(Param("n"), GP64())
	first, wanted := Load(Param("first"), GP64()), GP64()
	SHLQ(U8(6), first)
	LEAQ(table, wanted)
	ADDQ(first, wanted)
	parts := make([]reg.VecVirtual, 4*codes)
	for i := range parts {
		parts[i] = ZMM()
		VMOVDQU64(Mem{Base: sums, Disp: 64 * i}, parts[i])
	}
	Label("step")
	have := ZMM()
	if nibbles {
		upper := ZMM()
		VPMOVZXBW(Mem{Base: from}, have)
		VPSLLW(U8(4), have, upper)
		VPTERNLOGD(U8(0xa8), low, upper, have) // (have or upper) and low
		ADDQ(U8(compareStep/2), from)
	} else {
		VMOVDQU64(Mem{Base: from}, have)
		ADDQ(U8(compareStep), from)
	}
	// All comparisons first, into as many masks as there are: with that the vectors last.
	masks := make([]reg.Register, codes)
	for c := range masks {
		k := K()
		VPCMPEQB(Mem{Base: wanted, Disp: compareStep * c}, have, k)
		masks[c] = k
	}
	var data [3]reg.VecVirtual
	for plane := range data {
		data[plane] = ZMM()
		VMOVDQU64(Mem{Base: planes, Disp: compareBlock * plane}, data[plane])
	}
	for c, k := range masks {
		in := ZMM()
		VMOVDQU8_Z(ones, k, in)
		for plane, d := range data {
			VPDPBUSD(in, d, parts[4*c+plane])
		}
		VPDPBUSD(Mem{Base: planes, Disp: compareBlock * 3}, in, parts[4*c+3])
	}
	ADDQ(U8(compareStep), planes)
	SUBQ(U8(compareStep), left)
	JNZ(LabelRef("step"))
	for i, v := range parts {
		VMOVDQU64(v, Mem{Base: sums, Disp: 64 * i})
	}
	VZEROUPPER()
	RET()
}

// fold writes the function that adds up the parts.
func fold() {
	TEXT("foldAVX2", NOSPLIT, "func(sums *[4]uint32, parts *[4][16]uint32, n uint64)")
	Pragma("noescape")
	Doc("foldAVX2 writes the sums of the 16 parts of n times four numbers; n is not 0.")
	to, from, n := Load(Param("sums"), GP64()), Load(Param("parts"), GP64()), Load(Param("n"), GP64())
	Label("four")
	var v [4]reg.VecVirtual
	for i := range v {
		v[i] = YMM()
		VMOVDQU(Mem{Base: from, Disp: 64 * i}, v[i])
		VPADDD(Mem{Base: from, Disp: 64*i + 32}, v[i], v[i])
	}
	VPHADDD(v[1], v[0], v[0])
	VPHADDD(v[3], v[2], v[2])
	VPHADDD(v[2], v[0], v[0])
	VEXTRACTI128(U8(1), v[0], v[1].AsX())
	VPADDD(v[1].AsX(), v[0].AsX(), v[0].AsX())
	VMOVDQU(v[0].AsX(), Mem{Base: to})
	ADDQ(U32(256), from)
	ADDQ(U8(16), to)
	DECQ(n)
	JNZ(LabelRef("four"))
	VZEROUPPER()
	RET()
}
