package score

import "math"

// clip is the smallest probability that a logarithm is taken of.
const clip = 1e-15

// RMSE returns the root of the weighted mean squared error; nil weights are all 1.
func RMSE(predictions, labels, weights []float64) float64 {
	return math.Sqrt(mean(labels, weights, func(row int) float64 {
		d := predictions[row] - labels[row]
		return d * d
	}))
}

// LogLoss returns the weighted mean of -log of the probability given to the row's
// class. probabilities is rows × classes, row-major; classes is 1 where it holds the
// probability of class 1 out of two. A label outside 0 … classes-1 is a class the
// model does not know: its probability counts as 0.
func LogLoss(probabilities []float64, classes int, labels, weights []float64) float64 {
	return mean(labels, weights, func(row int) float64 {
		p := 0.0
		switch label := int(labels[row]); {
		case classes == 1 && label == 1:
			p = probabilities[row]
		case classes == 1 && label == 0:
			p = 1 - probabilities[row]
		case classes > 1 && label >= 0 && label < classes:
			p = probabilities[row*classes+label]
		}
		return -math.Log(min(max(p, clip), 1-clip))
	})
}

func mean(labels, weights []float64, loss func(row int) float64) float64 {
	sum, total := 0.0, 0.0
	for row := range labels {
		w := 1.0
		if weights != nil {
			w = weights[row]
		}
		sum += w * loss(row)
		total += w
	}
	return sum / total
}
