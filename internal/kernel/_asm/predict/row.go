package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	rowFeatures = 128
	// greaterThan and equal are predicates of VCMPPS that signal nothing on NaN.
	greaterThan = 0x1E
	equal       = 0
	// notBelow is the predicate of VPCMPUB.
	notBelow = 5
)

// Where a place has its bytes.
const (
	placeBytes = 256
	featureAt  = 0
	codeAt     = 64
	firstAt    = 128
	missingAt  = 192
)

// codeRow writes the search of a row's codes. It takes all features through one step of the
// search after the other: the steps of one feature wait for each other, and a processor does
// not look far enough ahead to find those of enough others between them.
func codeRow(wide bool) {
	name := "codeRowAVX2"
	if wide {
		name = "codeRowAVX512"
	}
	TEXT(name, NOSPLIT, "func(values *float64, features *int32, blocks *uint32, n uint64, pivots *float32, cuts *float64, singles *[128]float32, codes *[2][128]uint8) (missing uint64)")
	Pragma("noescape")
	Doc(name + " writes n > 0 codes, and says whether any value is missing. singles are its own.")
	values, features := Load(Param("values"), GP64()), Load(Param("features"), GP64())
	blocks := Load(Param("blocks"), GP64())
	n, pivots, codes := Load(Param("n"), GP64()), Load(Param("pivots"), GP64()), Load(Param("codes"), GP64())
	cuts, singles := Load(Param("cuts"), GP64()), Load(Param("singles"), GP64())
	i, missing := GP64(), GP64()
	XORL(missing.As32(), missing.As32())
	each := func(label string, work func()) {
		XORL(i.As32(), i.As32())
		Label(label)
		work()
		INCQ(i)
		CMPQ(i, n)
		JNE(LabelRef(label))
	}
	value := func() (x reg.VecVirtual) {
		index := GP64()
		x = XMM()
		MOVLQSX(Mem{Base: features, Index: i, Scale: 4}, index)
		VMOVSD(Mem{Base: values, Index: index, Scale: 8}, x)
		return x
	}
	// single is the value among rounded ones.
	single := func() (x reg.VecVirtual) {
		if wide {
			x = ZMM()
		} else {
			x = YMM()
		}
		VBROADCASTSS(Mem{Base: singles, Index: i, Scale: 4}, x)
		return x
	}
	// below counts which of 16 pivots are below the value.
	below := func(x reg.VecVirtual, at Mem) reg.GPVirtual {
		count := GP64()
		if wide {
			less := K()
			VCMPPS(U8(greaterThan), at, x, less)
			KMOVW(less, count.As32())
		} else {
			low, high, upper := YMM(), YMM(), GP32()
			VCMPPS(U8(greaterThan), at, x, low)
			VCMPPS(U8(greaterThan), at.Offset(32), x, high)
			VMOVMSKPS(low, count.As32())
			VMOVMSKPS(high, upper)
			SHLL(U8(8), upper)
			ORL(upper, count.As32())
		}
		POPCNTL(count.As32(), count.As32())
		return count
	}
	code := func(kind int) Mem { return Mem{Base: codes, Index: i, Scale: 1, Disp: rowFeatures * kind} }

	each("single", func() {
		x, single := value(), XMM()
		VXORPS(single, single, single)
		VCVTSD2SS(x, single, single)
		VMOVSS(single, Mem{Base: singles, Index: i, Scale: 4})
		VUCOMISD(x, x)
		JPS(LabelRef("nan"))
		Label("number")
	})
	each("sixteens", func() {
		at := GP64()
		MOVL(Mem{Base: blocks, Index: i, Scale: 4}, at.As32())
		MOVB(below(single(), Mem{Base: pivots, Index: at, Scale: 1}).As8(), code(0))
	})
	count, block := GP64(), GP64()
	each("ones", func() {
		sixteens, x := GP64(), single()
		MOVBQZX(code(0), sixteens)
		MOVL(Mem{Base: blocks, Index: i, Scale: 4}, block.As32())
		MOVL(sixteens.As32(), count.As32())
		SHLL(U8(6), sixteens.As32())
		ADDL(block.As32(), sixteens.As32())
		SHLL(U8(4), count.As32())
		at := Mem{Base: pivots, Index: sixteens, Scale: 1, Disp: 64}
		ADDL(below(x, at).As32(), count.As32())
		if wide {
			same := K()
			VCMPPS(U8(equal), at, x, same)
			KORTESTW(same, same)
		} else {
			low, high := YMM(), YMM()
			VCMPPS(U8(equal), at, x, low)
			VCMPPS(U8(equal), at.Offset(32), x, high)
			VORPS(low, high, high)
			VTESTPS(high, high)
		}
		JNE(LabelRef("tie"))
		Label("coded")
		MOVB(count.As8(), code(0))
		MOVB(count.As8(), code(1))
	})
	// A NaN is below nothing: its code is 0 so far.
	TESTQ(missing, missing)
	JEQ(LabelRef("done"))
	each("gaps", func() {
		x := value()
		VUCOMISD(x, x)
		JPC(LabelRef("present"))
		MOVB(U8(255), code(0))
		Label("present")
	})
	Label("done")
	VZEROUPPER()
	Store(missing, ReturnIndex(0))
	RET()

	Label("nan")
	MOVL(U32(1), missing.As32())
	JMP(LabelRef("number"))

	// Cuts that round to the same as the value are compared in full; behind the last is +Inf.
	Label("tie")
	x := value()
	LEAQ(Mem{Base: cuts, Index: block, Scale: 2}, block)
	Label("next")
	VUCOMISD(Mem{Base: block, Index: count, Scale: 8, Disp: 128}, x)
	JLS(LabelRef("coded"))
	INCQ(count)
	JMP(LabelRef("next"))
}

// forest writes the passage of a row's codes through groups of 64 trees. The values of a
// group, whose additions wait for each other, are added while the next is decided.
//
// Bound: 256 cycles a group of 64 trees for the additions, 4 each. With AVX-512 a place takes
// 4 cycles of port 5 and waits 5 for the one before, with AVX2 20 instructions on three ports, 7
// cycles: 31 of them are shorter than the additions, 255 take 5 and 7 cycles each. With 8
// tables a place takes 17 and 31 cycles. A place is read in three lines of the cache.
type forest struct {
	wide    bool // vectors of 64 bytes, else pairs of 32
	many    bool // the features stand in 8 tables, else in 2
	missing bool // missing values have two codes

	words, codes   reg.Register
	tables         [][]reg.VecVirtual // those that stand in registers
	one, flip, add reg.VecVirtual
	step           reg.VecVirtual
	count          reg.VecVirtual
	leaf           []reg.VecVirtual
}

func (f *forest) vec() reg.VecVirtual {
	if f.wide {
		return ZMM()
	}
	return YMM()
}

func (f *forest) tableCount() int {
	if f.many {
		return 8
	}
	return 2
}

// broadcast repeats 16 bytes of memory.
func (f *forest) broadcast(at Mem, v reg.VecVirtual) {
	if f.wide {
		VBROADCASTI32X4(at, v)
	} else {
		VBROADCASTI128(at, v)
	}
}

func (f *forest) xor(a Op, b, to reg.VecVirtual) {
	if f.wide {
		VPXORQ(a, b, to)
	} else {
		VPXOR(a, b, to)
	}
}

func (f *forest) or(a Op, b, to reg.VecVirtual) {
	if f.wide {
		VPORQ(a, b, to)
	} else {
		VPOR(a, b, to)
	}
}

func (f *forest) move(at Mem, v reg.VecVirtual) {
	if f.wide {
		VMOVDQU64(at, v)
	} else {
		VMOVDQU(at, v)
	}
}

// table returns 16 codes as a vector.
func (f *forest) table(kind, i int) reg.VecVirtual {
	if kind < len(f.tables) {
		return f.tables[kind][i]
	}
	v := f.vec()
	f.broadcast(Mem{Base: f.codes, Disp: rowFeatures*kind + 16*i}, v)
	return v
}

// lookUp returns the codes of the nodes' features, by the half of the place.
func (f *forest) lookUp(half int) reg.VecVirtual {
	kinds := 1
	if f.missing {
		kinds = 2
	}
	found := make([]reg.VecVirtual, kinds)
	index := f.vec()
	f.move(Mem{Base: f.words, Disp: featureAt + 32*half}, index)
	if f.many {
		// Less 16 for each table, an index of the table's own is below 16, and 112 more leave
		// its bit 7 clear; those of all others get it, and look up 0.
		for i := range f.tableCount() {
			own := f.vec()
			VPADDUSB(f.add, index, own)
			for kind := range kinds {
				if i == 0 {
					found[kind] = f.vec()
					VPSHUFB(own, f.table(kind, i), found[kind])
					continue
				}
				x := f.vec()
				VPSHUFB(own, f.table(kind, i), x)
				f.or(x, found[kind], found[kind])
			}
			if i < f.tableCount()-1 {
				VPSUBB(f.step, index, index)
			}
		}
	} else {
		other := f.vec()
		f.xor(f.flip, index, other)
		for kind := range kinds {
			found[kind] = f.vec()
			x := f.vec()
			VPSHUFB(index, f.table(kind, 0), found[kind])
			VPSHUFB(other, f.table(kind, 1), x)
			f.or(x, found[kind], found[kind])
		}
	}
	if f.missing {
		left := f.vec()
		f.move(Mem{Base: f.words, Disp: missingAt + 32*half}, left)
		if f.wide {
			isLeft := K()
			VPMOVB2M(left, isLeft)
			VMOVDQU8(found[1], isLeft, found[0])
		} else {
			VPBLENDVB(left, found[1], found[0], found[0])
		}
	}
	return found[0]
}

// place takes the row through a place of a group.
func (f *forest) place() {
	VPADDB(f.one, f.count, f.count)
	if f.wide {
		x := f.lookUp(0)
		right, ruledOut := K(), K()
		VPCMPUB(U8(notBelow), Mem{Base: f.words, Disp: codeAt}, x, right)
		VPCMPUB(U8(notBelow), Mem{Base: f.words, Disp: firstAt}, f.leaf[0], right, ruledOut)
		VMOVDQU8(f.count, ruledOut, f.leaf[0])
	} else {
		for half := range f.leaf {
			x, most, least := f.lookUp(half), YMM(), YMM()
			VPMAXUB(Mem{Base: f.words, Disp: codeAt + 32*half}, x, most)
			VPCMPEQB(most, x, x)
			VPMAXUB(Mem{Base: f.words, Disp: firstAt + 32*half}, f.leaf[half], least)
			VPAND(f.count, x, x)
			VPCMPEQB(least, f.leaf[half], least)
			// The leaf behind the place is after all so far.
			VPAND(x, least, x)
			VPMAXUB(x, f.leaf[half], f.leaf[half])
		}
	}
	ADDQ(U32(placeBytes), f.words)
}

func (f *forest) write() {
	set, kind := "AVX2", ""
	if f.wide {
		set = "AVX512"
	}
	if f.many {
		kind += "Many"
	}
	if f.missing {
		kind += "Missing"
	}
	TEXT(fmt.Sprintf("addForest%s%s", kind, set), NOSPLIT,
		"func(groups uint64, trees uint64, places *uint64, bytes *uint8, leaves *float64, stride uint64, codes *[2][128]uint8, sum float64) float64")
	Pragma("noescape")
	Doc(fmt.Sprintf("addForest%s%s adds the leaf values of trees > 0 trees in so many groups to the sum.", kind, set))
	// The leaves of a group wait in a line of the cache of their own.
	local, wait := AllocLocal(128), GP64()
	LEAQ(local.Offset(63), wait)
	ANDQ(I8(-64), wait)
	groups, places := Load(Param("groups"), GP64()), Load(Param("places"), GP64())
	leaves, stride := Load(Param("leaves"), GP64()), Load(Param("stride"), GP64())
	SHLQ(U8(3), stride)
	f.words, f.codes = Load(Param("bytes"), GP64()), Load(Param("codes"), GP64())
	sum := XMM()
	Load(Param("sum"), sum)
	word := GP64()
	fill := func(b uint64) reg.VecVirtual {
		v := f.vec()
		MOVQ(U64(b*0x0101010101010101), word)
		VMOVQ(word, v.AsX())
		VPBROADCASTQ(v.AsX(), v)
		return v
	}
	f.one = fill(1)
	if f.many {
		f.add, f.step = fill(0x70), fill(16)
	} else {
		f.flip = fill(0x80)
	}
	f.tables = nil
	if !f.many || f.wide && !f.missing {
		kinds := 1
		if f.missing {
			kinds = 2
		}
		for kind := range kinds {
			var row []reg.VecVirtual
			for i := range f.tableCount() {
				v := f.vec()
				f.broadcast(Mem{Base: f.codes, Disp: rowFeatures*kind + 16*i}, v)
				row = append(row, v)
			}
			f.tables = append(f.tables, row)
		}
	}
	f.count = f.vec()
	f.leaf = []reg.VecVirtual{f.vec()}
	if !f.wide {
		f.leaf = append(f.leaf, f.vec())
	}

	n, both, pending, at := GP64(), GP64(), GP64(), GP64()
	XORL(pending.As32(), pending.As32())
	most := GP64()
	MOVQ(U32(32), most)
	adding := func() {
		leaf := GP64()
		MOVBQZX(Mem{Base: at}, leaf)
		VADDSD(Mem{Base: leaves, Index: leaf, Scale: 8}, sum, sum)
		ADDQ(stride, leaves)
		INCQ(at)
	}
	rest := func(name string) {
		TESTQ(pending, pending)
		JEQ(LabelRef(name + "Done"))
		Label(name)
		adding()
		DECQ(pending)
		JNE(LabelRef(name))
		Label(name + "Done")
	}

	Label("group")
	f.xor(f.count, f.count, f.count)
	for _, v := range f.leaf {
		f.xor(v, v, v)
	}
	MOVQ(Mem{Base: places}, n)
	ADDQ(U8(8), places)
	TESTQ(n, n)
	JEQ(LabelRef("decided"))
	TESTQ(pending, pending)
	JEQ(LabelRef("alone"))
	// Another group follows, so 64 leaves wait.
	MOVQ(n, both)
	CMPQ(both, most)
	CMOVQHI(most, both)
	SUBQ(both, n)
	Label("both")
	f.place()
	adding()
	adding()
	SUBQ(U8(2), pending)
	DECQ(both)
	JNE(LabelRef("both"))
	TESTQ(n, n)
	JEQ(LabelRef("decided"))
	Label("alone")
	f.place()
	DECQ(n)
	JNE(LabelRef("alone"))
	Label("decided")
	rest("before")
	if f.wide {
		VMOVDQU64(f.leaf[0], Mem{Base: wait})
	} else {
		VMOVDQU(f.leaf[0], Mem{Base: wait})
		VMOVDQU(f.leaf[1], Mem{Base: wait, Disp: 32})
	}
	MOVQ(wait, at)
	MOVQ(U32(64), pending)
	DECQ(groups)
	JNE(LabelRef("group"))
	// The last group has the rest of the trees.
	Load(Param("trees"), pending)
	DECQ(pending)
	ANDQ(U8(63), pending)
	INCQ(pending)
	rest("after")
	Store(sum, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
