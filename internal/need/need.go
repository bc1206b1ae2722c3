// Package need says what a test cannot do without.
//
// In: a test and an instruction set. Out: the test goes on, is skipped, or fails where a
// skip would hide that nothing was proven. Only tests import it.
package need

import (
	"os"
	"testing"

	"boost/internal/cpu"
)

// Vectors skips a test where kernels of an instruction set are not used: the build has
// none, BOOST_CPU keeps below, or the machine lacks them. Under CI=true the last is a
// failure.
func Vectors(t testing.TB, level cpu.Level) {
	t.Helper()
	switch lacking := compiled && cpu.Used() == cpu.Best(); {
	case cpu.Used() >= level:
	case lacking && os.Getenv("CI") == "true":
		t.Fatalf("this machine has no %v: what is written for it would stay unproven", level)
	default:
		t.Skipf("kernels for %v are not used here", level)
	}
}
