package booster

import (
	"fmt"
	"math"

	"boost/booster/internal/labels"
	"boost/booster/internal/share"
	"boost/dataset"
	"boost/gradients"
	"boost/internal/comm"
	"boost/objectives"
)

// examples are what is learned from: the target, and of each training row what is known beside its
// features.
type examples struct {
	*target
	objectives.Rows
	n            int            // rows
	seen         int            // rows, with those that are held out and may be trained on later (Params.Retrain)
	answers      dataset.Labels // Labels, and Targets where there are several
	tableWeights []float64      // the table's own, which metrics count by; Weights are those of training
	initial      []float64      // init scores, output-major; nil without
	storing      gradients.Settings
	base         []float64 // by output: what raw scores start from
	pieces       []int     // rows with which the pieces of the gradient pass begin, and n behind them

	whole *examples   // those of all ranks, of which these are some
	ranks *comm.Ranks // where the others are; nil for none
	all   *comm.Ranks // these, or those that have the same rows
}

// examples finds what is to be learned from the training rows, after rows were held out for early
// stopping.
func (r *run) examples(in *inputs) (*examples, error) {
	table := in.train.MetaColumns()
	target, err := r.target(in, table)
	if err != nil {
		return nil, err
	}
	if err := r.refuse(in, target, table.NumRows()); err != nil {
		return nil, err
	}
	answers, err := target.labels(table)
	if err != nil {
		return nil, err
	}
	if target.classes == nil && r.most == 0 { // nor again where all rows are trained on
		labels.Report(answers, table, r.log)
	}
	if info, ok := objectives.Lookup(r.p.Objective); ok && info.Times && table.EventColumn() == nil && table.UpperColumn() == nil {
		r.reportCensored(answers.Columns[0])
	}
	r.usePool(table.NumRows()*featureCount(in.schema)/share.Size(r.holders()), target.outputs)
	seen := table.NumRows()
	if r.rows != nil {
		seen = len(r.rows.Train) + len(r.rows.Valid)
	}
	if r.rows != nil || r.p.HoldsOut(len(in.valid)) {
		if answers, err = r.holdOut(in, target, answers); err != nil {
			return nil, err
		}
		table = in.train.MetaColumns()
	}
	ex, err := newExamples(target, table, answers, &r.p)
	if err != nil {
		return nil, err
	}
	ex.seen = seen
	ex.storing, err = r.chooseGradients(ex.n, target.outputs, in.inFiles)
	return ex, err
}

// reportCensored says which rows of a table without an event column are censored.
func (r *run) reportCensored(times []float64) {
	censored := 0
	for _, t := range times {
		if math.Signbit(t) {
			censored++
		}
	}
	if censored == 0 {
		r.log.Warn("no row is censored: name the column that is 1 where the event came at the row's time and 0 where it did not, data.event = \"…\"")
		return
	}
	r.log.Info("rows with a time below 0 are censored at that time without its sign, because no data.event is given", "rows", censored)
}

// newExamples takes what is known of the rows from a table, and checks it.
func newExamples(target *target, table *dataset.Table, answers dataset.Labels, p *Params) (*examples, error) {
	weights, err := table.Weights()
	if err != nil {
		return nil, err
	}
	initial, err := labels.InitScores(table, p.Objective, target.outputs)
	if err != nil {
		return nil, err
	}
	ex := &examples{
		target: target, Rows: objectives.Rows{Labels: answers.Columns[0], Targets: answers.Several(), Upper: answers.Upper, Weights: weights, Seed: p.Seed}, n: table.NumRows(), answers: answers,
		tableWeights: weights, initial: initial,
	}
	if objectives.NeedsQueries(target.objective) {
		if ex.Queries, err = table.Groups(); err != nil {
			return nil, err
		}
	}
	if err := target.takePositions(ex, table, p); err != nil {
		return nil, err
	}
	if p.weighsClasses() {
		if err := objectives.CheckWeights(ex.Rows); err != nil {
			return nil, labels.AtRow(table, err)
		}
		if ex.Weights, err = labels.Weigh(labels.Weighing{Objective: p.Objective, Classes: target.classes, Positive: p.PositiveWeight, Of: p.ClassWeight}, answers.Columns[0], weights); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrParams, err)
		}
		if err := objectives.CheckWeights(ex.Rows); err != nil {
			return nil, fmt.Errorf("%w: objective.class_weight times the weights of the rows: %w", ErrParams, err)
		}
	}
	if err := labels.Check(table, target.objective, ex.Rows, p.Metrics); err != nil {
		return nil, err
	}
	if o, ok := target.objective.(objectives.OfAllRows); ok {
		ex.Order = o.Order(ex.Rows)
	}
	ex.pieces = objectives.Pieces(target.objective, ex.Rows, gradientBlock)
	ex.whole = ex
	return ex, nil
}

// refuse returns early why a run cannot succeed, nil if it may.
func (r *run) refuse(in *inputs, target *target, rows int) error {
	if r.rows != nil {
		if len(in.valid) > 0 || r.p.ValidShare > 0 || r.p.ValidBy != "" {
			return fmt.Errorf("%w: OnRows says which rows are judged on: leave validation sets, train.valid_share and train.valid_by out", ErrParams)
		}
		if in.order != nil {
			return fmt.Errorf("%w: OnRows: the rows of queries stand apart: give the table that dataset.Table.ByQuery makes", ErrParams)
		}
		if err := r.rows.Check(rows); err != nil {
			return fmt.Errorf("%w: %w", ErrParams, err)
		}
	}
	if r.stopWhen != nil && r.p.EarlyStopping > 0 {
		return fmt.Errorf("%w: StopWhen and train.early_stopping both end training: leave one of them out", ErrParams)
	}
	if len(in.valid) > 0 && (r.p.ValidShare > 0 || r.p.ValidBy != "") {
		return fmt.Errorf("%w: train.valid_share and train.valid_by hold rows out as the validation set, and one is given: leave one of both out", ErrParams)
	}
	if r.p.HoldsOut(len(in.valid)) && r.p.ValidBy == "" {
		rows -= r.p.shareOf(rows) + 1 // they may be held out
	}
	if err := r.memoryLimit().Check(leastMemory(&r.p, rows, target.outputs)); err != nil {
		return err
	}
	if r.p.LevelSplits == TargetSplits && r.ofTimes() {
		return fmt.Errorf("%w: categorical.splits = %q: times of censored rows have no mean: set categorical.splits = %q", ErrParams, TargetSplits, SetSplits)
	}
	if in.inFiles && r.p.Gradients == gradients.F32.String() {
		return errFloatsInFiles(`"f32"`)
	}
	if in.inFiles && r.p.Binning.Sample == 0 && r.baseModel == nil {
		return fmt.Errorf("%w: binning.sample = 0 takes cuts from all rows, and out of core they are not in memory: name a number of rows", ErrParams)
	}
	if err := r.checkConstraints(in.schema, target); err != nil {
		return err
	}
	if featureCount(in.schema) == 0 {
		return fmt.Errorf("%w: no feature columns are left beside the label (columns are %s)", dataset.ErrTable, labels.ColumnNames(in.schema))
	}
	return nil
}

// featureCount returns how many of the schema's columns are features.
func featureCount(s dataset.Schema) int {
	n := 0
	for _, c := range s.Columns {
		if c.Role == dataset.Feature {
			n++
		}
	}
	return n
}

// baseScore returns what a row's raw score starts from where it has no init score: the
// objective's base score, or 0 in training from init scores, or that of the base model.
func (r *run) baseScore(ex *examples) ([]float64, error) {
	if r.baseModel != nil {
		return r.baseModel.Contents().BaseScore, nil
	}
	if ex.initial != nil {
		return make([]float64, ex.outputs), nil
	}
	base, err := ex.objective.BaseScore(ex.Rows)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", dataset.ErrTable, err)
	}
	if len(base) != ex.outputs {
		return nil, fmt.Errorf("%w: objective %s is your own, and has %d base scores for %d outputs", ErrParams, ex.objective.Name(), len(base), ex.outputs)
	}
	return base, nil
}
