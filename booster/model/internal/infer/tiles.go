package infer

import (
	"slices"

	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/tree"
)

// leastTile is the number of rows below which lists are faster than a tile, which costs as much for one
// row as for all.
const leastTile = 64

// run is trees that follow each other and are taken the same way.
type run struct {
	first, end int // trees first … end-1
	trees      []predict.Tree
	plans      []predict.Plan // of these trees, nil where their rows go down in lists
	linear     *tree.Tree     // a tree with linear leaves, which is a run alone; nil for others
}

// runBytes is about how much of plans stays in the second cache beside a block's codes
// while its tiles pass.
const runBytes = 256 << 10

// takesTiles reports whether so many rows go through plans in tiles.
func takesTiles(set cpu.Level, rows int) bool { return set != cpu.Generic && rows >= leastTile }

// newPlans returns room for the plans of so many trees, nil where no tiles use them.
func newPlans(set cpu.Level, trees int) []predict.Plan {
	if set == cpu.Generic {
		return nil
	}
	return make([]predict.Plan, trees)
}

// runsOf appends to runs those of trees that begin with tree first of a model. It makes the
// plans of those that can be planned, unless there is no room for them.
func runsOf(runs []run, first int, trees []predict.Tree, linear []*tree.Tree, plans []predict.Plan, bits []uint8) []run {
	begin, size := 0, 0 // of the run
	for i := range trees {
		alone := linearAt(linear, i)
		planned := plans != nil && plans[i].Make(&trees[i], bits)
		last := len(runs) - 1
		if i == 0 || alone != nil || runs[last].linear != nil || planned != (runs[last].plans != nil) || planned && size+plans[i].Bytes() > runBytes {
			runs = append(runs, run{first: first + i, linear: alone})
			begin, last, size = i, last+1, 0
		}
		r := &runs[last]
		r.end, r.trees = first+i+1, trees[begin:i+1]
		if planned {
			r.plans = plans[begin : i+1]
			size += plans[i].Bytes()
		}
	}
	return runs
}

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

// within returns the part of the run that is trees from … to-1, and whether there is any.
func (r *run) within(from, to int) (run, bool) {
	cut := run{first: max(r.first, from), end: min(r.end, to), linear: r.linear}
	if cut.first >= cut.end {
		return cut, false
	}
	cut.trees = r.trees[cut.first-r.first : cut.end-r.first]
	if r.plans != nil {
		cut.plans = r.plans[cut.first-r.first : cut.end-r.first]
	}
	return cut, true
}

// addRuns adds the leaf values of those of the runs' trees that are from … to-1 to the raw
// scores.
func (b *block) addRuns(set cpu.Level, runs []run, from, to int) {
	tiles := takesTiles(set, b.rows)
	if tiles && !b.tiled && slices.ContainsFunc(runs, func(r run) bool { return r.plans != nil }) {
		b.tile()
		b.tiled = true
	}
	for i := range runs {
		r, any := runs[i].within(from, to)
		switch {
		case !any:
		case r.linear != nil:
			b.addLinear(&r, set, tiles)
		case tiles && r.plans != nil:
			b.addTiles(set, &r)
		default:
			b.addLists(&r, 0, b.rows)
		}
	}
}

// addTiles takes all rows of the block through a run in tiles, and the last ones in lists or in a part of
// a tile.
func (b *block) addTiles(set cpu.Level, r *run) {
	for lo := 0; lo < b.rows; lo += predict.TileRows {
		switch n := b.rows - lo; {
		case n < leastTile:
			b.addLists(r, lo, b.rows)
		case n < predict.TileRows:
			b.addPart(r, lo, set)
		default:
			b.addTile(r, lo, set)
		}
	}
}

// codesOf returns the codes of the tile that begins at row lo.
func (b *block) codesOf(lo int) []uint8 { return b.tiles[lo*len(b.columns):] }

// addTile takes the rows lo … lo+TileRows-1 through a run.
func (b *block) addTile(r *run, lo int, set cpu.Level) {
	codes := b.codesOf(lo)
	for p := range r.plans {
		scores := b.raw[(r.first+p)%b.outputs*b.rows+lo:]
		r.plans[p].AddTile(set, codes, (*[predict.TileRows]float64)(scores), &b.area)
	}
}

// addLists takes rows lo … hi-1 of the block through a run in lists.
func (b *block) addLists(r *run, lo, hi int) {
	for i := range r.trees {
		scores := b.raw[(r.first+i)%b.outputs*b.rows:][:b.rows]
		predict.AddRange(&r.trees[i], b.columns, lo, hi, scores, &b.scratch)
	}
}

// addPart takes the rows from lo on, fewer than a tile, through a run. The tile's other
// rows have some codes and their scores go nowhere.
func (b *block) addPart(r *run, lo int, set cpu.Level) {
	codes := b.codesOf(lo)
	for k := range b.outputs {
		own := b.raw[k*b.rows:][lo:b.rows]
		copy(b.part[:], own)
		for t := firstOf(k, r.first, b.outputs); t < r.end; t += b.outputs {
			r.plans[t-r.first].AddTile(set, codes, &b.part, &b.area)
		}
		copy(own, b.part[:])
	}
}

// firstOf returns the first tree of output k from a tree on.
func firstOf(k, tree, outputs int) int {
	return tree + (k-tree%outputs+outputs)%outputs
}
