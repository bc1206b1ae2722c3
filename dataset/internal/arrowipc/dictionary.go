package arrowipc

import (
	"context"
	"slices"
	"sync"

	"boost/dataset/internal/columnar"
)

// arrowDictionary is the values of a dictionary as a batch sees them: its own message's
// behind those of the one before it, if it adds to them.
type arrowDictionary struct {
	before *arrowDictionary
	batch  *arrowBatch
	column *arrowColumn
	once   sync.Once
	values arrowLevels
	err    error
}

// arrowLevels are a dictionary's values: numbers, or the raw form of what is no number.
type arrowLevels struct {
	numbers []float64
	raws    [][]byte
	missing []bool // nil if no value is
}

// load reads a dictionary's values, once.
func (d *arrowDictionary) load(ctx context.Context, f *Layout) (arrowLevels, error) {
	d.once.Do(func() {
		d.err = columnar.Decoding(func() (err error) {
			d.values, err = d.read(ctx, f)
			return err
		})
	})
	return d.values, d.err
}

func (d *arrowDictionary) read(ctx context.Context, f *Layout) (arrowLevels, error) {
	var levels arrowLevels
	if d.before != nil {
		var err error
		if levels, err = d.before.load(ctx, f); err != nil {
			return levels, err
		}
	}
	if d.batch == nil {
		return levels, nil
	}
	values, err := f.load(ctx, d.batch, d.column, 0, 0)
	if err != nil {
		return levels, err
	}
	// Whoever adds to a dictionary appends behind what the earlier ones see.
	for i := range d.batch.rows {
		if !values.present(i) && levels.missing == nil {
			levels.missing = make([]bool, len(levels.raws))
		}
		raw := values.raw(i)
		if levels.raws = append(levels.raws, slices.Clone(raw)); levels.missing != nil {
			levels.missing = append(levels.missing, !values.present(i))
		}
		if !d.column.IsText() {
			levels.numbers = append(levels.numbers, d.column.Number(raw))
		}
	}
	return levels, nil
}
