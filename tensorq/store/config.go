package store

import (
	"errors"
	"fmt"
	"time"

	"boost/tensorq"
)

// Config has every number of the policies. The zero value is not usable: start from
// DefaultConfig. The tags name the keys of a configuration file.
type Config struct {
	// Scores from which a tensor is hot or warm, and what an access counts (S3.44).
	HotScore   uint64 `key:"registry.hot_score" use:"run"`
	WarmScore  uint64 `key:"registry.warm_score" use:"run"`
	ScoreScale uint64 `key:"registry.score_scale" use:"run"`

	// Bits of the tiers (S3.43); each needs a quantizer of package tensorq. Hot and warm
	// may have the same, and so may cold and narrowed warm ones.
	HotBits     int `key:"registry.hot_bits" use:"run"`
	WarmBits    int `key:"registry.warm_bits" use:"run"`
	WarmLowBits int `key:"registry.warm_low_bits" use:"run"`
	ColdBits    int `key:"registry.cold_bits" use:"run"`

	// WarmByteCap is how many bytes the blocks of warm tensors may have before some go to
	// WarmLowBits; below Hysteresis times that they return (S3.46, S3.47).
	WarmByteCap int64   `key:"registry.warm_byte_cap" use:"run"`
	Hysteresis  float64 `key:"registry.hysteresis" use:"run"`

	// SweepInterval is the least time between two sweeps (S3.48).
	SweepInterval time.Duration `key:"registry.sweep_interval" use:"run"`

	// A tensor becomes absent only with a score below AbsentMinScore and when it was last
	// used longer ago than AbsentAgeThreshold (S3.55).
	AbsentMinScore     uint64        `key:"registry.absent_min_score" use:"run"`
	AbsentAgeThreshold time.Duration `key:"registry.absent_age_threshold" use:"run"`

	// MaxDepth is how many references a rebuild follows (S3.54).
	MaxDepth int `key:"registry.max_depth" use:"run"`

	// FailFast makes reading a tensor that was discarded an error instead of zeros (S3.51).
	FailFast bool `key:"registry.fail_fast" use:"run"`

	// MemoryCap is how many bytes of tensors are kept in memory; others are read from disk. 0 = no
	// limit.
	MemoryCap int64 `key:"registry.memory_cap" use:"run"`

	// SyncWrites makes every change outlive a loss of power before its call returns. Without it,
	// Sync does, and a killed process loses nothing either way.
	SyncWrites bool `key:"registry.sync_writes" use:"run"`

	// CompactRatio is how many times the bytes of its records the file may have before a
	// sweep writes it anew.
	CompactRatio float64 `key:"registry.compact_ratio" use:"run"`

	// Quant says how blocks are made.
	Quant tensorq.QuantConfig
}

// DefaultConfig returns the defaults, which are those of S3 where it has a number.
func DefaultConfig() Config {
	return Config{
		HotScore: 512, WarmScore: 64, ScoreScale: 1024,
		HotBits: 8, WarmBits: 7, WarmLowBits: 5, ColdBits: 3,
		WarmByteCap: 64 << 20, Hysteresis: 0.8,
		SweepInterval:  time.Minute,
		AbsentMinScore: 1, AbsentAgeThreshold: 24 * time.Hour,
		MaxDepth:  3,
		MemoryCap: 256 << 20, SyncWrites: true, CompactRatio: 2,
		Quant: tensorq.DefaultQuantConfig(),
	}
}

// maxDepthLimit bounds MaxDepth: each reference takes a tensor's values of memory while a
// read lasts.
const maxDepthLimit = 64

// Validate returns everything that is wrong with the settings, joined; nil if nothing is.
func (c Config) Validate() error {
	var problems []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf("store: "+format, args...))
		}
	}
	check(c.ScoreScale >= 1, "score_scale is 0: expected 1 or more")
	check(c.WarmScore >= 1, "warm_score is 0: expected 1 or more, or nothing would be cold")
	check(c.HotScore > c.WarmScore, "hot_score %d: expected more than warm_score, %d", c.HotScore, c.WarmScore)
	check(c.HotBits >= c.WarmBits && c.WarmBits > c.WarmLowBits && c.WarmLowBits >= c.ColdBits,
		"hot_bits, warm_bits, warm_low_bits and cold_bits are %d, %d, %d, %d: expected none to be more than the one before, and warm_low_bits to be fewer than warm_bits",
		c.HotBits, c.WarmBits, c.WarmLowBits, c.ColdBits)
	for _, width := range []struct {
		key  string
		bits int
	}{{"hot_bits", c.HotBits}, {"warm_bits", c.WarmBits}, {"warm_low_bits", c.WarmLowBits}, {"cold_bits", c.ColdBits}} {
		_, err := tensorq.Quantizer(width.bits)
		check(err == nil, "%s %d: expected a width that has a quantizer: %v", width.key, width.bits, tensorq.Widths())
	}
	check(c.WarmByteCap >= 0, "warm_byte_cap %d: expected 0 or more", c.WarmByteCap)
	check(c.Hysteresis >= 0 && c.Hysteresis <= 1, "hysteresis %v: expected 0 to 1", c.Hysteresis)
	check(c.SweepInterval >= 0, "sweep_interval %v: expected 0 or more", c.SweepInterval)
	check(c.AbsentAgeThreshold >= 0, "absent_age_threshold %v: expected 0 or more", c.AbsentAgeThreshold)
	check(c.MaxDepth >= 0 && c.MaxDepth <= maxDepthLimit, "max_depth %d: expected 0 to %d", c.MaxDepth, maxDepthLimit)
	check(c.MemoryCap >= 0, "memory_cap %d: expected 0, for no limit, or more", c.MemoryCap)
	check(c.CompactRatio > 1 && c.CompactRatio <= 1e6, "compact_ratio %v: expected more than 1, at most 1e6", c.CompactRatio)
	if err := c.Quant.Validate(); err != nil {
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// upLimit is the sum of warm bytes up to which tensors return to WarmBits.
func (c Config) upLimit() int64 { return int64(c.Hysteresis * float64(c.WarmByteCap)) }

// bitsOf returns the width of a tier whose warm tensors are not too many.
func (c Config) bitsOf(t Tier) int {
	return [...]int{Hot: c.HotBits, Warm: c.WarmBits, Cold: c.ColdBits}[t]
}

// quantOf says how blocks of a tier are made. Only cold ones may have a second scale: the sum of
// the warm ones, whatever their bits, is known without looking at values.
func (c Config) quantOf(t Tier) tensorq.QuantConfig {
	quant := c.Quant
	quant.TwoLevelCold = quant.TwoLevelCold && t == Cold
	return quant
}
