package model

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"boost/internal/cpu"
	"boost/internal/kernel/predict"
)

// engine is how blocks of rows are taken through the trees of a model: in lists, or where
// trees are planned in tiles too, in any of the instruction sets of the machine. All give the
// same bits; which is fastest the first block that is large enough tells, see measure.
type engine struct {
	sets []cpu.Level // for tiles, the best first

	measured atomic.Pointer[ways]
	step     sync.Mutex // guards what a measurement has so far
	steps    int
	took     []time.Duration // by way, the sets and then lists
}

// ways is what a measurement found, or what is assumed before it.
type ways struct {
	settled bool
	tiles   cpu.Level // of planned runs; cpu.Generic is lists
	least   int       // rows under which a tile, which costs as much for one row as for all, is slower than lists
	timings []Timing
}

// run is trees that follow each other and are taken the same way.
type run struct {
	first, end int // trees first … end-1
	trees      []predict.Tree
	plans      []predict.Plan // of these trees, nil where their rows go down in lists
	part       bool           // other trees belong to it: nothing is measured
}

// runBytes is about how much of plans stays in the second cache beside a block's codes
// while its tiles pass.
const runBytes = 256 << 10

// assumedRows is ways.least before a measurement.
const assumedRows = 64

// inference returns the model's engine, which the first to ask makes.
func (m *Model) inference() *engine {
	m.planned.Do(func() {
		m.engine = newEngine(predict.Sets())
		m.runs = runsOf(nil, 0, m.trees, m.engine.plans(len(m.trees)), m.columns)
	})
	return m.engine
}

func newEngine(sets []cpu.Level) *engine {
	e := &engine{sets: sets, took: make([]time.Duration, len(sets)+1)}
	assumed := &ways{tiles: cpu.Generic, least: assumedRows}
	if len(sets) > 0 {
		assumed.tiles = sets[0]
	}
	e.measured.Store(assumed)
	return e
}

// plans returns room for the plans of so many trees, nil where there are none.
func (e *engine) plans(trees int) []predict.Plan {
	if len(e.sets) == 0 {
		return nil
	}
	return make([]predict.Plan, trees)
}

// runsOf appends to runs those of trees that begin with tree first of a model. It makes the
// plans of those that can be planned, unless there is no room for them.
func runsOf(runs []run, first int, trees []predict.Tree, plans []predict.Plan, bits []uint8) []run {
	begin, size := 0, 0 // of the run
	for i := range trees {
		planned := plans != nil && plans[i].Make(&trees[i], bits)
		last := len(runs) - 1
		if i == 0 || planned != (runs[last].plans != nil) || planned && size+plans[i].Bytes() > runBytes {
			runs = append(runs, run{first: first + i})
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
	cut := run{first: max(r.first, from), end: min(r.end, to)}
	if cut.first >= cut.end {
		return cut, false
	}
	cut.trees = r.trees[cut.first-r.first : cut.end-r.first]
	if r.plans != nil {
		cut.plans = r.plans[cut.first-r.first : cut.end-r.first]
	}
	cut.part = r.part || len(cut.trees) < len(r.trees)
	return cut, true
}

// add makes a Model a forest.
func (m *Model) add(b *block, from, to int) {
	e := m.inference() // which makes the runs
	b.addRuns(e, m.runs, from, to)
}

// numberLeaves makes a Model a forest.
func (m *Model) numberLeaves(b *block, trees int, out []int32) {
	most := 0
	for t := range m.trees[:trees] {
		most = max(most, len(m.trees[t].Leaf))
	}
	numbers := numbersTo(most)
	for t := range m.trees[:trees] {
		b.number(&m.trees[t], numbers, out[t:], trees)
	}
}

// tiling says whether so many rows go in tiles where there are plans, and whether they are
// measured.
func (e *engine) tiling(w *ways, rows int) (tiles, measures bool) {
	measures = !w.settled && rows >= predict.TileRows
	return len(e.sets) > 0 && (measures || w.tiles != cpu.Generic && rows >= w.least), measures
}

// addRuns adds the leaf values of those of the runs' trees that are from … to-1 to the raw
// scores.
func (b *block) addRuns(e *engine, runs []run, from, to int) {
	w := e.measured.Load()
	tiles, measures := e.tiling(w, b.rows)
	if tiles && !b.tiled && slices.ContainsFunc(runs, func(r run) bool { return r.plans != nil }) {
		b.tile()
		b.tiled = true
	}
	for i := range runs {
		cut, any := runs[i].within(from, to)
		if !any {
			continue
		}
		r, lo := &cut, 0
		if r.plans == nil {
			b.addLists(r, 0, b.rows)
			continue
		}
		if measures && !r.part {
			lo, measures = e.measure(b, r), false
			w = e.measured.Load()
		}
		for ; lo < b.rows; lo += predict.TileRows {
			n := b.rows - lo
			if w.tiles == cpu.Generic || n < w.least {
				b.addLists(r, lo, b.rows)
				break
			}
			if n < predict.TileRows {
				b.addPart(r, lo, w.tiles)
				break
			}
			b.addTile(r, lo, w.tiles)
		}
	}
}

// turns is how often each way takes a tile of its own in a measurement: the first time it
// has memory and instructions to fetch.
const turns = 2

// measure takes tiles of a block through a run, each another way, until all have had their
// turns, and returns how many rows are through; with more to measure the next block goes on.
// Nothing is done twice for it: what it costs is by how much the slower ways are slower, on
// two tiles and no more trees than a run has, about a millisecond. One caller measures at a time; the
// others do not wait.
func (e *engine) measure(b *block, r *run) (rows int) {
	if !e.step.TryLock() {
		return 0
	}
	defer e.step.Unlock()
	all := append(append([]cpu.Level{}, e.sets...), cpu.Generic)
	for e.steps < turns*len(all) && rows+predict.TileRows <= b.rows {
		way, took := all[e.steps%len(all)], &e.took[e.steps%len(all)]
		start := time.Now()
		if way == cpu.Generic {
			b.addLists(r, rows, rows+predict.TileRows)
		} else {
			b.addTile(r, rows, way)
		}
		if t := max(time.Since(start), 1); *took == 0 || t < *took {
			*took = t
		}
		e.steps++
		rows += predict.TileRows
	}
	if e.steps == turns*len(all) && rows > 0 {
		e.measured.Store(e.settle(all, r.end-r.first))
	}
	return rows
}

// settle makes a choice of what the ways took for so many trees.
func (e *engine) settle(all []cpu.Level, trees int) *ways {
	w, best := &ways{settled: true}, 0
	for i, way := range all {
		if e.took[i] < e.took[best] {
			best = i
		}
		w.timings = append(w.timings, Timing{wayName(way), float64(e.took[i].Nanoseconds()) / predict.TileRows / float64(trees)})
	}
	w.tiles = all[best]
	w.least = int(math.Ceil(predict.TileRows * min(1, float64(e.took[best])/float64(e.took[len(e.sets)]))))
	w.timings[0], w.timings[best] = w.timings[best], w.timings[0]
	return w
}

func wayName(set cpu.Level) string {
	if set == cpu.Generic {
		return "lists"
	}
	return "tiles in " + set.String()
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
