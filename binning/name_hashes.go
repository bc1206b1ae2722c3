package binning

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A hash stands for the name of a level where the name itself is too long to keep. The hashes of n names are
// numbers below n·2¹², so another name has the hash of one of them once in 4,096.
const (
	nameHashBits = 12
	// MaxNameHashes is the most hashes that a feature has.
	MaxNameHashes = 1 << (32 - nameHashBits - 1)
)

// NameHashes returns the hashes of at most MaxNameHashes names, ascending.
func NameHashes(names []string) []uint32 {
	hashes := make([]uint32, len(names))
	for i, name := range names {
		hashes[i] = nameHash(name, len(names))
	}
	slices.Sort(hashes)
	return hashes
}

// HashesName reports whether the hash of a level that is not in the dictionary is among NameHashes: always for
// the levels that they stand for, and once in 4,096 for others.
func (f *Feature) HashesName(level string) bool {
	if len(f.NameHashes) == 0 {
		return false
	}
	if f.hasHash(level) {
		return true
	}
	trimmed := strings.Trim(level, " \t") // as dataset takes a level that a model does not have
	return trimmed != level && f.hasHash(trimmed)
}

func (f *Feature) hasHash(level string) bool {
	_, found := slices.BinarySearch(f.NameHashes, nameHash(level, len(f.NameHashes)))
	return found
}

// NamesAll reports whether the dictionary has all levels that training had.
func (f *Feature) NamesAll() bool { return !f.Unnamed && len(f.NameHashes) == 0 }

// fnv1a returns the FNV-1a hash of a name, with 64 bits.
func fnv1a(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return h
}

// nameHash returns the hash of a name among n: FNV-1a, mixed once, as a share of n·2¹².
func nameHash(name string, n int) uint32 {
	h := fnv1a(name)
	h = (h ^ h>>32) * 0x9e3779b97f4a7c15
	share, _ := bits.Mul64(h, uint64(n)<<nameHashBits)
	return uint32(share)
}

// CheckNameHashes returns an error if the numbers cannot be hashes of names.
func CheckNameHashes(hashes []uint32) error {
	if len(hashes) > MaxNameHashes {
		return fmt.Errorf("%d marks of levels: there are at most %d", len(hashes), MaxNameHashes)
	}
	for i, m := range hashes {
		if uint64(m) >= uint64(len(hashes))<<nameHashBits || i > 0 && m < hashes[i-1] {
			return fmt.Errorf("mark %d of %d is %d: marks ascend below 4,096 times their number", i, len(hashes), m)
		}
	}
	return nil
}
