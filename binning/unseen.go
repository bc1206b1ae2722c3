package binning

import "boost/dataset"

// Unseen says what of one categorical column training has not seen: levels that are
// not in the dictionary, and levels of the dictionary that no training row had. Such
// rows take the missing code.
type Unseen struct {
	Column  string
	Rows    int    // rows with such a level
	Levels  int    // how many such levels there are
	Row     int    // the first of the rows
	Example string // its level
}

// Unseen returns, in the features' order, the categorical columns of t that have rows
// with a level that training has not seen. The features are matched by position, as
// by NewEncoder, and the table's dictionaries must begin with those of the cuts, as in
// a table read with the model's schema. The table is only read. Errors are those of
// NewEncoder.
func (c *Cuts) Unseen(t *dataset.Table) ([]Unseen, error) {
	e, err := NewEncoder(c, t)
	if err != nil {
		return nil, err
	}
	var all []Unseen
	for f, column := range t.Features() {
		if c.Features[f].Kind != Categorical || !e.features[f].hasUnseen(column) {
			continue
		}
		if u := e.features[f].unseen(column); u.Rows > 0 {
			all = append(all, u)
		}
	}
	return all, nil
}

// hasUnseen says whether the column's dictionary holds a level without a code.
func (e *encoding) hasUnseen(column *dataset.Column) bool {
	if len(column.Levels()) > len(e.codes) {
		return true
	}
	for level := range column.Levels() {
		if e.codes[level] == NoCode {
			return true
		}
	}
	return false
}

func (e *encoding) unseen(column *dataset.Column) Unseen {
	u := Unseen{Column: column.Name()}
	counted := make([]bool, len(column.Levels()))
	for row, level := range e.levels {
		if level < 0 || int(level) < len(e.codes) && e.codes[level] != NoCode {
			continue
		}
		if u.Rows == 0 {
			u.Row, u.Example = row, column.Levels()[level]
		}
		u.Rows++
		if !counted[level] {
			counted[level] = true
			u.Levels++
		}
	}
	return u
}
