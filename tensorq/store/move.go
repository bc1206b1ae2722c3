package store

import "bytes"

// Form says in which form a tensor is.
type Form struct {
	Tier Tier
	Bits int // 0 if absent
	// Version is another number after each change of the tensor's form or values.
	Version uint64
}

func (l *link) form() Form { return Form{l.tier, l.bits, l.seq} }

// Touch counts an access to a tensor, as Read does, and returns the form that the tensor has
// then: what was made of its codes before still stands where Version is the same. Errors: those of Read.
func (s *Store) Touch(id string) (Form, error) {
	chain, _, err := s.access(id, -1)
	if err != nil {
		return Form{}, err
	}
	if chain != nil {
		return chain[0].form(), nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if chain, err = s.links(id, false); err != nil {
		return Form{}, err
	}
	return chain[0].form(), nil
}

// Codes returns the codes of a tensor, a segment of version 2 that is the caller's, with the form that
// they are. It is no access. Errors: ErrNotFound, ErrAbsent, *DamageError.
func (s *Store) Codes(id string) ([]byte, Form, error) {
	l, err := s.snapshot(id)
	if err != nil {
		return nil, Form{}, err
	}
	if l.tier == Absent {
		return nil, l.form(), about(id, ErrAbsent)
	}
	return bytes.Clone(l.payload[:l.codes]), l.form(), nil
}

// Move puts a tensor into the tier hot, warm or cold, from where the next Sweep moves it by its
// score unless Limits keep it. More bits, and a tensor that is absent, need a source. Errors: ErrQualityFloor
// where the tier has fewer bits than Limits allow, whatever Keep says; ErrNoSource; ErrChanged; ErrNotFound;
// *UnsyncedError, ErrBroken.
func (s *Store) Move(id string, tier Tier) error {
	if tier == Absent || tier > Cold {
		return about(id, errNoTier(tier))
	}
	width := s.cfg.bitsOf(tier)
	if tier != Hot && width < s.limits(id).MinBits {
		return about(id, floorError(tier, width))
	}
	s.mutex.Lock()
	t := s.tensors[id]
	same := t != nil && t.tier == tier && t.bits == width
	closed := s.closed
	s.mutex.Unlock()
	switch {
	case closed:
		return about(id, ErrClosed)
	case t == nil:
		return about(id, ErrNotFound)
	case s.writer == nil:
		return about(id, ErrReadOnly)
	case same:
		return nil
	}
	if err := s.requantize(t, tier, width, nil); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.durable(id)
}
