package dataset

// Table is a set of equally long columns; see Open, FromColumns, FromArrow and FromMatrix.
// It is immutable and safe for concurrent use.
type Table struct {
	rows    int
	columns []*Column
}

// NumRows returns the number of rows.
func (t *Table) NumRows() int { return t.rows }

// Columns returns all columns in file order, ignored ones left out.
func (t *Table) Columns() []*Column { return t.columns }

// Column returns the named column, or nil.
func (t *Table) Column(name string) *Column {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// Features returns the columns with role Feature, in table order.
func (t *Table) Features() []*Column {
	var features []*Column
	for _, c := range t.columns {
		if c.role == Feature {
			features = append(features, c)
		}
	}
	return features
}
