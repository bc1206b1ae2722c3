package booster

import (
	"fmt"
	"math"

	"boost/booster/internal/source"
	"boost/dataset"
	"boost/objectives"
	"boost/objectives/metrics"
)

// inputs are the sets of rows of a run.
type inputs struct {
	train   source.Source // the rows that are trained on
	whole   source.Source // the table that these are of
	valid   []validSet    // judged on
	given   []validSet    // of these, the sets that are not held out of whole
	schema  dataset.Schema
	crossed string  // what its crossed columns follow from
	inFiles bool    // the training rows stay in files
	order   []int32 // rows of the given table that whole consists of; nil for all in their order
}

// open checks that a table can be trained on, and brings it to the columns of the base model.
func (r *run) open(train source.Source) (*inputs, error) {
	if r.baseModel != nil {
		var err error
		if train, err = follow(train, r.baseModel, "the base model"); err != nil {
			return nil, err
		}
	}
	switch n := train.MetaColumns().NumRows(); {
	case n == 0:
		return nil, fmt.Errorf("%w: no rows to train on", dataset.ErrTable)
	case n > math.MaxInt32:
		return nil, fmt.Errorf("%w: %d rows; at most %d can be trained on", dataset.ErrTable, n, math.MaxInt32)
	}
	train, order := r.byQuery(train)
	if order == nil {
		order = r.order
	}
	return &inputs{order: order, train: train, whole: train, valid: r.valid, given: r.valid, schema: train.Schema(), inFiles: train.Files() != nil}, nil
}

// byQuery gathers the rows of each query of a table in memory, where the run looks at queries.
func (r *run) byQuery(s source.Source) (source.Source, []int32) {
	t, inMemory := s.(source.InMemory)
	looks := r.p.LooksAtQueries(r.baseModel, len(r.valid))
	if r.custom != nil && r.cache == nil { // the key of a cache does not know it
		looks = looks || objectives.NeedsQueries(r.custom)
	}
	if !inMemory || !looks {
		return s, nil
	}
	gathered, rows := t.ByQuery()
	if rows != nil {
		r.log.Debug("the rows of queries stand apart: they are gathered", "rows", len(rows))
	}
	return gathered, rows
}

// LooksAtQueries reports whether training goes by queries where there are some, with so many validation sets given.
func (p *Params) LooksAtQueries(base *Model, sets int) bool {
	objective := p.Objective
	if base != nil {
		objective = base.Objective()
	}
	info, _ := objectives.Lookup(objective)
	return info.Queries || metrics.NeedQueries(p.Metrics) || p.HoldsOut(sets) || p.RowBy == ByQuery
}
