package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// countTables is how many tables take turns: rows of one code that follow each other do not
	// wait for each other then (countTables of the package).
	countTables = 4
	// counted is how many entries a turn takes.
	counted = 8
)

// counts writes the functions that count rows.
func counts() {
	countBytes()
	countNibbles()
	foldCounts()
}

// countBytes writes the function that counts rows by codes of one byte, of three instructions
// an entry.
func countBytes() {
	TEXT("countBytes", NOSPLIT, "func(tables *uint32, codes *uint8, entries *uint64, n uint64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("countBytes adds 1 to a slot of one of %d tables of 256 slots each, for n entries, a multiple of %d and not 0.", countTables, counted))
	tables, codes := Load(Param("tables"), GP64()), Load(Param("codes"), GP64())
	entries, n := Load(Param("entries"), GP64()), Load(Param("n"), GP64())
	Label("turn")
	for i := range counted {
		code := GP64()
		MOVWQZX(Mem{Base: entries, Disp: 8*i + rowOf}, code)
		MOVBQZX(Mem{Base: codes, Index: code, Scale: 1}, code)
		INCL(Mem{Base: tables, Index: code, Scale: 4, Disp: 4 * 256 * (i % countTables)})
	}
	nextEntries(entries, n)
	RET()
}

// countNibbles writes the function that counts rows by codes of half a byte: of eight codes that are
// read at once, a shift by four times the row, of which it takes five bits, brings the row's to the end.
func countNibbles() {
	TEXT("countNibbles", NOSPLIT, "func(tables *uint32, codes *uint8, entries *uint64, n uint64)")
	Pragma("noescape")
	Doc("countNibbles is countBytes for tables of 16 slots each and codes of half a byte, which it reads up to the next",
		"whole four bytes.")
	tables, codes := Load(Param("tables"), GP64()), Load(Param("codes"), GP64())
	entries, n := Load(Param("entries"), GP64()), Load(Param("n"), GP64())
	Label("turn")
	for i := range counted {
		row, code := GP64(), GP64()
		MOVWQZX(Mem{Base: entries, Disp: 8*i + rowOf}, row)
		MOVL(row.As32(), code.As32())
		SHRL(U8(3), code.As32())
		SHLL(U8(2), row.As32())
		SHRXL(row.As32(), Mem{Base: codes, Index: code, Scale: 4}, code.As32())
		ANDL(U8(15), code.As32())
		INCL(Mem{Base: tables, Index: code, Scale: 4, Disp: 4 * 16 * (i % countTables)})
	}
	nextEntries(entries, n)
	RET()
}

// nextEntries goes on to the next turn, or on behind the loop.
func nextEntries(entries, n reg.Register) {
	ADDQ(U8(8*counted), entries)
	SUBQ(U8(counted), n)
	JNZ(LabelRef("turn"))
}

// foldCounts writes the function that adds up the tables.
func foldCounts() {
	TEXT("foldCountsAVX2", NOSPLIT, "func(counts *uint32, n uint64, tables *uint32, size uint64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("foldCountsAVX2 adds the first n slots, a multiple of 8 and not 0, of %d tables of size slots each to counts.", countTables))
	to, n := Load(Param("counts"), GP64()), Load(Param("n"), GP64())
	from, size, three := Load(Param("tables"), GP64()), Load(Param("size"), GP64()), GP64()
	LEAQ(Mem{Base: size, Index: size, Scale: 2}, three)
	Label("slots")
	sum := YMM()
	VMOVDQU(Mem{Base: to}, sum)
	VPADDD(Mem{Base: from}, sum, sum)
	VPADDD(Mem{Base: from, Index: size, Scale: 4}, sum, sum)
	VPADDD(Mem{Base: from, Index: size, Scale: 8}, sum, sum)
	VPADDD(Mem{Base: from, Index: three, Scale: 4}, sum, sum)
	VMOVDQU(sum, Mem{Base: to})
	ADDQ(U8(32), from)
	ADDQ(U8(32), to)
	SUBQ(U8(8), n)
	JNZ(LabelRef("slots"))
	VZEROUPPER()
	RET()
}
