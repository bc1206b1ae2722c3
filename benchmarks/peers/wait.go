package peers

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

// Waits lists the ways of waiting.
func Waits() []string { return []string{Passive, Active} }

// WaitOf returns the way of waiting for a turn, from 0: passive and active in turn. Where the
// best of several turns counts, the better way does.
func WaitOf(turn int) string { return Waits()[turn%2] }

// Environment is that of a trainer's process on so many threads. wait may be "": then the variable
// is not set, for what is not timed or has no OpenMP.
func Environment(threads int, wait string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OMP_WAIT_POLICY=") })
	if wait != "" {
		env = append(env, "OMP_WAIT_POLICY="+strings.ToUpper(wait))
	}
	return append(env, "OMP_NUM_THREADS="+strconv.Itoa(threads), "PYTHONDONTWRITEBYTECODE=1")
}

// openMP reports whether the threads of a peer wait by one of Waits.
func openMP(peer string) bool {
	for _, prefix := range []string{"lightgbm-", "xgboost-", "sklearn-"} {
		if strings.HasPrefix(peer, prefix) {
			return true
		}
	}
	return false
}

// Base returns a contender's name without its way of waiting, which quality does not depend on.
func Base(name string) string {
	for _, wait := range Waits() {
		name = strings.TrimSuffix(name, "-"+wait)
	}
	return name
}
