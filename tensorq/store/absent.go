package store

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"

	"boost/tensorq"
)

// SetRule says how a tensor is to be made again once it is absent, nil that it is not to
// become absent. The data stays until Sweep or Retire drops it, and those do only when the rule makes values
// that differ from the tensor's by no more than the tolerance; 0 stands for the
// tensor's own bound. Errors: ErrNotFound for the tensor or the one that the rule refers
// to, ErrCycle, ErrAbsent, *ShapeError, ErrTooLong for a list of parts of more than 1 MiB (see
// Permutation), *UnsyncedError, ErrBroken.
func (s *Store) SetRule(id string, r Rule, tolerance float64) error {
	if !(tolerance >= 0) || math.IsInf(tolerance, 1) {
		return about(id, fmt.Errorf("a tolerance of %v: expected a finite number, 0 or more", tolerance))
	}
	for {
		l, err := s.snapshot(id)
		if err != nil {
			return err
		}
		if l.tier == Absent {
			return about(id, ErrAbsent)
		}
		var made *rule
		var data []byte
		if r != nil {
			if made, data, err = r.normal(id, l.shape, s.cfg.Quant); err != nil {
				return err
			}
			made.limit = tolerance
		}
		done, err := s.setRule(l, made, data)
		if done || err != nil {
			return err
		}
	}
}

func (s *Store) setRule(l *link, r *rule, data []byte) (done bool, err error) {
	id := l.t.id
	s.writing.Lock()
	defer s.writing.Unlock()
	now, err := s.writable(id)
	if err != nil {
		return false, err
	}
	if now != l.t {
		return false, nil
	}
	if r.refers() {
		if r.kind == ruleCustom {
			if _, ok := s.options.Rules[r.name]; !ok {
				return false, about(id, fmt.Errorf("no function for rules called %q: give it in Options.Rules", r.name))
			}
		}
		if err := s.checkReferences(id, l.shape, r); err != nil {
			return false, err
		}
	}
	payload := append(append([]byte(nil), l.payload[:l.codes]...), data...)
	if err := s.turn(l.t, payload, func(t *state) { t.rule = r }); err != nil {
		return false, err
	}
	return true, s.durable(id)
}

// checkReferences refuses a rule that leads nowhere or back.
func (s *Store) checkReferences(id string, shape []int, r *rule) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	base := s.tensors[r.ref]
	if base == nil {
		return about(id, fmt.Errorf("its rule refers to %q: %w", r.ref, ErrNotFound))
	}
	if err := r.fits(id, shape, base.shape); err != nil {
		return err
	}
	seen := map[string]bool{}
	for t := base; t != nil && t.rule.refers() && !seen[t.id]; t = s.tensors[t.rule.ref] {
		if seen[t.id] = true; t.rule.ref == id {
			return about(id, fmt.Errorf("%w, by %q", ErrCycle, t.id))
		}
	}
	return nil
}

// Retire drops the data of a tensor that has a rule: it becomes absent. The rule is executed
// first, and what it makes compared with the lossless values or, without these, with the codes; a
// rule to discard is compared with nothing. There is no way back but the rule and the source. Errors:
// *EarlyError, *MismatchError, *NeededError, ErrNoRule, ErrAbsent, ErrReconstructionDepth,
// ErrChanged; the data is then still there. *UnsyncedError, ErrBroken: see there.
func (s *Store) Retire(id string) error {
	if err := s.retire(id, nil); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.writable(id); err != nil {
		return err
	}
	return s.durable(id)
}

// retire is Retire without waiting for the disk, of one tensor or, if that is nil, of any
// of that id.
func (s *Store) retire(id string, of *tensor) error {
	if s.writer == nil {
		return about(id, ErrReadOnly)
	}
	l, err := s.snapshot(id)
	if err != nil {
		return err
	}
	switch {
	case of != nil && l.t != of:
		return about(id, ErrChanged)
	case l.tier == Absent:
		return about(id, ErrAbsent)
	case l.rule == nil:
		return about(id, ErrNoRule)
	case s.limits(id).Keep:
		return about(id, ErrKept)
	}
	if err := s.idle(id, &l.state); err != nil {
		return err
	}
	made := make([]float32, product(l.shape))
	var chain []link
	if l.rule.refers() {
		if chain, err = s.rehearse(l, made); err != nil {
			return err
		}
	}
	residual, err := s.compare(l, made)
	if err != nil {
		return err
	}
	return s.drop(l, chain, residual, tensorq.MaxAbs(made))
}

// idle checks that a tensor is used little enough (S3.55).
func (s *Store) idle(id string, t *state) error {
	now := s.now()
	score, age := s.score(t, now), t.age(now)
	if score < s.cfg.AbsentMinScore && age > s.cfg.AbsentAgeThreshold {
		return nil
	}
	return &EarlyError{ID: id, Score: score, Age: age, MinScore: s.cfg.AbsentMinScore, Threshold: s.cfg.AbsentAgeThreshold}
}

// rehearse executes the rule of a tensor and returns what it was made from.
func (s *Store) rehearse(l *link, out []float32) ([]link, error) {
	chain, err := s.collect(nil, l.rule.ref, true, false)
	if err != nil {
		return nil, err
	}
	return chain, s.execute(l.t.id, l.rule, l.payload[l.codes:], l.shape, chain, out)
}

// compare measures how far what a rule makes is from the values put, and refuses what is
// too far. Nothing is too far for a rule to discard: that is said in so many words.
func (s *Store) compare(l *link, made []float32) (float64, error) {
	truth := make([]float32, len(made))
	own := 0.0
	ok, err := s.lossless(l, false, truth)
	if err != nil {
		return 0, err
	}
	if !ok {
		if err := decode(l.payload[:l.codes], truth); err != nil {
			return 0, about(l.t.id, err)
		}
		own = l.bound
	}
	i, worst := largestDifference(made, truth)
	tolerance := l.rule.limit
	if tolerance == 0 {
		tolerance = up(l.bound) // worst is rounded up likewise
	}
	if l.rule.refers() && !(worst <= tolerance) {
		return 0, &MismatchError{ID: l.t.id, Index: i, Got: made[i], Want: truth[i], Tolerance: tolerance}
	}
	if own > 0 {
		worst = up(worst + own)
	}
	return worst, nil
}

// drop makes the tensor absent, if nothing has changed since its rule was rehearsed.
func (s *Store) drop(l *link, chain []link, residual float64, peak float32) error {
	id := l.t.id
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.unchanged(l, chain); err != nil {
		return err
	}
	if err := s.mayDrop(l, len(chain)); err != nil {
		return err
	}
	s.mutex.Lock()
	latest := l.t.state
	s.mutex.Unlock()
	if err := s.idle(id, &latest); err != nil { // it may have been read meanwhile
		return err
	}
	data := bytes.Clone(l.payload[l.codes:]) // the codes are not to stay in memory with it
	r := *l.rule
	if r.refers() {
		s.mutex.Lock()
		r.limit = s.bound(chain[0].t, s.cfg.MaxDepth)
		r.baseSum = s.signature(chain[0].t, s.cfg.MaxDepth)
		r.peak = peak
		s.mutex.Unlock()
	}
	err := s.turn(l.t, data, func(t *state) {
		t.tier, t.bits, t.codes, t.degraded, t.master = Absent, 0, 0, false, 0
		if !t.own {
			t.block = 0
		}
		t.sum, t.bound, t.rule = crc32.Checksum(data, castagnoli), residual, &r
	})
	if err == nil && l.master != 0 {
		s.abandon(leftover{l.master, id})
	}
	return err
}

// mayDrop checks what others need of the tensor; it would be made by following so many
// references.
func (s *Store) mayDrop(l *link, below int) error {
	id := l.t.id
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !l.rule.refers() {
		if by := s.dependents(id, func(*tensor) bool { return true }); len(by) > 0 {
			return &NeededError{id, by}
		}
		return nil
	}
	if depth := below + s.above(id, s.cfg.MaxDepth+1); depth > s.cfg.MaxDepth {
		return about(id, fmt.Errorf("%w: there would be %d, and max_depth is %d", ErrReconstructionDepth, depth, s.cfg.MaxDepth))
	}
	return nil
}

// above is how many references lead to a tensor at most, one after another, from absent
// ones; no more than limit are counted.
func (s *Store) above(id string, limit int) int {
	deepest := 0
	if limit == 0 {
		return 0
	}
	for other := range s.needed[id] {
		if s.tensors[other].tier == Absent {
			deepest = max(deepest, 1+s.above(other, limit-1))
		}
	}
	return deepest
}
