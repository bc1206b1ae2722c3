package binning

import (
	"errors"
	"fmt"

	"boost/dataset"
	"boost/internal/kernel/bin"
)

// ErrMismatch is wrapped by errors about a table whose features are not those that
// the cuts were made for.
var ErrMismatch = errors.New("table does not fit the cuts")

// Encoder gives the codes of one table's features under cuts. It is immutable and
// safe for concurrent use. For a few rows of one column see Cuts.Encode.
type Encoder struct {
	features []encoding
}

// NewEncoder prepares the features of t, matched with those of c by position. The
// kind of a feature is that of its training column: later values are compared with
// its cuts exactly, whether they are float32 or float64. A different
// number of features, or text in place of numbers, is an ErrMismatch.
func NewEncoder(c *Cuts, t *dataset.Table) (*Encoder, error) {
	columns, err := c.columns(t)
	if err != nil {
		return nil, err
	}
	e := &Encoder{features: make([]encoding, len(columns))}
	for f, column := range columns {
		var err error
		if e.features[f], err = newEncoding(c, f, column, 0, t.NumRows()); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// columns returns the table's features, as many as the cuts have.
func (c *Cuts) columns(t *dataset.Table) ([]*dataset.Column, error) {
	columns := t.Features()
	if len(columns) != len(c.Features) {
		return nil, fmt.Errorf("%w: the table has %d features, the cuts %d", ErrMismatch, len(columns), len(c.Features))
	}
	return columns, nil
}

// Encode writes the codes of rows lo … hi of feature f to dst[:hi-lo]. A missing
// value, a level that training has not seen, and an index beyond the dictionary
// take the feature's MissingCode.
func (e *Encoder) Encode(f, lo, hi int, dst []uint32) {
	encode(&e.features[f], lo, hi, dst)
}

// EncodeTo is Encode into codes of any width that holds the feature's, MissingCode too.
func EncodeTo[C bin.Code](e *Encoder, f, lo, hi int, dst []C) {
	encode(&e.features[f], lo, hi, dst)
}

// Encode writes the codes of rows lo … hi of a column to dst[:hi-lo], as an Encoder
// does. The column must be of the feature's sort, numbers or levels.
func (c *Cuts) Encode(f int, column *dataset.Column, lo, hi int, dst []uint32) {
	e := mustEncode(c, f, column, lo, hi)
	encode(&e, 0, hi-lo, dst)
}

// mustEncode is newEncoding for a column of the feature's sort.
func mustEncode(c *Cuts, f int, column *dataset.Column, lo, hi int) encoding {
	e, err := newEncoding(c, f, column, lo, hi)
	if err != nil {
		panic("binning: " + err.Error())
	}
	return e
}

// encoding is one feature's cuts beside the values of a column: one of f32, f64 and
// levels is set, and of cuts32 and cuts64 at most one has entries.
type encoding struct {
	kind    FeatureKind
	missing uint32
	hashed  *Feature // of a feature with NameHashes; its rows' levels are those of names
	names   []string
	f32     []float32
	f64     []float64
	levels  []int32
	codes   []uint32
	cuts32  []float32
	cuts64  []float64
	index   *bin.Index // nil for few rows

	sparse *dataset.Sparse // its values are in f32 or f64; nil for a dense column
	base   int             // sparse: row of the column that is row 0 here
}

// newEncoding prepares rows lo … hi of a column, which become rows 0 … hi-lo.
func newEncoding(c *Cuts, f int, column *dataset.Column, lo, hi int) (encoding, error) {
	feature := &c.Features[f]
	e := encoding{kind: feature.Kind, missing: feature.MissingCode()}
	if err := feature.suits(column); err != nil {
		return e, err
	}
	if e.sparse = column.Sparse(); e.sparse != nil {
		e.base, e.f32, e.f64 = lo, e.sparse.F32, e.sparse.F64
		e.takeCuts(c, f, len(e.sparse.Rows))
		return e, nil
	}
	switch column.Kind() {
	case dataset.Category:
		e.levels, e.codes = column.Codes()[lo:hi], feature.Codes
		if len(feature.NameHashes) > 0 {
			e.hashed, e.names = feature, column.Levels()
		}
		return e, nil
	case dataset.Float32:
		e.f32 = column.Float32s()[lo:hi]
	default:
		e.f64 = column.Float64s()[lo:hi]
	}
	e.takeCuts(c, f, hi-lo)
	return e, nil
}

// takeCuts prepares the search of so many values.
func (e *encoding) takeCuts(c *Cuts, f, values int) {
	if e.kind == Numeric32 {
		e.cuts32 = c.Of32(f)
	} else {
		e.cuts64 = c.Of64(f)
	}
	if bin.IndexPays(max(len(e.cuts32), len(e.cuts64)), values) {
		e.index = e.newIndex()
	}
}

// suits makes sure that a column is of the feature's sort.
func (f *Feature) suits(column *dataset.Column) error {
	if isLevels := column.Kind() == dataset.Category; isLevels != (f.Kind == Categorical) || column.Kind() == dataset.Text {
		return fmt.Errorf("%w: column %q holds %s, in training it held %s", ErrMismatch,
			column.Name(), contents(column.Kind() == dataset.Float32 || column.Kind() == dataset.Float64), contents(f.Kind != Categorical))
	}
	return nil
}

func contents(numbers bool) string {
	if numbers {
		return "numbers"
	}
	return "text levels"
}

func (e *encoding) newIndex() *bin.Index {
	switch {
	case e.f64 != nil && e.kind == Numeric64:
		return bin.NewIndex64(e.cuts64)
	case e.f64 != nil:
		return bin.NewIndex64(e.cuts32)
	case e.kind == Numeric64:
		return bin.NewIndex32(e.cuts64)
	}
	return bin.NewIndex32(e.cuts32)
}

// encode writes the codes of rows lo … hi; C must be wide enough for them.
func encode[C bin.Code](e *encoding, lo, hi int, dst []C) {
	if e.sparse != nil {
		encodeSparse(e, lo, hi, dst)
		return
	}
	encodeValues(e, lo, hi, dst)
}

// encodeSparse writes the code of the fill value to all rows and then those of the
// stored cells.
func encodeSparse[C bin.Code](e *encoding, lo, hi int, dst []C) {
	fill := C(e.fillCode())
	for i := range dst[:hi-lo] {
		dst[i] = fill
	}
	first, end := e.sparse.Range(e.base+lo, e.base+hi)
	var codes [256]uint32
	for first < end {
		n := min(end-first, len(codes))
		encodeValues(e, first, first+n, codes[:n])
		for i, row := range e.sparse.Rows[first : first+n] {
			dst[int(row)-e.base-lo] = C(codes[i])
		}
		first += n
	}
}

// fillCode returns the code of the rows that a sparse column does not store.
func (e *encoding) fillCode() uint32 {
	fill := encoding{kind: e.kind, missing: e.missing, cuts32: e.cuts32, cuts64: e.cuts64, f64: []float64{e.sparse.Fill}}
	var code [1]uint32
	encodeValues(&fill, 0, 1, code[:])
	return code[0]
}

// encodeValues writes the codes of values lo … hi, which are rows in a dense column
// and stored cells in a sparse one.
func encodeValues[C bin.Code](e *encoding, lo, hi int, dst []C) {
	switch {
	case e.kind == Categorical:
		bin.Lookup(dst, e.levels[lo:hi], e.codes, NoCode, e.missing)
		if e.hashed != nil {
			encodeHashed(e, lo, hi, dst)
		}
	case e.index != nil && e.f64 != nil:
		bin.Codes64(dst, e.f64[lo:hi], e.index)
	case e.index != nil:
		bin.Codes32(dst, e.f32[lo:hi], e.index)
	case e.f64 != nil && e.kind == Numeric64:
		bin.Search(dst, e.f64[lo:hi], e.cuts64)
	case e.f64 != nil:
		bin.Search(dst, e.f64[lo:hi], e.cuts32)
	case e.kind == Numeric64:
		bin.Search(dst, e.f32[lo:hi], e.cuts64)
	default:
		bin.Search(dst, e.f32[lo:hi], e.cuts32)
	}
}

// encodeHashed gives the last code to levels beyond the dictionary whose names have a hash.
func encodeHashed[C bin.Code](e *encoding, lo, hi int, dst []C) {
	for i, level := range e.levels[lo:hi] {
		if int(level) >= len(e.codes) && e.hashed.HashesName(e.names[level]) {
			dst[i] = C(e.hashed.Regular - 1)
		}
	}
}

// takesMissing reports whether a row of the column takes the missing code: it has no
// value, or a level without a code.
func (e *encoding) takesMissing(column *dataset.Column) bool {
	if column.Missing() > 0 {
		return true
	}
	if e.kind != Categorical {
		return false
	}
	if !lacksLevel(e.codes, column) {
		return false
	}
	for _, level := range e.levels {
		if uint(level) >= uint(len(e.codes)) || e.codes[level] == NoCode {
			return true
		}
	}
	return false
}
