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
	low := vector()
	rows, step := countRows(name, lanes)
	_, or := whole(lanes)
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
	putEntries(entries, high, lanes)
	VPADDQ(step, rows, rows)
	ADDQ(U8(2*lanes), grad)
	SUBQ(U8(lanes), n)
	JNZ(LabelRef("rows"))
	VZEROUPPER()
	RET()
}

// packIndex writes the function that makes so many entries at a time that have only rows: of
// consecutive ones, or of a list.
func packIndex(name string, lanes int, listed bool) {
	params, of := "", "for the first n rows of a block"
	if listed {
		params, of = "rows *uint16, ", "of n rows"
	}
	TEXT(name, NOSPLIT, "func(entries *uint64, "+params+"n uint64)")
	Pragma("noescape")
	Doc(name + " is PackIndex " + of + ", a multiple of its " + strconv.Itoa(lanes) + " lanes and not 0.")
	entries, n := Load(Param("entries"), GP64()), Load(Param("n"), GP64())
	var from reg.Register
	var rows, step reg.VecVirtual
	if listed {
		from, rows = Load(Param("rows"), GP64()), vectors(lanes)()
	} else {
		rows, step = countRows(name, lanes)
	}
	Label("rows")
	if listed {
		VPMOVZXWQ(Mem{Base: from}, rows)
		VPSLLQ(U8(16), rows, rows)
		ADDQ(U8(2*lanes), from)
	}
	putEntries(entries, rows, lanes)
	if !listed {
		VPADDQ(step, rows, rows)
	}
	SUBQ(U8(lanes), n)
	JNZ(LabelRef("rows"))
	VZEROUPPER()
	RET()
}

// packCodes writes the function that makes so many entries at a time of consecutive rows from
// codes of so many bits: the gradient's below, the hessian's above.
func packCodes(name string, lanes, bits int) {
	codes, form := "codes *uint16", "Pack8"
	if bits == 4 {
		codes, form = "codes *uint8", "Pack4"
	}
	TEXT(name, NOSPLIT, "func(entries *uint64, "+codes+", n uint64)")
	Pragma("noescape")
	Doc(name + " is " + form + " for the first n rows of a block, a multiple of its " + strconv.Itoa(lanes) + " lanes and not 0.")
	entries, from, n := Load(Param("entries"), GP64()), Load(Param("codes"), GP64()), Load(Param("n"), GP64())
	vector := vectors(lanes)
	rows, step := countRows(name, lanes)
	_, or := whole(lanes)
	Label("rows")
	low, high := vector(), vector()
	if bits == 8 {
		VPMOVZXWQ(Mem{Base: from}, low)
	} else {
		VPMOVZXBQ(Mem{Base: from}, low)
	}
	// The gradient goes to the top, and down again as a signed number of 32 bits.
	VPSLLQ(U8(64-bits), low, high)
	VPSRAD(U8(32-bits), high, high)
	VPSRLQ(U8(bits), low, low)
	or(low, high, high)
	or(rows, high, high)
	putEntries(entries, high, lanes)
	VPADDQ(step, rows, rows)
	ADDQ(U8(bits/4*lanes), from)
	SUBQ(U8(lanes), n)
	JNZ(LabelRef("rows"))
	VZEROUPPER()
	RET()
}

// countRows returns the rows of the first entries, where an entry has its row, and what leads to the
// next.
func countRows(name string, lanes int) (rows, step reg.VecVirtual) {
	vector := vectors(lanes)
	rows, step = vector(), vector()
	places := GLOBL(name+"Rows", RODATA|NOPTR)
	for i := range lanes {
		DATA(8*i, U64(i<<16))
	}
	move, _ := whole(lanes)
	move(places, rows)
	word := GP64()
	MOVQ(U64(uint64(lanes)<<16), word)
	spread(lanes, word, step)
	return rows, step
}

// whole returns how whole vectors are moved and put together.
func whole(lanes int) (move func(from, to Op), or func(a, b, to Op)) {
	if lanes == 8 {
		return func(from, to Op) { VMOVDQU64(from, to) }, func(a, b, to Op) { VPORQ(a, b, to) }
	}
	return VMOVDQU, VPOR
}

// putEntries stores a vector of entries and goes on to the next.
func putEntries(entries reg.Register, v reg.VecVirtual, lanes int) {
	move, _ := whole(lanes)
	move(v, Mem{Base: entries})
	ADDQ(U8(8*lanes), entries)
}

// sumFloats writes the function that adds up the gradients and hessians of so many entries' rows at
// a time, as whole numbers of a unit.
func sumFloats(name string, lanes int) {
	TEXT(name, NOSPLIT, "func(entries *uint64, n uint64, grad, hess *float32, gradUp, hessUp float64) (gradSum, hessSum int64)")
	Pragma("noescape")
	Doc(name + " is SumFloats for n entries, a multiple of its " + strconv.Itoa(lanes) + " lanes and not 0.")
	entries, n := Load(Param("entries"), GP64()), Load(Param("n"), GP64())
	values := []reg.Register{Load(Param("grad"), GP64()), Load(Param("hess"), GP64())}
	vector := vectors(lanes)
	ups, sums := []reg.VecVirtual{vector(), vector()}, []reg.VecVirtual{vector(), vector()}
	for i, param := range []string{"gradUp", "hessUp"} {
		up := XMM()
		Load(Param(param), up)
		VBROADCASTSD(up, ups[i])
		zero(sums[i])
	}
	Label("entries")
	rows := make([]reg.GPVirtual, lanes)
	for i := range rows {
		rows[i] = GP64()
		MOVWQZX(Mem{Base: entries, Disp: 8*i + rowOf}, rows[i])
	}
	for k, from := range values {
		quarters := make([]reg.VecVirtual, lanes/4)
		for q := range quarters {
			quarters[q] = XMM()
			for i := range 4 {
				at := Mem{Base: from, Index: rows[4*q+i], Scale: 4}
				if i == 0 {
					VMOVD(at, quarters[q])
				} else {
					VPINSRD(U8(i), at, quarters[q], quarters[q])
				}
			}
		}
		wide, whole := vector(), vector()
		if lanes == 8 {
			eight, ints := YMM(), YMM()
			VINSERTI128(U8(1), quarters[1], quarters[0].AsY(), eight)
			VCVTPS2PD(eight, wide)
			VMULPD(ups[k], wide, wide)
			VCVTPD2DQ(wide, ints)
			VPMOVSXDQ(ints, whole)
		} else {
			ints := XMM()
			VCVTPS2PD(quarters[0], wide)
			VMULPD(ups[k], wide, wide)
			VCVTPD2DQY(wide, ints)
			VPMOVSXDQ(ints, whole)
		}
		VPADDQ(whole, sums[k], sums[k])
	}
	ADDQ(U8(8*lanes), entries)
	SUBQ(U8(lanes), n)
	JNZ(LabelRef("entries"))
	for k, s := range sums {
		word := GP64()
		addLanes(s, lanes, word)
		Store(word, ReturnIndex(k))
	}
	VZEROUPPER()
	RET()
}

// addLanes adds the words of a vector up.
func addLanes(v reg.VecVirtual, lanes int, to reg.Register) {
	if lanes == 8 {
		upper := YMM()
		VEXTRACTI64X4(U8(1), v, upper)
		VPADDQ(upper, v.AsY(), v.AsY())
	}
	two, one := XMM(), XMM()
	VEXTRACTI128(U8(1), v.AsY(), two)
	VPADDQ(two, v.AsX(), two)
	VPSRLDQ(U8(8), two, one)
	VPADDQ(one, two, two)
	VMOVQ(two, to)
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
		zero(s)
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
	addLanes(sums[0], lanes, word)
	Store(word, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// totalCodes writes the function that adds up so many codes of 32 bits at a time.
func totalCodes(name string, lanes int) {
	TEXT(name, NOSPLIT, "func(grad *int32, hess *uint32, n uint64) (gradSum int64, hessSum uint64)")
	Pragma("noescape")
	Doc(name + " adds up the codes of n rows, a multiple of twice its " + strconv.Itoa(lanes) + " lanes and not 0.")
	grad, hess, n := Load(Param("grad"), GP64()), Load(Param("hess"), GP64()), Load(Param("n"), GP64())
	vector := vectors(lanes)
	var grads, hessians [2]reg.VecVirtual
	for i := range grads {
		grads[i], hessians[i] = vector(), vector()
		zero(grads[i])
		zero(hessians[i])
	}
	Label("rows")
	for i := range grads {
		g, h := vector(), vector()
		VPMOVSXDQ(Mem{Base: grad, Disp: 4 * lanes * i}, g)
		VPMOVZXDQ(Mem{Base: hess, Disp: 4 * lanes * i}, h)
		VPADDQ(g, grads[i], grads[i])
		VPADDQ(h, hessians[i], hessians[i])
	}
	ADDQ(U8(8*lanes), grad)
	ADDQ(U8(8*lanes), hess)
	SUBQ(U8(2*lanes), n)
	JNZ(LabelRef("rows"))
	for k, sums := range [][2]reg.VecVirtual{grads, hessians} {
		word := GP64()
		VPADDQ(sums[1], sums[0], sums[0])
		addLanes(sums[0], lanes, word)
		Store(word, ReturnIndex(k))
	}
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

// zero clears a vector: what is written to its low part clears the rest.
func zero(v reg.VecVirtual) { VPXOR(v.AsX(), v.AsX(), v.AsX()) }

// spread puts a word into all lanes.
func spread(lanes int, word reg.Register, to reg.VecVirtual) {
	if lanes == 8 {
		VPBROADCASTQ(word, to)
		return
	}
	VMOVQ(word, to.AsX())
	VPBROADCASTQ(to.AsX(), to)
}
