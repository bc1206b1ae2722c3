package bin

import (
	"math"
	"math/bits"

	"boost/internal/cpu"
)

const (
	inf32 = 0x7F800000
	inf64 = 0x7FF0000000000000
	// bias turns the signed order of keys into the unsigned one.
	bias = 1 << 63
)

// Index finds the code of a value with a table look-up and a few comparisons in
// place of a binary search over all cuts.
//
// A float is read as a signed integer that has its order: the bits of its
// magnitude, negated for a negative number, so that −0 and +0 are both 0. Call it
// the key. Keys step evenly within an octave, which suits quantile cuts of uniform,
// normal and log-normal columns alike, save that the octaves between zero and the
// smallest cut are many and empty. The slot of a value leaves them out:
//
//	distance = clamp(|key| − nearest, 0, span)      nearest: least |key| ≠ 0 of a cut
//	slot     = (±distance + span) >> shift          span: greatest |key| − nearest
//
// The slot never falls as the value rises, so all cuts below a value stand in lower
// slots or in its own. start[slot] counts the former; the latter are at most
// 2^steps − 1, and a branch-free search of steps comparisons counts them.
//
// The key of +Inf is kept as one more cut, and a NaN has a key above it: its code
// is the number of cuts plus one, with no test of its own.
//
// Where the machine has vectors of eight values and more, a search by them is faster,
// and the Index has only its pivots.
type Index struct {
	*pivots
	keys    []uint64 // biased keys of the cuts and +Inf, then 2^steps of the greatest
	start   []uint32 // per slot: cuts in lower slots
	nearest int64
	span    int64
	shift   uint8
	steps   uint8
}

// NewIndex32 makes the index of strictly increasing cuts for float32 values. A
// float64 cut is compared as the greatest float32 that is not above it, which is
// below the same float32 values.
func NewIndex32[K Float](cuts []K) *Index { return newIndex32(cuts, cpu.Used()) }

func newIndex32[K Float](cuts []K, level cpu.Level) *Index {
	single := make([]float32, len(cuts))
	for i, cut := range cuts {
		single[i] = float32(cut)
		if float64(single[i]) > float64(cut) {
			single[i] = math.Nextafter32(single[i], float32(math.Inf(-1)))
		}
	}
	if level != cpu.Generic && depthOf(len(cuts)) <= maxDepth {
		return &Index{pivots: newPivots32(single, level)}
	}
	keys := make([]int64, len(cuts), len(cuts)+1)
	for i, cut := range single {
		keys[i] = signed32(int32(math.Float32bits(cut)))
	}
	return newIndex(keys, inf32)
}

// NewIndex64 makes the index of strictly increasing cuts for float64 values.
func NewIndex64[K Float](cuts []K) *Index { return newIndex64(cuts, cpu.Used()) }

func newIndex64[K Float](cuts []K, level cpu.Level) *Index {
	if level != cpu.Generic && depthOf(len(cuts)) <= maxDepth {
		if p := newPivots64(cuts, level); p != nil {
			return &Index{pivots: p}
		}
	}
	keys := make([]int64, len(cuts), len(cuts)+1)
	for i, cut := range cuts {
		keys[i] = signed64(int64(math.Float64bits(float64(cut))))
	}
	return newIndex(keys, inf64)
}

// IndexPays reports whether making an Index of so many cuts costs less than it saves
// over Search on so many values.
func IndexPays(cuts, values int) bool { return pays(cuts, values, cpu.Used()) }

func pays(cuts, values int, level cpu.Level) bool {
	if level == cpu.Generic {
		return values >= 1024 && values >= 2*cuts
	}
	return values >= 128 && values >= cuts/2
}

// signed32 returns the key of a float32 given by its bits, NaN above +Inf.
func signed32(b int32) int64 {
	magnitude := int64(b) & math.MaxInt32
	negative := int64(b) >> 63 &^ ((inf32 - magnitude) >> 63)
	return magnitude ^ negative - negative
}

// signed64 returns the key of a float64 given by its bits, NaN above +Inf.
func signed64(b int64) int64 {
	magnitude := b & math.MaxInt64
	negative := b >> 63 &^ ((inf64 - magnitude) >> 63)
	return magnitude ^ negative - negative
}

func newIndex(keys []int64, inf int64) *Index {
	ix := &Index{nearest: inf}
	var farthest int64
	for _, k := range keys {
		if k != 0 {
			ix.nearest = min(ix.nearest, max(k, -k))
			farthest = max(farthest, k, -k)
		}
	}
	ix.span = max(farthest-ix.nearest, 0)
	// Eight slots per cut leave most slots with one cut or none; beyond 2^16 slots
	// the table would only trade comparisons for cache misses.
	slots := uint64(8) << min(bits.Len(uint(len(keys))), 13)
	for uint64(ix.span)*2>>ix.shift >= slots {
		ix.shift++
	}
	ix.start = make([]uint32, uint64(ix.span)*2>>ix.shift+1)

	keys = append(keys, inf)
	crowd, most := 0, 0
	next := 0 // first slot whose start is not yet known
	for i, k := range keys {
		slot := ix.slot(k)
		if next <= slot {
			crowd = 0
		}
		for ; next <= slot; next++ {
			ix.start[next] = uint32(i)
		}
		crowd++
		most = max(most, crowd)
	}
	for ; next < len(ix.start); next++ {
		ix.start[next] = uint32(len(keys))
	}
	ix.steps = uint8(bits.Len(uint(most)))
	ix.keys = make([]uint64, len(keys)+1<<ix.steps)
	for i := range ix.keys {
		ix.keys[i] = math.MaxUint64
	}
	for i, k := range keys {
		ix.keys[i] = uint64(k) + bias
	}
	return ix
}

func (ix *Index) slot(key int64) int {
	distance := min(max(max(key, -key)-ix.nearest, 0), ix.span)
	if key < 0 {
		distance = -distance
	}
	return int(uint64(distance+ix.span) >> ix.shift)
}
