package booster

import (
	"fmt"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/cpu"
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
	if t.direct() {
		b.histograms = histogram.DirectBytes(t.matrix, t.p.Tree.Leaves, t.pool.Threads())
	}
	return b
}

// machineMemory is what there is where train.memory_limit sets no limit; tests lower it.
var machineMemory = cpu.MemoryLimit

// memoryLimit returns the bytes that training may take and what sets this limit, 0 for
// an unknown one.
func (t *trainer) memoryLimit() (bytes int64, name string) {
	if machine := machineMemory(); t.p.MemoryLimit <= 0 || machine > 0 && machine < t.p.MemoryLimit {
		return machine, "the memory of this machine"
	}
	return t.p.MemoryLimit, limitKey
}

const limitKey = "train.memory_limit"

// tooDense words a refusal to lay codes out.
func (t *trainer) tooDense(e *binning.MemoryError) error {
	limit, name := t.memoryLimit()
	var advice string
	sparse := fmt.Sprintf(", whose layout %q takes %s", binning.LayoutCSR, sizeText(int64(e.Sparse)))
	switch asked := t.p.Binning.Layout; {
	case e.Sparse == 0 || e.Sparse >= e.Need:
		advice = "train on fewer rows or features"
		if name == limitKey {
			advice = "raise it, or " + advice
		}
	case t.p.Gradients == gradients.F32.String():
		advice = `set train.gradients = "i16"` + sparse + `: "f32" keeps every cell`
	case t.p.Builder == histogram.FeatureParallel.String():
		advice = `set train.builder = "auto"` + sparse + `: "feature" reads columns`
	case t.p.Binning.MissingAs == binning.Mask:
		advice = `set binning.missing_as = "sentinel"` + sparse
	case asked == binning.Auto: // bundles were asked for
		advice = `set binning.bundle = "auto" and binning.bundle_conflicts = 0` + sparse
	default:
		advice = `set binning.layout = "auto"` + sparse
	}
	return fmt.Errorf("%w: the codes in layout %q need about %s, %s is %s: %s",
		ErrBudget, e.Layout, sizeText(int64(e.Need)), name, sizeText(limit), advice)
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
