// Command hist writes the assembly of the package internal/kernel/hist: the pass over
// the rows of a row-major matrix. Go has no way to fetch the codes of later rows while
// those of one are added up. The Go form of the same sums is in oneword.go there.
package main

import (
	"fmt"
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// ahead is how many entries before its turn a row is fetched: enough for the time that
	// memory takes, and few enough for the first-level cache to keep it (fetchAhead of the package).
	ahead = 64
	// slots is the distance between the sums of two features (Slots of the package).
	slots = 256 + 8
	// mostFeatures is how many features a pass takes at the most.
	mostFeatures = 16
	// mostPairs is the same for slots of two words.
	mostPairs = 32
)

// rowOf is where an entry keeps its row: in the third and fourth byte.
const rowOf = 2

func main() {
	ConstraintExpr("amd64,!purego")
	for n := 1; n <= mostFeatures; n++ {
		rows(n)
	}
	for n := 1; n <= mostPairs; n++ {
		pairs(n)
	}
	fetchRows()
	listed()
	margins()
	sum()
	unpack("unpackAVX512", 8, adding)
	unpack("unpackAVX2", 4, adding)
	unpack("unpackToAVX512", 8, setting)
	unpack("unpackToAVX2", 4, setting)
	unpack("splitAVX512", 8, reading)
	unpack("splitAVX2", 4, reading)
	merge("mergeAVX512", 8, true)
	merge("mergeAVX2", 4, true)
	merge("moveAVX512", 8, false)
	merge("moveAVX2", 4, false)
	subtract("subtractAVX512", 8)
	subtract("subtractAVX2", 4)
	pack("packAVX512", 8, false)
	pack("packAVX2", 4, false)
	pack("packEqualAVX512", 8, true)
	pack("packEqualAVX2", 4, true)
	for _, bits := range []int{8, 4} {
		packCodes(fmt.Sprintf("pack%dAVX512", bits), 8, bits)
		packCodes(fmt.Sprintf("pack%dAVX2", bits), 4, bits)
	}
	packIndex("packIndexAVX512", 8, false)
	packIndex("packIndexAVX2", 4, false)
	packIndex("packListAVX512", 8, true)
	packIndex("packListAVX2", 4, true)
	sumFloats("sumFloatsAVX512", 8)
	sumFloats("sumFloatsAVX2", 4)
	total("totalAVX512", 8)
	total("totalAVX2", 4)
	totalCodes("totalCodesAVX512", 8)
	totalCodes("totalCodesAVX2", 4)
	lowCardinality()
	words()
	least()
	within("withinAVX512", false)
	within("withinWeightedAVX512", true)
	counts()
	Generate()
}

// What is done with packed sums that are taken apart.
const (
	adding  = "Unpack"   // they are added to what is there, and cleared
	setting = "UnpackTo" // they take its place, and are cleared
	reading = "Split"    // they take its place, and stay
)

// unpack writes the function that takes so many packed sums at a time apart.
func unpack(name string, lanes int, form string) {
	TEXT(name, NOSPLIT, "func(grad *int64, hess *uint64, sums *uint64, n uint64)")
	Pragma("noescape")
	Doc(name + " is " + form + " for n sums, a multiple of its " + strconv.Itoa(lanes) + " lanes and not 0.")
	grad, hess := Load(Param("grad"), GP64()), Load(Param("hess"), GP64())
	sums, n := Load(Param("sums"), GP64()), Load(Param("n"), GP64())
	vector := vectors(lanes)
	mask, none, packed, low, high := vector(), vector(), vector(), vector(), vector()
	word := GP64()
	MOVQ(U64(0xffffffff), word)
	spread(lanes, word, mask)
	zero(none)
	at := func(base reg.Register) Mem { return Mem{Base: base} }
	Label("sums")
	if lanes == 8 {
		VMOVDQU64(at(sums), packed)
		if form != reading {
			VMOVDQU64(none, at(sums))
		}
		VPANDQ(mask, packed, low)
		if form == adding {
			VPADDQ(at(hess), low, low)
		}
		VMOVDQU64(low, at(hess))
		VPSRAQ(U8(32), packed, high)
		if form == adding {
			VPADDQ(at(grad), high, high)
		}
		VMOVDQU64(high, at(grad))
	} else {
		// AVX2 shifts no signed number of 64 bits: the sign goes to the upper half, the upper
		// half to the lower.
		VMOVDQU(at(sums), packed)
		if form != reading {
			VMOVDQU(none, at(sums))
		}
		VPAND(mask, packed, low)
		if form == adding {
			VPADDQ(at(hess), low, low)
		}
		VMOVDQU(low, at(hess))
		VPSRAD(U8(31), packed, high)
		VPSHUFD(U8(0xf5), packed, packed)
		VPBLENDD(U8(0xaa), high, packed, high)
		if form == adding {
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

// merge writes the function that adds so many sums at a time to others, or puts them in their place, and
// clears them.
func merge(name string, lanes int, adds bool) {
	TEXT(name, NOSPLIT, "func(to, from *uint64, n uint64)")
	Pragma("noescape")
	form := "Merge"
	if !adds {
		form = "Move"
	}
	Doc(name + " is " + form + " for n sums, a multiple of its " + strconv.Itoa(lanes) + " lanes and not 0.")
	to, from, n := Load(Param("to"), GP64()), Load(Param("from"), GP64()), Load(Param("n"), GP64())
	vector, move := vectors(lanes), func(from, to Op) { VMOVDQU64(from, to) }
	if lanes == 4 {
		move = VMOVDQU
	}
	none, sum := vector(), vector()
	zero(none)
	Label("sums")
	move(Mem{Base: from}, sum)
	move(none, Mem{Base: from})
	if adds {
		VPADDQ(Mem{Base: to}, sum, sum)
	}
	move(sum, Mem{Base: to})
	ADDQ(U8(8*lanes), to)
	ADDQ(U8(8*lanes), from)
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
