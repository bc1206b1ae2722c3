package booster

import (
	"fmt"
	"maps"
	"slices"

	"boost/booster/internal/columns"
	"boost/dataset"
	"boost/tree/forced"
)

// checkConstraints refuses constraints of columns that are no features, and those that an objective cannot keep.
func (r *run) checkConstraints(schema dataset.Schema, target *target) error {
	p := &r.p
	features := make([]string, 0, len(schema.Columns))
	numeric := map[string]bool{} // features, where some have directions
	for _, c := range schema.Columns {
		if c.Role == dataset.Feature {
			features = append(features, c.Name)
			if len(p.Tree.Monotone) > 0 {
				numeric[c.Name] = c.Kind.Numeric()
			}
		}
	}
	if err := r.nameColumns(features); err != nil {
		return err
	}
	if r.baseModel != nil {
		base, err := ParamsOf(r.baseModel)
		if err != nil {
			return err
		}
		if err := columns.SameDirections(base.Tree.Monotone, p.Tree.Monotone); err != nil {
			return fmt.Errorf("%w: %w", ErrParams, err)
		}
	}
	const monotone = "constraints.monotone"
	named := p.byColumn()
	if err := columns.Check(features, named[:1]); err != nil {
		return err
	}
	ordered := false
	for _, name := range slices.Sorted(maps.Keys(p.Tree.Monotone)) {
		if ordered = ordered || p.Tree.Monotone[name] != 0; !numeric[name] && p.Tree.Monotone[name] != 0 {
			return fmt.Errorf("%w: %s: column %q is categorical, and its levels have no order", ErrParams, monotone, name)
		}
	}
	switch {
	case target.quantileLeaves() && p.Tree.Linear:
		return fmt.Errorf("%w: tree.linear: the leaves of objective %s are quantiles, which have no coefficients: use regression, huber or log_cosh", ErrParams, target.objective.Name())
	case target.quantileLeaves() && (p.Tree.MaxDeltaStep > 0 || p.Tree.PathSmooth > 0):
		return fmt.Errorf("%w: tree.max_delta_step and tree.path_smooth: the leaves of objective %s are quantiles, which keep to neither: leave them out", ErrParams, target.objective.Name())
	case ordered && target.quantileLeaves():
		return fmt.Errorf("%w: %s: the leaves of objective %s are quantiles, which keep to no bounds: use regression, huber or log_cosh", ErrParams, monotone, target.objective.Name())
	case ordered && target.several > 1:
		return fmt.Errorf("%w: %s: directions are for the predictions of one label, and there are %d labels: train a model for each, or leave it out", ErrParams, monotone, target.several)
	case ordered && target.outputs > 1:
		return fmt.Errorf("%w: %s: the %d predictions of objective %s depend on each other", ErrParams, monotone, target.outputs, target.objective.Name())
	case ordered && p.ErrorFeedback:
		return fmt.Errorf("%w: %s: leaves that quantize.error_feedback rounds may leave their order: leave one of them out", ErrParams, monotone)
	}
	return columns.Check(features, named[1:])
}

// forcedSplits returns the splits that trees begin with, over codes.
func (r *run) forcedSplits(data *binned) ([]forced.Node, error) {
	nodes, notes, err := forced.Resolve(r.p.Tree.ForcedSplits, data.cuts, data.schema)
	if err != nil {
		return nil, fmt.Errorf("%w: tree.forced_splits: %w", ErrParams, err)
	}
	if err := forced.CheckLevels(nodes, data.cuts, r.p.Tree.FirstLevel, r.p.Tree.LastLevel); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParams, err)
	}
	for _, note := range notes {
		r.log.Info("tree.forced_splits: " + note)
	}
	return nodes, nil
}
