package tensorq

import (
	"errors"
	"fmt"
	"math"
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
	BlockSize int `key:"registry.block_size" use:"run"`
	// TwoLevelCold lets 3-bit blocks with outliers have a second scale; off by default.
	TwoLevelCold bool `key:"registry.two_level_cold" use:"run"`
	// TwoLevelThreshold is how many times its median magnitude a block's maximum must
	// exceed for the second scale: finite, 1 or more, 5 by default.
	TwoLevelThreshold float64 `key:"registry.two_level_threshold" use:"run"`
	// OutlierFraction is the share of a block's values that the first scale need not
	// cover, 0 to 1, 0.05 by default.
	OutlierFraction float64 `key:"registry.outlier_fraction" use:"run"`
	// Headroom is what scales that serve several frames allow for, as a share of the
	// maximum of the first frame: 0 to 1, DefaultHeadroom by default. Blocks that stand
	// alone have none.
	Headroom float64 `key:"registry.headroom" use:"run"`
}

// DefaultQuantConfig returns the defaults of every field.
func DefaultQuantConfig() QuantConfig {
	return QuantConfig{BlockSize: 64, TwoLevelThreshold: 5, OutlierFraction: 0.05, Headroom: DefaultHeadroom}
}

// Validate returns everything that is wrong with the settings, joined; nil if nothing is.
func (c QuantConfig) Validate() error {
	var problems []error
	if c.BlockSize < 1 || c.BlockSize > MaxBlockSize {
		problems = append(problems, fmt.Errorf("tensorq: block size %d: expected 1 to %d", c.BlockSize, MaxBlockSize))
	}
	if !(c.TwoLevelThreshold >= 1) || math.IsInf(c.TwoLevelThreshold, 1) {
		problems = append(problems, fmt.Errorf("tensorq: two-level threshold %v: expected a finite number, 1 or more", c.TwoLevelThreshold))
	}
	if !(c.OutlierFraction >= 0 && c.OutlierFraction <= 1) {
		problems = append(problems, fmt.Errorf("tensorq: outlier fraction %v: expected 0 to 1", c.OutlierFraction))
	}
	if !(c.Headroom >= 0 && c.Headroom <= 1) {
		problems = append(problems, fmt.Errorf("tensorq: headroom %v: expected 0 to 1", c.Headroom))
	}
	return errors.Join(problems...)
}
