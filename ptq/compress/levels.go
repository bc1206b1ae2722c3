package compress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/rng"
	"boost/ptq"
)

// Pruning says whether pruned models are tried.
type Pruning uint8

const (
	// PruneAuto tries them where there are rows and a bound to choose by, and Prune can prune the
	// model; Result.NotPruned says why not.
	PruneAuto Pruning = iota
	// PruneOn makes it an error, ErrPruning, where they cannot be tried.
	PruneOn
	PruneOff
)

// ErrPruning says why pruned models cannot be tried.
type ErrPruning struct{ Text string }

func (e ErrPruning) Error() string { return "pruned models cannot be tried: " + e.Text }

const (
	// folds is how many parts the rows of the search are divided into. What is fitted to all
	// rows but a part's is judged on these.
	folds = 4
	// levelShare is the share of the leaves of a level that the next one keeps.
	levelShare = 0.9
	// shortOf is the share of a level's leaves that a step must leave.
	shortOf = 0.96
	// mostMisses is after how many levels without success the search ends.
	mostMisses = 3
	// fewestUnits is how many rows of the search, or queries, pruning needs: so many that no fold is
	// empty.
	fewestUnits = 100
	// mostVisits is rows times trees that leaves are fitted to: more rows teach next to nothing.
	mostVisits = 6_000_000
	// labelShare is PruneParams.Labels for rows that the model was not trained on.
	labelShare = 0.05
)

// settlePruning finds out whether pruned models are tried.
func (q *search) settlePruning() error {
	if q.settings.Prune == PruneOff {
		return nil
	}
	why := q.whyUnpruned()
	switch {
	case why == "":
		q.prunes = true
	case q.settings.Prune == PruneOn:
		return ErrPruning{why}
	case q.halves[0] != nil && q.bounded():
		q.notPruned = why
	}
	return nil
}

// whyUnpruned says why no pruned model can be tried; nothing if they can.
func (q *search) whyUnpruned() string {
	switch {
	case q.halves[0] == nil:
		return "leaves are fitted to rows with labels: give a table (--data)"
	case !q.bounded():
		return "there is no bound to choose by: give one (--max-loss, --max-bytes)"
	case q.full.Contents().After > 0:
		return "the model is the tail of one: append it to the rounds before it"
	case q.full.LacksInitScores(q.halves[0].judge.table):
		return "the model was trained from init scores, which the table lacks"
	}
	if _, err := builtIn(q.full); err != nil {
		return err.Error()
	}
	units, err := unitsOf(q.halves[0].judge.table)
	switch {
	case err != nil:
		return err.Error()
	case len(units) < fewestUnits:
		return fmt.Sprintf("%d rows, or queries, to search on are too few: %d are needed", len(units), fewestUnits)
	}
	return ""
}

// levels is the search among pruned models: descents from the whole model to fewer and fewer
// leaves, level by level. One goes over all rows of the search, and its models become files. As
// they were fitted to these rows, they are judged by others: each row by a model of as many
// leaves that was pruned, and whose errors were pushed forward, without the row's part.
type levels struct {
	q       *search
	formats []*Candidate // of the whole model that none is smaller and better than, by size
	all     *descent
	parts   []*descent
	tables  []*dataset.Table // by part: rows to judge on
	rows    [][]int32        // by part: their places in the half
	ranges  *ranges
}

// descent is one way down.
type descent struct {
	prune  *pruner
	step   *PruneStep
	rows   *dataset.Table // that leaves are fitted to
	narrow *model.Model   // of the step
	tensor *Tensor
	// What pushing errors forward in narrow takes, whatever the format; nil before it is asked for.
	sample  *sample
	weights [][]float64
}

// addPruned tries pruned models in the formats that served the whole one best.
func (q *search) addPruned(ctx context.Context) error {
	l := &levels{q: q}
	defer l.close()
	least := math.Inf(1)
	for i := range q.found {
		c := q.found[i]
		cost := c.Bound
		if math.IsNaN(q.settings.MaxLoss) {
			cost = c.Loss
		}
		if cost < least {
			least, l.formats = cost, append(l.formats, &c)
		}
	}
	if err := l.open(ctx); err != nil {
		return err
	}
	leaves := len(q.full.Leaves())
	from, misses := 0, 0
	for misses < mostMisses && l.all.step.Splits > 0 {
		leaves = min(int(levelShare*float64(leaves)), l.all.step.Leaves-1)
		if err := l.descend(ctx, leaves); err != nil {
			return err
		}
		var found bool
		var err error
		if math.IsNaN(q.settings.MaxLoss) {
			found, err = l.largestThatFits(ctx, &from)
		} else {
			found, err = l.smallestThatKeeps(ctx, &from)
		}
		if err != nil {
			return err
		}
		if misses++; found {
			misses = 0
		}
	}
	return nil
}

// open divides the rows of the search and begins the descents.
func (l *levels) open(ctx context.Context) (err error) {
	half := l.q.halves[0].judge.table
	units, err := unitsOf(half)
	if err != nil {
		return err
	}
	parts, most := partsOf(units), max(mostVisits/max(l.q.full.NumTrees(), 1), 2*fewestUnits)
	for i := range parts {
		d, err := l.begin(ctx, half.Take(thinned(slices.Concat(slices.Delete(slices.Clone(parts), i, i+1)...), most)))
		if err != nil {
			return err
		}
		rows := thinned(parts[i], math.MaxInt)
		l.parts, l.rows, l.tables = append(l.parts, d), append(l.rows, rows), append(l.tables, half.Take(rows))
	}
	l.all, err = l.begin(ctx, half.Take(thinned(units, most)))
	return err
}

// begin starts a descent over some rows.
func (l *levels) begin(ctx context.Context, rows *dataset.Table) (*descent, error) {
	p := PruneParams{Labels: labelShare}
	if l.q.training {
		p.Labels = 0
	}
	w, err := newPruner(ctx, l.q.full, rows, p, []Option{Pool(l.q.halves[0].judge.pool)})
	if err != nil {
		return nil, err
	}
	return &descent{prune: w, step: w.here(), rows: rows}, nil
}

func (l *levels) close() {
	for _, d := range append(l.parts, l.all) {
		if d != nil {
			d.prune.close()
		}
	}
}

// descend goes down to at most so many leaves everywhere.
func (l *levels) descend(ctx context.Context, leaves int) error {
	for _, d := range l.parts {
		if err := d.to(ctx, leaves); err != nil {
			return err
		}
		if _, _, err := d.model(); err != nil {
			return err
		}
	}
	if err := l.all.to(ctx, leaves); err != nil {
		return err
	}
	pruned, rounds, err := l.all.model()
	if err != nil {
		return err
	}
	l.ranges = rangesOf(l.q.full, pruned, rounds)
	return nil
}

// to goes down to at most so many leaves, and not far below: a step that is too long is taken
// again, shorter.
func (d *descent) to(ctx context.Context, leaves int) error {
	share := 0.5
	for d.step.Leaves > leaves && d.step.Splits > 0 {
		d.prune.p.Step = max(smallestStep, share*float64(d.step.Leaves-leaves)/float64(d.step.Leaves))
		next, err := d.prune.next(ctx, d.step)
		if err != nil {
			return err
		}
		if d.prune.p.Step > smallestStep && float64(next.Leaves) < shortOf*float64(leaves) {
			d.prune.restore(d.step)
			share /= 4
			continue
		}
		d.step = next
	}
	return nil
}

// model makes the step's model.
func (d *descent) model() (pruned *model.Model, rounds []int, err error) {
	if pruned, rounds, err = d.step.model(); err != nil {
		return nil, nil, err
	}
	if d.narrow, err = pruned.Narrowed(); err != nil {
		return nil, nil, err
	}
	d.sample, d.weights = nil, nil
	d.tensor, err = Open(d.narrow)
	return pruned, rounds, err
}

// fed returns the leaves in a form as MorphWithFeedback does.
func (d *descent) fed(ctx context.Context, form ptq.Form, c Calibration) (*Leaves, error) {
	t, e, plain, err := startFeedback(d.narrow, form, c)
	if err != nil || e == nil {
		return plain, err
	}
	if d.sample == nil {
		s, err := newSample(ctx, d.narrow, d.rows, []Option{Pool(d.prune.pool)}) // nothing to be closed
		if err != nil {
			return nil, err
		}
		if d.weights, err = s.weightsOf(ctx, d.narrow, ByHessian); err != nil {
			return nil, err
		}
		d.sample = s
	}
	if err := e.pushForward(ctx, d.sample, d.weights); err != nil {
		return nil, err
	}
	return t.finishFeedback(e)
}

// smallestThatKeeps looks for the smallest format of a level that keeps the loss; formats get
// better as they get larger. from is the one found by the level before. It says whether one was
// found that is smaller than all before.
func (l *levels) smallestThatKeeps(ctx context.Context, from *int) (bool, error) {
	smallest := int64(math.MaxInt64)
	for i := range l.q.found {
		if c := &l.q.found[i]; c.Bound <= l.q.settings.MaxLoss {
			smallest = min(smallest, c.Bytes)
		}
	}
	low, high, found := max(*from-1, 0), len(l.formats), false
	for low < high {
		at := (low + high) / 2
		c, err := l.try(ctx, at)
		if err != nil {
			return false, err
		}
		if c != nil && c.Bytes >= smallest {
			high = at // too large, however good
			continue
		}
		if c != nil {
			if err := l.judge(ctx, c); err != nil {
				return false, err
			}
		}
		if c != nil && c.Bound <= l.q.settings.MaxLoss {
			high, found = at, true
		} else {
			low = at + 1
		}
	}
	*from = high
	return found, nil
}

// largestThatFits looks for the largest format of a level that fits, and says whether it loses
// less than all before.
func (l *levels) largestThatFits(ctx context.Context, from *int) (bool, error) {
	least := math.Inf(1)
	for i := range l.q.found {
		if c := &l.q.found[i]; c.Bytes <= l.q.settings.MaxBytes {
			least = min(least, c.cost())
		}
	}
	var best *Candidate
	low, high := *from, len(l.formats)
	for low < high {
		at := (low + high) / 2
		c, err := l.try(ctx, at)
		if err != nil {
			return false, err
		}
		if c != nil && c.Bytes > l.q.settings.MaxBytes {
			high = at
			continue
		}
		if c != nil {
			best = c
		}
		low = at + 1
	}
	if best == nil {
		return math.IsInf(least, 1), nil // what fits is still to come
	}
	*from = max(low-1, 0)
	err := l.judge(ctx, best)
	return best.Loss < least, err
}

// try makes a candidate of the level in a format; nil where the form cannot hold the leaves.
func (l *levels) try(ctx context.Context, at int) (*Candidate, error) {
	of := l.formats[at]
	var overflow ptq.ErrOverflow
	leaves, err := l.leaves(ctx, l.all, of)
	if errors.As(err, &overflow) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := make([]float64, leaves.Values.Len())
	leaves.Values.DecodeRange(values, 0)
	c := &Candidate{
		Format: of.Format, Feedback: of.Feedback, narrow: l.all.narrow, raw: l.ranges.bound(values),
		Kept: float64(leaves.Values.Len()) / float64(len(l.q.full.Leaves())),
	}
	// The figures of the candidate that was not pruned are as long as those that are to come.
	err = l.q.make(c, leaves, of.verdict)
	return c, err
}

// leaves returns those of a descent in a format.
func (l *levels) leaves(ctx context.Context, d *descent, of *Candidate) (*Leaves, error) {
	c := of.Format.Calibration
	if c.Weights != nil {
		c.Weights = nil
		if d.narrow.HasStatistics() {
			weights, err := CoverWeights(d.narrow)
			if err != nil {
				return nil, err
			}
			c.Weights = weights
		}
	}
	if !of.Feedback {
		return d.tensor.Morph(of.Format.Form, c)
	}
	return d.fed(ctx, of.Format.Form, c)
}

// judge adds a candidate, by what the models of its parts predict for rows that these were not
// fitted to.
func (l *levels) judge(ctx context.Context, c *Candidate) error {
	h := l.q.halves[0]
	n, outputs := len(h.weight), l.q.full.Outputs()
	raw := make([]float64, n*outputs)
	for i, d := range l.parts {
		leaves, err := l.leaves(ctx, d, c)
		if err != nil {
			return err
		}
		m, err := leaves.Apply(d.narrow)
		if err != nil {
			return err
		}
		scores, err := m.PredictRaw(ctx, l.tables[i], model.Pool(h.judge.pool))
		if err != nil {
			return err
		}
		for at, row := range l.rows[i] {
			for k := range outputs {
				raw[k*n+int(row)] = scores[at*outputs+k]
			}
		}
	}
	v := h.verdict(h.judge.of(l.q.full, raw), 1-confidence)
	c.judged(v)
	l.q.found = append(l.q.found, *c)
	return nil
}

// unit is rows that stay together, from lo up to but not including hi: a row, or those of a query.
type unit struct{ lo, hi int32 }

// unitsOf returns the rows of a table in units.
func unitsOf(t *dataset.Table) ([]unit, error) {
	groups, err := t.Groups()
	if err != nil {
		return nil, err
	}
	var units []unit
	if groups == nil {
		for row := range int32(t.NumRows()) {
			units = append(units, unit{row, row + 1})
		}
		return units, nil
	}
	for q := range len(groups) - 1 {
		units = append(units, unit{int32(groups[q]), int32(groups[q+1])})
	}
	return units, nil
}

// partsOf divides units into folds.
func partsOf(units []unit) [][]unit {
	parts := make([][]unit, folds)
	key := rng.Key(0, rng.Halves, 1, 0)
	for i, u := range units {
		part := rng.Draw(key, uint64(i)) % folds
		parts[part] = append(parts[part], u)
	}
	return parts
}

// thinned returns the rows of some units, ascending: of all where they have at most so many
// rows, else of every so many.
func thinned(units []unit, most int) []int32 {
	slices.SortFunc(units, func(a, b unit) int { return cmp.Compare(a.lo, b.lo) })
	n := 0
	for _, u := range units {
		n += int(u.hi - u.lo)
	}
	var out []int32
	for i, u := range units {
		if n > most && int64(i)*int64(most)/int64(n) == int64(i+1)*int64(most)/int64(n) {
			continue
		}
		for row := u.lo; row < u.hi; row++ {
			out = append(out, row)
		}
	}
	return out
}
