package borders

import (
	"slices"

	"boost/internal/kernel/bin"
)

// Runs holds the distinct values of a column in ascending order, and for each how
// much of the column stands up to it. Cuts are found on runs, so that a value costs
// the same however often it occurs: the zeros of a sparse column are one run.
type Runs[K bin.Key] struct {
	Keys []K
	Ends []uint32 // rows whose value is at most that of the run
	Sums []uint64 // their weight; nil where rows count alike
}

// upTo returns the weight of the rows up to a run, or their number where they count alike.
func (r *Runs[K]) upTo(run int) uint64 {
	if r.Sums != nil {
		return r.Sums[run]
	}
	return uint64(r.Ends[run])
}

// total returns the weight of all rows with a value.
func (r *Runs[K]) total() uint64 {
	if len(r.Keys) == 0 {
		return 0
	}
	return r.upTo(len(r.Keys) - 1)
}

// beyond returns the first run, from run on, up to which there is more than target,
// which is less than the total.
func (r *Runs[K]) beyond(run int, target uint64) int {
	step := 1
	for run+step < len(r.Keys) && r.upTo(run+step-1) <= target {
		run += step
		step *= 2
	}
	high := min(run+step, len(r.Keys)) - 1
	for run < high {
		if middle := int(uint(run+high) / 2); r.upTo(middle) <= target {
			run = middle + 1
		} else {
			high = middle
		}
	}
	return run
}

// Join turns sorted keys into runs, in place; ends has room for as many. loads
// holds the keys' weights, or is nil, and becomes the running sums.
func Join[K bin.Key](keys []K, ends []uint32, loads []uint64) Runs[K] {
	ends = ends[:len(keys)]
	if len(keys) == 0 {
		return Runs[K]{keys, ends, loads}
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
		return Runs[K]{Keys: keys[:last+1], Ends: ends[:last+1]}
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
	return Runs[K]{Keys: keys[:last+1], Ends: ends[:last+1], Sums: loads[:last+1]}
}

// Insert adds count rows of one value, whose weight is load, in place: the slices
// must have room for one run more.
func (r *Runs[K]) Insert(key K, count uint32, load uint64) {
	if count == 0 {
		return
	}
	at, present := slices.BinarySearch(r.Keys, key)
	if !present {
		r.Keys, r.Ends = append(r.Keys, 0), append(r.Ends, 0)
		copy(r.Keys[at+1:], r.Keys[at:])
		copy(r.Ends[at+1:], r.Ends[at:])
		r.Keys[at], r.Ends[at] = key, 0
		if at > 0 {
			r.Ends[at] = r.Ends[at-1]
		}
		if r.Sums != nil {
			r.Sums = append(r.Sums, 0)
			copy(r.Sums[at+1:], r.Sums[at:])
			if r.Sums[at] = 0; at > 0 {
				r.Sums[at] = r.Sums[at-1]
			}
		}
	}
	for i := at; i < len(r.Ends); i++ {
		r.Ends[i] += count
		if r.Sums != nil {
			r.Sums[i] += load
		}
	}
}
