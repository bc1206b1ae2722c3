// Command hist writes the assembly of the package internal/kernel/hist: the pass over
// the rows of a row-major matrix. Go has no way to fetch the codes of later rows while
// those of one are added up. The Go form of the same sums is in oneword.go there.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// ahead is how many entries before its turn a row is fetched: enough for the
	// time that memory takes, and few enough for the first-level cache to keep it.
	ahead = 16
	// slots is the distance between the sums of two features (Slots of the package).
	slots = 256 + 8
	// line is the size of a cache line.
	line = 64
)

// rowOf is where an entry keeps its row: in the third and fourth byte.
const rowOf = 2

func main() {
	ConstraintExpr("amd64,!purego")
	rows()
	Generate()
}

func rows() {
	TEXT("addRowsAhead", NOSPLIT, "func(sums *uint64, codes *uint8, stride uint64, features uint64, entries []uint64)")
	Pragma("noescape")
	Doc("addRowsAhead is addRows for one entry and more, and one feature and more.")
	r := rowPass{
		sums:     Load(Param("sums"), GP64()),
		codes:    Load(Param("codes"), GP64()),
		stride:   Load(Param("stride"), GP64()),
		features: Load(Param("features"), GP64()),
		at:       Load(Param("entries").Base(), GP64()),
		last:     Load(Param("entries").Len(), GP64()),
		mask:     GP64(),
	}
	LEAQ(Mem{Base: r.at, Index: r.last, Scale: 8, Disp: -8}, r.last)
	MOVQ(U64(0xFFFFFFFF0000FFFF), r.mask)

	far, count := GP64(), GP64()
	MOVQ(r.at, far)
	MOVQ(U32(ahead), count)
	Label("first")
	r.fetch(far, "first")
	DECQ(count)
	JNZ(LabelRef("first"))

	Label("entry")
	r.fetch(far, "entry")
	r.add()
	ADDQ(U8(8), r.at)
	CMPQ(r.at, r.last)
	JLS(LabelRef("entry"))
	RET()
}

// rowPass are the arguments: the entry in turn and the last one, and what cuts the row
// out of an entry.
type rowPass struct {
	sums, codes, stride, features, at, last, mask reg.Register
}

// fetch asks for the cache lines of an entry's row, whose codes may begin and end
// anywhere in a line, and goes to the next entry. From the last it goes nowhere.
func (r rowPass) fetch(entry reg.Register, where string) {
	row, end := GP64(), GP64()
	MOVWQZX(Mem{Base: entry, Disp: rowOf}, row)
	IMULQ(r.stride, row)
	ADDQ(r.codes, row)
	LEAQ(Mem{Base: row, Index: r.features, Scale: 1, Disp: -1}, end)
	PREFETCHT0(Mem{Base: end})
	Label("fetch_" + where)
	PREFETCHT0(Mem{Base: row})
	ADDQ(U8(line), row)
	CMPQ(row, end)
	JCS(LabelRef("fetch_" + where))
	ADDQ(U8(8), entry)
	CMPQ(entry, r.last)
	CMOVQHI(r.last, entry)
}

// add adds the word of the entry in turn to a slot of each feature: eight codes at a
// time and then one.
func (r rowPass) add() {
	word, row, sums, left := GP64(), GP64(), GP64(), GP64()
	MOVWQZX(Mem{Base: r.at, Disp: rowOf}, row)
	IMULQ(r.stride, row)
	ADDQ(r.codes, row)
	MOVQ(Mem{Base: r.at}, word)
	ANDQ(r.mask, word)
	MOVQ(r.sums, sums)
	MOVQ(r.features, left)
	SUBQ(U8(8), left)
	JCS(LabelRef("rest"))
	Label("eight")
	// Two codes at a time, of registers whose second byte can be read. An address without
	// an index spares the stores a port that loads need.
	codes, first, second := reg.RAX, reg.RBX, reg.RCX
	one, other := GP64(), GP64()
	MOVQ(Mem{Base: row}, codes)
	for i := 0; i < 8; i += 2 {
		MOVBLZX(reg.AL, reg.EBX)
		MOVBLZX(reg.AH, reg.ECX)
		if i < 6 {
			SHRQ(U8(16), codes)
		}
		LEAQ(Mem{Base: sums, Index: first, Scale: 8}, one)
		LEAQ(Mem{Base: sums, Index: second, Scale: 8}, other)
		ADDQ(word, Mem{Base: one, Disp: 8 * slots * i})
		ADDQ(word, Mem{Base: other, Disp: 8 * slots * (i + 1)})
	}
	ADDQ(U8(8), row)
	ADDQ(U32(8*8*slots), sums)
	SUBQ(U8(8), left)
	JCC(LabelRef("eight"))
	Label("rest")
	ADDQ(U8(8), left)
	JZ(LabelRef("added"))
	Label("one")
	MOVBLZX(Mem{Base: row}, reg.EBX)
	ADDQ(word, Mem{Base: sums, Index: first, Scale: 8})
	INCQ(row)
	ADDQ(U32(8*slots), sums)
	DECQ(left)
	JNZ(LabelRef("one"))
	Label("added")
}
