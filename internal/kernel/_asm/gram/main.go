// Command gram writes the assembly of the package internal/kernel/gram: sums of products by AVX-512 and AVX2, eight rows at a time.
// The Go form is gram.go there.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const stride = 8 * 256 // bytes from a column to the next: gram.Rows

func main() {
	ConstraintExpr("amd64,!purego")
	for _, w := range []width{{"AVX512", 1, ZMM}, {"AVX2", 2, YMM}} {
		w.products()
	}
	Generate()
}

// width is that of vectors.
type width struct {
	level  string
	parts  int                   // vectors of eight rows
	vector func() reg.VecVirtual // a new one
}

// products keeps the order of the Go form: eight sums, the rows of each eight apart.
func (w width) products() {
	name := "products" + w.level
	TEXT(name, NOSPLIT, "func(sums *float64, h *float64, x *float64, columns *float64, count uint64, n uint64)")
	Pragma("noescape")
	Doc(name + " is Products of count columns, at least 1, and n rows, a multiple of 8 and not 0.")
	sums, h, x := Load(Param("sums"), GP64()), Load(Param("h"), GP64()), Load(Param("x"), GP64())
	columns, count, bytes := Load(Param("columns"), GP64()), Load(Param("count"), GP64()), Load(Param("n"), GP64())
	SHLQ(U8(3), bytes)
	at := GP64()
	for _, group := range []int{4, 1} {
		label := fmt.Sprintf("columns%d%s", group, w.level)
		end := fmt.Sprintf("end%d%s", group, w.level)
		Label(label)
		CMPQ(count, U8(group))
		JL(LabelRef(end))
		acc := make([][]reg.VecVirtual, group)
		for k := range acc {
			for range w.parts {
				v := w.vector()
				VXORPD(v, v, v)
				acc[k] = append(acc[k], v)
			}
		}
		XORQ(at, at)
		rows := fmt.Sprintf("rows%d%s", group, w.level)
		Label(rows)
		for part := range w.parts {
			a, product := w.vector(), w.vector()
			VMOVUPD(Mem{Base: h, Index: at, Scale: 1, Disp: 32 * part}, a)
			VMULPD(Mem{Base: x, Index: at, Scale: 1, Disp: 32 * part}, a, a)
			for k := range acc {
				VMULPD(Mem{Base: columns, Index: at, Scale: 1, Disp: stride*k + 32*part}, a, product)
				VADDPD(product, acc[k][part], acc[k][part])
			}
		}
		ADDQ(U8(64), at)
		CMPQ(at, bytes)
		JL(LabelRef(rows))
		for k := range acc {
			sum := w.total(acc[k])
			VADDSD(Mem{Base: sums, Disp: 8 * k}, sum, sum)
			VMOVSD(sum, Mem{Base: sums, Disp: 8 * k})
		}
		ADDQ(U32(stride*group), columns)
		ADDQ(U8(8*group), sums)
		SUBQ(U8(group), count)
		JMP(LabelRef(label))
		Label(end)
	}
	VZEROUPPER()
	RET()
}

// total adds eight sums up: those four apart first, then those two apart.
func (w width) total(v []reg.VecVirtual) reg.VecVirtual {
	low, part := v[0].AsY(), XMM()
	if len(v) == 1 {
		high := YMM()
		VEXTRACTF64X4(U8(1), v[0], high)
		VADDPD(high, low, low)
	} else {
		VADDPD(v[1], low, low)
	}
	VEXTRACTF128(U8(1), low, part)
	VADDPD(part, v[0].AsX(), v[0].AsX())
	VUNPCKHPD(v[0].AsX(), v[0].AsX(), part)
	VADDSD(part, v[0].AsX(), v[0].AsX())
	return v[0].AsX().(reg.VecVirtual)
}
