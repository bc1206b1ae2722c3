package configs

import (
	"os"

	"boost/binning"
	"boost/booster"
	"boost/booster/preset"
	"boost/dataset"
)

// ObjectiveOn returns the objective that training on a table will have, which is that of the model that it goes on from, nil for
// none, and why where it follows from the label.
func (c *Config) ObjectiveOn(t *dataset.Table, base *booster.Model) (name, why string, err error) {
	name = c.Params.Objective
	if base != nil {
		name = base.Objective()
	} else if name == "" {
		if name, why, err = booster.InferObjective(t); err != nil {
			return "", "", err
		}
	}
	if name == "binary" && len(t.LabelColumns()) > 1 {
		name, why = "multi_label", "binary is of one label"
	}
	return name, why, nil
}

// ParamsOn returns the parameters that training on a table will have, with the values that Preset, or Effort, has for it. retrain says
// whether training on all rows may follow, and blend whether the mean of several models may be trained.
func (c *Config) ParamsOn(train booster.Data, objective string, retrain, blend bool) (booster.Params, error) {
	t := preset.TableOf(train, objective)
	schema := train.Schema()
	t.Retrain, t.Blend = retrain, blend && c.Budget == 0 && len(schema.RoleNames(dataset.InitScoreRole)) == 0
	if err := c.SettleFor(t); err != nil {
		return c.Params, err
	}
	params := c.Params
	var err error
	params.Binning.ForcedCuts, err = c.forcedCuts(train.Schema())
	return params, err
}

// QuickOn is ParamsOn for the effort that takes the least time.
func (c *Config) QuickOn(train booster.Data) (booster.Params, error) {
	quick := *c
	quick.Effort = preset.Quick
	return quick.ParamsOn(train, "", false, false) // it asks for no objective
}

// forcedCuts returns the cuts that a table of these columns has to have: those of ForcedCutsFile, which it reads, or of Params.
// Errors wrap ErrConfig.
func (c *Config) forcedCuts(s dataset.Schema) (map[string][]float64, error) {
	if c.ForcedCutsFile == "" {
		return c.Params.Binning.ForcedCuts, nil
	}
	f, err := os.Open(c.ForcedCutsFile)
	if err != nil {
		return nil, problemf("binning.forced_cuts_file: %v", err)
	}
	defer f.Close()
	cuts, err := binning.ParseForcedCuts(f, s.RoleNames(dataset.Feature))
	if err != nil {
		return nil, problemf("%s: %v", c.ForcedCutsFile, err)
	}
	return cuts, nil
}
