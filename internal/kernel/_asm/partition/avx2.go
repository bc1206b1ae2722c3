package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// four is the number of entries of a vector of AVX2, which has no compression: a table
// holds the orders that bring any of four entries to the front.
const four = 4

// orders writes the table of orders: by the mask of the entries that go to the front, the
// eight halves of words that VPERMD takes.
func orders() Mem {
	table := GLOBL("orders", RODATA|NOPTR)
	for mask := range 1 << four {
		n := 0
		for i := range four {
			if mask>>i&1 == 1 {
				at := 32*mask + 8*n
				DATA(at, U32(2*i))
				DATA(at+4, U32(2*i+1))
				n++
			}
		}
		for ; n < four; n++ {
			DATA(32*mask+8*n, U64(0))
		}
	}
	return table
}

// divide4 writes a function that divides entries four at a time. find is told of an entry's row
// in the register at, which it may use, and doubles the mask and adds whether the entry goes left;
// of the first there is no mask yet.
func divide4(name, parameters, condition string, table Mem, find func(at, codes, left, mask reg.GPVirtual, first bool)) {
	TEXT(name, NOSPLIT, "func(entries *uint64, n uint64, "+parameters+", scratch *uint64) (left uint64)")
	Pragma("noescape")
	Doc(name+" divides n entries, a multiple of 16: those whose code's "+condition,
		"go to the front of entries, the others to scratch.")
	entries, n := Load(Param("entries"), GP64()).(reg.GPVirtual), Load(Param("n"), GP64())
	codes, left := Load(Param("codes"), GP64()).(reg.GPVirtual), Load(Param("table"), GP64()).(reg.GPVirtual)
	to := Load(Param("scratch"), GP64())
	front, end, order, last := GP64(), GP64(), GP64(), GP64()
	MOVQ(entries, front)
	LEAQ(Mem{Base: entries, Index: n, Scale: 8}, end)
	LEAQ(table, order)
	LEAQ(Mem{Base: order, Disp: 32 * (1<<four - 1)}, last)

	Label("step")
	for part := range 2 {
		v, mask := YMM(), GP64()
		VMOVDQU(Mem{Base: entries, Disp: 8 * four * part}, v)
		for i := four - 1; i >= 0; i-- {
			at := GP64()
			MOVWQZX(Mem{Base: entries, Disp: 8*(four*part+i) + rowOf}, at)
			find(at, codes, left, mask, i == four-1)
		}
		count, goes, stays, l, r := GP64(), YMM(), YMM(), YMM(), YMM()
		POPCNTQ(mask, count)
		SHLQ(U8(5), mask)
		VMOVDQU(Mem{Base: order, Index: mask, Scale: 1}, goes)
		NEGQ(mask)
		VMOVDQU(Mem{Base: last, Index: mask, Scale: 1}, stays) // of the other entries
		VPERMD(v, goes, l)
		VPERMD(v, stays, r)
		VMOVDQU(l, Mem{Base: front})
		VMOVDQU(r, Mem{Base: to})
		LEAQ(Mem{Base: front, Index: count, Scale: 8}, front)
		NEGQ(count)
		LEAQ(Mem{Base: to, Index: count, Scale: 8, Disp: 8 * four}, to)
	}
	ADDQ(U8(8*2*four), entries)
	CMPQ(entries, end)
	JNE(LabelRef("step"))
	VZEROUPPER()
	start, out := Load(Param("entries"), GP64()), GP64()
	MOVQ(front, out)
	SUBQ(start, out)
	SHRQ(U8(3), out)
	Store(out, ReturnIndex(0))
	RET()
}

// byteOf adds to the mask whether the byte of a code in the table is 1.
func byteOf(code func(at, codes reg.GPVirtual)) func(at, codes, left, mask reg.GPVirtual, first bool) {
	return func(at, codes, left, mask reg.GPVirtual, first bool) {
		code(at, codes)
		if first {
			MOVBQZX(Mem{Base: left, Index: at, Scale: 1}, mask)
			return
		}
		MOVBQZX(Mem{Base: left, Index: at, Scale: 1}, at)
		LEAQ(Mem{Base: at, Index: mask, Scale: 2}, mask)
	}
}

// bitOf adds to the mask whether the bit of a nibble is set in the table, whose 16 bits stand
// four times in it.
func bitOf(at, codes, left, mask reg.GPVirtual, first bool) {
	pair := GP64()
	MOVQ(at, pair)
	SHRQ(U8(1), pair)
	MOVBQZX(Mem{Base: codes, Index: pair, Scale: 1}, pair)
	SHLL(U8(2), at.As32())
	ANDL(U8(4), at.As32())
	SHRXQ(at, pair, pair)
	if first {
		XORL(mask.As32(), mask.As32())
	}
	BTQ(pair, left)
	ADCQ(mask, mask)
}

func avx2() {
	table := orders()
	divide4("divideBytesAVX2", "codes *uint8, table *uint8", "byte in the table is 1", table,
		byteOf(func(at, codes reg.GPVirtual) { MOVBQZX(Mem{Base: codes, Index: at, Scale: 1}, at) }))
	divide4("divideWordsAVX2", "codes *uint16, table *uint8", "byte in the table is 1", table,
		byteOf(func(at, codes reg.GPVirtual) { MOVWQZX(Mem{Base: codes, Index: at, Scale: 2}, at) }))
	divide4("divideNibblesAVX2", "codes *uint8, table uint64", "bit is set in the table", table, bitOf)
}
