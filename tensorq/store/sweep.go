package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Report says what a sweep did.
type Report struct {
	// Early reports whether the last sweep was less than Config.SweepInterval ago; nothing was
	// done.
	Early bool

	Raised   int // to a higher tier, from a source
	Restored int // of these, absent ones
	Degraded int // called for a higher tier and had no source
	Lowered  int // to a lower tier
	Narrowed int // of these and of the warm ones, to WarmLowBits
	Retired  int // became absent

	Warm    int64 // bytes of the blocks of warm tensors
	OverCap int64 // by which they exceed the cap, all of them at WarmLowBits

	// Failures are the tensors that could not be moved, which are as they were.
	Failures []error
}

// sweepItem is a tensor as a sweep found it.
type sweepItem struct {
	t     *tensor
	tier  Tier
	bits  int
	want  Tier
	idle  bool // may become absent
	rule  bool
	age   uint64 // s
	n     int
	block int
	least int   // bits that it may have
	kept  bool  // stays as it is
	bytes int64 // of the blocks, if it is warm
	after Tier  // where it goes
	width int
}

// Sweep moves tensors to the tiers that their scores call for, and narrows the warm ones that were
// used longest ago until all fit under the cap. It does nothing if the last one was less than SweepInterval ago
// (S3.48), so that it can be called at any time. Reads go on meanwhile. The error is
// one of writing, *UnsyncedError among them; what is wrong with single tensors stands in the report, and the report says
// what was done beside an error too.
func (s *Store) Sweep() (Report, error) {
	if s.writer == nil {
		return Report{}, fmt.Errorf("store: %w", ErrReadOnly)
	}
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	now := s.now()
	s.mutex.Lock()
	since := time.Duration(now - s.swept)
	if s.hasSwept && since.Abs() < s.cfg.SweepInterval {
		s.mutex.Unlock()
		return Report{Early: true}, nil
	}
	s.swept, s.hasSwept, s.moving = now, true, true
	s.mutex.Unlock()
	defer func() {
		s.mutex.Lock()
		s.moving = false
		s.mutex.Unlock()
	}()

	var report Report
	s.raise(s.items(now), now, &report)
	s.retireIdle(s.items(now), &report)
	s.lower(s.plan(s.items(now)), &report)
	s.mutex.Lock()
	report.Warm = s.warm
	report.OverCap = max(0, s.warm-s.cfg.WarmByteCap)
	s.mutex.Unlock()
	return report, s.settle()
}

// items returns the tensors in the order of their ids.
func (s *Store) items(now int64) []sweepItem {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	items := make([]sweepItem, 0, len(s.tensors))
	for _, t := range s.tensors {
		score := s.score(&t.state, now)
		item := sweepItem{
			t: t, tier: t.tier, bits: t.bits, want: s.cfg.TierOf(score), rule: t.rule != nil, block: s.blockOf(&t.state),
			idle: score < s.cfg.AbsentMinScore && t.age(now) > s.cfg.AbsentAgeThreshold,
			age:  seconds(t.age(now)), n: product(t.shape), bytes: s.warmBytes(&t.state), after: t.tier, width: t.bits,
		}
		limits := s.limits(t.id)
		item.least, item.kept = limits.MinBits, limits.Keep
		if item.kept {
			item.want, item.idle = t.tier, false
		}
		if t.tier != Absent || item.want != Cold { // an absent one that is little used has no bits to be too few
			item.want = s.cfg.warmEnough(item.want, item.least)
		}
		enough := item.want.warmth() <= t.tier.warmth() || t.tier == Absent && item.want == Cold
		if enough && (t.tier != Warm || t.bits != s.cfg.WarmLowBits) {
			t.used = t.used || t.degraded
			t.degraded = false // its use calls for no more than it has
		}
		items = append(items, item)
	}
	slices.SortFunc(items, func(a, b sweepItem) int { return cmp.Compare(a.t.id, b.t.id) })
	return items
}

func (r *Report) fail(err error) {
	// What was removed, changed or used since the sweep looked at it is no failure.
	if !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrChanged) && !errors.As(err, new(*EarlyError)) {
		r.Failures = append(r.Failures, err)
	}
}

// raise gives tensors the tier that their use calls for. An absent one returns only when
// it is used so much that it would be warm.
func (s *Store) raise(items []sweepItem, now int64, report *Report) {
	for _, i := range items {
		if i.want.warmth() <= i.tier.warmth() || i.tier == Absent && i.want == Cold {
			continue
		}
		err := s.requantize(i.t, i.want, s.cfg.bitsOf(i.want), nil)
		switch {
		case err == nil:
			report.Raised++
			if i.tier == Absent {
				report.Restored++
			}
		case errors.Is(err, ErrNoSource):
			if s.degrade(i.t, now) {
				report.Degraded++
			}
		default:
			report.fail(err)
		}
	}
}

// retireIdle drops the data of tensors that nobody uses and a rule makes again.
func (s *Store) retireIdle(items []sweepItem, report *Report) {
	for _, i := range items {
		if !i.rule || !i.idle || i.tier == Absent {
			continue
		}
		if err := s.retire(i.t.id, i.t); err != nil {
			report.fail(err)
			continue
		}
		report.Retired++
	}
}

// plan decides where tensors go that are used less than before, and which warm ones are
// narrowed, so that each is made anew at most once.
func (s *Store) plan(items []sweepItem) []sweepItem {
	var sum int64
	var wide []*sweepItem
	bytes := func(i *sweepItem, width int) int64 {
		if i.tier == Warm && i.bits == width {
			return i.bytes // in blocks of the size that it was made with
		}
		return blockBytes(i.n, width, i.block)
	}
	for k := range items {
		i := &items[k]
		if i.tier != Absent && i.want.warmth() < i.tier.warmth() {
			i.after, i.width = i.want, s.cfg.bitsOf(i.want)
		}
		if i.after != Warm {
			continue
		}
		sum += bytes(i, i.width)
		if i.kept || s.cfg.WarmLowBits < i.least {
			continue
		}
		if i.width != s.cfg.WarmLowBits && bytes(i, s.cfg.WarmLowBits) < bytes(i, i.width) {
			wide = append(wide, i)
		}
	}
	slices.SortStableFunc(wide, func(a, b *sweepItem) int { return cmp.Compare(b.age, a.age) })
	for _, i := range wide {
		if sum <= s.cfg.WarmByteCap {
			break
		}
		sum += bytes(i, s.cfg.WarmLowBits) - bytes(i, i.width)
		i.width = s.cfg.WarmLowBits
	}
	return items
}

// lower carries the plan out.
func (s *Store) lower(items []sweepItem, report *Report) {
	for _, i := range items {
		if i.after == i.tier && i.width == i.bits {
			continue
		}
		if err := s.requantize(i.t, i.after, i.width, nil); err != nil {
			report.fail(err)
			continue
		}
		if i.after != i.tier {
			report.Lowered++
		}
		if i.width == s.cfg.WarmLowBits {
			report.Narrowed++
		}
	}
}

// compactSlack is how many bytes of a log are never too many.
const compactSlack = 1 << 20

// settle writes the log anew if most of it is old, and records the use of tensors. In this order: a disk that
// is full has room for use only when the old log is gone.
func (s *Store) settle() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.writable(""); err != nil {
		return err
	}
	var compacted error
	live, total := s.log.Size()
	if float64(total) > float64(s.cfg.CompactRatio*float64(live))+compactSlack {
		if err := s.writer.Compact(); err != nil {
			compacted = fmt.Errorf("store: %w", err)
		}
	}
	_ = s.flush() // nothing depends on it
	return errors.Join(compacted, s.durable(""))
}
