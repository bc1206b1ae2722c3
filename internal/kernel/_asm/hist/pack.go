package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pack writes the function that makes so many entries at a time of consecutive rows, from
// gradient and hessian codes or, with equal, from gradient codes and one hessian code.
func pack(name string, lanes int, equal bool) {
	hessians, form := "hess *uint16", "Pack"
	if equal {
		hessians, form = "hess uint64", "PackEqual"
	}
	TEXT(name, NOSPLIT, "func(entries *uint64, grad *int16, "+hessians+", n uint64)")
	Pragma("noescape")
	Doc(name + " is " + form + " for the first n rows of a block, a multiple of its " + strconv.Itoa(lanes) + " lanes and not 0.")
	entries, grad := Load(Param("entries"), GP64()), Load(Param("grad"), GP64())
	hess, n := Load(Param("hess"), GP64()), Load(Param("n"), GP64())
	vector := vectors(lanes)
	rows, step, low := vector(), vector(), vector()
	places := GLOBL(name+"Rows", RODATA|NOPTR)
	for i := range lanes {
		DATA(8*i, U64(i<<16))
	}
	move := func(from, to Op) { VMOVDQU64(from, to) }
	or := func(a, b, to Op) { VPORQ(a, b, to) }
	if lanes == 4 {
		move = VMOVDQU
		or = VPOR
	}
	move(places, rows)
	word := GP64()
	MOVQ(U64(uint64(lanes)<<16), word)
	spread(lanes, word, step)
	if equal { // the rows carry them
		spread(lanes, hess, low)
		or(low, rows, rows)
	}
	Label("rows")
	high := vector()
	VPMOVSXWQ(Mem{Base: grad}, high)
	VPSLLQ(U8(32), high, high)
	or(rows, high, high)
	if !equal {
		VPMOVZXWQ(Mem{Base: hess}, low)
		or(low, high, high)
		ADDQ(U8(2*lanes), hess)
	}
	move(high, Mem{Base: entries})
	VPADDQ(step, rows, rows)
	ADDQ(U8(8*lanes), entries)
	ADDQ(U8(2*lanes), grad)
	SUBQ(U8(lanes), n)
	JNZ(LabelRef("rows"))
	VZEROUPPER()
	RET()
}

// total writes the function that adds up so many entries at a time, twice in a step.
func total(name string, lanes int) {
	TEXT(name, NOSPLIT, "func(entries *uint64, n uint64) uint64")
	Pragma("noescape")
	Doc(name + " adds up the packed words of n entries, a multiple of twice its " + strconv.Itoa(lanes) + " lanes and not 0.")
	entries, n := Load(Param("entries"), GP64()), Load(Param("n"), GP64())
	vector := vectors(lanes)
	mask, sums := vector(), []reg.VecVirtual{vector(), vector()}
	word := GP64()
	MOVQ(U64(0xffffffff0000ffff), word)
	spread(lanes, word, mask)
	and := func(a, b, to Op) { VPANDQ(a, b, to) }
	if lanes == 4 {
		and = func(a, b, to Op) { VPAND(a, b, to) }
	}
	for _, s := range sums {
		XORQ(word, word)
		spread(lanes, word, s)
	}
	Label("entries")
	for i, s := range sums {
		part := vector()
		and(Mem{Base: entries, Disp: 8 * lanes * i}, mask, part)
		VPADDQ(part, s, s)
	}
	ADDQ(U32(16*lanes), entries)
	SUBQ(U8(2*lanes), n)
	JNZ(LabelRef("entries"))
	VPADDQ(sums[1], sums[0], sums[0])
	four := sums[0].AsY()
	if lanes == 8 {
		upper := YMM()
		VEXTRACTI64X4(U8(1), sums[0], upper)
		VPADDQ(upper, four, four)
	}
	two, one := XMM(), XMM()
	VEXTRACTI128(U8(1), four, two)
	VPADDQ(two, sums[0].AsX(), two)
	VPSRLDQ(U8(8), two, one)
	VPADDQ(one, two, two)
	VMOVQ(two, word)
	Store(word, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// vectors returns what makes vectors of so many words.
func vectors(lanes int) func() reg.VecVirtual {
	if lanes == 8 {
		return ZMM
	}
	return YMM
}

// spread puts a word into all lanes.
func spread(lanes int, word reg.Register, to reg.VecVirtual) {
	if lanes == 8 {
		VPBROADCASTQ(word, to)
		return
	}
	VMOVQ(word, to.AsX())
	VPBROADCASTQ(to.AsX(), to)
}
