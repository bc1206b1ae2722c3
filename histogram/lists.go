package histogram

import (
	"unsafe"

	"boost/binning"
	"boost/internal/cpu"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// Lists name the slots that each row is added to, except those of default bins. Each packed group has a default bin, the
// most frequent code of a sample. Its slot gets the total less the sums of the other slots. Lists stand beside a
// row-major copy of which enough codes are default bins, and serve packed sums. A row takes 4 bytes for each
// part, and two for a slot.
type Lists struct {
	defaults []uint8 // of each packed group
	parts    []listPart
}

// listPart is what one tile adds: slots of some packed groups, counted from the first one's.
type listPart struct {
	hist.Listed
	from, to int
}

const (
	// listSample is about how many rows the default bins are found in.
	listSample = 1024
	// listPlaces is the most packed groups of a part, and leastListed the fewest if there are several.
	listPlaces, leastListed = 64, 24
	// listRow is how many more codes than slots a row must have for each part: its slots then cost, with what fills
	// them up to a multiple of hist.ListStep, at most 0.8 of as many updates of the copy by rows.
	listRow = 12
	// listBlock is the number of rows whose lists a task makes.
	listBlock = 4096
	// padding is the first of the slots of a part that are added to where a list's length is no multiple of hist.ListStep: its
	// first packed group has no such codes.
	padding = 256
)

// NewLists returns lists and the bytes that they take. It returns nil if a pass over lists would not be faster, or if they
// would take more than room bytes.
func NewLists(m *binning.Matrix, rowMajor *binning.RowMajor, pool *parallel.Pool, room int64) (l *Lists, bytes int64) {
	rows, groups := m.NRows(), len(rowMajor.Groups)
	if rowMajor.Bits != binning.U8 || rows == 0 || groups == 0 {
		return nil, 0
	}
	l = &Lists{defaults: make([]uint8, groups)}
	listed, sampled := l.findDefaults(rowMajor, rows)
	n := (groups + listPlaces - 1) / listPlaces
	if threads := pool.Threads(); n%threads != 0 {
		n = max(n, min(n+threads-n%threads, groups/leastListed))
	}
	if listed > sampled*(groups-listRow*n) {
		return nil, 0
	}
	ends := cutEvenly(0, groups, n, func(i int) int { return placeSlots + int(rowMajor.Groups[i].NBins) })
	l.parts = make([]listPart, n)
	from := 0
	for i, to := range ends {
		l.parts[i] = listPart{from: from, to: to}
		from = to
	}
	if bytes = 4 * int64(n) * int64(rows+1); bytes > room {
		return nil, 0
	}
	for i := range l.parts {
		bytes += l.parts[i].count(rowMajor, l.defaults, rows, pool)
	}
	if bytes > room {
		return nil, 0
	}
	for i := range l.parts {
		l.parts[i].fill(rowMajor, l.defaults, rows, pool)
	}
	return l, bytes
}

// findDefaults sets the default bins, by a sample, and returns how many other codes it has in how many rows. Some groups
// are counted at a time: their counts stay in a core's cache, and those of 200,000 groups would take 200 MB.
func (l *Lists) findDefaults(rowMajor *binning.RowMajor, rows int) (listed, sampled int) {
	step := max(1, rows/listSample)
	sampled = (rows + step - 1) / step
	var counts [defaultsAtOnce][256]uint32
	for from := 0; from < len(l.defaults); from += len(counts) {
		defaults := l.defaults[from:min(from+len(counts), len(l.defaults))]
		clear(counts[:])
		for row := 0; row < rows; row += step {
			for i, code := range rowMajor.Data[row*rowMajor.Stride+from:][:len(defaults)] {
				counts[i][code]++
			}
		}
		for i := range defaults {
			most := uint32(0)
			for code, n := range counts[i] {
				if n > most {
					most, defaults[i] = n, uint8(code)
				}
			}
			listed += sampled - int(most)
		}
	}
	return listed, sampled
}

// defaultsAtOnce is how many groups findDefaults counts at a time, each in 1 KiB.
const defaultsAtOnce = 128

// count finds where the lists begin, and returns the bytes of their slots.
func (p *listPart) count(rowMajor *binning.RowMajor, defaults []uint8, rows int, pool *parallel.Pool) int64 {
	p.Starts = make([]uint32, rows+1)
	p.Size = (p.to - p.from) * hist.Slots
	defaults = defaults[p.from:p.to]
	pool.Do(parallel.Blocks(rows, listBlock), parallel.Func(func(_, block int) {
		lo, hi := parallel.Block(block, rows, listBlock)
		for row := lo; row < hi; row++ {
			n := uint32(0)
			for i, code := range rowMajor.Data[row*rowMajor.Stride+p.from:][:len(defaults)] {
				if code != defaults[i] {
					n++
				}
			}
			p.Starts[row+1] = (n + hist.ListStep - 1) &^ (hist.ListStep - 1)
		}
	}))
	total := uint64(0)
	for row, n := range p.Starts {
		total += uint64(n)
		p.Starts[row] = uint32(total)
	}
	if total > 1<<32-1 {
		return 1 << 62 // more than there is room for
	}
	return 2 * int64(total)
}

// fill writes the slots of lists whose places are found.
func (p *listPart) fill(rowMajor *binning.RowMajor, defaults []uint8, rows int, pool *parallel.Pool) {
	p.Slots = make([]uint16, p.Starts[rows])
	cpu.LargePages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(p.Slots))), 2*len(p.Slots)))
	defaults = defaults[p.from:p.to]
	pool.Do(parallel.Blocks(rows, listBlock), parallel.Func(func(_, block int) {
		lo, hi := parallel.Block(block, rows, listBlock)
		var slots [listPlaces + hist.ListStep]uint16
		for row := lo; row < hi; row++ {
			n := 0
			for i, code := range rowMajor.Data[row*rowMajor.Stride+p.from:][:len(defaults)] {
				slots[n] = uint16(i*hist.Slots + int(code))
				if code != defaults[i] {
					n++
				}
			}
			own := p.Slots[p.Starts[row]:p.Starts[row+1]]
			for i := n; i < len(own); i++ {
				slots[i] = uint16(padding + i - n)
			}
			copy(own, slots[:])
		}
	}))
}

// add adds entries of one run to the packed sums of a part, and returns the sum of the entries.
func (p *listPart) add(sums []uint64, first int, entries []uint64) (total uint64) {
	total = p.Add(sums, first, entries)
	clear(sums[padding : padding+hist.ListStep])
	return total
}

// addListed adds entries of one run to the packed sums of all groups of the row-major copy.
func (b *Builder) addListed(s *packedScratch, first int, entries []uint64) {
	total := uint64(0)
	for i := range b.lists.parts {
		p := &b.lists.parts[i]
		total = p.add(s.slots[p.from*hist.Slots:], first, entries)
	}
	s.total += total
}

// fillListed sets the packed sum of a packed group's default bin, if the node is added up by lists: the total less the
// other sums.
func (b *build) fillListed(place int, sums []uint64, total uint64) {
	if b.byLists && place < len(b.lists.defaults) {
		sums[b.lists.defaults[place]] = total - hist.Sum(sums)
	}
}
