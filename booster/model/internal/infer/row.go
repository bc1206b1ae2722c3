package infer

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"boost/binning"
	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/tree"
)

// PredictValues writes the predictions for one row to out, one per output. values are those of the schema's
// feature columns, in order: numbers, or for a category the index of its level in the column's Levels, or
// behind them that of a level known without a name; NaN is missing. Init scores are 0. It panics where
// values or out have another length than the model has features or outputs.
func (e *Engine) PredictValues(values, out []float64) {
	e.PredictValuesRaw(values, out)
	e.mapping.Apply(len(out), out, out, 0, 1, 1)
}

// PredictValuesRaw is PredictValues for the raw scores, before the link.
func (e *Engine) PredictValuesRaw(values, out []float64) {
	if len(values) != len(e.contents.Cuts.Features) || len(out) != e.contents.Outputs {
		panic(fmt.Sprintf("model: a row of %d values and %d outputs for a model of %d features and %d outputs",
			len(values), len(out), len(e.contents.Cuts.Features), e.contents.Outputs))
	}
	r := e.rows.Load()
	if r == nil {
		e.rowsReady.Do(func() { e.rows.Store(e.newRows()) })
		r = e.rows.Load()
	}
	if len(out) == 1 {
		// A call of copy takes longer.
		out[0] = e.contents.BaseScore[0]
	} else {
		copy(out, e.contents.BaseScore)
	}
	r.add(e, values, out, r.set)
}

// rows is how single rows are predicted: tree by tree, or where model and machine allow it in
// vectors of an instruction set. All give the same bits.
type rows struct {
	vectors  *predict.Row // nil where the model or the machine does not allow them
	set      cpu.Level    // of the vectors; cpu.Generic is tree by tree
	features []rowFeature // the used ones
	codes    sync.Pool    // of *[]uint32, one per used feature
}

// add adds the leaves that the row reaches, in vectors of a set.
func (r *rows) add(e *Engine, values, out []float64, set cpu.Level) {
	if set == cpu.Generic {
		r.walk(e.trees, e.linear, values, out)
		return
	}
	r.vectors.Add(set, values, out)
}

// rowFeature turns a value into a code.
type rowFeature struct {
	index   int       // among the values
	cuts    []float64 // numeric
	levels  []uint32  // categorical: codes by level, and of levels without a name
	isLevel bool
	missing uint32
}

func (e *Engine) newRows() *rows {
	r := &rows{}
	var kernel []predict.RowFeature
	for _, f := range e.used {
		feature := e.rowFeature(f)
		r.features = append(r.features, feature)
		kernel = append(kernel, predict.RowFeature{Index: int32(f), Cuts: feature.cuts})
	}
	r.codes.New = func() any { return new(make([]uint32, len(e.used))) }
	hasLevels := slices.ContainsFunc(r.features, func(f rowFeature) bool { return f.isLevel }) // which vectors would compare with cuts
	if e.set == cpu.Generic || e.linear != nil || hasLevels {
		return r
	}
	var ok bool
	if r.vectors, ok = predict.NewRow(kernel, e.trees, e.contents.Outputs); ok {
		r.set = e.set
	}
	return r
}

func (h *Head) rowFeature(f int) rowFeature {
	c := h.contents.Cuts
	feature := rowFeature{index: f, missing: c.Features[f].MissingCode()}
	if c.Features[f].Kind == binning.Categorical {
		feature.isLevel, feature.levels = true, c.Features[f].Codes
		if len(c.Features[f].NameHashes) > 0 {
			feature.levels = append(slices.Clone(feature.levels), c.Features[f].Regular-1)
		}
		return feature
	}
	feature.cuts = slices.Clone(c.Of64(f))
	for _, cut := range c.Of32(f) {
		feature.cuts = append(feature.cuts, float64(cut))
	}
	return feature
}

// walk adds the leaves that the row reaches tree by tree.
func (r *rows) walk(trees []predict.Tree, linear []*tree.Tree, values, out []float64) {
	codes := r.codes.Get().(*[]uint32)
	defer r.codes.Put(codes)
	for i := range r.features {
		(*codes)[i] = r.features[i].code(values[r.features[i].index])
	}
	k := 0
	for t := range trees {
		leaf := trees[t].Walk(*codes)
		if of := linearAt(linear, t); of != nil {
			out[k] += of.LinearValue(int(leaf), values)
		} else {
			out[k] += trees[t].Leaf[leaf]
		}
		if k++; k == len(out) {
			k = 0
		}
	}
}

func (f *rowFeature) code(x float64) uint32 {
	if f.isLevel {
		if x >= 0 && x < float64(len(f.levels)) && x == math.Trunc(x) && f.levels[int(x)] != binning.NoCode {
			return f.levels[int(x)]
		}
		return f.missing
	}
	if math.IsNaN(x) {
		return f.missing
	}
	code, _ := slices.BinarySearch(f.cuts, x)
	return uint32(code)
}
