package booster

import (
	"context"
	"slices"

	"boost/binning"
	"boost/booster/internal/levels"
	"boost/internal/setting"
	"boost/objectives"
	"boost/tree"
)

// Values of Params.LevelSplits.
const (
	SetSplits    = "sets"   // splits by sets of levels
	TargetSplits = "target" // splits by an order of levels, that of their mean target
	AutoSplits   = "auto"   // TargetSplits for features of more than manyLevels levels
)

// manyLevels is the number of levels up to which AutoSplits keeps sets. Beside sets the loss was, with the order for features of more
// than 15, 80 and 200 levels: nycflights 0.998, 0.928, 0.989; titanic .953, .953, .953; taxis .989, .989, 1; diabetes_readmit .989, .988, .988;
// insteval .996 at all three; pg15_tweedie .995; loans .994, 1, 1; msha_injuries 1.034, 1, 1; ames_housing 1.010, 1, 1; adult 1.
const manyLevels = 80

func levelSettings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "categorical.splits", Value: &p.LevelSplits, Choices: []string{SetSplits, TargetSplits, AutoSplits}, OmitDefault: true,
			Doc: "How levels are split: \"sets\", by sets of levels that are found anew at each node; \"target\", by an order of the levels, that of their mean label (share of a class; with several classes of the most frequent one), where rows in training do not count themselves; \"auto\", \"target\" for columns of more than 80 levels, with combinations."},
	}
}

// orderLevels puts the levels of the features that ask for it in order, and returns the codes of the training rows.
func (r *run) orderLevels(ctx context.Context, codes *binning.Codes, ex *examples, data *binned) (*binning.Codes, error) {
	if r.p.LevelSplits == SetSplits || r.baseModel != nil || r.ofTimes() {
		return codes, nil
	}
	var features []levels.Feature
	crossed := data.schema.CrossedFeatures()
	for f := range data.cuts.Features {
		if feature := &data.cuts.Features[f]; feature.Kind == binning.Categorical && feature.Regular > 1 && (r.p.LevelSplits == TargetSplits || feature.Regular > manyLevels || crossed[f] > 0) {
			features = append(features, levels.Feature{Index: f, ByCount: crossed[f] == 1})
		}
	}
	if len(features) == 0 {
		return codes, nil
	}
	ordered, coding, err := levels.Order(ctx, codes, data.cuts, features, ex.levelTarget(), ex.tableWeights, r.p.Binning, r.p.Seed, r.pool)
	if err != nil {
		return nil, err
	}
	data.cuts, data.coding = coding.Cuts, coding
	r.log.Debug("levels are in the order of their mean label", "columns", len(features))
	return ordered, nil
}

// ofTimes reports whether labels are times, of which those of censored rows have no mean.
func (r *run) ofTimes() bool { return ofTimes(r.p.Objective) }

func ofTimes(objective string) bool {
	info, ok := objectives.Lookup(objective)
	return ok && info.Times
}

// levelTarget returns what levels are ordered by: the labels, or 1 in the rows of the most frequent class.
func (ex *examples) levelTarget() []float64 {
	if ex.classes == nil {
		return ex.Labels
	}
	rows := make([]int, len(ex.classes))
	for _, class := range ex.Labels {
		rows[int(class)]++
	}
	frequent := float64(slices.Index(rows, slices.Max(rows)))
	if len(rows) == 2 {
		frequent = 1
	}
	target := make([]float64, ex.n)
	for row, class := range ex.Labels {
		if class == frequent {
			target[row] = 1
		}
	}
	return target
}

// placeUnseen sends levels that training has not seen to the side where the mean of all rows stands.
func (d *binned) placeUnseen(t *tree.Tree) {
	if d.coding == nil {
		return
	}
	for node, f := range t.Feature {
		if code, ok := d.coding.Unseen(int(f)); ok {
			t.MissingLeft[node] = code <= t.Code[node]
		}
	}
}
