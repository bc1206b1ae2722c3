package profile

import (
	"math"
	"slices"

	"boost/internal/kernel/bin"
)

// keyOf returns the key of a float's bits, any one for NaN.
func keyOf[K bin.Key](bits K) K {
	if keys := bin.FromBits([]K{bits}); len(keys) > 0 {
		return keys[0]
	}
	return 0
}

// valueOf returns the number of a key.
func valueOf[K bin.Key](key K) float64 {
	switch bits := any(bin.ToBits(key)).(type) {
	case uint32:
		return float64(math.Float32frombits(bits))
	case uint64:
		return math.Float64frombits(bits)
	}
	return 0
}

// sorted holds the values of a column in ascending order, missing ones left out: keys, and
// between them fills times the key fill, which stands at index at.
type sorted[K bin.Key] struct {
	keys  []K
	fill  K
	fills int
	at    int
}

func newSorted[K bin.Key](keys []K, fill K, fills int) *sorted[K] {
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
