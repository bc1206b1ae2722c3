// Command bin writes the assembly of the package internal/kernel/bin: the descent
// from values to codes and the transposition of columns. The Go forms of the same
// steps are in descend.go and transpose.go there.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pass is the number of values that every kernel takes a multiple of.
const pass = 32

// Predicates of VCMPPS and VCMPPD that signal nothing on NaN.
const (
	notLessEqual = 0x16 // a > b, or one of them is NaN
	lessThan     = 0x11
)

// kernel is one function.
type kernel struct {
	levels int  // how many levels of pivots it takes without loops
	deep   bool // whether it goes on below them
	width  int  // bytes of a code
	double bool // whether values are float64
}

func main() {
	ConstraintExpr("amd64,!purego")
	for _, double := range []bool{false, true} {
		for _, levels := range []int{4, 6, 8} {
			k := kernel{levels: levels, width: 1, double: double}
			k.avx512()
			k.avx2()
		}
		k := kernel{levels: 8, deep: true, width: 2, double: double}
		k.avx512()
		k.avx2()
	}
	transpose(4)
	transpose(8)
	Generate()
}

// arguments are a kernel's parameters in registers.
type arguments struct {
	dst, values, n, pivots reg.Register
	above, last            reg.GPVirtual // len(pivots), which stands above the path of each lane, and the same with the code of NaN
	deeper                 reg.Register
	cuts, half             reg.Register // of float64 values
}

// begin starts the function and loads its arguments.
func (k kernel) begin(set string) arguments {
	bits, refined := 32, ""
	if k.double {
		bits, refined = 64, ", cuts []float64, half uint64"
	}
	name, depth, deeper := fmt.Sprintf("descend%dL%d%s", bits, k.levels, set), fmt.Sprintf("2^%d", k.levels), ""
	if k.deep {
		name, depth = fmt.Sprintf("descend%dDeep%s", bits, set), fmt.Sprintf("2^(%d+deeper)", k.levels)
		deeper = ", deeper uint64"
	}
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst []uint%d, values []float%d, pivots []float32, missing uint32%s%s)", 8*k.width, bits, deeper, refined))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is descend for %s pivots and a multiple of %d values.", name, depth, pass))
	a := arguments{
		dst:    Load(Param("dst").Base(), GP64()),
		values: Load(Param("values").Base(), GP64()),
		n:      Load(Param("values").Len(), GP64()),
		pivots: Load(Param("pivots").Base(), GP64()),
		last:   Load(Param("missing"), GP32()).(reg.GPVirtual),
	}
	above := Load(Param("pivots").Len(), GP64()).(reg.GPVirtual)
	a.above = above.As32().(reg.GPVirtual)
	ADDL(a.above, a.last)
	if k.deep {
		a.deeper = Load(Param("deeper"), GP64())
	}
	if k.double {
		a.cuts, a.half = Load(Param("cuts").Base(), GP64()), Load(Param("half"), GP64())
	}
	return a
}

// end closes the loop over n values at a time, and the function.
func (k kernel) end(a arguments, n int) {
	size := 4
	if k.double {
		size = 8
	}
	ADDQ(U32(n*size), a.values)
	ADDQ(U32(n*k.width), a.dst)
	SUBQ(U8(n), a.n)
	JA(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// element reads an element of a vector in memory.
func element(vector Mem, i int) reg.Register {
	r := GP64()
	MOVL(vector.Offset(4*i), r.As32())
	return r
}
