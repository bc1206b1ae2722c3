package profile

import (
	"math"
	"slices"
)

// Numbers are sorted as unsigned integers whose order is that of the numbers: the bits of
// a positive float with the sign bit set, those of a negative one turned over. −0 is 0.

func keyOf32(v float32) uint32 {
	if v == 0 {
		v = 0
	}
	b := math.Float32bits(v)
	if b>>31 != 0 {
		return ^b
	}
	return b | 1<<31
}

func keyOf64(v float64) uint64 {
	if v == 0 {
		v = 0
	}
	b := math.Float64bits(v)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// valueOf is the inverse of keyOf32 or keyOf64.
func valueOf[K uint32 | uint64](key K) float64 {
	switch k := any(key).(type) {
	case uint32:
		if k>>31 != 0 {
			return float64(math.Float32frombits(k &^ (1 << 31)))
		}
		return float64(math.Float32frombits(^k))
	case uint64:
		if k>>63 != 0 {
			return math.Float64frombits(k &^ (1 << 63))
		}
		return math.Float64frombits(^k)
	}
	return 0
}

// sortKeys sorts keys, byte by byte from the lowest where there are many. It returns the
// sorted slice, which is keys or spare; spare is at least as long as keys.
func sortKeys[K uint32 | uint64](keys, spare []K) []K {
	if len(keys) < 1<<10 {
		slices.Sort(keys)
		return keys
	}
	spare = spare[:len(keys)]
	var counts [8][256]int
	size := 4
	if _, wide := any(K(0)).(uint64); wide {
		size = 8
	}
	for _, k := range keys {
		for b := range size {
			counts[b][byte(k>>(8*b))]++
		}
	}
	for b := range size {
		start := &counts[b]
		if start[byte(keys[0]>>(8*b))] == len(keys) {
			continue // all keys share this byte
		}
		sum := 0
		for i, n := range start {
			start[i] = sum
			sum += n
		}
		for _, k := range keys {
			at := &start[byte(k>>(8*b))]
			spare[*at] = k
			*at++
		}
		keys, spare = spare, keys
	}
	return keys
}

// sorted holds the values of a column in ascending order, missing ones left out: keys, and
// between them fills times the key fill, which stands at index at.
type sorted[K uint32 | uint64] struct {
	keys  []K
	fill  K
	fills int
	at    int
}

func newSorted[K uint32 | uint64](keys []K, fill K, fills int) *sorted[K] {
	at, _ := slices.BinarySearch(keys, fill)
	return &sorted[K]{keys: keys, fill: fill, fills: fills, at: at}
}

func (s *sorted[K]) len() int { return len(s.keys) + s.fills }

// value returns value i in ascending order.
func (s *sorted[K]) value(i int) float64 {
	switch {
	case i < s.at:
		return valueOf(s.keys[i])
	case i < s.at+s.fills:
		return valueOf(s.fill)
	}
	return valueOf(s.keys[i-s.fills])
}

// runs calls visit for every distinct value, ascending, with the number of its cells.
func (s *sorted[K]) runs(visit func(key K, cells int)) {
	keys := s.keys
	filled := s.fills == 0
	for i := 0; i < len(keys); {
		if !filled && keys[i] >= s.fill {
			filled = true
			if keys[i] > s.fill {
				visit(s.fill, s.fills)
				continue
			}
		}
		end := i + 1
		for end < len(keys) && keys[end] == keys[i] {
			end++
		}
		cells := end - i
		if s.fills > 0 && keys[i] == s.fill {
			cells += s.fills
		}
		visit(keys[i], cells)
		i = end
	}
	if !filled {
		visit(s.fill, s.fills)
	}
}

// quantile interpolates linearly between the two values nearest to a share of the way from
// the first to the last; nil where that is no finite number. There is at least one value.
func (s *sorted[K]) quantile(share float64) *float64 {
	place := share * float64(s.len()-1)
	i := min(int(place), s.len()-1)
	low := s.value(i)
	part := place - float64(i)
	if part == 0 || i+1 == s.len() {
		return finite(low)
	}
	high := s.value(i + 1)
	if low == high {
		return finite(low)
	}
	if step := high - low; !math.IsInf(step, 0) {
		return finite(low + part*step)
	}
	return finite(low*(1-part) + high*part)
}

// finite is nil for what is no finite number.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
