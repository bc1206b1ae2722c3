package booster

import (
	"fmt"

	"boost/gradients"
	"boost/histogram"
)

// budget is an estimate of the memory of training by what it is for, in bytes. The
// tables that were read are not in it.
type budget struct {
	matrix, rows, histograms int64
}

func (b budget) total() int64 { return b.matrix + b.rows + b.histograms }

func (b budget) String() string {
	return fmt.Sprintf("codes %s, rows %s, histograms %s", sizeText(b.matrix), sizeText(b.rows), sizeText(b.histograms))
}

// memory estimates the buffers of the rounds: codes in both orders; per row and
// output 8 bytes of score and 8 of gradients, and per row the label, the weight, 4 to
// 12 bytes of codes and 8 of entries; 16 to 20 bytes per bin, and per leaf
// where histograms are kept.
func (t *trainer) memory() budget {
	b := budget{matrix: int64(t.matrix.Bytes()) + int64(t.n)*int64(len(t.mirrored()))}
	perRow := int64(16*t.outputs + 8 + 4 + 8)
	if t.rows.Weights != nil {
		perRow += 8
	}
	perBin := int64(16)
	switch t.p.Gradients {
	case gradients.I32.String():
		perRow += 8
	case gradients.F32.String():
		perBin += 4
	}
	b.rows = int64(t.n) * perRow
	for _, s := range t.sets {
		b.matrix += int64(s.matrix.Bytes())
		b.rows += int64(s.n) * int64(16*t.outputs+16)
	}
	bins := int64(t.matrix.Offsets()[t.matrix.NFeatures()])
	b.histograms = bins * perBin * int64(t.p.Tree.Leaves)
	if histogram.DirectPays(t.matrix, t.p.Tree.Leaves) {
		b.histograms = histogram.DirectBytes(t.matrix, t.p.Tree.Leaves, t.pool.Threads())
	}
	return b
}

// sizeText writes a number of bytes for people.
func sizeText(n int64) string {
	const unit = 1024
	switch {
	case n >= unit*unit*unit:
		return fmt.Sprintf("%.1f GiB", float64(n)/(unit*unit*unit))
	case n >= unit*unit:
		return fmt.Sprintf("%.1f MiB", float64(n)/(unit*unit))
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/unit)
}
