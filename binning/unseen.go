package binning

import "boost/dataset"

// Unseen says what of one categorical column training has not seen: levels that are
// not in the dictionary, and levels of the dictionary that no training row had. Such
// rows take the missing code.
type Unseen struct {
	Column  string
	Rows    int      // rows with such a level
	Levels  int      // how many such levels there are
	Row     int      // the first of the rows
	Example string   // its level
	Names   []string // the levels, in order of first appearance
}

// Unseen returns, in the features' order, the categorical columns of t that have rows
// with a level that training has not seen. The features are matched by position, as
// by NewEncoder, and the table's dictionaries must begin with those of the cuts, as in
// a table read with the model's schema. Where the cuts do not list all levels that training had, a
// column is left out. The table is only read. Errors are those of
// NewEncoder.
func (c *Cuts) Unseen(t *dataset.Table) ([]Unseen, error) {
	columns, err := c.columns(t)
	if err != nil {
		return nil, err
	}
	var all []Unseen
	for f, column := range columns {
		feature := &c.Features[f]
		if err := feature.suits(column); err != nil {
			return nil, err
		}
		if feature.Kind != Categorical || t.Crossed(column) != nil || !feature.NamesAll() || !lacksLevel(feature.Codes, column) {
			continue
		}
		if u := feature.unseen(column); u.Rows > 0 {
			all = append(all, u)
		}
	}
	return all, nil
}

// lacksLevel reports whether the column's dictionary holds a level without a code.
func lacksLevel(codes []uint32, column *dataset.Column) bool {
	if len(column.Levels()) > len(codes) {
		return true
	}
	for level := range column.Levels() {
		if codes[level] == NoCode {
			return true
		}
	}
	return false
}

func (f *Feature) unseen(column *dataset.Column) Unseen {
	u := Unseen{Column: column.Name()}
	counted := make([]bool, len(column.Levels()))
	for row, level := range column.Codes() {
		if level < 0 || int(level) < len(f.Codes) && f.Codes[level] != NoCode {
			continue
		}
		if u.Rows == 0 {
			u.Row, u.Example = row, column.Levels()[level]
		}
		u.Rows++
		if !counted[level] {
			counted[level] = true
			u.Levels++
			u.Names = append(u.Names, column.Levels()[level])
		}
	}
	return u
}
