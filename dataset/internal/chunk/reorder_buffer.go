package chunk

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
