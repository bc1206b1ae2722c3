package bin

import (
	"slices"
	"unsafe"
)

// Key is an unsigned integer with the order of a float32 or a float64.
type Key interface{ uint32 | uint64 }

// digit is the number of bits that one pass of the radix sort looks at: three
// passes over float32, six over float64, 2,048 open ends each.
const digit = 11

// short is the length up to which comparing keys is quicker than counting digits.
const short = 512

// Zero returns the key of zero.
func Zero[K Key]() K { return K(1) << (unsafe.Sizeof(K(0))*8 - 1) }

// FromBits turns the bits of floats into keys of the same order, in place, and
// drops NaN: −Inf < … < −0 = +0 < … < +Inf. It returns the keys that are left.
func FromBits[K Key](raw []K) []K {
	top := unsafe.Sizeof(K(0))*8 - 1
	sign := K(1) << top
	inf := infinity[K]()
	n := 0
	for _, b := range raw {
		magnitude := b &^ sign
		negative := -(b >> top)
		raw[n] = (magnitude ^ negative - negative) ^ sign
		if magnitude <= inf {
			n++
		}
	}
	return raw[:n]
}

// FromBitsWith is FromBits that keeps load[i] beside key i.
func FromBitsWith[K Key](raw []K, load []uint64) ([]K, []uint64) {
	top := unsafe.Sizeof(K(0))*8 - 1
	sign := K(1) << top
	inf := infinity[K]()
	n := 0
	for i, b := range raw {
		magnitude := b &^ sign
		if magnitude > inf {
			continue
		}
		negative := -(b >> top)
		raw[n], load[n] = (magnitude^negative-negative)^sign, load[i]
		n++
	}
	return raw[:n], load[:n]
}

// ToBits turns a key back into the bits of its float; the key of zero into those of +0.
func ToBits[K Key](key K) K {
	top := unsafe.Sizeof(key)*8 - 1
	sign := K(1) << top
	signed := key ^ sign
	negative := -(signed >> top)
	return (signed ^ negative - negative) | negative&sign
}

func infinity[K Key]() K {
	if unsafe.Sizeof(K(0)) == 4 {
		return inf32
	}
	wide := uint64(inf64)
	return K(wide)
}

// Sort sorts keys in ascending order, with spare of the same length to work in. It
// returns the sorted keys, which stand in one of the two slices.
func Sort[K Key](keys, spare []K) []K {
	if len(keys) <= short {
		slices.Sort(keys)
		return keys
	}
	if sortTwo(keys) {
		return keys
	}
	passes := int(unsafe.Sizeof(K(0))*8+digit-1) / digit
	var counts [6][1 << digit]uint32
	for _, k := range keys {
		for pass := range passes {
			counts[pass][k&(1<<digit-1)]++
			k >>= digit
		}
	}
	spare = spare[:len(keys)]
	for pass := range passes {
		if !starts(&counts[pass], len(keys)) {
			continue
		}
		next := &counts[pass]
		shift := pass * digit & 63
		for _, k := range keys {
			at := &next[k>>shift&(1<<digit-1)]
			spare[*at] = k
			*at++
		}
		keys, spare = spare, keys
	}
	return keys
}

// sortTwo sorts keys if they have no more than two values, as those of flags do, and reports whether it has.
func sortTwo[K Key](keys []K) bool {
	first := keys[0]
	at := slices.IndexFunc(keys, func(k K) bool { return k != first })
	if at < 0 {
		return true
	}
	second, seconds := keys[at], 0
	for _, k := range keys[at:] {
		if k == second {
			seconds++
		} else if k != first {
			return false
		}
	}
	low, high, lows := first, second, len(keys)-seconds
	if second < first {
		low, high, lows = second, first, seconds
	}
	for i := range keys[:lows] {
		keys[i] = low
	}
	for i := range keys[lows:] {
		keys[lows+i] = high
	}
	return true
}

// SortWith is Sort that moves load[i] with keys[i]; equal keys keep their order.
func SortWith[K Key](keys, spare []K, load, spareLoad []uint64) ([]K, []uint64) {
	if len(keys) <= short/8 {
		for i := 1; i < len(keys); i++ {
			for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
				keys[j], keys[j-1] = keys[j-1], keys[j]
				load[j], load[j-1] = load[j-1], load[j]
			}
		}
		return keys, load
	}
	passes := int(unsafe.Sizeof(K(0))*8+digit-1) / digit
	spare, spareLoad = spare[:len(keys)], spareLoad[:len(keys)]
	for pass := range passes {
		var counts [1 << digit]uint32
		shift := pass * digit & 63
		for _, k := range keys {
			counts[k>>shift&(1<<digit-1)]++
		}
		if !starts(&counts, len(keys)) {
			continue
		}
		for i, k := range keys {
			at := &counts[k>>shift&(1<<digit-1)]
			spare[*at], spareLoad[*at] = k, load[i]
			*at++
		}
		keys, spare = spare, keys
		load, spareLoad = spareLoad, load
	}
	return keys, load
}

// starts turns counts of digits into where each digit's first key goes. It returns
// false if all n keys have the same digit, so that the pass would move nothing.
func starts(counts *[1 << digit]uint32, n int) bool {
	var sum uint32
	for i, count := range counts {
		if int(count) == n {
			return false
		}
		counts[i] = sum
		sum += count
	}
	return true
}

// Gather writes values[rows[i]] to dst[i].
func Gather[V any](dst, values []V, rows []uint32) {
	dst = dst[:len(rows)]
	for i, row := range rows {
		dst[i] = values[row]
	}
}

// Bits32 returns the memory of values as their bits.
func Bits32(values []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
}

// Bits64 returns the memory of values as their bits.
func Bits64(values []float64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
}
