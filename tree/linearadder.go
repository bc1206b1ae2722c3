package tree

// LinearAdder adds what linear leaves add, for many rows at a time. It keeps its memory.
type LinearAdder struct {
	begins []int32   // by leaf: where its rows begin in order; two more
	order  []int32   // rows by leaf, ascending in each
	values []float64 // of the rows of one leaf
}

// Add adds to the scores of rows what their leaves, leaf[0], leaf[1] …, add: those of rows first, first+1 … of the columns, or of the
// listed ones. Columns are by feature, and only those of leaves are read. The tree must have Linear.
func (a *LinearAdder) Add(t *Tree, leaf []float64, columns [][]float32, first int, rows []uint32, scores []float64) {
	a.sort(leaf, t.NumLeaves(), first, rows)
	l := t.Linear
	for n := range l.Const {
		order := a.order[a.begins[n]:a.begins[n+1]]
		lo, hi := l.Ptrs[n], l.Ptrs[n+1]
		if lo == hi {
			for _, row := range order {
				scores[row] += t.Leaf[n]
			}
			continue
		}
		values := a.values[:len(order)]
		for i := range values {
			values[i] = l.Const[n]
		}
		for i := lo; i < hi; i++ {
			column, coef := columns[l.Feature[i]], l.Coef[i]
			for at, row := range order {
				values[at] += float64(coef * float64(column[row]))
			}
		}
		for at, row := range order {
			v := values[at]
			if v-v != 0 {
				v = t.Leaf[n]
			}
			scores[row] += v
		}
	}
}

// sort puts the rows in the order of their leaves.
func (a *LinearAdder) sort(leaf []float64, leaves, first int, rows []uint32) {
	if cap(a.begins) < leaves+2 {
		a.begins = make([]int32, leaves+2)
	}
	if cap(a.order) < len(leaf) {
		a.order, a.values = make([]int32, len(leaf)), make([]float64, len(leaf))
	}
	a.begins, a.order = a.begins[:leaves+2], a.order[:len(leaf)]
	clear(a.begins)
	for _, n := range leaf {
		a.begins[int(n)+2]++
	}
	next := a.begins[1:]
	for n := range leaves {
		next[n+1] += next[n]
	}
	for at, n := range leaf {
		row := int32(first + at)
		if rows != nil {
			row = int32(rows[at])
		}
		a.order[next[int(n)]] = row
		next[int(n)]++
	}
}
