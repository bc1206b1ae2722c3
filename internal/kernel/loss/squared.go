package loss

// Squared writes the derivatives of w·(score-label)²/2: grad = w·(score-label),
// hess = w. All slices have the length of scores; weights may be nil for all 1.
func Squared(grad, hess []float32, scores, labels, weights []float64) {
	n := len(scores)
	done := squaredVectors(grad, hess, scores, labels, weights)
	scores, grad, hess, labels = scores[done:], grad[done:n], hess[done:n], labels[done:n]
	if weights == nil {
		for i, s := range scores {
			grad[i] = float32(s - labels[i])
			hess[i] = 1
		}
		return
	}
	weights = weights[done:n]
	for i, s := range scores {
		w := weights[i]
		grad[i] = float32((s - labels[i]) * w)
		hess[i] = float32(w)
	}
}
