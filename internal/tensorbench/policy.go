package tensorbench

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"boost/tensorq"
	"boost/tensorq/store"
)

// clock is a store's, moved by hand.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }

// longest is how far the clock is moved at most: an int64 of nanoseconds holds it.
const longest = 200 * 365 * 24 * time.Hour

// opened makes a new store below the folder.
func (o Options) opened(source store.Source) (*store.Store, *clock, error) {
	dir, err := os.MkdirTemp(o.Dir, "store-")
	if err != nil {
		return nil, nil, err
	}
	c := &clock{time.Unix(0, 0)}
	s, err := store.Open(dir, o.Config, store.Options{Clock: c.time, Source: source})
	return s, c, err
}

// closed closes a store and adds what that says to err.
func closed(s *store.Store, err error) error { return errors.Join(err, s.Close()) }

// idle returns how long after its only access a tensor may become absent.
func (o Options) idle() (time.Duration, string) {
	c := o.Config
	if c.AbsentMinScore == 0 {
		return 0, "nothing becomes absent where absent_min_score is 0"
	}
	age := max(float64(c.ScoreScale/c.AbsentMinScore+1), c.AbsentAgeThreshold.Seconds()+1)
	if age > longest.Seconds() {
		return 0, "nothing becomes absent within 200 years"
	}
	return time.Duration(age+1) * time.Second, ""
}

// discarded reads a tensor for which there is no rule.
func discarded(o Options) (figure string, ok bool, err error) {
	const id, n = "discarded", 1000
	idle, never := o.idle()
	if never != "" {
		return never, false, nil
	}
	s, now, err := o.opened(nil)
	if err != nil {
		return "", false, err
	}
	defer func() { err = closed(s, err) }()
	values := drawn(10, n, heavyTailed)
	if err := s.Put(id, []int{n}, values, store.PutOptions{}); err != nil {
		return "", false, err
	}
	if err := s.SetRule(id, store.Discard{}, 0); err != nil {
		return "", false, err
	}
	early := s.Retire(id)
	now.now = now.now.Add(idle)
	if err := s.Retire(id); err != nil {
		return "", false, err
	}
	if !errors.As(early, new(*store.EarlyError)) {
		return fmt.Sprintf("dropped while it was in use: %v", early), false, nil
	}
	got, err := s.Read(id, values)
	if o.Config.FailFast {
		return fmt.Sprintf("%v, as fail_fast asks for", err), errors.Is(err, store.ErrTierZeroNoPolicy), nil
	}
	if err != nil {
		return "", false, err
	}
	zeros := 0
	for _, v := range values {
		if v == 0 {
			zeros++
		}
	}
	return fmt.Sprintf("%d zeros of %d values, %v after its last use", zeros, got, idle), zeros == n && got == n, nil
}

// rebuilt makes absent as many tensors as may follow each other, each made from the one before
// by a rule, and reads the last one.
func rebuilt(o Options) (figure string, ok bool, err error) {
	const n = 1000
	idle, never := o.idle()
	if never != "" {
		return never, false, nil
	}
	s, now, err := o.opened(nil)
	if err != nil {
		return "", false, err
	}
	defer func() { err = closed(s, err) }()
	values := drawn(11, n, heavyTailed)
	name := func(i int) string { return fmt.Sprint("tensor ", i) }
	if err := s.Put(name(0), []int{n}, values, store.PutOptions{}); err != nil {
		return "", false, err
	}
	depth := o.Config.MaxDepth
	var want []float32 // of the last one that can be made
	for i := 1; i <= depth+1; i++ {
		want = slices.Clone(values)
		rule := nextRule(i, name(i-1), values)
		if err := s.Put(name(i), []int{n}, values, store.PutOptions{}); err != nil {
			return "", false, err
		}
		info, err := s.Info(name(i))
		if err != nil {
			return "", false, err
		}
		// Its own bound, and that of the one that it is made from, as many times as large.
		if err := s.SetRule(name(i), rule, 4*info.Bound); err != nil {
			return "", false, err
		}
	}
	now.now = now.now.Add(idle)
	for i := 1; i <= depth; i++ {
		if err := s.Retire(name(i)); err != nil {
			return "", false, err
		}
	}
	if err := s.Retire(name(depth + 1)); !errors.Is(err, store.ErrReconstructionDepth) {
		return fmt.Sprintf("one reference more than max_depth, %d: %v", depth, err), false, nil
	}
	if depth == 0 {
		return "nothing is made from another tensor where max_depth is 0", false, nil
	}
	info, err := s.Info(name(depth))
	if err != nil {
		return "", false, err
	}
	got := make([]float32, n)
	if _, err := s.Read(name(depth), got); err != nil {
		return "", false, err
	}
	worst := 0.0
	for i := range got {
		worst = max(worst, math.Abs(float64(got[i])-float64(want[i])))
	}
	most := float64(tensorq.MaxAbs(want))
	return fmt.Sprintf("%d references followed, one more refused; off by %.3f %% of the maximum, at most %.3f %% as the store says", depth, 100*worst/most, 100*info.Bound/most),
		info.Tier == store.Absent && worst <= info.Bound, nil
}

// nextRule returns the rule of tensor i, and makes its values of those of the one before. Kinds
// take turns: a factor, an order, differences.
func nextRule(i int, base string, values []float32) store.Rule {
	switch i % 3 {
	case 1:
		by := float32(2)
		if i%2 == 0 {
			by = 0.5
		}
		for k := range values {
			values[k] *= by
		}
		return store.Scale{Of: base, By: by}
	case 2:
		slices.Reverse(values)
		order := make([]int, len(values))
		for k := range order {
			order[k] = len(order) - 1 - k
		}
		return store.Permutation{Of: base, Order: order}
	}
	rule := store.Delta{Base: base, Index: []int{1, 5}, Value: []float32{1, -1}}
	for k, at := range rule.Index {
		values[at] += rule.Value[k]
	}
	return rule
}

// warmTensors are tensors a sixteenth of the cap large, a quarter more than fit, and their
// lossless values.
type warmTensors struct {
	each, count int
	cap         int64
	base        []float32
}

const mostWarm = 256 << 20 // bytes: more are not written to a disk for a measurement

func newWarmTensors(o *Options) *warmTensors {
	w := &warmTensors{count: 20, cap: min(o.Config.WarmByteCap, mostWarm)}
	o.Config.WarmByteCap = w.cap
	block := o.Config.Quant.BlockSize
	bytes := float64(tensorq.StorageSize(block, o.Config.WarmBits, false)) / float64(block) // a value
	w.each = max(int(float64(w.cap)/16/bytes), 64)
	w.base = drawn(12, 4099, heavyTailed)
	return w
}

// name is that of the i-th tensor put: the order of the names is not that of their use.
func (w *warmTensors) name(i int) string { return fmt.Sprintf("warm %02d", w.count-1-i) }

// Values writes the values of a tensor: it makes warmTensors a store.Source.
func (w *warmTensors) Values(id string, out []float32) error {
	var i int
	if _, err := fmt.Sscanf(id, "warm %d", &i); err != nil {
		return store.ErrNoSource
	}
	for k := range out {
		out[k] = w.base[(k+i)%len(w.base)]
	}
	return nil
}

// ages returns the seconds since its one access in which a tensor is warm.
func (o Options) ages() (from, to uint64, ok bool) {
	tier := func(age uint64) store.Tier {
		return o.Config.TierOf(store.Score(1, o.Config.ScoreScale, time.Duration(age)*time.Second))
	}
	// The first age at which a tensor is no longer of tier t, or longest.
	end := func(t store.Tier) uint64 {
		lo, hi := uint64(0), uint64(longest/time.Second)
		for lo < hi {
			if mid := (lo + hi) / 2; tier(mid) <= t {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		return lo
	}
	from, to = end(store.Hot), end(store.Warm)
	return from, to - 1, from < to
}

// filled puts warm tensors one after another, the first the longest ago, and moves the clock to
// where all of them are to be warm.
func (w *warmTensors) filled(o Options) (*store.Store, *clock, error) {
	s, now, err := o.opened(w)
	if err != nil {
		return nil, nil, err
	}
	from, to, _ := o.ages()
	span := min(to-from, 86400) // s from the first to the last
	values := make([]float32, w.each)
	began := now.now
	for i := range w.count {
		now.now = began.Add(time.Duration(span*uint64(i)/uint64(w.count-1)) * time.Second)
		if err == nil {
			err = w.Values(w.name(i), values)
		}
		if err == nil {
			err = s.Put(w.name(i), []int{w.each}, values, store.PutOptions{Tier: store.Warm})
		}
	}
	now.now = now.now.Add(time.Duration(from) * time.Second)
	if err != nil {
		return nil, nil, closed(s, err)
	}
	return s, now, nil
}

// byUse returns the ids of the tensors, that used longest ago first and equal ones by id, and how
// many of them are narrow. inOrder reports whether these are the first.
func (w *warmTensors) byUse(s *store.Store, low int) (ids []string, narrow int, inOrder bool, err error) {
	var infos []store.Info
	for _, id := range s.IDs() {
		info, err := s.Info(id)
		if err != nil {
			return nil, 0, false, err
		}
		if info.Tier != store.Warm {
			return nil, 0, false, fmt.Errorf("%s is %v, and was to be warm", info.ID, info.Tier)
		}
		infos = append(infos, info)
	}
	slices.SortStableFunc(infos, func(a, b store.Info) int { return a.LastAccess.Compare(b.LastAccess) })
	inOrder = true
	for i, info := range infos {
		ids = append(ids, info.ID)
		if info.Bits == low {
			inOrder = inOrder && narrow == i
			narrow++
		}
	}
	return ids, narrow, inOrder, nil
}

const neverWarm = "no age makes a tensor warm with these scores"

// narrowed fills the warm tier beyond its cap, and sweeps.
func narrowed(o Options) (figure string, ok bool, err error) {
	if _, _, warm := o.ages(); !warm {
		return neverWarm, false, nil
	}
	w := newWarmTensors(&o)
	s, now, err := w.filled(o)
	if err != nil {
		return "", false, err
	}
	defer func() { err = closed(s, err) }()
	before := s.Stats().Warm
	oldest, err := s.Info(w.name(0))
	if err != nil {
		return "", false, err
	}
	from, _, _ := o.ages()
	report, err := s.Sweep()
	if err != nil {
		return "", false, err
	}
	if len(report.Failures) > 0 {
		return "", false, report.Failures[0]
	}
	_, narrow, inOrder, err := w.byUse(s, o.Config.WarmLowBits)
	if err != nil {
		return "", false, err
	}
	after := s.Stats().Warm
	// No more than have to: with one fewer the sum would not fit.
	least := narrow == 0 || before-(before-after)/int64(narrow)*int64(narrow-1) > w.cap
	again, err := s.Sweep()
	if err != nil {
		return "", false, err
	}
	figure = fmt.Sprintf("%d tensors used %d to %.0f s ago and of %s, over a cap of %s, became %s, %d of them at %d bits",
		w.count, from, now.now.Sub(oldest.LastAccess).Seconds(), mebibytes(before), mebibytes(w.cap), mebibytes(after), narrow, o.Config.WarmLowBits)
	if !inOrder {
		figure += ", not those used longest ago"
	}
	if again.Early {
		figure += fmt.Sprintf("; no other sweep for %v", o.Config.SweepInterval)
	}
	return figure, narrow > 0 && inOrder && least && after <= w.cap && again.Early == (o.Config.SweepInterval > 0), nil
}

// widened takes tensors away until the warm tier is below the hysteresis, and reads.
func widened(o Options) (figure string, ok bool, err error) {
	if _, _, warm := o.ages(); !warm {
		return neverWarm, false, nil
	}
	w := newWarmTensors(&o)
	s, _, err := w.filled(o)
	if err != nil {
		return "", false, err
	}
	defer func() { err = closed(s, err) }()
	if _, err := s.Sweep(); err != nil {
		return "", false, err
	}
	ids, narrow, _, err := w.byUse(s, o.Config.WarmLowBits)
	if err != nil {
		return "", false, err
	}
	if narrow == 0 {
		return "no tensor was narrowed", false, nil
	}
	limit := int64(o.Config.Hysteresis * float64(w.cap))
	out := make([]float32, w.each)
	// Above the limit a read moves nothing.
	if _, err := s.Read(ids[0], out); err != nil {
		return "", false, err
	}
	if above := s.Stats().Warm; above >= limit {
		if info, err := s.Info(ids[0]); err != nil || info.Bits != o.Config.WarmLowBits {
			return fmt.Sprintf("returned at %s, above the limit of %s", mebibytes(above), mebibytes(limit)), false, err
		}
	}
	// Room for some, from those on that were used last.
	for i := len(ids) - 1; i > 0 && s.Stats().Warm > limit/2; i-- {
		if err := s.Remove(ids[i]); err != nil {
			return "", false, err
		}
	}
	below := s.Stats().Warm
	if _, err := s.Read(ids[0], out); err != nil {
		return "", false, err
	}
	info, err := s.Info(ids[0])
	if err != nil {
		return "", false, err
	}
	after := s.Stats().Warm
	figure = fmt.Sprintf("at %s, below %v times the cap, a read brought %d bits back to %d, and the sum to %s",
		mebibytes(below), o.Config.Hysteresis, o.Config.WarmLowBits, info.Bits, mebibytes(after))
	if info.Bits != o.Config.WarmBits {
		figure = fmt.Sprintf("at %s, where the limit is %s, a read left a tensor at %d bits", mebibytes(below), mebibytes(limit), info.Bits)
	}
	// From the source, so as good as it was.
	want := make([]float32, w.each)
	if err := w.Values(ids[0], want); err != nil {
		return "", false, err
	}
	for i := range out {
		if math.Abs(float64(out[i])-float64(want[i])) > info.Bound {
			return fmt.Sprintf("value %d is %v, and was %v", i, out[i], want[i]), false, nil
		}
	}
	return figure, info.Bits == o.Config.WarmBits && after <= limit && !info.Degraded, nil
}

// mebibytes writes a size as caps are given.
func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
