package binning

import (
	"context"
	"fmt"

	"boost/parallel"
)

// Relayout returns the codes of m, which keeps every feature in a column of its own, in
// the layout that Params.Layout, MissingAs, Bundle and BundleConflicts ask for.
// hasMissing says which features' last code is a missing code.
func Relayout(ctx context.Context, m *Matrix, hasMissing []bool, p Params, pool *parallel.Pool) (*Matrix, error) {
	p.fillLayout()
	if p.Storage == "" {
		p.Storage = Adaptive
	}
	if err := p.checkLayout(); err != nil {
		return nil, err
	}
	if len(hasMissing) != m.NFeatures() {
		return nil, fmt.Errorf("%w: %d features, %d words on their missing codes", ErrMismatch, m.NFeatures(), len(hasMissing))
	}
	a := &assembler{rows: m.rows, params: p, pool: pool, features: make([]coded, m.NFeatures()), plain: m}
	for f := range a.features {
		if !m.direct(f) {
			return nil, fmt.Errorf("%w: feature %d has no column of its own", ErrMismatch, f)
		}
		a.features[f] = coded{nCodes: m.infos[f].NBins, hasMissing: hasMissing[f], all: m.Column(f)}
	}
	return a.finish(ctx)
}
