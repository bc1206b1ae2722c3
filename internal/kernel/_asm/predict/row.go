package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	rowFeatures = 32
	// groupNodes is how many nodes every tree of a group has room for, which no branch counts.
	groupNodes = 31
	// pivotBytes and cutBytes are what a feature has of pivots and of cuts.
	pivotBytes = 4 * (16 + 256)
	cutBytes   = 8 * 256
	// greaterThan is the predicate of VCMPPS that signals nothing on NaN.
	greaterThan = 0x1E
	// notBelow is the predicate of VPCMPUD.
	notBelow = 5
)

// codeRow writes the search of a row's codes.
func codeRow() {
	TEXT("codeRowAVX512", NOSPLIT, "func(values *float64, features *int32, regular *uint32, n uint64, pivots *float32, cuts *float64, codes *[2][32]uint32) (missing uint64)")
	Pragma("noescape")
	Doc("codeRowAVX512 writes the words of n > 0 codes, and says whether any value is missing.")
	values, features, regular := Load(Param("values"), GP64()), Load(Param("features"), GP64()), Load(Param("regular"), GP64())
	n, pivots, codes := Load(Param("n"), GP64()), Load(Param("pivots"), GP64()), Load(Param("codes"), GP64())
	cuts := Load(Param("cuts"), GP64())
	i, missing := GP64(), GP64()
	XORQ(i, i)
	XORQ(missing, missing)
	below := func(at reg.Register, disp int, x reg.Register) reg.GPVirtual {
		less, count := K(), GP64()
		VCMPPS(U8(greaterThan), Mem{Base: at, Disp: disp}, x, less)
		KMOVW(less, count.As32())
		POPCNTL(count.As32(), count.As32())
		return count
	}
	Label("feature")
	index, x, single := GP64(), XMM(), ZMM()
	MOVLQSX(Mem{Base: features, Index: i, Scale: 4}, index)
	VMOVSD(Mem{Base: values, Index: index, Scale: 8}, x)
	VXORPS(single.AsX(), single.AsX(), single.AsX())
	VCVTSD2SS(x, single.AsX(), single.AsX())
	VBROADCASTSS(single.AsX(), single)
	sixteens := below(pivots, 0, single)
	at := GP64()
	MOVQ(sixteens, at)
	SHLQ(U8(6), at)
	ADDQ(pivots, at)
	code := below(at, 64, single)
	SHLQ(U8(4), sixteens)
	ADDQ(sixteens, code)
	// The cut that rounds to the same as the value is compared in full.
	less, more := K(), GP64()
	VCMPSD(U8(greaterThan), Mem{Base: cuts, Index: code, Scale: 8}, x, less)
	KMOVW(less, more.As32())
	ADDQ(more, code)
	word, zero := GP32(), GP32()
	// A NaN is below nothing, so its code is 0 until it gets that of missing values.
	SHLL(U8(8), code.As32())
	ORL(U32(255), code.As32())
	MOVL(code.As32(), Mem{Base: codes, Index: i, Scale: 4, Disp: 4 * rowFeatures})
	MOVL(Mem{Base: regular, Index: i, Scale: 4}, word)
	SHLL(U8(8), word)
	ORL(U32(255), word)
	XORL(zero, zero)
	VUCOMISD(x, x)
	CMOVLPS(word, code.As32())
	SETPS(zero.As8())
	ORL(zero, missing.As32())
	MOVL(code.As32(), Mem{Base: codes, Index: i, Scale: 4})
	ADDQ(U32(pivotBytes), pivots)
	ADDQ(U32(cutBytes), cuts)
	INCQ(i)
	CMPQ(i, n)
	JNE(LabelRef("feature"))
	VZEROUPPER()
	Store(missing, ReturnIndex(0))
	RET()
}

// addForest writes the passage of a row's codes through groups of 16 trees. The values of
// a group, whose additions wait for each other, are added while the next is decided.
func addForest(name string, missing bool) {
	TEXT(name, NOSPLIT, "func(groups uint64, words *uint32, leaves *float64, codes *[2][32]uint32, sum float64) float64")
	Pragma("noescape")
	if missing {
		Doc(name + " is addForestAVX512 for a row with missing values.")
	} else {
		Doc(name + " adds the leaf values of groups > 0 groups of trees to the sum.")
	}
	// The leaves of a group wait in a line of the cache of their own.
	local, wait := AllocLocal(128), GP64()
	LEAQ(local.Offset(63), wait)
	ANDQ(I8(-64), wait)
	groups, words := Load(Param("groups"), GP64()), Load(Param("words"), GP64())
	leaves, codes := Load(Param("leaves"), GP64()), Load(Param("codes"), GP64())
	sum := XMM()
	Load(Param("sum"), sum)
	var table [2][2]reg.VecVirtual
	for i := range table {
		if i == 1 && !missing {
			break
		}
		for j := range table[i] {
			table[i][j] = ZMM()
			VMOVDQU32(Mem{Base: codes, Disp: 4*rowFeatures*i + 64*j}, table[i][j])
		}
	}
	mark, bit := ZMM(), GP32()
	if missing {
		MOVL(U32(1<<5), bit)
		VPBROADCASTD(bit, mark)
	}
	add := func(tree int) {
		leaf := GP64()
		MOVL(Mem{Base: wait, Disp: 4 * tree}, leaf.As32())
		VADDSD(Mem{Base: leaves, Index: leaf, Scale: 8, Disp: 256 * tree}, sum, sum)
	}
	alive := ZMM()
	VPXORD(alive, alive, alive)
	VMOVDQU32(alive, Mem{Base: wait})

	Label("group")
	VPTERNLOGD(U8(255), alive, alive, alive)
	for node := range groupNodes {
		test, goesRight := ZMM(), K()
		tests := Mem{Base: words, Disp: 128 * node}
		VMOVDQU32(tests, test)
		if missing {
			other, isLeft := ZMM(), K()
			VPTESTMD(mark, test, isLeft)
			VMOVDQA32(test, other)
			VPERMI2D(table[1][1], table[1][0], other)
			VPERMI2D(table[0][1], table[0][0], test)
			VMOVDQA32(other, isLeft, test)
		} else {
			VPERMI2D(table[0][1], table[0][0], test)
		}
		VPCMPUD(U8(notBelow), tests, test, goesRight)
		VPANDD(Mem{Base: words, Disp: 128*node + 64}, alive, goesRight, alive)
		if node%2 == 1 && node/2 < 16 {
			add(node / 2)
		}
	}
	for tree := groupNodes / 2; tree < 16; tree++ {
		add(tree)
	}
	VPLZCNTD(alive, alive)
	VMOVDQU32(alive, Mem{Base: wait})
	ADDQ(U32(256*16), leaves)
	ADDQ(U32(128*groupNodes), words)
	DECQ(groups)
	JNE(LabelRef("group"))
	for tree := range 16 {
		add(tree)
	}
	Store(sum, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
