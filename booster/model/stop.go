package model

import (
	"fmt"
	"math"

	"boost/internal/kernel/predict"
	"boost/objectives"
)

// EarlyStop lets rows stop before the last tree, where those that are left cannot change
// what is asked for, whatever leaves the row reaches in them.
//
// With PredictClass the allowance is 0: a row stops when its class is certain, and the
// classes are those of a prediction without the option. With Predict and PredictRaw the
// allowance is above 0, and no raw score of a row differs from the one without the option
// by more than it; the score is then the middle of what is possible. Results do not
// depend on threads or instruction sets here either. Anything else is an error, and so
// is a model whose classes do not follow from raw scores by a logistic or softmax link.
func EarlyStop(allowance float64) Option {
	return func(o *options) { o.allowance, o.early = allowance, true }
}

// looks is how often rows are looked at.
const looks = 32

// surely is by how much a raw score has to be above another, or above 0, for the larger
// probability to be the larger one after both were rounded, many times over.
const surely = 1e-9

// stops says when rows stop. All that it holds follows from the model and the number of
// trees: a row stops at the same tree whatever other rows it goes with.
type stops struct {
	classes   bool
	allowance float64
	looks     []look
	last      int // tree behind the last
}

// look is what is known before a tree of all that follow, by output.
type look struct {
	tree      int
	trees     float64   // of one output that follow
	low, high []float64 // sums of the lowest and of the highest leaves, rounded outwards
	reach     []float64 // sum of the largest magnitudes of leaves, rounded up
}

// stopEarly prepares the job's stops where EarlyStop asks for them.
func (j *job) stopEarly(what kind) error {
	o, c := &j.options, &j.model.contents
	if !o.early {
		return nil
	}
	switch a := o.allowance; {
	case what == ofLeaves || what == ofStages:
		return fmt.Errorf("an early stop leaves out trees, and all of them are asked for: leave EarlyStop out")
	case what == ofClasses && a != 0:
		return fmt.Errorf("early stop with an allowance of %v: classes stay as they are, give 0", a)
	case what == ofClasses && c.Link != objectives.Logistic && c.Link != objectives.Softmax:
		return fmt.Errorf("early stop: the classes of a model with link %s do not follow from bounds of raw scores", c.Link)
	case what == ofScores && !(a > 0 && a <= math.MaxFloat64):
		return fmt.Errorf("early stop with an allowance of %v: give a number above 0, by which a raw score may be off", a)
	}
	j.stops = newStops(j.model, j.trees, what == ofClasses, o.allowance)
	return nil
}

func newStops(m *Model, trees int, classes bool, allowance float64) *stops {
	k := m.contents.Outputs
	rounds := trees / k
	s := &stops{classes: classes, allowance: allowance, last: trees}
	step := max(1, rounds/looks)
	low, high, reach := make([]float64, k), make([]float64, k), make([]float64, k)
	for round := rounds - 1; round > 0; round-- {
		for output := range k {
			least, most := extremes(m.trees[round*k+output].Leaf)
			low[output] = math.Nextafter(low[output]+least, math.Inf(-1))
			high[output] = math.Nextafter(high[output]+most, math.Inf(1))
			reach[output] = math.Nextafter(reach[output]+max(-least, most), math.Inf(1))
		}
		if round%step == 0 {
			s.looks = append(s.looks, look{round * k, float64(rounds - round),
				append([]float64(nil), low...), append([]float64(nil), high...), append([]float64(nil), reach...)})
		}
	}
	for i, n := 0, len(s.looks); i < n/2; i++ {
		s.looks[i], s.looks[n-1-i] = s.looks[n-1-i], s.looks[i]
	}
	return s
}

func extremes(values []float64) (least, most float64) {
	least, most = values[0], values[0]
	for _, v := range values[1:] {
		least, most = min(least, v), max(most, v)
	}
	return least, most
}

// middle returns the middle of what a row's score of an output can become, and how far the
// score without a stop can be from it. n additions to a score s that reach no farther than
// r are off by less than n·2⁻⁵²·(|s|+r) (Higham 2002, §4.2, with twice the unit), and
// so are these few.
func (l *look) middle(output int, score float64) (middle, radius float64) {
	half := float64((l.high[output] - l.low[output]) / 2) // a product, not to be fused with what follows
	middle = score + (l.low[output] + half)
	slack := float64((l.trees + 4) * 0x1p-52 * (math.Abs(score) + l.reach[output]))
	return middle, math.Nextafter(half+slack, math.Inf(1))
}

// stopping is the memory of a block whose rows stop.
type stopping struct {
	final  []float64 // raw scores of the rows that have stopped, output-major over all rows
	row    []int32   // of each row that goes on: its place among all
	middle []float64 // of one row, by output
	radius []float64
}

// addUntil adds leaf values until rows stop.
func (b *block) addUntil(m *Model, s *stops) {
	all, from := b.rows, 0
	st := &b.stopping
	st.final, st.row = sized(st.final, all*b.outputs), sized(st.row, all)
	st.middle, st.radius = sized(st.middle, b.outputs), sized(st.radius, b.outputs)
	for i := range st.row {
		st.row[i] = int32(i)
	}
	for i := range s.looks {
		l := &s.looks[i]
		b.addTrees(m, from, l.tree)
		from = l.tree
		if b.stopRows(l, s, all); b.rows == 0 {
			break
		}
	}
	if b.rows > 0 {
		b.addTrees(m, from, s.last)
		for k := range b.outputs {
			for i, score := range b.raw[k*b.rows:][:b.rows] {
				st.final[k*all+int(st.row[i])] = score
			}
		}
	}
	b.rows = all
	copy(b.raw, st.final)
}

// stopRows takes the rows that stop out of the block; all is how many it had at first.
func (b *block) stopRows(l *look, s *stops, all int) {
	st, kept := &b.stopping, 0
	for i := range b.rows {
		for k := range b.outputs {
			st.middle[k], st.radius[k] = l.middle(k, b.raw[k*b.rows+i])
		}
		if s.done(st.middle, st.radius) {
			for k, score := range st.middle {
				st.final[k*all+int(st.row[i])] = score
			}
			continue
		}
		// Rows that go on move to the front. Their scores wait in values, which nobody
		// needs yet: where they belong depends on how many they will be.
		if kept < i {
			for c := range b.columns {
				moveCode(&b.columns[c], kept, i)
			}
		}
		st.row[kept] = st.row[i]
		for k := range b.outputs {
			b.values[k*all+kept] = b.raw[k*b.rows+i]
		}
		kept++
	}
	if kept == b.rows {
		return
	}
	for k := range b.outputs {
		copy(b.raw[k*kept:][:kept], b.values[k*all:][:kept])
	}
	b.rows, b.tiled = kept, false
}

// done says whether a row stops, given how far its scores can be from their middles.
func (s *stops) done(middle, radius []float64) bool {
	if !s.classes {
		for _, r := range radius {
			if !(r <= s.allowance) {
				return false
			}
		}
		return true
	}
	if len(middle) == 1 {
		return math.Abs(middle[0])-radius[0] > surely
	}
	first := 0
	for k := range middle {
		if middle[k] > middle[first] {
			first = k
		}
	}
	for k := range middle {
		if k != first && !(middle[first]-radius[first]-middle[k]-radius[k] > surely) {
			return false
		}
	}
	return true
}

// moveCode copies the code of row from to row to.
func moveCode(c *predict.Column, to, from int) {
	switch c.Bits {
	case 8:
		c.U8[to] = c.U8[from]
	case 16:
		c.U16[to] = c.U16[from]
	default:
		c.U32[to] = c.U32[from]
	}
}
