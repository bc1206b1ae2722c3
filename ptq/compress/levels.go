package compress

import (
	"context"
	"errors"
	"fmt"
	"math"

	"boost/booster/model"
	"boost/dataset"
	"boost/parallel"
	"boost/ptq"
)

// Pruning reports whether pruned models are tried.
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
	// levelShare is the share of the leaves of a level that the next one keeps, largeShare that of a large model.
	levelShare, largeShare = 0.9, 0.75
	// shortOf is the share of a level's leaves that a step must leave.
	shortOf = 0.96
	// mostMisses is after how many levels without success the search ends; of a large model after one.
	mostMisses = 3
	// fewestUnits is how many rows of the search, or queries, pruning needs: so many that no fold is
	// empty.
	fewestUnits = 100
	// mostVisits is rows times trees that leaves are fitted to: more rows teach next to nothing.
	mostVisits = 6_000_000
	// labelShare is PruneParams.Labels for rows that the model was not trained on.
	labelShare = 0.05
	// pullShare is the share of leaves at which pulls are compared.
	pullShare = 0.9
	// clearly is by which share of its own uncertainty the bound with a pull is lowered by a larger one
	// that is preferred: far down, where these rows do not tell, a small one lets more go.
	clearly = 1.0 / 3
	// mostFiner is how many finer formats than the level's before are tried.
	mostFiner = 4
)

// rooms are how much room (see Candidate.safety) formats have that are looked for on a level: what has
// just enough on the rows of the search fails on others more often than not.
var rooms = [...]float64{1, 2}

// pulls are those of PruneParams.Pull that are tried: the less rows there are for a leaf, the more its
// old value should weigh.
var pulls = [...]float64{0.3, 3, 30}

// mostRows is how many rows leaves of a model are fitted to at most.
func mostRows(m *model.Model) int { return max(mostVisits/max(m.NumTrees(), 1), 2*fewestUnits) }

// resolvePruning finds out whether pruned models are tried.
func (q *search) resolvePruning() error {
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
	case q.full.HasLinear():
		return model.ErrLinear.Error()
	case q.full.Contents().After > 0:
		return "the model is the tail of one: append it to the rounds before it"
	case q.full.LacksInitScores(q.halves[0].judge.table):
		return "the model was trained from init scores, which the table lacks"
	}
	objective, err := builtIn(q.full)
	if err != nil {
		return err.Error()
	}
	if why := unprunable(objective); why != "" {
		return why
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
	formats []*Candidate // of the whole model that none is smaller and more exact than, by size
	all     *descent
	parts   []*descent     // one for each fold
	crossed *crossing      // of these
	own     *parallel.Pool // all's, which goes down beside the parts
	ranges  *ranges
	tried   []*Candidate // by format: what the level's model is in it, nil where that was not asked for
}

// descent is one way down.
type descent struct {
	*fitted // the step's model
	prune   *pruner
	step    *PruneStep
	keep    model.LevelNames
}

// addPruned tries pruned models in the formats that served the whole one best.
func (q *search) addPruned(ctx context.Context) error {
	l := &levels{q: q}
	least := math.Inf(1)
	for i := range q.found {
		// By how much losses are scattered says how exact leaves are; the loss itself may be better by chance.
		c := q.found[i]
		if spread := c.Bound - c.Loss; spread < least {
			least, l.formats = spread, append(l.formats, &c)
		}
	}
	if len(l.formats) == 0 {
		return nil
	}
	l.own = parallel.NewPool(1)
	defer l.own.Close()
	if err := l.open(ctx); err != nil {
		return err
	}
	leaves := len(q.full.Leaves())
	if err := l.choosePull(ctx, int(pullShare*float64(leaves))); err != nil {
		return err
	}
	share, most := levelShare, mostMisses
	if q.large {
		share, most = largeShare, 1
	}
	from, misses := l.first(), 0
	for misses < most && l.all.step.Splits > 0 {
		leaves = min(int(share*float64(leaves)), l.all.step.Leaves-1)
		if err := l.descend(ctx, leaves); err != nil {
			return err
		}
		misses++
		for i, room := range rooms {
			var found bool
			var err error
			if math.IsNaN(q.settings.MaxLoss) {
				found, err = l.largestThatFits(ctx, &from[i])
			} else {
				found, err = l.smallestThatKeeps(ctx, room, &from[i])
			}
			if err != nil {
				return err
			}
			if found {
				misses = 0
			}
			if math.IsNaN(q.settings.MaxLoss) {
				break
			}
		}
	}
	return nil
}

// first returns for each of rooms the smallest format in which the whole model has it; 0 where only
// bytes are bounded.
func (l *levels) first() []int {
	from := make([]int, len(rooms))
	for i, room := range rooms {
		for at, c := range l.formats {
			if c.safety(l.q.settings.MaxLoss) >= room {
				from[i] = at
				break
			}
		}
	}
	return from
}

// open begins the descents.
func (l *levels) open(ctx context.Context) (err error) {
	of := l.q.crossed
	l.parts = make([]*descent, len(of.folds))
	err = of.each(func(i int) (err error) {
		l.parts[i], err = l.begin(ctx, of.folds[i].rows, of.folds[i].pool)
		return err
	})
	if err != nil {
		return err
	}
	l.crossed = &crossing{half: of.half, tables: of.tables, places: of.places}
	for _, d := range l.parts {
		l.crossed.folds = append(l.crossed.folds, d.fitted)
	}
	half := of.half.judge.table
	units, err := unitsOf(half)
	if err != nil {
		return err
	}
	l.all, err = l.begin(ctx, half.Take(thinned(units, mostRows(l.q.full))), l.own)
	return err
}

// begin starts a descent over some rows.
func (l *levels) begin(ctx context.Context, rows *dataset.Table, pool *parallel.Pool) (*descent, error) {
	p := PruneParams{Labels: labelShare}
	if l.q.training {
		p.Labels = 0
	}
	w, err := newPruner(ctx, l.q.full, rows, p, []Option{Pool(pool)}) // nothing to be closed
	if err != nil {
		return nil, err
	}
	return &descent{fitted: &fitted{rows: rows, pool: pool}, prune: w, step: w.here(), keep: l.q.levelNames()}, nil
}

// choosePull goes down to so many leaves with each of pulls, and takes the smallest than which no larger
// one is clearly better on rows that it did not learn from, leaves exact.
func (l *levels) choosePull(ctx context.Context, leaves int) error {
	start := make([]*PruneStep, len(l.parts))
	for i, d := range l.parts {
		start[i] = d.step
	}
	chosen, enough := pulls[0], math.Inf(1)
	for _, pull := range pulls {
		err := l.crossed.each(func(i int) error {
			d := l.parts[i]
			d.begin(start[i], pull)
			if err := d.to(ctx, leaves); err != nil {
				return err
			}
			_, _, err := d.model()
			return err
		})
		if err != nil {
			return err
		}
		v, err := l.crossed.verdict(ctx, func(f *fitted) (*model.Model, error) { return f.narrow, nil })
		if err != nil {
			return err
		}
		if v.bound < enough {
			chosen, enough = pull, v.bound-float64(clearly*(v.bound-(v.after-v.before)/v.before))
		}
	}
	l.all.begin(l.all.step, chosen)
	return l.crossed.each(func(i int) error {
		l.parts[i].begin(start[i], chosen)
		return nil
	})
}

// begin goes to a step and on with another pull.
func (d *descent) begin(from *PruneStep, pull float64) {
	d.step = from
	d.prune.restore(from)
	d.prune.pullBy(pull)
}

// descend goes down to at most so many leaves everywhere.
func (l *levels) descend(ctx context.Context, leaves int) error {
	descents := append([]*descent{l.all}, l.parts...)
	err := l.crossed.half.judge.each(len(descents), func(i int) error {
		d := descents[i]
		if err := d.to(ctx, leaves); err != nil {
			return err
		}
		pruned, rounds, err := d.model()
		if err == nil && d == l.all {
			l.ranges = rangesOf(l.q.full, pruned, rounds)
		}
		return err
	})
	l.tried = make([]*Candidate, len(l.formats))
	return err
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
	if pruned, rounds, err = d.step.model([]Option{Pool(d.pool)}); err != nil {
		return nil, nil, err
	}
	narrow, err := pruned.Narrowed(d.keep)
	if err != nil {
		return nil, nil, err
	}
	return pruned, rounds, d.take(narrow)
}

// smallestThatKeeps looks for the smallest format of a level that keeps the loss with some room; formats
// are the more exact the larger they are. from is the one found by the level before, around which it
// looks. It reports whether one was found that is smaller than all before that have as much room.
func (l *levels) smallestThatKeeps(ctx context.Context, room float64, from *int) (found bool, err error) {
	smallest := int64(math.MaxInt64)
	for i := range l.q.found {
		if c := &l.q.found[i]; c.safety(l.q.settings.MaxLoss) >= room {
			smallest = min(smallest, c.Bytes)
		}
	}
	look := func(at int) (small, keeps bool, err error) {
		c, err := l.try(ctx, at)
		switch {
		case err != nil || c == nil:
			return true, false, err // too coarse to hold the leaves
		case c.Bytes >= smallest:
			return false, false, nil
		}
		err = l.judge(ctx, c)
		return true, c.safety(l.q.settings.MaxLoss) >= room, err
	}
	at := *from
	small, keeps, err := look(at)
	if small && !keeps { // finer
		for most := min(at+mostFiner, len(l.formats)-1); err == nil && small && !keeps && at < most; {
			at++
			small, keeps, err = look(at)
		}
		if keeps {
			*from = at
		}
		return keeps, err
	}
	for ; err == nil && (keeps || !small); at-- { // coarser
		if keeps {
			found, *from = true, at
		}
		if at == 0 {
			break
		}
		small, keeps, err = look(at - 1)
	}
	return found, err
}

// largestThatFits looks for the largest format of a level that fits, and reports whether it loses
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

// try makes a candidate of the level in a format; nil where the form cannot hold the leaves, or not in their order.
func (l *levels) try(ctx context.Context, at int) (*Candidate, error) {
	if l.tried[at] != nil {
		return l.tried[at], nil
	}
	of := l.formats[at]
	var overflow ptq.ErrOverflow
	leaves, err := l.all.leaves(ctx, of)
	if errors.As(err, &overflow) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := make([]float64, leaves.Values.Len())
	leaves.Values.DecodeRange(values, 0)
	c := &Candidate{
		Format: of.Format, Feedback: of.Feedback, raw: l.ranges.bound(values),
		Kept: float64(leaves.Values.Len()) / float64(len(l.q.full.Leaves())), Loss: math.NaN(), Bound: math.NaN(),
	}
	stored, err := leaves.Apply(l.all.narrow)
	if err == nil {
		// The figures of the candidate that was not pruned are as long as those that are to come.
		err = l.q.make(c, stored, leaves, of.verdict)
	}
	if errors.As(err, new(model.ErrOrder)) {
		return nil, nil
	}
	l.tried[at] = c
	return c, err
}

// judge adds a candidate, if it is not there yet, by what the models of its parts predict for rows that these were not
// fitted to. One of which a part's model cannot keep its leaves in order is left out, without figures.
func (l *levels) judge(ctx context.Context, c *Candidate) error {
	if !math.IsNaN(c.Loss) {
		return nil
	}
	v, err := l.crossed.judge(ctx, c)
	if errors.As(err, new(model.ErrOrder)) {
		return nil
	}
	if err != nil {
		return err
	}
	c.judged(v)
	l.q.keep(*c)
	return nil
}
