// Package paired times several ways to do the same work.
//
// In: functions. Out: the shortest time of each, over rounds in which all take their
// turn, so that a slow moment of the machine hits them alike.
//
// It must not know what is measured, nor which figure is good.
package paired

import "time"

// Least is the least number of rounds that a ratio is taken from.
const Least = 5

// Times runs the sides one after the other, round after round: Least rounds, and
// further ones until budget has passed. It returns each side's shortest time. Other work
// on the machine only ever makes a run longer, so the shortest is nearest to the truth.
func Times(budget time.Duration, sides ...func()) []time.Duration {
	shortest := make([]time.Duration, len(sides))
	start := time.Now()
	for round := 0; round < Least || time.Since(start) < budget; round++ {
		for i, side := range sides {
			before := time.Now()
			side()
			if took := time.Since(before); round == 0 || took < shortest[i] {
				shortest[i] = took
			}
		}
	}
	return shortest
}

// Ratio is how many times longer the first side takes than the second.
func Ratio(budget time.Duration, slow, fast func()) float64 {
	t := Times(budget, slow, fast)
	return float64(t[0]) / float64(max(t[1], 1))
}
