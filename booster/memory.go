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

// roundsMemory estimates what the rounds of a plan take:
//   - cuts, and codes in both orders with their index,
//   - per row and output 8 bytes of score and 8 of gradients,
//   - per row the label, the weight, init scores, places in samples, and what quantizing and growing
//     take in each lane,
//   - histograms for all leaves but one, and what builds and searches them.
//
// A round that needs wider codes, because of an outlier, takes up to 12 bytes more per row and as much
// scratch again. The scores of the best round and lists are not in it: they are kept only if there is
// still room for them.
func roundsMemory(p *Params, ex *examples, data *binned, pl *plan, threads int) budget {
	n, perCode := int64(ex.n), ex.storing.Mode.BytesPerRow()
	b := budget{matrix: int64(data.matrix.Bytes() + data.matrix.IndexBytes() + data.cuts.Bytes())}
	if len(pl.copied) > 0 {
		b.matrix += int64(binning.RowMajorCopyBytes(ex.n, len(pl.copied)))
	}
	config := grow.Config{Matrix: data.matrix, Strategy: pl.strategy, Params: p.Tree, SparseSums: pl.sparseSums, Renew: p.RenewLeaves == renewOn, Quantiles: ex.quantileLeaves()}
	if pl.beside < ex.outputs {
		b.rows, b.histograms = config.Bytes(pl.copied, ex.storing, threads)
		b.rows += n*perCode + p.linearBytes(ex.n, threads)
	}
	if lanes := int64(min(pl.beside, threads)); lanes > 0 {
		config.Strategy = p.laneStrategy(pl.strategy)
		rows, histograms := config.Bytes(pl.copied, ex.storing, 1)
		b.rows += lanes * (rows + n*perCode + p.linearBytes(ex.n, 1))
		b.histograms += lanes * histograms
	}
	perRow := int64(16*ex.outputs + 8*len(ex.answers.Columns))
	if ex.tableWeights != nil {
		perRow += 8
	}
	if p.weighsClasses() {
		perRow += 8
	}
	if ex.Upper != nil {
		perRow += 8
	}
	if ex.Positions != nil {
		perRow += 4
	}
	if ex.initial != nil {
		perRow += 8 * int64(ex.outputs)
	}
	if p.drawsRows() {
		perRow += 2 + 4 // those in the bag, and those outside
	}
	if p.goss() || p.mvs() || p.RowBy != "" {
		perRow += 4 // what they are chosen by
	}
	b.rows += n * perRow
	if p.Boosting == DartBoosting {
		b.rows += 8 * n * int64(ex.outputs)
	}
	for _, s := range data.sets {
		b.matrix += int64(s.matrix.Bytes() + s.matrix.IndexBytes())
		b.rows += 8 * int64(s.n*len(s.labels.Columns)+len(s.labels.Upper)+len(s.weights)+len(s.initial)+len(s.raw)+len(s.sum)+len(s.values))
	}
	return b
}

// leastMemory returns the least that the rounds take for so many training rows, whatever their codes.
// By it a table that cannot be trained on is refused before it is binned.
func leastMemory(p *Params, rows, outputs int) budget {
	const labels, entries = 8, 8
	quantized := int64(0)
	if mode, err := gradients.ParseMode(p.Gradients); err == nil {
		quantized = mode.BytesPerRow()
	}
	return budget{rows: int64(rows) * (int64(16*outputs+labels+entries) + quantized)}
}

// memoryLimit is how much memory training may take.
type memoryLimit struct {
	bytes int64  // 0: unknown
	name  string // what sets the limit
}

const limitKey = "train.memory_limit"

// machineSize is the memory of the machine, the limit if train.memory_limit sets none; 0 asks the machine.
type machineSize int64

func (m machineSize) limit(p *Params) memoryLimit {
	machine := int64(m)
	if machine == 0 {
		machine = cpu.MemoryLimit()
	}
	if p.MemoryLimit <= 0 || machine > 0 && machine < p.MemoryLimit {
		return memoryLimit{machine, "the memory of this machine"}
	}
	return memoryLimit{p.MemoryLimit, limitKey}
}

// left returns how much of the limit is left beside what is taken; a lot if the limit is unknown.
func (l memoryLimit) left(taken int64) int64 {
	if l.bytes <= 0 {
		return 1 << 62
	}
	return l.bytes - taken
}

// check refuses to train if that takes more memory than there may be.
func (l memoryLimit) check(b budget) error {
	if l.left(b.total()) >= 0 {
		return nil
	}
	advice := "lower tree.leaves or binning.max_bin"
	if b.rows > l.bytes {
		advice = "train on fewer rows"
	}
	if l.name == limitKey {
		advice = raised(b.total()) + ", or " + advice
	}
	return fmt.Errorf("%w: training needs about %s, %s is %s (%s): %s", ErrBudget, sizeText(b.total()), l.name, sizeText(l.bytes), b, advice)
}

// tooDense returns the error for codes that were refused, with advice.
func (l memoryLimit) tooDense(p *Params, e *binning.MemoryError) error {
	var advice string
	sparse := fmt.Sprintf(", whose layout %q takes %s", binning.LayoutCSR, sizeText(int64(e.Sparse)))
	switch asked := p.Binning.Layout; {
	case e.Sparse == 0 || e.Sparse >= e.Need:
		advice = "train on fewer rows or features"
		if l.name == limitKey {
			advice = raised(int64(e.Need)) + ", or " + advice
		}
	case p.Gradients == gradients.F32.String():
		advice = `set train.gradients = "i16"` + sparse + `: "f32" keeps every cell`
	case p.GradientMode == asymmetric:
		advice = `set gradients.mode = "symmetric"` + sparse + `: "asymmetric" keeps every cell`
	case p.Builder == histogram.FeatureParallel.String():
		advice = `set train.builder = "auto"` + sparse + `: "feature" reads columns`
	case p.Binning.MissingAs == binning.Mask:
		advice = `set binning.missing_as = "sentinel"` + sparse
	case asked == binning.Auto: // bundles were asked for
		advice = `set binning.bundle = "auto" and binning.bundle_conflicts = 0` + sparse
	default:
		advice = `set binning.layout = "auto"` + sparse
	}
	return fmt.Errorf("%w: the codes in layout %q need about %s, %s is %s: %s",
		ErrBudget, e.Layout, sizeText(int64(e.Need)), l.name, sizeText(l.bytes), advice)
}

// raised advises a limit for what takes so many bytes: half as much again, for what comes later.
func raised(need int64) string {
	const kib, mib = 1 << 10, 1 << 20
	size := fmt.Sprintf("%dKiB", need*3/2/kib+1)
	if need >= mib {
		size = fmt.Sprintf("%dMiB", need*3/2/mib+1)
	}
	return fmt.Sprintf("set train.memory_limit = %q", size)
}

// sizeText writes a number of bytes for people.
func sizeText(n int64) string {
	const unit = 1024
	switch {
	case n >= unit*unit*unit:
		return fmt.Sprintf("%.1f GiB", float64(n)/(unit*unit*unit))
	case n >= unit*unit:
		return fmt.Sprintf("%.1f MiB", float64(n)/(unit*unit))
	case n < unit:
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/unit)
}
