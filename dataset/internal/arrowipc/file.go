package arrowipc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sync"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"

	"github.com/klauspost/compress/zstd"
)

const (
	FormatName   = "arrow"
	arrowMagic   = "ARROW1"
	continuation = 0xFFFFFFFF // stands before each message
)

// Recognizes knows the magic of an Arrow file, and the mark and the small length with
// which a stream begins.
func Recognizes(start []byte, _ string) bool {
	if bytes.HasPrefix(start, []byte(arrowMagic+"\x00\x00")) {
		return true
	}
	if len(start) < 8 || binary.LittleEndian.Uint32(start) != continuation {
		return false
	}
	size := binary.LittleEndian.Uint32(start[4:])
	return size > 0 && size%8 == 0 && size < 1<<30
}

// Layout is an Arrow file or stream; its groups are record batches. Messages are
// walked when it is opened, bodies are read later, of the columns that are needed:
//
//	file     ARROW1 00 00, messages, footer, length of the footer (4 bytes), ARROW1
//	message  FFFFFFFF, length of the metadata (4 bytes), metadata, body
type Layout struct {
	*chunk.Options
	*arrowSchema
	File    *chunk.Blob
	batches []*arrowBatch
	nulls   int64                        // bytes that columns of nulls take in memory, of those that are read
	endless bool                         // a stream without the mark of its end
	spans   []arrowSpan                  // of the messages of a file, as its footer lists them
	listed  int64                        // bytes of the spans
	latest  map[int64]*arrowDictionary   // by id, as the walk goes on
	seen    bool                         // a batch refers to latest as it is
	of      []map[int64]*arrowDictionary // by batch, its dictionaries
}

// arrowDictionary is the values of a dictionary as a batch sees them: its own message's
// behind those of the one before it, if it adds to them.
type arrowDictionary struct {
	before *arrowDictionary
	batch  *arrowBatch
	column *arrowColumn
	once   sync.Once
	values arrowLevels
	err    error
}

// arrowLevels are a dictionary's values: numbers, or the raw form of what is no number.
type arrowLevels struct {
	numbers []float64
	raws    [][]byte
	missing []bool // nil if no value is
}

func NewLayout(o *chunk.Options, b *chunk.Blob) (columnar.Layout, error) {
	f := &Layout{Options: o, File: b, latest: make(map[int64]*arrowDictionary)}
	var magic [8]byte
	if b.Size < int64(len(magic)) {
		return nil, chunk.Errorf("%s is too short for an Arrow file", b.Name)
	}
	if _, err := b.ReadAt(magic[:], 0); err != nil {
		return nil, err
	}
	walk := f.walkStream
	if string(magic[:len(arrowMagic)]) == arrowMagic {
		walk = f.walkFile
	}
	if err := walk(); err != nil {
		if chunk.IsExplained(err) {
			return nil, err
		}
		return nil, chunk.Errorf("%s is damaged: %w", b.Name, err)
	}
	return f, nil
}

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

func (f *Layout) Names() []string {
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		names[i] = c.Name
	}
	return names
}

func (f *Layout) Hides(name string) bool {
	return f.pandas && columnar.PandasIndex.MatchString(name)
}

func (f *Layout) Notes() []string {
	if f.endless {
		return []string{fmt.Sprintf("%s has no mark at its end: it may be cut off behind row %d", f.File.Name, f.total())}
	}
	return nil
}

func (f *Layout) total() (rows int) {
	for _, b := range f.batches {
		rows += b.rows
	}
	return rows
}

func (f *Layout) Groups() int { return len(f.batches) }

func (f *Layout) Rows(group int) int { return f.batches[group].rows }

func (f *Layout) Suits(t chunk.Target) (rowBytes int64, err error) {
	c := &f.columns[f.byName[t.Name]]
	switch {
	case c.Nested:
		return 0, columnar.Nested(f.File.Name, c.Name)
	case !c.readable() || c.dictionary >= 0 && f.dictionaries[c.dictionary].Logical == columnar.LogicalOther:
		return 0, chunk.CannotRead(f.File.Name, c.Name, "is of the Arrow type %s, which is no number, date or text; leave it out with ignore", c.typeNameOfArrow())
	}
	if c.store == storeNone {
		return c.RowBytes(t), f.claimNulls(c)
	}
	return c.RowBytes(t), nil
}

// claimNulls notes that a column is read whose rows take no bytes in the file, and
// refuses what all such columns together cannot be believed to have.
func (f *Layout) claimNulls(c *arrowColumn) error {
	const width = 4 // of a row in memory
	f.nulls += width * int64(f.total())
	if most := max(largestNulls, chunk.LargestRatio*f.File.Size); f.nulls > most {
		return chunk.Errorf("%s: column %q is of the type null, and %d rows of it are claimed by a file of %s; leave it out with ignore",
			f.File.Name, c.Name, f.total(), chunk.ByteText(f.File.Size))
	}
	return nil
}

// largestNulls bounds the memory for columns of nulls that a small file can claim.
const largestNulls = 64 << 20

func (c *arrowColumn) typeNameOfArrow() string {
	if c.dictionary >= 0 {
		return "dictionary of " + c.Annotated
	}
	return c.Annotated
}

func (f *Layout) Reader(w *columnar.Worker, group int, t chunk.Target, wide bool) (columnar.ColumnReader, error) {
	c := &f.columns[f.byName[t.Name]]
	r := &arrowReader{ColumnSink: columnar.ColumnSink{Options: f.Options, Ctx: w.Ctx, Field: &c.Field, Kind: t, Wide: wide}, column: c, scratch: w.Scratch}
	b := f.batches[group]
	index := *c
	if c.dictionary >= 0 {
		d := f.of[group][c.dictionary]
		if d == nil && b.rows > 0 {
			d = &arrowDictionary{column: f.dictionaries[c.dictionary]} // allowed where every row is missing
		}
		var err error
		if r.levels, err = d.load(w.Ctx, f); err != nil {
			return nil, err
		}
		index.store, index.width, index.Physical = storeFixed, c.indexWidth, columnar.Int64
		index.Logical, index.Unsigned = columnar.LogicalInteger, c.natural
		r.translated = make([]int32, len(r.levels.raws))
		for i := range r.translated {
			r.translated[i] = untranslated
		}
	}
	var err error
	r.values, err = f.load(w.Ctx, b, &index, b.firstBuffer(c), c.node)
	return r, err
}

// load reads a dictionary's values, once.
func (d *arrowDictionary) load(ctx context.Context, f *Layout) (arrowLevels, error) {
	d.once.Do(func() {
		d.err = columnar.Decoding(func() (err error) {
			d.values, err = d.read(ctx, f)
			return err
		})
	})
	return d.values, d.err
}

func (d *arrowDictionary) read(ctx context.Context, f *Layout) (arrowLevels, error) {
	var levels arrowLevels
	if d.before != nil {
		var err error
		if levels, err = d.before.load(ctx, f); err != nil {
			return levels, err
		}
	}
	if d.batch == nil {
		return levels, nil
	}
	values, err := f.load(ctx, d.batch, d.column, 0, 0)
	if err != nil {
		return levels, err
	}
	// Whoever adds to a dictionary appends behind what the earlier ones see.
	for i := range d.batch.rows {
		if !values.present(i) && levels.missing == nil {
			levels.missing = make([]bool, len(levels.raws))
		}
		raw := values.raw(i)
		if levels.raws = append(levels.raws, slices.Clone(raw)); levels.missing != nil {
			levels.missing = append(levels.missing, !values.present(i))
		}
		if !d.column.IsText() {
			levels.numbers = append(levels.numbers, d.column.Number(raw))
		}
	}
	return levels, nil
}

// load reads the buffers of a column and checks that they hold what they have to.
func (f *Layout) load(ctx context.Context, b *arrowBatch, c *arrowColumn, first, node int) (*arrowValues, error) {
	v := &arrowValues{column: c, rows: b.rows}
	if n := int64(binary.LittleEndian.Uint64(b.nodes[16*node:])); n != int64(b.rows) {
		return nil, fmt.Errorf("it has %d values in a batch of %d rows", n, b.rows)
	}
	if c.store == storeNone {
		return v, nil
	}
	nulls := int64(binary.LittleEndian.Uint64(b.nodes[16*node+8:]))
	var err error
	if nulls != 0 {
		if v.valid, err = f.buffer(ctx, b, first, int64(b.rows+7)/8); err != nil {
			return nil, err
		}
	}
	need := int64(0)
	switch c.store {
	case storeBits:
		need = int64(b.rows+7) / 8
	case storeFixed:
		need = int64(b.rows) * int64(c.width)
	case storeText:
		need = int64(b.rows+1) * 4
	case storeLarge:
		need = int64(b.rows+1) * 8
	case storeViews:
		need = int64(b.rows) * 16
	}
	if b.rows == 0 {
		need = 0
	}
	if v.fixed, err = f.buffer(ctx, b, first+1, need); err != nil {
		return nil, err
	}
	switch c.store {
	case storeText, storeLarge:
		if v.data, err = f.buffer(ctx, b, first+2, -1); err == nil {
			err = v.checkOffsets()
		}
	case storeViews:
		n := int(binary.LittleEndian.Uint64(b.views[8*c.view:]))
		total := int64(0) // buffers may lie over each other, and all stay in memory
		for i := 0; i < n && err == nil; i++ {
			var data []byte
			data, err = f.buffer(ctx, b, first+2+i, -1)
			v.views = append(v.views, data)
			if total += int64(len(data)); err == nil && total > mostUnpacked(-1, b.size) {
				err = fmt.Errorf("a batch of %d bytes claims text of more than %d bytes", b.size, mostUnpacked(-1, b.size))
			}
		}
	}
	return v, err
}

// buffer reads a buffer, and decompresses it: need is what it has to hold at least, and
// nearly at most; −1 leaves it open.
func (f *Layout) buffer(ctx context.Context, b *arrowBatch, i int, need int64) ([]byte, error) {
	at, err := b.buffer(i)
	if err != nil {
		return nil, err
	}
	if !b.packed && need >= 0 {
		at.size = min(at.size, need)
	}
	if !b.packed && at.size < need {
		return nil, fmt.Errorf("a buffer has %d bytes, its values take %d", at.size, need)
	}
	raw := make([]byte, at.size)
	if _, err := f.File.ReadAt(raw, at.at); err != nil && len(raw) > 0 {
		return nil, err
	}
	if b.packed {
		return f.UnpackBuffer(ctx, b.codec, raw, need)
	}
	return raw, nil
}

// UnpackBuffer decompresses a buffer: int64 length, −1 if it is not compressed; data.
func (f *Layout) UnpackBuffer(ctx context.Context, codec columnar.Codec, raw []byte, need int64) ([]byte, error) {
	if len(raw) == 0 {
		if need > 0 {
			return nil, errors.New("a buffer is empty")
		}
		return nil, nil
	}
	if len(raw) < 8 {
		return nil, errors.New("a compressed buffer is cut off")
	}
	size := int64(binary.LittleEndian.Uint64(raw))
	raw = raw[8:]
	if size == -1 {
		if int64(len(raw)) < need {
			return nil, fmt.Errorf("a buffer has %d bytes, its values take %d", len(raw), need)
		}
		return raw, nil
	}
	if size < 0 || size < need || size > math.MaxInt32*8 {
		return nil, fmt.Errorf("a buffer claims %d bytes decompressed, its values take %d", size, need)
	}
	if most := mostUnpacked(need, int64(len(raw))); size > most {
		return nil, fmt.Errorf("a buffer of %d bytes claims %d bytes decompressed; up to %d are read", len(raw), size, most)
	}
	if f.MemoryLimit > 0 && size > f.MemoryLimit {
		return nil, chunk.OverLimit(f.File.Name, "buffer", size, f.MemoryLimit)
	}
	if codec == columnar.CodecLZ4 {
		return columnar.DecodeLZ4(ctx, raw, size)
	}
	z, err := zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(chunk.ZstdWindow))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return readClaimed(ctx, z, size, int64(len(raw)))
}

// mostUnpacked returns how many bytes a packed buffer may hold: what its values take and
// some padding, or, where that is not known (need is −1), as much as text is packed to.
func mostUnpacked(need, packed int64) int64 {
	if need >= 0 {
		return need + chunk.ConstantPage
	}
	return max(chunk.LargestPage, chunk.LargestRatio*packed)
}

// readClaimed reads exactly size bytes. It takes memory at once for what the packed
// bytes can be believed to hold, and for more as it comes.
func readClaimed(ctx context.Context, r io.Reader, size, packed int64) ([]byte, error) {
	room := min(size, max(chunk.ConstantPage, chunk.LargestRatio*packed))
	out := make([]byte, 0, room)
	for int64(len(out)) < size {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(out) == cap(out) {
			out = slices.Grow(out, int(min(size-int64(len(out)), int64(len(out)))))
		}
		n, err := r.Read(out[len(out):min(int64(cap(out)), size)])
		out = out[:len(out)+n]
		if err != nil && int64(len(out)) < size {
			if err == io.EOF {
				err = columnar.ErrUnpackedSize
			}
			return nil, fmt.Errorf("a buffer cannot be decompressed: %w", err)
		}
	}
	return out, columnar.ReadExactly(r, nil)
}
