package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A block of Q4_0: the scale and 16 bytes of codes, of 32 floats.
const (
	q4Scale  = 4
	q4Bytes  = 20
	q4Floats = 4 * 32
)

// quantizeQ4 finds the largest magnitude of a block, and with it the scale and what the values are
// multiplied by, one number each; the blocks do not wait for each other. Codes become bytes,
// and neighbours a byte by multiplying and adding.
func (s set) quantizeQ4() {
	s.begin("quantizeQ4", "func(values *float32, n uint64, blocks *byte) (peak uint64)",
		" is QuantizeQ4 for n blocks, not 0.")
	values, n, blocks := number("values"), number("n"), number("blocks")
	magnitude, peak := s.constant(0x7fffffff7fffffff), s.zero()
	seven, raised := float(0x401c000000000000), float(0x3ff0000000100000)
	least, largest := ymm(0xf8f8f8f8f8f8f8f8), ymm(0x0707070707070707)
	kept, join := ymm(0x0f0f0f0f0f0f0f0f), ymm(0x1001100110011001)
	zero := XMM()
	VPXOR(zero, zero, zero)
	Label("block")

	most := s.vector()
	s.and(Mem{Base: values}, magnitude, most)
	for at := s.bytes; at < q4Floats; at += s.bytes {
		v := s.vector()
		s.and(Mem{Base: values, Disp: at}, magnitude, v)
		VPMAXUD(v, most, most)
	}
	VPMAXUD(most, peak, peak)
	s.most(most)
	scale, wide, nonzero, times := XMM(), XMM(), XMM(), s.vector()
	VCVTSS2SD(most.AsX(), most.AsX(), wide)
	VDIVSD(seven, wide, wide)
	VCVTSD2SS(wide, wide, scale)
	VMOVSS(scale, Mem{Base: blocks})
	VCVTSS2SD(scale, scale, wide)
	VDIVSD(wide, raised, times.AsX())
	const unequal = 4
	VCMPSD(U8(unequal), zero, wide, nonzero)
	VANDPD(nonzero, times.AsX(), times.AsX())
	VBROADCASTSD(times.AsX(), times)

	codes := YMM()
	var halves [2]reg.VecVirtual
	for i := range halves {
		halves[i] = s.sixteen(values, i*q4Floats/2, times)
	}
	VINSERTI128(U8(1), halves[1].AsX(), halves[0].AsY(), codes)
	VPMINSB(largest, codes, codes)
	VPMAXSB(least, codes, codes)
	VPAND(kept, codes, codes)
	VPMADDUBSW(join, codes, codes)
	if s.wide() {
		VPMOVWB(codes, codes.AsX())
	} else {
		upper := XMM()
		VEXTRACTI128(U8(1), codes, upper)
		VPACKUSWB(upper, codes.AsX(), codes.AsX())
	}
	VMOVDQU(codes.AsX(), Mem{Base: blocks, Disp: q4Scale})

	ADDQ(U32(q4Floats), values)
	ADDQ(U8(q4Bytes), blocks)
	DECQ(n)
	JNZ(LabelRef("block"))
	s.returnMost(peak)
}

// sixteen returns the codes of 16 floats as bytes, those beyond a byte at its limits.
func (s set) sixteen(values reg.GPVirtual, at int, times reg.VecVirtual) reg.VecVirtual {
	parts := make([]reg.VecVirtual, 16*8/s.bytes)
	for i := range parts {
		x := s.vector()
		VCVTPS2PD(Mem{Base: values, Disp: at + i*s.bytes/2}, x)
		VMULPD(times, x, x)
		if s.wide() {
			VCVTPD2DQ(x, x.AsY())
		} else {
			VCVTPD2DQY(x, x.AsX())
		}
		parts[i] = x
	}
	if s.wide() {
		VINSERTI64X4(U8(1), parts[1].AsY(), parts[0], parts[0])
		VPMOVSDB(parts[0], parts[0].AsX())
		return parts[0]
	}
	VPACKSSDW(parts[1].AsX(), parts[0].AsX(), parts[0].AsX())
	VPACKSSDW(parts[3].AsX(), parts[2].AsX(), parts[2].AsX())
	VPACKSSWB(parts[2].AsX(), parts[0].AsX(), parts[0].AsX())
	return parts[0]
}

// dequantizeQ4 looks the floats of a block up among 16 products (AVX-512), or moves each code up to
// where its sign is the dword's and down again (AVX2).
func (s set) dequantizeQ4() {
	s.begin("dequantizeQ4", "func(blocks *byte, n uint64, values *float32)",
		" is DequantizeQ4 for n blocks, not 0.")
	blocks, n, values := number("blocks"), number("n"), number("values")
	var numbers, up reg.VecVirtual
	if s.wide() {
		low, high := XMM(), XMM()
		numbers = ZMM()
		VMOVQ(word(0x0706050403020100), low)
		VMOVQ(word(0xfffefdfcfbfaf9f8), high)
		VPUNPCKLQDQ(high, low, low)
		VPMOVSXBD(low, numbers)
		VCVTDQ2PS(numbers, numbers)
	} else {
		up = YMM()
		VMOVQ(word(0x0004080c1014181c), up.AsX())
		VPMOVZXBD(up.AsX(), up)
	}
	Label("block")
	scale := s.vector()
	VBROADCASTSS(Mem{Base: blocks}, scale)
	if s.wide() {
		VMULPS(scale, numbers, scale)
	}
	for at := 0; at < q4Floats; at += s.bytes {
		v, from := s.vector(), Mem{Base: blocks, Disp: q4Scale + at/8}
		if s.wide() {
			// The lowest four bits of a dword choose: of the lower half of a qword those of
			// the low code, of the upper half, 28 bits up, those of the high one.
			w := s.vector()
			VPMOVZXBQ(from, v)
			VPSLLQ(U8(28), v, w)
			VPORQ(w, v, v)
			VPERMPS(scale, v, v)
		} else {
			VPBROADCASTD(from, v)
			VPSLLVD(up, v, v)
			VPSRAD(U8(28), v, v)
			VCVTDQ2PS(v, v)
			VMULPS(scale, v, v)
		}
		s.store(v, Mem{Base: values, Disp: at})
	}
	ADDQ(U8(q4Bytes), blocks)
	ADDQ(U32(q4Floats), values)
	DECQ(n)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// word loads a number.
func word(w uint64) reg.GPVirtual {
	r := GP64()
	MOVQ(U64(w), r)
	return r
}

// float loads a float64 by its bits.
func float(bits uint64) reg.VecVirtual {
	x := XMM()
	VMOVQ(word(bits), x)
	return x
}

// ymm repeats a word in 32 bytes.
func ymm(w uint64) reg.VecVirtual {
	y := YMM()
	VMOVQ(word(w), y.AsX())
	VPBROADCASTQ(y.AsX(), y)
	return y
}
