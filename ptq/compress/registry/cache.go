package registry

import (
	"container/list"
	"encoding/json"

	"boost/booster/model"
)

// form is a model as it is in memory.
type form struct {
	id      string
	version version
	pinned  bool

	data        []byte          // of a compressed one: its file
	certificate json.RawMessage // likewise
	compact     *model.Compact  // made of data, or nil: packed
	full        *model.Model    // of one as it was added
}

// version names what a form predicts.
type version struct {
	sha string
	seq uint64 // of the codes, and one; 0: as it was added
}

// formOverhead is about what a form takes beside its bytes, and packed ones beside those.
const formOverhead = 250

// item is a form in the cache.
type item struct {
	*form
	size  int64
	queue *queue
}

// queue has forms in the order of their use, the one used last in front.
type queue struct {
	order list.List // of *item
	bytes int64
}

// cache holds forms of models in memory. Its bytes never exceed the cap. Where that is short, of those
// used longest ago first the bytes of their files alone are kept, which may take half of it, and then
// nothing. Pinned forms go when no other is left.
type cache struct {
	cap    int64 // 0: no limit
	byID   map[string]*list.Element
	ready  queue // to predict with
	packed queue // files that have to be opened first
	pinned queue

	hits, misses uint64
}

func newCache(cap int64) *cache { return &cache{cap: cap, byID: map[string]*list.Element{}} }

// bytes is what all forms take.
func (c *cache) bytes() int64 { return c.ready.bytes + c.packed.bytes + c.pinned.bytes }

// get returns the form of a model if it is of a version.
func (c *cache) get(id string, v version) *form {
	e := c.byID[id]
	if e == nil || e.Value.(*item).version != v {
		c.misses++
		return nil
	}
	c.hits++
	i := e.Value.(*item)
	i.queue.order.MoveToFront(e)
	return i.form
}

// of returns the form of a model, whatever its version, and what it takes.
func (c *cache) of(id string) (*form, int64) {
	if e := c.byID[id]; e != nil {
		return e.Value.(*item).form, e.Value.(*item).size
	}
	return nil, 0
}

func (c *cache) drop(id string) {
	if e := c.byID[id]; e != nil {
		c.remove(e)
	}
}

func (c *cache) remove(e *list.Element) *item {
	i := e.Value.(*item)
	i.queue.order.Remove(e)
	i.queue.bytes -= i.size
	delete(c.byID, i.id)
	return i
}

func (c *cache) add(f *form, size int64, q *queue) {
	c.byID[f.id] = q.order.PushFront(&item{f, size, q})
	q.bytes += size
}

// put keeps a form of so many bytes if there is room for it.
func (c *cache) put(f *form, size int64) {
	c.drop(f.id)
	size += formOverhead
	q := &c.ready
	switch {
	case c.cap > 0 && size > c.cap && f.compact != nil:
		c.put(f.closed(), int64(len(f.data)))
		return
	case c.cap > 0 && size > c.cap:
		return
	case f.pinned:
		q = &c.pinned
	case f.full == nil && f.compact == nil:
		q = &c.packed
	}
	c.add(f, size, q)
	for c.cap > 0 && c.bytes() > c.cap {
		c.shrink()
	}
}

// shrink makes the forms take less.
func (c *cache) shrink() {
	oldest := c.ready.order.Back()
	switch {
	case c.packed.order.Len() > 0 && (oldest == nil || c.packed.bytes > c.cap/2):
		c.remove(c.packed.order.Back())
	case oldest != nil:
		if i := c.remove(oldest); i.compact != nil {
			c.add(i.closed(), int64(len(i.data))+formOverhead, &c.packed)
		}
	default:
		c.remove(c.pinned.order.Back())
	}
}

// closed is the form as the bytes of its file alone.
func (f *form) closed() *form {
	g := *f
	g.compact = nil
	return &g
}

// pin reports whether a form stays as long as others can go.
func (c *cache) pin(id string, pinned bool) {
	e := c.byID[id]
	if e == nil || e.Value.(*item).pinned == pinned {
		return
	}
	i := c.remove(e)
	f := *i.form
	f.pinned = pinned
	q := &c.ready
	switch {
	case pinned:
		q = &c.pinned
	case f.full == nil && f.compact == nil:
		q = &c.packed
	}
	c.add(&f, i.size, q)
}

// count returns how many forms there are to predict with, and as files.
func (c *cache) count() (ready, packed int) {
	for _, e := range c.byID {
		if i := e.Value.(*item); i.full != nil || i.compact != nil {
			ready++
		} else {
			packed++
		}
	}
	return ready, packed
}
