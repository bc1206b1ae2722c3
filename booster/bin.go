package booster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"boost/binning"
	"boost/booster/cache"
	"boost/booster/internal/levels"
	"boost/booster/internal/share"
	"boost/booster/internal/source"
	"boost/dataset"
)

// binned is what binning makes of the inputs.
type binned struct {
	schema      dataset.Schema
	found       *binning.Cuts   // what tables are coded with
	coding      *levels.Coding  // of levels that are put in order after that; nil for none
	cuts        *binning.Cuts   // of the model
	wholeCuts   bool            // they are those of rows that OnRows leaves out, too
	part        share.Part      // the training rows that this rank has
	matrix      *binning.Matrix // of these
	floats      [][]float32     // of the training rows, by feature; nil where no leaves are linear
	sets        []*evalSet
	fingerprint string // of the training table
	validPrints []string
}

// bin finds cuts on the training rows and codes all sets. What is not held out of the training table
// gets a fingerprint.
func (r *run) bin(ctx context.Context, in *inputs, ex *examples) (*binned, error) {
	start := time.Now()
	data := &binned{schema: in.schema}
	var notes []string
	var err error
	if data.found, notes, err = r.findCuts(ctx, in.train, ex); err != nil {
		return nil, err
	}
	data.cuts = data.found
	out := r.cache.Create(r.log)
	if err := r.code(ctx, in, ex, data, out); err != nil {
		out.Discard()
		return nil, err
	}
	data.fingerprint = in.whole.Fingerprint(r.pool)
	if files := in.whole.Files(); files != nil {
		r.log.Debug("the files of the training table were read", "times", files.Passes())
	}
	sets := make([]cache.Set, 1+len(data.sets))
	for i, v := range in.given {
		data.validPrints = append(data.validPrints, v.source.Fingerprint(r.pool))
		sets[1+i].Fingerprint = data.validPrints[i]
	}
	r.report.BinSeconds += time.Since(start).Seconds()
	out.Finish(&cache.Contents{Schema: in.schema, Cuts: data.found, Notes: notes, Crossed: in.crossed, Fingerprint: data.fingerprint, Others: in.whole.MetaColumns(), Sets: sets})
	r.log.Debug("bin matrix", "layout", data.matrix.Layout(), "reason", data.matrix.Reason(), "codes", data.matrix.String())
	return data, nil
}

// findCuts returns the cuts of the training rows, or those of the base model with the levels that the
// rows add.
func (r *run) findCuts(ctx context.Context, train source.Source, ex *examples) (cuts *binning.Cuts, notes []string, err error) {
	var weights []float64
	if r.p.Binning.WeightedCuts {
		weights = ex.tableWeights
	}
	if r.baseModel != nil {
		cuts, notes, err = r.extendCuts(ctx, train)
	} else {
		cuts, notes, err = train.Fit(ctx, weights, r.p.Binning, r.p.Seed, r.pool)
	}
	if errors.Is(err, binning.ErrParams) || errors.Is(err, source.ErrOtherCuts) {
		return nil, nil, fmt.Errorf("%w: %w", ErrParams, err)
	}
	for _, note := range notes {
		r.log.Info(note)
	}
	return cuts, notes, err
}

// code codes all sets.
func (r *run) code(ctx context.Context, in *inputs, ex *examples, data *binned, out *cache.Output) error {
	codes, err := r.codesOf(ctx, in.train, data, out)
	if err != nil {
		return err
	}
	_, once := in.train.(*source.Binned)
	data.wholeCuts = once && r.rows != nil
	if data.part, err = share.Of(r.holders(), in.train, ex.n, ex.Queries); err != nil {
		return err
	}
	_, _, own := source.OwnOf(in.train)
	if codes, err = r.orderLevels(ctx, codes, own, ex, data); err != nil {
		return err
	}
	codes = data.part.Codes(codes)
	if r.p.anyBuilder() { // sparse sums may pay
		codes.KeepLists()
	}
	if data.matrix, err = r.layOut(ctx, codes, r.p.trainingLayout()); err != nil {
		return err
	}
	if !r.p.preferSparse(data.matrix) {
		data.matrix = data.matrix.DropLists()
	}
	if data.floats, err = r.floats(in.train); err != nil {
		return err
	}
	for _, v := range in.valid {
		set, err := r.newEvalSet(ctx, v, ex, data, out)
		if err != nil {
			return fmt.Errorf("set %s: %w", v.name, err)
		}
		data.sets = append(data.sets, set)
	}
	return nil
}

// codesOf codes a set. Its matrix may take the memory that the sets before leave.
func (r *run) codesOf(ctx context.Context, s source.Source, data *binned, out *cache.Output) (*binning.Codes, error) {
	codes, err := s.Code(ctx, data.found, r.p.Binning, r.pool)
	if err != nil {
		return nil, err
	}
	out.Add(source.Coded(s, codes))
	taken := int64(0)
	if data.matrix != nil {
		taken = int64(data.matrix.Bytes())
	}
	for _, set := range data.sets {
		taken += int64(set.matrix.Bytes())
	}
	if limit := r.memoryLimit(); limit.Bytes > 0 {
		codes.Limit(uint64(max(limit.Left(taken), 1)))
	}
	return codes, nil
}

// layOut makes the matrix of a set.
func (r *run) layOut(ctx context.Context, codes *binning.Codes, layout binning.Params) (*binning.Matrix, error) {
	m, err := codes.Matrix(ctx, layout, r.pool)
	if memory, ok := errors.AsType[*binning.MemoryError](err); ok {
		return nil, r.tooDense(memory)
	}
	return m, err
}
