package arrowipc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
)

// arrowColumn is a top-level field of an Arrow schema: how its values are meant, and
// where a record batch has them.
type arrowColumn struct {
	columnar.Field
	store      arrowStore
	width      int   // bytes of a value, 0 for bits and variable length
	dictionary int64 // id, −1 if there is none
	indexWidth int   // bytes of an index
	natural    bool  // indices are unsigned
	node       int   // index of the field node
	buffer     int   // index of the first buffer
	view       int   // index among the variadic buffer counts
}

// arrowStore says how values lie in buffers.
type arrowStore uint8

const (
	storeNone  arrowStore = iota // null: no buffer
	storeBits                    // booleans
	storeFixed                   // values of one width
	storeText                    // 32-bit offsets, bytes
	storeLarge                   // 64-bit offsets, bytes
	storeViews                   // 16-byte views, any number of buffers
)

// arrowSchema is what a schema message says.
type arrowSchema struct {
	columns      []arrowColumn
	byName       map[string]int
	dictionaries map[int64]*arrowColumn // how the values of a dictionary lie in its batches
	nodes        int
	buffers      int
	views        int
	pandas       bool // written by pandas
}

// Numbers of the union Type of Arrow's Schema.fbs.
const (
	arrowNull = iota + 1
	arrowInt
	arrowFloat
	arrowBinary
	arrowUtf8
	arrowBool
	arrowDecimal
	arrowDate
	arrowTime
	arrowTimestamp
	arrowInterval
	arrowList
	arrowStruct
	arrowUnion
	arrowFixedBinary
	arrowFixedList
	arrowMap
	arrowDuration
	arrowLargeBinary
	arrowLargeUtf8
	arrowLargeList
	arrowRunEnds
	arrowBinaryView
	arrowUtf8View
	arrowListView
	arrowLargeListView
)

var arrowTypeNames = [...]string{"none", "null", "integer", "float", "binary", "string", "bool", "decimal", "date", "time", "timestamp",
	"interval", "list", "struct", "union", "fixed_size_binary", "fixed_size_list", "map", "duration", "large_binary",
	"large_string", "large_list", "run_end_encoded", "binary_view", "string_view", "list_view", "large_list_view"}

// arrowDepth bounds how deep fields may be nested.
const arrowDepth = 32

var errArrowSchema = errors.New("its schema cannot be understood")

// readArrowSchema reads the table Schema:
//
//	0 endianness, 1 fields, 2 metadata: 0 key, 1 value
func readArrowSchema(t flatTable) (*arrowSchema, error) {
	if !t.ok() {
		return nil, errArrowSchema
	}
	if t.integer(0, 2, 0) != 0 {
		return nil, errors.New("its numbers are big-endian; write it on a little-endian machine")
	}
	s := &arrowSchema{byName: make(map[string]int), dictionaries: make(map[int64]*arrowColumn)}
	var err error
	t.tables(1, func(field flatTable) {
		if err == nil {
			err = s.add(field)
		}
	})
	t.tables(2, func(pair flatTable) { s.pandas = s.pandas || pair.text(0) == "pandas" })
	return s, err
}

// add reads one top-level field:
//
//	0 name, 1 nullable, 2 type, 3 the type's table, 4 dictionary, 5 children, 6 metadata
func (s *arrowSchema) add(t flatTable) error {
	if !t.ok() || len(s.columns) >= chunk.MostColumns {
		return errArrowSchema
	}
	c := arrowColumn{dictionary: -1, node: s.nodes, buffer: s.buffers, view: s.views}
	c.Name = t.text(0)
	if !utf8.ValidString(c.Name) {
		return fmt.Errorf("the name of column %d is not UTF-8 text", len(s.columns)+1)
	}
	if c.Name == "" {
		c.Name = fmt.Sprintf("c%d", len(s.columns)+1)
	}
	c.takeType(t)
	if d := t.table(4); d.ok() {
		if err := s.takeDictionary(&c, d); err != nil {
			return err
		}
	}
	if err := s.count(t, arrowDepth); err != nil {
		return err
	}
	s.byName[c.Name] = len(s.columns)
	s.columns = append(s.columns, c)
	return nil
}

// takeDictionary reads the table DictionaryEncoding:
//
//	0 id, 1 index type
func (s *arrowSchema) takeDictionary(c *arrowColumn, d flatTable) error {
	c.dictionary = d.integer(0, 8, 0)
	index := d.table(1)
	c.indexWidth, c.natural = 4, false
	if index.ok() {
		c.indexWidth = int(index.integer(0, 4, 32) / 8)
		c.natural = index.integer(1, 1, 0) == 0
	}
	switch c.indexWidth {
	case 1, 2, 4, 8:
	default:
		return errArrowSchema
	}
	values := *c
	values.dictionary, values.node, values.buffer, values.view = -1, 0, 0, 0
	known := s.dictionaries[c.dictionary]
	if known == nil {
		s.dictionaries[c.dictionary] = &values
		return nil
	}
	values.Name = known.Name // columns may share a dictionary
	if known.Field != values.Field {
		known.Logical = columnar.LogicalOther // two types of values under one id
	}
	return nil
}

// count adds the nodes and buffers that a field takes in a batch.
func (s *arrowSchema) count(t flatTable, depth int) error {
	if depth == 0 || !t.ok() {
		return errArrowSchema
	}
	s.nodes++
	if t.table(4).ok() {
		s.buffers += 2
		return nil
	}
	switch typ := t.integer(2, 1, 0); typ {
	case arrowNull, arrowRunEnds:
	case arrowStruct, arrowFixedList:
		s.buffers++
	case arrowUnion:
		s.buffers++
		if t.table(3).integer(0, 2, 0) == 1 { // dense: offsets too
			s.buffers++
		}
	case arrowInt, arrowFloat, arrowBool, arrowDecimal, arrowDate, arrowTime, arrowTimestamp, arrowInterval, arrowList,
		arrowFixedBinary, arrowMap, arrowDuration, arrowLargeList:
		s.buffers += 2
	case arrowBinary, arrowUtf8, arrowLargeBinary, arrowLargeUtf8, arrowListView, arrowLargeListView:
		s.buffers += 3
	case arrowBinaryView, arrowUtf8View:
		s.buffers += 2
		s.views++
	default:
		return fmt.Errorf("its schema has a type with the number %d, which is not known", typ)
	}
	var err error
	t.tables(5, func(child flatTable) {
		if err == nil {
			err = s.count(child, depth-1)
		}
	})
	return err
}

// unitOf returns how many of Arrow's time units a second has.
func unitOf(unit int64) int64 {
	if unit < 0 || unit > 3 {
		return 0
	}
	return [...]int64{1, 1e3, 1e6, 1e9}[unit]
}

// durationScale returns the power of ten of which a second has so many of a duration's units.
func durationScale(t flatTable) (int32, bool) {
	unit := t.integer(0, 2, 1)
	return int32(3 * unit), unit >= 0 && unit <= 3
}

// takeType brings a field's type into the raw forms of fileColumn: integers are
// widened to 64 bits, decimals turned to big-endian.
func (c *arrowColumn) takeType(t flatTable) {
	typ, d := t.integer(2, 1, 0), t.table(3)
	c.Unit, c.Optional, c.Logical = 1, true, columnar.LogicalOther
	c.Annotated = columnar.NameAt(arrowTypeNames[:], int(typ))
	set := func(store arrowStore, width int, physical columnar.PhysicalType, logical columnar.LogicalType) {
		c.store, c.width, c.Physical, c.Logical = store, width, physical, logical
	}
	switch typ {
	case arrowNull:
		set(storeNone, 0, columnar.Double, columnar.LogicalNull)
	case arrowBool:
		set(storeBits, 0, columnar.Boolean, columnar.LogicalNone)
	case arrowInt:
		bits := d.integer(0, 4, 0)
		c.Annotated = fmt.Sprintf("integer of %d bits", bits)
		if bits == 8 || bits == 16 || bits == 32 || bits == 64 {
			set(storeFixed, int(bits/8), columnar.Int64, columnar.LogicalNone)
			if c.Unsigned = d.integer(1, 1, 0) == 0; c.Unsigned {
				c.Logical, c.Bits = columnar.LogicalInteger, 64
			}
		}
	case arrowFloat:
		switch d.integer(0, 2, 0) {
		case 0:
			set(storeFixed, 2, columnar.FixedBytes, columnar.LogicalFloat16)
			c.Length = 2
		case 1:
			set(storeFixed, 4, columnar.Float, columnar.LogicalNone)
		case 2:
			set(storeFixed, 8, columnar.Double, columnar.LogicalNone)
		}
	case arrowDecimal:
		if bits := d.integer(2, 4, 128); bits == 32 || bits == 64 || bits == 128 || bits == 256 {
			set(storeFixed, int(bits/8), columnar.FixedBytes, columnar.LogicalDecimal)
			c.Length, c.Scale = int(bits/8), int32(d.integer(1, 4, 0))
		}
	case arrowDate:
		if d.integer(0, 2, 1) == 0 {
			set(storeFixed, 4, columnar.Int32, columnar.LogicalDate)
		} else {
			set(storeFixed, 8, columnar.Int64, columnar.LogicalStamp)
			c.Unit, c.Days = 1e3, true
		}
	case arrowTime:
		if unit := unitOf(d.integer(0, 2, 1)); unit > 0 {
			set(storeFixed, 8, columnar.Int64, columnar.LogicalTime)
			if c.Unit = unit; unit <= 1e3 {
				c.width = 4
			}
		}
	case arrowTimestamp:
		if unit := unitOf(d.integer(0, 2, 0)); unit > 0 {
			set(storeFixed, 8, columnar.Int64, columnar.LogicalStamp)
			c.Unit, c.Utc = unit, d.text(1) != ""
		}
	case arrowDuration:
		if scale, ok := durationScale(d); ok {
			set(storeFixed, 8, columnar.Int64, columnar.LogicalDuration)
			c.Scale = scale
		}
	case arrowFixedBinary:
		set(storeFixed, int(d.integer(0, 4, 0)), columnar.FixedBytes, columnar.LogicalNone)
		c.Length = c.width
		if c.Length == 16 && isUUID(t) {
			c.Logical = columnar.LogicalUUID
		}
	case arrowUtf8, arrowBinary:
		set(storeText, 0, columnar.ByteArray, columnar.LogicalText)
	case arrowLargeUtf8, arrowLargeBinary:
		set(storeLarge, 0, columnar.ByteArray, columnar.LogicalText)
	case arrowUtf8View, arrowBinaryView:
		set(storeViews, 0, columnar.ByteArray, columnar.LogicalText)
	case arrowList, arrowStruct, arrowUnion, arrowFixedList, arrowMap, arrowLargeList, arrowListView, arrowLargeListView:
		c.Nested = true
	}
}

// isUUID looks for the extension type in a field's metadata.
func isUUID(t flatTable) bool {
	found := false
	t.tables(6, func(pair flatTable) {
		found = found || pair.text(0) == "ARROW:extension:name" && pair.text(1) == "arrow.uuid"
	})
	return found
}

// hasLevels reports whether the values of a dictionary are levels that read the same in a file and in a frame: texts, whole
// numbers and float64.
func (c *arrowColumn) hasLevels() bool {
	switch c.Logical {
	case columnar.LogicalText, columnar.LogicalInteger:
		return true
	case columnar.LogicalNone:
		return c.Physical == columnar.Int64 || c.Physical == columnar.Double
	}
	return false
}

// readable reports whether the column's type is one of numbers, dates or text.
func (c *arrowColumn) readable() bool {
	switch {
	case c.Nested || c.Logical == columnar.LogicalOther:
		return false
	case c.Logical == columnar.LogicalDecimal:
		return c.Scale >= 0 && c.Scale <= columnar.MostDigits
	case c.Physical == columnar.FixedBytes:
		return c.Length > 0 && c.Length <= chunk.LargestHeader
	}
	return true
}

// arrowBuffer is where a buffer lies in a message's body.
type arrowBuffer struct{ at, size int64 }

// arrowBatch is what a record batch's metadata says, or a dictionary batch's.
type arrowBatch struct {
	rows    int
	nodes   []byte // 16 bytes each: length, nulls
	buffers []byte // 16 bytes each: offset, length
	views   []byte // 8 bytes each
	codec   columnar.Codec
	packed  bool
	body    int64 // where the body begins in the file
	size    int64 // of the body
}

// readArrowBatch reads the table RecordBatch:
//
//	0 length, 1 nodes, 2 buffers, 3 compression, 4 variadic buffer counts
func readArrowBatch(t flatTable, nodes, buffers, views int) (*arrowBatch, error) {
	b := &arrowBatch{codec: columnar.CodecNone}
	rows := t.integer(0, 8, 0)
	var haveNodes, haveBuffers, haveViews int
	b.nodes, haveNodes = t.vector(1, 16)
	b.buffers, haveBuffers = t.vector(2, 16)
	b.views, haveViews = t.vector(4, 8)
	if !t.ok() || rows < 0 || rows > math.MaxInt32 || haveNodes != nodes || haveViews != views {
		return nil, fmt.Errorf("a batch has %d rows and %d fields, its schema has %d fields", rows, haveNodes, nodes)
	}
	b.rows = int(rows)
	for i := range views {
		n := int64(binary.LittleEndian.Uint64(b.views[8*i:]))
		if n < 0 || n > int64(haveBuffers) {
			return nil, errors.New("a batch has impossible numbers of buffers")
		}
		buffers += int(n)
	}
	if haveBuffers != buffers {
		return nil, fmt.Errorf("a batch has %d buffers, its schema needs %d", haveBuffers, buffers)
	}
	if c := t.table(3); c.ok() {
		b.packed = true
		switch c.integer(0, 1, 0) {
		case 0:
			b.codec = columnar.CodecLZ4
		case 1:
			b.codec = columnar.CodecZstd
		default:
			return nil, errors.New("a batch is compressed in an unknown way")
		}
	}
	return b, nil
}

// buffer returns where a buffer lies in the file, checked against the body.
func (b *arrowBatch) buffer(i int) (arrowBuffer, error) {
	at := int64(binary.LittleEndian.Uint64(b.buffers[16*i:]))
	size := int64(binary.LittleEndian.Uint64(b.buffers[16*i+8:]))
	if at < 0 || size < 0 || at > b.size || size > b.size-at {
		return arrowBuffer{}, errors.New("a buffer claims to lie outside its batch")
	}
	return arrowBuffer{b.body + at, size}, nil
}

// firstBuffer returns the index of a column's first buffer, which the columns of
// views before it shift.
func (b *arrowBatch) firstBuffer(c *arrowColumn) int {
	at := c.buffer
	for i := range c.view {
		at += int(binary.LittleEndian.Uint64(b.views[8*i:]))
	}
	return at
}
