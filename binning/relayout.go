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
	codes, err := m.Codes(hasMissing)
	if err != nil {
		return nil, err
	}
	return codes.Matrix(ctx, p, pool)
}

// Codes returns the codes of m, which keeps every feature in a column of its own, to be
// laid out in another way. hasMissing says which features' last code is a missing code.
func (m *Matrix) Codes(hasMissing []bool) (*Codes, error) {
	if len(hasMissing) != m.NFeatures() {
		return nil, fmt.Errorf("%w: %d features, %d words on their missing codes", ErrMismatch, m.NFeatures(), len(hasMissing))
	}
	for f := range m.infos {
		if !m.hasOwnColumn(f) {
			return nil, fmt.Errorf("%w: feature %d has no column of its own", ErrMismatch, f)
		}
	}
	return m.codes(hasMissing), nil
}
