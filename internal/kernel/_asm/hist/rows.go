package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rows writes the function that adds rows of n features. An update is four and a half
// instructions; a loop over features and what finds the row would be one and a half more,
// and are nearly nothing here: every number of features has a function of its own.
func rows(n int) {
	TEXT(fmt.Sprintf("add%d", n), NOSPLIT, "func(sums *uint64, codes *uint8, stride uint64, entries []uint64, fetch uint64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("add%d is addRows for one entry and more, and %d features; with the codes of later rows fetched", n, n),
		"ahead if fetch is not 0.")
	r := rowPass{
		n: n, sums: Load(Param("sums"), GP64()), codes: Load(Param("codes"), GP64()), stride: Load(Param("stride"), GP64()),
		at: Load(Param("entries").Base(), GP64()), mask: GP64(), row: GP64(), word: GP64(), one: GP64(), other: GP64(),
	}
	last, end := Load(Param("entries").Len(), GP64()), Load(Param("fetch"), GP64())
	LEAQ(Mem{Base: r.at, Index: last, Scale: 8}, last)
	MOVQ(U64(0xFFFFFFFF0000FFFF), r.mask)
	TESTQ(end, end)
	JZ(LabelRef("rest"))
	// All entries but the last ones fetch the row of one further on.
	LEAQ(Mem{Base: last, Disp: -8 * ahead}, end)
	CMPQ(r.at, end)
	JAE(LabelRef("rest"))
	Label("fetching")
	r.fetch()
	r.add()
	CMPQ(r.at, end)
	JCS(LabelRef("fetching"))
	Label("rest")
	r.add()
	CMPQ(r.at, last)
	JCS(LabelRef("rest"))
	RET()
}

// rowPass is what a pass works on: the entry in turn, and what cuts the row out of it.
type rowPass struct {
	n                             int
	sums, codes, stride, at, mask reg.Register
	row, word, one, other         reg.Register
}

// fetch asks for the one or two cache lines of the row of an entry further on, whose codes
// may begin and end anywhere in a line.
func (r rowPass) fetch() {
	MOVWQZX(Mem{Base: r.at, Disp: 8*ahead + rowOf}, r.row)
	IMULQ(r.stride, r.row)
	PREFETCHT0(r.code(0))
	if r.n > 1 {
		PREFETCHT0(r.code(r.n - 1))
	}
}

// code is where the codes of the row begin, from a feature on.
func (r rowPass) code(feature int) Mem {
	return Mem{Base: r.codes, Index: r.row, Scale: 1, Disp: feature}
}

// add adds the word of the entry in turn to a slot of each feature, and goes to the next.
func (r rowPass) add() {
	MOVWQZX(Mem{Base: r.at, Disp: rowOf}, r.row)
	IMULQ(r.stride, r.row)
	MOVQ(Mem{Base: r.at}, r.word)
	ANDQ(r.mask, r.word)
	for i := 0; i < r.n; {
		group := 8
		for ; group > r.n-i; group /= 2 { // not a byte more than the row has
		}
		r.addGroup(i, group)
		i += group
	}
	ADDQ(U8(8), r.at)
}

// addGroup adds to the slots of a group of 8, 4, 2 or 1 features: two codes at a time, of
// registers whose second byte can be read. An address without an index spares the stores a
// port that loads need.
func (r rowPass) addGroup(feature, group int) {
	slot := func(code, address reg.Register, of int) {
		LEAQ(Mem{Base: r.sums, Index: code, Scale: 8}, address)
		ADDQ(r.word, Mem{Base: address, Disp: 8 * slots * of})
	}
	switch group {
	case 8:
		MOVQ(r.code(feature), reg.RAX)
	case 4:
		MOVL(r.code(feature), reg.EAX)
	case 2:
		MOVWLZX(r.code(feature), reg.EAX)
	default:
		MOVBLZX(r.code(feature), reg.EBX)
		slot(reg.RBX, r.one, feature)
		return
	}
	for i := 0; i < group; i += 2 {
		MOVBLZX(reg.AL, reg.EBX)
		MOVBLZX(reg.AH, reg.ECX)
		if i < group-2 {
			SHRQ(U8(16), reg.RAX)
		}
		slot(reg.RBX, r.one, feature+i)
		slot(reg.RCX, r.other, feature+i+1)
	}
}
