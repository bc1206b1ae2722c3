package columnar

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/written"
)

// Field is one top-level field of the schema: a column of the table if it is
// a leaf, otherwise nested.
type Field struct {
	Name     string
	Leaf     int  // index among the column chunks of a row group
	Nested   bool // a group, a list or a map
	Optional bool

	Physical  PhysicalType
	Length    int // of fixed_len_byte_array
	Logical   LogicalType
	Unit      int64 // of times: per second
	Scale     int32 // of decimals
	Utc       bool  // of time stamps
	Days      bool  // time stamps are whole days, mostly
	Unsigned  bool
	Bits      int    // of integers
	Annotated string // what stands in the schema, for messages
}

// PhysicalType is a physical type.
type PhysicalType int32

const (
	Boolean PhysicalType = iota
	Int32
	Int64
	parquetInt96
	Float
	Double
	ByteArray
	FixedBytes
)

var parquetTypeNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

func (t PhysicalType) String() string { return NameAt(parquetTypeNames[:], int(t)) }

// LogicalType is what a column's bytes stand for.
type LogicalType uint8

const (
	LogicalNone     LogicalType = iota
	LogicalText                 // string, enum, json
	LogicalDecimal              // unscaled · 10^−scale
	LogicalDate                 // days since 1970
	LogicalTime                 // units since midnight
	LogicalStamp                // units since 1970
	LogicalDuration             // units, of which a second has 10^scale
	LogicalInteger
	LogicalUUID
	LogicalFloat16
	LogicalNull
	LogicalOther // no number, date or text
)

// Codec is a compression.
type Codec int32

const (
	CodecNone Codec = iota
	CodecSnappy
	CodecGzip
	CodecLZO
	CodecBrotli
	CodecLZ4
	CodecZstd
	CodecLZ4Raw
)

var parquetCodecNames = [...]string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

func (c Codec) String() string { return NameAt(parquetCodecNames[:], int(c)) }

func NameAt(names []string, i int) string {
	if i >= 0 && i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("number %d", i)
}

// ManyNumbers reads values of one size.
func (f *Field) ManyNumbers(dst []float64, raw []byte) {
	switch {
	case f.Physical == Double:
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		}
	case f.Physical == Float:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		}
	case f.Physical == Int32 && f.Logical == LogicalNone:
		for i := range dst {
			dst[i] = float64(int32(binary.LittleEndian.Uint32(raw[4*i:])))
		}
	case f.Physical == Int64 && f.Logical == LogicalNone:
		for i := range dst {
			dst[i] = float64(int64(binary.LittleEndian.Uint64(raw[8*i:])))
		}
	default:
		size := f.Size()
		for i := range dst {
			dst[i] = f.Number(raw[size*i : size*(i+1)])
		}
	}
}

// isNaN reports whether a value is a float that is no number.
func (f *Field) isNaN(raw []byte) bool {
	switch {
	case f.Physical == Float, f.Physical == Double, f.Logical == LogicalFloat16:
		v := f.Number(raw)
		return v != v
	}
	return false
}

// PandasIndex matches the names that pandas gives to an index without a name.
var PandasIndex = regexp.MustCompile(`^__index_level_\d+__$`)

// Nested is the error for a column of columns.
func Nested(file, column string) error {
	return chunk.CannotRead(file, column, "holds lists, maps or records; leave it out with ignore, or write its parts as columns of their own")
}

// SuitsForm refuses stored numbers for a target whose numbers are written with a unit, a percent sign or as dates: what they
// mean is not known.
func (f *Field) SuitsForm(file string, t chunk.Target) error {
	if t.Form == nil || t.Form.Bare() || f.IsText() || f.isDate() && t.Form.IsDate() {
		return nil
	}
	return chunk.CannotRead(file, t.Name, "holds plain numbers, where \"%v\" is expected: %s takes them as they are",
		t.Form, chunk.ParseHint(map[string]string{t.Name: written.Plain.String()}))
}

// RowBytes returns the least bytes that a row takes in a target's column.
func (f *Field) RowBytes(t chunk.Target) int64 {
	if t.Want != chunk.WantText && !f.IsText() && f.Size() == 8 {
		return 8
	}
	return 4
}
