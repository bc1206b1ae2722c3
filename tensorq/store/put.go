package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
)

// PutOptions says how a tensor is put. The zero value makes it hot.
type PutOptions struct {
	Tier   Tier // Hot, Warm or Cold; Absent stands for Hot
	Master bool // keep the lossless values on disk, as a source; fewer than 2³⁰ of them
	// BlockSize is how many values share a scale in this tensor, whatever its tier, 1 to
	// tensorq.MaxBlockSize; 0: as Config says.
	BlockSize int
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxID is the longest id in bytes.
const maxID = maxRef

// Put stores a tensor of a shape, row-major, in place of the one of that id and of its
// rule. Values must be finite, dimensions 1 or more, at most 8 of them and 2³⁰ values in
// all; no dimensions are one value. It counts as an access. Errors: *ShapeError, tensorq.ErrNotFinite, *NeededError if the
// rules of absent tensors refer to it, *UnsyncedError, ErrBroken.
func (s *Store) Put(id string, shape []int, values []float32, options PutOptions) error {
	if err := checkShape(id, shape, len(values)); err != nil {
		return err
	}
	if options.Tier == Absent {
		options.Tier = Hot
	}
	if options.Tier > Cold {
		return about(id, errNoTier(options.Tier))
	}
	width := s.cfg.bitsOf(options.Tier)
	quant := s.cfg.quantOf(options.Tier)
	if options.BlockSize != 0 {
		quant.BlockSize = options.BlockSize
	}
	codes, worst, err := encode(values, width, quant)
	if err != nil {
		return about(id, err)
	}
	if s.limits(id).MinBits > width && options.Tier != Hot {
		return about(id, floorError(options.Tier, width))
	}
	now := s.now()
	t := &tensor{id: id, state: state{
		shape: slices.Clone(shape), tier: options.Tier, bits: width,
		content: contentSum(values), sum: codesSum(codes), codes: int64(len(codes)),
		block: quant.BlockSize, own: options.BlockSize != 0, created: now, last: now, count: 1, bound: worst,
	}}
	s.writing.Lock()
	defer s.writing.Unlock()
	old, err := s.writable(id)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	by := s.dependents(id, func(t *tensor) bool { return t.tier == Absent })
	s.mutex.Unlock()
	if len(by) > 0 {
		return &NeededError{id, by}
	}
	if options.Master {
		// A stop before the tensor's record must find those that it has now.
		t.master = recordMaster
		if old != nil && old.master == recordMaster {
			t.master = recordOther
		}
		if _, err := s.writer.Append(t.master, id, nil, rawBytes(values)); err != nil {
			return about(id, err)
		}
	}
	if err := s.commit(t, old, codes, false); err != nil {
		if t.master != 0 {
			s.abandon(leftover{t.master, id})
		}
		return err
	}
	if old != nil && old.master != 0 {
		s.abandon(leftover{old.master, id})
	}
	return s.durable(id)
}

func checkShape(id string, shape []int, values int) error {
	if id == "" || len(id) > maxID {
		return &ShapeError{id, fmt.Sprintf("an id of %d bytes: expected 1 to %d", len(id), maxID)}
	}
	if len(shape) > maxDims {
		return &ShapeError{id, fmt.Sprintf("shape %v: expected at most %d dimensions", shape, maxDims)}
	}
	n := 1
	for _, d := range shape {
		if d < 1 || d > maxValues/n {
			return &ShapeError{id, fmt.Sprintf("shape %v: expected dimensions of 1 or more, and at most %d values", shape, maxValues)}
		}
		n *= d
	}
	if n != values {
		return &ShapeError{id, fmt.Sprintf("shape %v has %d values, and there are %d", shape, n, values)}
	}
	return nil
}

func rawBytes(values []float32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// codesSum stands for codes: the checksum that their segment ends with.
func codesSum(codes []byte) uint32 { return binary.LittleEndian.Uint32(codes[len(codes)-4:]) }

// writable returns the tensor of an id, nil if there is none, or why nothing can be
// written. The caller holds writing.
func (s *Store) writable(id string) (*tensor, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case s.closed:
		return nil, about(id, ErrClosed)
	case s.writer == nil:
		return nil, about(id, ErrReadOnly)
	}
	return s.tensors[id], nil
}

// commit writes the record of a tensor and then puts it in place of the old one, nil for
// none. If it is the same in another form, its use goes on, and it is in memory afterwards if it
// was before. The caller holds writing.
func (s *Store) commit(t, old *tensor, payload []byte, same bool) error {
	used := t.count
	seq, err := s.writer.Append(recordTensor, t.id, t.appendHead(nil), payload)
	if err != nil {
		return about(t.id, err)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	resident := !same || old.payload != nil
	if same && old.count != used { // reads went on meanwhile
		t.last, t.count, t.used = old.last, old.count, true
	}
	if old != nil {
		s.leave(old)
	}
	t.seq, t.size = seq, int64(len(payload))
	s.enter(t)
	if resident {
		s.residents.keep(t, payload)
	}
	return nil
}

// turn gives a tensor another form, which change makes of its state, and keeps the rest.
// The caller holds writing.
func (s *Store) turn(old *tensor, payload []byte, change func(*state)) error {
	s.mutex.Lock()
	t := &tensor{id: old.id, state: old.state, tried: old.tried, hasTry: old.hasTry}
	s.mutex.Unlock()
	change(&t.state)
	return s.commit(t, old, payload, true)
}

// durable syncs if every write is to be synced.
func (s *Store) durable(id string) error {
	if !s.cfg.SyncWrites {
		return nil
	}
	if err := s.writer.Sync(); err != nil {
		return &UnsyncedError{id, err}
	}
	return nil
}

// Remove removes a tensor. Errors: ErrNotFound, *NeededError if rules of others refer to
// it, *UnsyncedError, ErrBroken.
func (s *Store) Remove(id string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	t, err := s.writable(id)
	if err != nil {
		return err
	}
	if t == nil {
		return about(id, ErrNotFound)
	}
	s.mutex.Lock()
	by := s.dependents(id, func(*tensor) bool { return true })
	s.mutex.Unlock()
	if len(by) > 0 {
		return &NeededError{id, by}
	}
	if err := s.writer.Remove(recordTensor, id); err != nil {
		return about(id, err)
	}
	s.mutex.Lock()
	s.leave(t)
	s.mutex.Unlock()
	s.abandon(leftover{recordAccess, id}, leftover{recordMaster, id}, leftover{recordOther, id})
	return s.durable(id)
}
