//go:build !wasm

package tensorq_test

import (
	"errors"
	"os/exec"
	"testing"

	"boost/internal/testenv"
)

// The tests of this package pass under WebAssembly: goldens there are the same bytes as here.
func TestWasm(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the tests for WebAssembly and runs them")
	}
	for _, engine := range []string{"wazero", "node"} {
		t.Run("S3.11/S3.7/"+engine, func(t *testing.T) {
			flags := []string{engine, "-short", "-vet=off"}
			if !testenv.Soak() { // bounds of errors follow from equal bytes
				flags = append(flags, "-skip", "ErrorBound|RMS|F16Nearest|TwoLevelEqualsPlain|Midpoints|TestMaxAbs|flips")
			}
			out, err := exec.Command("../.ci/wasm", append(flags, "./tensorq")...).CombinedOutput()
			exit := (*exec.ExitError)(nil)
			ran := err == nil || errors.As(err, &exit) && exit.ExitCode() != 3
			testenv.Machine(t, ran, engine)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}
