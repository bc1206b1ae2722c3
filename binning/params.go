package binning

// Params says how columns become codes.
type Params struct {
	MaxBin        int    `key:"binning.max_bin" use:"model"`         // codes of a numeric feature, the missing one too: 2 … 16,777,216
	MinDataInBin  int    `key:"binning.min_data_in_bin" use:"model"` // rows a numeric bin holds at least
	Sample        int    `key:"binning.sample" use:"model"`          // rows that cuts are taken from; 0 = all
	Placement     string `key:"binning.placement" use:"model"`       // "midpoint" or "value"
	Storage       string `key:"binning.storage" use:"run"`           // "adaptive" or "uniform"
	WeightedCuts  bool   `key:"binning.weighted_cuts" use:"model"`   // quantiles of weight, not of rows
	MaxCat        int    `key:"categorical.max_cat" use:"model"`     // levels that get a code of their own
	MinDataPerCat int    `key:"categorical.min_data_per_cat" use:"model"`
}

// Defaults returns the default parameters.
func Defaults() Params {
	return Params{
		MaxBin: 255, MinDataInBin: 1, Sample: 200_000, Placement: "midpoint",
		Storage: "adaptive", MaxCat: 65_000, MinDataPerCat: 1,
	}
}
