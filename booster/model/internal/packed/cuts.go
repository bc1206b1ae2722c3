package packed

import (
	"fmt"
	"math"

	"boost/binning"
	"boost/dataset"
	"boost/internal/entropy"
)

// PackCuts returns what turns values into codes, feature by feature: whether training had
// missing values, and the cuts, or the codes of the levels.
func PackCuts(c *binning.Cuts) []byte {
	k := &cutCoder{coder: entropy.NewWriter(nil)}
	for f := range c.Features {
		// A writer meets no error.
		k.cuts32, k.cuts64 = c.Of32(f), c.Of64(f)
		_ = k.any(&c.Features[f], math.MaxInt)
	}
	b := k.coder.Close()
	if least := max((k.total-cutsRoom+cutsPerByte-1)/cutsPerByte, (k.total-cutsMany+cutsManyPerByte-1)/cutsManyPerByte); len(b) < least {
		b = append(b, make([]byte, least-len(b))...)
	}
	return b
}

// UnpackCuts reads the bytes of PackCuts; kinds and names are those of the columns.
func UnpackCuts(b []byte, columns []*dataset.ColumnSchema) (*binning.Cuts, error) {
	k := &cutCoder{coder: entropy.NewReader(b)}
	c := &binning.Cuts{
		Features: make([]binning.Feature, len(columns)),
		Ptrs:     make([]uint32, 1, len(columns)+1),
		Ptrs64:   make([]uint32, 1, len(columns)+1),
	}
	for f, column := range columns {
		feature := &c.Features[f]
		kind, ok := binning.KindOfColumn[column.Kind]
		if !ok {
			return nil, fmt.Errorf("column %q has no cuts", column.Name)
		}
		feature.Name, feature.Kind = column.Name, kind
		k.cuts32, k.cuts64 = nil, nil
		if feature.Kind == binning.Categorical {
			feature.Codes = make([]uint32, len(column.Levels))
		}
		if err := k.any(feature, mostCuts(len(b))-k.total); err != nil {
			return nil, fmt.Errorf("feature %q: %w", column.Name, err)
		}
		c.Values, c.Values64 = append(c.Values, k.cuts32...), append(c.Values64, k.cuts64...)
		c.Ptrs = append(c.Ptrs, uint32(len(c.Values)))
		c.Ptrs64 = append(c.Ptrs64, uint32(len(c.Values64)))
	}
	return c, k.coder.Err()
}
