package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// atOnce is the number of rows that a transposition takes a multiple of: one vector of
// each column.
const atOnce = 16

// transpose writes the kernel for 4 or 8 columns: codes of two columns are put side by
// side, then those pairs, and so on, until a vector holds whole rows.
func transpose(columns int) {
	TEXT(fmt.Sprintf("transpose%dAVX2", columns), NOSPLIT, fmt.Sprintf("func(dst *byte, stride uint64, columns *[%d][]uint8, rows uint64)", columns))
	Pragma("noescape")
	Doc(fmt.Sprintf("transpose%dAVX2 is transpose%d for a multiple of %d rows.", columns, columns, atOnce))
	dst := Load(Param("dst"), GP64())
	stride := Load(Param("stride"), GP64())
	from := Load(Param("columns"), GP64())
	rows := Load(Param("rows"), GP64())
	starts := make([]reg.Register, columns)
	for i := range starts {
		starts[i] = GP64()
		MOVQ(Mem{Base: from, Disp: 24 * i}, starts[i])
	}
	row := GP64()
	XORQ(row, row)
	TESTQ(rows, rows)
	JZ(LabelRef("done"))
	Label("loop")
	parts := make([]reg.VecVirtual, columns)
	for i := range parts {
		parts[i] = XMM()
		VMOVDQU(Mem{Base: starts[i], Index: row, Scale: 1}, parts[i])
	}
	for _, part := range interleave(parts) {
		store(part, dst, stride, columns)
	}
	ADDQ(U8(atOnce), row)
	CMPQ(row, rows)
	JCS(LabelRef("loop"))
	Label("done")
	RET()
}

// interleave puts the codes of all columns of a row side by side. The result holds
// the rows in order.
func interleave(columns []reg.VecVirtual) []reg.VecVirtual {
	if len(columns) == 1 {
		return columns
	}
	half := len(columns) / 2
	left, right := interleave(columns[:half]), interleave(columns[half:])
	low := map[int]func(...Op){1: VPUNPCKLBW, 2: VPUNPCKLWD, 4: VPUNPCKLDQ}[half]
	high := map[int]func(...Op){1: VPUNPCKHBW, 2: VPUNPCKHWD, 4: VPUNPCKHDQ}[half]
	var rows []reg.VecVirtual
	for i := range left {
		first, second := XMM(), XMM()
		low(right[i], left[i], first)
		high(right[i], left[i], second)
		rows = append(rows, first, second)
	}
	return rows
}

// store writes the rows of a vector.
func store(rows reg.VecVirtual, dst, stride reg.Register, columns int) {
	for i := range 16 / columns {
		switch {
		case columns == 8 && i == 0:
			VMOVQ(rows, Mem{Base: dst})
		case columns == 8:
			VMOVHPD(rows, Mem{Base: dst})
		case i == 0:
			VMOVD(rows, Mem{Base: dst})
		default:
			VPEXTRD(U8(i), rows, Mem{Base: dst})
		}
		ADDQ(stride, dst)
	}
}
