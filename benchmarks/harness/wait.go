package harness

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// How the idle threads of OpenMP wait for work: asleep, or in a loop that keeps a core busy. Which
// of them is faster depends on the machine and its other work, so a peer is measured with both.
const (
	Passive = "passive"
	Active  = "active"
)

// WaitOf returns the way of waiting for a turn, from 0: passive and active in turn. Where the
// best of several turns counts, the better way does.
func WaitOf(turn int) string { return [...]string{Passive, Active}[turn%2] }

// environment is that of a process on so many threads. wait may be "": then the variable is not set, for
// what is not timed or has no OpenMP.
func environment(threads int, wait string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OMP_WAIT_POLICY=") })
	if wait != "" {
		env = append(env, "OMP_WAIT_POLICY="+strings.ToUpper(wait))
	}
	for _, library := range []string{"OMP", "MKL", "OPENBLAS"} {
		env = append(env, library+"_NUM_THREADS="+strconv.Itoa(threads))
	}
	return append(env, "PYTHONDONTWRITEBYTECODE=1")
}
