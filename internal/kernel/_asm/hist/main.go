// Command hist writes the assembly of the package internal/kernel/hist: the pass over
// the rows of a row-major matrix. Go has no way to fetch the codes of later rows while
// those of one are added up. The Go form of the same sums is in oneword.go there.
package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// ahead is how many entries before its turn a row is fetched: enough for the
	// time that memory takes, and few enough for the first-level cache to keep it.
	ahead = 16
	// slots is the distance between the sums of two features (Slots of the package).
	slots = 256 + 8
	// line is the size of a cache line.
	line = 64
)

// rowOf is where an entry keeps its row: in the third and fourth byte.
const rowOf = 2

func main() {
	ConstraintExpr("amd64,!purego")
	rows("addRowsAhead", true)
	rows("addRowsDense", false)
	unpack("unpackAVX512", 8, true)
	unpack("unpackAVX2", 4, true)
	unpack("unpackToAVX512", 8, false)
	unpack("unpackToAVX2", 4, false)
	subtract("subtractAVX512", 8)
	subtract("subtractAVX2", 4)
	few()
	Generate()
}

// rows writes the function that adds rows, fetching later ones if asked to.
func rows(name string, fetching bool) {
	TEXT(name, NOSPLIT, "func(sums *uint64, codes *uint8, stride uint64, features uint64, entries []uint64)")
	Pragma("noescape")
	if fetching {
		Doc(name+" is addRows for one entry and more, and 1 to "+strconv.Itoa(line)+" features, with the codes of",
			"later rows fetched ahead.")
	} else {
		Doc(name + " is addRows for one entry and more, and one feature and more.")
	}
	r := rowPass{
		sums:     Load(Param("sums"), GP64()),
		codes:    Load(Param("codes"), GP64()),
		stride:   Load(Param("stride"), GP64()),
		features: Load(Param("features"), GP64()),
		at:       Load(Param("entries").Base(), GP64()),
		last:     Load(Param("entries").Len(), GP64()),
		mask:     GP64(),
	}
	LEAQ(Mem{Base: r.at, Index: r.last, Scale: 8, Disp: -8}, r.last)
	MOVQ(U64(0xFFFFFFFF0000FFFF), r.mask)

	var far reg.Register
	if fetching {
		far = GP64()
		count := GP64()
		MOVQ(r.at, far)
		MOVQ(U32(ahead), count)
		Label("first")
		r.fetch(far)
		DECQ(count)
		JNZ(LabelRef("first"))
	}
	Label("entry")
	if fetching {
		r.fetch(far)
	}
	r.add()
	ADDQ(U8(8), r.at)
	CMPQ(r.at, r.last)
	JLS(LabelRef("entry"))
	RET()
}

// rowPass are the arguments: the entry in turn and the last one, and what cuts the row
// out of an entry.
type rowPass struct {
	sums, codes, stride, features, at, last, mask reg.Register
}

// fetch asks for the one or two cache lines of an entry's row, whose codes may begin and
// end anywhere in a line, and goes to the next entry. From the last it goes nowhere.
func (r rowPass) fetch(entry reg.Register) {
	row := GP64()
	MOVWQZX(Mem{Base: entry, Disp: rowOf}, row)
	IMULQ(r.stride, row)
	ADDQ(r.codes, row)
	PREFETCHT0(Mem{Base: row})
	PREFETCHT0(Mem{Base: row, Index: r.features, Scale: 1, Disp: -1})
	ADDQ(U8(8), entry)
	CMPQ(entry, r.last)
	CMOVQHI(r.last, entry)
}

// add adds the word of the entry in turn to a slot of each feature: of eight, four and
// then one at a time.
func (r rowPass) add() {
	word, row, sums, left := GP64(), GP64(), GP64(), GP64()
	MOVWQZX(Mem{Base: r.at, Disp: rowOf}, row)
	IMULQ(r.stride, row)
	ADDQ(r.codes, row)
	MOVQ(Mem{Base: r.at}, word)
	ANDQ(r.mask, word)
	MOVQ(r.sums, sums)
	MOVQ(r.features, left)
	// Two codes at a time, of registers whose second byte can be read. An address without
	// an index spares the stores a port that loads need.
	first, second := reg.RBX, reg.RCX
	codes := func(n int) {
		one, other := GP64(), GP64()
		for i := 0; i < n; i += 2 {
			MOVBLZX(reg.AL, reg.EBX)
			MOVBLZX(reg.AH, reg.ECX)
			if i < n-2 {
				SHRQ(U8(16), reg.RAX)
			}
			LEAQ(Mem{Base: sums, Index: first, Scale: 8}, one)
			LEAQ(Mem{Base: sums, Index: second, Scale: 8}, other)
			ADDQ(word, Mem{Base: one, Disp: 8 * slots * i})
			ADDQ(word, Mem{Base: other, Disp: 8 * slots * (i + 1)})
		}
		ADDQ(U8(n), row)
		ADDQ(U32(8*n*slots), sums)
	}
	SUBQ(U8(8), left)
	JCS(LabelRef("four"))
	Label("eight")
	MOVQ(Mem{Base: row}, reg.RAX)
	codes(8)
	SUBQ(U8(8), left)
	JCC(LabelRef("eight"))
	Label("four")
	ADDQ(U8(4), left)
	JNC(LabelRef("rest"))
	MOVL(Mem{Base: row}, reg.EAX)
	codes(4)
	SUBQ(U8(4), left)
	Label("rest")
	ADDQ(U8(4), left)
	JZ(LabelRef("added"))
	Label("one")
	MOVBLZX(Mem{Base: row}, reg.EBX)
	ADDQ(word, Mem{Base: sums, Index: first, Scale: 8})
	INCQ(row)
	ADDQ(U32(8*slots), sums)
	DECQ(left)
	JNZ(LabelRef("one"))
	Label("added")
}

// unpack writes the function that takes so many packed sums at a time apart, and adds them
// to what is there or not.
func unpack(name string, lanes int, adding bool) {
	TEXT(name, NOSPLIT, "func(grad *int64, hess *uint64, sums *uint64, n uint64)")
	Pragma("noescape")
	form := "UnpackTo"
	if adding {
		form = "Unpack"
	}
	Doc(name + " is " + form + " for n sums, a multiple of its " + strconv.Itoa(lanes) + " lanes and not 0.")
	grad, hess := Load(Param("grad"), GP64()), Load(Param("hess"), GP64())
	sums, n := Load(Param("sums"), GP64()), Load(Param("n"), GP64())
	vector := func() reg.VecVirtual {
		if lanes == 8 {
			return ZMM()
		}
		return YMM()
	}
	mask, none, packed, low, high := vector(), vector(), vector(), vector(), vector()
	word := GP64()
	MOVQ(U64(0xffffffff), word)
	if lanes == 8 {
		VPBROADCASTQ(word, mask)
		VPXORQ(none, none, none)
	} else {
		VMOVQ(word, mask.AsX())
		VPBROADCASTQ(mask.AsX(), mask)
		VPXOR(none, none, none)
	}
	at := func(base reg.Register) Mem { return Mem{Base: base} }
	Label("sums")
	if lanes == 8 {
		VMOVDQU64(at(sums), packed)
		VMOVDQU64(none, at(sums))
		VPANDQ(mask, packed, low)
		if adding {
			VPADDQ(at(hess), low, low)
		}
		VMOVDQU64(low, at(hess))
		VPSRAQ(U8(32), packed, high)
		if adding {
			VPADDQ(at(grad), high, high)
		}
		VMOVDQU64(high, at(grad))
	} else {
		// AVX2 shifts no signed number of 64 bits: the sign goes to the upper half, the upper
		// half to the lower.
		VMOVDQU(at(sums), packed)
		VMOVDQU(none, at(sums))
		VPAND(mask, packed, low)
		if adding {
			VPADDQ(at(hess), low, low)
		}
		VMOVDQU(low, at(hess))
		VPSRAD(U8(31), packed, high)
		VPSHUFD(U8(0xf5), packed, packed)
		VPBLENDD(U8(0xaa), high, packed, high)
		if adding {
			VPADDQ(at(grad), high, high)
		}
		VMOVDQU(high, at(grad))
	}
	for _, p := range []reg.Register{grad, hess, sums} {
		ADDQ(U8(8*lanes), p)
	}
	SUBQ(U8(lanes), n)
	JNZ(LabelRef("sums"))
	VZEROUPPER()
	RET()
}

// subtract writes the function that subtracts so many sums at a time, twice in a step.
func subtract(name string, lanes int) {
	TEXT(name, NOSPLIT, "func(from, what *uint64, n uint64)")
	Pragma("noescape")
	Doc(name + " is Subtract for n sums, a multiple of twice its " + strconv.Itoa(lanes) + " lanes and not 0.")
	from, what := Load(Param("from"), GP64()), Load(Param("what"), GP64())
	n := Load(Param("n"), GP64())
	sums, move := []reg.VecVirtual{ZMM(), ZMM()}, func(from, to Op) { VMOVDQU64(from, to) }
	if lanes == 4 {
		sums, move = []reg.VecVirtual{YMM(), YMM()}, VMOVDQU
	}
	at := func(base reg.Register, i int) Mem { return Mem{Base: base, Disp: 8 * lanes * i} }
	Label("pair")
	for i, v := range sums {
		move(at(from, i), v)
		VPSUBQ(at(what, i), v, v)
	}
	for i, v := range sums {
		move(v, at(from, i))
	}
	for _, p := range []reg.Register{from, what} {
		ADDQ(U32(16*lanes), p)
	}
	SUBQ(U8(2*lanes), n)
	JNZ(LabelRef("pair"))
	VZEROUPPER()
	RET()
}
