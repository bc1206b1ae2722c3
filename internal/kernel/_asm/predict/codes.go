package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// sixteen is how many features are searched at a time.
	sixteen = 16
	// lineCuts is how many of a feature's cuts are compared at once.
	lineCuts = 8
	// rowsAtOnce is how many rows of ends are compared between two branches.
	rowsAtOnce = 2
	// greaterThan, equal, lessThan and unordered are predicates of VCMPPS that signal nothing
	// on NaN.
	greaterThan = 0x1E
	equal       = 0
	lessThan    = 0x11
	unordered   = 3
	// upwards is a control word of conversions that round up, and signal nothing.
	upwards = 0x5F80
)

// codeGroups writes the search of a row's codes, 16 features at a time. The last cuts of the
// lines that a feature has before its last one stand in rows, those of 16 features beside each
// other: how many of them are below the value is the line that it belongs to. There the
// cuts below it are counted feature by feature. What is done does not depend on the values. All
// features are taken through the first step before any through the second: a processor
// cannot look past both of one group to find work in the next.
//
// Values are compared with cuts that are float32 as float32, rounded up: a cut below
// what a value is rounded to is below the value too, which would else be rounded to that cut
// or less. Conversions of 64 bytes, which can say themselves how they round, slow the processor's
// clock, and with it the additions of the trees, by a fifth; those of 32 ask the control word.
//
// Bound, for 16 features: the second step takes 16 cycles, 4 instructions a feature of four a
// cycle, of doubles 24, three loads of two. A row of ends takes one cycle, of doubles two: for 40
// cuts of each feature that is 4 and 8 cycles, for 254 32 and 64. The rest is 45 instructions,
// 12 cycles.
type codeGroups struct {
	doubles    bool // cuts are float64, else float32
	size       int  // bytes of a cut
	bitsSet    Mem  // of 4 bits, how many are set
	firstTwo   Mem  // the indexes 0 and 1, 8 times each
	values     reg.Register
	ends, left reg.Register
	kept       reg.Register
	step       reg.VecVirtual    // the bytes of a line
	lines      reg.VecVirtual    // where each value's line is, behind the first one of the feature
	missing    reg.OpmaskVirtual // which values are NaN
}

// What codeGroups keeps of each feature.
const (
	belowAt = 0                      // byte: a bit for each cut of the line that is below the value
	lineAt  = belowAt + rowFeatures  // 4 bytes: where the line begins
	valueAt = lineAt + 4*rowFeatures // the value
)

func (c *codeGroups) write() {
	name, cut := "codeRowSinglesAVX512", "float32"
	c.size = 4
	if c.doubles {
		name, cut = "codeRowDoublesAVX512", "float64"
		c.size = 8
	}
	// It keeps more than there is room for without a look at the end of the stack.
	TEXT(name, 0, "func(values *float64, n uint64, rows *uint32, ends *"+cut+", blocks *uint32, cuts *"+cut+", codes *[128]uint8) (missing uint64)")
	Pragma("noescape")
	Doc(name+" writes the codes of n > 0 values, and reports whether any is missing. Each 16 have so",
		"many rows of 16 ends, and 16 blocks, where their cuts begin, in bytes of float32.")
	local := AllocLocal(valueAt + c.size*rowFeatures + 56)
	c.kept = GP64()
	LEAQ(local.Offset(63), c.kept)
	ANDQ(I8(-64), c.kept)
	anyMissing := c.findLines()
	c.compareLines()
	c.count()
	missing := GP64()
	KMOVW(anyMissing, missing.As32())
	VZEROUPPER()
	Store(missing, ReturnIndex(0))
	RET()
}

// findLines keeps the values and where their lines begin, and writes how many cuts stand
// before them as codes.
func (c *codeGroups) findLines() (anyMissing reg.OpmaskVirtual) {
	c.values, c.ends, c.left = Load(Param("values"), GP64()), Load(Param("ends"), GP64()), Load(Param("n"), GP64())
	rows, blocks, codes := Load(Param("rows"), GP64()), Load(Param("blocks"), GP64()), Load(Param("codes"), GP64())
	c.fetch()
	word, all := GP64(), ZMM()
	VPTERNLOGD(U8(0xFF), all, all, all)
	MOVQ(U32(lineCuts*c.size), word)
	c.step, c.missing, anyMissing = ZMM(), K(), K()
	if c.doubles {
		VPBROADCASTQ(word, c.step)
	} else {
		VPBROADCASTD(word.As32(), c.step)
	}
	KXORW(anyMissing, anyMissing, anyMissing)
	lines, kept := GP64(), GP64()
	MOVQ(c.kept, lines)
	MOVQ(c.kept, kept)
	own, control := Mem{Base: c.kept, Disp: belowAt}, Mem{Base: c.kept, Disp: belowAt + 4}
	if !c.doubles {
		VSTMXCSR(own)
		MOVL(U32(upwards), control)
		VLDMXCSR(control)
	}

	Label("find")
	n := GP32()
	MOVL(Mem{Base: rows}, n)
	begin, cuts, log2Size := ZMM(), ZMM(), uint8(2)
	if c.doubles {
		c.findDoubles(Mem{Base: kept, Disp: valueAt}, n)
		VMOVDQU32(Mem{Base: blocks}, begin)
		VPADDD(begin, begin, begin)
		VPADDD(begin, c.lines, begin)
		log2Size = 3
	} else {
		c.findSingles(Mem{Base: kept, Disp: valueAt}, n)
		VPADDD(Mem{Base: blocks}, c.lines, begin)
	}
	VMOVDQU32(begin, Mem{Base: lines, Disp: lineAt})
	// No cut is below NaN, whose code is 255.
	VPSRLD(U8(log2Size), c.lines, cuts)
	VMOVDQA32(all, c.missing, cuts)
	VPMOVDB(cuts, Mem{Base: codes})
	KORW(c.missing, anyMissing, anyMissing)
	ADDQ(U32(8*sixteen), c.values)
	ADDQ(U8(4), rows)
	ADDQ(U8(4*sixteen), blocks)
	ADDQ(U8(sixteen), codes)
	ADDQ(U8(4*sixteen), lines)
	ADDQ(U32(c.size*sixteen), kept)
	SUBQ(U8(sixteen), c.left)
	JHI(LabelRef("find"))
	if !c.doubles {
		VLDMXCSR(own)
	}
	return anyMissing
}

// fetch asks for all values at once: they come from wherever the caller has them.
func (c *codeGroups) fetch() {
	at, left := GP64(), GP64()
	MOVQ(c.values, at)
	MOVQ(c.left, left)
	Label("fetch")
	PREFETCHT0(Mem{Base: at})
	ADDQ(U8(64), at)
	SUBQ(U8(8), left)
	JHI(LabelRef("fetch"))
}

// present makes masks of which values there are, of n in each: behind the last there may be memory
// that cannot be read.
func (c *codeGroups) present(n int) (are []reg.OpmaskVirtual) {
	ones := GP32()
	MOVL(I32(-1), ones)
	BZHIL(c.left.(reg.GP).As32(), ones, ones)
	for at := 0; at < sixteen; at += n {
		k := K()
		if at == 0 {
			KMOVW(ones, k)
		} else {
			KSHIFTRW(U8(at), are[0], k)
		}
		are = append(are, k)
	}
	return are
}

// findSingles keeps 16 values and finds their lines among n rows.
func (c *codeGroups) findSingles(keep Mem, n reg.Register) {
	var x [4]reg.VecVirtual
	for i := range x {
		x[i] = XMM()
	}
	CMPQ(c.left, U8(sixteen))
	JCC(LabelRef("full"))
	for i, are := range c.present(4) {
		v := YMM()
		VMOVUPD_Z(Mem{Base: c.values, Disp: 32 * i}, are, v)
		VCVTPD2PSY(v, x[i])
	}
	JMP(LabelRef("rounded"))
	Label("full")
	for i := range x {
		VCVTPD2PSY(Mem{Base: c.values, Disp: 32 * i}, x[i])
	}
	Label("rounded")
	v, high := ZMM(), YMM()
	VINSERTF128(U8(1), x[1], x[0].AsY(), v.AsY())
	VINSERTF128(U8(1), x[3], x[2].AsY(), high)
	VINSERTF64X4(U8(1), high, v, v)
	VMOVUPS(v, keep)
	c.lines = ZMM()
	VPXORQ(c.lines, c.lines, c.lines)
	c.eachRow(n, func(row Mem) {
		below := K()
		VCMPPS(U8(greaterThan), row, v, below)
		VPADDD(c.step, c.lines, below, c.lines)
	})
	VCMPPS(U8(unordered), v, v, c.missing)
}

// findDoubles is findSingles with two vectors of 8.
func (c *codeGroups) findDoubles(keep Mem, n reg.Register) {
	var x, lines [2]reg.VecVirtual
	var missing [2]reg.OpmaskVirtual
	for i, are := range c.present(8) {
		x[i], lines[i], missing[i] = ZMM(), ZMM(), K()
		VMOVUPD_Z(Mem{Base: c.values, Disp: 64 * i}, are, x[i])
		VMOVUPD(x[i], keep.Offset(64*i))
		VCMPPD(U8(unordered), x[i], x[i], missing[i])
		VPXORQ(lines[i], lines[i], lines[i])
	}
	KUNPCKBW(missing[0], missing[1], c.missing)
	c.eachRow(n, func(row Mem) {
		for i := range x {
			below := K()
			VCMPPD(U8(greaterThan), row.Offset(64*i), x[i], below)
			VPADDQ(c.step, lines[i], below, lines[i])
		}
	})
	var words [2]reg.VecVirtual
	for i := range words {
		words[i] = YMM()
		VPMOVQD(lines[i], words[i])
	}
	c.lines = ZMM()
	VINSERTI64X4(U8(1), words[1], words[0].AsZ(), c.lines)
}

// eachRow does the work of each of n rows of ends.
func (c *codeGroups) eachRow(n reg.Register, work func(row Mem)) {
	TESTL(n, n)
	JEQ(LabelRef("found"))
	Label("row")
	for i := range rowsAtOnce {
		work(Mem{Base: c.ends, Disp: c.size * sixteen * i})
	}
	ADDQ(U32(c.size*sixteen*rowsAtOnce), c.ends)
	SUBL(U8(rowsAtOnce), n)
	JNE(LabelRef("row"))
	Label("found")
}

// compareLines keeps which cuts of each value's line are below it.
func (c *codeGroups) compareLines() {
	cuts := Load(Param("cuts"), GP64())
	Load(Param("n"), c.left)
	bits, lines, values := GP64(), GP64(), GP64()
	for _, r := range []reg.Register{bits, lines, values} {
		MOVQ(c.kept, r)
	}
	// line is where a feature's line begins; the first block of a feature is not its cuts.
	line := func(i int) Mem {
		at := GP64()
		MOVL(Mem{Base: lines, Disp: lineAt + 4*i}, at.As32())
		return Mem{Base: cuts, Index: at, Scale: 1, Disp: c.size * sixteen}
	}
	var pairs []reg.VecVirtual
	if !c.doubles {
		pairs = c.pairs()
	}
	Label("compare")
	if c.doubles {
		for i := range sixteen {
			c.untilHalf(i)
			v, below := ZMM(), K()
			VMOVUPD(line(i), v)
			VCMPPD_BCST(U8(lessThan), Mem{Base: values, Disp: valueAt + 8*i}, v, below)
			KMOVB(below, Mem{Base: bits, Disp: belowAt + i})
		}
	} else {
		all := ZMM()
		VMOVUPS(Mem{Base: values, Disp: valueAt}, all)
		for i, pair := range pairs {
			c.untilHalf(2 * i)
			v, x, below := ZMM(), ZMM(), K()
			VMOVUPS(line(2*i), v.AsY())
			VINSERTF64X4(U8(1), line(2*i+1), v, v)
			VPERMPS(all, pair, x)
			VCMPPS(U8(lessThan), x, v, below)
			KMOVW(below, Mem{Base: bits, Disp: belowAt + 2*i})
		}
	}
	ADDQ(U8(sixteen), bits)
	ADDQ(U8(4*sixteen), lines)
	ADDQ(U32(c.size*sixteen), values)
	SUBQ(U8(sixteen), c.left)
	JHI(LabelRef("compare"))
	Label("compared")
}

// untilHalf ends the second step where half of the last group is done and the rest has no feature.
func (c *codeGroups) untilHalf(done int) {
	if done == sixteen/2 {
		CMPQ(c.left, U8(done))
		JLS(LabelRef("compared"))
	}
}

// pairs makes indexes that repeat each two of 16 values 8 times.
func (c *codeGroups) pairs() (list []reg.VecVirtual) {
	word, two := GP32(), ZMM()
	MOVL(U32(2), word)
	VPBROADCASTD(word, two)
	for i := range sixteen / 2 {
		pair := ZMM()
		if i == 0 {
			VPMOVZXBD(c.firstTwo, pair)
		} else {
			VPADDD(two, list[i-1], pair)
		}
		list = append(list, pair)
	}
	return list
}

// count adds the cuts of each line to those before it. It comes last, since reading many
// bytes waits for all that wrote a few.
func (c *codeGroups) count() {
	codes := Load(Param("codes"), GP64())
	ones, low := ZMM(), ZMM()
	VBROADCASTI32X4(c.bitsSet, ones)
	word := GP32()
	MOVL(U32(0x0F0F0F0F), word)
	VPBROADCASTD(word, low)
	for at := 0; at < rowFeatures; at += 64 {
		v, high, to := ZMM(), ZMM(), Mem{Base: codes, Disp: at}
		VMOVDQU64(Mem{Base: c.kept, Disp: belowAt + at}, v)
		VPSRLW(U8(4), v, high)
		VPANDQ(low, v, v)
		VPANDQ(low, high, high)
		VPSHUFB(v, ones, v)
		VPSHUFB(high, ones, high)
		VPADDB(to, v, v)
		VPADDB(high, v, v)
		VMOVDQU64(v, to)
	}
}

// codeRow writes the search of a row's codes in vectors of 32 bytes. It takes all features through
// one step of the search after the other: the steps of one feature wait for each other, and a
// processor does not look far enough ahead to find those of enough others between them.
func codeRow() {
	TEXT("codeRowAVX2", NOSPLIT, "func(values *float64, features *int32, blocks *uint32, n uint64, pivots *float32, cuts *float64, singles *[128]float32, codes *[128]uint8) (missing uint64)")
	Pragma("noescape")
	Doc("codeRowAVX2 writes n > 0 codes, and reports whether any value is missing. singles are its own.")
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
		x = YMM()
		VBROADCASTSS(Mem{Base: singles, Index: i, Scale: 4}, x)
		return x
	}
	// below counts which of 16 pivots are below the value.
	below := func(x reg.VecVirtual, at Mem) reg.GPVirtual {
		count, low, high, upper := GP64(), YMM(), YMM(), GP32()
		VCMPPS(U8(greaterThan), at, x, low)
		VCMPPS(U8(greaterThan), at.Offset(32), x, high)
		VMOVMSKPS(low, count.As32())
		VMOVMSKPS(high, upper)
		SHLL(U8(8), upper)
		ORL(upper, count.As32())
		POPCNTL(count.As32(), count.As32())
		return count
	}
	code := Mem{Base: codes, Index: i, Scale: 1}

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
		MOVB(below(single(), Mem{Base: pivots, Index: at, Scale: 1}).As8(), code)
	})
	count, block := GP64(), GP64()
	each("ones", func() {
		sixteens, x := GP64(), single()
		MOVBQZX(code, sixteens)
		MOVL(Mem{Base: blocks, Index: i, Scale: 4}, block.As32())
		MOVL(sixteens.As32(), count.As32())
		SHLL(U8(6), sixteens.As32())
		ADDL(block.As32(), sixteens.As32())
		SHLL(U8(4), count.As32())
		at := Mem{Base: pivots, Index: sixteens, Scale: 1, Disp: 64}
		ADDL(below(x, at).As32(), count.As32())
		low, high := YMM(), YMM()
		VCMPPS(U8(equal), at, x, low)
		VCMPPS(U8(equal), at.Offset(32), x, high)
		VORPS(low, high, high)
		VTESTPS(high, high)
		JNE(LabelRef("tie"))
		Label("coded")
		MOVB(count.As8(), code)
	})
	// A NaN is below nothing: its code is 0 so far.
	TESTQ(missing, missing)
	JEQ(LabelRef("done"))
	each("gaps", func() {
		x := value()
		VUCOMISD(x, x)
		JPC(LabelRef("present"))
		MOVB(U8(255), code)
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
