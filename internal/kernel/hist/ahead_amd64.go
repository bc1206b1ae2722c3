//go:build amd64 && !purego

package hist

import "boost/internal/cpu"

// fetching says that rows are added up by assembly. It takes no vectors, but is not
// plain Go.
var fetching = cpu.Used() != cpu.Generic

// updatesPerCall bounds the time that a call takes, about a millisecond: assembly cannot
// be interrupted, and all of a program waits while the collector waits for it.
const updatesPerCall = 1 << 20

// addAhead is addRows with the codes of later rows fetched ahead, as far as the
// entries of a call go.
func addAhead(sums *uint64, codes *uint8, stride, features int, entries []uint64) {
	for perCall := max(256, updatesPerCall/features); len(entries) > 0; {
		n := min(perCall, len(entries))
		addRowsAhead(sums, codes, uint64(stride), uint64(features), entries[:n])
		entries = entries[n:]
	}
}
