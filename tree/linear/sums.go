package linear

import (
	"boost/internal/kernel/gram"
	"boost/parallel"
)

// The sums of a leaf with d features, x being shifted and followed by a 1:
//
//	h·x·x of each pair (0,0), (0,1) … (0,d), (1,1) … (d,d), the last of which is h; g·x of each and of the 1; rows
func sumsOf(d int) int { return pairsOf(d) + d + 2 }

func pairsOf(d int) int { return (d + 1) * (d + 2) / 2 }

// chunk is the number of rows of a leaf that are added up together, so that their values stay in the first cache.
const chunk = gram.Rows

// worker is the memory of one worker.
type worker struct {
	x      []float64 // MaxFeatures+1 columns: a leaf's are the last ones, and the last of them is 1
	hx     [chunk]float64
	grad   [chunk]float64
	hess   [chunk]float64
	rows   [chunk]uint32 // those of a chunk without missing values
	steep  []bool        // by leaf: the model is too steep
	solver solver
}

// columns returns the columns of d features and the 1 behind them.
func (w *worker) columns(d int) []float64 {
	if w.x == nil {
		w.x = make([]float64, (MaxFeatures+1)*chunk)
		for i := range chunk {
			w.x[MaxFeatures*chunk+i] = 1
		}
	}
	return w.x[(MaxFeatures-d)*chunk:]
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
	d, n := len(features), gram.Pad(len(rows))
	g, h, hx, x := w.grad[:n], w.hess[:n], w.hx[:n], w.columns(d)
	for i, row := range rows {
		g[i], h[i] = float64(f.grad[row]), float64(f.hess[row])
	}
	clear(g[len(rows):])
	clear(h[len(rows):])
	at := 0
	for j := range d + 1 {
		own := x[j*chunk:]
		gram.Products(sums[at:at+d+1-j], hx, h, own[:n], own)
		at += d + 1 - j
	}
	gram.Products(sums[at:at+d+1], hx, g, x[d*chunk:][:n], x)
	sums[at+d+1] += float64(len(rows))
}

// gather reads the rows' values, shifted, and reports whether all are finite.
func (w *worker) gather(f *Fitter, rows []uint32, features []int32, shifts []float64) bool {
	columns, odd := w.columns(len(features)), 0.0
	for j, feature := range features {
		x, column, shift := columns[j*chunk:][:gram.Pad(len(rows))], f.config.Columns[feature], shifts[j]
		for i, row := range rows {
			v := float64(column[row]) - shift
			x[i] = v
			odd += v - v // NaN where v is not finite
		}
		clear(x[len(rows):])
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
