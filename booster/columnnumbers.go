package booster

import (
	"errors"
	"fmt"

	"boost/booster/internal/columns"
	"boost/dataset"
)

// ColumnNumber returns how parameters by column name a feature by its number, from 0 on: "#0". Where a column has that very name
// and another number, naming it so is an error.
func ColumnNumber(number int) string { return columns.Number(number) }

// byColumn lists the parameters by column, that of monotone constraints first.
func (p *Params) byColumn() []columns.Parameter {
	t := &p.Tree
	return []columns.Parameter{
		{Key: "constraints.monotone", Ints: &t.Monotone},
		{Key: "tree.feature_penalty", Floats: &t.FeaturePenalty}, {Key: "tree.feature_cost", Floats: &t.FeatureCost},
		{Key: "tree.feature_row_cost", Floats: &t.FeatureRowCost}, {Key: "sampling.col_weights", Floats: &t.ColWeights},
		{Key: "constraints.first_level", Ints: &t.FirstLevel}, {Key: "constraints.last_level", Ints: &t.LastLevel},
		{Key: "constraints.interaction", Groups: &t.Interaction},
	}
}

// nameColumns puts the names of features in the place of their numbers, and notes which these are.
func (r *run) nameColumns(features []string) error {
	numbers, err := columns.Resolve(features, r.p.byColumn())
	if err != nil && !errors.Is(err, dataset.ErrTable) {
		err = fmt.Errorf("%w: %w", ErrParams, err)
	}
	if err != nil || len(numbers) == 0 {
		return err
	}
	r.log.Info("columns are named by their numbers among the features: " + columns.Numbered(features, numbers))
	return nil
}
