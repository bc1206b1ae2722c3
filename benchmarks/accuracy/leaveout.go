package accuracy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"boost/internal/detmath"
)

// Alternatives are ways to train that were tried on the same splits of sets, the first being what is compared with.
type Alternatives struct {
	Names  []string
	Sets   int
	Ratios []float64 // geometric means of losses to those of the first, over all sets
	Chosen []int     // by way: sets for which it has the least mean over all others
	Ratio  float64   // geometric mean, over sets, of the loss of the way that is chosen so
}

// LeaveOneOut compares ways to train, which stand in the record like efforts, on the sets that have results of all. For each set it
// takes the way with the least geometric mean of losses on the others, the first of equal ones, as a stranger's table would get it.
func (r *DefaultsRecord) LeaveOneOut(names []string) Alternatives {
	a := Alternatives{Names: names, Ratios: make([]float64, len(names)), Chosen: make([]int, len(names))}
	var logs [][]float64 // by set and way
	for _, set := range slices.Sorted(maps.Keys(r.Sets)) {
		ways := r.Sets[set]
		if slices.ContainsFunc(names, func(name string) bool { return len(ways[name]) == 0 }) {
			continue
		}
		splits := slices.Sorted(maps.Keys(ways[names[0]]))
		first := meanOf(ways[names[0]], splits).Loss
		own := make([]float64, len(names))
		for i, name := range names {
			own[i] = detmath.Log(min(max(meanOf(ways[name], splits).Loss/first, ratioMin), ratioMax))
			a.Ratios[i] += own[i]
		}
		logs = append(logs, own)
	}
	a.Sets = len(logs)
	for _, own := range logs {
		best := 0
		for i := range names {
			if a.Ratios[i]-own[i] < a.Ratios[best]-own[best] {
				best = i
			}
		}
		a.Chosen[best]++
		a.Ratio += own[best]
	}
	a.Ratio = detmath.Exp(a.Ratio / float64(max(a.Sets, 1)))
	for i := range a.Ratios {
		a.Ratios[i] = detmath.Exp(a.Ratios[i] / float64(max(a.Sets, 1)))
	}
	return a
}

// String returns the comparison as a table in Markdown.
func (a Alternatives) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d sets. Chosen for each set by all others: the loss is %.4f of the defaults'.\n\n| in place of the default | loss to the default's | chosen for so many sets |\n|---|--:|--:|\n", a.Sets, a.Ratio)
	for i, name := range a.Names {
		fmt.Fprintf(&b, "| %s | %.4f | %d |\n", strings.ReplaceAll(name, "|", "\\|"), a.Ratios[i], a.Chosen[i])
	}
	return b.String()
}
