package booster

import (
	"fmt"

	"boost/binning"
	"boost/booster/internal/budget"
	"boost/booster/internal/dropout"
	"boost/booster/internal/workers"
	"boost/gradients"
	"boost/histogram"
	"boost/tree/grow"
)

// plan is the way that the rounds are run. It never changes a model, because all ways give the
// same sums.
type plan struct {
	strategy   histogram.Strategy
	sparseSums bool // no histograms are built: sums are kept of the features that can be split only
	reason     string
	copied     []binning.PackedGroup // the row-major copy that is read; nil for none
	beside     int                   // trees of a round that grow side by side
	keepBest   bool                  // the scores of the best round are kept
	numbers    bool                  // of boosting with dropout: the leaves of rows are kept
	bytes      budget.Need
	inFiles    bool // the training rows stay in files
}

// name returns the word for the plan in logs and reports.
func (pl *plan) name() string {
	if pl.sparseSums {
		return "direct"
	}
	return pl.strategy.String()
}

// plan chooses how the rounds are run: by the parameters, the shape of the table and the memory
// that there is.
func (r *run) plan(in *inputs, ex *examples, data *binned) (*plan, error) {
	threads, limit := r.pool.Threads(), r.memoryLimit()
	lo, hi := (&grow.Config{Ranks: ex.ranks, Searchers: ex.all, Matrix: data.matrix, Params: r.p.Tree}).Searched()
	copied := binning.CopiedGroups(data.matrix, r.p.Binning.Layout, ex.storing.Mode == gradients.F32, lo, hi)
	pl, err := choosePlan(&r.p, data.matrix, copied, threads)
	if err != nil {
		return nil, err
	}
	inFiles := in.inFiles && (!r.spread() || r.byFeatures) // each rank has room for its part
	pl.inFiles = inFiles
	estimate := func() {
		pl.bytes = roundsMemory(&r.p, ex, data, pl, threads)
		pl.bytes.Rows += r.floatBytes
	}
	if r.store == nil && !in.inFiles && !r.spread() {
		pl.beside = workers.Beside(ex.outputs, threads, ex.n*data.matrix.NFeatures())
	}
	estimate()
	if pl.beside > 0 && limit.Check(pl.bytes) != nil { // one lane takes less
		pl.beside = 0
		estimate()
	}
	if inFiles && len(copied) > 0 && !pl.sparseSums && r.p.dropsCopy(pl.bytes) {
		r.log.Debug("codes are kept by columns only, as the table is left in its files", "instead", `binning.layout = "both" keeps a copy by rows, which may be faster`)
		if pl, err = choosePlan(&r.p, data.matrix, nil, threads); err != nil {
			return nil, err
		}
		pl.inFiles = true
		estimate()
	}
	if err := limit.Check(pl.bytes); err != nil {
		return nil, err
	}
	// A table that stays in its files is a sign that memory is short, unless a limit was given.
	scores := 8 * int64(ex.outputs) * int64(ex.n)
	if r.p.Boosting == PlainBoosting && r.p.EarlyStopping > 0 && len(data.sets) > 0 && (!in.inFiles || r.p.MemoryLimit > 0) && limit.Left(pl.bytes.Total()+scores) >= 0 {
		pl.keepBest = true
		pl.bytes.Rows += scores
	}
	numbers := leafNumberBytes(&r.p, ex, data.sets)
	if r.p.Boosting == DartBoosting && r.p.Tree.MostLeaves() <= dropout.MostLeaves && !r.p.Tree.Linear && (!in.inFiles || r.p.MemoryLimit > 0) && limit.Left(pl.bytes.Total()+numbers) >= 0 {
		pl.numbers = true
		pl.bytes.Rows += numbers
	}
	r.log.Debug("histogram builder", "strategy", pl.name(), "reason", pl.reason, "threads", threads)
	r.report.PeakBytes, r.report.Threads = pl.bytes.Total(), threads
	r.report.Builder, r.report.Gradients, r.report.Objective = pl.name(), r.p.Gradients, r.p.Objective
	return pl, nil
}

// leafNumberBytes returns what the leaves of all rows in all trees take.
func leafNumberBytes(p *Params, ex *examples, sets []*evalSet) int64 {
	rows := int64(ex.n)
	for _, s := range sets {
		rows += int64(s.n)
	}
	return rows * int64(ex.outputs) * (int64(p.Rounds) + 8)
}

// choosePlan chooses how histograms are built.
func choosePlan(p *Params, m *binning.Matrix, copied []binning.PackedGroup, threads int) (*plan, error) {
	strategy, reason, err := histogram.Choose(p.Builder, m, len(copied) > 0, threads)
	if err != nil {
		return nil, fmt.Errorf("%w: train.builder: %w", ErrParams, err)
	}
	if p.preferSparse(m) {
		return &plan{strategy: strategy, sparseSums: true, reason: fmt.Sprintf(
			"histograms of %d codes in %d features would cost more than the cells: sums are kept of the features that can be split only",
			m.Offsets()[m.NFeatures()], m.NFeatures())}, nil
	}
	if strategy == histogram.FeatureParallel {
		copied = nil
	}
	return &plan{strategy: strategy, copied: copied, reason: reason}, nil
}

// preferSparse reports whether sums are kept of the features that can be split only: only if no
// builder was asked for.
func (p *Params) preferSparse(m *binning.Matrix) bool {
	return p.anyBuilder() && !p.Tree.SearchesAgain() && histogram.PreferSparse(m, p.Tree.Leaves)
}

func (p *Params) anyBuilder() bool { return p.Builder == "" || p.Builder == "auto" }

// dropsCopy reports whether a table that stays in its files gets no row-major copy, to save memory: if
// the layout is left open, and no limit was given that has room for all that the rounds need.
func (p *Params) dropsCopy(needed budget.Need) bool {
	return p.Binning.Layout == binning.Auto && (p.MemoryLimit <= 0 || needed.Total() > p.MemoryLimit)
}

// laneStrategy returns how one worker builds histograms if all together go by the given strategy.
func (p *Params) laneStrategy(all histogram.Strategy) histogram.Strategy {
	if all == histogram.RowParallel && p.anyBuilder() {
		return histogram.Sequential
	}
	return all
}
