package linear

import (
	"math"

	"boost/parallel"
	"boost/tree"
)

// AddScores adds what the leaves of a tree add to the scores of the rows that it was grown on: the tree of the last Fit, which has
// made it linear, or one that differs in what its leaves hold only.
func (f *Fitter) AddScores(t *tree.Tree, scores []float64) {
	f.tree, f.scores = t, scores
	f.config.Pool.Do(f.units(), (*scoreTask)(f))
	f.tree, f.scores = nil, nil
}

// scoreTask adds to the scores of one unit of rows.
type scoreTask Fitter

func (s *scoreTask) Run(number, index int) {
	f, w := (*Fitter)(s), &s.workers[number]
	for l := range s.tree.NumLeaves() {
		for rows := f.rowsOf(index, l); len(rows) > 0; {
			n := min(chunk, len(rows))
			for i, v := range w.values(f, rows[:n], l) {
				s.scores[rows[i]] += v
			}
			rows = rows[n:]
		}
	}
}

// values returns what a leaf adds for rows, at most a chunk.
func (w *worker) values(f *Fitter, rows []uint32, leaf int) []float64 {
	t, values := f.tree, w.hx[:len(rows)]
	features := t.LeafFeatures(leaf)
	start := t.Leaf[leaf]
	if len(features) > 0 {
		start = t.Linear.Const[leaf]
	}
	for i := range values {
		values[i] = start
	}
	if len(features) == 0 {
		return values
	}
	coefs := t.Linear.Coef[t.Linear.Ptrs[leaf]:]
	for j, feature := range features {
		column, c := f.config.Columns[feature], coefs[j]
		for i, row := range rows {
			values[i] += float64(c * float64(column[row]))
		}
	}
	for i, v := range values {
		if v-v != 0 {
			values[i] = t.Leaf[leaf]
		}
	}
	return values
}

// largestTask finds the largest size of a finite value of a feature.
type largestTask Fitter

func (l *largestTask) Run(_, feature int) {
	most := float32(0)
	for _, v := range l.config.Columns[feature] {
		if v < 0 {
			v = -v
		}
		if v > most && v <= math.MaxFloat32 {
			most = v
		}
	}
	l.largest[feature] = float64(most)
}

// checkSteps takes back models that give one of their rows more than the longest step. It looks at the rows of leaves only whose
// coefficients allow so much for some values of the columns.
func (f *Fitter) checkSteps() {
	if f.config.MaxStep == 0 {
		return
	}
	some := false
	for l := range f.tree.NumLeaves() {
		m := &f.models[l]
		features, _ := f.featuresOf(l)
		most := math.Abs(m.constant)
		for i, feature := range features {
			most += float64(math.Abs(m.coef[i]) * f.largest[feature])
		}
		f.exceeds[l] = m.used && !(most <= f.config.MaxStep)
		some = some || f.exceeds[l]
	}
	if !some {
		return
	}
	for w := range f.workers {
		f.workers[w].steep = sized(f.workers[w].steep, f.tree.NumLeaves())
		clear(f.workers[w].steep)
	}
	f.config.Pool.Do(f.units(), (*stepTask)(f))
	for w := range f.workers {
		for l, steep := range f.workers[w].steep {
			if steep {
				f.models[l].used = false
			}
		}
	}
}

// stepTask looks for rows of one unit whose value is too large.
type stepTask Fitter

func (s *stepTask) Run(number, index int) {
	f, w := (*Fitter)(s), &s.workers[number]
	lo, hi := parallel.Block(index, s.config.Rows, s.unit)
	for i, l := range s.leaf[lo:hi] {
		if l == noLeaf || !s.exceeds[l] || w.steep[l] {
			continue
		}
		m := &s.models[l]
		features, _ := f.featuresOf(int(l))
		v := m.constant
		for j, feature := range features {
			v += float64(m.coef[j] * float64(s.config.Columns[feature][lo+i]))
		}
		w.steep[l] = v-v == 0 && math.Abs(v) > s.config.MaxStep
	}
}
