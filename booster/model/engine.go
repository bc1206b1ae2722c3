package model

import "boost/internal/kernel/predict"

// engine is how blocks of rows are taken through the trees of a model.
type engine struct {
	runs  []run
	tiles bool // whether any run is planned
}

// run is trees that follow each other and are taken the same way.
type run struct {
	first, end int            // trees first … end-1
	plans      []predict.Plan // of these trees, nil where their rows go down in lists
}

// runBytes is about how much of plans stays in the second cache beside a block's codes
// while its tiles pass.
const runBytes = 256 << 10

// inference returns the model's engine, which the first to ask makes.
func (m *Model) inference() *engine {
	m.planned.Do(func() { m.engine = newEngine(m.trees, m.columns, predict.Vectors()) })
	return m.engine
}

// newEngine plans the trees that can be where the machine has vectors for them.
func newEngine(trees []predict.Tree, bits []uint8, vectors bool) *engine {
	e := &engine{}
	size := 0
	for i := range trees {
		var plan predict.Plan
		planned := false
		if vectors {
			plan, planned = predict.MakePlan(&trees[i], bits)
		}
		last := len(e.runs) - 1
		if last < 0 || planned != (e.runs[last].plans != nil) || planned && size+plan.Bytes() > runBytes {
			e.runs = append(e.runs, run{first: i})
			last, size = last+1, 0
		}
		r := &e.runs[last]
		r.end = i + 1
		if planned {
			r.plans = append(r.plans, plan)
			size += plan.Bytes()
			e.tiles = true
		}
	}
	return e
}

// minTileRows is the number of rows under which a tile, which costs as much for one row as
// for all, is slower than lists.
const minTileRows = 64

// tile copies the codes of the block's columns of one byte, tile by tile.
func (b *block) tile() {
	const rows = predict.TileRows
	size := (b.rows + rows - 1) / rows * len(b.columns) * rows
	if len(b.tiles) < size {
		b.tiles = predict.Aligned(size)
	}
	to := b.tiles
	for lo := 0; lo < b.rows; lo += rows {
		for c := range b.columns {
			if b.columns[c].Bits == 8 {
				copy(to, b.columns[c].U8[lo:min(lo+rows, b.rows)])
			}
			to = to[rows:]
		}
	}
}

// addTrees adds the leaf values of all trees to the raw scores.
func (b *block) addTrees(m *Model) {
	e := m.inference()
	if e.tiles && b.rows >= minTileRows {
		b.tile()
	}
	for i := range e.runs {
		r := &e.runs[i]
		if r.plans == nil {
			b.addLists(m.trees, r, 0, b.rows)
			continue
		}
		for lo := 0; lo < b.rows; lo += predict.TileRows {
			switch n := b.rows - lo; {
			case n < minTileRows:
				b.addLists(m.trees, r, lo, b.rows)
			case n < predict.TileRows:
				b.addPart(r, lo)
			default:
				b.addTile(r, lo)
			}
		}
	}
}

// codesOf returns the codes of the tile that begins at row lo.
func (b *block) codesOf(lo int) []uint8 { return b.tiles[lo*len(b.columns):] }

// addTile takes the rows lo … lo+TileRows-1 through a run.
func (b *block) addTile(r *run, lo int) {
	codes := b.codesOf(lo)
	for p := range r.plans {
		scores := b.raw[(r.first+p)%b.outputs*b.rows+lo:]
		r.plans[p].AddTile(codes, (*[predict.TileRows]float64)(scores), &b.area)
	}
}

// addLists takes rows lo … hi-1 of the block through a run in lists.
func (b *block) addLists(trees []predict.Tree, r *run, lo, hi int) {
	for t := r.first; t < r.end; t++ {
		scores := b.raw[t%b.outputs*b.rows:][:b.rows]
		predict.AddRange(&trees[t], b.columns, lo, hi, scores, &b.scratch)
	}
}

// addPart takes the rows from lo on, fewer than a tile, through a run. The tile's other
// rows have some codes and their scores go nowhere.
func (b *block) addPart(r *run, lo int) {
	codes := b.codesOf(lo)
	for k := range b.outputs {
		own := b.raw[k*b.rows:][lo:b.rows]
		copy(b.part[:], own)
		for t := firstOf(k, r.first, b.outputs); t < r.end; t += b.outputs {
			r.plans[t-r.first].AddTile(codes, &b.part, &b.area)
		}
		copy(own, b.part[:])
	}
}

// firstOf returns the first tree of output k from a tree on.
func firstOf(k, tree, outputs int) int {
	return tree + (k-tree%outputs+outputs)%outputs
}
