package dropout

import "boost/internal/setting"

// Params are the parameters of boosting with dropout (Rashmi & Gilad-Bachrach 2015). The rounds that a
// new round leaves out are those of its own run; the trees of a base model always stay.
type Params struct {
	DropRate  float64 // expected share of the rounds that are dropped
	MaxDrop   int     // rounds that are dropped at most; 0 = any number
	SkipDrop  float64 // chance that a round drops none
	Sample    string  // Weighted or Uniform
	Normalize string  // Paper, Tree or Forest
	OneDrop   bool    // one round is dropped where none was drawn
}

// Values of Params.Sample and Params.Normalize. There, k rounds are dropped, and r is the learning rate.
const (
	Weighted = "weighted" // the chance of a round follows what it counts for by now
	Uniform  = "uniform"

	Paper  = "paper"  // the new round counts r/(k+1), the dropped ones k/(k+1) of what they did
	Tree   = "tree"   // r/(k+r) and k/(k+r)
	Forest = "forest" // r/(1+r) and 1/(1+r)
)

// Defaults returns the parameters that a config file starts from, which are LightGBM's.
func Defaults() Params {
	return Params{DropRate: 0.1, MaxDrop: 50, SkipDrop: 0.5, Sample: Weighted, Normalize: Paper}
}

// Settings describes the parameters.
func Settings(d *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "dart.drop_rate", Value: &d.DropRate, Range: setting.Between(0, 1), OmitDefault: true,
			Doc:     "Share of the rounds before that a round leaves out, expected.",
			Aliases: []string{"rate_drop"}},
		{Name: "dart.max_drop", Value: &d.MaxDrop, NoLimit: true, OmitDefault: true,
			Doc: "Rounds that a round leaves out at most; 0 = no limit."},
		{Name: "dart.skip_drop", Value: &d.SkipDrop, Range: setting.Between(0, 1), OmitDefault: true,
			Doc: "Chance that a round leaves none out."},
		{Name: "dart.sample", Value: &d.Sample, Choices: []string{Weighted, Uniform}, OmitDefault: true,
			Doc:     "Which rounds are left out: \"weighted\", the likelier the more they count for by now; \"uniform\", all alike.",
			Aliases: []string{"sample_type", "uniform_drop"}},
		{Name: "dart.normalize", Value: &d.Normalize, Choices: []string{Paper, Tree, Forest}, OmitDefault: true,
			Doc:     "What the new round and the k that it left out count for, r being the learning rate: \"paper\" r/(k+1) and k/(k+1) of before, \"tree\" r/(k+r) and k/(k+r), \"forest\" r/(1+r) and 1/(1+r).",
			Aliases: []string{"normalize_type", "xgboost_dart_mode"}},
		{Name: "dart.one_drop", Value: &d.OneDrop, OmitDefault: true,
			Doc: "Leave one round out where none was drawn."},
	}
}
