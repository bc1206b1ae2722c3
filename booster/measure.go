package booster

import (
	"fmt"
	"time"

	"boost/binning"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// plan is a way of building histograms: a strategy and the codes it reads.
type plan struct {
	strategy histogram.Strategy
	mirror   *binning.RowMajor // nil: codes are read by columns, or as the matrix keeps them
	direct   bool              // no histograms are built, but direct sums
	reason   string
}

// name returns the word for the plan in logs and reports.
func (p plan) name() string {
	if p.direct {
		return "direct"
	}
	return p.strategy.String()
}

// direct says that sums are kept of the features that can be split only: where no
// builder was asked for.
func (t *trainer) direct() bool {
	return t.anyBuilder() && histogram.DirectPays(t.matrix, t.p.Tree.Leaves)
}

func (t *trainer) anyBuilder() bool { return t.p.Builder == "" || t.p.Builder == "auto" }

// choosePlan settles strategy and mirror. Where both are left open and the table is
// large enough, the plans are measured on its first rows; the choice never changes the
// model, since all give the same sums.
func (t *trainer) choosePlan() (plan, error) {
	strategy, reason, err := histogram.Choose(t.p.Builder, t.matrix, t.pool.Threads())
	if err != nil {
		return plan{}, fmt.Errorf("%w: train.builder: %w", ErrParams, err)
	}
	if t.direct() {
		return plan{strategy: strategy, direct: true, reason: fmt.Sprintf(
			"histograms of %d codes in %d features would cost more than the cells: sums are kept of the features that can be split only",
			t.matrix.Offsets()[t.matrix.NFeatures()], t.matrix.NFeatures())}, nil
	}
	byRows := plan{strategy: strategy, mirror: t.mirror(strategy), reason: reason}
	open := t.anyBuilder() && t.p.Binning.Layout == binning.Auto
	if !open || byRows.mirror == nil || t.n*len(t.matrix.Units()) < worthMeasuring {
		return byRows, nil
	}
	byColumns := plan{strategy: histogram.FeatureParallel}
	if t.pool.Threads() == 1 {
		byColumns.strategy = histogram.Sequential
	}
	rows, columns := t.measure(byRows), t.measure(byColumns)
	reason = fmt.Sprintf("measured on the first rows: by rows %v, by columns %v", rows.Round(time.Microsecond), columns.Round(time.Microsecond))
	byRows.reason, byColumns.reason = reason, reason
	if columns < rows {
		return byColumns, nil
	}
	return byRows, nil
}

const (
	// worthMeasuring is the number of cells from which the better plan saves more than
	// finding it costs.
	worthMeasuring = 2_000_000
	// measuredCells bounds the cells of one pass of a measurement.
	measuredCells = 4_000_000
	// scatter is the distance of rows of the second pass: those of a usual deep node.
	scatter = 8
)

// measure returns, for gradients that are all 0, the time that a plan takes for all of the first rows and for every
// eighth of them, eight times: about what a tree of some depth is made of.
func (t *trainer) measure(p plan) time.Duration {
	n := min(t.n, max(4096, measuredCells/max(1, len(t.matrix.Units()))))
	b := histogram.New(t.matrix, p.mirror, t.pool, p.strategy)
	all, some := firstRows(n, 1), firstRows(n, scatter)
	var h histogram.Histogram
	fastest := func(runs []histogram.Run) time.Duration {
		best := time.Duration(1<<63 - 1)
		for range 3 {
			start := time.Now()
			b.Build(&h, t.storage, runs)
			best = min(best, time.Since(start))
		}
		return best
	}
	return fastest(all) + scatter*fastest(some)
}

// firstRows lists every step-th of the first n rows.
func firstRows(n, step int) []histogram.Run {
	runs := make([]histogram.Run, parallel.Blocks(n, hist.BlockRows))
	for b := range runs {
		lo, hi := parallel.Block(b, n, hist.BlockRows)
		var rows []uint16
		for row := 0; row < hi-lo; row += step {
			rows = append(rows, uint16(row))
		}
		runs[b] = histogram.Run{Block: b, Entries: make([]uint64, len(rows))}
		hist.PackIndex(runs[b].Entries, rows)
	}
	return runs
}
