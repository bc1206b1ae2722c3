package arrowipc

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
)

// arrowMessage is one message; a nil one is the end of a stream.
type arrowMessage struct {
	kind   int64 // 1 schema, 2 dictionary batch, 3 record batch
	header flatTable
	body   int64 // where it begins
	size   int64
	next   int64 // where the next message begins
}

// arrowSpan is where a message lies in a file: bytes from up to before to.
type arrowSpan struct{ from, to int64 }

// claim notes that the footer lists a message. Messages share no byte, so all of them
// are no longer than the file: a footer cannot have one read over and over.
func (f *Layout) claim(from, to int64) error {
	f.spans = append(f.spans, arrowSpan{from, to})
	if f.listed += to - from; f.listed > f.File.Size {
		return errors.New("the blocks of its footer claim more bytes than the file has")
	}
	return nil
}

// disjoint makes sure that no two messages of a file share a byte.
func (f *Layout) disjoint() error {
	slices.SortFunc(f.spans, func(a, b arrowSpan) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(f.spans); i++ {
		if f.spans[i].from < f.spans[i-1].to {
			return errors.New("two blocks of its footer overlap")
		}
	}
	return nil
}

// message reads the message at an offset of the file.
func (f *Layout) message(at, end int64) (*arrowMessage, error) {
	if at == end {
		return nil, nil // a stream may end without a mark
	}
	var head [8]byte
	if end-at < 4 {
		return nil, errors.New("its last message is cut off")
	}
	n := min(int64(len(head)), end-at)
	if _, err := f.File.ReadAt(head[:n], at); err != nil {
		return nil, err
	}
	size, prefix := int64(binary.LittleEndian.Uint32(head[:])), int64(4) // as versions before 0.15 write it
	if size == continuation {
		if n < 8 {
			return nil, errors.New("its last message is cut off")
		}
		size, prefix = int64(binary.LittleEndian.Uint32(head[4:])), 8
	}
	if size == 0 {
		return nil, nil
	}
	if size > end-at-prefix {
		return nil, fmt.Errorf("a message claims %d bytes of metadata, %d are left", size, end-at-prefix)
	}
	metadata := make([]byte, size)
	if _, err := f.File.ReadAt(metadata, at+prefix); err != nil {
		return nil, err
	}
	root := flatRoot(metadata)
	m := &arrowMessage{kind: root.integer(1, 1, 0), header: root.table(2), body: at + prefix + size, size: root.integer(3, 8, 0)}
	if !root.ok() || !m.header.ok() {
		return nil, errors.New("a message's metadata cannot be understood")
	}
	if m.size < 0 || m.size > end-m.body {
		return nil, fmt.Errorf("a message claims a body of %d bytes, %d are left", m.size, end-m.body)
	}
	m.next = m.body + (m.size+7)&^7
	return m, nil
}

// walkStream goes through the messages of a stream.
func (f *Layout) walkStream() error {
	for at := int64(0); ; {
		m, err := f.message(min(at, f.File.Size), f.File.Size)
		switch {
		case err != nil:
			return err
		case m == nil && f.arrowSchema == nil:
			return errors.New("it has no schema")
		case m == nil:
			f.endless = at >= f.File.Size
			return nil
		}
		if err := f.take(m); err != nil {
			return err
		}
		at = m.next
	}
}

// take notes what a message of a stream holds.
func (f *Layout) take(m *arrowMessage) (err error) {
	switch m.kind {
	case 1:
		if f.arrowSchema != nil {
			return errors.New("it has two schemas")
		}
		f.arrowSchema, err = readArrowSchema(m.header)
	case 2:
		err = f.takeDictionaryBatch(m, false)
	case 3:
		if err = f.takeBatch(m); err == nil {
			f.of = append(f.of, f.latest)
			f.seen = true
		}
	default:
		return fmt.Errorf("it has a message of kind %d, which is no part of a table", m.kind)
	}
	return err
}

func (f *Layout) takeBatch(m *arrowMessage) error {
	if f.arrowSchema == nil {
		return errors.New("a batch comes before the schema")
	}
	b, err := readArrowBatch(m.header, f.nodes, f.buffers, f.views)
	if err != nil {
		return err
	}
	b.body, b.size = m.body, m.size
	f.batches = append(f.batches, b)
	return nil
}

// takeDictionaryBatch reads the table DictionaryBatch:
//
//	0 id, 1 data, 2 is a delta
func (f *Layout) takeDictionaryBatch(m *arrowMessage, file bool) error {
	if f.arrowSchema == nil {
		return errors.New("a dictionary comes before the schema")
	}
	id := m.header.integer(0, 8, 0)
	column := f.dictionaries[id]
	if column == nil || column.Logical == columnar.LogicalOther {
		return nil // of a nested column, or of one that cannot be read
	}
	b, err := readArrowBatch(m.header.table(1), 1, column.buffersOf(), column.viewsOf())
	if err != nil {
		return fmt.Errorf("the dictionary of column %q: %w", column.Name, err)
	}
	b.body, b.size = m.body, m.size
	d := &arrowDictionary{batch: b, column: column}
	if m.header.integer(2, 1, 0) != 0 {
		if d.before = f.latest[id]; d.before == nil {
			return fmt.Errorf("the dictionary of column %q is added to before it begins", column.Name)
		}
	} else if file && f.latest[id] != nil {
		return fmt.Errorf("the dictionary of column %q is replaced, which only a stream can do", column.Name)
	}
	if f.seen { // by batches before
		f.latest, f.seen = maps.Clone(f.latest), false
	}
	f.latest[id] = d
	return nil
}

// buffersOf returns the buffers of a column alone, less those that its batch counts.
func (c *arrowColumn) buffersOf() int {
	switch c.store {
	case storeBits, storeFixed, storeViews:
		return 2
	case storeText, storeLarge:
		return 3
	}
	return 0
}

func (c *arrowColumn) viewsOf() int {
	if c.store == storeViews {
		return 1
	}
	return 0
}

// walkFile reads a file's footer and the messages that it lists. The table Footer:
//
//	1 schema, 2 dictionaries, 3 record batches
//
// and each block: int64 offset, int32 length of the metadata, 4 bytes, int64 length of the body.
func (f *Layout) walkFile() error {
	const tail = 4 + len(arrowMagic)
	var end [tail]byte
	last := f.File.Size - int64(tail)
	if last < 8 {
		return errors.New("it is too short")
	}
	if _, err := f.File.ReadAt(end[:], last); err != nil {
		return err
	}
	if string(end[4:]) != arrowMagic {
		return chunk.Errorf("%s is cut off or damaged: it does not end as an Arrow file does", f.File.Name)
	}
	size := int64(binary.LittleEndian.Uint32(end[:]))
	if size > last-8 {
		return fmt.Errorf("its footer claims %d bytes, the file has %d", size, f.File.Size)
	}
	footer := make([]byte, size)
	if _, err := f.File.ReadAt(footer, last-size); err != nil {
		return err
	}
	root := flatRoot(footer)
	if !root.ok() {
		return errors.New("its footer cannot be understood")
	}
	var err error
	if f.arrowSchema, err = readArrowSchema(root.table(1)); err != nil {
		return err
	}
	for _, list := range []struct {
		field int
		kind  int64
		take  func(*arrowMessage) error
	}{
		{2, 2, func(m *arrowMessage) error { return f.takeDictionaryBatch(m, true) }},
		{3, 3, f.takeBatch},
	} {
		blocks, n := root.vector(list.field, 24)
		for i := range n {
			at := int64(binary.LittleEndian.Uint64(blocks[24*i:]))
			if at < 8 || at >= last-size {
				return errors.New("a block claims to lie outside the file")
			}
			m, err := f.message(at, last-size)
			if err == nil && (m == nil || m.kind != list.kind) {
				err = errors.New("a block of its footer is not what it claims")
			}
			if err == nil {
				err = f.claim(at, m.body+m.size)
			}
			if err == nil {
				err = list.take(m)
			}
			if err != nil {
				return err
			}
		}
	}
	for range f.batches {
		f.of = append(f.of, f.latest)
	}
	return f.disjoint()
}
