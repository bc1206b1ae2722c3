package binning

import (
	"context"
	"fmt"
	"math"
	"strings"

	"boost/binning/internal/borders"
	"boost/binning/internal/rowsample"
	"boost/dataset"
	"boost/internal/kernel/bin"
	"boost/parallel"
)

// Population is what FitSampled must know of all rows where it sees a sample of them only.
type Population struct {
	Rows    int
	Missing []int   // per feature: rows without a value
	Counts  [][]int // per categorical feature: rows per dictionary index; nil for numeric ones
	// Stored says of a table with sparse columns, for each feature, how many cells are about
	// to be stored, -1 for one that is dense; Fill is the value of those that are not. Nil
	// where no column is sparse. Chunked alone uses them.
	Stored []int
	Fill   float64
}

// Fit finds the cuts of the table's numeric features and ranks the levels of its
// categorical ones. The cuts depend on the table, weights, parameters and seed only,
// never on the pool.
//
// weights has one finite, non-negative entry per row, or is nil; it counts only under
// Params.WeightedCuts. The notes say, once each, what a person may not expect:
// features that cannot be split, levels that share a code. Errors are those of
// Params.Validate, of bad weights, of parameters that name columns which the table
// does not have, and of ctx.
func Fit(ctx context.Context, t *dataset.Table, weights []float64, p Params, seed uint64, pool *parallel.Pool) (*Cuts, []string, error) {
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	rows := t.NumRows()
	if err := checkRows(rows); err != nil {
		return nil, nil, err
	}
	sample, err := rowsample.Rows(ctx, rows, p.Sample, seed, pool)
	if err != nil {
		return nil, nil, err
	}
	f := &fitter{params: p, columns: t.Features(), population: populationOf(t), sample: sample}
	if p.WeightedCuts && weights != nil {
		if err := checkWeights(weights, rows); err != nil {
			return nil, nil, err
		}
		if sample != nil {
			sampled := make([]float64, len(sample))
			bin.Gather(sampled, weights, sample)
			weights = sampled
		}
		f.weights = wholeWeights(weights)
	}
	return f.fit(ctx, rows, pool)
}

// populationOf describes a table that holds all rows, without Counts: the workers count levels later.
func populationOf(t *dataset.Table) Population {
	features := t.Features()
	pop := Population{Rows: t.NumRows(), Missing: make([]int, len(features))}
	for f, column := range features {
		pop.Missing[f] = column.Missing()
	}
	return pop
}

// FitSampled is Fit for a table that holds only the sampled rows of a population,
// ascending: its cuts and notes are those of Fit for all rows. The columns have the
// kinds and the dictionaries of the population's. weights has one entry per row of
// the sample, or is nil. A population that does not describe the table is an
// ErrMismatch.
func FitSampled(ctx context.Context, sample *dataset.Table, pop Population, weights []float64, p Params, pool *parallel.Pool) (*Cuts, []string, error) {
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	if err := checkRows(pop.Rows); err != nil {
		return nil, nil, err
	}
	f := &fitter{params: p, columns: sample.Features(), population: pop}
	if err := pop.check(sample); err != nil {
		return nil, nil, err
	}
	if p.WeightedCuts && weights != nil {
		if err := checkWeights(weights, sample.NumRows()); err != nil {
			return nil, nil, err
		}
		f.weights = wholeWeights(weights)
	}
	return f.fit(ctx, sample.NumRows(), pool)
}

// check reports whether the population can be that of the sample.
func (pop *Population) check(sample *dataset.Table) error {
	features := sample.Features()
	if len(pop.Missing) != len(features) || len(pop.Counts) != len(features) || pop.Rows < sample.NumRows() {
		return fmt.Errorf("%w: a sample of %d rows and %d features, of a population of %d rows with %d numbers of missing values and %d of levels",
			ErrMismatch, sample.NumRows(), len(features), pop.Rows, len(pop.Missing), len(pop.Counts))
	}
	for f, column := range features {
		levels := -1
		if column.Kind() == dataset.Category {
			levels = len(column.Levels())
		}
		if counts := pop.Counts[f]; levels >= 0 && len(counts) != levels || levels < 0 && counts != nil {
			return fmt.Errorf("%w: column %q is of kind %s with %d levels, the population counts %d", ErrMismatch, column.Name(), column.Kind(), max(levels, 0), len(counts))
		}
		if pop.Missing[f] < column.Missing() || pop.Missing[f] > pop.Rows {
			return fmt.Errorf("%w: column %q lacks %d values in the sample, %d in the population of %d rows", ErrMismatch, column.Name(), column.Missing(), pop.Missing[f], pop.Rows)
		}
	}
	return nil
}

func checkRows(rows int) error {
	if uint64(rows) > maxRows {
		return fmt.Errorf("%w: the table has %d rows, at most %d can be numbered", ErrSize, rows, uint32(maxRows))
	}
	return nil
}

// fitter is the Task that fits one feature per index.
type fitter struct {
	params     Params
	columns    []*dataset.Column
	population Population
	sample     []uint32 // rows of the columns that cuts are taken from, nil for all
	sampled    int      // their number
	weights    []uint64 // of these rows, nil for equal ones
	chosen     []uint64 // sparse columns: bit row is set if the sample holds the row
	weightOf   []uint64 // sparse columns: weights by row of the columns, nil for equal ones
	weight     uint64   // sparse columns: sum of the weights
	features   []Feature
	fitted     []*fitted    // nil for a feature without cuts and note
	scratch    []fitScratch // per worker
}

// fitted is what Fit finds out about one feature beside its description.
type fitted struct {
	cuts32 []float32
	cuts64 []float64
	note   string
}

// fit fits every feature of a table of rows rows.
func (f *fitter) fit(ctx context.Context, rows int, pool *parallel.Pool) (*Cuts, []string, error) {
	f.sampled = rows
	if f.sample != nil {
		f.sampled = len(f.sample)
	}
	if err := f.checkNames(); err != nil {
		return nil, nil, err
	}
	f.features, f.fitted, f.scratch = make([]Feature, len(f.columns)), make([]*fitted, len(f.columns)), make([]fitScratch, pool.Threads())
	f.prepareSparse(rows)
	if err := pool.DoContext(ctx, len(f.columns), f); err != nil {
		return nil, nil, err
	}
	return joinCuts(f.features, f.fitted)
}

// KindOfColumn is the kind of feature that a column of a kind is.
var KindOfColumn = map[dataset.Kind]FeatureKind{
	dataset.Float32:  Numeric32,
	dataset.Float64:  Numeric64,
	dataset.Category: Categorical,
}

// Run fits the feature of the given index.
func (f *fitter) Run(worker, index int) {
	column, s := f.columns[index], &f.scratch[worker]
	var result fitted
	feature := &f.features[index]
	*feature = Feature{Name: column.Name(), Kind: KindOfColumn[column.Kind()], HasMissing: f.population.Missing[index] > 0}
	switch column.Kind() {
	case dataset.Float32:
		result.cuts32 = fitCuts(f, s, f.runs32(s, column), f.bins(index), forcedAs32(f.params.ForcedCuts[column.Name()]), value32, midpoint32)
		feature.Regular = uint32(len(result.cuts32)) + 1
	case dataset.Float64:
		result.cuts64 = fitCuts(f, s, f.runs64(s, column), f.bins(index), forcedAs64(f.params.ForcedCuts[column.Name()]), value64, midpoint64)
		feature.Regular = uint32(len(result.cuts64)) + 1
	case dataset.Category:
		var counts []int
		if f.population.Counts != nil {
			counts = f.population.Counts[index]
		} else {
			counts = countLevels(column.Codes(), len(column.Levels()))
		}
		ranking := rankLevels(counts, column.Levels(), column.NumericLevels(), f.params)
		feature.Codes, feature.Regular = ranking.codes, ranking.regular
		result.note = ranking.note(column.Name(), f.params)
	default:
		panic(fmt.Sprintf("binning: column %q is a feature of kind %d", column.Name(), column.Kind()))
	}
	if len(result.cuts32)+len(result.cuts64) > 0 || result.note != "" {
		f.fitted[index] = &result
	}
}

func (f *fitter) runs32(s *fitScratch, c *dataset.Column) borders.Runs[uint32] {
	if cells := c.Sparse(); cells != nil {
		return sparseRuns(f, s, &s.keys32, bin.Bits32(cells.F32), cells)
	}
	return denseRuns(f, s, &s.keys32, bin.Bits32(c.Float32s()))
}

func (f *fitter) runs64(s *fitScratch, c *dataset.Column) borders.Runs[uint64] {
	if cells := c.Sparse(); cells != nil {
		return sparseRuns(f, s, &s.keys64, bin.Bits64(cells.F64), cells)
	}
	return denseRuns(f, s, &s.keys64, bin.Bits64(c.Float64s()))
}

// joinCuts concatenates the features' cuts and collects their notes.
func joinCuts(features []Feature, found []*fitted) (*Cuts, []string, error) {
	c := &Cuts{
		Features: features,
		Ptrs:     make([]uint32, len(features)+1),
		Ptrs64:   make([]uint32, len(features)+1),
	}
	var notes, unsplittable []string
	count := 0
	for i := range features {
		f := found[i]
		if f == nil {
			f = new(fitted)
		}
		if err := checkCutCount(uint64(len(c.Values))+uint64(len(f.cuts32)), uint64(len(c.Values64))+uint64(len(f.cuts64))); err != nil {
			return nil, nil, err
		}
		c.Values = append(c.Values, f.cuts32...)
		c.Values64 = append(c.Values64, f.cuts64...)
		c.Ptrs[i+1], c.Ptrs64[i+1] = uint32(len(c.Values)), uint32(len(c.Values64))
		if f.note != "" {
			notes = append(notes, f.note)
		}
		if features[i].NCodes() == 1 {
			if count++; count <= shownNames {
				unsplittable = append(unsplittable, features[i].Name)
			}
		}
	}
	if note := unsplittableNote(unsplittable, count); note != "" {
		notes = append(notes, note)
	}
	return c, notes, nil
}

func checkCutCount(cuts32, cuts64 uint64) error {
	if max(cuts32, cuts64) > maxCuts {
		return fmt.Errorf("%w: more than %d cuts (lower binning.max_bin)", ErrSize, maxCuts)
	}
	return nil
}

// maxCuts is what Ptrs and Ptrs64 can number; tests lower it.
var maxCuts uint64 = math.MaxUint32

// shownNames is how many features with a single bin a note names.
const shownNames = 5

// unsplittableNote names the first few of so many features with a single bin.
func unsplittableNote(names []string, count int) string {
	if count == 0 {
		return ""
	}
	quoted := make([]string, len(names))
	for i := range quoted {
		quoted[i] = fmt.Sprintf("%q", names[i])
	}
	list := strings.Join(quoted, ", ")
	if more := count - len(quoted); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	if count == 1 {
		return fmt.Sprintf("column %s has a single bin and is never split", list)
	}
	return fmt.Sprintf("%d columns have a single bin and are never split: %s", count, list)
}
