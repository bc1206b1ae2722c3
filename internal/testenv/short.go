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
