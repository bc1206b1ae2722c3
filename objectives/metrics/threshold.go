package metrics

import "math"

// Decision is what a threshold makes of the probabilities of two classes: rows with more are predicted to be
// positive. A figure that is undefined is NaN.
type Decision struct {
	Threshold, Precision, Recall, F1, MCC float64
	Predicted                             float64 // share of the weight that is predicted to be positive
}

// Decide returns what a threshold makes of the rows of two classes, all NaN without weight and where a prediction
// is NaN.
func Decide(in Input, threshold float64) Decision {
	if in.Outputs == 1 {
		if t, ok := tallyOf(&in, threshold); ok {
			return decisionOf(threshold, &t)
		}
	}
	nan := math.NaN()
	return Decision{threshold, nan, nan, nan, nan, nan}
}

func decisionOf(threshold float64, t *tally) Decision {
	return Decision{
		Threshold: threshold, Precision: t.hit[1] / t.guess[1], Recall: t.hit[1] / t.label[1], F1: t.f1(1),
		MCC: matthews(t), Predicted: t.guess[1] / t.total,
	}
}

// BestDecisions returns the decisions with the highest F1 and with the highest MCC, of equal ones those of the highest
// threshold. The thresholds lie in the middle between neighbouring predictions, and between 0 and the lowest. They are
// not ok unless there are rows of two classes, and where a prediction is NaN.
func BestDecisions(in Input) (byF1, byMCC Decision, ok bool) {
	n := len(in.Labels)
	if in.Outputs != 1 || n == 0 {
		return byF1, byMCC, false
	}
	buffer := takeRankBuffer(n)
	defer rankBuffers.Put(buffer)
	rows := buffer.rank(&in, in.Values, 1)
	if rows[n-1].key == nanKey {
		return byF1, byMCC, false
	}
	var labels, hits, others counter // others are the negative rows that are predicted to be positive
	var negatives counter
	for _, row := range rows {
		addRow(row, &labels, &negatives)
	}
	if labels == (counter{}) || negatives == (counter{}) {
		return byF1, byMCC, false
	}
	byF1.F1, byMCC.MCC = math.Inf(-1), math.Inf(-1)
	for i := n - 1; i >= 0; {
		key := rows[i].key
		for ; i >= 0 && rows[i].key == key; i-- {
			addRow(rows[i], &hits, &others)
		}
		low := 0.0 // also for rows without weight, which come first and change nothing
		if i >= 0 {
			low = probability(rows[i].key)
		}
		threshold := low + float64((probability(key)-low)/2)
		if threshold >= probability(key) {
			threshold = low // they are neighbours
		}
		d := decisionOf(threshold, tallyOfTwo(labels, negatives, hits, others))
		if d.F1 > byF1.F1 {
			byF1 = d
		}
		if d.MCC > byMCC.MCC {
			byMCC = d
		}
	}
	return byF1, byMCC, true
}

// addRow adds the weight of a row to the counter of its class.
func addRow(row ranked, positive, negative *counter) {
	if row.count > 0 {
		positive.add(counter{uint64(row.count)})
	} else {
		negative.add(counter{uint64(-row.count)})
	}
}

// probability is the number from 0 on that order made a key of, and 0 for a row without weight.
func probability(key uint64) float64 { return math.Float64frombits(key &^ (1 << 63)) }

// tallyOfTwo is the tally of two classes.
func tallyOfTwo(positives, negatives, hits, others counter) *tally {
	wrong, right, guessed, left, total := others, negatives, hits, positives, positives
	right.subtract(others)
	guessed.add(others)
	left.subtract(hits)
	wrong.add(left)
	left.add(right)
	total.add(negatives)
	return &tally{
		label: []float64{negatives.float(0), positives.float(0)},
		guess: []float64{left.float(0), guessed.float(0)},
		hit:   []float64{right.float(0), hits.float(0)},
		total: total.float(0), wrong: wrong.float(0),
	}
}
