package dataset

import "boost/parallel"

// Floats returns the values of each feature rounded to float32, NaN where missing, nil of a category. Those of a dense Float32 column are its own memory and
// must not be changed. copied is the number of bytes of the others.
func (t *Table) Floats(pool *parallel.Pool) (columns [][]float32, copied int64) {
	features := t.Features()
	columns = make([][]float32, len(features))
	pool.Do(len(features), parallel.Func(func(_, f int) {
		if features[f].kind.Numeric() {
			columns[f] = features[f].floats()
		}
	}))
	for _, c := range features {
		if c.kind.Numeric() && (c.kind != Float32 || c.sparse != nil) {
			copied += 4 * int64(t.rows)
		}
	}
	return columns, copied
}

func (c *Column) floats() []float32 {
	if c.kind == Float32 {
		return c.Float32s()
	}
	values := c.Float64s()
	rounded := make([]float32, len(values))
	for i, v := range values {
		rounded[i] = float32(v)
	}
	return rounded
}
