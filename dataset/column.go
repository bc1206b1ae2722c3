package dataset

import (
	"unsafe"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/missing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Column is one named column of a Table. It is immutable.
type Column struct {
	// A table may have a million columns: what they do not need takes no room here.
	name    string
	kind    Kind
	role    Role
	rows    int            // Float32 and Float64
	missing int            // number of missing rows
	numbers unsafe.Pointer // Float32 and Float64: to the rows' values, nil for a sparse column
	sparse  *Sparse        // Float32 and Float64: the stored cells, nil for a dense column
	texts   *columnTexts   // other kinds
}

// columnTexts is what a column has that is not of numbers.
type columnTexts struct {
	array         arrow.Array // Dictionary(Int32, String) or String; nil for a column without rows
	levels        []string    // Category: the dictionary, in row order of first appearance
	numericLevels bool        // Category: levels are numbers in their shortest decimal form
}

// Name returns the column's name as it stands in the header.
func (c *Column) Name() string { return c.name }

// Kind returns how the values are held.
func (c *Column) Kind() Kind { return c.kind }

// Role returns what the column is for.
func (c *Column) Role() Role { return c.role }

// Len returns the number of rows.
func (c *Column) Len() int {
	if c.texts != nil && c.texts.array != nil {
		return c.texts.array.Len()
	}
	return c.rows
}

// Missing returns the number of rows without a value.
func (c *Column) Missing() int { return c.missing }

// Array returns the column as an Arrow array, which shares the column's memory. Of a sparse
// column it has a new value for every row.
func (c *Column) Array() arrow.Array {
	d := c.dense()
	switch {
	case d.texts != nil:
		return d.texts.array
	case d.kind == Float32:
		return array.NewFloat32Data(plainData(arrow.PrimitiveTypes.Float32, d.rows, arrow.Float32Traits.CastToBytes(d.Float32s())))
	}
	return array.NewFloat64Data(plainData(arrow.PrimitiveTypes.Float64, d.rows, arrow.Float64Traits.CastToBytes(d.Float64s())))
}

// Sparse returns the stored cells of a sparse column, nil for a dense one. A numeric
// feature is sparse where that takes fewer bytes and its table was made of sparse
// data; nothing but speed and memory follows from it.
func (c *Column) Sparse() *Sparse { return c.sparse }

// Float32s returns the values of a Float32 column, one per row, NaN where missing.
// The slice is the column's own memory and must not be changed. Of a sparse column
// it is a new slice at each call, made in time and memory proportional to the rows:
// look at Sparse first where that matters.
func (c *Column) Float32s() []float32 {
	if c.sparse != nil {
		return c.sparse.Expand32(c.rows)
	}
	return unsafe.Slice((*float32)(c.numbers), c.rows)
}

// Float64s returns the values of a Float64 column, one per row, NaN where missing.
// The slice is the column's own memory and must not be changed; of a sparse column
// it is a new slice, as with Float32s.
func (c *Column) Float64s() []float64 {
	if c.sparse != nil {
		return c.sparse.Expand64(c.rows)
	}
	return unsafe.Slice((*float64)(c.numbers), c.rows)
}

// Codes returns the dictionary indices of a Category column, one per row, -1 where missing.
// The slice is the column's own memory and must not be changed.
func (c *Column) Codes() []int32 {
	return c.texts.array.(*array.Dictionary).Indices().(*array.Int32).Int32Values()
}

// Levels returns the dictionary of a Category column. In a table read with a
// model's schema the model's levels come first, in the model's order, and levels
// that the model has not seen follow.
func (c *Column) Levels() []string {
	if c.texts == nil {
		return nil
	}
	return c.texts.levels
}

// NumericLevels reports whether the levels of a Category column are numbers in
// their shortest decimal form, compared by value.
func (c *Column) NumericLevels() bool { return c.texts != nil && c.texts.numericLevels }

// Text returns the text of a row of a Text column, empty where missing.
func (c *Column) Text(row int) string { return c.texts.array.(*array.String).Value(row) }

// number returns the value of a row of a numeric column.
func (c *Column) number(row int) float64 {
	if c.sparse != nil {
		return c.sparse.At(row)
	}
	if c.kind == Float32 {
		return float64(c.Float32s()[row])
	}
	return c.Float64s()[row]
}

// isMissing reports whether a row of a dense column of numbers or categories lacks a value.
func (c *Column) isMissing(row int) bool {
	if c.kind == Category {
		return c.Codes()[row] < 0
	}
	v := c.number(row)
	return v != v
}

// as returns the column under another name and role.
func (c *Column) as(name string, role Role) *Column {
	copied := *c
	if role != Feature {
		copied = *c.dense() // other roles are read row by row
	}
	copied.name, copied.role = name, role
	return &copied
}

func float32Column(name string, role Role, values []float32) *Column {
	return &Column{name: name, kind: Float32, role: role, rows: len(values), missing: missing.Float32s(values), numbers: unsafe.Pointer(unsafe.SliceData(values))}
}

func float64Column(name string, role Role, values []float64) *Column {
	return &Column{name: name, kind: Float64, role: role, rows: len(values), missing: missing.Float64s(values), numbers: unsafe.Pointer(unsafe.SliceData(values))}
}

// numberColumn holds values as float32 where every one is exact in it.
func numberColumn(name string, role Role, values []float64) *Column {
	if !chunk.AllExact(values) {
		return float64Column(name, role, values)
	}
	f32 := make([]float32, len(values))
	for i, v := range values {
		f32[i] = float32(v)
	}
	return float32Column(name, role, f32)
}

var dictionaryType = &arrow.DictionaryType{
	IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String,
}

// categoryColumn takes codes, -1 where missing, and the dictionary they index.
func categoryColumn(name string, role Role, codes []int32, levels []string, numeric bool) *Column {
	return codedColumn(name, role, codes, levels, levelArray(levels), numeric)
}

// modelColumn is categoryColumn for levels of which those of a model are the first.
func modelColumn(name string, role Role, codes []int32, levels *chunk.ModelLevels, numeric bool) *Column {
	texts := levels.Array
	if texts == nil {
		texts = levelArray(levels.Levels)
	}
	return codedColumn(name, role, codes, levels.Levels, texts, numeric)
}

// codedColumn is categoryColumn with the levels as an array, too.
func codedColumn(name string, role Role, codes []int32, levels []string, texts *array.String, numeric bool) *Column {
	absent := missing.Codes(codes)
	var present *memory.Buffer
	if absent > 0 {
		bitmap := make([]byte, (len(codes)+7)/8)
		for i, code := range codes {
			if code >= 0 {
				bitutil.SetBit(bitmap, i)
			}
		}
		present = memory.NewBufferBytes(bitmap)
	}
	indices := array.NewInt32Data(array.NewData(arrow.PrimitiveTypes.Int32, len(codes),
		[]*memory.Buffer{present, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(codes))},
		nil, absent, 0))
	dictionary := array.NewDictionaryArray(dictionaryType, indices, texts)
	dictionary.Dictionary() // which the first call stores
	return &Column{name: name, kind: Category, role: role, missing: absent, texts: &columnTexts{dictionary, levels, numeric}}
}

// levelTexts returns the levels of a category as an array.
func (c *Column) levelTexts() *array.String {
	return c.texts.array.(*array.Dictionary).Dictionary().(*array.String)
}

// levelArray holds the levels of a dictionary.
func levelArray(levels []string) *array.String {
	var text []byte
	ends := make([]int32, 1, len(levels)+1)
	for _, level := range levels {
		text = append(text, level...)
		ends = append(ends, int32(len(text)))
	}
	return stringArray(text, ends)
}

// textColumn takes the rows' texts one after another and n+1 offsets into them.
// Rows without text count as missing.
func textColumn(name string, role Role, text []byte, offsets []int32) *Column {
	missing := 0
	for i := 1; i < len(offsets); i++ {
		if offsets[i] == offsets[i-1] {
			missing++
		}
	}
	return &Column{name: name, kind: Text, role: role, missing: missing, texts: &columnTexts{array: stringArray(text, offsets)}}
}

func stringArray(text []byte, offsets []int32) *array.String {
	return array.NewStringData(array.NewData(arrow.BinaryTypes.String, len(offsets)-1,
		[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)),
			memory.NewBufferBytes(text)}, nil, 0, 0))
}

func plainData(typ arrow.DataType, n int, values []byte) *array.Data {
	return array.NewData(typ, n, []*memory.Buffer{nil, memory.NewBufferBytes(values)}, nil, 0, 0)
}
