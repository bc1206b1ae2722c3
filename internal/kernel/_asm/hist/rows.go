package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rows writes the function that adds rows of n features. An update is four and a half
// instructions; a loop over features would be one and a half more: every number of
// features has a function of its own.
//
// From an entry to the first slot of its row are 14 cycles: the entry, the codes and an address.
// The processor does not begin them early enough by itself, since the updates before them
// fill its queue and go first. So the codes of the next row are loaded while those of one are
// added up, and the place of the row after it is found: 8 features take 11 cycles instead of
// 15, 16 take 21 instead of 29.
func rows(n int) {
	TEXT(fmt.Sprintf("add%d", n), NOSPLIT, "func(sums *uint64, codes *uint8, stride uint64, entries *uint64, n uint64, early uint64, fetching uint64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("add%d is addRows for n entries and %d features. The first early ones, which two more entries follow, load", n, n),
		fmt.Sprintf("the codes of the next row early; the first fetching of these, which %d follow, fetch the codes of one further on.", ahead))
	r := rowPass{
		n: n, sums: Load(Param("sums"), GP64()), codes: Load(Param("codes"), GP64()), stride: Load(Param("stride"), GP64()),
		at: Load(Param("entries"), GP64()), mask: GP64(), row: GP64(), word: GP64(), end: GP64(),
	}
	for range (n + 7) / 8 {
		r.next = append(r.next, GP64())
	}
	// until sets the end of a loop, behind so many entries from the first on.
	until := func(param, behind string) {
		Load(Param("entries"), reg.RAX)
		Load(Param(param), r.end)
		LEAQ(Mem{Base: reg.RAX, Index: r.end, Scale: 8}, r.end)
		CMPQ(r.at, r.end)
		JAE(LabelRef(behind))
	}
	MOVQ(U64(0xFFFFFFFF0000FFFF), r.mask)
	until("early", "rest")
	r.find(0)
	for g := range r.next {
		r.load(g, r.next[g])
	}
	r.find(1)
	until("fetching", "early")
	Label("fetching")
	r.fetch()
	r.addEarly()
	CMPQ(r.at, r.end)
	JCS(LabelRef("fetching"))
	Label("early")
	until("early", "rest")
	Label("loading")
	r.addEarly()
	CMPQ(r.at, r.end)
	JCS(LabelRef("loading"))
	Label("rest")
	until("n", "done")
	Label("last")
	r.add()
	CMPQ(r.at, r.end)
	JCS(LabelRef("last"))
	Label("done")
	RET()
}

// rowPass is what a pass works on: the entry in turn, and what cuts the row out of it.
type rowPass struct {
	n                             int
	sums, codes, stride, at, mask reg.Register
	row, word, end                reg.Register
	next                          []reg.Register // codes of the next row, or of this one before its turn, by eights
}

// find sets row to where the row of an entry further on begins.
func (r rowPass) find(further int) {
	MOVWQZX(Mem{Base: r.at, Disp: 8*further + rowOf}, r.row)
	IMULQ(r.stride, r.row)
}

// fetch asks for the one or two cache lines of the row of an entry further on, whose codes
// may begin and end anywhere in a line.
func (r rowPass) fetch() {
	MOVWQZX(Mem{Base: r.at, Disp: 8*ahead + rowOf}, reg.RAX)
	IMULQ(r.stride, reg.RAX)
	PREFETCHT0(Mem{Base: r.codes, Index: reg.RAX, Scale: 1})
	if r.n > 1 {
		PREFETCHT0(Mem{Base: r.codes, Index: reg.RAX, Scale: 1, Disp: r.n - 1})
	}
}

// load loads up to eight codes of the row. It may read more, of the row behind it or up to
// where that begins: that has as many codes, and only the last row of a pass has none.
func (r rowPass) load(eight int, to reg.Register) {
	at := Mem{Base: r.codes, Index: r.row, Scale: 1, Disp: 8 * eight}
	low := to.(reg.GP).As32()
	switch {
	case r.n == 1:
		MOVBLZX(at, low)
	case r.n == 2:
		MOVWLZX(at, low)
	case r.n <= 4:
		MOVL(at, low)
	default:
		MOVQ(at, to)
	}
}

// addEarly adds the word of the entry in turn to a slot of each feature, by codes that are
// loaded, and goes to the next, whose codes it loads.
func (r rowPass) addEarly() {
	MOVQ(Mem{Base: r.at}, r.word)
	ANDQ(r.mask, r.word)
	for g, codes := range r.next {
		MOVQ(codes, reg.RAX)
		r.load(g, codes)
		if g == len(r.next)-1 {
			r.find(2)
		}
		r.addEight(8*g, min(8, r.n-8*g))
	}
	ADDQ(U8(8), r.at)
}

// add does the same for an entry whose codes are not loaded, and reads not a byte more than
// the row has.
func (r rowPass) add() {
	r.find(0)
	MOVQ(Mem{Base: r.at}, r.word)
	ANDQ(r.mask, r.word)
	for i := 0; i < r.n; {
		group := 8
		for ; group > r.n-i; group /= 2 {
		}
		at := Mem{Base: r.codes, Index: r.row, Scale: 1, Disp: i}
		switch group {
		case 8:
			MOVQ(at, reg.RAX)
		case 4:
			MOVL(at, reg.EAX)
		case 2:
			MOVWLZX(at, reg.EAX)
		default:
			MOVBLZX(at, reg.EAX)
		}
		r.addEight(i, group)
		i += group
	}
	ADDQ(U8(8), r.at)
}

// addEight adds to the slots of up to eight features whose codes are in RAX: two codes at a
// time, of registers whose second byte can be read. An address without an index spares the
// stores a port that loads need.
func (r rowPass) addEight(feature, n int) {
	slot := func(code reg.Register, of int) {
		LEAQ(Mem{Base: r.sums, Index: code, Scale: 8}, code)
		ADDQ(r.word, Mem{Base: code, Disp: 8 * slots * of})
	}
	for i := 0; i < n; i += 2 {
		MOVBLZX(reg.AL, reg.EBX)
		if i+1 < n {
			MOVBLZX(reg.AH, reg.ECX)
		}
		if i+2 < n {
			SHRQ(U8(16), reg.RAX)
		}
		slot(reg.RBX, feature+i)
		if i+1 < n {
			slot(reg.RCX, feature+i+1)
		}
	}
}
