package compress

import (
	"context"
	"math"

	"boost/binning"
	"boost/booster/model"
)

// namesLoss is the share of the loss that is allowed, which leaving out names of levels may take;
// freeNamesLoss is the loss itself, where any is allowed.
const (
	namesLoss     = 0.1
	freeNamesLoss = 1e-4
)

// naming says which names of levels candidates keep.
func (q *search) naming() model.Naming {
	switch {
	case q.settings.KeepLevels:
		return model.NameAll
	case q.fewNames:
		return model.NameFew
	}
	return model.NameKnown
}

// dropNames finds out whether candidates may keep few names. It moves rows with levels that
// training had not, and only the rows of the search can say what that costs.
func (q *search) dropNames(ctx context.Context) error {
	if !q.bounded() || q.halves[0] == nil || q.settings.KeepLevels {
		return nil
	}
	narrow, err := q.full.Narrowed(model.NameFew)
	if err != nil || len(unlisted(narrow)) == 0 {
		return err
	}
	// Against the model itself, whatever losses are told against.
	named, err := q.halves[0].judge.judge(ctx, q.narrow)
	if err != nil {
		return err
	}
	h := *q.halves[0]
	h.full, h.before = named, h.losses(named)
	v, err := h.compare(ctx, narrow, 1-confidence)
	if err != nil {
		return err
	}
	most := namesLoss * q.settings.MaxLoss
	if math.IsNaN(most) {
		most = freeNamesLoss
	}
	if v.bound <= most {
		q.fewNames, q.narrow = true, narrow
	}
	return nil
}

// unlisted returns the categorical features of which a level that training had not goes where
// levels go that are not named, and no longer where missing values do.
func unlisted(m *model.Model) []string {
	var names []string
	for i := range m.Contents().Cuts.Features {
		if f := &m.Contents().Cuts.Features[i]; f.Unlisted == binning.UnlistedLast {
			names = append(names, f.Name)
		}
	}
	return names
}
