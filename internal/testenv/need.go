// Package testenv is what tests ask of their machine and their run: instruction sets, memory between pages
// that may not be touched, and programs that are killed while they write. Only tests import it.
package testenv

import (
	"fmt"
	"os"
	"testing"

	"boost/internal/cpu"
)

// Machine skips a test where the machine lacks what the test is about: under CI=true that
// is a failure.
func Machine(t testing.TB, has bool, what string) {
	t.Helper()
	switch {
	case has:
	case os.Getenv("CI") == "true":
		t.Fatalf("this machine has no %s: what is written for it would stay unproven", what)
	default:
		t.Skipf("this machine has no %s", what)
	}
}

// Vectors skips a test where kernels of an instruction set are not used: the build has
// none, BOOST_CPU keeps below, or the machine lacks them. Under CI=true the last is a
// failure, but not for AVX-512, which not every server has: .ci/run says where it was not there.
func Vectors(t testing.TB, level cpu.Level) {
	t.Helper()
	switch {
	case cpu.Used() >= level:
	case compiled && cpu.Used() == cpu.Best() && level != cpu.AVX512:
		Machine(t, false, fmt.Sprint(level))
	default:
		t.Skipf("kernels for %v are not used here", level)
	}
}
