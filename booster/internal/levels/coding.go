package levels

import (
	"context"

	"boost/binning"
	"boost/booster/internal/share"
	"boost/dataset"
	"boost/parallel"
)

// Coding holds the codes of levels in order. Codes go by the statistic of levels, in quantiles of rows where there are
// more levels than codes.
type Coding struct {
	Cuts     *binning.Cuts // with the ordered features
	features []ordered
}

// ordered is a feature whose levels are in order.
type ordered struct {
	feature int
	codes   []uint32 // by the code that levels had before
	regular uint32
	mean    uint32 // where the mean of all rows stands
}

// Feature is one whose levels are put in order.
type Feature struct {
	Index  int
	Column int       // whose levels they are: features of the same one have the same folds, so that several do not tell more than one
	Target []float64 // by whose mean, with a value a row; nil: by how many rows they have
}

// Order puts the levels of some features of coded rows in order, and returns the codes of the rows by their own
// statistics. codes are those of the rows of part, of which gather makes those of all rows; nil where they are those of all.
// Targets and weights, which are those of Of, are of all rows. Of the parameters those count that say how many codes a number may have.
func Order(ctx context.Context, codes *binning.Codes, cuts *binning.Cuts, features []Feature, weights []float64, part share.Part, gather func([]uint32) ([]uint32, error), p binning.Params, seed uint64, pool *parallel.Pool) (*binning.Codes, *Coding, error) {
	own := *cuts
	own.Features = append([]binning.Feature(nil), cuts.Features...)
	c := &Coding{Cuts: &own}
	usual := binning.Defaults()
	usual.MaxBin, usual.MinDataInBin, usual.Sample = p.MaxBin, p.MinDataInBin, p.Sample
	here := make([]uint32, codes.NRows())
	fresh := make([]binning.Recoded, len(features))
	for i, of := range features {
		f := of.Index
		codes.Feature(f, here)
		was := here
		if gather != nil {
			var err error
			if was, err = gather(here); err != nil {
				return nil, nil, err
			}
		}
		feature := &own.Features[f]
		var s *Statistics
		if of.Target == nil {
			s = Counts(was, int(feature.Regular))
		} else {
			s = Of(was, int(feature.Regular), of.Target, weights, seed, of.Column, pool)
		}
		borders, err := bordersOf(ctx, s, was, usual, seed, pool)
		if err != nil {
			return nil, nil, err
		}
		o := ordered{feature: f, regular: borders.Features[0].Regular, codes: encode(borders, s.Levels), mean: encode(borders, []float64{s.Mean})[0]}
		rows := encode(borders, s.Rows)
		for row, code := range was {
			if code >= feature.Regular {
				rows[row] = o.regular
			}
		}
		fresh[i] = binning.Recoded{Feature: f, Codes: share.Rows(part, rows), Regular: o.regular}
		feature.Codes = append([]uint32(nil), feature.Codes...)
		for level, code := range feature.Codes {
			if code != binning.NoCode {
				feature.Codes[level] = o.codes[code]
			}
		}
		feature.Ordered, feature.Regular = true, o.regular
		c.features = append(c.features, o)
	}
	return codes.Recode(fresh), c, nil
}

// bordersOf finds the cuts between levels.
func bordersOf(ctx context.Context, s *Statistics, codes []uint32, p binning.Params, seed uint64, pool *parallel.Pool) (*binning.Cuts, error) {
	values := make([]float64, 0, len(codes))
	for _, code := range codes {
		if int(code) < len(s.Levels) {
			values = append(values, s.Levels[code])
		}
	}
	if len(values) == 0 {
		values = append(values, s.Mean)
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "level", Values: values}})
	if err != nil {
		return nil, err
	}
	cuts, _, err := binning.Fit(ctx, table, nil, p, seed, pool)
	return cuts, err
}

func encode(borders *binning.Cuts, values []float64) []uint32 {
	codes := make([]uint32, len(values))
	binning.EncodeValues(binning.NewValueEncoder[float64](borders, 0, len(values)), values, codes)
	return codes
}

// Recode returns the codes of other rows, which were coded as those that Order got.
func (c *Coding) Recode(codes *binning.Codes) *binning.Codes {
	fresh := make([]binning.Recoded, len(c.features))
	for i, o := range c.features {
		rows := make([]uint32, codes.NRows())
		codes.Feature(o.feature, rows)
		for row, code := range rows {
			if rows[row] = o.regular; int(code) < len(o.codes) {
				rows[row] = o.codes[code]
			}
		}
		fresh[i] = binning.Recoded{Feature: o.feature, Codes: rows, Regular: o.regular}
	}
	return codes.Recode(fresh)
}

// Unseen returns the code of a level that training has not seen, which is that of the mean of all rows. ok is false where
// such a level goes with missing values: for features that had some, and for features that are not in order.
func (c *Coding) Unseen(f int) (code uint32, ok bool) {
	for _, o := range c.features {
		if o.feature == f {
			return o.mean, !c.Cuts.Features[f].HasMissing
		}
	}
	return 0, false
}
