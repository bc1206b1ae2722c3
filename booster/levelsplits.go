package booster

import (
	"context"
	"slices"

	"boost/binning"
	"boost/booster/internal/crosses"
	"boost/booster/internal/levels"
	"boost/booster/internal/share"
	"boost/dataset"
	"boost/internal/setting"
	"boost/objectives"
	"boost/tree"
)

// Values of Params.LevelSplits.
const (
	SetSplits    = "sets"   // splits by sets of levels
	TargetSplits = "target" // splits by an order of levels, that of their mean target
	AutoSplits   = "auto"   // by the number of levels: manyLevels, mostSets
)

// manyLevels is the number of levels up to which AutoSplits keeps sets. Beside sets the loss was, with the order for features of more
// than 15, 80 and 200 levels: nycflights 0.998, 0.928, 0.989; titanic .953, .953, .953; taxis .989, .989, 1; diabetes_readmit .989, .988, .988;
// insteval .996 at all three; pg15_tweedie .995; loans .994, 1, 1; msha_injuries 1.034, 1, 1; ames_housing 1.010, 1, 1; adult 1.
const manyLevels = 80

// mostSets is the number of levels up to which AutoSplits takes sets and order, each in a column of its own, where columns
// are made of others, and sets alone for tables too small for that. Beside order alone the loss was .982 on taxis, 1.005 on nycflights, 1.000 on insteval, loans and pg15_tweedie.
const mostSets = 400

func levelSettings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "categorical.splits", Value: &p.LevelSplits, Choices: []string{SetSplits, TargetSplits, AutoSplits}, OmitDefault: true,
			Doc: "How levels are split: \"sets\", by sets of levels that are found anew at each node; \"target\", by an order of the levels, that of their mean label (share of a class; with several classes of the most frequent one), where rows in training do not count themselves; \"auto\", \"sets\" up to 80 levels and \"target\" above, with combinations and counts. From 6,000 rows on, and where a level has fewer than 12 rows, columns of up to 400 levels have both, else sets alone; so have columns of several classes for which no columns are made."},
	}
}

// orderLevels puts the levels of the features that ask for it in order, and returns the codes of the training rows. own is set where codes
// are of this rank's rows only.
func (r *run) orderLevels(ctx context.Context, codes *binning.Codes, own bool, ex *examples, data *binned) (*binning.Codes, error) {
	if r.p.LevelSplits == SetSplits || r.baseModel != nil || r.ofTimes() {
		return codes, nil
	}
	features := r.orderedFeatures(ex, data)
	if len(features) == 0 {
		return codes, nil
	}
	part, gather := share.Part{Hi: ex.n}, (func([]uint32) ([]uint32, error))(nil)
	if own {
		part, gather = data.part, func(own []uint32) ([]uint32, error) { return share.Codes32(ctx, r.ranks, own) }
	}
	ordered, coding, err := levels.Order(ctx, codes, data.cuts, features, ex.tableWeights, part, gather, r.p.Binning, r.p.Seed, r.pool)
	if err != nil {
		return nil, err
	}
	data.cuts, data.coding = coding.Cuts, coding
	r.log.Debug("levels are in the order of their mean label", "columns", len(features))
	return ordered, nil
}

// orderedFeatures lists the features whose levels are put in order, and by what.
func (r *run) orderedFeatures(ex *examples, data *binned) (features []levels.Feature) {
	var targets []levels.Target
	indexes := make(map[string]int, len(data.cuts.Features))
	for i := range data.schema.Columns {
		column := &data.schema.Columns[i]
		if column.Role != dataset.Feature {
			continue
		}
		f := len(indexes)
		indexes[column.Name] = f
		feature := &data.cuts.Features[f]
		isFew := r.p.LevelSplits == AutoSplits && feature.Regular <= manyLevels && column.Crossed == nil
		if feature.Kind != binning.Categorical || feature.Regular < 2 || isFew {
			continue
		}
		if targets == nil {
			targets = levels.Targets(ex.Labels, ex.classes)
		}
		by := levels.Feature{Index: f, Column: f, Target: targets[0].Values}
		switch len(column.Crossed) {
		case 0:
			if r.p.LevelSplits == AutoSplits && r.takesSets(column.Name, int(feature.Regular), ex, data.schema.Columns, targets) {
				continue
			}
		case 1:
			by.Column, by.Target = indexes[column.Crossed[0]], nil // which stands before those that are made of it
			for _, t := range targets {
				if column.Name == dataset.OrderedName(column.Crossed[0], t.Class) {
					by.Target = t.Values
				}
			}
		}
		features = append(features, by)
	}
	return features
}

// takesSets reports whether a column of so many levels, more than manyLevels, is split by sets: where they are few and the order stands
// beside it, where rows are too few for an order, and where one order would have to do for several classes.
func (r *run) takesSets(column string, regular int, ex *examples, columns []dataset.ColumnSchema, targets []levels.Target) bool {
	isMade := func(t levels.Target) bool {
		return slices.ContainsFunc(columns, func(c dataset.ColumnSchema) bool {
			return len(c.Crossed) == 1 && c.Name == dataset.OrderedName(column, t.Class)
		})
	}
	return regular <= mostSets && (isMade(targets[0]) || ex.seen < crosses.FewestRows) || len(targets) > 1 && !isMade(targets[1])
}

// orderedCopies returns by what targets a column with so many levels is put in order beside itself, where columns are made
// of others: with several classes by each of them, by which alone no order says all; and where its own levels are split by sets.
func (r *run) orderedCopies(n int, targets []levels.Target) []levels.Target {
	if r.p.LevelSplits == AutoSplits && n <= mostSets {
		return targets
	}
	return targets[1:]
}

// ofTimes reports whether labels are times, of which those of censored rows have no mean.
func (r *run) ofTimes() bool { return ofTimes(r.p.Objective) }

func ofTimes(objective string) bool {
	info, ok := objectives.Lookup(objective)
	return ok && info.Times
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
