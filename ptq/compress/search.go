package compress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/booster/model"
	"boost/parallel"
	"boost/ptq"
)

// search is one call of Quantize.
type search struct {
	full *model.Model
	// reference is what losses are told against; referenceSum is empty where it is full.
	reference    *model.Model
	referenceSum string

	narrow   *model.Model
	source   string
	settings Settings
	data     string // fingerprint
	training bool
	halves   [2]*half // to search on and to certify on; nil without data
	found    []Candidate

	whole     *fitted   // the model and all rows of the search
	crossed   *crossing // these rows in parts; nil where nothing that learns from them is compared
	large     bool      // a candidate takes seconds, so that fewer are made: in formats in steps, whose files are small where leaves are many, and pruned farther apart
	pushes    bool      // errors are pushed forward
	prunes    bool      // pruned models are tried
	notPruned string    // why not
}

func newSearch(ctx context.Context, m *model.Model, s Settings, opts []Option) (*search, error) {
	q := &search{full: m, reference: m, settings: s, large: len(m.Leaves()) > optionsOf(opts).manyLeaves}
	switch {
	case s.Formats != nil && len(s.Formats) == 0:
		return nil, errors.New("no format to choose from")
	case s.MaxBytes < 0 || s.MaxLoss < 0:
		return nil, fmt.Errorf("bounds of %d bytes and a loss of %v: they must not be negative", s.MaxBytes, s.MaxLoss)
	case s.Data == nil && (!math.IsNaN(s.MaxLoss) || s.Feedback == FeedbackOn || s.Reference != nil):
		return nil, ErrNeedsData
	case !q.bounded() && len(s.Formats) != 1:
		return nil, ErrChoice
	case s.Feedback == FeedbackOn && m.HasLinear():
		return nil, model.ErrLinear
	case m.Compressed() != nil:
		return nil, ErrCompressed
	}
	var err error
	if q.source, err = m.SHA256(); err != nil {
		return nil, err
	}
	if q.narrow, err = m.Narrowed(q.levelNames()); err != nil {
		return nil, err
	}
	if s.Reference != nil {
		if err := sameAnswers(s.Reference, m); err != nil {
			return nil, err
		}
		q.reference = s.Reference
		if q.referenceSum, err = s.Reference.SHA256(); err != nil {
			return nil, err
		}
	}
	if s.Data != nil {
		if err := q.open(ctx, opts); err != nil {
			return nil, err
		}
	}
	if err := q.resolvePruning(); err != nil {
		q.close()
		return nil, err
	}
	q.pushes = q.fed()
	if err := q.cross(); err != nil {
		q.close()
		return nil, err
	}
	return q, nil
}

// cross divides the rows of the search where candidates that learn from them are compared with others.
func (q *search) cross() (err error) {
	h := q.halves[0]
	if h == nil {
		return nil
	}
	units, err := unitsOf(h.judge.table)
	if err != nil {
		return err
	}
	q.whole = &fitted{rows: h.judge.table, pool: h.judge.pool}
	if q.bounded() {
		q.whole.rows = h.judge.table.Take(thinned(units, mostRows(q.full)))
	}
	if err := q.whole.take(q.narrow); err != nil {
		return err
	}
	if !q.bounded() || !q.pushes && !q.prunes || len(units) < fewestUnits {
		return nil
	}
	if q.crossed, err = newCrossing(h, mostRows(q.full)); err != nil {
		return err
	}
	for _, f := range q.crossed.folds {
		if err := f.take(q.narrow); err != nil {
			return err
		}
	}
	return nil
}

// open divides the data.
func (q *search) open(ctx context.Context, opts []Option) error {
	t, err := q.settings.Data.As(q.full.Schema())
	if err != nil {
		return err
	}
	pool := optionsOf(opts).pool
	if pool == nil {
		pool = parallel.NewPool(threadsFor(t.NumRows(), q.full))
		defer pool.Close()
	}
	q.data = t.Fingerprint(pool)
	q.training = q.full.Contents().TrainedOn(q.data) || q.reference.Contents().TrainedOn(q.data)
	if q.training && !q.settings.AllowTrainingData {
		return ErrTrainingData
	}
	seen, unseen, err := Halves(t)
	if err != nil {
		return err
	}
	for i, rows := range [2][]int32{seen, unseen} {
		if q.halves[i], err = newHalf(ctx, q.full, t, rows, opts); err != nil {
			q.close()
			return err
		}
		if i == 0 {
			q.halves[i].resamples = searchResamples
		}
		if q.reference != q.full {
			if err := q.halves[i].beside(ctx, q.reference, q.settings.Data.Take(rows), opts); err != nil {
				q.close()
				return err
			}
		}
	}
	return nil
}

// options are those of work beside the rows of the search; without rows there are none.
func (q *search) options() []Option {
	if q.halves[0] == nil {
		return nil
	}
	return []Option{Pool(q.halves[0].judge.pool)}
}

func (q *search) close() {
	if q.crossed != nil {
		q.crossed.close()
	}
	for _, h := range q.halves {
		if h != nil {
			h.judge.close()
		}
	}
}

const (
	// plentyRoom is how much room (see Candidate.safety) makes finer formats, and feedback, needless.
	plentyRoom = 16
	// plenty is how many formats in steps with that room, or too large, end the search for finer ones.
	plenty = 3
)

// trial is a format and the leaves in it as they are.
type trial struct {
	format Format
	leaves *Leaves
}

// trials puts the leaves into all formats, the coarsest first where the search has chosen them. left says why the last that was left out was.
func (q *search) trials() (all []trial, left, err error) {
	tensor, err := Open(q.narrow)
	if err != nil {
		return nil, nil, err
	}
	formats := q.settings.Formats
	if q.own() {
		formats = Formats(q.full)
		if q.large {
			formats = slices.DeleteFunc(formats, func(f Format) bool { return f.Calibration.Method != ptq.Given && f.Form != ptq.FormOf(ptq.F32) })
		}
	}
	for _, format := range formats {
		leaves, err := tensor.Morph(format.Form, format.Calibration)
		if errors.As(err, new(ptq.ErrOverflow)) && len(formats) > 1 {
			left = err
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, trial{format, leaves})
	}
	if q.own() {
		slices.SortStableFunc(all, func(a, b trial) int { return cmp.Compare(b.leaves.Squared, a.leaves.Squared) })
	}
	return all, left, nil
}

// candidates makes and judges all that there is to choose from. Of formats that it has chosen itself, it leaves
// out those that are finer than some with plenty of room, or than some that are too large, but for the finest.
func (q *search) candidates(ctx context.Context) error {
	trials, beyond, err := q.trials()
	if err != nil {
		return err
	}
	enough := 0
	for i, t := range trials {
		if q.own() && enough >= plenty && i < len(trials)-1 {
			continue
		}
		before := len(q.found)
		if err := q.try(ctx, t, &beyond); err != nil {
			return err
		}
		if steps := t.format.Calibration.Method == ptq.Given; steps && len(q.found) > before && q.plentyOf(&q.found[before]) {
			enough++
		}
	}
	if len(q.found) == 0 {
		return beyond
	}
	q.rank()
	if q.prunes {
		err = q.addPruned(ctx)
		q.rank()
	}
	return err
}

// own reports whether the search has chosen the formats.
func (q *search) own() bool { return q.settings.Formats == nil }

// plentyOf reports whether a candidate has plenty of room, or is too large.
func (q *search) plentyOf(c *Candidate) bool {
	if q.settings.MaxLoss >= 0 {
		return c.safety(q.settings.MaxLoss) >= plentyRoom
	}
	return !q.fits(c.Bytes)
}

// try makes the candidates of a format, without feedback and with it. What leaves one out goes to beyond.
func (q *search) try(ctx context.Context, t trial, beyond *error) error {
	exact := t.leaves.Squared == 0 // nothing to push forward
	if !q.pushes || q.settings.Feedback == FeedbackAuto || exact {
		if err := q.add(ctx, t.leaves, Candidate{Format: t.format}); errors.As(err, new(model.ErrOrder)) {
			*beyond = t.format.ordered(err, false, true)
		} else if err != nil {
			return err
		} else if c := &q.found[len(q.found)-1]; q.own() && q.plentyOf(c) {
			return nil
		}
	}
	if !q.pushes || exact {
		return nil
	}
	// Leaves that move may need more than the form holds, or leave their order.
	fed := Candidate{Format: t.format, Feedback: true}
	moved, err := q.whole.leaves(ctx, &fed)
	if err == nil {
		err = q.add(ctx, moved, fed)
	}
	switch {
	case err == nil || errors.As(err, new(ptq.ErrOverflow)) && q.settings.Feedback == FeedbackAuto:
		return nil
	case !errors.As(err, new(model.ErrOrder)):
		return err
	case q.settings.Feedback == FeedbackOn:
		_, plain := t.leaves.Apply(q.narrow)
		*beyond = t.format.ordered(err, true, plain != nil)
	}
	return nil
}

// rank puts what was found in order and marks what is best.
func (q *search) rank() {
	slices.SortStableFunc(q.found, func(a, b Candidate) int { return cmp.Compare(a.Bytes, b.Bytes) })
	best := math.Inf(1)
	for i := range q.found {
		c := &q.found[i]
		if c.Best = c.cost() < best || i == 0; c.Best {
			best = c.cost()
		}
	}
}

// fed reports whether errors are pushed forward: by default only where several candidates are
// tried, since it is another model that one format then gives.
func (q *search) fed() bool {
	if q.halves[0] == nil || q.settings.Feedback == FeedbackOff || q.full.HasLinear() {
		return false
	}
	if q.settings.Feedback == FeedbackAuto {
		_, err := builtIn(q.full) // residuals are weighed by its hessians
		return err == nil && q.bounded()
	}
	return true
}

// bounded reports whether there is a bound to choose by.
func (q *search) bounded() bool {
	return q.settings.MaxBytes > 0 || !math.IsNaN(q.settings.MaxLoss)
}

// add makes a candidate of leaves and judges it.
func (q *search) add(ctx context.Context, leaves *Leaves, c Candidate) error {
	c.raw, c.Kept, c.Loss, c.Bound = leaves.Bound, 1, math.NaN(), math.NaN()
	stored, err := leaves.Apply(q.narrow)
	if err != nil {
		return err
	}
	if h := q.halves[0]; h != nil {
		var v verdict
		if c.Feedback && q.crossed != nil {
			v, err = q.crossed.judge(ctx, &c)
		} else {
			v, err = h.compare(ctx, stored, 1-confidence)
		}
		if err != nil {
			return err
		}
		c.judged(v)
	}
	if err := q.make(&c, stored, leaves, c.verdict); err != nil {
		return err
	}
	q.keep(c)
	return nil
}

// keep adds a candidate to what was found: with its file where the bounds do not rule it out.
func (q *search) keep(c Candidate) {
	if !q.fits(c.Bytes) || q.settings.MaxLoss >= 0 && c.safety(q.settings.MaxLoss) < 1 {
		c.file = nil
	}
	q.found = append(q.found, c)
}

// fits reports whether a file may have so many bytes.
func (q *search) fits(bytes int64) bool {
	return q.settings.MaxBytes == 0 || bytes <= q.settings.MaxBytes
}

// judged notes what the rows of the search show.
func (c *Candidate) judged(v verdict) {
	c.verdict = v
	c.Loss, c.Bound = relative(v.before, v.after), v.bound
}

// make compresses a candidate and finds its size, by the figures that a certificate may have. stored is its model, with the values that leaves are stored as.
func (q *search) make(c *Candidate, stored *model.Model, leaves *Leaves, v verdict) error {
	before := leaves.Values.Len()
	narrow, leaves, err := q.merge(c, stored, leaves)
	if err != nil {
		return err
	}
	c.Leaves, c.Merged, c.marked = leaves.Values.Len(), before-leaves.Values.Len(), marked(narrow)
	for _, bound := range c.raw {
		c.RawBound = max(c.RawBound, bound)
	}
	certificate := Certificate{Method: ByLeaves, RawBound: c.raw, Marked: c.marked}
	if h := q.halves[0]; h != nil {
		certificate = q.certificate(c, h, v, confidence)
	}
	compressed, err := q.compress(c.Format, narrow, leaves, certificate)
	if err != nil {
		return err
	}
	c.file, err = compressed.Encode()
	c.Bytes = int64(len(c.file))
	return err
}

// merge takes the splits out of a candidate that its leaf values, some of them equal by now, leave
// without a use, and returns its model and its leaves, of which there are fewer then. Every row keeps its bits:
// where the leaves that are left would be stored as other values nothing is merged. Without a
// bound to keep there is one format, which is to be what it says.
func (q *search) merge(c *Candidate, stored *model.Model, leaves *Leaves) (*model.Model, *Leaves, error) {
	if !q.bounded() || q.full.HasLinear() {
		return stored, leaves, nil
	}
	simple, _, err := Simplify(stored, q.options()...)
	if err != nil || simple == stored {
		return stored, leaves, err
	}
	narrow, err := simple.Narrowed(q.levelNames())
	if err != nil {
		return nil, nil, err
	}
	calibration := c.Format.Calibration
	calibration.Weights = nil // of the leaves before
	fewer, err := MorphModel(narrow, c.Format.Form, calibration)
	if errors.As(err, new(ptq.ErrOverflow)) {
		return stored, leaves, nil
	}
	if err != nil {
		return nil, nil, err
	}
	values := make([]float64, fewer.Values.Len())
	fewer.Values.DecodeRange(values, 0)
	for i, want := range narrow.Leaves() {
		if math.Float64bits(values[i]) != math.Float64bits(want) {
			return stored, leaves, nil
		}
	}
	return narrow, fewer, nil
}

// cost is what candidates of one size are compared by.
func (c *Candidate) cost() float64 {
	if math.IsNaN(c.Loss) {
		return c.RawBound
	}
	return c.Loss
}

// compress returns a narrowed model with leaves in a format.
func (q *search) compress(format Format, narrow *model.Model, leaves *Leaves, certificate Certificate) (*model.Model, error) {
	text, err := certificate.JSON()
	if err != nil {
		return nil, err
	}
	grouping := model.GroupBlock
	if _, typed := format.Form.DType(); typed {
		grouping = format.Calibration.By.String()
		if format.Calibration.By == ByOutput && q.full.Outputs() == 1 {
			grouping = model.GroupModel
		}
	}
	return narrow.Compress(model.Compression{
		Leaves: leaves.Values, Grouping: grouping, Statistics: q.settings.Statistics, Source: q.source, Certificate: text,
	})
}

// certificate words a verdict.
func (q *search) certificate(c *Candidate, h *half, v verdict, sure float64) Certificate {
	before := 0
	if c.Kept < 1 {
		before = len(q.full.Leaves())
	}
	return Certificate{
		Method: ByBootstrap, RawBound: c.raw, LeavesBefore: before, Marked: c.marked, Feedback: c.Feedback, Reference: q.referenceSum,
		Data: q.data, TrainingData: q.training, Rows: len(h.weight),
		Metric: h.metric.Name(), Before: v.before, After: v.after, LossBound: v.bound, Confidence: sure, Resamples: h.resamples,
		MaxRaw: v.maxRaw, MaxPrediction: v.maxPrediction,
	}
}

// choose certifies candidates and returns the one that is wanted.
func (q *search) choose(ctx context.Context) (*Result, error) {
	if q.settings.MaxLoss >= 0 {
		return q.chooseByLoss(ctx)
	}
	return q.chooseByBytes(ctx)
}

// nearest words what came closest.
func (q *search) nearest() string {
	smallest := &q.found[0]
	text := fmt.Sprintf("the smallest, %s, has %d bytes", smallest.Name(), smallest.Bytes)
	if q.halves[0] == nil {
		return text
	}
	least := smallest
	for i := range q.found {
		if q.found[i].Bound < least.Bound {
			least = &q.found[i]
		}
	}
	return text + fmt.Sprintf("; that which loses least, %s, has %d bytes and loses up to %.3g %% on the rows of the search", least.Name(), least.Bytes, 100*least.Bound)
}
