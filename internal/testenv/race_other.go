//go:build !race

package testenv

// raced reports whether the race detector is part of this build.
const raced = false
