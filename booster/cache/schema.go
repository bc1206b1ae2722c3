package cache

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"boost/binning"
	"boost/dataset"
)

// column is an entry of the section schema: a column and, if it is a feature, what its codes are.
// Names and levels may have any bytes.
type column struct {
	Name          []byte       `json:"name"`
	Role          dataset.Role `json:"role"`
	Kind          dataset.Kind `json:"kind"`
	NumericLevels bool         `json:"numeric_levels,omitempty"`
	Written       string       `json:"written,omitempty"`
	Levels        levels       `json:"levels,omitempty"`
	Dates         bool         `json:"dates,omitempty"`
	Crossed       [][]byte     `json:"crossed,omitempty"` // names of the columns that it is made of

	Missing    bool    `json:"missing,omitempty"` // the feature had missing values
	Regular    uint32  `json:"regular,omitempty"` // codes of values; cuts + 1 of a numeric feature
	Codes      numbers `json:"codes,omitempty"`   // by level
	Unnamed    bool    `json:"unnamed,omitempty"`
	Ordered    bool    `json:"ordered,omitempty"`
	NameHashes numbers `json:"name_hashes,omitempty"`
}

// encodeSchema returns the section schema, and the section cuts: the cuts of all numeric features
// one after another, little-endian float32 or float64 by the kind of the column.
func encodeSchema(s dataset.Schema, c *binning.Cuts) (schema, cuts []byte, err error) {
	columns := make([]column, len(s.Columns))
	f := 0
	for i := range s.Columns {
		from, to := &s.Columns[i], &columns[i]
		*to = column{Name: []byte(from.Name), Role: from.Role, Kind: from.Kind, NumericLevels: from.NumericLevels, Written: from.Written, Dates: from.Dates}
		to.Levels = from.Levels
		for _, name := range from.Crossed {
			to.Crossed = append(to.Crossed, []byte(name))
		}
		if from.Role != dataset.Feature {
			continue
		}
		feature := &c.Features[f]
		to.Missing, to.Regular, to.Codes, to.Unnamed, to.Ordered, to.NameHashes = feature.HasMissing, feature.Regular, feature.Codes, feature.Unnamed, feature.Ordered, feature.NameHashes
		for _, cut := range c.Of32(f) {
			cuts = binary.LittleEndian.AppendUint32(cuts, math.Float32bits(cut))
		}
		for _, cut := range c.Of64(f) {
			cuts = binary.LittleEndian.AppendUint64(cuts, math.Float64bits(cut))
		}
		f++
	}
	schema, err = json.Marshal(columns)
	return schema, cuts, err
}

// leastColumn is how long the shortest column of a schema is.
const leastColumn = len(`{"name":"","role":0,"kind":0}`)

// decodeSchema reads what encodeSchema wrote, one column after another. It checks what could make a reader of codes go
// astray, and allocates no more than the number of bytes justifies. The codes have so many features.
func decodeSchema(open func() (io.Reader, error), cuts []byte, features int) (s dataset.Schema, c *binning.Cuts, err error) {
	schema, err := open()
	if err != nil {
		return s, nil, err
	}
	columns, own := 0, 0
	err = elements(schema, leastColumn, func(element []byte) error {
		columns++
		if bytes.Contains(element, []byte(`"regular"`)) {
			own++
		}
		return nil
	})
	if err == nil && own != features {
		err = fmt.Errorf("codes of %d features where there are %d", features, own)
	}
	if err != nil {
		return s, nil, damaged("%v", err)
	}
	if schema, err = open(); err != nil {
		return s, nil, err
	}
	s.Columns = make([]dataset.ColumnSchema, 0, columns)
	c = &binning.Cuts{Features: make([]binning.Feature, 0, features), Ptrs: make([]uint32, 1, features+1), Ptrs64: make([]uint32, 1, features+1)}
	err = elements(schema, leastColumn, func(element []byte) error {
		var from column
		if err := json.Unmarshal(element, &from); err != nil {
			return err
		}
		to := dataset.ColumnSchema{Name: string(from.Name), Role: from.Role, Kind: from.Kind, NumericLevels: from.NumericLevels, Written: from.Written, Dates: from.Dates, Levels: from.Levels}
		for _, name := range from.Crossed {
			to.Crossed = append(to.Crossed, string(name))
			own := slices.IndexFunc(s.Columns, func(c dataset.ColumnSchema) bool {
				return c.Name == string(name) && c.Role == dataset.Feature && c.Crossed == nil
			})
			if own < 0 || len(to.Crossed) > 2 || to.Role != dataset.Feature || to.Kind != dataset.Category {
				return fmt.Errorf("column %q cannot be made of %q", from.Name, from.Crossed)
			}
		}
		s.Columns = append(s.Columns, to)
		if from.Role != dataset.Feature {
			return nil
		}
		if cuts, err = from.feature(c, cuts); err != nil {
			return fmt.Errorf("feature %q: %w", from.Name, err)
		}
		return nil
	})
	if err != nil {
		return s, nil, damaged("%v", err)
	}
	if len(cuts) > 0 {
		return s, nil, damaged("%d bytes behind the cuts", len(cuts))
	}
	return s, c, nil
}

// feature adds the column to the cuts, which take the first of the bytes, and returns the others.
func (col *column) feature(c *binning.Cuts, cuts []byte) ([]byte, error) {
	kind, ok := binning.KindOfColumn[col.Kind]
	if !ok || col.Regular == 0 {
		return nil, fmt.Errorf("kind %s with %d codes", col.Kind, col.Regular)
	}
	n := uint64(col.Regular) - 1
	switch {
	case kind == binning.Categorical:
		if err := col.checkCodes(); err != nil {
			return nil, err
		}
	case len(col.Codes) > 0 || len(col.NameHashes) > 0 || col.Unnamed || col.Ordered:
		return nil, fmt.Errorf("codes of levels, and kind %s", col.Kind)
	case kind == binning.Numeric32 && 4*n <= uint64(len(cuts)):
		for ; n > 0; n-- {
			c.Values = append(c.Values, math.Float32frombits(binary.LittleEndian.Uint32(cuts)))
			cuts = cuts[4:]
		}
	case kind == binning.Numeric64 && 8*n <= uint64(len(cuts)):
		for ; n > 0; n-- {
			c.Values64 = append(c.Values64, math.Float64frombits(binary.LittleEndian.Uint64(cuts)))
			cuts = cuts[8:]
		}
	default:
		return nil, fmt.Errorf("%d bytes for %d cuts", len(cuts), n)
	}
	c.Ptrs, c.Ptrs64 = append(c.Ptrs, uint32(len(c.Values))), append(c.Ptrs64, uint32(len(c.Values64)))
	c.Features = append(c.Features, binning.Feature{Name: string(col.Name), Kind: kind, HasMissing: col.Missing,
		Codes: col.Codes, Regular: col.Regular, Unnamed: col.Unnamed, Ordered: col.Ordered, NameHashes: col.NameHashes})
	return cuts, nil
}

// checkCodes bounds the codes of a categorical feature by its levels.
func (col *column) checkCodes() error {
	most := max(len(col.Levels), 1)
	if len(col.NameHashes) > 0 {
		most = len(col.Levels) + 1
	}
	if len(col.Codes) != len(col.Levels) || uint64(col.Regular) > uint64(most) {
		return fmt.Errorf("%d codes, of %d levels for %d", col.Regular, len(col.Codes), len(col.Levels))
	}
	for _, code := range col.Codes {
		if code >= col.Regular && code != binning.NoCode {
			return fmt.Errorf("code %d of %d", code, col.Regular)
		}
	}
	return binning.CheckNameHashes(col.NameHashes)
}
