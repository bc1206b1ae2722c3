package booster

import (
	"fmt"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/cpu"
	"boost/tree/grow"
)

// budget is an estimate of the memory of training by what it is for, in bytes. The
// tables that were read are not in it.
type budget struct {
	matrix, rows, histograms int64
}

func (b budget) total() int64 { return b.matrix + b.rows + b.histograms }

func (b budget) String() string {
	if b.matrix == 0 {
		return "its rows alone"
	}
	return fmt.Sprintf("codes %s, rows %s, histograms %s", sizeText(b.matrix), sizeText(b.rows), sizeText(b.histograms))
}

// memory estimates what the rounds take: cuts; codes in both orders, with what says where
// they are; per row and output 8 bytes of score and 8 of gradients, and per row the label, the
// weight and what quantizing and growing take, as often as there are lanes; histograms for all leaves but one and
// what builds and searches them. A round that needs wider
// codes, by an outlier, takes up to 12 more per row and as much scratch again. Init scores
// and the rows of samples count too; the scores of the best round, which need not be kept,
// do not. Lists come on top where there is still room for them.
func (t *trainer) memory() (budget, error) {
	plan, err := t.choosePlan()
	if err != nil {
		return budget{}, err
	}
	b := budget{matrix: int64(t.matrix.Bytes() + t.matrix.IndexBytes() + t.cuts.Bytes())}
	var mirror []binning.PackedGroup
	if plan.mirrored {
		mirror = t.mirrored()
		b.matrix += int64(binning.RowMajorCopyBytes(t.n, len(mirror)))
	}
	config := grow.Config{Matrix: t.matrix, Strategy: plan.strategy, Params: t.p.Tree, SparseSums: plan.direct, Renew: t.p.RenewLeaves == renewOn}
	if t.nBeside < t.outputs {
		b.rows, b.histograms = config.Bytes(mirror, t.storing, t.pool.Threads())
		b.rows += int64(t.n) * t.storing.Mode.BytesPerRow()
	}
	if lanes := int64(min(t.nBeside, t.pool.Threads())); lanes > 0 {
		config.Strategy = t.laneStrategy(config.Strategy)
		rows, histograms := config.Bytes(mirror, t.storing, 1)
		b.rows += lanes * (rows + int64(t.n)*t.storing.Mode.BytesPerRow())
		b.histograms += lanes * histograms
	}
	perRow := int64(16*t.outputs + 8)
	if t.rows.Weights != nil {
		perRow += 8
	}
	if t.initial != nil {
		perRow += 8 * int64(t.outputs)
	}
	if t.p.samplesRows() {
		perRow += 2 + 4 // those in the bag, and those outside
	}
	if t.p.goss() || t.p.mvs() {
		perRow += 4 // what they are chosen by
	}
	b.rows += int64(t.n) * perRow
	for _, s := range t.sets {
		b.matrix += int64(s.matrix.Bytes() + s.matrix.IndexBytes())
		b.rows += 8 * int64(len(s.labels)+len(s.weights)+len(s.initial)+len(s.raw)+len(s.values))
	}
	return b, nil
}

// leastMemory returns what the rounds take at the least for a table of so many rows, before
// anything is known of its codes: the rows, but for the tenth that early stopping may hold
// out. A table that cannot be trained on is refused by it before it is binned.
func (t *trainer) leastMemory(rows int) budget {
	if t.p.EarlyStopping > 0 && len(t.valid) == 0 {
		rows -= rows/10 + 1
	}
	const labels, entries = 8, 8
	quantized := int64(0)
	if mode, err := gradients.ParseMode(t.p.Gradients); err == nil {
		quantized = mode.BytesPerRow()
	}
	return budget{rows: int64(rows) * (int64(16*t.outputs+labels+entries) + quantized)}
}

// within refuses to train where that takes more memory than there may be.
func (t *trainer) within(b budget) error {
	limit, name := t.memoryLimit()
	if limit <= 0 || b.total() <= limit {
		return nil
	}
	advice := "lower tree.leaves or binning.max_bin"
	if b.rows > limit {
		advice = "train on fewer rows"
	}
	if name == limitKey {
		advice = "raise it, or " + advice
	}
	return fmt.Errorf("%w: training needs about %s, %s is %s (%s): %s", ErrBudget, sizeText(b.total()), name, sizeText(limit), b, advice)
}

// savesBest reports whether the best round's scores are kept: early stopping needs them,
// and there is room beside what the rounds take. Who leaves a table in its files is short
// of memory, unless a limit says how much there is.
func (t *trainer) savesBest(b budget) bool {
	b.rows += t.bestScoresBytes()
	return t.stopsEarly() && (!t.inFiles || t.p.MemoryLimit > 0) && t.within(b) == nil
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
	case t.p.GradientMode == asymmetric:
		advice = `set gradients.mode = "symmetric"` + sparse + `: "asymmetric" keeps every cell`
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
