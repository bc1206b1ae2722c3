package search

import (
	"math"
	"sync"
	"time"
)

// curve gathers the metrics of all folds by round, and decides by their mean when all of them stop.
//
// Folds may be some rounds ahead of each other, which changes nothing: what is decided follows from the mean, and rounds
// after the one that ends training do not count.
type curve struct {
	mu   sync.Mutex
	wake *sync.Cond

	rounds   int // at most
	patience int // rounds without a better mean that end training; 0 = never
	minDelta float64
	ahead    int // rounds that a fold may be ahead of the slowest
	limit    time.Time
	prune    Prune // nil for none

	names  []string
	higher bool
	values [][][]float64 // by fold, round, metric; nil for rounds that are not evaluated
	ended  []bool        // folds that grow no more rounds

	mean, deviation [][]float64 // by metric, round
	verdict
}

// verdict is what has been decided so far.
type verdict struct {
	decided   int // rounds of the mean
	best      int // of these, the best; 0 = none yet
	bestValue float64
	over      bool // no more rounds are wanted
	timedOut  bool
	pruned    bool
	failed    bool
}

func newCurve(folds, rounds int) *curve {
	c := &curve{rounds: rounds, values: make([][][]float64, folds), ended: make([]bool, folds)}
	c.wake = sync.NewCond(&c.mu)
	return c
}

// add takes a fold's metrics after its next round. wait gives up what others need while the fold has to wait for them,
// and resume takes it back. It returns the best number of rounds so far, and whether the fold stops.
func (c *curve) add(fold int, values []float64, wait, resume func()) (best int, stop bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[fold] = append(c.values[fold], values)
	c.decide()
	if !c.together() {
		return len(c.values[fold]), false
	}
	if c.mustWait(fold) {
		c.mu.Unlock()
		wait()
		c.mu.Lock()
		for c.mustWait(fold) {
			c.wake.Wait()
		}
		c.mu.Unlock()
		resume()
		c.mu.Lock()
	}
	best = c.best
	if c.patience == 0 || best == 0 { // as many as all folds have
		best = min(c.decided, len(c.values[fold]))
	}
	return best, c.over // where a fold has failed, the context ends the others with an error
}

// together reports whether folds have to know each other's rounds, so that all are in memory.
func (c *curve) together() bool { return c.patience > 0 || !c.limit.IsZero() || c.prune != nil }

func (c *curve) mustWait(fold int) bool {
	own := len(c.values[fold])
	return !c.over && !c.failed && (own-c.decided >= c.ahead || own == c.rounds && c.decided < c.rounds)
}

// end notes that a fold grows no more rounds: its last metrics stay.
func (c *curve) end(fold int, failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended[fold], c.failed = true, c.failed || failed
	c.decide()
	c.wake.Broadcast()
}

// decide continues the mean by the rounds that all folds have.
func (c *curve) decide() {
	before := c.decided
	for !c.over && c.decided < c.rounds && c.complete(c.decided) {
		c.next()
	}
	if !c.over && !c.limit.IsZero() && c.decided > 0 && time.Now().After(c.limit) {
		c.over, c.timedOut = true, true
	}
	if c.decided > before || c.over {
		c.wake.Broadcast()
	}
}

// complete reports whether the metrics of a round are known in all folds. Where all have ended there are no more.
func (c *curve) complete(round int) bool {
	grows := false
	for f, values := range c.values {
		if len(values) == 0 || len(values) <= round && !c.ended[f] {
			return false
		}
		grows = grows || len(values) > round
	}
	return grows
}

// next takes the mean of a round.
func (c *curve) next() {
	var of [][]float64
	for _, values := range c.values {
		at := min(c.decided, len(values)-1)
		for at < c.decided && at > 0 && values[at] == nil { // the last of a fold that has ended
			at--
		}
		last := values[at]
		if last == nil {
			of = nil
			break
		}
		of = append(of, last)
	}
	for m := range c.names {
		mean, deviation := math.NaN(), math.NaN()
		if of != nil {
			mean, deviation = meanOf(of, m)
		}
		c.mean[m], c.deviation[m] = append(c.mean[m], mean), append(c.deviation[m], deviation)
	}
	c.decided++
	if of == nil {
		return
	}
	lead := c.mean[0][c.decided-1]
	better := c.best == 0 || lead < c.bestValue-c.minDelta
	if c.higher {
		better = c.best == 0 || lead > c.bestValue+c.minDelta
	}
	if !math.IsNaN(lead) && better {
		c.best, c.bestValue = c.decided, lead
	}
	c.over = c.patience > 0 && c.decided-c.best >= c.patience
	if !c.over && c.best > 0 && c.prune != nil && c.prune(c.decided, c.bestValue) {
		c.over, c.pruned = true, true
	}
}

// meanOf returns the mean of a metric over folds, and the root of the mean squared distance from it, as LightGBM's and
// XGBoost's cv have it.
func meanOf(of [][]float64, metric int) (mean, deviation float64) {
	k := float64(len(of))
	for _, values := range of {
		mean += values[metric]
	}
	mean /= k
	for _, values := range of {
		d := values[metric] - mean
		deviation += float64(d * d)
	}
	return mean, math.Sqrt(deviation / k)
}
