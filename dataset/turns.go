package dataset

// turns gives out in the order of their numbers, from 0 on, what comes in any order.
type turns[T any] struct {
	next    int // the number of the next one to give out
	waiting map[int]T
}

// put takes one in.
func (t *turns[T]) put(number int, v T) {
	if t.waiting == nil {
		t.waiting = make(map[int]T)
	}
	t.waiting[number] = v
}

// take gives out the next one; ok is false while it has not come.
func (t *turns[T]) take() (v T, ok bool) {
	if v, ok = t.waiting[t.next]; ok {
		delete(t.waiting, t.next)
		t.next++
	}
	return v, ok
}
