package booster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"boost/binning"
	"boost/booster/cache"
	"boost/booster/model"
	"boost/dataset"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/cpu"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/parallel"
	"boost/tree"
	"boost/tree/grow"
)

// Train trains a model on a table whose label column is set.
//
// The same table, parameters and seed give the same model bytes for every number
// of threads and builder. Problems with the table wrap dataset.ErrTable, with
// parameters ErrParams. A cancelled ctx ends training after the current round: Train then
// returns the model so far (nil before the first round) together with an error that
// wraps ErrInterrupted. Params.TimeLimit ends it without an error once there is a
// round, else with ErrBudget.
func Train(ctx context.Context, p Params, train *dataset.Table, opts ...Option) (*Model, error) {
	return TrainOn(ctx, p, InMemory(train), opts...)
}

// TrainOn is Train for rows that need not be in memory: the model's bytes are those
// of the same rows in a table.
func TrainOn(ctx context.Context, p Params, train Data, opts ...Option) (*Model, error) {
	t := &trainer{start: time.Now(), p: p}
	for _, o := range opts {
		o(&t.options)
	}
	if t.earlyStop > 0 {
		t.p.EarlyStopping = t.earlyStop
	}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	reported := t.report != nil
	if !reported {
		t.report = &Report{}
	}
	if err := t.p.Validate(); err != nil {
		return nil, err
	}
	if err := t.feedBack(); err != nil {
		return nil, err
	}
	if err := t.prepare(ctx, train.source); err != nil {
		return nil, err
	}
	if t.ownPool {
		defer t.pool.Close()
	}
	stopErr := t.rounds(ctx)
	if t.done == t.first || stopErr != nil && !errors.Is(stopErr, ErrInterrupted) {
		return nil, stopErr
	}
	if t.from != nil && t.best == t.first {
		t.log.Warn("no new round was better than the base model: none is kept", "rounds", t.done-t.first)
	}
	m, err := t.model()
	if err != nil {
		return nil, err
	}
	if reported {
		t.fillReport()
	}
	return m, stopErr
}

// trainer is the state of one training run.
type trainer struct {
	options
	p       Params
	start   time.Time
	ownPool bool
	from    *Model // training goes on from it; nil for from nothing
	target  *target
	inFiles bool // the training rows are

	fingerprint string
	validPrints []string
	schema      dataset.Schema

	rows    objectives.Rows
	n       int // training rows
	outputs int
	cuts    *binning.Cuts
	matrix  *binning.Matrix
	sets    []*evalSet

	initial []float64 // init scores of the training rows, output-major; nil without
	base    []float64
	scores  []float64 // raw, outputs × n, output-major
	saved   bestScores
	buffer  *gradients.Buffer
	storing gradients.Settings
	sample  *gradients.Bag // where rows are sampled
	goss    *gradients.Goss
	mvs     *gradients.Mvs
	bag     *gradients.Bag // of this round: sample, or nil for all rows
	outside []uint32       // rows not in the bag, ascending
	whole   lane           // on all workers; empty where all trees of a round grow side by side
	lanes   []lane         // one a worker, where trees grow side by side
	nBeside int            // trees of a round that do
	grown   []grown        // by output
	task    gradientTask

	trees     []tree.Tree
	first     int // rounds of the base model
	done      int // rounds, with those
	best      int // rounds of the best model; done where early stopping is off
	stop      stopper
	wide      []model.WideRound
	warned    bool
	undefined bool // the metric that leads early stopping was, which has been said
	clipped   bool
	evals     []Eval
	stopped   string
}

// prepare turns the sources into matrices and everything a round needs.
func (t *trainer) prepare(ctx context.Context, train source) error {
	if t.from = t.baseModel; t.from != nil {
		var err error
		if train, err = t.follow(train); err != nil {
			return err
		}
	}
	table := train.rest()
	t.schema = train.schema()
	if table.NumRows() == 0 {
		return fmt.Errorf("%w: no rows to train on", dataset.ErrTable)
	}
	if table.NumRows() > math.MaxInt32 {
		return fmt.Errorf("%w: %d rows; at most %d can be trained on", dataset.ErrTable, table.NumRows(), math.MaxInt32)
	}
	target, err := t.settleTarget(table)
	if err != nil {
		return err
	}
	t.target, t.outputs = target, target.objective.Outputs()
	if err := t.within(t.leastMemory(table.NumRows())); err != nil {
		return err
	}
	if _, t.inFiles = train.(*scanSource); t.inFiles && t.p.Gradients == gradients.F32.String() {
		return errFloatsInFiles(`"f32"`)
	}
	if featureCount(t.schema) == 0 {
		return fmt.Errorf("%w: no feature columns are left beside the label (columns are %s)", dataset.ErrTable, columnNames(t.schema))
	}
	labels, err := target.labels(table)
	if err != nil {
		return err
	}
	if value := labels[0]; target.classes == nil && !slices.ContainsFunc(labels, func(v float64) bool { return v != value }) {
		t.log.Warn("every row has the same label: so will every prediction", "label", value)
	}
	t.usePool(table.NumRows())
	whole, given := train, t.valid
	if t.p.EarlyStopping > 0 && len(given) == 0 {
		if train, labels, err = t.holdOut(train, labels); err != nil {
			return err
		}
		table = train.rest()
	}
	weights, err := table.Weights()
	if err != nil {
		return err
	}
	if t.initial, err = t.initScores(table); err != nil {
		return err
	}
	t.rows, t.n = objectives.Rows{Labels: labels, Weights: weights}, table.NumRows()
	if err := target.objective.Check(t.rows); err != nil {
		return atRow(table, err)
	}
	if err := t.settleGradients(); err != nil {
		return err
	}
	if err := t.bin(ctx, train, whole, given); err != nil {
		return err
	}
	return t.allocate()
}

// atRow puts the place of a refused label or weight before the error.
func atRow(table *dataset.Table, err error) error {
	var row *objectives.RowError
	if errors.As(err, &row) {
		return fmt.Errorf("%w: %s: %w", dataset.ErrTable, table.Place(row.Row), err)
	}
	return fmt.Errorf("%w: %w", dataset.ErrTable, err)
}

// say logs a choice that the user should know of.
func (t *trainer) say(msg string, args ...any) { t.log.Info(msg, args...) }

// minCellsPerThread is the number of cells below which one more thread costs more
// in waking and waiting than it saves.
const minCellsPerThread = 12_500

// maxSpin is how long a worker that waits spins before it sleeps: passes over small tables follow each
// other within that, and it takes 10 to 60 µs to wake a thread.
const maxSpin = 50 * time.Microsecond

// usePool makes the run's pool: of the wanted threads, fewer for a small table.
func (t *trainer) usePool(rows int) {
	if t.pool != nil {
		return
	}
	wanted := t.p.Threads
	if wanted == 0 {
		wanted = cpu.Threads()
	}
	threads := min(wanted, max(1, rows*featureCount(t.schema)*t.outputs/minCellsPerThread))
	if threads < wanted {
		t.log.Debug("small table: fewer threads than there are", "threads", threads, "of", wanted)
	}
	spin := maxSpin
	if threads > cpu.Threads() { // by a quota, or as some are two on one core
		spin = 0
	}
	t.pool, t.ownPool = parallel.NewSpinningPool(threads, spin), true
}

// holdOut splits off the rows that early stopping is judged on, as the set "valid".
func (t *trainer) holdOut(table source, labels []float64) (source, []float64, error) {
	groups, err := table.rest().Groups()
	if err != nil {
		return nil, nil, err
	}
	train, held := holdout(labels, len(t.target.classes), groups, t.p.Seed)
	if len(held) == 0 {
		what := "too few rows to hold any out: early stopping is off"
		switch {
		case groups != nil:
			what = "fewer than ten queries, of which none can be held out: early stopping is off"
		case t.target.classes != nil:
			what = "no class has the ten rows of which one could be held out: early stopping is off"
		}
		t.log.Warn(what, "rows", len(labels))
		t.p.EarlyStopping = 0
		return table, labels, nil
	}
	t.say("rows held out for early stopping", "rows", len(held), "of", len(labels))
	t.valid, t.report.HeldOut = []validSet{{"valid", table.take(held)}}, held
	kept := make([]float64, len(train))
	for i, row := range train {
		kept[i] = labels[row]
	}
	return table.take(train), kept, nil
}

// bin finds cuts on the training rows and codes all sets. whole and given are what is
// fingerprinted: the training table and the validation sets that do not come from it.
func (t *trainer) bin(ctx context.Context, train, whole source, given []validSet) error {
	start := time.Now()
	notes, err := t.cutsOf(ctx, train)
	if err != nil {
		return err
	}
	out := t.cache.create(t.log)
	if err := t.code(ctx, train, out); err != nil {
		out.discard()
		return err
	}
	contents := &cache.Contents{Schema: t.schema, Cuts: t.cuts, Notes: notes, Others: whole.rest(), Sets: make([]cache.Set, 1+len(t.sets))}
	t.fingerprint = whole.fingerprint(t.pool)
	if files, is := whole.(*scanSource); is {
		t.say("the files of the training table were gone through", "times", files.of.scan.Passes())
	}
	for i, v := range given {
		t.validPrints = append(t.validPrints, v.source.fingerprint(t.pool))
		contents.Sets[1+i].Fingerprint = t.validPrints[i]
	}
	contents.Fingerprint = t.fingerprint
	t.report.BinSeconds = time.Since(start).Seconds()
	out.finish(contents)
	return nil
}

// cutsOf finds the cuts of the training rows.
func (t *trainer) cutsOf(ctx context.Context, train source) (notes []string, err error) {
	var weights []float64
	if t.p.Binning.WeightedCuts {
		weights = t.rows.Weights
	}
	t.cuts, notes, err = t.findCuts(ctx, train, weights)
	if errors.Is(err, binning.ErrParams) {
		return nil, fmt.Errorf("%w: %w", ErrParams, err)
	}
	for _, note := range notes {
		t.say(note)
	}
	return notes, err
}

// code codes all sets.
func (t *trainer) code(ctx context.Context, train source, out *cacheOutput) (err error) {
	if t.matrix, err = t.matrixOf(ctx, train, t.p.trainingLayout(), out); err != nil {
		return err
	}
	if !t.direct() {
		t.matrix = t.matrix.DropLists()
	}
	if err := t.chooseMetrics(); err != nil {
		return err
	}
	for _, v := range t.valid {
		set, err := t.newEvalSet(ctx, v, out)
		if err != nil {
			return fmt.Errorf("set %s: %w", v.name, err)
		}
		t.sets = append(t.sets, set)
	}
	return nil
}

// findCuts returns the cuts of the training rows, or of the base model and these.
func (t *trainer) findCuts(ctx context.Context, train source, weights []float64) (*binning.Cuts, []string, error) {
	if t.from != nil {
		return t.extendCuts(ctx, train)
	}
	return train.fit(ctx, weights, t.p.Binning, t.p.Seed, t.pool)
}

// matrixOf codes a set and lays the codes out.
func (t *trainer) matrixOf(ctx context.Context, s source, layout binning.Params, out *cacheOutput) (*binning.Matrix, error) {
	codes, err := s.code(ctx, t.cuts, t.p.Binning, t.pool)
	if err != nil {
		return nil, err
	}
	out.add(s, codes)
	limit, _ := t.memoryLimit()
	taken := int64(0)
	if t.matrix != nil {
		taken = int64(t.matrix.Bytes())
	}
	for _, set := range t.sets {
		taken += int64(set.matrix.Bytes())
	}
	if limit > 0 {
		codes.Limit(uint64(max(limit-taken, 1)))
	}
	if t.matrix == nil && t.anyBuilder() { // of the training rows: direct sums may pay
		codes.KeepLists()
	}
	m, err := codes.Matrix(ctx, layout, t.pool)
	var memory *binning.MemoryError
	if errors.As(err, &memory) {
		return nil, t.tooDense(memory)
	}
	return m, err
}

// chooseMetrics settles the metrics: those of the parameters, else the objective's
// own, and the caller's after them.
func (t *trainer) chooseMetrics() error {
	objective := t.target.objective
	defaults, err := objectives.DefaultMetrics(objective.Name(), objective.Link())
	if err != nil {
		return fmt.Errorf("%w: objective %s: %w", ErrParams, objective.Name(), err)
	}
	names := t.p.Metrics
	if len(names) == 0 {
		names = defaults
	}
	var list []metrics.Metric
	for _, name := range names {
		m, err := metrics.New(name)
		if err != nil {
			return fmt.Errorf("%w: metrics.names: %w", ErrParams, err)
		}
		if !metrics.Fits(name, string(objective.Link())) {
			return fmt.Errorf("%w: metrics.names: %s is not defined for objective %s (there are %s)",
				ErrParams, name, t.p.Objective, strings.Join(defaults, ", "))
		}
		list = append(list, m)
	}
	t.metrics = append(list, t.metrics...)
	return nil
}

// allocate makes the buffers of the rounds, after checking that they fit the memory limit.
func (t *trainer) allocate() error {
	t.say("bin matrix", "layout", t.matrix.Layout(), "reason", t.matrix.Reason(), "codes", t.matrix.String())
	t.nBeside = t.beside()
	bytes, err := t.memory()
	if err == nil && t.nBeside > 0 && t.within(bytes) != nil { // one lane takes less
		t.nBeside = 0
		bytes, err = t.memory()
	}
	if err == nil && t.inFiles && t.dropMirror(bytes) {
		bytes, err = t.memory()
	}
	if err != nil {
		return err
	}
	if err := t.within(bytes); err != nil {
		return err
	}
	if t.savesBest(bytes) {
		t.saved.kept = make([]float64, t.outputs*t.n)
		bytes.rows += t.bestScoresBytes()
	}
	t.report.PeakBytes = bytes.total()
	plan, err := t.choosePlan()
	if err != nil {
		return err
	}
	t.say("histogram builder", "strategy", plan.name(), "reason", plan.reason, "threads", t.pool.Threads())
	t.report.Builder, t.report.Gradients, t.report.Threads = plan.name(), t.p.Gradients, t.pool.Threads()
	t.report.Objective = t.p.Objective
	var mirror *binning.RowMajor
	var lists *histogram.Lists
	if plan.mirrored {
		mirror = binning.NewPackedRowMajor(t.matrix, t.mirrored(), t.pool)
		lists = t.makeLists(mirror)
	}
	if err := t.baseScore(); err != nil {
		return err
	}
	t.scores = make([]float64, t.outputs*t.n)
	startScores(t.scores, t.initial, t.base)
	t.buffer = gradients.NewBuffer(t.n, t.outputs)
	if t.p.samplesRows() {
		t.sample = gradients.NewBag(t.n)
	}
	if t.p.goss() {
		t.goss = gradients.NewGoss(t.n, t.p.GossTop, t.p.GossOther, t.pool)
	}
	if t.p.mvs() {
		t.mvs = gradients.NewMvs(t.n, t.p.MvsFraction, t.p.MvsLambda, t.pool)
	}
	maxStep := 0.0
	if o, ok := t.target.objective.(objectives.StepLimiter); ok {
		maxStep = o.MaxStep()
	}
	t.makeLanes(grow.Config{
		SparseSums: plan.direct, Matrix: t.matrix, Mirror: mirror, Lists: lists, Features: t.cuts.Features, Strategy: plan.strategy,
		Params: t.p.Tree, LearningRate: t.p.LearningRate, MaxStep: maxStep, Seed: t.p.Seed,
		Renew: t.p.RenewLeaves == renewOn, Verify: t.p.Verify,
	})
	t.task = gradientTask{t}
	t.trees = make([]tree.Tree, 0, (t.baseRounds()+min(t.p.Rounds, 1000))*t.outputs)
	t.stop = newStopper(t.p.EarlyStopping, t.metrics)
	for _, s := range t.sets {
		startScores(s.raw, s.initial, t.base)
	}
	return t.startFromBase()
}

// settleTarget says what the labels mean: what the base model takes them for, or what
// parameters and labels say.
func (t *trainer) settleTarget(table *dataset.Table) (*target, error) {
	if t.from != nil {
		return t.baseTarget()
	}
	return newTarget(&t.p, t.objective, table, columnNames(t.schema), t.say)
}

func fillBase(scores, base []float64) {
	n := len(scores) / len(base)
	for k, b := range base {
		for i := range n {
			scores[k*n+i] = b
		}
	}
}
