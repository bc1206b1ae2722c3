package ptq

const (
	// The scales tried go down from AbsMax's by eighths of an octave to 1/64 of it: the
	// best for the coarsest types and heavy tails lie at 1/3 to 1/30.
	shrink  = 0.917004043204671 // 2^(−1/8)
	shrinks = 48
	// Floating-point types have the same steps in every octave, so that all that a scale
	// between AbsMax's and its double changes is where in them the values lie: it is tried
	// by 1/128.
	octave = 128
	// Steps around the best go from 1/16 of it down to 1/1024, each taken as long as that
	// helps, but not more often than this.
	coarsest, finest = 1.0 / 16, 1.0 / 1024
	steps            = 8
	// refines is how often the best is replaced by the least-squares scale of its codes
	// while that helps.
	refines = 16
)

// sides are the shares of the distance from the mean to the smallest and to the largest
// value that affine types try, on either side.
var sides = [...]float64{1, 0.85, 0.7, 0.55, 0.4, 0.25, 0.15, 0.08}

// searcher looks for the fit of the least squared error.
type searcher struct {
	*fitter
	values, weights []float64
	best            fit
	least           float64
}

// search returns the best fit among those that it tries, the first of which is AbsMax's:
// another one has to be better.
func (f *fitter) search(values, weights []float64) fit {
	if f.kind == signs {
		return f.upTo(meanMagnitude(values, weights))
	}
	s := searcher{fitter: f, values: values, weights: weights, best: f.absMax(values)}
	if s.best.scale == 0 {
		return s.best
	}
	s.least = f.squares(values, weights, s.best)
	if f.kind == affine {
		s.narrow()
	} else {
		s.shrink()
	}
	for range refines {
		if !s.try(f.leastSquares(values, weights, s.best)) {
			break
		}
	}
	return s.best
}

// try takes a fit that is better than the best, and says so.
func (s *searcher) try(t fit) bool {
	t.scale = s.rounded(t.scale)
	if !(t.scale > 0) {
		return false
	}
	squares := s.squares(s.values, s.weights, t)
	if !(squares < s.least) {
		return false
	}
	s.best, s.least = t, squares
	return true
}

// shrink tries scales without an offset.
func (s *searcher) shrink() {
	scale := s.best.scale
	if s.kind == scaled {
		for k := 1; k < octave; k++ {
			s.try(fit{scale: scale * (float64(octave+k) / octave)})
		}
	}
	for range shrinks {
		scale *= shrink
		s.try(fit{scale: scale})
	}
	for step := coarsest; step >= finest; step /= 2 {
		for range steps {
			if !s.try(fit{scale: s.best.scale * (1 + step)}) && !s.try(fit{scale: s.best.scale * (1 - step)}) {
				break
			}
		}
	}
}

// narrow tries ranges from a value to another.
func (s *searcher) narrow() {
	middle := mean(s.values, s.weights)
	low, high := s.best.offset, s.top(s.best)
	for _, below := range sides {
		for _, above := range sides {
			s.try(s.between(middle-float64(below*(middle-low)), middle+float64(above*(high-middle))))
		}
	}
	for step := coarsest; step >= finest; step /= 2 {
		for range steps {
			low, high := s.best.offset, s.top(s.best)
			by := float64(step * (high - low))
			better := s.try(s.between(low+by, high))
			better = s.try(s.between(low-by, high)) || better
			better = s.try(s.between(low, high+by)) || better
			better = s.try(s.between(low, high-by)) || better
			if !better {
				break
			}
		}
	}
}

func mean(values, weights []float64) float64 {
	sum, all := 0.0, 0.0
	for i, v := range values {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		sum += float64(w * v)
		all += w
	}
	return sum / all
}
