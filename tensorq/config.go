package tensorq

import (
	"errors"
	"fmt"

	"boost/internal/setting"
)

// MaxBlockSize is the most values that may share a scale.
const MaxBlockSize = 65536

// DefaultHeadroom is how far the maximum of a block may drift from that of the first
// frame before the scales are made anew: 26/256, about 10.16 %.
const DefaultHeadroom = 26.0 / 256

// QuantConfig says how tensors are cut into blocks and blocks get their scales
// (S3.15). It is a plain value; DefaultQuantConfig has the defaults.
type QuantConfig struct {
	// BlockSize is how many values share a scale, 1 to MaxBlockSize; 64 by default, 64
	// or 128 as a rule. The last block of a tensor has what is left. Segments of version
	// 1 need a multiple of 8.
	BlockSize int
	// TwoLevelCold lets 3-bit blocks with outliers have a second scale; off by default.
	TwoLevelCold bool
	// TwoLevelThreshold is how many times its median magnitude a block's maximum must
	// exceed for the second scale: finite, 1 or more, 5 by default.
	TwoLevelThreshold float64
	// OutlierFraction is the share of a block's values that the first scale need not
	// cover, 0 to 1, 0.05 by default.
	OutlierFraction float64
	// Headroom is what scales that serve several frames allow for, as a share of the
	// maximum of the first frame: 0 to 1, DefaultHeadroom by default. Blocks that stand
	// alone have none.
	Headroom float64
}

// DefaultQuantConfig returns the defaults of every field.
func DefaultQuantConfig() QuantConfig {
	return QuantConfig{BlockSize: 64, TwoLevelThreshold: 5, OutlierFraction: 0.05, Headroom: DefaultHeadroom}
}

var (
	blockSizes = setting.Between(1, MaxBlockSize)
	thresholds = setting.AtLeast(1)
	shares     = setting.Between(0, 1)
)

// Settings describes the settings, those of c.
func Settings(c *QuantConfig) []setting.Setting {
	return []setting.Setting{
		{Name: "registry.block_size", Value: &c.BlockSize, Range: blockSizes,
			Doc: "Values that share a scale; 64 or 128 as a rule."},
		{Name: "registry.two_level_cold", Value: &c.TwoLevelCold,
			Doc: "Let 3-bit blocks with outliers have a second scale."},
		{Name: "registry.two_level_threshold", Value: &c.TwoLevelThreshold, Range: thresholds,
			Doc: "How many times its median magnitude a block's largest one must exceed for the second scale."},
		{Name: "registry.outlier_fraction", Value: &c.OutlierFraction, Range: shares,
			Doc: "Share of a block's values that the first of two scales need not cover."},
		{Name: "registry.headroom", Value: &c.Headroom, Range: shares,
			Doc: "By how much of its first maximum a block may drift before frames that share scales get new ones; 0.1015625 is 26/256."},
	}
}

// Validate returns everything that is wrong with the settings, joined; nil if nothing is.
func (c QuantConfig) Validate() error {
	if blockSizes.Contains(float64(c.BlockSize)) && thresholds.Contains(c.TwoLevelThreshold) &&
		shares.Contains(c.OutlierFraction) && shares.Contains(c.Headroom) {
		return nil // without making the descriptions: each tensor is checked
	}
	bad := c
	problems := setting.Check(Settings(&bad))
	for i, err := range problems {
		problems[i] = fmt.Errorf("tensorq: %w", err)
	}
	return errors.Join(problems...)
}
