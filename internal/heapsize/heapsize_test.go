package heapsize_test

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"boost/internal/heapsize"
)

type node struct {
	next *node
	name string
	list []int32
}

type holder struct {
	value any
	hidden
	cached atomic.Pointer[node]
}

type hidden struct{ numbers []uint16 }

// The sums are worked out by hand for 8-byte pointers: a node has 8 + 16 + 24 bytes.
func TestOf(t *testing.T) {
	if ^uint(0)>>63 == 0 {
		t.Skip("the sums are those of 64 bits")
	}
	text := strings.Repeat("x", 100)
	list := make([]int32, 3, 10)
	ring := &node{name: "ab"}
	ring.next = ring
	held := &holder{value: &node{}, hidden: hidden{make([]uint16, 5)}}
	held.cached.Store(&node{list: list})
	for name, c := range map[string]struct {
		value any
		want  int64
	}{
		"a number":           {new(int64), 8},
		"spare capacity":     {&node{list: list}, 48 + 40},
		"a ring":             {ring, 48 + 2},
		"shared text":        {&[]string{text, text[:50], text[20:]}, 24 + 3*16 + 100},
		"parts of text":      {&[]string{text[:10], text[50:60]}, 24 + 2*16 + 20},
		"parts of an array":  {&[][]int32{list[:2], list[1:3], list}, 24 + 3*24 + 40},
		"behind interfaces":  {held, 16 + 24 + 8 + 48 + 10},
		"a value held":       {&[]any{int64(7)}, 24 + 16 + 8},
		"nothing":            {&node{}, 48},
		"an array of slices": {&[2][]int32{list, nil}, 48 + 40},
	} {
		if got := heapsize.Of(c.value); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

// What the runtime says of the same memory is more by what it rounds up.
func TestOfMeasured(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	lists := make([][]int32, 1000)
	for i := range lists {
		lists[i] = make([]int32, 10_000+i)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	got, measured := heapsize.Of(&lists), int64(after.HeapAlloc)-int64(before.HeapAlloc)
	if got > measured || got < measured*8/10 {
		t.Errorf("%d bytes, of which the runtime says %d", got, measured)
	}
}

func TestOfNoPointer(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	heapsize.Of(node{})
}
