package binning

import (
	"fmt"
	"math/bits"
	"slices"
)

// A mark stands for the name of a level where the name itself is too long to keep: of n names the
// marks are numbers below n·2¹², so that another name has the mark of one of them once in 4,096.
const (
	nameHashBits = 12
	// MaxMarks is how many marks a feature has at most.
	MaxNameHashes = 1 << (32 - nameHashBits - 1)
)

// Marks returns the marks of names, ascending; there must be at most MaxMarks.
func NameHashes(names []string) []uint32 {
	hashes := make([]uint32, len(names))
	for i, name := range names {
		hashes[i] = nameHash(name, len(names))
	}
	slices.Sort(hashes)
	return hashes
}

// Marked reports whether a level that is not in the dictionary is one of those that marks stand for:
// of these always, of others once in 4,096.
func (f *Feature) HashesName(level string) bool {
	if len(f.NameHashes) == 0 {
		return false
	}
	_, found := slices.BinarySearch(f.NameHashes, nameHash(level, len(f.NameHashes)))
	return found
}

// NamesAll reports whether the dictionary has all levels that training had.
func (f *Feature) NamesAll() bool { return !f.Unnamed && len(f.NameHashes) == 0 }

// mark is the mark of a name among n: FNV-1a with 64 bits, mixed once, as a share of n·2¹².
func nameHash(name string, n int) uint32 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	h = (h ^ h>>32) * 0x9e3779b97f4a7c15
	share, _ := bits.Mul64(h, uint64(n)<<nameHashBits)
	return uint32(share)
}

// CheckMarks says what is wrong with marks, if anything is.
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
