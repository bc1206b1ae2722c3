package store

import "slices"

// residents are the tensors whose payloads are in memory, in the order of their use: a
// ring through a tensor that is none. Its bytes never exceed the cap.
type residents struct {
	cap   int64 // 0: no limit
	bytes int64
	ring  tensor
}

func (r *residents) init(cap int64) {
	r.cap = cap
	r.ring.before, r.ring.after = &r.ring, &r.ring
}

// use makes a resident the one that goes last.
func (r *residents) use(t *tensor) {
	if t.payload == nil {
		return
	}
	r.unlink(t)
	t.before, t.after = r.ring.before, &r.ring
	t.before.after, t.after.before = t, t
}

func (r *residents) unlink(t *tensor) {
	if t.before != nil {
		t.before.after, t.after.before = t.after, t.before
		t.before, t.after = nil, nil
	}
}

// drop takes a tensor's payload out of memory; a read that has it still may use it.
func (r *residents) drop(t *tensor) {
	r.unlink(t)
	r.bytes -= int64(len(t.payload))
	t.payload = nil
}

// keep takes a payload into memory if the cap has room for it, at the cost of those that
// were used longest ago.
func (r *residents) keep(t *tensor, payload []byte) {
	r.drop(t)
	size := int64(len(payload))
	if size == 0 || r.cap > 0 && size > r.cap {
		return
	}
	for r.cap > 0 && r.bytes+size > r.cap {
		r.drop(r.ring.after)
	}
	if cap(payload) > len(payload)+len(payload)/8 {
		payload = slices.Clone(payload)
	}
	t.payload = payload
	r.bytes += size
	r.use(t)
}
