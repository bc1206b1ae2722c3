package infer

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/internal/kernel/predict"
	"boost/objectives"
)

// EarlyStop lets rows stop before the last tree: where their class is certain, with an allowance of 0, or where
// their raw scores are within an allowance above 0 of the final ones. Where neither can be had the
// prediction is an error.
func EarlyStop(allowance float64) Option {
	return func(o *options) { o.allowance, o.early = allowance, true }
}

// surely is by how much a raw score has to be above another, or above 0, for the larger
// probability to be the larger one after both were rounded, many times over.
const surely = 1e-9

// farthest is how far from 0 the raw score of a row that stops may be, so that one bound of
// what rounding does holds for all.
const farthest = 1 << 20

// leastRounds is how many rounds have to be left for a look at the rows.
const leastRounds = 8

// stops says when rows stop. All that it holds follows from the model and the number of
// trees: what is predicted for a row does not depend on those that it goes with.
type stops struct {
	classes bool
	looks   []look
	last    int // tree behind the last
}

// look is what is known before a tree of all that follow, by output: a row's score, if not
// beyond farthest, ends no farther than radius from what it is plus middle.
type look struct {
	tree           int
	middle, radius []float64
}

// stopEarly prepares the job's stops where EarlyStop asks for them.
func (j *job) stopEarly(what kind) error {
	o, c := &j.options, j.head.contents
	if !o.early {
		return nil
	}
	switch a := o.allowance; {
	case what == ofLeaves || what == ofStages:
		return errors.New("an early stop leaves out trees, and all of them are asked for: leave EarlyStop out")
	case what == ofClasses && a != 0:
		return fmt.Errorf("early stop with an allowance of %v: classes stay as they are, give 0", a)
	case what == ofClasses && c.Link != objectives.Logistic && c.Link != objectives.Softmax && c.Link != objectives.OneVsAll:
		return fmt.Errorf("early stop: the classes of a model with link %s do not follow from bounds of raw scores", c.Link)
	case what != ofClasses && !(a > 0 && a <= math.MaxFloat64):
		return fmt.Errorf("early stop with an allowance of %v: give a number above 0, by which a raw score may be off", a)
	}
	if err := j.head.errStopsLinear(); err != nil {
		return err
	}
	e, whole := j.forest.(*Engine)
	if !whole {
		return errors.New("early stop: its bounds need all trees at hand, and a Compact reads them one at a time: take Load")
	}
	j.stops = newStops(e, j.trees, what == ofClasses, o.allowance)
	return nil
}

// newStops goes through the rounds from the last to the first. For scores there is one look, at
// the earliest place where they are within the allowance, which is the same for all rows. For
// classes there are looks where a half, a quarter, an eighth … of the rounds is left, since
// what is open shrinks with these.
func newStops(e *Engine, trees int, classes bool, allowance float64) *stops {
	k := e.contents.Outputs
	rounds := trees / k
	s := &stops{classes: classes, last: trees}
	low, high, reach := make([]float64, k), make([]float64, k), make([]float64, k)
	next := leastRounds
	for left := 1; left <= rounds; left++ {
		round := rounds - left
		for output := range k {
			least, most := extremes(e.trees[round*k+output].Leaf)
			low[output] = math.Nextafter(low[output]+least, math.Inf(-1))
			high[output] = math.Nextafter(high[output]+most, math.Inf(1))
			reach[output] = math.Nextafter(reach[output]+max(-least, most), math.Inf(1))
		}
		l := newLook(round*k, left, low, high, reach)
		switch {
		case !classes && slices.Max(l.radius) <= allowance:
			s.looks = []look{l}
		case !classes:
			return s // what is open only grows
		case left == next:
			s.looks = append(s.looks, l)
			next *= 2
		}
	}
	slices.Reverse(s.looks)
	return s
}

func extremes(values []float64) (least, most float64) {
	least, most = values[0], values[0]
	for _, v := range values[1:] {
		least, most = min(least, v), max(most, v)
	}
	return least, most
}

// newLook makes a look of the sums of the lowest and of the highest leaves that follow, rounded
// outwards, and of their largest magnitudes, rounded up. n additions to a score s that reach
// no farther than r are off by less than n·2⁻⁵²·(|s|+r) (Higham 2002, §4.2, with twice
// the unit), and so are the few that make the middle.
func newLook(tree, left int, low, high, reach []float64) look {
	l := look{tree: tree, middle: make([]float64, len(low)), radius: make([]float64, len(low))}
	for k := range low {
		half := float64((high[k] - low[k]) / 2) // a product, not to be fused with what follows
		l.middle[k] = low[k] + half
		slack := float64(float64(left+4) * 0x1p-52 * (farthest + reach[k]))
		l.radius[k] = math.Nextafter(half+slack, math.Inf(1))
	}
	return l
}

// stopping is the memory of a block whose rows stop.
type stopping struct {
	final []float64 // raw scores of the rows that have stopped, output-major over all rows
	row   []int32   // of each row that goes on: its place among all
	stops []bool    // by row that goes on: it need not
}

// addUntil adds leaf values until rows stop.
func (b *block) addUntil(f forest, s *stops) {
	all, from := b.rows, 0
	st := &b.stopping
	for i := range s.looks {
		l := &s.looks[i]
		f.add(b, from, l.tree)
		from = l.tree
		if s.classes && !b.promises(l, s.last-l.tree) {
			continue
		}
		n := b.lookAt(l, s.classes)
		if n == b.rows && b.rows == all {
			b.end(l)
			return
		}
		if n > 0 {
			b.takeOut(l, all)
		}
		if b.rows == 0 {
			break
		}
	}
	if b.rows > 0 {
		f.add(b, from, s.last)
	}
	if b.rows == all {
		return
	}
	for k := range b.outputs {
		for i, score := range b.raw[k*b.rows:][:b.rows] {
			st.final[k*all+int(st.row[i])] = score
		}
	}
	b.rows = all
	copy(b.raw, st.final)
}

// sampleRows is between the rows that report whether a look at all pays.
const sampleRows = 16

// promises reports whether enough rows need not go through so many trees more for it to pay to
// move the others together. A class that is certain may as well be found, so that nothing
// but time hangs on it.
func (b *block) promises(l *look, trees int) bool {
	n, seen := 0, 0
	for i := 0; i < b.rows; i += sampleRows {
		seen++
		if b.leads(l, i) {
			n++
		}
	}
	return n*trees >= 4*(seen-n)*(len(b.columns)+2*b.outputs) && n > 0
}

// end gives all rows their final scores.
func (b *block) end(l *look) {
	for k, middle := range l.middle {
		scores := b.raw[k*b.rows:][:b.rows]
		for i := range scores {
			scores[i] += middle
		}
	}
}

// lookAt finds out which rows need not go on, and how many.
func (b *block) lookAt(l *look, classes bool) (n int) {
	b.stopping.stops = sized(b.stopping.stops, b.rows)
	stops := b.stopping.stops
	if classes {
		for i := range stops {
			if stops[i] = b.leads(l, i); stops[i] {
				n++
			}
		}
		return n
	}
	for i := range stops {
		stops[i] = true
	}
	for k := range b.outputs {
		for i, score := range b.raw[k*b.rows:][:b.rows] {
			stops[i] = stops[i] && math.Abs(score) <= farthest
		}
	}
	for _, yes := range stops {
		if yes {
			n++
		}
	}
	return n
}

// leads reports whether one output of a row stays above all others, or the only one on its side
// of 0.
func (b *block) leads(l *look, row int) bool {
	if b.outputs == 1 {
		score := b.raw[row]
		return math.Abs(score+l.middle[0])-l.radius[0] > surely && math.Abs(score) <= farthest
	}
	first, highest := 0, math.Inf(-1)
	for k, middle := range l.middle {
		score := b.raw[k*b.rows+row]
		if !(math.Abs(score) <= farthest) {
			return false
		}
		if score+middle > highest {
			first, highest = k, score+middle
		}
	}
	for k, middle := range l.middle {
		if k != first && !(highest-l.radius[first]-(b.raw[k*b.rows+row]+middle+l.radius[k]) > surely) {
			return false
		}
	}
	return true
}

// takeOut takes the rows that stop out of the block, which had all rows at first.
func (b *block) takeOut(l *look, all int) {
	st, kept := &b.stopping, 0
	if b.rows == all {
		st.final, st.row = sized(st.final, all*b.outputs), sized(st.row, all)
		for i := range st.row {
			st.row[i] = int32(i)
		}
	}
	for i := range b.rows {
		if st.stops[i] {
			for k, middle := range l.middle {
				st.final[k*all+int(st.row[i])] = b.raw[k*b.rows+i] + middle
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
	for k := range b.outputs {
		copy(b.raw[k*kept:][:kept], b.values[k*all:][:kept])
	}
	b.rows, b.tiled = kept, false
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
