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
// 15, 16 take 20 instead of 29.
func rows(n int) {
	TEXT(fmt.Sprintf("add%d", n), NOSPLIT, "func(sums *uint64, codes *uint8, stride uint64, entries *uint64, n uint64, early uint64, fetching uint64, width uint64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("add%d is addRows for n entries and %d features. The first early ones, which two more entries follow, load", n, n),
		fmt.Sprintf("the codes of the next row early; the first fetching of these, which %d follow, fetch the row of one further on,", ahead),
		"the lines of its first byte and of the one width further.")
	r := rowPass{
		n: n, sums: Load(Param("sums"), GP64()), codes: Load(Param("codes"), GP64()), stride: Load(Param("stride"), GP64()),
		at: Load(Param("entries"), GP64()), width: Load(Param("width"), GP64()),
		end: GP64(), mask: GP64(), row: GP64(), word: GP64(),
	}
	MOVQ(U64(0xFFFFFFFF0000FFFF), r.mask)
	r.until("early", "rest")
	r.find(0)
	r.load(0, reg.RAX)
	if n > eight {
		r.load(1, reg.RDX)
	} else {
		r.next = GP64()
		MOVQ(reg.RAX, r.next)
	}
	r.find(1)
	r.back()
	r.until("fetching", "early")
	r.loop("fetching", func() {
		r.fetch()
		r.addEarly()
	})
	Label("early")
	r.until("early", "rest")
	r.loop("loading", r.addEarly)
	Label("rest")
	r.until("n", "done")
	r.loop("last", r.add)
	Label("done")
	RET()
}

// eight is how many codes a register holds.
const eight = 8

// rowPass is what a pass works on. The codes of the next row, or of the one in turn before it
// is added up, are in RAX and RDX, of which the second byte can be read; those of up to eight
// features in a copy, which leaves more time between loading and use.
type rowPass struct {
	n                         int
	sums, codes, stride, mask reg.Register
	at, end                   reg.Register // the entry in turn, in a loop counted in bytes before its end
	row, word, width, next    reg.Register
}

// until sets the end of a loop, behind so many entries from the first on, and the entry in
// turn relative to it.
func (r *rowPass) until(param, behind string) {
	Load(Param("entries"), reg.RBX)
	Load(Param(param), r.end)
	LEAQ(Mem{Base: reg.RBX, Index: r.end, Scale: 8}, r.end)
	CMPQ(r.at, r.end)
	JAE(LabelRef(behind))
	SUBQ(r.end, r.at)
}

// back makes the entry in turn an address again.
func (r *rowPass) back() { ADDQ(r.end, r.at) }

// loop does the same for every entry up to the end.
func (r *rowPass) loop(name string, entry func()) {
	Label(name)
	entry()
	ADDQ(U8(8), r.at)
	JNE(LabelRef(name))
	MOVQ(r.end, r.at)
}

// entry is where an entry further on has its bytes from one on.
func (r *rowPass) entry(further, from int) Mem {
	return Mem{Base: r.end, Index: r.at, Scale: 1, Disp: 8*further + from}
}

// find sets row to where the row of an entry further on begins.
func (r *rowPass) find(further int) {
	MOVWQZX(r.entry(further, rowOf), r.row)
	IMULQ(r.stride, r.row)
}

// fetch asks for the first and the last cache line of the row of an entry further on, into the
// second-level cache: in the first they push out the sums. Nodes of a half of 800,000 rows × 28 and less
// take 0.41 instead of 0.62 ns for an update, on Zen 4.
func (r *rowPass) fetch() {
	MOVWQZX(r.entry(ahead, rowOf), reg.RBX)
	IMULQ(r.stride, reg.RBX)
	PREFETCHT1(Mem{Base: r.codes, Index: reg.RBX, Scale: 1})
	ADDQ(r.width, reg.RBX)
	PREFETCHT1(Mem{Base: r.codes, Index: reg.RBX, Scale: 1})
}

// fetchRows writes the function that fetches the first rows of a pass, which have no entries
// before them that could.
func fetchRows() {
	TEXT("fetchRows", NOSPLIT, "func(codes *uint8, stride uint64, entries *uint64, n uint64, width uint64)")
	Pragma("noescape")
	Doc("fetchRows fetches the rows of n entries, not 0: the lines of a row's first byte and of the one width further.")
	codes, stride := Load(Param("codes"), GP64()), Load(Param("stride"), GP64())
	at, n, width, row := Load(Param("entries"), GP64()), Load(Param("n"), GP64()), Load(Param("width"), GP64()), GP64()
	ADDQ(codes, width)
	Label("row")
	MOVWQZX(Mem{Base: at, Disp: rowOf}, row)
	IMULQ(stride, row)
	PREFETCHT1(Mem{Base: codes, Index: row, Scale: 1})
	PREFETCHT1(Mem{Base: width, Index: row, Scale: 1})
	ADDQ(U8(8), at)
	DECQ(n)
	JNZ(LabelRef("row"))
	RET()
}

// load loads the i-th up to eight codes of the row. It may read more, of the row behind it or
// up to where that begins: that has as many codes, and only the last row of a pass has none.
func (r *rowPass) load(i int, to reg.Register) {
	at := Mem{Base: r.codes, Index: r.row, Scale: 1, Disp: eight * i}
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
// loaded, and loads those of the next.
func (r *rowPass) addEarly() {
	r.readWord()
	if r.n <= eight {
		MOVQ(r.next, reg.RAX)
		r.load(0, r.next)
		r.find(2)
		r.addEight(reg.RAX, 0, r.n)
		return
	}
	r.addEight(reg.RAX, 0, eight)
	r.load(0, reg.RAX)
	r.addEight(reg.RDX, eight, r.n-eight)
	r.load(1, reg.RDX)
	r.find(2)
}

func (r *rowPass) readWord() {
	MOVQ(r.entry(0, 0), r.word)
	ANDQ(r.mask, r.word)
}

// add does the same for an entry whose codes are not loaded.
func (r *rowPass) add() {
	r.find(0)
	r.readWord()
	r.eachExactly(r.addEight)
}

// eachExactly adds the codes of the row, and reads not a byte more than it has.
func (r *rowPass) eachExactly(add func(codes reg.GPPhysical, feature, n int)) {
	for i := 0; i < r.n; {
		group := eight
		for ; group > r.n-i; group /= 2 {
		}
		at := Mem{Base: r.codes, Index: r.row, Scale: 1, Disp: i}
		switch group {
		case eight:
			MOVQ(at, reg.RAX)
		case 4:
			MOVL(at, reg.EAX)
		case 2:
			MOVWLZX(at, reg.EAX)
		default:
			MOVBLZX(at, reg.EAX)
		}
		add(reg.RAX, i, group)
		i += group
	}
}

// addEight adds to the slots of up to eight features: two codes at a time, of registers whose
// second byte can be read. An address without an index spares the stores a port that loads
// need.
func (r *rowPass) addEight(codes reg.GPPhysical, feature, n int) {
	slot := func(code reg.Register, of int) {
		LEAQ(Mem{Base: r.sums, Index: code, Scale: 8}, code)
		ADDQ(r.word, Mem{Base: code, Disp: 8 * slots * of})
	}
	for i := 0; i < n; i += 2 {
		MOVBLZX(codes.As8L(), reg.EBX)
		if i+1 < n {
			MOVBLZX(codes.As8H(), reg.ECX)
		}
		if i+2 < n {
			SHRQ(U8(16), codes)
		}
		slot(reg.RBX, feature+i)
		if i+1 < n {
			slot(reg.RCX, feature+i+1)
		}
	}
}
