package store

import (
	"maps"
	"slices"
	"time"
)

// Info is what is known of a tensor.
type Info struct {
	ID         string
	Shape      []int
	DType      string // "float32"
	Created    time.Time
	LastAccess time.Time
	Accesses   uint64
	Score      uint64
	Tier       Tier
	Bits       int   // 0 if absent
	Bytes      int64 // of its codes, or of its rule's bytes if absent
	// Bound is the most by which a value read can differ from the one put; what was discarded
	// has the largest magnitude that was there.
	Bound float64
	// Degraded reports whether the tensor's use calls for a higher tier or more bits than it
	// has, and no source could give them.
	Degraded bool
	Master   bool   // its lossless values are kept on disk
	Base     string // what its rule refers to, "" if nothing
	HasRule  bool
	// Sum is the CRC32C of the values that were put, 4 bytes each.
	Sum uint32
}

// Stats is what a store holds.
type Stats struct {
	Tensors  map[Tier]int
	Bytes    map[Tier]int64 // of the codes; of the rules' bytes of absent ones
	Narrow   int            // warm tensors at WarmLowBits
	Degraded int
	Warm     int64 // bytes of the blocks of warm tensors, as the cap counts them
	OverCap  int64 // by which these exceed the cap
	Resident int64 // bytes in memory, as MemoryCap counts them
	Live     int64 // bytes of the records on disk that are there
	Disk     int64 // bytes of the log
	// SourceFailures counts errors of the Source other than ErrNoSource, and values of
	// it that were not those put.
	SourceFailures uint64
}

// Info returns what is known of a tensor. It is no access. Errors: ErrNotFound.
func (s *Store) Info(id string) (Info, error) {
	now := s.now()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	t := s.tensors[id]
	if t == nil {
		return Info{}, about(id, ErrNotFound)
	}
	info := Info{
		ID: id, Shape: slices.Clone(t.shape), DType: "float32",
		Created: time.Unix(0, t.created), LastAccess: time.Unix(0, t.last), Accesses: t.count,
		Score: s.score(&t.state, now), Tier: t.tier, Bits: t.bits, Bytes: t.codes,
		Bound: s.bound(t, s.cfg.MaxDepth), Degraded: t.degraded, Master: t.master != 0, Sum: t.content,
	}
	if t.rule != nil {
		info.HasRule, info.Base = true, t.rule.ref
	}
	if t.tier == Absent {
		info.Bytes = t.size
	}
	return info, nil
}

// IDs returns the ids of all tensors in order.
func (s *Store) IDs() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Sorted(maps.Keys(s.tensors))
}

// Stats counts what the store holds.
func (s *Store) Stats() Stats {
	live, total := s.log.Size()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	st := Stats{
		Tensors: map[Tier]int{}, Bytes: map[Tier]int64{},
		Warm: s.warm, OverCap: max(0, s.warm-s.cfg.WarmByteCap),
		Resident: s.residents.bytes, Live: live, Disk: total, SourceFailures: s.sourceErr,
	}
	for _, t := range s.tensors {
		st.Tensors[t.tier]++
		if t.tier == Absent {
			st.Bytes[t.tier] += t.size
		} else {
			st.Bytes[t.tier] += t.codes
		}
		if t.tier == Warm && t.bits == s.cfg.WarmLowBits {
			st.Narrow++
		}
		if t.degraded {
			st.Degraded++
		}
	}
	return st
}
