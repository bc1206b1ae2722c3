package model

import (
	"math"
	"time"

	"boost/internal/cpu"
)

const (
	// probeRows is how many rows are predicted between two readings of the clock.
	probeRows = 8
	// probes is how often; a row that was just predicted would be predicted as the processor
	// remembers it, so each has rows of its own.
	probes = 12
	// probeTime ends the probes of a way that is slow.
	probeTime = 200 * time.Microsecond
)

// choose takes rows through the vectors of each instruction set and tree by tree, and keeps
// the fastest way. It takes less than a millisecond, but for models whose rows do so themselves.
func (r *rows) choose(m *Model, sets []cpu.Level) {
	width := len(m.contents.Cuts.Features)
	values, out := make([]float64, probes*probeRows*width), make([]float64, m.contents.Outputs)
	r.draw(values, width)
	for _, set := range append(append([]cpu.Level{}, sets...), cpu.Generic) {
		least, begin := time.Duration(math.MaxInt64), time.Now()
		for p := 0; p < probes && time.Since(begin) < probeTime; p++ {
			start := time.Now()
			for i := range probeRows {
				r.add(m, values[(p*probeRows+i)*width:][:width], out, set)
			}
			least = min(least, max(time.Since(start), 1))
		}
		r.timings = append(r.timings, Timing{rowWayName(set), float64(least.Nanoseconds()) / probeRows})
		if last := len(r.timings) - 1; last == 0 || r.timings[last].Nanoseconds < r.timings[0].Nanoseconds {
			r.timings[0], r.timings[last] = r.timings[last], r.timings[0]
			r.set = set
		}
	}
}

func rowWayName(set cpu.Level) string {
	if set == cpu.Generic {
		return "tree by tree"
	}
	return "64 trees at once in " + set.String()
}

// draw fills rows with values between any two cuts of each feature.
func (r *rows) draw(values []float64, width int) {
	state := uint64(1)
	for lo := 0; lo < len(values); lo += width {
		for i := range r.features {
			f := &r.features[i]
			if len(f.cuts) == 0 {
				continue
			}
			state = state*6364136223846793005 + 1442695040888963407
			cut := int(state >> 33 % uint64(len(f.cuts)+1))
			if cut == len(f.cuts) {
				values[lo+f.index] = math.Inf(1)
			} else {
				values[lo+f.index] = f.cuts[cut]
			}
		}
	}
}
