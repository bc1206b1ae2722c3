// Package heapsize adds up the memory that a value keeps.
//
// In: a pointer. Out: the bytes of what it points to and of all that can be reached from
// there, each byte once. It must not know what the value means.
package heapsize

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Of returns the bytes of what p, a pointer, points to, and of all that is reached from there
// through pointers, slices (with their spare capacity), texts and interfaces, also where
// several share memory; of an array of which a part is reached, that part. What the allocator
// adds to round sizes up is not in it, nor are maps, channels, functions and what atomic and weak pointers and unsafe ones lead to: caches that
// can be made again are kept behind these. It panics if p is no pointer.
func Of(p any) int64 {
	v := reflect.ValueOf(p)
	if v.Kind() != reflect.Pointer {
		panic(fmt.Sprintf("heapsize: %T is no pointer", p))
	}
	w := walker{seen: map[place]bool{}, plain: map[reflect.Type]bool{}}
	w.visit(v)
	return w.total()
}

// place is an array of elements of a type.
type place struct {
	start uintptr
	n     int
	typ   reflect.Type
}

// span is the bytes start … end-1.
type span struct{ start, end uintptr }

type walker struct {
	spans []span
	seen  map[place]bool
	plain map[reflect.Type]bool // types without a way to other memory
	apart uintptr               // bytes of what interfaces hold themselves: where it lies is not to be had
}

// take counts n elements, and reports whether what they lead to is yet to be visited.
func (w *walker) take(start unsafe.Pointer, n int, elem reflect.Type) bool {
	size := uintptr(n) * elem.Size()
	if size == 0 {
		return false
	}
	at := uintptr(start)
	w.spans = append(w.spans, span{at, at + size})
	if w.isPlain(elem) {
		return false
	}
	p := place{at, n, elem}
	if w.seen[p] {
		return false
	}
	w.seen[p] = true
	return true
}

// visit follows a value to the memory that it refers to.
func (w *walker) visit(v reflect.Value) {
	if w.isPlain(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && w.take(v.UnsafePointer(), 1, v.Type().Elem()) {
			w.visit(v.Elem())
		}
	case reflect.Slice:
		if w.take(v.UnsafePointer(), v.Cap(), v.Type().Elem()) {
			for i := range v.Len() {
				w.visit(v.Index(i))
			}
		}
	case reflect.String:
		text := v.String()
		w.take(unsafe.Pointer(unsafe.StringData(text)), len(text), reflect.TypeFor[byte]())
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		held := v.Elem()
		if held.Kind() != reflect.Pointer {
			w.apart += held.Type().Size()
		}
		w.visit(held)
	case reflect.Struct:
		for i := range v.NumField() {
			w.visit(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			w.visit(v.Index(i))
		}
	}
}

// isPlain reports whether values of the type lead to no other memory that is counted.
func (w *walker) isPlain(t reflect.Type) bool {
	plain, known := w.plain[t]
	if known {
		return plain
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.String, reflect.Interface:
		plain = false
	case reflect.Struct:
		plain = true
		for i := range t.NumField() {
			plain = plain && w.isPlain(t.Field(i).Type)
		}
	case reflect.Array:
		plain = t.Len() == 0 || w.isPlain(t.Elem())
	default:
		plain = true
	}
	w.plain[t] = plain
	return plain
}

// total returns the bytes that the spans cover.
func (w *walker) total() int64 {
	slices.SortFunc(w.spans, func(a, b span) int {
		switch {
		case a.start < b.start:
			return -1
		case a.start > b.start:
			return 1
		}
		return 0
	})
	sum, end := w.apart, uintptr(0)
	for _, s := range w.spans {
		if s.end > end {
			sum += s.end - max(s.start, end)
			end = s.end
		}
	}
	return int64(sum)
}
