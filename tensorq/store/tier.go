package store

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// Tier says in which form a tensor is kept (S3.43). The numbers are those of the
// source document and of the file format.
type Tier uint8

const (
	Absent Tier = iota // no data, at most a rule
	Hot                // 8 bits
	Warm               // 7 bits, or 5
	Cold               // 3 bits
)

var tierNames = [...]string{Absent: "absent", Hot: "hot", Warm: "warm", Cold: "cold"}

func (t Tier) String() string {
	if int(t) < len(tierNames) {
		return tierNames[t]
	}
	return fmt.Sprintf("tier %d", uint8(t))
}

// ParseTier is the inverse of String.
func ParseTier(name string) (Tier, error) {
	for t, s := range tierNames {
		if s == name {
			return Tier(t), nil
		}
	}
	return Absent, fmt.Errorf("store: %q is no tier: expected hot, warm, cold or absent", name)
}

// warmth orders tiers: more of it is more bits.
func (t Tier) warmth() int { return [...]int{Absent: 0, Cold: 1, Warm: 2, Hot: 3}[t] }

// Score is count·scale/(age+1), with the age in whole seconds, in integers that saturate
// (S3.44). An age below 0, from a clock that went back, counts as 0.
func Score(count, scale uint64, age time.Duration) uint64 {
	high, low := bits.Mul64(count, scale)
	if high != 0 {
		low = math.MaxUint64
	}
	return low / (seconds(age) + 1)
}

func seconds(age time.Duration) uint64 { return uint64(max(age, 0) / time.Second) }

// warmEnough returns the tier, or the next warmer one that has so many bits; hot if none has.
func (c Config) warmEnough(t Tier, bits int) Tier {
	if t == Cold && c.ColdBits < bits {
		t = Warm
	}
	if t == Warm && c.WarmBits < bits {
		t = Hot
	}
	return t
}

// TierOf returns the tier that a score calls for; it is never Absent.
func (c Config) TierOf(score uint64) Tier {
	switch {
	case score >= c.HotScore:
		return Hot
	case score >= c.WarmScore:
		return Warm
	}
	return Cold
}
