package store

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"time"

	"boost/internal/recordlog"
)

// lossless writes the values that were put to out, if anything has them: the source, the
// values kept on disk, or the rule. That they are those is checked, so that a tensor never turns
// into another.
func (s *Store) lossless(l *link, byRule bool, out []float32) (bool, error) {
	id := l.t.id
	if s.options.Source != nil {
		err := s.options.Source.Values(id, out)
		if err == nil && contentSum(out) == l.content {
			return true, nil
		}
		if !errors.Is(err, ErrNoSource) {
			s.mutex.Lock()
			s.sourceErr++
			s.mutex.Unlock()
		}
	}
	if l.master != 0 {
		raw, _, err := s.log.Read(l.master, id, nil)
		if err != nil && !errors.Is(err, recordlog.ErrNotFound) { // it goes when the tensor is put anew
			return false, about(id, err)
		}
		if len(raw) == 4*len(out) && crc32.Checksum(raw, castagnoli) == l.content {
			for i := range out {
				out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
			}
			return true, nil
		}
	}
	if !byRule || !l.rule.refers() {
		return false, nil
	}
	// A rule that fails is no source; it is reported when it is to replace the data.
	_, err := s.rehearse(l, out)
	return err == nil && contentSum(out) == l.content, nil
}

// contentSum is the checksum of values as they are put.
func contentSum(values []float32) uint32 {
	var sum uint32
	b := make([]byte, 0, 4096)
	for i, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		if len(b) == cap(b) || i == len(values)-1 {
			sum = crc32.Update(sum, castagnoli, b)
			b = b[:0]
		}
	}
	return sum
}

func signatureOf(sum uint32, r *rule) uint32 {
	return crc32.Update(sum, castagnoli, r.append(nil))
}

// snapshot returns a tensor with its payload.
func (s *Store) snapshot(id string) (*link, error) {
	one, err := s.collect(nil, id, false, false)
	if err != nil {
		return nil, err
	}
	return &one[0], nil
}

// requantize gives a tensor the bits of another tier, or other bits of its own. Fewer bits are made
// from the lossless values where there are any, and from the codes where not: both bounds
// are then added. More are made from lossless values only, otherwise it is ErrNoSource; as many
// stay as they are without any. allowed, if not nil, is asked under mutex just before the
// change; if it says no, nothing happens. ErrChanged if the tensor has been replaced.
func (s *Store) requantize(of *tensor, tier Tier, width int, allowed func(*tensor) bool) error {
	id := of.id
	l, err := s.snapshot(id)
	if err != nil {
		return err
	}
	if l.t != of {
		return about(id, ErrChanged)
	}
	values := make([]float32, product(l.shape))
	from := 0.0
	var chain []link
	ok, err := s.lossless(l, true, values)
	if err != nil {
		return err
	}
	switch {
	case ok:
	case l.tier == Absent && l.rule.refers():
		// The rule is what there is; what it makes is as good as it was said to be.
		if chain, err = s.rehearse(l, values); err != nil {
			return err
		}
		s.mutex.Lock()
		from = s.bound(l.t, s.cfg.MaxDepth)
		s.mutex.Unlock()
	case width == l.bits:
		return s.retier(l, tier)
	case width >= l.bits:
		return about(id, ErrNoSource)
	default:
		if err := decode(l.payload[:l.codes], values); err != nil {
			return about(id, err)
		}
		from = l.bound
	}
	quant := s.cfg.quantOf(tier)
	quant.BlockSize = s.blockOf(&l.state)
	codes, worst, err := encode(values, width, quant)
	if err != nil {
		return about(id, err)
	}
	if from > 0 {
		worst = up(from + worst)
	}
	payload := append(codes, l.payload[l.codes:]...)
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.unchanged(l, chain); err != nil {
		return err
	}
	if allowed != nil {
		s.mutex.Lock()
		may := allowed(l.t)
		s.mutex.Unlock()
		if !may {
			return nil
		}
	}
	return s.turn(l.t, payload, func(t *state) {
		if t.tier == Absent && t.rule.refers() {
			t.rule = t.rule.apart(t.bound)
		}
		t.degraded = t.degraded && width < t.bits // fewer bits do not help what lacks some
		t.tier, t.bits, t.bound = tier, width, worst
		t.codes, t.sum, t.block = int64(len(codes)), codesSum(codes), quant.BlockSize
	})
}

// retier gives a tensor another tier of the same bits: its codes stay as they are.
func (s *Store) retier(l *link, tier Tier) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.unchanged(l, nil); err != nil {
		return err
	}
	return s.turn(l.t, l.payload, func(t *state) { t.tier, t.degraded = tier, false })
}

// apart is a rule in force as one that is not, with the error that was measured when it
// came into force for tolerance.
func (r *rule) apart(residual float64) *rule {
	c := *r
	c.limit, c.baseSum, c.peak = residual, 0, 0
	return &c
}

// unchanged checks that nothing happened to a tensor, and to those that it was made from,
// since they were looked at. The caller holds writing.
func (s *Store) unchanged(l *link, chain []link) error {
	for _, l := range append([]link{*l}, chain...) {
		now, err := s.writable(l.t.id)
		if err != nil {
			return err
		}
		if now != l.t {
			return about(l.t.id, ErrChanged)
		}
	}
	return nil
}

// mayWiden reports whether a tensor is to return to the width of the warm tier (S3.47): it was
// narrowed, the sum is below the limit and stays at or below it. While a sweep is under way the sum
// is not what it will be, and nothing is widened. The caller holds mutex.
func (s *Store) mayWiden(t *tensor, now int64) bool {
	if s.moving || t.tier != Warm || t.bits != s.cfg.WarmLowBits || s.warm >= s.cfg.upLimit() {
		return false
	}
	if t.hasTry && now >= t.tried && time.Duration(now-t.tried) < s.cfg.SweepInterval {
		return false // there was no source a moment ago
	}
	if s.limits(t.id).Keep {
		return false
	}
	wide := blockBytes(product(t.shape), s.cfg.WarmBits, s.blockOf(&t.state))
	return s.warm-s.warmBytes(&t.state)+wide <= s.cfg.upLimit()
}

// widen returns a tensor to the width of the warm tier, or marks it degraded: whatever is
// in the way of that, a full disk too, is not in the way of reading.
func (s *Store) widen(t *tensor, now int64) {
	err := s.requantize(t, Warm, s.cfg.WarmBits, func(t *tensor) bool { return s.mayWiden(t, now) })
	if err != nil && !errors.Is(err, ErrChanged) {
		s.degrade(t, now)
	}
}

// degrade marks a tensor that nothing can raise, and reports whether it is still there.
func (s *Store) degrade(t *tensor, now int64) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.tensors[t.id] != t {
		return false
	}
	t.used = t.used || !t.degraded
	t.degraded, t.tried, t.hasTry = true, now, true
	return true
}
