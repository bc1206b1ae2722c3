package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// spread writes the two forms that take codes of 4 bits apart: a byte of two codes is widened to a word, in whose
// bytes the two are brought by a shift and a mask.
func spread(low4 Mem) {
	for _, f := range []struct {
		set    string
		bytes  int // that are read at once
		vector func() reg.VecVirtual
		move   func(...Op)
		and    func(...Op)
		or     func(...Op)
	}{
		{"AVX512", 32, ZMM, VMOVDQU64, VPANDQ, VPORQ},
		{"AVX2", 16, YMM, plain(VMOVDQU), plain(VPAND), plain(VPOR)},
	} {
		TEXT("spread"+f.set, NOSPLIT, "func(to *uint8, halves *byte, n uint64)")
		Pragma("noescape")
		Doc(fmt.Sprintf("spread%s writes the codes of n > 0 bytes, a multiple of %d.", f.set, f.bytes))
		to, halves, n := Load(Param("to"), GP64()), Load(Param("halves"), GP64()), Load(Param("n"), GP64())
		low := f.vector()
		f.move(low4, low)
		Label("next")
		codes, upper := f.vector(), f.vector()
		VPMOVZXBW(Mem{Base: halves}, codes)
		VPSLLW(U8(4), codes, upper)
		f.or(upper, codes, codes)
		f.and(low, codes, codes)
		f.move(codes, Mem{Base: to})
		ADDQ(U8(f.bytes), halves)
		ADDQ(U8(2*f.bytes), to)
		SUBQ(U8(f.bytes), n)
		JNE(LabelRef("next"))
		VZEROUPPER()
		RET()
	}
}

// plain gives an instruction of two or three operands the form of those that take a mask too.
func plain[F func(Op, Op) | func(Op, Op, Op)](f F) func(...Op) {
	switch f := any(f).(type) {
	case func(Op, Op):
		return func(ops ...Op) { f(ops[0], ops[1]) }
	case func(Op, Op, Op):
		return func(ops ...Op) { f(ops[0], ops[1], ops[2]) }
	}
	return nil
}
