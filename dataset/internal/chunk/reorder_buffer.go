package chunk

import "sync"

// ReorderBuffer gives out in the order of their numbers, from 0 on, what comes in any order.
type ReorderBuffer[T any] struct {
	Next    int // the number of the next one to give out
	Waiting map[int]T
}

// Put takes one in.
func (t *ReorderBuffer[T]) Put(number int, v T) {
	if t.Waiting == nil {
		t.Waiting = make(map[int]T)
	}
	t.Waiting[number] = v
}

// Take gives out the next one; ok is false while it has not come.
func (t *ReorderBuffer[T]) Take() (v T, ok bool) {
	if v, ok = t.Waiting[t.Next]; ok {
		delete(t.Waiting, t.Next)
		t.Next++
	}
	return v, ok
}

// Sequence hands on, one at a time and in the order of their numbers, what several goroutines add.
type Sequence[T any] struct {
	Ahead int     // how many numbers a goroutine that can wait may be ahead of the next one
	Place func(T) // takes the next one

	mutex  sync.Mutex
	placed *sync.Cond // one was
	buffer ReorderBuffer[T]
}

// Add hands on what can be handed on now. A worker that is far ahead waits if it can, because others would fill
// the memory while the system leaves the worker of the next chunk aside. Only chunks whose numbers all come can
// wait: chunks of text do, and are dealt out in order, so that the worker of the next one never waits. A chunk
// of a columnar file may not come.
func (s *Sequence[T]) Add(number int, canWait bool, v T) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.placed == nil {
		s.placed = sync.NewCond(&s.mutex)
	}
	for canWait && number > s.buffer.Next+s.Ahead {
		s.placed.Wait()
	}
	defer s.placed.Broadcast()
	s.buffer.Put(number, v)
	for v, ok := s.buffer.Take(); ok; v, ok = s.buffer.Take() {
		s.Place(v)
	}
}
