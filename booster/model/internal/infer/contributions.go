package infer

import (
	"context"
	"errors"
	"fmt"

	"boost/booster/model/internal/format"
	"boost/dataset"
	"boost/internal/kernel/predict"
	"boost/tree"
	"boost/tree/shapley"
)

// contributor divides the raw scores of rows among the features.
type contributor struct {
	engine  *Engine
	trees   []*shapley.Tree
	regular []uint32  // by feature
	base    []float64 // by output: what a row has of which nothing is known
}

// CheckContributions returns why the model has no Contributions, nil where it has.
func (e *Engine) CheckContributions() error {
	if e.Head.linear != nil {
		return errors.New("what each feature contributes is not defined for linear leaves (tree.linear), whose values no cover weighs: train with constant leaves")
	}
	for t := range e.contents.Trees {
		if e.contents.Trees[t].NoStatistics() {
			return fmt.Errorf("what each feature contributes follows from the covers of nodes: %w", format.ErrNoStatistics)
		}
	}
	return nil
}

// newContributor prepares the first trees.
func (e *Engine) newContributor(trees int) (*contributor, error) {
	if err := e.CheckContributions(); err != nil {
		return nil, err
	}
	c := e.contents
	d := &contributor{engine: e, base: append([]float64(nil), c.BaseScore...), regular: make([]uint32, len(c.Cuts.Features))}
	for f := range d.regular {
		d.regular[f] = c.Cuts.Features[f].Regular
	}
	for t := range c.Trees[:trees] {
		divided := shapley.New(&c.Trees[t])
		d.trees = append(d.trees, divided)
		d.base[t%c.Outputs] += divided.Expected()
	}
	return d, nil
}

// Contributions returns what each feature contributes to the raw scores of the rows of a table, rows × outputs × (features + 1),
// row-major; see model.Contributions.
func (e *Engine) Contributions(ctx context.Context, t *dataset.Table, opts []Option) ([]float64, error) {
	j, err := e.Predictor().newJob(ofLeaves, opts)
	if err != nil {
		return nil, err
	}
	d, err := e.newContributor(j.trees)
	if err != nil {
		return nil, err
	}
	width := len(d.base) * (len(d.regular) + 1)
	out := make([]float64, t.NumRows()*width)
	j.mostRows = contributionRows
	j.visit = func(b *block) { d.divide(b, out[b.first*width:]) }
	return orNil(out, j.run(ctx, t))
}

// contributionRows go together: a row takes about a hundred times as long as its prediction.
const contributionRows = 64

// divide writes the contributions to the rows of a block.
func (d *contributor) divide(b *block, out []float64) {
	var s shapley.Scratch
	var left []bool
	outputs, width := len(d.base), len(d.regular)+1
	for row := range b.rows {
		of := out[row*outputs*width:][:outputs*width]
		for k, base := range d.base {
			of[k*width+width-1] = base
		}
		for t, divided := range d.trees {
			grown := &d.engine.contents.Trees[t]
			left = d.sides(left[:0], grown, b.columns, uint32(row))
			divided.Add(left, &s, of[t%outputs*width:][:width-1])
		}
	}
}

// sides appends for each split node of a tree whether a row goes left there.
func (d *contributor) sides(left []bool, t *tree.Tree, columns []predict.Column, row uint32) []bool {
	for n, f := range t.Feature {
		left = append(left, t.GoesLeft(n, columns[d.engine.place[f]].At(row), d.regular[f]))
	}
	return left
}
