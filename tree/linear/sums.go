package linear

import "boost/parallel"

// The sums of a leaf with d features, x being shifted:
//
//	h·x·x of each pair of features (0,0), (0,1) … (0,d−1), (1,1) …; h·x of each; h; g·x of each; g; rows
func sumsOf(d int) int { return d*(d+1)/2 + 2*d + 3 }

// chunk is the number of rows of a leaf that are added up together, so that their values stay in the first cache.
const chunk = 256

// worker is the memory of one worker.
type worker struct {
	x      [MaxFeatures][]float64
	hx     [chunk]float64
	grad   [chunk]float64
	hess   [chunk]float64
	rows   [chunk]uint32 // those of a chunk without missing values
	steep  []bool        // by leaf: the model is too steep
	solver solver
}

// sortUnit sorts the rows of a unit by leaf, ascending in each.
func (f *Fitter) sortUnit(unit int) {
	lo, hi := parallel.Block(unit, f.config.Rows, f.unit)
	leaves := f.tree.NumLeaves()
	begins, order := f.begins[unit*(leaves+2):][:leaves+2], f.order[lo:hi]
	clear(begins)
	next := begins[1:]
	for _, l := range f.leaf[lo:hi] {
		if l != noLeaf {
			begins[l+2]++
		}
	}
	for l := range leaves {
		next[l+1] += next[l]
	}
	for i, l := range f.leaf[lo:hi] {
		if l != noLeaf {
			order[next[l]] = uint32(lo + i)
			next[l]++
		}
	}
}

// rowsOf returns the rows of a leaf in a unit.
func (f *Fitter) rowsOf(unit, leaf int) []uint32 {
	begins := f.begins[unit*(f.tree.NumLeaves()+2):]
	return f.order[unit*f.unit:][begins[leaf]:begins[leaf+1]]
}

// sumTask takes the sums of one unit of rows.
type sumTask Fitter

func (s *sumTask) Run(number, index int) {
	f, w := (*Fitter)(s), &s.workers[number]
	unit, to := s.first+index, s.parts[index]
	clear(to)
	f.sortUnit(unit)
	for l := range s.tree.NumLeaves() {
		features, shifts := f.featuresOf(l)
		if len(features) == 0 {
			continue
		}
		for rows := f.rowsOf(unit, l); len(rows) > 0; {
			n := min(chunk, len(rows))
			w.add(f, rows[:n], features, shifts, to[s.at[l]:s.at[l+1]])
			rows = rows[n:]
		}
	}
}

// add adds rows of a leaf to its sums, but those with a missing or an infinite value.
func (w *worker) add(f *Fitter, rows []uint32, features []int32, shifts []float64, sums []float64) {
	if !w.gather(f, rows, features, shifts) {
		if rows = w.finite(f, rows, features); len(rows) == 0 {
			return
		}
		w.gather(f, rows, features, shifts)
	}
	n, d := len(rows), len(features)
	g, h, hx := w.grad[:n], w.hess[:n], w.hx[:n]
	for i, row := range rows {
		g[i], h[i] = float64(f.grad[row]), float64(f.hess[row])
	}
	at := 0
	weighted, steep := sums[d*(d+1)/2:], sums[d*(d+1)/2+d+1:]
	for j := range d {
		x := w.x[j][:n]
		for i, v := range x {
			hx[i] = h[i] * v
		}
		for k := j; k < d; k++ {
			sums[at] += dot(hx, w.x[k][:n])
			at++
		}
		weighted[j] += total(hx)
		steep[j] += dot(g, x)
	}
	weighted[d] += total(h)
	steep[d] += total(g)
	steep[d+1] += float64(n)
}

// gather reads the rows' values, shifted, and reports whether all are finite.
func (w *worker) gather(f *Fitter, rows []uint32, features []int32, shifts []float64) bool {
	odd := 0.0
	for j, feature := range features {
		if w.x[j] == nil {
			w.x[j] = make([]float64, chunk)
		}
		x, column, shift := w.x[j][:len(rows)], f.config.Columns[feature], shifts[j]
		for i, row := range rows {
			v := float64(column[row]) - shift
			x[i] = v
			odd += v - v // NaN where v is not finite
		}
	}
	return odd == 0
}

// finite returns the rows whose values are all finite.
func (w *worker) finite(f *Fitter, rows []uint32, features []int32) []uint32 {
	kept := w.rows[:0]
	for _, row := range rows {
		odd := float32(0)
		for _, feature := range features {
			v := f.config.Columns[feature][row]
			odd += v - v
		}
		if odd == 0 {
			kept = append(kept, row)
		}
	}
	return kept
}

// dot returns the sum of products: eight sums, of every eighth product, which are then added in a fixed order, as vectors do it.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s [8]float64
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for len(a) >= 8 && len(b) >= 8 {
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
		s4 += float64(a[4] * b[4])
		s5 += float64(a[5] * b[5])
		s6 += float64(a[6] * b[6])
		s7 += float64(a[7] * b[7])
		a, b = a[8:], b[8:]
	}
	for i := range a {
		s[i] = float64(a[i] * b[i])
	}
	return ((s0 + s[0] + (s4 + s[4])) + (s2 + s[2] + (s6 + s[6]))) + ((s1 + s[1] + (s5 + s[5])) + (s3 + s[3] + s7))
}

// total returns the sum of values, in the order of dot.
func total(a []float64) float64 {
	var s [8]float64
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for len(a) >= 8 {
		s0 += a[0]
		s1 += a[1]
		s2 += a[2]
		s3 += a[3]
		s4 += a[4]
		s5 += a[5]
		s6 += a[6]
		s7 += a[7]
		a = a[8:]
	}
	copy(s[:], a)
	return ((s0 + s[0] + (s4 + s[4])) + (s2 + s[2] + (s6 + s[6]))) + ((s1 + s[1] + (s5 + s[5])) + (s3 + s[3] + s7))
}
