package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"boost/dataset"
)

// rowReader turns cells into the values of PredictValues.
type rowReader struct {
	model    *Model
	cells    *dataset.CellReader
	features []*dataset.ColumnSchema
	crossed  []crossedFeature
	buffers  sync.Pool // of *rowCells
}

// rowCells are the features of a row: its cells, and what stands for them in PredictValues.
type rowCells struct {
	cells  []dataset.Cell
	values []float64
}

// crossedFeature is a feature whose levels are values of another, or pairs of values of two.
type crossedFeature struct {
	feature int
	of      []int
}

// rowReader returns the model's reader of rows. The first call makes it.
func (m *Model) rowReader() (*rowReader, error) {
	m.rowsReady.Do(func() {
		r := &rowReader{model: m, features: m.contents.FeatureColumns()}
		r.buffers.New = func() any {
			return &rowCells{make([]dataset.Cell, len(r.features)), make([]float64, len(r.features))}
		}
		for f, c := range r.features {
			if c.Crossed != nil {
				crossed := crossedFeature{feature: f}
				for _, name := range c.Crossed {
					crossed.of = append(crossed.of, r.feature(name))
				}
				r.crossed = append(r.crossed, crossed)
			}
		}
		if r.cells, m.rowsError = dataset.NewCellReader(m.contents.Schema); m.rowsError == nil {
			m.rows = r
		}
	})
	return m.rows, m.rowsError
}

// PredictRow returns the predictions for one row, one per output, as Predict makes them for a table.
// row holds a value for every feature by its name; other keys do not matter. A value is
//
//   - a number of any type of Go, or json.Number; NaN is missing,
//   - a bool, which is 1 or 0,
//   - a text: the level of a category, or a number, truth value or date as a cell of a file has it. The
//     words of dataset.DefaultMissing are missing,
//   - nil, which is missing.
//
// A level that the model does not know is treated as missing. A feature that is absent from row, a text that
// is no number where the model has numbers, and a value of another type are errors that wrap dataset.ErrTable
// and name the feature. Init scores are 0. PredictRow allocates its result, and for each category that is
// given as a number the name of the level. It is safe for concurrent use. PredictValues is faster, RowPredictor
// takes structs.
func (m *Model) PredictRow(row map[string]any) ([]float64, error) {
	r, err := m.rowReader()
	if err != nil {
		return nil, err
	}
	return r.predict(func(cells []dataset.Cell) error {
		for f, c := range r.features {
			if c.Crossed != nil {
				continue
			}
			v, ok := row[c.Name]
			if !ok {
				return fmt.Errorf("%w: column %q is missing; give nil where the value is not known", dataset.ErrTable, c.Name)
			}
			if cells[f], err = r.value(f, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// feature returns the number of the feature of a name.
func (r *rowReader) feature(name string) int {
	return slices.IndexFunc(r.features, func(c *dataset.ColumnSchema) bool { return c.Name == name })
}

// predict returns the predictions for the cells that fill writes.
func (r *rowReader) predict(fill func(cells []dataset.Cell) error) ([]float64, error) {
	row := r.buffers.Get().(*rowCells)
	defer r.buffers.Put(row)
	if err := fill(row.cells); err != nil {
		return nil, err
	}
	for _, c := range r.crossed {
		of := make([]dataset.Cell, len(c.of))
		for i, f := range c.of {
			of[i] = r.known(f, row.cells[f])
		}
		row.cells[c.feature] = dataset.Cell{Level: dataset.CrossedLevel(of...)}
	}
	for f, cell := range row.cells {
		row.values[f] = r.index(f, cell)
	}
	out := make([]float64, r.model.Outputs())
	r.model.PredictValues(row.values, out)
	return out, nil
}

// known returns a cell with the level as the model has it, which may be without the blanks around it.
func (r *rowReader) known(feature int, cell dataset.Cell) dataset.Cell {
	levels := r.features[feature].Levels
	if len(levels) > 0 && cell.Number == cell.Number {
		if i := r.model.LevelIndex(feature, cell.Level); i >= 0 && int(i) < len(levels) {
			cell.Level = levels[int(i)]
		}
	}
	return cell
}

var missingCell = dataset.Cell{Number: math.NaN()}

// value returns the cell that a value of a feature is.
func (r *rowReader) value(feature int, v any) (dataset.Cell, error) {
	switch v := v.(type) {
	case nil:
		return missingCell, nil
	case float64:
		return r.number(feature, v), nil
	case string:
		return r.text(feature, v)
	case json.Number: // it has a decimal point, whatever the model's table had
		x, err := v.Float64()
		if c := r.features[feature]; err != nil && !errors.Is(err, strconv.ErrRange) || c.Kind == dataset.Category && !c.NumericLevels {
			return r.text(feature, string(v))
		}
		return r.number(feature, x), nil
	}
	return r.reflected(feature, reflect.ValueOf(v))
}

// reflected is value for all types.
func (r *rowReader) reflected(feature int, v reflect.Value) (dataset.Cell, error) {
	c := r.features[feature]
	switch kind := v.Kind(); {
	case kind == reflect.Pointer || kind == reflect.Interface:
		if v.IsNil() {
			return missingCell, nil
		}
		return r.reflected(feature, v.Elem())
	case kind == reflect.String:
		return r.text(feature, v.String())
	case kind == reflect.Bool:
		if v.Bool() {
			return r.number(feature, 1), nil
		}
		return r.number(feature, 0), nil
	case v.CanFloat():
		return r.number(feature, v.Float()), nil
	case v.CanInt():
		x, err := r.cells.Integer(c, v.Int())
		return r.number(feature, x), err
	case v.CanUint() && v.Uint() <= math.MaxInt64:
		x, err := r.cells.Integer(c, int64(v.Uint()))
		return r.number(feature, x), err
	}
	return missingCell, fmt.Errorf("%w: column %q has a value of type %s; use a number, a text, a bool or nil", dataset.ErrTable, c.Name, v.Type())
}

func (r *rowReader) number(feature int, v float64) dataset.Cell {
	return r.cells.Number(r.features[feature], v)
}

func (r *rowReader) text(feature int, text string) (dataset.Cell, error) {
	return r.cells.Text(r.features[feature], text)
}

// index returns what stands for a cell in PredictValues.
func (r *rowReader) index(feature int, cell dataset.Cell) float64 {
	if r.features[feature].Kind != dataset.Category || cell.Number != cell.Number {
		return cell.Number
	}
	return r.model.LevelIndex(feature, cell.Level)
}

// RowPredictor predicts rows that are structs of type T. It is safe for concurrent use.
type RowPredictor[T any] struct {
	reader *rowReader
	fields [][]int // by feature: the index of the field, as reflect has it
}

// NewRowPredictor finds the field of T for each feature of a model. A field with a tag `boost:"name"` holds
// the feature of that name, a field without a tag the feature that has its own name; `boost:"-"` leaves a
// field out. Fields of embedded structs count, those that are not exported do not. They may be numbers, texts,
// bools, or pointers to these, where nil is a missing value; their values mean what they mean in
// Model.PredictRow. A feature without a field, two fields for one feature, and a field of another type are errors.
func NewRowPredictor[T any](m *Model) (*RowPredictor[T], error) {
	r, err := m.rowReader()
	if err != nil {
		return nil, err
	}
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("rows of type %s: a struct was expected", t)
	}
	named := make(map[string]reflect.StructField)
	for _, field := range reflect.VisibleFields(t) {
		name, ok := field.Tag.Lookup("boost")
		if !ok {
			name = field.Name
		}
		if field.Anonymous || !field.IsExported() || name == "-" {
			continue
		}
		if other, twice := named[name]; twice {
			return nil, fmt.Errorf("%s: fields %s and %s are both %q", t, other.Name, field.Name, name)
		}
		named[name] = field
	}
	p := &RowPredictor[T]{reader: r, fields: make([][]int, len(r.features))}
	for f, c := range r.features {
		if c.Crossed != nil {
			continue
		}
		field, ok := named[c.Name]
		if !ok {
			return nil, fmt.Errorf("%s has no field for column %q: give it the tag `boost:%q`", t, c.Name, c.Name)
		}
		if !holdsCell(field.Type) {
			return nil, fmt.Errorf("%s: field %s has type %s; use a number, string, bool, or a pointer to one", t, field.Name, field.Type)
		}
		p.fields[f] = field.Index
	}
	return p, nil
}

// holdsCell reports whether values of a type can be cells.
func holdsCell(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

// Predict returns the predictions for one row, one per output. They and the errors are those of
// Model.PredictRow.
func (p *RowPredictor[T]) Predict(row *T) ([]float64, error) {
	if row == nil {
		return nil, fmt.Errorf("the row is nil, a %v was expected", reflect.TypeFor[T]())
	}
	v := reflect.ValueOf(row).Elem()
	return p.reader.predict(func(cells []dataset.Cell) error {
		for f, index := range p.fields {
			if index == nil { // of a crossed feature
				continue
			}
			field, err := v.FieldByIndexErr(index)
			if err != nil { // a nil pointer to an embedded struct
				cells[f] = missingCell
				continue
			}
			if cells[f], err = p.reader.reflected(f, field); err != nil {
				return err
			}
		}
		return nil
	})
}
