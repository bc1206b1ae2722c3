// Command partition writes the assembly of the package internal/kernel/partition: entries
// are divided by the codes of their rows, by AVX-512 16 at a time and by AVX2 four. The Go
// form is partition.go there.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// lanes is the number of entries of a step, two vectors of eight.
	lanes = 16
	// window is the number of bytes of codes that two vectors hold.
	window = 128
	// rowOf is where an entry keeps its row: in the third and fourth byte.
	rowOf = 2
)

func main() {
	ConstraintExpr("amd64,!purego")
	even := GLOBL("even", RODATA|NOPTR)
	for i := range lanes {
		DATA(4*i, U32(2*i))
	}
	const table = "codes *uint8, size uint64, table *[8]uint32"
	divide("divideBytesAVX512", table, "bit is set in the table", narrow(8, even))
	divide("divideNibblesAVX512", table, "bit is set in the table", narrow(4, even))
	avx2()
	Generate()
}

// lookUp finds in a loop which of 16 entries, read into two vectors, go left.
type lookUp func(entries reg.Register, first, second reg.VecVirtual, goes reg.Register)

// divide writes a function that divides entries by what the loop's look-up finds, which begin
// readies: condition says of the codes and table in the function's parameters what goes left.
func divide(name, parameters, condition string, begin func(codes, table reg.Register) lookUp) {
	TEXT(name, NOSPLIT, "func(entries *uint64, n uint64, "+parameters+", scratch *uint64) (left uint64)")
	Pragma("noescape")
	Doc(name+" divides n entries, a multiple of 16: those whose code's "+condition,
		"go to the front of entries, the others to scratch.")
	entries, n := Load(Param("entries"), GP64()), Load(Param("n"), GP64())
	codes, table := Load(Param("codes"), GP64()), Load(Param("table"), GP64())
	to := Load(Param("scratch"), GP64())
	front, end := GP64(), GP64()
	MOVQ(entries, front)
	LEAQ(Mem{Base: entries, Index: n, Scale: 8}, end)
	find := begin(codes, table)

	Label("step")
	first, second, goes, goesHigh := ZMM(), ZMM(), K(), K()
	VMOVDQU64(Mem{Base: entries}, first)
	VMOVDQU64(Mem{Base: entries, Disp: 64}, second)
	find(entries, first, second, goes)
	KSHIFTRW(U8(8), goes, goesHigh)
	low, both := GP32(), GP32()
	KMOVW(goes, both)
	MOVBLZX(both.As8(), low)
	SHRL(U8(8), both)
	POPCNTL(low, low)
	POPCNTL(both, both)

	put := func(v reg.VecVirtual, k reg.Register, at reg.Register) {
		part := ZMM()
		VPCOMPRESSQ_Z(v, k, part)
		VMOVDQU64(part, Mem{Base: at})
	}
	advance := func(at reg.Register, by reg.GPVirtual) { LEAQ(Mem{Base: at, Index: by.As64(), Scale: 8}, at) }
	put(first, goes, front)
	advance(front, low)
	put(second, goesHigh, front)
	advance(front, both)
	stay, stayHigh := K(), K()
	KNOTW(goes, stay)
	KNOTW(goesHigh, stayHigh)
	// 8 − n entries go the other way.
	rest := func(n reg.GPVirtual) {
		NEGL(n)
		ADDL(U8(8), n)
	}
	rest(low)
	rest(both)
	put(first, stay, to)
	advance(to, low)
	put(second, stayHigh, to)
	advance(to, both)

	ADDQ(U32(8*lanes), entries)
	CMPQ(entries, end)
	JNE(LabelRef("step"))
	VZEROUPPER()
	start, left := Load(Param("entries"), GP64()), GP64()
	MOVQ(front, left)
	SUBQ(start, left)
	SHRQ(U8(3), left)
	Store(left, ReturnIndex(0))
	RET()
}

// broadcast puts a number into all lanes of 32 bits.
func broadcast(v uint64, to reg.VecVirtual) {
	r := GP32()
	MOVL(U32(v), r)
	VPBROADCASTD(r, to)
}

// narrow looks codes of 8 or 4 bits up in a table of bits.
func narrow(bits uint64, even Mem) func(codes, table reg.Register) lookUp {
	return func(codes, table reg.Register) lookUp {
		limit := Load(Param("size"), GP64())
		SUBQ(U8(window), limit) // may be negative
		words, ones, low5, pick, threes, bytes := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
		VBROADCASTI64X4(Mem{Base: table}, words)
		broadcast(1, ones)
		broadcast(31, low5)
		broadcast(3, threes)
		broadcast(255, bytes)
		VMOVDQU32(even, pick)
		return func(entries reg.Register, first, second reg.VecVirtual, goes reg.Register) {
			code, row := ZMM(), ZMM()
			VMOVDQA64(first, row)
			VPERMT2D(second, pick, row)
			VPSRLD(U8(16), row, row)
			from, last := GP64(), GP64()
			MOVWQZX(Mem{Base: entries, Disp: rowOf}, from)
			MOVWQZX(Mem{Base: entries, Disp: 8*(lanes-1) + rowOf}, last)
			if bits == 8 {
				// Rows that follow each other have their codes side by side.
				SUBQ(from, last)
				CMPQ(last, U8(lanes-1))
				JNE(LabelRef("apart"))
				VPMOVZXBD(Mem{Base: codes, Index: from, Scale: 1}, code)
				JMP(LabelRef("coded"))
				Label("apart")
			} else {
				SHRQ(U8(1), from)
				SHRQ(U8(1), last)
				SUBQ(from, last)
			}
			CMPQ(last, U32(window))
			JGE(LabelRef("scattered"))
			CMPQ(from, limit)
			JG(LabelRef("scattered"))
			// Rows close to each other have theirs in two vectors: each takes the four bytes that hold
			// its own, and shifts.
			at, shift, near, far := ZMM(), ZMM(), ZMM(), ZMM()
			VPBROADCASTD(from.As32(), at)
			if bits == 8 {
				VPSUBD(at, row, at)
			} else {
				half := ZMM()
				VPSRLD(U8(1), row, half)
				VPSUBD(at, half, at)
			}
			VPANDD(threes, at, shift)
			VPSLLD(U8(3), shift, shift)
			VPSRLD(U8(2), at, code)
			VMOVDQU64(Mem{Base: codes, Index: from, Scale: 1}, near)
			VMOVDQU64(Mem{Base: codes, Index: from, Scale: 1, Disp: 64}, far)
			VPERMI2D(far, near, code)
			VPSRLVD(shift, code, code)
			VPANDD(bytes, code, code)
			JMP(LabelRef("loaded"))
			Label("scattered")
			// Loads one by one: a gather of 16 takes 42 cycles on a processor that guards its gathers
			// against leaks, these take 26.
			each := XMM()
			VPXOR(each, each, each)
			for i := range lanes {
				at := GP64()
				MOVWQZX(Mem{Base: entries, Disp: 8*i + rowOf}, at)
				if bits == 4 {
					SHRQ(U8(1), at)
				}
				VPINSRB(U8(i), Mem{Base: codes, Index: at, Scale: 1}, each, each)
			}
			VPMOVZXBD(each, code)
			Label("loaded")
			if bits == 4 {
				shift := ZMM()
				VPANDD(ones, row, shift)
				VPSLLD(U8(2), shift, shift)
				VPSRLVD(shift, code, code)
			}
			Label("coded")

			// The table's eight words stand twice in the vector: a fourth bit of the index, from
			// beyond the code, is of no matter. For nibbles all but the first word are.
			word, bit := ZMM(), ZMM()
			if bits == 8 {
				VPSRLD(U8(5), code, word)
				VPERMD(words, word, word)
				VPANDD(low5, code, bit)
				VPSLLVD(bit, ones, bit)
				VPTESTMD(bit, word, goes)
			} else {
				fifteen := ZMM()
				broadcast(15, fifteen)
				VPANDD(fifteen, code, bit)
				VPSLLVD(bit, ones, bit)
				VPTESTMD(bit, words, goes)
			}
		}
	}
}
