package infer

import (
	"sync"

	"boost/binning"
	"boost/internal/kernel/predict"
	"boost/tree"
)

// block is a run of rows on their way through the model, with its memory.
type block struct {
	first, rows, outputs int
	columns              []predict.Column // codes of the used features
	raw, values          []float64        // output-major: entry k*rows + row
	scratch              predict.Scratch
	singles              []float32 // of a matrix: the used columns of the block's rows
	doubles              []float64
	floats               [][]float32 // by feature, of those that linear leaves need
	singleFloats         [][]float32 // memory of some
	leaves               []float64   // of a tree with linear leaves: the leaf of each row
	adder                tree.LinearAdder
	tiles                []uint8 // the columns of one byte as plans take them
	tiled                bool    // tiles hold the codes of columns
	area                 predict.Area
	part                 [predict.TileRows]float64 // scores of the last tile, which lacks rows
	stopping             stopping
}

// blocks keeps the memory between predictions, whatever their models.
var blocks = sync.Pool{New: func() any { return new(block) }}

const (
	minBlockRows = 256
	// blockBytes is about what a second cache level holds beside the scores.
	blockBytes = 512 << 10
)

func (h *Head) newBlock(rows int) *block {
	b := blocks.Get().(*block)
	b.outputs = h.contents.Outputs
	b.raw, b.values = sized(b.raw, rows*b.outputs), sized(b.values, rows*b.outputs)
	b.columns = sized(b.columns, len(h.used))
	if h.linear != nil {
		b.floats, b.singleFloats = sized(b.floats, len(h.contents.Cuts.Features)), sized(b.singleFloats, len(h.linear))
	}
	for i, bits := range h.columns {
		c := &b.columns[i]
		c.Bits = bits
		switch bits {
		case 8:
			c.U8 = sized(c.U8, rows)
		case 16:
			c.U16 = sized(c.U16, rows)
		default:
			c.U32 = sized(c.U32, rows)
		}
	}
	return b
}

// sized returns s with length n, with what memory it has if that is enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		grown := make([]T, n)
		copy(grown, s[:cap(s)])
		return grown
	}
	return s[:n]
}

// tableSource is the rows of a table.
type tableSource struct {
	head    *Head
	encoder *binning.Encoder
	floats  tableFloats
}

func (s *tableSource) rowBytes() int { return 0 }

func (s *tableSource) encode(b *block, lo, hi int) {
	s.floats.writeTo(b, s.head, lo, hi)
	for i, f := range s.head.used {
		c := &b.columns[i]
		switch c.Bits {
		case 8:
			binning.EncodeTo(s.encoder, f, lo, hi, c.U8[:b.rows])
		case 16:
			binning.EncodeTo(s.encoder, f, lo, hi, c.U16[:b.rows])
		default:
			binning.EncodeTo(s.encoder, f, lo, hi, c.U32[:b.rows])
		}
	}
}

// start sets the raw scores to those before the first tree: the init score, or where there is
// none the base score. initial is rows × outputs of the whole table, nil without.
func (b *block) start(h *Head, initial []float64) {
	for k, base := range h.contents.BaseScore {
		scores := b.raw[k*b.rows:][:b.rows]
		for i := range scores {
			scores[i] = base
		}
		if initial == nil {
			continue
		}
		// The base score of a model that was trained from init scores is 0.
		for i := range scores {
			scores[i] += initial[(b.first+i)*b.outputs+k]
		}
	}
}

// link makes values of the raw scores, calibrated where the model is.
func (b *block) link(h *Head) { h.mapping.Apply(b.outputs, b.raw, b.values, 0, b.rows, b.rows) }

// transpose writes the block's scores, output-major, to its rows of out, row-major.
func (b *block) transpose(scores, out []float64) {
	out = out[b.first*b.outputs:]
	for k := range b.outputs {
		for i, s := range scores[k*b.rows:][:b.rows] {
			out[i*b.outputs+k] = s
		}
	}
}

// classes writes the class of each row to out. Of two classes it is the second where its probability is above a threshold.
func (b *block) classes(values []float64, threshold float64, out []int32) {
	out = out[b.first:][:b.rows]
	for i := range out {
		class := int32(0)
		if b.outputs == 1 {
			if values[i] > threshold {
				class = 1
			}
			out[i] = class
			continue
		}
		for k := 1; k < b.outputs; k++ {
			if values[k*b.rows+i] > values[int(class)*b.rows+i] {
				class = int32(k)
			}
		}
		out[i] = class
	}
}

// number writes the leaf of each row in a tree to out, whose rows are stride apart. It lets
// the kernel add leaf numbers instead of leaf values; numbers[i] is i.
func (b *block) number(t *predict.Tree, numbers []float64, out []int32, stride int) {
	scores := b.raw[:b.rows]
	clear(scores)
	numbered := *t
	numbered.Leaf = numbers[:len(numbered.Leaf)]
	predict.AddRange(&numbered, b.columns, 0, b.rows, scores, &b.scratch)
	for i, s := range scores {
		out[i*stride] = int32(s)
	}
}

// numbersTo returns the numbers 0 … n-1.
func numbersTo(n int) []float64 {
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	return numbers
}
