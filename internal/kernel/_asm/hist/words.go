package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unrolled is how many entries a turn of words takes.
const unrolled = 4

// words writes the function that adds up a column of two bytes a code: eight instructions an
// entry, with the one that keeps a wrong code from writing anywhere.
func words() {
	TEXT("addWords", NOSPLIT, "func(sums *uint64, slots uint64, codes *uint16, entries *uint64, n uint64) (done uint64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("addWords is OneWordColumn for n entries, a multiple of %d and not 0. It ends before an entry whose code", unrolled),
		"has no slot, and says how many it has added.")
	sums, size, codes := Load(Param("sums"), GP64()), Load(Param("slots"), GP64()), Load(Param("codes"), GP64())
	entries, n := Load(Param("entries"), GP64()), Load(Param("n"), GP64())
	at, mask := GP64(), GP64()
	MOVQ(U64(0xFFFFFFFF0000FFFF), mask)
	XORL(at.As32(), at.As32())
	Label("turn")
	var code, word [unrolled]reg.GPVirtual
	for i := range unrolled {
		code[i], word[i] = GP64(), GP64()
		MOVWQZX(Mem{Base: entries, Index: at, Scale: 8, Disp: 8*i + rowOf}, code[i])
		MOVWQZX(Mem{Base: codes, Index: code[i], Scale: 2}, code[i])
		if i%2 == 1 { // two words are as many as there are registers for
			for j := i - 1; j <= i; j++ {
				MOVQ(Mem{Base: entries, Index: at, Scale: 8, Disp: 8 * j}, word[j])
				ANDQ(mask, word[j])
				CMPQ(code[j], size)
				JAE(LabelRef(fmt.Sprintf("bad%d", j)))
				ADDQ(word[j], Mem{Base: sums, Index: code[j], Scale: 8})
			}
		}
	}
	ADDQ(U8(unrolled), at)
	CMPQ(at, n)
	JCS(LabelRef("turn"))
	Store(at, ReturnIndex(0))
	RET()
	for i := range unrolled {
		Label(fmt.Sprintf("bad%d", i))
		ADDQ(U8(i), at)
		Store(at, ReturnIndex(0))
		RET()
	}
}
