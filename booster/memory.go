package booster

import (
	"fmt"

	"boost/binning"
	"boost/booster/internal/budget"
	"boost/booster/internal/sampling"
	"boost/gradients"
	"boost/histogram"
	"boost/tree/grow"
)

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
func roundsMemory(p *Params, ex *examples, data *binned, pl *plan, threads int) budget.Need {
	n, perCode := int64(ex.n), ex.storing.Mode.BytesPerRow()
	b := budget.Need{Matrix: int64(data.matrix.Bytes() + data.matrix.IndexBytes() + data.cuts.Bytes())}
	if len(pl.copied) > 0 {
		b.Matrix += int64(binning.RowMajorCopyBytes(ex.n, len(pl.copied)))
	}
	config := grow.Config{Ranks: ex.ranks, Searchers: ex.all, Matrix: data.matrix, Strategy: pl.strategy, Params: p.Tree, SparseSums: pl.sparseSums, Renew: p.RenewLeaves == renewOn, Quantiles: ex.quantileLeaves()}
	if pl.beside < ex.outputs {
		b.Rows, b.Histograms = config.Bytes(pl.copied, ex.storing, threads)
		b.Rows += n*perCode + p.linearBytes(ex.n, threads)
	}
	if lanes := int64(min(pl.beside, threads)); lanes > 0 {
		config.Strategy = p.laneStrategy(pl.strategy)
		rows, histograms := config.Bytes(pl.copied, ex.storing, 1)
		b.Rows += lanes * (rows + n*perCode + p.linearBytes(ex.n, 1))
		b.Histograms += lanes * histograms
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
	b.Rows += n * (perRow + sampling.BytesPerRow(&p.Sampling))
	if p.Boosting == DartBoosting {
		b.Rows += 8 * n * int64(ex.outputs)
	}
	for _, s := range data.sets {
		b.Matrix += int64(s.matrix.Bytes() + s.matrix.IndexBytes())
		b.Rows += 8 * int64(s.n*len(s.labels.Columns)+len(s.labels.Upper)+len(s.weights)+len(s.initial)+len(s.raw)+len(s.sum)+len(s.values))
	}
	return b
}

// leastMemory returns the least that the rounds take for so many training rows, whatever their codes.
// By it a table that cannot be trained on is refused before it is binned.
func leastMemory(p *Params, rows, outputs int) budget.Need {
	const labels, entries = 8, 8
	quantized := int64(0)
	if mode, err := gradients.ParseMode(p.Gradients); err == nil {
		quantized = mode.BytesPerRow()
	}
	return budget.Need{Rows: int64(rows) * (int64(16*outputs+labels+entries) + quantized)}
}

// memoryLimit returns how much memory the run may take.
func (r *run) memoryLimit() budget.Limit { return r.memory.Limit(r.p.MemoryLimit) }

// tooDense returns the error for codes that were refused, with advice.
func (r *run) tooDense(e *binning.MemoryError) error {
	var advice string
	p, l := &r.p, r.memoryLimit()
	sparse := fmt.Sprintf(", whose layout %q takes %s", binning.LayoutCSR, budget.Size(int64(e.Sparse)))
	switch asked := p.Binning.Layout; {
	case e.Sparse == 0 || e.Sparse >= e.Need:
		advice = l.OrRaise(int64(e.Need), "train on fewer rows or features")
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
		ErrBudget, e.Layout, budget.Size(int64(e.Need)), l.Name, budget.Size(l.Bytes), advice)
}
