package network

import (
	"math"
	"slices"
)

// terms is the number of factors of a Model.
const terms = 4

// Model says how long a tree takes: a factor for each part of its Cost. Without waiting that the parts do not know of, and without parts that
// go side by side, all factors are 1.
type Model struct {
	Compute  float64 `json:"compute"`
	Straggle float64 `json:"straggle"`
	Latency  float64 `json:"latency"`
	Transfer float64 `json:"transfer"`
}

// Measured is a tree's cost and the seconds that it took.
type Measured struct {
	Cost
	Seconds float64
}

// prior is how much a factor's distance from 1 counts beside the relative errors: little, for what the measured networks do not tell.
const prior = 0.01

// Fit returns the model with no negative factor whose squared relative errors are least.
func Fit(measured []Measured) Model {
	var f [terms]float64
	for range 20_000 { // coordinate descent, which converges for a sum of squares
		moved := 0.0
		for k := range f {
			dot, square := prior, prior
			for _, m := range measured {
				rest := m.Seconds
				for j, x := range m.terms() {
					if j != k {
						rest -= f[j] * x
					}
				}
				x := m.terms()[k]
				dot += rest * x / (m.Seconds * m.Seconds)
				square += x * x / (m.Seconds * m.Seconds)
			}
			next := max(0, dot/square)
			moved = max(moved, math.Abs(next-f[k]))
			f[k] = next
		}
		if moved < 1e-9 {
			break
		}
	}
	return Model{f[0], f[1], f[2], f[3]}
}

// Seconds returns how long a tree takes.
func (m Model) Seconds(c Cost) float64 {
	return m.Compute*c.Compute + m.Straggle*c.Straggle + m.Latency*c.Latency + m.Transfer*c.Transfer
}

// Error returns the relative error of the model: above 0 where it says more than was measured.
func (m Model) Error(x Measured) float64 { return m.Seconds(x.Cost)/x.Seconds - 1 }

// Growth is how a rank's computing by tree grows with its rows: fixed seconds, and seconds a row. Both are of one thread.
type Growth struct {
	Fixed  float64 `json:"fixed_s"`
	PerRow float64 `json:"per_row_s"`
}

// GrowthOf returns the line through the mean computing of traces of the same table, without that of their calls.
func GrowthOf(traces []*Trace) Growth {
	var n, x, y, xx, xy float64
	for _, t := range traces {
		rows, seconds := float64(t.Rows)/float64(t.Ranks()), t.Cost(Link{Gbit: math.Inf(1)}, Overhead{}, 1).Compute
		w := 1 / (seconds * seconds) // relative errors count
		n, x, y, xx, xy = n+w, x+w*rows, y+w*seconds, xx+w*rows*rows, xy+w*rows*seconds
	}
	slope := (n*xy - x*y) / (n*xx - x*x)
	return Growth{max(0, (y-slope*x)/n), slope}
}

// Larger is training on more rows over more ranks than were recorded.
type Larger struct {
	Rows    float64
	Threads int // of a rank, each as fast as one alone
	Growth
	Overhead
	Trace    *Trace  // whose calls a tree makes, whatever the number of ranks
	Uneven   float64 // seconds of Straggle over two ranks or more: what rows add to it grows less than they do
	Model    Model
	WideSums bool // words of 8 bytes hold no sums of so many rows: histograms are twice as long
}

// Seconds returns how long a tree takes over n ranks, and what that is made of.
func (l Larger) Seconds(n int, link Link) (float64, Cost) {
	var c Cost
	for _, s := range l.Trace.Steps[0] {
		if l.WideSums && s.Bytes > shortBytes {
			s.Bytes *= 2
		}
		ways, bytes, messages := s.shape(n)
		bytes *= l.Trace.packed()
		c.Compute += l.of(bytes, messages).Seconds()
		c.Latency += ways * link.Delay.Seconds()
		c.Transfer += bytes * 8 / (link.Gbit * 1e9)
	}
	c = c.times(1 / float64(l.Trace.Trees))
	c.Compute += (l.Fixed + l.PerRow*l.Rows/float64(n)) / float64(l.Threads)
	if n > 1 {
		c.Straggle = l.Uneven
	}
	return l.Model.Seconds(c), c
}

// PaysUntil returns the number of ranks, a power of two up to most, from which twice as many make a tree less than 1.5 times as fast.
func (l Larger) PaysUntil(link Link, most int) int {
	n := 1
	for ; n < most; n *= 2 {
		one, _ := l.Seconds(n, link)
		two, _ := l.Seconds(2*n, link)
		if one < 1.5*two {
			break
		}
	}
	return n
}

// Median returns the middle of the absolute values, and the largest.
func Median(errors []float64) (median, most float64) {
	abs := make([]float64, len(errors))
	for i, e := range errors {
		abs[i] = math.Abs(e)
	}
	slices.Sort(abs)
	return abs[len(abs)/2], abs[len(abs)-1]
}
