package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// listed writes the function that adds rows whose slots are listed, four at a time. How many a row
// has is guessed wrong for every other one; the next row's list is found before, so that nothing waits for it.
// A row costs 8 cycles and one for each slot, in cache.
func listed() {
	TEXT("addListed", NOSPLIT, "func(sums *uint64, slots *uint16, starts *uint32, entries *uint64, n uint64, fetching uint64) uint64")
	Pragma("noescape")
	Doc("addListed is Listed.Add for n entries, not 0. The first fetching of these, which "+strconv.Itoa(ahead)+" follow, fetch where the list of",
		"one further on begins, and the list of one half as far.")
	l := listPass{
		sums: Load(Param("sums"), GP64()), slots: Load(Param("slots"), GP64()), starts: Load(Param("starts"), GP64()),
		at: Load(Param("entries"), GP64()), mask: GP64(), total: GP64(), row: GP64(), from: GP64(), to: GP64(), end: GP64(),
	}
	MOVQ(U64(0xFFFFFFFF0000FFFF), l.mask)
	XORQ(l.total, l.total)
	l.find(0)
	l.until("fetching", "listed_rest")
	Label("listed_fetching")
	l.fetch()
	l.add("fetching", func() { l.find(8) })
	ADDQ(U8(8), l.at)
	CMPQ(l.at, l.end)
	JNE(LabelRef("listed_fetching"))
	Label("listed_rest")
	Load(Param("n"), l.end)
	Load(Param("entries"), l.row)
	LEAQ(Mem{Base: l.row, Index: l.end, Scale: 8, Disp: -8}, l.end)
	CMPQ(l.at, l.end)
	JEQ(LabelRef("listed_last"))
	Label("listed_row")
	l.add("row", func() { l.find(8) })
	ADDQ(U8(8), l.at)
	CMPQ(l.at, l.end)
	JNE(LabelRef("listed_row"))
	Label("listed_last")
	l.add("last", func() {})
	Store(l.total, ReturnIndex(0))
	RET()
}

type listPass struct {
	sums, slots, starts reg.Register
	at, end             reg.Register // the entry in turn, and the one that ends the loop
	row, from, to       reg.Register // of the entry in turn, until it is added
	mask, total         reg.Register
}

// until sets end to the entry behind the first so many, and leaves where there are none.
func (l *listPass) until(param, none string) {
	Load(Param(param), l.end)
	LEAQ(Mem{Base: l.at, Index: l.end, Scale: 8}, l.end)
	CMPQ(l.at, l.end)
	JEQ(LabelRef(none))
}

// find finds the list of an entry so many bytes on.
func (l *listPass) find(bytes int) {
	MOVWQZX(Mem{Base: l.at, Disp: bytes + rowOf}, l.row)
	MOVL(Mem{Base: l.starts, Index: l.row, Scale: 4}, l.from.(reg.GP).As32())
	MOVL(Mem{Base: l.starts, Index: l.row, Scale: 4, Disp: 4}, l.to.(reg.GP).As32())
}

func (l *listPass) fetch() {
	far, start := GP64(), GP64()
	MOVWQZX(Mem{Base: l.at, Disp: 8*ahead + rowOf}, far)
	PREFETCHT1(Mem{Base: l.starts, Index: far, Scale: 4})
	MOVWQZX(Mem{Base: l.at, Disp: 8*ahead/2 + rowOf}, far)
	MOVL(Mem{Base: l.starts, Index: far, Scale: 4}, start.As32())
	PREFETCHT1(Mem{Base: l.slots, Index: start, Scale: 2})
	PREFETCHT1(Mem{Base: l.slots, Index: start, Scale: 2, Disp: 63})
}

// add adds the entry in turn, whose list is found, and finds the next one's.
func (l *listPass) add(name string, next func()) {
	at, end, word, slot := GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: l.slots, Index: l.from, Scale: 2}, at)
	LEAQ(Mem{Base: l.slots, Index: l.to, Scale: 2}, end)
	MOVQ(Mem{Base: l.at}, word)
	ANDQ(l.mask, word)
	ADDQ(word, l.total)
	next()
	CMPQ(at, end)
	JEQ(LabelRef("listed_end_" + name))
	Label("listed_four_" + name)
	for i := range 4 {
		MOVWQZX(Mem{Base: at, Disp: 2 * i}, slot)
		ADDQ(word, Mem{Base: l.sums, Index: slot, Scale: 8})
	}
	ADDQ(U8(8), at)
	CMPQ(at, end)
	JNE(LabelRef("listed_four_" + name))
	Label("listed_end_" + name)
}

// sum writes the function that adds up words.
func sum() {
	TEXT("sumAVX2", NOSPLIT, "func(words *uint64, n uint64) uint64")
	Pragma("noescape")
	Doc("sumAVX2 adds up n words, a multiple of 8.")
	at, left := Load(Param("words"), GP64()), Load(Param("n"), GP64())
	a, b := YMM(), YMM()
	VPXOR(a, a, a)
	VPXOR(b, b, b)
	TESTQ(left, left)
	JEQ(LabelRef("sum_end"))
	Label("sum_eight")
	VPADDQ(Mem{Base: at}, a, a)
	VPADDQ(Mem{Base: at, Disp: 32}, b, b)
	ADDQ(U8(64), at)
	SUBQ(U8(8), left)
	JNE(LabelRef("sum_eight"))
	Label("sum_end")
	VPADDQ(a, b, a)
	VEXTRACTI128(U8(1), a, b.AsX())
	VPADDQ(a.AsX(), b.AsX(), a.AsX())
	VPSRLDQ(U8(8), a.AsX(), b.AsX())
	VPADDQ(a.AsX(), b.AsX(), a.AsX())
	total := GP64()
	VMOVQ(a.AsX(), total)
	VZEROUPPER()
	Store(total, ReturnIndex(0))
	RET()
}
