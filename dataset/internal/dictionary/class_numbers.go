package dictionary

import (
	"math"

	"boost/dataset/internal/plain"
)

// ClassNumbers collects the different numbers of a label column that may hold quantities.
type ClassNumbers struct {
	values []float64
	seen   map[float64]bool
	recent recentNumbers
	most   int
}

// NewClassNumbers collects at most so many numbers.
func NewClassNumbers(most int) *ClassNumbers {
	return &ClassNumbers{seen: make(map[float64]bool), most: most}
}

// Add adds a number, of which NaN is none. It reports whether there are not too many.
func (n *ClassNumbers) Add(v float64) bool {
	r := n.recent.at(v)
	if v != v || r.used && r.number == v {
		return true
	}
	*r = recentNumber{number: v, used: true}
	if !n.seen[v] {
		n.seen[v] = true
		n.values = append(n.values, v)
	}
	return len(n.values) <= n.most
}

// Names returns the classes, as NumberNames does.
func (n *ClassNumbers) Names() []string { return NumberNames(n.values) }

// ClassIndex finds the classes that numbers mean.
type ClassIndex struct {
	classes map[float64]float64
	recent  recentNumbers
}

// NewClassIndex is for classes, which are numbers or texts.
func NewClassIndex(classes []string, numeric bool) *ClassIndex {
	x := &ClassIndex{classes: make(map[float64]float64, len(classes))}
	for i, class := range classes {
		// Text classes may still be written as numbers; only their canonical
		// form is one that a column of numbers can mean.
		if v, ok := Number(class); ok && (numeric || plain.FormatNumber(v) == class) {
			x.classes[v] = float64(i)
		}
	}
	return x
}

// Of returns the index of the class that a number means, and false if it is none.
func (x *ClassIndex) Of(v float64) (class float64, ok bool) {
	r := x.recent.at(v)
	if !r.used || r.number != v {
		class, ok := x.classes[v]
		if !ok {
			return 0, false
		}
		*r = recentNumber{number: v, class: class, used: true}
	}
	return r.class, true
}

// recentNumbers are numbers that were looked up last, in places by a few bits of a hash: of few numbers it
// holds most, and finds them faster than a map.
type recentNumbers [256]recentNumber

type recentNumber struct {
	number float64
	class  float64
	used   bool
}

func (r *recentNumbers) at(v float64) *recentNumber {
	return &r[math.Float64bits(v)*0x9E3779B97F4A7C15>>56]
}
