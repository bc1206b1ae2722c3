package dataset

import (
	"boost/dataset/internal/chunk"
	"fmt"
	"math"
	"unicode/utf8"
)

// parquetMeta is what reading needs to know of a Parquet file's footer.
type parquetMeta struct {
	fields    []fileColumn   // the columns, in file order
	byName    map[string]int // of the fields
	rowGroups []parquetRowGroup
	pandas    bool // written by pandas
	leaves    int  // leaf columns, nested ones among them: column chunks of a row group
}

// fileColumn is one top-level field of the schema: a column of the table if it is
// a leaf, otherwise nested.
type fileColumn struct {
	name     string
	leaf     int  // index among the column chunks of a row group
	nested   bool // a group, a list or a map
	optional bool

	physical  parquetType
	length    int // of fixed_len_byte_array
	logical   logicalType
	unit      int64 // of times: per second
	scale     int32 // of decimals
	utc       bool  // of time stamps
	days      bool  // time stamps are whole days, mostly
	unsigned  bool
	bits      int    // of integers
	annotated string // what stands in the schema, for messages
}

type parquetRowGroup struct {
	rows    int64
	columns []parquetChunk // by leaf
}

// parquetChunk is a column of a row group.
type parquetChunk struct {
	physical     parquetType
	codec        parquetCodec
	values       int64
	start        int64 // of the first page, in the file
	size         int64 // of all pages, compressed
	encrypted    bool
	elsewhere    bool // in another file
	described    bool // has metadata
	dictionaryAt int64
}

// parquetType is a physical type.
type parquetType int32

const (
	parquetBoolean parquetType = iota
	parquetInt32
	parquetInt64
	parquetInt96
	parquetFloat
	parquetDouble
	parquetBytes
	parquetFixed
)

var parquetTypeNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

func (t parquetType) String() string { return nameAt(parquetTypeNames[:], int(t)) }

// logicalType is what a column's bytes stand for.
type logicalType uint8

const (
	logicalNone    logicalType = iota
	logicalText                // string, enum, json
	logicalDecimal             // unscaled · 10^−scale
	logicalDate                // days since 1970
	logicalTime                // units since midnight
	logicalStamp               // units since 1970
	logicalInteger
	logicalUUID
	logicalFloat16
	logicalNull
	logicalOther // no number, date or text
)

// logicalKinds names the fields of the union LogicalType.
var logicalKinds = map[int]struct {
	kind logicalType
	name string
}{
	1: {logicalText, "STRING"}, 2: {logicalOther, "MAP"}, 3: {logicalOther, "LIST"}, 4: {logicalText, "ENUM"},
	5: {logicalDecimal, "DECIMAL"}, 6: {logicalDate, "DATE"}, 7: {logicalTime, "TIME"}, 8: {logicalStamp, "TIMESTAMP"},
	10: {logicalInteger, "INTEGER"}, 11: {logicalNull, "UNKNOWN"}, 12: {logicalText, "JSON"}, 13: {logicalOther, "BSON"},
	14: {logicalUUID, "UUID"}, 15: {logicalFloat16, "FLOAT16"}, 16: {logicalOther, "VARIANT"},
	17: {logicalOther, "GEOMETRY"}, 18: {logicalOther, "GEOGRAPHY"},
}

// convertedKinds gives the older annotations their meaning; unit is per second.
var convertedKinds = map[int64]struct {
	kind     logicalType
	name     string
	unit     int64
	bits     int
	unsigned bool
}{
	0: {kind: logicalText, name: "UTF8"}, 1: {kind: logicalOther, name: "MAP"}, 2: {kind: logicalOther, name: "MAP_KEY_VALUE"},
	3: {kind: logicalOther, name: "LIST"}, 4: {kind: logicalText, name: "ENUM"}, 5: {kind: logicalDecimal, name: "DECIMAL"},
	6: {kind: logicalDate, name: "DATE"}, 7: {kind: logicalTime, name: "TIME_MILLIS", unit: 1e3},
	8: {kind: logicalTime, name: "TIME_MICROS", unit: 1e6}, 9: {kind: logicalStamp, name: "TIMESTAMP_MILLIS", unit: 1e3},
	10: {kind: logicalStamp, name: "TIMESTAMP_MICROS", unit: 1e6},
	11: {kind: logicalInteger, name: "UINT_8", bits: 8, unsigned: true}, 12: {kind: logicalInteger, name: "UINT_16", bits: 16, unsigned: true},
	13: {kind: logicalInteger, name: "UINT_32", bits: 32, unsigned: true}, 14: {kind: logicalInteger, name: "UINT_64", bits: 64, unsigned: true},
	15: {kind: logicalInteger, name: "INT_8", bits: 8}, 16: {kind: logicalInteger, name: "INT_16", bits: 16},
	17: {kind: logicalInteger, name: "INT_32", bits: 32}, 18: {kind: logicalInteger, name: "INT_64", bits: 64},
	19: {kind: logicalText, name: "JSON"}, 20: {kind: logicalOther, name: "BSON"}, 21: {kind: logicalOther, name: "INTERVAL"},
}

// parquetCodec is a compression.
type parquetCodec int32

const (
	codecNone parquetCodec = iota
	codecSnappy
	codecGzip
	codecLZO
	codecBrotli
	codecLZ4
	codecZstd
	codecLZ4Raw
)

var parquetCodecNames = [...]string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

func (c parquetCodec) String() string { return nameAt(parquetCodecNames[:], int(c)) }

func nameAt(names []string, i int) string {
	if i >= 0 && i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("number %d", i)
}

// schemaElement is one node of the schema, which is written depth first.
type schemaElement struct {
	fileColumn
	hasType    bool
	repetition int64 // 0 required, 1 optional, 2 repeated
	children   int64
}

// readParquetMeta reads a footer; size is the file's, less the footer. The text of
// an error says what is wrong with the metadata.
func readParquetMeta(footer []byte, size int64) (*parquetMeta, error) {
	t := &thrift{b: footer}
	m := &parquetMeta{byName: make(map[string]int)}
	var schema []schemaElement
	rows := int64(-1)
	t.fields(func(id int, kind byte) {
		switch id {
		case 2:
			t.list(kind, thriftStruct, func() {
				if schema = append(schema, readSchemaElement(t)); len(schema) > chunk.MostColumns+1 {
					t.fail()
				}
			})
		case 3:
			rows = t.number(kind)
		case 4:
			chunks := 0
			t.list(kind, thriftStruct, func() {
				m.rowGroups = append(m.rowGroups, readRowGroup(t, &chunks))
			})
		case 5:
			t.list(kind, thriftStruct, func() {
				t.fields(func(id int, kind byte) {
					if id == 1 && t.text(kind) == "pandas" {
						m.pandas = true
					} else if id != 1 {
						t.skip(kind)
					}
				})
			})
		default:
			t.skip(kind)
		}
	})
	if len(schema) > chunk.MostColumns+1 {
		return nil, fmt.Errorf("its schema has more than %d fields", chunk.MostColumns)
	}
	if t.failed {
		return nil, fmt.Errorf("its footer cannot be understood")
	}
	if err := m.takeSchema(schema); err != nil {
		return nil, err
	}
	return m, m.check(rows, size)
}

func readSchemaElement(t *thrift) schemaElement {
	e := schemaElement{fileColumn: fileColumn{unit: 1}}
	e.physical = -1
	fromLogical := false
	t.fields(func(id int, kind byte) {
		switch id {
		case 1:
			e.physical, e.hasType = parquetType(t.number(kind)), true
		case 2:
			e.length = int(t.number(kind))
		case 3:
			e.repetition = t.number(kind)
		case 4:
			e.name = t.text(kind)
		case 5:
			e.children = t.number(kind)
		case 6:
			converted := t.number(kind)
			if c, ok := convertedKinds[converted]; ok && !fromLogical {
				e.logical, e.annotated, e.bits, e.unsigned = c.kind, c.name, c.bits, c.unsigned
				e.unit = max(c.unit, 1)
				e.utc = c.kind == logicalStamp
			}
		case 7:
			e.scale = int32(t.number(kind))
		case 10:
			fromLogical = readLogical(t, kind, &e.fileColumn) || fromLogical
		default:
			t.skip(kind)
		}
	})
	return e
}

// readLogical reads the union LogicalType, in which one field is set; false if it is
// one that is not known, and an older annotation may say more.
func readLogical(t *thrift, kind byte, f *fileColumn) bool {
	known := false
	t.object(kind, func(id int, kind byte) {
		l, ok := logicalKinds[id]
		if !ok {
			t.skip(kind)
			return
		}
		known = true
		f.logical, f.annotated, f.bits, f.unsigned, f.utc, f.unit = l.kind, l.name, 0, false, false, 1
		t.object(kind, func(id int, kind byte) {
			switch {
			case l.kind == logicalDecimal && id == 1:
				f.scale = int32(t.number(kind))
			case l.kind == logicalInteger && id == 1:
				f.bits = int(t.number(kind))
			case l.kind == logicalInteger && id == 2:
				f.unsigned = kind == thriftFalse
			case id == 1 && (l.kind == logicalTime || l.kind == logicalStamp):
				f.utc = kind == thriftTrue
			case id == 2 && (l.kind == logicalTime || l.kind == logicalStamp):
				t.object(kind, func(id int, kind byte) {
					if id >= 1 && id <= 3 {
						f.unit = [...]int64{1e3, 1e6, 1e9}[id-1]
					}
					t.skip(kind)
				})
			default:
				t.skip(kind)
			}
		})
	})
	return known
}

// leastChunk is less than what a column chunk takes: in the footer type, codec, counts and
// places, in the file the header of a page.
const leastChunk = 8

// readRowGroup reads a row group, and fails once there are more column chunks in all than
// the footer can describe: each takes ten times the memory of what is described of it.
func readRowGroup(t *thrift, chunks *int) parquetRowGroup {
	g := parquetRowGroup{rows: -1}
	t.fields(func(id int, kind byte) {
		switch id {
		case 1:
			t.list(kind, thriftStruct, func() {
				if *chunks++; *chunks*leastChunk > len(t.b) {
					t.fail()
					return
				}
				g.columns = append(g.columns, readColumnChunk(t))
			})
		case 3:
			g.rows = t.number(kind)
		default:
			t.skip(kind)
		}
	})
	return g
}

func readColumnChunk(t *thrift) parquetChunk {
	c := parquetChunk{physical: -1}
	t.fields(func(id int, kind byte) {
		switch id {
		case 1:
			c.elsewhere = t.text(kind) != ""
		case 3:
			c.described = true
			t.object(kind, func(id int, kind byte) {
				switch id {
				case 1:
					c.physical = parquetType(t.number(kind))
				case 4:
					c.codec = parquetCodec(t.number(kind))
				case 5:
					c.values = t.number(kind)
				case 7:
					c.size = t.number(kind)
				case 9:
					c.start = t.number(kind)
				case 11:
					c.dictionaryAt = t.number(kind)
				default:
					t.skip(kind)
				}
			})
		case 8:
			c.encrypted = true
			t.skip(kind)
		default:
			t.skip(kind)
		}
	})
	// Some writers leave the dictionary's place at 0 where there is none.
	if c.dictionaryAt > 0 && c.dictionaryAt < c.start {
		c.start = c.dictionaryAt
	}
	return c
}

// takeSchema makes columns of the schema's tree.
func (m *parquetMeta) takeSchema(schema []schemaElement) error {
	if len(schema) == 0 {
		return fmt.Errorf("its schema is empty")
	}
	at := 1
	for range schema[0].children {
		if at >= len(schema) {
			return fmt.Errorf("its schema is cut off")
		}
		f := schema[at].fileColumn
		f.leaf = m.leaves
		f.optional = schema[at].repetition == 1
		f.nested = schema[at].children > 0 || schema[at].repetition == 2 || !schema[at].hasType
		if !utf8.ValidString(f.name) {
			return fmt.Errorf("the name of column %d is not UTF-8 text", len(m.fields)+1)
		}
		if f.name == "" {
			f.name = fmt.Sprintf("c%d", len(m.fields)+1)
		}
		// Pending counts the nodes that are still to come below this field.
		for pending := int64(1); pending > 0; at++ {
			if at >= len(schema) || schema[at].children < 0 || schema[at].children > int64(len(schema)) {
				return fmt.Errorf("its schema is cut off")
			}
			pending += schema[at].children - 1
			if schema[at].children == 0 {
				m.leaves++
			}
		}
		m.byName[f.name] = len(m.fields)
		m.fields = append(m.fields, f)
	}
	if at != len(schema) {
		return fmt.Errorf("its schema has %d fields too many", len(schema)-at)
	}
	return nil
}

// check makes sure that all offsets lie in the file and all counts agree. What is
// at fault in a single column is left to whoever reads it.
func (m *parquetMeta) check(rows, size int64) error {
	total, claimed, chunks := int64(0), int64(0), int64(0)
	for i, g := range m.rowGroups {
		if g.rows < 0 || g.rows > math.MaxInt32 || len(g.columns) != m.leaves {
			return fmt.Errorf("row group %d claims %d rows and %d columns, the schema has %d", i, g.rows, len(g.columns), m.leaves)
		}
		total += g.rows
		for k, c := range g.columns {
			// Without rows there are no pages, and nothing says where they are.
			if g.rows > 0 && c.described && !c.elsewhere && (c.size < 0 || c.start < 4 || c.start > size || c.size > size-c.start) {
				return fmt.Errorf("column %d of row group %d claims to lie outside the file", k, i)
			}
			if g.rows > 0 && c.described && !c.elsewhere {
				claimed += c.size
				chunks++
			}
		}
	}
	// Column chunks share no byte: a footer cannot have one read over and over.
	if claimed > size || chunks*leastChunk > size {
		return fmt.Errorf("its %d column chunks claim %d bytes, the file has %d", chunks, claimed, size)
	}
	if total != rows {
		return fmt.Errorf("it claims %d rows, its row groups have %d", rows, total)
	}
	return nil
}
