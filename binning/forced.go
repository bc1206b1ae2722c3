package binning

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"boost/dataset"
	"boost/internal/near"
)

// checkForcedCuts returns what is wrong with the cuts of single columns, in the order of
// their names.
func (p *Params) checkForcedCuts() []error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(p.ForcedCuts)) {
		problems = append(problems, p.checkForced(name, p.ForcedCuts[name]))
	}
	return problems
}

func (p *Params) checkForced(name string, cuts []float64) error {
	if most := p.maxBinOf(name) - 1; len(cuts) > most {
		return fmt.Errorf("%w: binning.forced_cuts: column %q has %d cuts, its max_bin = %d allows %d", ErrParams, name, len(cuts), p.maxBinOf(name), most)
	}
	for i, cut := range cuts {
		if math.IsNaN(cut) || math.IsInf(cut, 0) {
			return fmt.Errorf("%w: binning.forced_cuts: column %q: cut %d is %v: want a finite number", ErrParams, name, i+1, cut)
		}
		if i > 0 && cut <= cuts[i-1] {
			return fmt.Errorf("%w: binning.forced_cuts: column %q: %v does not ascend after %v: write every cut once, from the smallest on", ErrParams, name, cut, cuts[i-1])
		}
	}
	return nil
}

// maxBinOf returns how many codes the named numeric column may have.
func (p *Params) maxBinOf(name string) int {
	if own, ok := p.MaxBinByFeature[name]; ok {
		return own
	}
	return p.MaxBin
}

// checkNames says which of the parameters of single columns do not fit the table: an
// absent column wraps dataset.ErrTable, a categorical one ErrParams, and so do more
// forced cuts than there are borders beside the missing code.
func (f *fitter) checkNames() error {
	if len(f.params.ForcedCuts)+len(f.params.MaxBinByFeature) == 0 {
		return nil
	}
	places := make(map[string]int, len(f.columns))
	for i, c := range f.columns {
		places[c.Name()] = i
	}
	for _, key := range []struct {
		name    string
		columns []string
	}{
		{"binning.forced_cuts", slices.Sorted(maps.Keys(f.params.ForcedCuts))},
		{"binning.max_bin_by_feature", slices.Sorted(maps.Keys(f.params.MaxBinByFeature))},
	} {
		for _, name := range key.columns {
			at, ok := places[name]
			if !ok {
				return fmt.Errorf("%w: the table has no feature column %q, which %s names%s", dataset.ErrTable, name, key.name,
					near.Question(near.Words(name, slices.Sorted(maps.Keys(places)))))
			}
			if !f.columns[at].Kind().Numeric() {
				return fmt.Errorf("%w: %s names column %q, which is categorical: only numbers have cuts", ErrParams, key.name, name)
			}
			if most := f.bins(at) - 1; len(f.params.ForcedCuts[name]) > most {
				return fmt.Errorf("%w: binning.forced_cuts: column %q has %d cuts, its max_bin = %d allows %d beside the code of its missing values",
					ErrParams, name, len(f.params.ForcedCuts[name]), f.params.maxBinOf(name), most)
			}
		}
	}
	return nil
}

// forcedAs32 rounds cuts down to float32, which leaves x ≤ cut the same for every
// float32 x. Of cuts that become equal one is left.
func forcedAs32(cuts []float64) []float32 {
	result := make([]float32, 0, len(cuts))
	for _, cut := range cuts {
		down := float32(cut)
		if float64(down) > cut {
			down = math.Nextafter32(down, float32(math.Inf(-1)))
		}
		if down == 0 {
			down = 0 // no −0
		}
		if n := len(result); n == 0 || result[n-1] < down {
			result = append(result, down)
		}
	}
	return result
}

// forcedAs64 returns cuts without −0.
func forcedAs64(cuts []float64) []float64 {
	result := slices.Clone(cuts)
	for i := range result {
		if result[i] == 0 {
			result[i] = 0
		}
	}
	return result
}

// ParseForcedCuts reads forced cuts in the form of LightGBM's forcedbins files, a JSON
// list of {"feature": index, "bin_upper_bound": [numbers]}, for Params.ForcedCuts.
// features holds the names that the indices, from 0, stand for. As in LightGBM the
// bounds may stand in any order and more than once. Whatever else is wrong is an
// ErrParams.
func ParseForcedCuts(r io.Reader, features []string) (map[string][]float64, error) {
	var list []struct {
		Feature *int      `json:"feature"`
		Bounds  []float64 `json:"bin_upper_bound"`
	}
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf(`%w: forced cuts: %v (want a list of {"feature": index, "bin_upper_bound": [numbers]})`, ErrParams, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: forced cuts: something follows the list", ErrParams)
	}
	forced := make(map[string][]float64, len(list))
	for i, entry := range list {
		if entry.Feature == nil || *entry.Feature < 0 || *entry.Feature >= len(features) {
			return nil, fmt.Errorf(`%w: forced cuts: entry %d needs a "feature" of 0 to %d, the index of one of the table's features`, ErrParams, i+1, len(features)-1)
		}
		name := features[*entry.Feature]
		if _, twice := forced[name]; twice {
			return nil, fmt.Errorf("%w: forced cuts: feature %d (%q) stands there twice", ErrParams, *entry.Feature, name)
		}
		slices.Sort(entry.Bounds)
		forced[name] = slices.Compact(entry.Bounds)
	}
	return forced, nil
}
