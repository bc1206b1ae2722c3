package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/internal/recordlog"
	"boost/tensorq"
)

// link is a tensor as a read found it: the tensor asked for first, then what its rule
// refers to, and so on.
type link struct {
	t       *tensor
	state   // then
	seq     uint64
	payload []byte // nil: on disk
}

// links returns a tensor and, if deep says so, follows the rules from it. The caller holds
// mutex.
func (s *Store) links(id string, deep bool) ([]link, error) {
	t := s.tensors[id]
	if t == nil {
		return nil, about(id, ErrNotFound)
	}
	chain := []link{{t, t.state, t.seq, t.payload}}
	var seen map[string]bool
	for deep && t.tier == Absent && t.rule.refers() {
		ref := t.rule.ref
		if seen == nil {
			seen = map[string]bool{id: true}
		}
		if seen[ref] {
			return nil, about(id, fmt.Errorf("%w, by %q", ErrCycle, ref))
		}
		seen[ref] = true
		next := s.tensors[ref]
		if next == nil {
			return nil, about(id, fmt.Errorf("the rule of %q refers to %q: %w", t.id, ref, ErrNotFound))
		}
		// Of the last one the codes vouch for the shape; the others' are checked against it before
		// memory is taken for their values.
		if err := t.rule.fits(t.id, t.shape, next.shape); err != nil {
			return nil, err
		}
		t = next
		chain = append(chain, link{t, t.state, t.seq, t.payload})
	}
	if depth := len(chain) - 1; depth > s.cfg.MaxDepth {
		return nil, about(id, fmt.Errorf("%w: %d, and max_depth is %d", ErrReconstructionDepth, depth, s.cfg.MaxDepth))
	}
	return chain, nil
}

// fetch reads the payloads that are not in memory. False says that a tensor was changed
// meanwhile.
func (s *Store) fetch(chain []link, keep bool) (bool, error) {
	for i := range chain {
		l := &chain[i]
		if l.payload != nil || l.t.size == 0 {
			continue
		}
		payload, entry, err := s.log.Read(recordTensor, l.t.id, nil)
		if errors.Is(err, recordlog.ErrNotFound) || err == nil && entry.Seq != l.seq {
			return false, nil
		}
		if err != nil {
			return false, about(l.t.id, err)
		}
		// The record around it is not to stay in memory with it.
		l.payload = bytes.Clone(payload)
		if !keep {
			continue
		}
		s.mutex.Lock()
		if s.tensors[l.t.id] == l.t && l.t.payload == nil {
			s.residents.keep(l.t, l.payload)
		}
		s.mutex.Unlock()
	}
	return true, nil
}

// collect returns the links from a tensor, deep ones too, with their payloads, which stay in
// memory if keep says so. Chain is what was found a moment ago, or nil.
func (s *Store) collect(chain []link, id string, deep, keep bool) ([]link, error) {
	for stale := chain; ; chain, stale = nil, chain {
		if chain == nil {
			var err error
			s.mutex.Lock()
			chain, err = s.links(id, deep)
			s.mutex.Unlock()
			if err != nil {
				return nil, err
			}
			if slices.EqualFunc(chain, stale, func(a, b link) bool { return a.t == b.t }) {
				// Nothing is under way: a Refresh has failed, and the log goes on without it.
				return nil, about(id, ErrChanged)
			}
		}
		if same, err := s.fetch(chain, keep); same || err != nil {
			return chain, err
		}
		s.settled()
	}
}

// settled waits until a change that is under way is done.
func (s *Store) settled() {
	s.writing.Lock()
	//lint:ignore SA2001 there is nothing to do but to wait
	s.writing.Unlock()
}

// Read writes the values of a tensor to out, which may be longer, and returns how many
// they are. It counts as an access to the tensor, and to those that it is made from if it is absent. A tensor
// that was narrowed because there were too many warm ones returns to its width, one a
// call, where there is room and a source; where that fails it is marked degraded and read as it is. Errors: ErrNotFound, ErrTierZeroNoPolicy with FailFast, ErrReconstructionDepth,
// ErrCycle, tensorq.ErrOutputTooSmall, *DamageError, ErrChanged if the tensor was put with another shape
// meanwhile or a Refresh failed.
func (s *Store) Read(id string, out []float32) (int, error) {
	chain, n, err := s.access(id, len(out))
	if err != nil {
		return 0, err
	}
	return n, s.readInto(id, chain, out[:n])
}

// access counts an access to a tensor, widens it if that is due, and returns it with what its rule refers to,
// nil if that was changed by the widening, and how many values it has. Room for fewer is an error, a negative one none.
func (s *Store) access(id string, room int) (chain []link, n int, err error) {
	now := s.now()
	s.mutex.Lock()
	if s.closed {
		s.mutex.Unlock()
		return nil, 0, about(id, ErrClosed)
	}
	if chain, err = s.links(id, true); err != nil {
		s.mutex.Unlock()
		return nil, 0, err
	}
	n = product(chain[0].shape)
	if room >= 0 && room < n {
		s.mutex.Unlock()
		return nil, 0, about(id, tensorq.ErrOutputTooSmall{Required: n})
	}
	for _, l := range chain {
		l.t.last, l.t.used = now, true
		if l.t.count != math.MaxUint64 {
			l.t.count++
		}
		s.residents.use(l.t)
	}
	widen := s.writer != nil && s.mayWiden(chain[0].t, now)
	s.mutex.Unlock()
	if widen {
		s.widen(chain[0].t, now)
		chain = nil
	}
	return chain, n, nil
}

// readInto makes the values of a tensor. Chain is how it was found a moment ago, or nil.
func (s *Store) readInto(id string, chain []link, out []float32) error {
	chain, err := s.collect(chain, id, true, true)
	if err != nil {
		return err
	}
	if product(chain[0].shape) != len(out) {
		return about(id, ErrChanged)
	}
	return s.make(chain, out)
}

// make writes the values of the first tensor of a chain, whose payloads are there, to out.
func (s *Store) make(chain []link, out []float32) error {
	l := &chain[0]
	id := l.t.id
	if l.tier != Absent {
		if err := decode(l.payload[:l.codes], out); err != nil {
			return about(id, err)
		}
		return nil
	}
	if !l.rule.refers() {
		if s.cfg.FailFast {
			return about(id, ErrTierZeroNoPolicy)
		}
		clear(out)
		return nil
	}
	return s.execute(id, l.rule, l.payload[l.codes:], l.shape, chain[1:], out)
}

// execute makes values by a rule from the first tensor of a chain.
func (s *Store) execute(id string, r *rule, data []byte, shape []int, chain []link, out []float32) error {
	base := &chain[0]
	if base.tier == Absent && !base.rule.refers() {
		// Zeros for what is gone are one thing, values made from such zeros another.
		return about(id, fmt.Errorf("its rule refers to %q: %w", r.ref, ErrTierZeroNoPolicy))
	}
	if err := r.fits(id, shape, base.shape); err != nil {
		return err
	}
	values := out
	if !r.sameShape() {
		values = make([]float32, product(base.shape))
	}
	if err := s.make(chain, values); err != nil {
		return err
	}
	return r.execute(id, values, base.shape, data, shape, out, s.options.Rules)
}

// bound is the most by which a value read can differ from the one put. Of a rule in force
// that was measured when it came into force; where its base has changed since, both of the base's bounds
// come to it, and the rounding of the results. The caller holds mutex.
func (s *Store) bound(t *tensor, depth int) float64 {
	if t.tier != Absent || !t.rule.refers() {
		return t.bound
	}
	base := s.tensors[t.rule.ref]
	if base == nil || depth == 0 {
		return math.Inf(1)
	}
	if s.signature(base, depth-1) == t.rule.baseSum {
		return t.bound
	}
	drift := up(t.rule.gain(s.options.Rules) * (t.rule.limit + s.bound(base, depth-1)))
	rounding := float64(0x1p-23 * (float64(t.rule.peak) + drift))
	return up(up(t.bound+drift) + rounding)
}

// signature stands for the values that a tensor reads as.
func (s *Store) signature(t *tensor, depth int) uint32 {
	if t.tier != Absent || !t.rule.refers() {
		return t.sum
	}
	sum := signatureOf(t.sum, t.rule)
	if base := s.tensors[t.rule.ref]; base != nil && depth > 0 {
		sum ^= s.signature(base, depth-1)
	}
	return sum
}
