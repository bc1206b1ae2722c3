package binning

import (
	"slices"

	"boost/internal/kernel/bin"
)

// runs holds the distinct values of a column in ascending order, and for each how
// much of the column stands up to it. Cuts are found on runs, so that a value costs
// the same however often it occurs: the zeros of a sparse column are one run.
type runs[K bin.Key] struct {
	keys []K
	ends []uint32 // rows whose value is at most that of the run
	sums []uint64 // their weight; nil where rows count alike
}

// upTo returns the weight of the rows up to a run, or their number where they count alike.
func (r *runs[K]) upTo(run int) uint64 {
	if r.sums != nil {
		return r.sums[run]
	}
	return uint64(r.ends[run])
}

// total returns the weight of all rows with a value.
func (r *runs[K]) total() uint64 {
	if len(r.keys) == 0 {
		return 0
	}
	return r.upTo(len(r.keys) - 1)
}

// beyond returns the first run, from run on, up to which there is more than target,
// which is less than the total.
func (r *runs[K]) beyond(run int, target uint64) int {
	step := 1
	for run+step < len(r.keys) && r.upTo(run+step-1) <= target {
		run += step
		step *= 2
	}
	high := min(run+step, len(r.keys)) - 1
	for run < high {
		if middle := int(uint(run+high) / 2); r.upTo(middle) <= target {
			run = middle + 1
		} else {
			high = middle
		}
	}
	return run
}

// joinEqual turns sorted keys into runs, in place; ends has room for as many. loads
// holds the keys' weights, or is nil, and becomes the running sums.
func joinEqual[K bin.Key](keys []K, ends []uint32, loads []uint64) runs[K] {
	ends = ends[:len(keys)]
	if len(keys) == 0 {
		return runs[K]{keys, ends, loads}
	}
	last, current := 0, keys[0]
	if loads == nil {
		for i, key := range keys {
			if key != current {
				last++
				current = key
			}
			keys[last], ends[last] = key, uint32(i+1)
		}
		return runs[K]{keys: keys[:last+1], ends: ends[:last+1]}
	}
	loads = loads[:len(keys)]
	var sum uint64 // below 2⁶⁴: fewer than 2³² rows of at most 2³²
	for i, key := range keys {
		if key != current {
			last++
			current = key
		}
		sum += loads[i]
		keys[last], ends[last], loads[last] = key, uint32(i+1), sum
	}
	return runs[K]{keys: keys[:last+1], ends: ends[:last+1], sums: loads[:last+1]}
}

// insert adds count rows of one value, whose weight is load, in place: the slices
// must have room for one run more.
func (r *runs[K]) insert(key K, count uint32, load uint64) {
	if count == 0 {
		return
	}
	at, present := slices.BinarySearch(r.keys, key)
	if !present {
		r.keys, r.ends = append(r.keys, 0), append(r.ends, 0)
		copy(r.keys[at+1:], r.keys[at:])
		copy(r.ends[at+1:], r.ends[at:])
		r.keys[at], r.ends[at] = key, 0
		if at > 0 {
			r.ends[at] = r.ends[at-1]
		}
		if r.sums != nil {
			r.sums = append(r.sums, 0)
			copy(r.sums[at+1:], r.sums[at:])
			if r.sums[at] = 0; at > 0 {
				r.sums[at] = r.sums[at-1]
			}
		}
	}
	for i := at; i < len(r.ends); i++ {
		r.ends[i] += count
		if r.sums != nil {
			r.sums[i] += load
		}
	}
}
