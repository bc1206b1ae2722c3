package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	rowFeatures = 128
	// notEqual and notBelow are predicates of VPCMPUB.
	notEqual = 4
	notBelow = 5
)

// Where a place has its bytes.
const (
	placeBytes = 192
	featureAt  = 0
	codeAt     = 64
	firstAt    = 128
)

// forest writes the passage of a row's codes through groups of 64 trees. The values of a
// group, whose additions wait for each other, are added while the next is decided.
//
// Bound: 256 cycles a group of 64 trees for the additions, 4 each. With AVX-512 a place takes
// 4 cycles of port 5 and waits 5 for the one before, with AVX2 20 instructions on three ports, 7
// cycles: 31 of them are shorter than the additions, 255 take 5 and 7 cycles each. With many
// features a place takes 14 operations on two ports, 7 of them port 5's, so 7 cycles, and
// with AVX2 31. Missing values take one comparison more. A place is read in three lines of the
// cache, where values are missing in four.
type forest struct {
	wide    bool // vectors of 64 bytes, else pairs of 32
	many    bool // there is room for 128 features, else for 32
	missing bool // values may be missing
	swapped Mem  // indexes that swap the bytes of words

	words, codes, lefts  reg.Register
	tables               []reg.VecVirtual // those that stand in registers
	one, flip, add, step reg.VecVirtual
	swap                 reg.VecVirtual    // the two bytes of each word
	odd                  reg.OpmaskVirtual // the second byte of each word
	count                reg.VecVirtual
	leaf                 []reg.VecVirtual
}

func (f *forest) vec() reg.VecVirtual {
	if f.wide {
		return ZMM()
	}
	return YMM()
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

// sixteenCodes returns 16 codes as a vector.
func (f *forest) sixteenCodes(i int) reg.VecVirtual {
	v := f.vec()
	f.broadcast(Mem{Base: f.codes, Disp: 16 * i}, v)
	return v
}

// lookUp returns the codes of the nodes' features, by the half of the place.
func (f *forest) lookUp(half int) reg.VecVirtual {
	if f.many && f.wide {
		return f.permute()
	}
	at := Mem{Base: f.words, Disp: featureAt + 32*half}
	index := f.vec()
	f.move(at, index)
	if f.many {
		return f.lookUpEight(at, index)
	}
	other, found, x := f.vec(), f.vec(), f.vec()
	f.xor(f.flip, index, other)
	VPSHUFB(index, f.tables[0], found)
	VPSHUFB(other, f.tables[1], x)
	f.or(x, found, found)
	return found
}

// lookUpEight looks up codes in 8 tables.
func (f *forest) lookUpEight(at Mem, index reg.VecVirtual) (found reg.VecVirtual) {
	for i := range 8 {
		// Less 16 for each table, an index of the table's own is below 16, and 112 more leave
		// its bit 7 clear; those of all others get it, and look up 0.
		own := f.vec()
		switch i {
		case 0:
		case 4:
			VPXOR(at, f.flip, index)
		default:
			VPSUBB(f.step, index, index)
		}
		VPADDUSB(f.add, index, own)
		VPSHUFB(own, f.sixteenCodes(i), own)
		if i == 0 {
			found = own
			continue
		}
		f.or(own, found, found)
	}
	return found
}

// permute looks up codes among words of two: that of feature w, and in the other byte that
// of feature 64+w, which bit 7 of its name asks for. An index of a word has 6 bits, and higher
// ones do not count: the features of odd lanes are read as words from one byte on, those of
// even lanes as they stand.
func (f *forest) permute() reg.VecVirtual {
	even, odd, first, upper := ZMM(), ZMM(), ZMM(), K()
	VMOVDQU64(Mem{Base: f.words, Disp: featureAt}, even)
	VMOVDQU64(Mem{Base: f.words, Disp: featureAt + 1}, odd)
	VPMOVB2M(even, upper)
	VPERMI2W(f.tables[1], f.tables[0], even)
	VPERMI2W(f.tables[3], f.tables[2], odd)
	// Words for odd lanes have their first code in the second byte. So the first ones stand where
	// they belong, the others each in its neighbour's lane.
	VPBLENDMB(odd, even, f.odd, first)
	VPBLENDMB(even, odd, f.odd, odd)
	VPSHUFB(f.swap, odd, upper, first)
	return first
}

// pair makes the tables of permute.
func (f *forest) pair() {
	for kind := range 2 {
		for i := range 2 {
			first, second := ZMM(), ZMM()
			if kind == 0 {
				VPMOVZXBW(Mem{Base: f.codes, Disp: 32 * i}, first)
				VPMOVZXBW(Mem{Base: f.codes, Disp: 64 + 32*i}, second)
				VPSLLW(U8(8), second, second)
				VPORQ(second, first, first)
			} else {
				VPSHUFB(f.swap, f.tables[i], first)
			}
			f.tables = append(f.tables, first)
		}
	}
	word := GP64()
	MOVQ(U64(0xAAAAAAAAAAAAAAAA), word)
	f.odd = K()
	KMOVQ(word, f.odd)
}

// place takes the row through a place of a group. The code of lefts does not go right: 255,
// which is no present value's, or 0, which never does.
func (f *forest) place() {
	VPADDB(f.one, f.count, f.count)
	if f.wide {
		x := f.lookUp(0)
		right, ruledOut := K(), K()
		VPCMPUB(U8(notBelow), Mem{Base: f.words, Disp: codeAt}, x, right)
		if f.missing {
			VPCMPUB(U8(notEqual), Mem{Base: f.lefts}, x, right, right)
		}
		VPCMPUB(U8(notBelow), Mem{Base: f.words, Disp: firstAt}, f.leaf[0], right, ruledOut)
		VMOVDQU8(f.count, ruledOut, f.leaf[0])
	} else {
		for half := range f.leaf {
			x, most, least := f.lookUp(half), YMM(), YMM()
			VPMAXUB(Mem{Base: f.words, Disp: codeAt + 32*half}, x, most)
			if f.missing {
				left := YMM()
				VPCMPEQB(Mem{Base: f.lefts, Disp: 32 * half}, x, left)
				VPCMPEQB(most, x, x)
				VPANDN(x, left, x)
			} else {
				VPCMPEQB(most, x, x)
			}
			VPMAXUB(Mem{Base: f.words, Disp: firstAt + 32*half}, f.leaf[half], least)
			VPAND(f.count, x, x)
			VPCMPEQB(least, f.leaf[half], least)
			// The leaf behind the place is after all so far.
			VPAND(x, least, x)
			VPMAXUB(x, f.leaf[half], f.leaf[half])
		}
	}
	ADDQ(U32(placeBytes), f.words)
	if f.missing {
		ADDQ(U8(64), f.lefts)
	}
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
		"func(groups uint64, trees uint64, places *uint64, bytes *uint8, lefts *uint8, leaves *float64, stride uint64, codes *[128]uint8, sum float64) float64")
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
	if f.missing {
		f.lefts = Load(Param("lefts"), GP64())
	}
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
	f.one, f.tables = fill(1), nil
	switch {
	case !f.many:
		f.flip = fill(0x80)
		f.tables = []reg.VecVirtual{f.sixteenCodes(0), f.sixteenCodes(1)}
	case f.wide:
		f.swap = ZMM()
		VMOVDQU64(f.swapped, f.swap)
		f.pair()
	default:
		f.flip, f.add, f.step = fill(0x80), fill(0x70), fill(16)
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
	adding := func(n int) {
		for i := range n {
			leaf := GP64()
			MOVBQZX(Mem{Base: at, Disp: i}, leaf)
			VADDSD(Mem{Base: leaves, Index: leaf, Scale: 8}, sum, sum)
			ADDQ(stride, leaves)
		}
		ADDQ(U8(n), at)
	}
	rest := func(name string) {
		TESTQ(pending, pending)
		JEQ(LabelRef(name + "Done"))
		Label(name)
		adding(1)
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
	adding(2)
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
