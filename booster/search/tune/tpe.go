package tune

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"boost/internal/detmath"
	"boost/internal/rng"
)

// The tree-structured Parzen estimator of Bergstra and others (2011), each dimension on its own, with the numbers that Optuna
// has as defaults.
const (
	startup    = 10 // trials before it, which are random
	candidates = 24
	newest     = 25 // trials that count whole; those before count the less the older they are
	priorShare = 1  // weight of the prior, in trials
)

// draws are random numbers of one dimension of one trial.
type draws struct{ key, next uint64 }

func newDraws(seed uint64, trial, dimension int) *draws {
	return &draws{key: rng.Key(seed, rng.Trials, uint64(trial), uint64(dimension))}
}

// unit returns the next number of [0, 1).
func (d *draws) unit() float64 {
	d.next++
	return rng.Unit(rng.Draw(d.key, d.next-1))
}

// normal returns the next number of the standard normal distribution, by Box and Muller's method.
func (d *draws) normal() float64 {
	u, v := 1-d.unit(), d.unit()
	return math.Sqrt(-2*detmath.Log(u)) * detmath.CosPi(2*v)
}

// pick returns a number below the length of weights, whose sum is total, with the chance of its weight.
func (d *draws) pick(weights []float64, total float64) int {
	at := d.unit() * total
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// uniform draws a value of the dimension, evenly.
func (d *Dimension) uniform(r *draws) string {
	if len(d.Choices) > 0 {
		return d.Choices[min(int(r.unit()*float64(len(d.Choices))), len(d.Choices)-1)]
	}
	low, high := d.bounds()
	return d.text(low + float64(r.unit()*(high-low)))
}

// bounds returns the bounds of draws: logarithms where Log is set, and half a step more on both sides for whole numbers.
func (d *Dimension) bounds() (low, high float64) {
	low, high = d.Low, d.High
	if d.Integer {
		low, high = low-0.5, high+0.5
	}
	return d.scaled(low), d.scaled(high)
}

func (d *Dimension) scaled(v float64) float64 {
	if d.Log {
		return detmath.Log(v)
	}
	return v
}

// value returns the number that a draw stands for, with three digits that count, so that it can be read.
func (d *Dimension) value(x float64) float64 {
	if d.Log {
		x = detmath.Exp(x)
	}
	if d.Integer {
		return max(d.Low, min(math.Round(x), d.High))
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return max(d.Low, min(x, d.High))
}

// text returns the value of a draw as it is set.
func (d *Dimension) text(x float64) string {
	if d.Integer {
		return strconv.FormatFloat(d.value(x), 'f', 0, 64)
	}
	return number(d.value(x))
}

// place returns where a value stands: the number of a choice, a number on the scale of draws. It reports false for values
// outside the dimension, such as those that a search begins with.
func (d *Dimension) place(text string) (float64, bool) {
	if len(d.Choices) > 0 {
		at := slices.Index(d.Choices, text)
		return float64(at), at >= 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < d.Low || v > d.High {
		return 0, false
	}
	return d.scaled(v), true
}

// mixture is the density of the places of some trials: a normal distribution around each, cut off at the bounds, or the shares of
// the choices, and beside them a prior.
type mixture struct {
	d              *Dimension
	low, high      float64
	centre, spread []float64 // of numbers
	inside         []float64 // share of each normal distribution that is between the bounds
	weights        []float64 // of those, or of the choices
	total          float64
}

// newMixture returns the density of places, which are in the order of their trials.
func (d *Dimension) newMixture(places []float64) *mixture {
	m := &mixture{d: d}
	ages := make([]float64, len(places), len(places)+1) // weights of trials
	for i := range ages {
		if ages[i] = 1; i < len(ages)-newest {
			first := 1 / float64(len(ages))
			ages[i] = first + float64(float64(i)*(1-first))/float64(max(len(ages)-newest-1, 1))
		}
	}
	if k := len(d.Choices); k > 0 {
		m.weights = make([]float64, k)
		each := priorShare / float64(len(places)+1)
		for i, at := range places {
			for c := range m.weights {
				share := each
				if c == int(at) {
					share++
				}
				m.weights[c] += float64(ages[i]*share) / (1 + float64(float64(k)*each))
			}
		}
		for c := range m.weights {
			m.weights[c] += priorShare / float64(k)
			m.total += m.weights[c]
		}
		return m
	}
	m.low, m.high = d.bounds()
	width := m.high - m.low
	m.centre = append(slices.Clone(places), (m.low+m.high)/2)
	m.weights = append(ages, priorShare)
	m.spread, m.inside = make([]float64, len(m.centre)), make([]float64, len(m.centre))
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(m.centre[a], m.centre[b]), cmp.Compare(a, b)) })
	least := width / min(100, float64(1+len(m.centre)))
	for rank, i := range order {
		left, right := m.centre[i]-m.low, m.high-m.centre[i]
		if rank > 0 {
			left = m.centre[i] - m.centre[order[rank-1]]
		}
		if rank+1 < len(order) {
			right = m.centre[order[rank+1]] - m.centre[i]
		}
		switch { // bounds are no neighbours of those at the ends
		case len(order) < 2:
		case rank == 0:
			left = right
		case rank == len(order)-1:
			right = left
		}
		m.spread[i] = max(least, min(max(left, right), width))
	}
	m.spread[len(places)] = width
	for i := range m.centre {
		m.inside[i] = m.share(i, m.low, m.high)
		m.total += m.weights[i]
	}
	return m
}

// share returns the share of a normal distribution that lies between two places.
func (m *mixture) share(i int, from, to float64) float64 {
	scale := m.spread[i] * math.Sqrt2
	return (detmath.Erf((to-m.centre[i])/scale) - detmath.Erf((from-m.centre[i])/scale)) / 2
}

// draw returns a value.
func (m *mixture) draw(r *draws) string {
	i := r.pick(m.weights, m.total)
	if len(m.d.Choices) > 0 {
		return m.d.Choices[i]
	}
	for range 1000 {
		if x := m.centre[i] + float64(m.spread[i]*r.normal()); x >= m.low && x <= m.high {
			return m.d.text(x)
		}
	}
	return m.d.text(m.centre[i])
}

// density returns that of a value, up to a factor that mixtures of one dimension share. It is above 0.
func (m *mixture) density(text string) float64 {
	x, _ := m.d.place(text)
	if len(m.d.Choices) > 0 {
		return m.weights[int(x)] / m.total
	}
	from, to := x, x
	if m.d.Integer {
		v := m.d.value(x)
		from, to = m.d.scaled(v-0.5), m.d.scaled(v+0.5)
	}
	sum := 0.0
	for i, w := range m.weights {
		part := 0.0
		if m.d.Integer {
			part = m.share(i, from, to)
		} else {
			z := (x - m.centre[i]) / m.spread[i]
			part = detmath.Exp(float64(z*z)/-2) / m.spread[i]
		}
		sum += float64(w*part) / m.inside[i]
	}
	return sum / m.total
}

// suggest draws the values of the next trial.
func (s *searcher) suggest(number int) []string {
	values := make([]string, len(s.Space))
	good, bad := s.split()
	for i := range s.Space {
		d, r := &s.Space[i], newDraws(s.Seed, number, i)
		if s.Sampler == Random || len(good)+len(bad) < startup {
			values[i] = d.uniform(r)
			continue
		}
		l, g := d.newMixture(d.places(good, i)), d.newMixture(d.places(bad, i))
		best := math.Inf(-1)
		for range candidates {
			value := l.draw(r)
			if gain := detmath.Log(l.density(value)) - detmath.Log(g.density(value)); gain > best {
				best, values[i] = gain, value
			}
		}
	}
	return values
}

// places returns where trials stand in a dimension, less those outside it.
func (d *Dimension) places(trials []*Trial, dimension int) []float64 {
	var places []float64
	for _, t := range trials {
		if at, ok := d.place(t.Values[dimension]); ok {
			places = append(places, at)
		}
	}
	return places
}

// split returns the trials with a value, the best tenth, 25 at most, apart, each part in the order of trials. Those that were
// given up are behind those that were not, the longer the better.
func (s *searcher) split() (good, bad []*Trial) {
	var ranked []*Trial
	for i := range s.trials {
		if s.trials[i].State != Failed {
			ranked = append(ranked, &s.trials[i])
		}
	}
	slices.SortStableFunc(ranked, func(a, b *Trial) int {
		if a.State != b.State {
			return cmp.Compare(a.State, b.State)
		}
		order := 0
		if a.State == Pruned {
			order = cmp.Compare(len(b.Rungs), len(a.Rungs))
		}
		return cmp.Or(order, s.compare(a.Value, b.Value), cmp.Compare(a.Number, b.Number))
	})
	n := min((len(ranked)+9)/10, 25)
	good, bad = ranked[:n], ranked[n:]
	for _, part := range [][]*Trial{good, bad} {
		slices.SortFunc(part, func(a, b *Trial) int { return cmp.Compare(a.Number, b.Number) })
	}
	return good, bad
}
