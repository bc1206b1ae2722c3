// Command codec writes the assembly of the package internal/kernel/codec: streams of bits
// packed and unpacked 32 or 64 codes at a time and looked through for codes that do not
// belong there, the largest magnitude of floats, and floats made codes and back. The Go forms
// are stream.go, check.go, maxabs.go, block.go and q4.go there.
package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!purego")
	for _, s := range []set{{"AVX512", 64}, {"AVX2", 32}} {
		s.pack()
		s.unpack()
		s.anyFull()
		s.anyAbove()
		s.add()
		s.maxAbs()
		s.multiples()
		s.values()
		s.quantizeQ4()
		s.dequantizeQ4()
	}
	Generate()
}

// Offsets in the struct plan of the package.
const (
	apart     = 0
	together  = 64
	even      = 128
	odd       = 144
	evenTimes = 160
	oddTimes  = 176
	closeUp   = 192
	pairs     = 208
	fours     = 212
	left      = 216
	right     = 224
	kept      = 232
	bytesMask = 240
	width     = 248
)

// set is an instruction set with so many bytes in a vector.
type set struct {
	name  string
	bytes int
}

func (s set) wide() bool { return s.bytes == 64 }

func (s set) vector() reg.VecVirtual {
	if s.wide() {
		return ZMM()
	}
	return YMM()
}

// begin opens a function.
func (s set) begin(name, signature, doc string) {
	TEXT(name+s.name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(strings.Split(name+s.name+doc, "\n")...)
}

// touches ends the description of a function that goes over a stream.
func (s set) touches(does string) string {
	if s.wide() {
		return "64 and not 0."
	}
	return "32 and not 0. It " + does + " the 16 bytes\nfrom where the last 16 codes begin."
}

func (s set) store(from reg.VecVirtual, to Mem) {
	if s.wide() {
		VMOVDQU64(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

func (s set) or(a, b, to Op) {
	if s.wide() {
		VPORQ(a, b, to)
	} else {
		VPOR(a, b, to)
	}
}

func (s set) and(a, b, to Op) {
	if s.wide() {
		VPANDQ(a, b, to)
	} else {
		VPAND(a, b, to)
	}
}

func (s set) zero() reg.VecVirtual {
	v := s.vector()
	if s.wide() {
		VPXORQ(v, v, v)
	} else {
		VPXOR(v, v, v)
	}
	return v
}

// lanes16 repeats 16 bytes of memory, dwords 4, qwords 8.
func (s set) lanes16(m Mem) reg.VecVirtual {
	v := s.vector()
	if s.wide() {
		VBROADCASTI32X4(m, v)
	} else {
		VBROADCASTI128(m, v)
	}
	return v
}

func (s set) dwords(m Mem) reg.VecVirtual {
	v := s.vector()
	VPBROADCASTD(m, v)
	return v
}

func (s set) qwords(m Mem) reg.VecVirtual {
	v := s.vector()
	VPBROADCASTQ(m, v)
	return v
}

// number loads a parameter.
func number(param string) reg.GPVirtual {
	r := GP64()
	Load(Param(param), r)
	return r
}

// repeated repeats the word that is the function's parameter of that name.
func (s set) repeated(param string) reg.VecVirtual {
	v := s.vector()
	r := Load(Param(param), GP64())
	VMOVQ(r, v.AsX())
	VPBROADCASTQ(v.AsX(), v)
	return v
}

// constant repeats a word.
func (s set) constant(word uint64) reg.VecVirtual {
	v, r := s.vector(), GP64()
	MOVQ(U64(word), r)
	VMOVQ(r, v.AsX())
	VPBROADCASTQ(v.AsX(), v)
	return v
}

// returnAny ends a function that returns 1 if a vector has any bit, 0 otherwise.
func (s set) returnAny(v reg.VecVirtual) {
	r := GP64()
	XORL(r.As32(), r.As32())
	if s.wide() {
		k := K()
		VPTESTMQ(v, v, k)
		KORTESTB(k, k)
	} else {
		VPTEST(v, v)
	}
	SETNE(r.As8())
	Store(r, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// pack joins neighbours by multiplying and adding, bytes to words and words to dwords, and the
// dwords of a qword by two shifts: first the lower one's codes up to where the upper one's
// begin, then both down. That leaves width bytes in each qword, which are moved together.
func (s set) pack() {
	s.begin("pack", "func(codes *byte, n uint64, out *byte, plan *byte, bias uint64)",
		" is pack for n codes of 1 to 7 bits, a multiple of "+s.touches("writes"))
	codes, out, n, p := number("codes"), number("out"), number("n"), number("plan")
	bias := s.repeated("bias")
	byPair, byFour := s.dwords(Mem{Base: p, Disp: pairs}), s.dwords(Mem{Base: p, Disp: fours})
	up, down := s.qwords(Mem{Base: p, Disp: left}), s.qwords(Mem{Base: p, Disp: right})
	close := s.lanes16(Mem{Base: p, Disp: closeUp})
	step := GP64()
	MOVQ(Mem{Base: p, Disp: width}, step)
	var join reg.VecVirtual
	var k reg.Register
	if s.wide() {
		join = ZMM()
		VMOVDQU64(Mem{Base: p, Disp: together}, join)
		k = K()
		KMOVQ(Mem{Base: p, Disp: bytesMask}, k)
		SHLQ(U8(3), step) // 64 codes
	} else {
		SHLQ(U8(1), step) // 16 codes
	}

	s.steps(out, step, n, func(whole bool) {
		v := s.vector()
		VPADDB(Mem{Base: codes}, bias, v)
		VPMADDUBSW(v, byPair, v)
		VPMADDWD(byFour, v, v)
		VPSLLVD(up, v, v)
		VPSRLVQ(down, v, v)
		VPSHUFB(close, v, v)
		switch {
		case whole:
			VPERMW(v, join, v)
			VMOVDQU64(v, Mem{Base: out}) // the next step writes over what is too much
		case s.wide():
			VPERMW(v, join, v)
			VMOVDQU8(v, k, Mem{Base: out})
		default:
			upper := XMM()
			VEXTRACTI128(U8(1), v, upper)
			VMOVDQU(v.AsX(), Mem{Base: out})
			VMOVDQU(upper, Mem{Base: out, Index: step, Scale: 1})
			ADDQ(step, out)
		}
		ADDQ(step, out)
		ADDQ(U8(s.bytes), codes)
	})
	VZEROUPPER()
	RET()
}

// steps writes the loop over n codes of a stream. With AVX-512 it has two parts: whole vectors
// of the stream while they end within it, then only the bytes of 64 codes, by a mask. Masks
// cost: of memory that no cache holds, a loop with them loads half as much a second.
func (s set) steps(stream, step, n reg.GPVirtual, body func(whole bool)) {
	if s.wide() {
		end, reach := GP64(), GP64()
		MOVQ(n, end)
		SHRQ(U8(6), end)
		IMULQ(step, end)
		ADDQ(stream, end)
		Label("whole")
		LEAQ(Mem{Base: stream, Disp: 64}, reach)
		CMPQ(reach, end)
		JHI(LabelRef("step"))
		body(true)
		SUBQ(U8(64), n)
		JMP(LabelRef("whole")) // 64 codes take less than 64 bytes, so the last are never done here
	}
	Label("step")
	body(false)
	SUBQ(U8(s.bytes), n)
	JNZ(LabelRef("step"))
}

// spreader unpacks vectors of codes: bytes that hold a code are put into a 16-bit word and
// multiplied by a power of two, which shifts each by its own distance. The codes of even
// number end in the lower byte of a word, those of odd number in the upper.
type spreader struct {
	set
	even, odd, evenTimes, oddTimes, kept, lower, upper, apart reg.VecVirtual
	k                                                         reg.Register
	step                                                      reg.GPVirtual
}

func (s set) spreader(p reg.Register) spreader {
	sp := spreader{
		set: s, even: s.lanes16(Mem{Base: p, Disp: even}), odd: s.lanes16(Mem{Base: p, Disp: odd}),
		evenTimes: s.lanes16(Mem{Base: p, Disp: evenTimes}), oddTimes: s.lanes16(Mem{Base: p, Disp: oddTimes}),
		kept: s.dwords(Mem{Base: p, Disp: kept}), step: GP64(),
	}
	MOVQ(Mem{Base: p, Disp: width}, sp.step)
	sp.lower = s.constant(0x00ff00ff00ff00ff)
	if s.wide() {
		sp.apart = ZMM()
		VMOVDQU64(Mem{Base: p, Disp: apart}, sp.apart)
		sp.k = K()
		KMOVQ(Mem{Base: p, Disp: bytesMask}, sp.k)
		SHLQ(U8(3), sp.step)
	} else {
		sp.upper = s.vector()
		VPANDN(sp.kept, sp.lower, sp.upper)
		VPAND(sp.kept, sp.lower, sp.lower)
		SHLQ(U8(1), sp.step)
	}
	return sp
}

// next returns the next codes and goes on in the data.
func (sp spreader) next(data reg.GPVirtual, whole bool) reg.VecVirtual {
	v, w := sp.vector(), sp.vector()
	switch {
	case whole:
		VPERMW(Mem{Base: data}, sp.apart, v)
	case sp.wide():
		VMOVDQU8_Z(Mem{Base: data}, sp.k, v)
		VPERMW(v, sp.apart, v)
	default:
		VMOVDQU(Mem{Base: data}, v.AsX())
		VINSERTI128(U8(1), Mem{Base: data, Index: sp.step, Scale: 1}, v, v)
		ADDQ(sp.step, data)
	}
	ADDQ(sp.step, data)
	VPSHUFB(sp.odd, v, w)
	VPSHUFB(sp.even, v, v)
	VPMULLW(sp.oddTimes, w, w)
	VPMULHUW(sp.evenTimes, v, v)
	if sp.wide() {
		const choose = 0xe4 // by the bits of lower: v, else w
		VPTERNLOGD(U8(choose), sp.lower, w, v)
		VPANDQ(sp.kept, v, v)
	} else {
		VPAND(sp.lower, v, v)
		VPAND(sp.upper, w, w)
		VPOR(w, v, v)
	}
	return v
}

func (s set) unpack() {
	s.begin("unpack", "func(data *byte, n uint64, codes *byte, plan *byte, bias uint64)",
		" is unpack for n codes of 1 to 7 bits, a multiple of "+s.touches("reads"))
	data, codes, n := number("data"), number("codes"), number("n")
	sp := s.spreader(Load(Param("plan"), GP64()))
	bias := s.repeated("bias")
	s.steps(data, sp.step, n, func(whole bool) {
		v := sp.next(data, whole)
		VPSUBB(bias, v, v)
		s.store(v, Mem{Base: codes})
		ADDQ(U8(s.bytes), codes)
	})
	VZEROUPPER()
	RET()
}

func (s set) anyFull() {
	s.begin("anyFull", "func(data *byte, n uint64, plan *byte) (found uint64)",
		" says (1) whether any of n codes of 1 to 7 bits has all bits set; n is a multiple of "+s.touches("reads"))
	data, n := number("data"), number("n")
	sp := s.spreader(Load(Param("plan"), GP64()))
	least, found := s.vector(), s.zero()
	s.byteLess(sp.kept, least)
	s.steps(data, sp.step, n, func(whole bool) {
		v := sp.next(data, whole)
		VPSUBUSB(least, v, v) // 0 up to the largest code
		s.or(v, found, found)
	})
	s.returnAny(found)
}

// byteLess takes 1 from each byte.
func (s set) byteLess(v, to reg.VecVirtual) { VPSUBB(s.constant(0x0101010101010101), v, to) }

func (s set) anyAbove() {
	s.begin("anyAbove", "func(codes *byte, n uint64, bias uint64, top uint64) (found uint64)",
		" says (1) whether any of n bytes plus that of bias is above that of top; n is a\nmultiple of 64 and not 0.")
	codes, n := Load(Param("codes"), GP64()), Load(Param("n"), GP64())
	bias, top := s.repeated("bias"), s.repeated("top")
	ADDQ(codes, n)
	found := s.zero()
	Label("step")
	for at := 0; at < 64; at += s.bytes {
		v := s.vector()
		VPADDB(Mem{Base: codes, Disp: at}, bias, v)
		VPSUBUSB(top, v, v)
		s.or(v, found, found)
	}
	ADDQ(U8(64), codes)
	CMPQ(codes, n)
	JNE(LabelRef("step"))
	s.returnAny(found)
}

func (s set) add() {
	s.begin("add", "func(from *byte, n uint64, to *byte, number uint64)",
		" writes n bytes plus that of number; n is a multiple of 64 and not 0.")
	from, to, n := Load(Param("from"), GP64()), Load(Param("to"), GP64()), Load(Param("n"), GP64())
	more := s.repeated("number")
	Label("step")
	for at := 0; at < 64; at += s.bytes {
		v := s.vector()
		VPADDB(Mem{Base: from, Disp: at}, more, v)
		s.store(v, Mem{Base: to, Disp: at})
	}
	ADDQ(U8(64), from)
	ADDQ(U8(64), to)
	SUBQ(U8(64), n)
	JNZ(LabelRef("step"))
	VZEROUPPER()
	RET()
}

// maxAbs keeps four maxima, so that none waits for the one before it.
func (s set) maxAbs() {
	s.begin("maxAbs", "func(values *float32, n uint64) (bits uint64)",
		" returns the bits of the largest magnitude of n floats, a multiple of 64 and not 0.")
	values, n := Load(Param("values"), GP64()), Load(Param("n"), GP64())
	LEAQ(Mem{Base: values, Index: n, Scale: 4}, n)
	magnitude := s.constant(0x7fffffff7fffffff)
	var most [4]reg.VecVirtual
	for i := range most {
		most[i] = s.zero()
	}
	Label("step")
	for at := 0; at < 4*64; at += s.bytes {
		v, m := s.vector(), most[at/s.bytes%4]
		s.and(Mem{Base: values, Disp: at}, magnitude, v)
		VPMAXUD(v, m, m)
	}
	ADDQ(U32(4*64), values)
	CMPQ(values, n)
	JNE(LabelRef("step"))
	VPMAXUD(most[1], most[0], most[0])
	VPMAXUD(most[3], most[2], most[2])
	VPMAXUD(most[2], most[0], most[0])
	s.returnMost(most[0])
}

// most leaves the largest dword of a vector in each of its lowest four.
func (s set) most(v reg.VecVirtual) {
	half := YMM()
	if s.wide() {
		VEXTRACTI64X4(U8(1), v, half)
		VPMAXUD(half, v.AsY(), v.AsY())
	}
	VEXTRACTI128(U8(1), v.AsY(), half.AsX())
	VPMAXUD(half.AsX(), v.AsX(), v.AsX())
	for _, shuffle := range []uint64{0x4e, 0xb1} {
		VPSHUFD(U8(shuffle), v.AsX(), half.AsX())
		VPMAXUD(half.AsX(), v.AsX(), v.AsX())
	}
}

// returnMost ends a function that returns the largest dword of a vector.
func (s set) returnMost(v reg.VecVirtual) {
	s.most(v)
	bits := GP64()
	VMOVD(v.AsX(), bits.As32()) // the upper half becomes 0
	Store(bits, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// multiples does what Go does, each operation rounded by itself, 16 floats at a time.
func (s set) multiples() {
	s.begin("multiples", "func(values *float32, n uint64, codes *byte, scale uint64, most uint64)",
		" is Multiples for n values, a multiple of 16 and not 0. Scale has the bits of a\nfloat64, most twice those of an int32.")
	values, n, codes := number("values"), number("n"), number("codes")
	scale, most := s.repeated("scale"), s.repeated("most")
	half, magnitude := s.constant(0x3fe0000000000000), s.constant(0x7fffffffffffffff)
	LEAQ(Mem{Base: values, Index: n, Scale: 4}, n)
	Label("step")
	if s.wide() {
		code, sign := s.eachHalf(values, 0, scale, half, magnitude, most)
		VPXORD(sign, code, code)
		VPSUBD(sign, code, code)
		VPMOVDB(code, Mem{Base: codes})
	} else {
		low, sign := s.eachHalf(values, 0, scale, half, magnitude, most)
		VPXOR(sign, low, low)
		VPSUBD(sign, low, low)
		high, sign := s.eachHalf(values, 32, scale, half, magnitude, most)
		VPXOR(sign, high, high)
		VPSUBD(sign, high, high)
		VPACKSSDW(high, low, low)
		VPERMQ(U8(0xd8), low, low) // which works in halves: the middle quarters change places
		VEXTRACTI128(U8(1), low, high.AsX())
		VPACKSSWB(high.AsX(), low.AsX(), low.AsX())
		VMOVDQU(low.AsX(), Mem{Base: codes})
	}
	ADDQ(U8(64), values)
	ADDQ(U8(16), codes)
	CMPQ(values, n)
	JNE(LabelRef("step"))
	VZEROUPPER()
	RET()
}

// eachHalf returns the magnitudes of the codes of a vector of floats, and their signs as −1 or 0.
func (s set) eachHalf(values reg.GPVirtual, at int, scale, half, magnitude, most reg.VecVirtual) (code, sign reg.VecVirtual) {
	code, sign = s.vector(), s.vector()
	var parts [2]reg.VecVirtual
	for i := range parts {
		x := s.vector()
		VCVTPS2PD(Mem{Base: values, Disp: at + i*s.bytes/2}, x)
		s.and(magnitude, x, x)
		VDIVPD(scale, x, x)
		VADDPD(half, x, x)
		if s.wide() {
			VCVTTPD2DQ(x, x.AsY())
		} else {
			VCVTTPD2DQY(x, x.AsX())
		}
		parts[i] = x
	}
	if s.wide() {
		VINSERTI64X4(U8(1), parts[1].AsY(), parts[0], code)
		VPSRAD(U8(31), Mem{Base: values, Disp: at}, sign)
	} else {
		VINSERTI128(U8(1), parts[1].AsX(), parts[0], code)
		VMOVDQU(Mem{Base: values, Disp: at}, sign)
		VPSRAD(U8(31), sign, sign)
	}
	VPMINSD(most, code, code)
	return code, sign
}

func (s set) values() {
	s.begin("values", "func(codes *byte, n uint64, values *float32, scale uint64)",
		" is Values for n codes, a multiple of 16 and not 0. Scale has twice the bits of a\nfloat32.")
	codes, n, values := number("codes"), number("n"), number("values")
	scale := s.repeated("scale")
	Label("step")
	for at := 0; at < 16; at += s.bytes / 4 {
		v := s.vector()
		VPMOVSXBD(Mem{Base: codes, Disp: at}, v)
		VCVTDQ2PS(v, v)
		VMULPS(scale, v, v)
		s.store(v, Mem{Base: values, Disp: 4 * at})
	}
	ADDQ(U8(16), codes)
	ADDQ(U8(64), values)
	SUBQ(U8(16), n)
	JNZ(LabelRef("step"))
	VZEROUPPER()
	RET()
}
