package parquet

import (
	"fmt"
	"math"
	"unicode/utf8"

	"boost/dataset/internal/arrowipc"
	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
)

// parquetMeta is what reading needs to know of a Parquet file's footer.
type parquetMeta struct {
	fields    []columnar.Field // the columns, in file order
	byName    map[string]int   // of the fields
	rowGroups []parquetRowGroup
	pandas    bool // written by pandas
	// categories are columns that were a Categorical of pandas.
	categories map[string]bool
	leaves     int // leaf columns, nested ones among them: column chunks of a row group
}

type parquetRowGroup struct {
	rows    int64
	columns []parquetChunk // by leaf
}

// parquetChunk is a column of a row group.
type parquetChunk struct {
	physical     columnar.PhysicalType
	codec        columnar.Codec
	values       int64
	start        int64 // of the first page, in the file
	size         int64 // of all pages, compressed
	encrypted    bool
	elsewhere    bool // in another file
	described    bool // has metadata
	dictionaryAt int64
}

// logicalKinds names the fields of the union LogicalType.
var logicalKinds = map[int]struct {
	kind columnar.LogicalType
	name string
}{
	1: {columnar.LogicalText, "STRING"}, 2: {columnar.LogicalOther, "MAP"}, 3: {columnar.LogicalOther, "LIST"}, 4: {columnar.LogicalText, "ENUM"},
	5: {columnar.LogicalDecimal, "DECIMAL"}, 6: {columnar.LogicalDate, "DATE"}, 7: {columnar.LogicalTime, "TIME"}, 8: {columnar.LogicalStamp, "TIMESTAMP"},
	10: {columnar.LogicalInteger, "INTEGER"}, 11: {columnar.LogicalNull, "UNKNOWN"}, 12: {columnar.LogicalText, "JSON"}, 13: {columnar.LogicalOther, "BSON"},
	14: {columnar.LogicalUUID, "UUID"}, 15: {columnar.LogicalFloat16, "FLOAT16"}, 16: {columnar.LogicalOther, "VARIANT"},
	17: {columnar.LogicalOther, "GEOMETRY"}, 18: {columnar.LogicalOther, "GEOGRAPHY"},
}

// convertedKinds gives the older annotations their meaning; unit is per second.
var convertedKinds = map[int64]struct {
	kind     columnar.LogicalType
	name     string
	unit     int64
	bits     int
	unsigned bool
}{
	0: {kind: columnar.LogicalText, name: "UTF8"}, 1: {kind: columnar.LogicalOther, name: "MAP"}, 2: {kind: columnar.LogicalOther, name: "MAP_KEY_VALUE"},
	3: {kind: columnar.LogicalOther, name: "LIST"}, 4: {kind: columnar.LogicalText, name: "ENUM"}, 5: {kind: columnar.LogicalDecimal, name: "DECIMAL"},
	6: {kind: columnar.LogicalDate, name: "DATE"}, 7: {kind: columnar.LogicalTime, name: "TIME_MILLIS", unit: 1e3},
	8: {kind: columnar.LogicalTime, name: "TIME_MICROS", unit: 1e6}, 9: {kind: columnar.LogicalStamp, name: "TIMESTAMP_MILLIS", unit: 1e3},
	10: {kind: columnar.LogicalStamp, name: "TIMESTAMP_MICROS", unit: 1e6},
	11: {kind: columnar.LogicalInteger, name: "UINT_8", bits: 8, unsigned: true}, 12: {kind: columnar.LogicalInteger, name: "UINT_16", bits: 16, unsigned: true},
	13: {kind: columnar.LogicalInteger, name: "UINT_32", bits: 32, unsigned: true}, 14: {kind: columnar.LogicalInteger, name: "UINT_64", bits: 64, unsigned: true},
	15: {kind: columnar.LogicalInteger, name: "INT_8", bits: 8}, 16: {kind: columnar.LogicalInteger, name: "INT_16", bits: 16},
	17: {kind: columnar.LogicalInteger, name: "INT_32", bits: 32}, 18: {kind: columnar.LogicalInteger, name: "INT_64", bits: 64},
	19: {kind: columnar.LogicalText, name: "JSON"}, 20: {kind: columnar.LogicalOther, name: "BSON"}, 21: {kind: columnar.LogicalOther, name: "INTERVAL"},
}

// schemaElement is one node of the schema, which is written depth first.
type schemaElement struct {
	columnar.Field
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
	var arrow arrowipc.Embedded
	t.fields(func(id int, kind byte) {
		switch id {
		case 2:
			t.structs(kind, func() {
				if schema = append(schema, readSchemaElement(t)); len(schema) > chunk.MostColumns+1 {
					t.fail()
				}
			})
		case 3:
			rows = t.number(kind)
		case 4:
			chunks := 0
			t.structs(kind, func() {
				m.rowGroups = append(m.rowGroups, readRowGroup(t, &chunks))
			})
		case 5:
			t.structs(kind, func() {
				var key, value string
				t.fields(func(id int, kind byte) {
					switch id {
					case 1:
						key = t.text(kind)
					case 2:
						value = t.text(kind)
					default:
						t.skip(kind)
					}
				})
				switch key {
				case "pandas":
					m.pandas = true
				case "ARROW:schema":
					arrow = arrowipc.ReadEmbedded(value)
				}
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
	if m.pandas {
		m.categories = arrow.Categories
	}
	for i := range m.fields {
		f := &m.fields[i]
		if scale, ok := arrow.Durations[f.Name]; ok && f.Physical == columnar.Int64 && f.Logical == columnar.LogicalNone {
			f.Logical, f.Annotated, f.Scale = columnar.LogicalDuration, "DURATION", scale
		}
	}
	return m, m.check(rows, size)
}

func readSchemaElement(t *thrift) schemaElement {
	e := schemaElement{Field: columnar.Field{Unit: 1}}
	e.Physical = -1
	fromLogical := false
	t.fields(func(id int, kind byte) {
		switch id {
		case 1:
			e.Physical, e.hasType = columnar.PhysicalType(t.number(kind)), true
		case 2:
			e.Length = int(t.number(kind))
		case 3:
			e.repetition = t.number(kind)
		case 4:
			e.Name = t.text(kind)
		case 5:
			e.children = t.number(kind)
		case 6:
			converted := t.number(kind)
			if c, ok := convertedKinds[converted]; ok && !fromLogical {
				e.Logical, e.Annotated, e.Bits, e.Unsigned = c.kind, c.name, c.bits, c.unsigned
				e.Unit = max(c.unit, 1)
				e.Utc = c.kind == columnar.LogicalStamp
			}
		case 7:
			e.Scale = int32(t.number(kind))
		case 10:
			fromLogical = readLogical(t, kind, &e.Field) || fromLogical
		default:
			t.skip(kind)
		}
	})
	return e
}

// readLogical reads the union LogicalType, in which one field is set; false if it is
// one that is not known, and an older annotation may say more.
func readLogical(t *thrift, kind byte, f *columnar.Field) bool {
	known := false
	t.object(kind, func(id int, kind byte) {
		l, ok := logicalKinds[id]
		if !ok {
			t.skip(kind)
			return
		}
		known = true
		f.Logical, f.Annotated, f.Bits, f.Unsigned, f.Utc, f.Unit = l.kind, l.name, 0, false, false, 1
		t.object(kind, func(id int, kind byte) {
			switch {
			case l.kind == columnar.LogicalDecimal && id == 1:
				f.Scale = int32(t.number(kind))
			case l.kind == columnar.LogicalInteger && id == 1:
				f.Bits = int(t.number(kind))
			case l.kind == columnar.LogicalInteger && id == 2:
				f.Unsigned = kind == thriftFalse
			case id == 1 && (l.kind == columnar.LogicalTime || l.kind == columnar.LogicalStamp):
				f.Utc = kind == thriftTrue
			case id == 2 && (l.kind == columnar.LogicalTime || l.kind == columnar.LogicalStamp):
				t.object(kind, func(id int, kind byte) {
					if id >= 1 && id <= 3 {
						f.Unit = [...]int64{1e3, 1e6, 1e9}[id-1]
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
			t.structs(kind, func() {
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
					c.physical = columnar.PhysicalType(t.number(kind))
				case 4:
					c.codec = columnar.Codec(t.number(kind))
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
		f := schema[at].Field
		f.Leaf = m.leaves
		f.Optional = schema[at].repetition == 1
		f.Nested = schema[at].children > 0 || schema[at].repetition == 2 || !schema[at].hasType
		if !utf8.ValidString(f.Name) {
			return fmt.Errorf("the name of column %d is not UTF-8 text", len(m.fields)+1)
		}
		if f.Name == "" {
			f.Name = fmt.Sprintf("c%d", len(m.fields)+1)
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
		m.byName[f.Name] = len(m.fields)
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
			// Without rows there are no pages, and the offsets mean nothing.
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
