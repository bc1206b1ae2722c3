package testenv

import (
	"os"
	"testing"
)

// UnlessShort returns how much a test tries: all, or few in a short run, as the race detector and
// emulators take, under which everything is ten times slower and more.
func UnlessShort(all, few int) int {
	if testing.Short() {
		return few
	}
	return all
}

// Soak reports whether tests take their long forms, as make soak asks for by BOOST_SOAK.
func Soak() bool { return os.Getenv("BOOST_SOAK") != "" }

// ByLength returns how much a test tries: in its long form, in an ordinary run, in a short one.
func ByLength(long, ordinary, short int) int {
	if Soak() {
		return long
	}
	return UnlessShort(ordinary, short)
}

// Memory skips a test of how much memory something takes where the race detector takes some too.
func Memory(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("the race detector changes what memory holds")
	}
}

// Unraced skips a test under the race detector, which makes it up to 25 times slower: a test of figures, of sizes, of damage, or of
// what happens in one goroutine, in which there is nothing to find that others do not show.
func Unraced(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("the race detector finds nothing more in it")
	}
}
