package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairBytes is the size of a slot of two words.
const pairBytes = 16

// pairs writes the function that adds the 32-bit codes of rows of n features to slots of two
// words: one vector of both for a row, and one addition for an update. An update is four
// instructions. Codes and values of the next row are loaded early, as rows does it.
func pairs(n int) {
	TEXT(fmt.Sprintf("addPairs%d", n), NOSPLIT, "func(sums *uint64, codes *uint8, stride uint64, entries *uint64, n uint64, early uint64, fetching uint64, width uint64, grad *int32, hess *uint32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("addPairs%d is add%d for slots of two words, of %d features and of codes in grad and hess, which it", n, min(n, mostFeatures), n),
		"fetches too, of the same rows.")
	r := pairPass{
		early: make([]reg.GPVirtual, (n+eight-1)/eight),
		rowPass: rowPass{
			n: n, sums: Load(Param("sums"), GP64()), codes: Load(Param("codes"), GP64()), stride: Load(Param("stride"), GP64()),
			at: Load(Param("entries"), GP64()), width: Load(Param("width"), GP64()), end: GP64(), row: GP64(),
		},
		grad: Load(Param("grad"), GP64()), hess: Load(Param("hess"), GP64()), value: XMM(), later: XMM(),
	}
	r.until("early", "rest")
	r.find(0)
	for i := range r.early {
		r.early[i] = GP64()
		r.loadPart(i, r.early[i])
	}
	r.find(1)
	r.read(0, r.later)
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

// pairPass is a rowPass with codes of 32 bits: value holds those of the row in turn, later those
// of the next one.
type pairPass struct {
	rowPass
	grad, hess   reg.Register
	value, later reg.VecVirtual
	early        []reg.GPVirtual // codes of the next row
}

// loadPart loads the i-th eight codes of the row, or as many as it has.
func (r *pairPass) loadPart(i int, to reg.GPVirtual) {
	rest := r.rowPass
	if r.n > eight {
		rest.n = eight
	}
	rest.load(i, to)
}

// read loads the codes of the row of an entry further on, each as a word of 64 bits.
func (r *pairPass) read(further int, to reg.VecVirtual) {
	hess := XMM()
	MOVWQZX(r.entry(further, rowOf), reg.RBX)
	VMOVD(Mem{Base: r.grad, Index: reg.RBX, Scale: 4}, to)
	VMOVD(Mem{Base: r.hess, Index: reg.RBX, Scale: 4}, hess)
	VPMOVSXDQ(to, to)
	VPUNPCKLQDQ(hess, to, to)
}

// fetch asks for the lines of the row of an entry further on.
func (r *pairPass) fetch() {
	r.rowPass.fetch()
	MOVWQZX(r.entry(ahead, rowOf), reg.RBX)
	PREFETCHT1(Mem{Base: r.grad, Index: reg.RBX, Scale: 4})
	PREFETCHT1(Mem{Base: r.hess, Index: reg.RBX, Scale: 4})
}

// addEarly is rowPass.addEarly.
func (r *pairPass) addEarly() {
	VMOVDQA(r.later, r.value)
	r.read(1, r.later)
	for i, codes := range r.early {
		r.addEight(codes, eight*i, min(r.n-eight*i, eight))
		r.loadPart(i, codes)
	}
	r.find(2)
}

// add is rowPass.add.
func (r *pairPass) add() {
	r.find(0)
	r.read(0, r.value)
	r.eachExactly(func(codes reg.GPPhysical, feature, n int) { r.addEight(codes, feature, n) })
}

// addEight adds to the slots of up to eight features.
func (r *pairPass) addEight(codes reg.Register, feature, n int) {
	for i := range n {
		sum := XMM()
		RORXQ(U8((8*i-4)&63), codes, reg.RBX) // a code times the size of a slot
		ANDL(U32(0xff*pairBytes), reg.EBX)
		slot := Mem{Base: r.sums, Index: reg.RBX, Scale: 1, Disp: pairBytes * slots * (feature + i)}
		VPADDQ(slot, r.value, sum)
		VMOVDQU(sum, slot)
	}
}
