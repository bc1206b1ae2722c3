package store

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"boost/internal/setting"
	"boost/tensorq"
)

// Config has every number of the policies. The zero value is not usable: start from
// DefaultConfig. Settings names the keys of a configuration file.
type Config struct {
	// Scores from which a tensor is hot or warm, and what an access counts (S3.44).
	HotScore   uint64
	WarmScore  uint64
	ScoreScale uint64

	// Bits of the tiers (S3.43); each needs a quantizer of package tensorq. Hot and warm
	// may have the same, and so may cold and narrowed warm ones.
	HotBits     int
	WarmBits    int
	WarmLowBits int
	ColdBits    int

	// WarmByteCap is how many bytes the blocks of warm tensors may have before some go to
	// WarmLowBits; below Hysteresis times that they return (S3.46, S3.47).
	WarmByteCap int64
	Hysteresis  float64

	// SweepInterval is the least time between two sweeps (S3.48).
	SweepInterval time.Duration

	// A tensor becomes absent only with a score below AbsentMinScore and when it was last
	// used longer ago than AbsentAgeThreshold (S3.55).
	AbsentMinScore     uint64
	AbsentAgeThreshold time.Duration

	// MaxDepth is how many references a rebuild follows (S3.54).
	MaxDepth int

	// FailFast makes reading a tensor that was discarded an error instead of zeros (S3.51).
	FailFast bool

	// MemoryCap is how many bytes of tensors are kept in memory; others are read from disk. 0 = no
	// limit.
	MemoryCap int64

	// SyncWrites makes every change outlive a loss of power before its call returns. Without it,
	// Sync does, and a killed process loses nothing either way.
	SyncWrites bool

	// CompactRatio is how many times the bytes of its records the file may have before a
	// sweep writes it anew.
	CompactRatio float64

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

// Settings describes the settings, those of c.
func Settings(c *Config) []setting.Setting {
	return slices.Concat(storeSettings(c), tensorq.Settings(&c.Quant))
}

func storeSettings(c *Config) []setting.Setting {
	return []setting.Setting{
		{Name: "registry.hot_bits", Value: &c.HotBits, Range: setting.Between(2, 8),
			Doc: "Bits of a value in the hot tier of a store of tensors, which all keys of [registry] are about; training leaves them alone."},
		{Name: "registry.warm_bits", Value: &c.WarmBits, Range: setting.Between(2, 8),
			Doc: "Bits of a value in the warm tier; no more than hot_bits."},
		{Name: "registry.warm_low_bits", Value: &c.WarmLowBits, Range: setting.Between(2, 8),
			Doc: "Bits of a value of the warm tensors that were narrowed to stay under the cap; fewer than warm_bits."},
		{Name: "registry.cold_bits", Value: &c.ColdBits, Range: setting.Between(2, 8),
			Doc: "Bits of a value in the cold tier; no more than warm_low_bits."},
		{Name: "registry.hot_score", Value: &c.HotScore, Range: setting.AtLeast(2),
			Doc: "Score from which a tensor is hot: accesses times score_scale, divided by the seconds since the last one plus 1."},
		{Name: "registry.warm_score", Value: &c.WarmScore, Range: setting.AtLeast(1),
			Doc: "Score from which a tensor is warm; below hot_score."},
		{Name: "registry.score_scale", Value: &c.ScoreScale, Range: setting.AtLeast(1),
			Doc: "What an access counts in the score."},
		{Name: "registry.warm_byte_cap", Value: &c.WarmByteCap,
			Doc: "Bytes that the blocks of warm tensors may take before those used longest ago are narrowed."},
		{Name: "registry.hysteresis", Value: &c.Hysteresis, Range: setting.Between(0, 1),
			Doc: "Share of warm_byte_cap below which narrowed tensors return to warm_bits, one an access."},
		{Name: "registry.sweep_interval", Value: &c.SweepInterval,
			Doc: "Time between two sweeps, in which tensors change their tiers, at least."},
		{Name: "registry.absent_min_score", Value: &c.AbsentMinScore,
			Doc: "Score below which a tensor may become absent."},
		{Name: "registry.absent_age_threshold", Value: &c.AbsentAgeThreshold,
			Doc: "Time since the last access after which a tensor may become absent."},
		{Name: "registry.max_depth", Value: &c.MaxDepth, Range: setting.Between(0, 64),
			Doc: "References that are followed, one after another, to make an absent tensor again; with 0 none becomes absent by a rule that has one."},
		{Name: "registry.fail_fast", Value: &c.FailFast,
			Doc: "Reading a tensor that was discarded is an error instead of zeros; of a model it always is."},
		{Name: "registry.memory_cap", Value: &c.MemoryCap, NoLimit: true,
			Doc: "Bytes of tensors, in a registry of models, that are kept in memory, the others are read from disk; 0 = no limit."},
		{Name: "registry.sync_writes", Value: &c.SyncWrites,
			Doc: "Every change outlives a loss of power before it is reported as done."},
		{Name: "registry.compact_ratio", Value: &c.CompactRatio, Range: setting.Above(1, 1e6),
			Doc: "How many times the bytes of what it holds a store's file may have before a sweep writes it anew."},
	}
}

// Validate returns everything that is wrong with the settings, joined; nil if nothing is.
func (c Config) Validate() error {
	problems := setting.Check(storeSettings(&c))
	for i, err := range problems {
		problems[i] = fmt.Errorf("store: %w", err)
	}
	check := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf("store: "+format, args...))
		}
	}
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
