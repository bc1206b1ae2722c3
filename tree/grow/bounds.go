package grow

import "boost/internal/kernel/scan"

// leastFlags is the number of features that are worth searching by flags.
const leastFlags = 8

// packs reports whether the node's sums are packed, and numeric features are bounded by these.
func (q *search) packs() bool {
	h := q.node.hist
	return q.vectors && h != nil && h.InWords() && q.reuse == nil && q.worth == nil && q.packed.Ready() && !h.IsSparse()
}

// bound sets the scores of the numeric features among some, of a node that packs, to bounds of their gains, without
// candidates. It returns the one of the highest bound, if any, and the others.
func (q *search) bound(worker int, features []int) (best int, others []int) {
	w, words := &q.workers[worker], q.node.hist.Words(0, int(q.offsets[len(q.shapes)]))
	numeric, flags, at := w.numeric[:0], w.flags[:0], w.at[:0]
	others = w.others[:0]
	for _, f := range features {
		switch s := &q.shapes[f]; {
		case s.flags > 0:
			flags, at = append(flags, f), append(at, q.spans[f].From)
		case s.numeric:
			numeric = append(numeric, f)
		default:
			others = append(others, f)
		}
	}
	w.numeric, w.flags, w.at, w.others = numeric, flags, at, others
	floor := max(0, q.config.Params.MinGain)
	best, most := -1, floor
	score := func(f int, gain float64) {
		q.scores[f], q.isBound[f] = none, true
		if gain > floor {
			q.scores[f] = gain
			if gain > most {
				best, most = f, gain
			}
		}
	}
	q.packed.Bounds(w.bounds, words, q.spans, numeric)
	for i, f := range numeric {
		score(f, q.rule.Limits.Above(q.packed.Gain(w.bounds[i]), q.part))
	}
	q.packed.Flags(w.gains, words, at)
	for i, f := range flags {
		score(f, q.rule.Limits.Above(w.gains[i]-q.part, q.part))
	}
	return best, others
}

// lowCardinality is the most codes of a feature of which Shares is looked at: of many, chance alone makes its bound too high.
const lowCardinality = 32

// mayGain returns those of some categorical features of a node that packs whose splits may gain as much as the best gain so far.
func (q *search) mayGain(worker int, features []int) (kept []int) {
	w := &q.workers[worker]
	bestGain := w.bestGain[q.side]
	if bestGain <= 0 {
		return features
	}
	bounded := w.numeric[:0]
	for _, f := range features {
		if q.spans[f].Regular <= lowCardinality {
			bounded = append(bounded, f)
		}
	}
	w.numeric = bounded
	q.packed.Shares(w.gains, q.node.hist.Words(0, int(q.offsets[len(q.shapes)])), q.spans, bounded)
	kept = features[:0]
	for _, f := range features {
		if len(bounded) > 0 && f == bounded[0] {
			gain := q.rule.Limits.Above(w.gains[len(w.numeric)-len(bounded)], 0)
			if bounded = bounded[1:]; gain < bestGain {
				q.scores[f], q.isBound[f] = none, false
				continue
			}
		}
		kept = append(kept, f)
	}
	return kept
}

// flagRun returns how many of the features, from the first on, are numeric ones of two codes
// without a missing one and follow each other: as many at most as have chunkCodes.
func (q *search) flagRun(features []int) int {
	first := features[0]
	n := min(int(q.shapes[first].flags), len(features), chunkCodes/2)
	for n > 0 && features[n-1] != first+n-1 {
		n--
	}
	return n
}

// flags finds the best splits of features of two codes whose sums follow each other:
// of as many as may be the best of them. A split that surely has rows on both sides beats all
// that gain less.
func (q *search) flags(worker int, features []int) {
	at := int(q.offsets[features[0]])
	gains := q.workers[worker].gains[:len(features)]
	grad, hess := q.slotSums(worker, q.node, at, at+2*len(gains))
	total := scan.Sums[int64, uint64]{Grad: q.node.total.grad, Hess: q.node.total.hess}
	scan.Flags(gains, grad, hess, total, &q.rule)
	best, bar := len(gains), float64(scan.Refused)
	if !q.restricts() { // else the best one may be out
		for i, gain := range gains {
			if gain > bar && q.rule.Proven(scan.Sums[int64, uint64]{Hess: hess[2*i]}, total) {
				best, bar = i, gain
			}
		}
	}
	for i, f := range features {
		q.scores[f] = none
		if gain := gains[i]; gain > bar || gain == bar && i <= best && gain > scan.Refused {
			q.feature(worker, f)
		}
	}
}
