package histogram

import (
	"slices"

	"boost/binning"
	"boost/gradients"
	"boost/internal/kernel/hist"
)

// A tile is the share of a histogram that one worker makes: some features, all rows of the node. No sums of workers
// have to be added up after it. The next steps, subtraction from the parent and search, find the sums of its features in the
// first cache. But rows are read once for every tile. So tiles are for nodes of few rows, and for so many
// features that their sums would not fit the second cache. In other nodes each worker adds up some rows for all
// features. A tile is then a place at which the workers' sums are added up.
type tile struct {
	places   []place // of a pass over rows; nil where the tile is a batch of columns
	first    int     // number of the first place
	features []int   // the active ones, ascending
	lists    *listPart
}

const (
	// tilePlaces is the most places of a tile: a cache line of codes, whose slots stay in the
	// first two caches.
	tilePlaces = 64
	// leastPlaces is the fewest, unless there are not so many: reading a row and its entry
	// costs as much as two or three updates.
	leastPlaces = 3
	// placeSlots is the number of slots whose search costs about as much as the updates.
	placeSlots = 128
	// tileBytes is the most bytes of codes in the rows of a node that is made by tiles of the row-major copy. Nor
	// is a node with more rows than slots: reading its rows once for each tile costs more than tiles save
	// after the pass.
	tileBytes = 16 << 20
)

// lineSlots is the number of slots of a pass over rows from which nodes of many rows are made by tiles too. So many
// slots do not fit the second cache, and a tile that is a whole cache line of codes uses all that it reads. It is
// a variable for tests.
var lineSlots = 1 << 17

// makeTiles cuts the places of a pass over rows, or the batches of columns, into tiles: into
// as few as are good for one worker, and into enough tiles for all workers.
func (b *Builder) makeTiles() {
	b.tileFeatures = b.tileFeatures[:0]
	b.alone, b.shared, b.lines, b.reduced = b.alone[:0], b.shared[:0], b.lines[:0], b.reduced[:0]
	if b.sparse == nil && b.strategy != FeatureParallel {
		for i := range b.places {
			b.reduced = b.addTile(b.reduced, i, i+1)
		}
	}
	switch {
	case b.sparse != nil:
	case b.strategy == FeatureParallel:
		for i := range b.batches {
			g := &b.batches[i]
			b.alone = append(b.alone, tile{})
			for _, u := range g.groups[:g.n] {
				b.addTileFeatures(&b.alone[i], b.featureGroups[u].Features)
			}
		}
		b.shared = append(b.shared, b.alone...)
	case b.wholeRow && b.rowMajor.Bits == binning.U8:
		groups := len(b.rowMajor.Groups)
		if b.lists != nil {
			b.makeListTiles()
			return
		}
		for _, cut := range [][2]int{{0, groups}, {groups, len(b.places)}} {
			b.alone = b.cutTiles(b.alone, cut[0], cut[1], 1)
			b.shared = b.cutTiles(b.shared, cut[0], cut[1], b.pool.Threads())
		}
		if b.rowSlots >= lineSlots {
			for i := 0; i < groups; i += tilePlaces {
				b.lines = b.addTile(b.lines, i, min(i+tilePlaces, groups))
			}
			b.lines = b.cutTiles(b.lines, groups, len(b.places), b.pool.Threads())
		}
	}
}

// cutTiles cuts the places lo … hi-1 into tiles of nearly one weight, as many as keep the
// workers busy.
func (b *Builder) cutTiles(tiles []tile, lo, hi, workers int) []tile {
	places := hi - lo
	n := (places + tilePlaces - 1) / tilePlaces
	if n%workers != 0 {
		least := leastPlaces
		if lo >= len(b.rowMajor.Groups) { // each reads the rows for itself
			least = 1
		}
		n = max(n, min(n+workers-n%workers, places/least))
	}
	from := lo
	for _, to := range cutEvenly(lo, hi, n, func(i int) int { return b.weight(&b.places[i]) }) {
		tiles = b.addTile(tiles, from, to)
		from = to
	}
	return tiles
}

// cutEvenly cuts lo … hi-1 into n pieces of nearly one weight, and returns where they end: a place belongs to the
// piece in whose share of the weights its middle lies.
func cutEvenly(lo, hi, n int, weight func(i int) int) (ends []int) {
	weights := 0
	for i := lo; i < hi; i++ {
		weights += weight(i)
	}
	from, sum := lo, 0
	for i := range n {
		to := from
		for to < hi-(n-1-i) && (to == from || 2*n*sum+n*weight(to) <= 2*(i+1)*weights) {
			sum += weight(to)
			to++
		}
		if i == n-1 {
			to = hi
		}
		ends = append(ends, to)
		from = to
	}
	return ends
}

// makeListTiles makes tiles of the parts of lists, for one worker and for all.
func (b *Builder) makeListTiles() {
	for i := range b.lists.parts {
		p := &b.lists.parts[i]
		b.alone = b.addTile(b.alone, p.from, p.to)
		b.alone[i].lists = p
	}
	b.shared = append(b.shared, b.alone...)
	if b.rowSlots >= lineSlots {
		b.lines = append(b.lines, b.alone...)
		b.lines = b.cutTiles(b.lines, len(b.rowMajor.Groups), len(b.places), b.pool.Threads())
	}
	b.alone = b.cutTiles(b.alone, len(b.rowMajor.Groups), len(b.places), 1)
	b.shared = b.cutTiles(b.shared, len(b.rowMajor.Groups), len(b.places), b.pool.Threads())
}

// addTile adds the tile of the places lo … hi-1.
func (b *Builder) addTile(tiles []tile, lo, hi int) []tile {
	t := tile{places: b.places[lo:hi], first: lo}
	for j := range t.places {
		p := &t.places[j]
		for i := range p.nGroups() {
			b.addTileFeatures(&t, b.featureGroups[p.groupAt(i)].Features)
		}
	}
	return append(tiles, t)
}

// weight is about what a place costs: in the pass over rows, and for each slot of its features
// after it.
func (b *Builder) weight(p *place) int {
	slots := placeSlots
	for i := range p.nGroups() {
		for _, f := range b.featureGroups[p.groupAt(i)].Features {
			lo, hi := b.bins(f)
			slots += hi - lo
		}
	}
	return slots
}

// addTileFeatures adds the active ones of some features to a tile, the last one.
func (b *Builder) addTileFeatures(t *tile, features []int) {
	from := len(b.tileFeatures) - len(t.features)
	for _, f := range features {
		if _, active := slices.BinarySearch(b.features, f); active {
			b.tileFeatures = append(b.tileFeatures, f)
		}
	}
	t.features = b.tileFeatures[from:len(b.tileFeatures):len(b.tileFeatures)]
	slices.Sort(t.features)
}

// tile makes the i-th part of a histogram, and returns the features whose sums it holds.
func (b *build) tile(worker, i int) (features []int) {
	if b.reducing {
		if b.storage.OneWord() {
			(*reduceTask)(b).Run(worker, i)
		} else {
			(*wideReduceTask)(b).Run(worker, i)
		}
		return b.reduced[i].features
	}
	t := &b.tiles[i]
	if t.places == nil {
		(*columnTask)(b).Run(worker, i)
		return t.features
	}
	b.addTileRows(worker, t)
	for j := range t.places {
		p := &t.places[j]
		for i := range p.nGroups() {
			b.fillDefaults(p.groupAt(i))
		}
	}
	return t.features
}

// addTileRows adds up all rows for the features of a tile.
func (b *build) addTileRows(worker int, t *tile) {
	s := &b.packed[worker]
	base := t.places[0].at
	rows, fresh, total := 0, true, uint64(0)
	byLists := b.byLists && t.lists != nil
	for r := range b.runs {
		run := &b.runs[r]
		n := len(run.Entries)
		if n == 0 {
			continue
		}
		if rows += n; rows > hist.WordRows { // more could overflow
			b.unpackTile(t, s, fresh, total)
			rows, fresh, total = n, false, 0
		}
		if byLists {
			total += t.lists.add(s.slots, run.First, run.Entries)
		} else {
			b.addRows(worker, t, s.slots, base, run.First, run.Entries)
		}
	}
	b.unpackTile(t, s, fresh, total)
}

// unpackTile adds the packed sums of a tile to the slots of its features; total is the sum of the rows that
// were added by lists.
func (b *build) unpackTile(t *tile, s *packedScratch, fresh bool, total uint64) {
	base := t.places[0].at
	for j := range t.places {
		p := &t.places[j]
		others := s.slots[p.at-base : p.at-base+p.size]
		b.fillListed(t.first+j, others, total)
		for i := range p.nGroups() {
			var sums []uint64
			u := p.groupAt(i)
			sums, others = b.nextMember(p, i, others, s.member[:])
			b.unpackSums(u, sums, fresh)
		}
	}
}

// addRows adds entries of one run to the packed sums of a tile's places, which begin at
// the slot base of a whole pass.
func (b *build) addRows(worker int, t *tile, slots []uint64, base, first int, entries []uint64) {
	if groups := len(b.rowMajor.Groups); t.first < groups {
		hist.OneWordRows(slots, b.rowMajorFrom(first)[t.first:], b.rowMajor.Stride, len(t.places), entries, !b.dense)
		return
	}
	b.addPlaces(worker, slots, base, t.places, first, entries)
}

// tilesFor returns the tiles of a node of so many rows, none where workers add up rows of all features: tiles are for
// integer codes, by columns or by rows of the copy.
func (b *Builder) tilesFor(st *gradients.Storage, rows int, alone bool) []tile {
	tiles := b.shared
	if alone {
		tiles = b.alone
	}
	switch {
	case st.Mode() == gradients.F32:
		return nil
	case b.strategy == FeatureParallel:
		return tiles
	case !st.OneWord() || b.rowMajor == nil:
		return nil
	case rows <= min(b.rowSlots, hist.WordRows) && rows*b.rowMajor.Stride <= tileBytes:
		return tiles
	}
	return b.lines
}

// reserveTiles makes the slots of every worker that may take part, and of those passes over
// rows that all features go through together.
func (b *build) reserveTiles() {
	if b.strategy == FeatureParallel {
		b.reserveColumns()
		return
	}
	widest := 0
	if len(b.lines) == 0 {
		widest = b.rowSlots
	}
	for i := range b.tiles {
		last := b.tiles[i].places[len(b.tiles[i].places)-1]
		widest = max(widest, last.at+max(last.size, hist.Slots)-b.tiles[i].places[0].at)
	}
	for w := range b.packed {
		b.packed[w].reserve(widest, false)
	}
}
