package crashfs

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"boost/internal/rng"
)

type kind uint8

const (
	marked kind = iota
	synced
	unsynced // a sync that failed
	linked
	unlinked
	renamed
	written
	resized
)

// operation is an entry of the log of a disk.
type operation struct {
	kind   kind
	node   int // the file, or the folder whose names change
	offset int64
	data   []byte

	old, name string
	target    int
	folder    bool // the target is one
}

func (o *operation) resize(b []byte) []byte {
	if o.offset <= int64(len(b)) {
		return slices.Clone(b[:o.offset])
	}
	return append(slices.Clone(b), make([]byte, o.offset-int64(len(b)))...)
}

func (o *operation) write(b []byte) []byte { return overwrite(b, o.offset, o.data) }

// overwrite returns b with data at an offset; zeros fill what lies between.
func overwrite(b []byte, offset int64, data []byte) []byte {
	out := make([]byte, max(int64(len(b)), offset+int64(len(data))))
	copy(out, b)
	copy(out[offset:], data)
	return out
}

func (o *operation) String() string {
	switch o.kind {
	case linked:
		return fmt.Sprintf("create %q", o.name)
	case unlinked:
		return fmt.Sprintf("remove %q", o.name)
	case renamed:
		return fmt.Sprintf("rename %q to %q", o.old, o.name)
	case written:
		return fmt.Sprintf("write bytes %d to %d of file %d", o.offset, o.offset+int64(len(o.data)), o.node)
	}
	return fmt.Sprintf("cut or extend file %d to %d bytes", o.node, o.offset)
}

// image is what a disk holds. Slices in it are never written to.
type image struct {
	names map[int]map[string]int
	data  map[int][]byte
}

func (m *image) clone() *image {
	c := image{make(map[int]map[string]int, len(m.names)), maps.Clone(m.data)}
	for folder, names := range m.names {
		c.names[folder] = maps.Clone(names)
	}
	return &c
}

// fate is what becomes of an operation that was not synced.
type fate struct {
	what outcome
	cut  int // bytes of a write that count as its first part
}

type outcome uint8

const (
	done      outcome = iota
	lost              // as if it had never been called
	short             // the first part of a write is there
	zeroAfter         // likewise; the file has its new length, and zeros where the rest should be
	zeroFirst         // the other way round
)

func (w outcome) String() string {
	return [...]string{"done", "lost", "only its first %d bytes", "its first %d bytes, then zeros where the file is new", "all but its first %d bytes"}[w]
}

func (m *image) apply(o *operation, f fate) {
	if f.what == lost {
		return
	}
	switch o.kind {
	case linked:
		m.folder(o.node)[o.name] = o.target
		if o.folder {
			m.folder(o.target)
		}
	case unlinked:
		delete(m.folder(o.node), o.name)
	case renamed:
		names := m.folder(o.node)
		if names[o.old] == o.target {
			delete(names, o.old)
		}
		names[o.name] = o.target
	case resized:
		m.data[o.node] = o.resize(m.data[o.node])
	case written:
		b, part, at := m.data[o.node], o.data, o.offset
		if end := at + int64(len(part)); f.what >= zeroAfter && end > int64(len(b)) {
			b = append(slices.Clone(b), make([]byte, end-int64(len(b)))...)
		}
		switch f.what {
		case short, zeroAfter:
			part = part[:f.cut]
		case zeroFirst:
			part, at = part[f.cut:], at+int64(f.cut)
		}
		m.data[o.node] = overwrite(b, at, part)
	}
}

func (m *image) folder(id int) map[string]int {
	if m.names[id] == nil {
		m.names[id] = map[string]int{}
	}
	return m.names[id]
}

// sum stands for all that can be reached from the root.
func (m *image) sum(seed maphash.Seed, marks int) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	number := func(n int) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		_, _ = h.Write(b[:])
	}
	number(marks)
	var walk func(folder int)
	walk = func(folder int) {
		for _, name := range slices.Sorted(maps.Keys(m.names[folder])) {
			id := m.names[folder][name]
			number(len(name))
			_, _ = h.WriteString(name)
			if _, is := m.names[id]; is {
				number(-1)
				walk(id)
				number(-2)
				continue
			}
			number(len(m.data[id]))
			_, _ = h.Write(m.data[id])
		}
	}
	walk(0)
	return h.Sum64()
}

// disk returns a disk that holds the image, all of it safe.
func (m *image) disk() *FS {
	f := New()
	var walk func(from, to int)
	walk = func(from, to int) {
		for _, name := range slices.Sorted(maps.Keys(m.names[from])) {
			id, child := m.names[from][name], len(f.nodes)
			f.nodes[to].names[name] = child
			f.base.folder(to)[name] = child
			if _, is := m.names[id]; is {
				f.nodes = append(f.nodes, node{names: map[string]int{}, mode: 0o777 | fs.ModeDir})
				f.base.folder(child)
				walk(id, child)
				continue
			}
			f.nodes = append(f.nodes, node{data: m.data[id], mode: 0o666})
			f.base.data[child] = m.data[id]
		}
	}
	walk(0, 0)
	return f
}

// pending is an operation that was not synced.
type pending struct {
	*operation
	fixed bool // synced since; what a failed sync has lost lies before it
	lost  bool // by a sync that failed
}

// crashes is the search for the states that crashes leave.
type crashes struct {
	safe    *image
	open    []pending
	marks   int
	from    int
	samples int    // of states at a moment, and of places within a write
	exhaust int    // states at a moment of which none is left out
	draws   uint64 // random numbers taken
	seed    maphash.Seed
	seen    map[uint64]bool
	check   func(disk *FS, marks int)
}

// Crashes calls check with states of the disk that a crash could have left after so many marks or more, and with how many
// there had been then; it returns how many states there were. What was synced is there. Each other call is done
// or lost, or a write is there in part: cut at a border of a sector or within one, its other part missing or
// zeros. All combinations are taken where these are few. Otherwise: each prefix in the order of the calls;
// each prefix without one of its calls; each prefix with the next write in part; every call but one; and
// combinations by chance, more of them and more cuts under BOOST_SOAK. A state that comes twice is checked once.
func (f *FS) Crashes(from int, check func(disk *FS, marks int)) int {
	c := crashes{from: from, safe: f.base.clone(), samples: 4, exhaust: 100, seed: maphash.MakeSeed(), seen: map[uint64]bool{}, check: check}
	if os.Getenv("BOOST_SOAK") != "" {
		c.samples, c.exhaust = 50, 10_000
	}
	for i := range f.log {
		switch o := &f.log[i]; o.kind {
		case marked:
			c.moment()
			c.marks++
		case synced:
			c.moment()
			c.sync(o.node)
		case unsynced:
			c.moment()
			for i := range c.open {
				if p := &c.open[i]; p.node == o.node && !p.fixed {
					p.lost = true
				}
			}
		default:
			c.open = append(c.open, pending{operation: o})
		}
	}
	c.moment()
	return len(c.seen)
}

// sync makes safe what was done to a node. Behind what a failed sync has lost it can only be fixed.
func (c *crashes) sync(node int) {
	if slices.ContainsFunc(c.open, func(p pending) bool { return p.node == node && p.lost }) {
		for i := range c.open {
			if p := &c.open[i]; p.node == node && !p.lost {
				p.fixed = true
			}
		}
		return
	}
	c.open = slices.DeleteFunc(c.open, func(p pending) bool {
		if p.node == node {
			c.safe.apply(p.operation, fate{})
		}
		return p.node == node
	})
}

// moment takes the states of a crash before the next sync.
func (c *crashes) moment() {
	if c.marks < c.from {
		return
	}
	choices := make([][]fate, len(c.open)) // done and lost first
	all := 1
	for i, p := range c.open {
		choices[i] = append([]fate{{what: done}, {what: lost}}, c.tears(p.operation)...)
		all = min(all*len(choices[i]), c.exhaust+1)
	}
	if all <= c.exhaust {
		c.product(choices, nil)
		return
	}
	c.prefixes(choices)
	fates := make([]fate, len(choices))
	for range c.samples * min(len(choices), 10) {
		for i, of := range choices {
			fates[i] = of[c.random(2)]
			if c.random(4) == 0 {
				fates[i] = of[c.random(len(of))]
			}
		}
		c.take(fates)
	}
}

// product takes every combination of fates.
func (c *crashes) product(choices [][]fate, fates []fate) {
	if len(fates) == len(choices) {
		c.take(fates)
		return
	}
	for _, f := range choices[len(fates)] {
		c.product(choices, append(slices.Clip(fates), f))
	}
}

// manyOpen is the number of operations that are open at a moment above which not every pair of a prefix and a
// call missing from it is taken.
const manyOpen = 30

func (c *crashes) prefixes(choices [][]fate) {
	fates := make([]fate, len(choices))
	for i := range fates {
		fates[i].what = lost
	}
	for n := range len(choices) + 1 {
		c.take(fates)
		if n < manyOpen || n == len(choices) {
			for i := range n {
				fates[i].what = lost
				c.take(fates)
				fates[i].what = done
			}
		}
		if n == len(choices) {
			break
		}
		behind := make([]fate, len(choices)) // all but this one done
		for _, f := range choices[n][2:] {
			fates[n], behind[n] = f, f
			c.take(fates)
			c.take(behind)
		}
		fates[n] = fate{}
	}
}

// random draws from 0 … n-1.
func (c *crashes) random(n int) int {
	c.draws++
	return int(rng.Draw(1, c.draws) % uint64(n))
}

// tears are ways in which a write can reach the disk in part.
func (c *crashes) tears(o *operation) []fate {
	if o.kind != written {
		return nil
	}
	all := []fate{{what: zeroAfter}}
	size := len(o.data)
	cuts := []int{1, size / 2, size - 1}
	for _, sector := range []int{512, 4096} {
		first := sector - int(o.offset)%sector
		last := int(o.offset+int64(size)-1)/sector*sector - int(o.offset)
		cuts = append(cuts, first, last)
		for i := 0; i < c.samples && first < last; i++ {
			cuts = append(cuts, first+c.random((last-first)/sector+1)*sector)
		}
	}
	for range c.samples {
		cuts = append(cuts, c.random(size))
	}
	slices.Sort(cuts)
	for _, cut := range slices.Compact(cuts) {
		if 0 < cut && cut < size {
			all = append(all, fate{short, cut}, fate{zeroAfter, cut}, fate{zeroFirst, cut})
		}
	}
	return all
}

// take checks the state that these fates leave.
func (c *crashes) take(fates []fate) {
	m := c.safe.clone()
	for i, p := range c.open {
		f := fates[i]
		if p.fixed {
			f = fate{}
		}
		m.apply(p.operation, f)
	}
	sum := m.sum(c.seed, c.marks)
	if c.seen[sum] {
		return
	}
	c.seen[sum] = true
	disk := m.disk()
	open, fates := slices.Clone(c.open), slices.Clone(fates)
	disk.story = func() string { return story(open, fates) }
	c.check(disk, c.marks)
}

func story(open []pending, fates []fate) string {
	var s strings.Builder
	s.WriteString("a crash of whose calls since the last sync")
	for i, p := range open {
		f := fates[i]
		if p.fixed {
			f = fate{}
		}
		fate := f.what.String()
		if strings.Contains(fate, "%d") {
			fate = fmt.Sprintf(fate, f.cut)
		}
		fmt.Fprintf(&s, "\n\t%v: %s", p.operation, fate)
	}
	return s.String()
}
