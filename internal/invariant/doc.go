// Package invariant reports whether the program checks its own rules as it runs: yes
// with the build tag "invariants", else the checks cost nothing.
package invariant

import "fmt"

// Check panics with the formatted message if cond is false and checks are on.
func Check(cond bool, format string, args ...any) {
	if Enabled && !cond {
		panic("invariant broken: " + fmt.Sprintf(format, args...))
	}
}
