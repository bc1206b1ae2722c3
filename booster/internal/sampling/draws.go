package sampling

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"boost/dataset"
	"boost/gradients"
)

// Rows are the training rows, as far as sampling goes by them.
type Rows struct {
	N         int
	Labels    []float64 // indices of classes where there are some
	Classes   int       // 0 for labels that are numbers
	Objective string    // for messages
	Table     *dataset.Table
	Schema    dataset.Schema // of all columns, also those that Table does not keep
}

// Draws are ways to draw rows beside a Bag's own. At most one is set.
type Draws struct {
	bootstrap   *gradients.Bootstrap
	strata      *gradients.Strata
	temperature float64 // 0: no Bayesian bootstrap
}

// NewDraws checks what of the sampling depends on the rows, and prepares it. Errors of the table wrap dataset.ErrTable, all others
// are of the parameters.
func NewDraws(p *Params, rows Rows) (*Draws, error) {
	if p.byClass() && rows.Classes != 2 {
		return nil, errors.New("sampling.positive_fraction and sampling.negative_fraction are for two classes: use sampling.row_fraction")
	}
	if p.Stratified && rows.Classes == 0 {
		return nil, fmt.Errorf("sampling.stratified draws from each class, and objective %s has none: leave it out", rows.Objective)
	}
	d := &Draws{temperature: p.BaggingTemperature}
	switch {
	case p.Stratified:
		d.strata = gradients.NewStrata(rows.Labels, rows.Classes, p.RowFraction)
	case p.bootstraps():
		set := gradients.BootstrapSettings{Shares: []float64{p.RowFraction}, Replace: p.Replace}
		if p.byClass() {
			set.Class = rows.Labels
			set.Shares = []float64{cmp.Or(p.NegativeFraction, 1), cmp.Or(p.PositiveFraction, 1)}
		}
		var err error
		if set.Groups, err = rows.groups(p.RowBy); err != nil {
			return nil, err
		}
		d.bootstrap = gradients.NewBootstrap(rows.N, set)
	}
	return d, nil
}

// Keep keeps what is known of the rows lo … hi-1 only.
func (d *Draws) Keep(lo, hi int) {
	if d.bootstrap != nil {
		d.bootstrap.Keep(lo, hi)
	}
	if d.strata != nil {
		d.strata.Keep(lo, hi)
	}
}

// groups numbers the rows that are drawn together alike; nil for each by itself.
func (r *Rows) groups(by string) ([]uint32, error) {
	if by == "" {
		return nil, nil
	}
	t := r.Table
	numbers := make([]uint32, t.NumRows())
	if by == ByQuery {
		queries, err := t.Groups()
		if err != nil {
			return nil, err
		}
		if queries == nil {
			return nil, fmt.Errorf("%w: sampling.row_by = %q: the table has no queries: name their column (data.group)", dataset.ErrTable, by)
		}
		for q := range len(queries) - 1 {
			for row := queries[q]; row < queries[q+1]; row++ {
				numbers[row] = uint32(q)
			}
		}
		return numbers, nil
	}
	isID := func(c dataset.ColumnSchema) bool { return c.Name == by && c.Role == dataset.IDRole }
	c := t.Column(by)
	switch {
	case c == nil && slices.ContainsFunc(r.Schema.Columns, isID):
		return nil, fmt.Errorf("sampling.row_by = %q needs the table in memory: set data.out_of_core = \"false\" and leave data.cache out", by)
	case c == nil || c.Role() != dataset.IDRole:
		return nil, fmt.Errorf("%w: there is no id column %q, whose rows are drawn together (sampling.row_by)", dataset.ErrTable, by)
	}
	known := map[string]uint32{}
	for row := range numbers {
		text := c.Text(row)
		number, ok := known[text]
		if !ok {
			number = uint32(len(known))
			known[text] = number
		}
		numbers[row] = number
	}
	return numbers, nil
}
