package binning

import (
	"context"
	"fmt"
	"math"
	"strings"

	"boost/dataset"
	"boost/internal/kernel/bin"
	"boost/parallel"
)

// Fit finds the cuts of the table's numeric features and ranks the levels of its
// categorical ones. The cuts depend on the table, weights, parameters and seed only,
// never on the pool.
//
// weights has one finite, non-negative entry per row, or is nil; it counts only under
// Params.WeightedCuts. The notes say, once each, what a person may not expect:
// features that cannot be split, levels that share a code. Errors are those of
// Params.Validate, of bad weights and of ctx.
func Fit(ctx context.Context, t *dataset.Table, weights []float64, p Params, seed uint64, pool *parallel.Pool) (*Cuts, []string, error) {
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	rows := t.NumRows()
	if err := checkRows(rows); err != nil {
		return nil, nil, err
	}
	sample, err := sampleRows(ctx, rows, p.Sample, seed, pool)
	if err != nil {
		return nil, nil, err
	}
	f := &fitter{params: p, columns: t.Features(), rows: rows, sample: sample, scratch: make([]fitScratch, pool.Threads())}
	if p.WeightedCuts && weights != nil {
		if f.weights, err = sampleWeights(weights, rows, sample); err != nil {
			return nil, nil, err
		}
	}
	f.fitted = make([]fitted, len(f.columns))
	if err := pool.DoContext(ctx, len(f.columns), f); err != nil {
		return nil, nil, err
	}
	return joinCuts(f.fitted)
}

func checkRows(rows int) error {
	if uint64(rows) > maxRows {
		return fmt.Errorf("%w: the table has %d rows, at most %d can be numbered", ErrSize, rows, uint32(maxRows))
	}
	return nil
}

func sampleWeights(weights []float64, rows int, sample []uint32) ([]uint64, error) {
	if len(weights) != rows {
		return nil, fmt.Errorf("%d weights for %d rows", len(weights), rows)
	}
	whole, err := wholeWeights(weights)
	if err != nil || sample == nil {
		return whole, err
	}
	sampled := make([]uint64, len(sample))
	bin.Gather(sampled, whole, sample)
	return sampled, nil
}

// fitter is the Task that fits one feature per index.
type fitter struct {
	params  Params
	columns []*dataset.Column
	rows    int
	sample  []uint32 // rows that cuts are taken from, nil for all
	weights []uint64 // of these rows, nil for equal ones
	fitted  []fitted
	scratch []fitScratch // per worker
}

// fitted is what Fit finds out about one feature.
type fitted struct {
	feature Feature
	cuts32  []float32
	cuts64  []float64
	note    string
}

// fitScratch holds what sorting a column needs, reused from column to column.
type fitScratch struct {
	keys32  [2][]uint32
	keys64  [2][]uint64
	loads   [2][]uint64
	borders []int
}

// Run fits the feature of the given index.
func (f *fitter) Run(worker, index int) {
	column, s := f.columns[index], &f.scratch[worker]
	result := fitted{feature: Feature{Name: column.Name(), HasMissing: column.Missing() > 0}}
	switch column.Kind() {
	case dataset.Float32:
		result.feature.Kind = Numeric32
		keys := fitNumeric(f, s, &s.keys32, bin.Bits32(column.Float32s()), result.feature.HasMissing)
		result.cuts32 = place(s.borders, keys, value32, f.params.Placement, midpoint32)
		result.feature.Regular = uint32(len(result.cuts32)) + 1
	case dataset.Float64:
		result.feature.Kind = Numeric64
		keys := fitNumeric(f, s, &s.keys64, bin.Bits64(column.Float64s()), result.feature.HasMissing)
		result.cuts64 = place(s.borders, keys, value64, f.params.Placement, midpoint64)
		result.feature.Regular = uint32(len(result.cuts64)) + 1
	case dataset.Category:
		ranking := rankLevels(column.Codes(), len(column.Levels()), f.params)
		result.feature.Kind = Categorical
		result.feature.Codes, result.feature.Regular = ranking.codes, ranking.regular
		result.note = ranking.note(column.Name(), f.params)
	default:
		panic(fmt.Sprintf("binning: column %q is a feature of kind %d", column.Name(), column.Kind()))
	}
	f.fitted[index] = result
}

// fitNumeric leaves the borders of a column in the scratch and returns the sorted
// keys that they refer to.
func fitNumeric[K bin.Key](f *fitter, s *fitScratch, buffers *[2][]K, values []K, hasMissing bool) []K {
	n := len(values)
	if f.sample != nil {
		n = len(f.sample)
	}
	if len(buffers[0]) < n {
		buffers[0], buffers[1] = make([]K, n), make([]K, n)
	}
	keys := buffers[0][:n]
	if f.sample != nil {
		bin.Gather(keys, values, f.sample)
	} else {
		copy(keys, values)
	}
	bins := f.params.MaxBin
	if hasMissing {
		bins--
	}
	if f.weights == nil {
		keys = bin.Sort(bin.FromBits(keys), buffers[1])
		s.borders = quantileBorders(s.borders[:0], keys, bins)
	} else {
		if len(s.loads[0]) < n {
			s.loads[0], s.loads[1] = make([]uint64, n), make([]uint64, n)
		}
		loads := s.loads[0][:n]
		copy(loads, f.weights)
		keys, loads = bin.FromBitsWith(keys, loads)
		keys, loads = bin.SortWith(keys, buffers[1], loads, s.loads[1])
		s.borders = weightedBorders(s.borders[:0], keys, loads, bins)
	}
	s.borders = enforceMinimum(s.borders, len(keys), f.leastSampled(n))
	return keys
}

// leastSampled returns how many of the sampled rows stand for MinDataInBin rows.
func (f *fitter) leastSampled(sampled int) int {
	if sampled == f.rows {
		return f.params.MinDataInBin
	}
	return int((uint64(f.params.MinDataInBin)*uint64(sampled) + uint64(f.rows) - 1) / uint64(f.rows))
}

func value32(key uint32) float32 { return math.Float32frombits(bin.ToBits(key)) }
func value64(key uint64) float64 { return math.Float64frombits(bin.ToBits(key)) }

// place turns borders into cuts.
func place[K bin.Key, V bin.Float](borders []int, keys []K, value func(K) V, placement string, midpoint func(lower, upper V) V) []V {
	cuts := make([]V, len(borders))
	for i, border := range borders {
		cuts[i] = value(keys[border])
		if placement == Midpoint {
			cuts[i] = midpoint(cuts[i], value(keys[border+1]))
		}
	}
	return cuts
}

// joinCuts concatenates the features' cuts and collects their notes.
func joinCuts(features []fitted) (*Cuts, []string, error) {
	c := &Cuts{
		Features: make([]Feature, len(features)),
		Ptrs:     make([]uint32, len(features)+1),
		Ptrs64:   make([]uint32, len(features)+1),
	}
	var notes, unsplittable []string
	for i := range features {
		f := &features[i]
		if err := checkCutCount(uint64(len(c.Values))+uint64(len(f.cuts32)), uint64(len(c.Values64))+uint64(len(f.cuts64))); err != nil {
			return nil, nil, err
		}
		c.Features[i] = f.feature
		c.Values = append(c.Values, f.cuts32...)
		c.Values64 = append(c.Values64, f.cuts64...)
		c.Ptrs[i+1], c.Ptrs64[i+1] = uint32(len(c.Values)), uint32(len(c.Values64))
		if f.note != "" {
			notes = append(notes, f.note)
		}
		if f.feature.NCodes() == 1 {
			unsplittable = append(unsplittable, f.feature.Name)
		}
	}
	if note := unsplittableNote(unsplittable); note != "" {
		notes = append(notes, note)
	}
	return c, notes, nil
}

func checkCutCount(cuts32, cuts64 uint64) error {
	if max(cuts32, cuts64) > math.MaxUint32 {
		return fmt.Errorf("%w: more than %d cuts (lower binning.max_bin)", ErrSize, uint32(math.MaxUint32))
	}
	return nil
}

// unsplittableNote names the first few features with a single bin.
func unsplittableNote(names []string) string {
	const shown = 5
	if len(names) == 0 {
		return ""
	}
	quoted := make([]string, min(len(names), shown))
	for i := range quoted {
		quoted[i] = fmt.Sprintf("%q", names[i])
	}
	list := strings.Join(quoted, ", ")
	if more := len(names) - len(quoted); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	if len(names) == 1 {
		return fmt.Sprintf("column %s has a single bin and is never split", list)
	}
	return fmt.Sprintf("%d columns have a single bin and are never split: %s", len(names), list)
}
