package booster

import (
	"fmt"
	"math"
	"slices"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/cpu"
)

// plan is a way of building histograms.
type plan struct {
	histogram.Plan
	direct   bool // no histograms are built, but direct sums
	mirrored bool // the copy by rows is read, or may be
	reason   string
	trial    *histogram.Trial // what will settle the plan; nil where it is settled
}

func settled(p histogram.Plan, reason string) plan {
	return plan{Plan: p, mirrored: p.Mirror, reason: reason}
}

func usesMirror(p histogram.Plan) bool { return p.Mirror }

// name returns the word for the plan in logs and reports.
func (p plan) name() string {
	if p.direct {
		return "direct"
	}
	return p.Strategy.String()
}

// direct says that sums are kept of the features that can be split only: where no
// builder was asked for.
func (t *trainer) direct() bool {
	return t.anyBuilder() && histogram.DirectPays(t.matrix, t.p.Tree.Leaves)
}

func (t *trainer) anyBuilder() bool { return t.p.Builder == "" || t.p.Builder == "auto" }

// worthMeasuring is the number of cells from which plans are measured: in smaller tables
// waking workers and other noise is as much as what plans differ by. Tests lower it.
var worthMeasuring = 2_000_000

// forcedPlan is the name of the plan that is taken, "" to choose one; tests set it.
var forcedPlan = ""

// candidates lists the plans that the parameters leave open; the first is the one that
// the table's shape speaks for, and reason says why. There is no other where the table
// or the training is too small for measuring.
func (t *trainer) candidates() (plans []histogram.Plan, reason string, err error) {
	mirrored := len(t.mirrored()) > 0
	strategy, reason, err := histogram.Choose(t.p.Builder, t.matrix, mirrored, t.pool.Threads())
	if err != nil {
		return nil, "", fmt.Errorf("%w: train.builder: %w", ErrParams, err)
	}
	byShape := histogram.Plan{Strategy: strategy, Mirror: mirrored && strategy != histogram.FeatureParallel}
	plans = t.open(byShape, mirrored)
	if forcedPlan == "" && (t.n*t.matrix.NFeatures() < worthMeasuring || t.turns(len(plans)) == 0) {
		plans = plans[:1]
	}
	return plans, reason, nil
}

// worthTrees: the trees that plans are measured on may be one in so many.
const worthTrees = 3

// turns returns how many times plans take their turn to be measured: fewer in a short training,
// 0 where the trees of the fewest turns would be too many of all.
func (t *trainer) turns(plans int) int {
	for n := histogram.MostTurns; n >= histogram.LeastTurns; n-- {
		if t.p.Rounds*t.outputs >= worthTrees*histogram.TrialTrees(plans, n) {
			return n
		}
	}
	return 0
}

// open lists the plans that differ from the first in what the parameters leave open.
func (t *trainer) open(byShape histogram.Plan, mirrored bool) []histogram.Plan {
	plans := []histogram.Plan{byShape}
	for _, s := range []histogram.Strategy{histogram.RowParallel, histogram.FeatureParallel, histogram.Sequential} {
		for _, mirror := range []bool{true, false} {
			for _, chunk := range []int{0, histogram.SmallChunk} {
				p := histogram.Plan{Strategy: s, Mirror: mirror, Chunk: chunk}
				if p != byShape && t.tries(p, byShape.Strategy, mirrored) {
					plans = append(plans, p)
				}
			}
		}
	}
	return plans
}

// tries says whether a plan is one that the parameters allow and that may be the fastest.
func (t *trainer) tries(p histogram.Plan, asked histogram.Strategy, mirrored bool) bool {
	one, anyBuilder := t.pool.Threads() == 1, t.anyBuilder()
	switch {
	case !anyBuilder && p.Strategy != asked:
		return false
	case p.Strategy == histogram.FeatureParallel:
		return !p.Mirror && p.Chunk == 0 && t.matrix.Layout() == binning.LayoutCol
	case p.Mirror && !mirrored, !p.Mirror && mirrored && t.p.Binning.Layout != binning.Auto: // "both" asks for it
		return false
	case p.Strategy == histogram.Sequential: // one worker hardly ever beats several: one such plan will do
		return p.Chunk == 0 && (one || !anyBuilder || p.Mirror == mirrored)
	}
	return (!one || !anyBuilder) && (p.Chunk == 0 || t.storing.Mode != gradients.F32) // which goes by chunks of its own
}

// choosePlan settles how histograms are built, or what is to be measured for that. The
// choice never changes the model, since all plans give the same sums.
func (t *trainer) choosePlan() (plan, error) {
	plans, reason, err := t.candidates()
	if err != nil {
		return plan{}, err
	}
	p := settled(plans[0], reason)
	switch {
	case forcedPlan != "":
		at := slices.IndexFunc(plans, func(p histogram.Plan) bool { return p.String() == forcedPlan })
		if at < 0 {
			return plan{}, fmt.Errorf("%w: no plan %q among %v", ErrParams, forcedPlan, plans)
		}
		return settled(plans[at], "forced"), nil
	case t.direct():
		return plan{Plan: histogram.Plan{Strategy: p.Strategy}, direct: true, reason: fmt.Sprintf(
			"histograms of %d codes in %d features would cost more than the cells: sums are kept of the features that can be split only",
			t.matrix.Offsets()[t.matrix.NFeatures()], t.matrix.NFeatures())}, nil
	case len(plans) == 1:
		return p, nil
	}
	if name := t.plans.find(t.planKey()); name != "" {
		if at := slices.IndexFunc(plans, func(p histogram.Plan) bool { return p.String() == name }); at >= 0 {
			return settled(plans[at], fmt.Sprintf("%q was the fastest in an earlier run, says the cache", name)), nil
		}
	}
	p.trial, p.mirrored = histogram.NewTrial(plans, t.turns(len(plans))), slices.ContainsFunc(plans, usesMirror)
	p.reason += "; the first trees measure other ways"
	return p, nil
}

// planKey says in words what decides which plan is the fastest.
func (t *trainer) planKey() string {
	m := t.matrix
	return fmt.Sprintf("%d threads, %s, L2 %d KiB, %d × %d, %d codes in %d columns kept as %s, layout %s, builder %s, gradients %s",
		t.pool.Threads(), cpu.Used(), cpu.L2()>>10, t.n, m.NFeatures(), m.Offsets()[m.NFeatures()], len(m.Units()), m.Layout(),
		t.p.Binning.Layout, t.p.Builder, t.p.Gradients)
}

// settlePlan ends the trial of plans: what won is said, and kept for later runs.
func (t *trainer) settlePlan() {
	best, costs := t.trial.Plan(), t.trial.Costs()
	for i, p := range t.trial.Plans() {
		if math.IsInf(costs[i], 1) {
			t.log.Debug("plan not measured: its like is far slower", "plan", p.String())
			continue
		}
		t.log.Debug("plan measured", "plan", p.String(), "ns_per_row_and_feature", fmt.Sprintf("%.3f", costs[i]))
	}
	reason := fmt.Sprintf("measured on the first trees: %.3f ns per row and feature, %.3f as chosen by shape",
		costs[slices.Index(t.trial.Plans(), best)], costs[0])
	t.say("histogram builder", "strategy", best.Strategy.String(), "plan", best.String(), "reason", reason, "threads", t.pool.Threads())
	t.report.Builder, t.trial = best.Strategy.String(), nil
	if best.Strategy == histogram.Sequential && t.pool.Threads() > 1 && t.anyBuilder() {
		// One worker beats several where others keep the machine busy, which may be over by
		// the next run.
		return
	}
	if err := t.plans.keep(t.planKey(), best.String()); err != nil {
		t.say("the fastest way to build histograms is not kept in the cache", "reason", err.Error())
	}
}
