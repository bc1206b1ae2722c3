package testenv

import "testing"

// UnlessShort returns how much a test tries: all, or few in a short run, as the race detector and
// emulators take, under which everything is ten times slower and more.
func UnlessShort(all, few int) int {
	if testing.Short() {
		return few
	}
	return all
}

// Memory skips a test of how much memory something takes where the race detector takes some too.
func Memory(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("the race detector changes what memory holds")
	}
}
