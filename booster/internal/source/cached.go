package source

import (
	"context"
	"fmt"
	"slices"

	"boost/binning"
	"boost/booster/cache"
	"boost/dataset"
	"boost/parallel"
)

// FromCache returns the training table and the validation tables of a cache.
func FromCache(c *cache.Contents) (train Source, valid []Source) {
	whole := &Cached{of: c, table: c.Others, print: c.Fingerprint}
	for i := range c.Sets {
		switch set := &c.Sets[i]; {
		case set.Rows != nil: // found by Take
		case i == 0:
			whole.set = set
		default:
			valid = append(valid, &Cached{of: c, set: set, table: set.Others, print: set.Fingerprint})
		}
	}
	return whole, valid
}

// Cached is a table, or some rows of it, whose codes are in a cache.
type Cached struct {
	of    *cache.Contents
	set   *cache.Set     // nil where there are no codes of these rows
	table *dataset.Table // the columns that are no features
	print string
}

func (s *Cached) MetaColumns() *dataset.Table { return s.table }

func (s *Cached) Files() *dataset.ChunkedTable { return nil }

func (s *Cached) Schema() dataset.Schema { return s.of.Schema }

func (s *Cached) Fingerprint(*parallel.Pool) string { return s.print }

// As returns the set as it is: it was written with the schema of its training table.
func (s *Cached) As(dataset.Schema) (Source, error) { return s, nil }

func (s *Cached) Part() []int32 {
	if s.set == nil {
		return nil
	}
	return s.set.Rows
}

func (s *Cached) Take(rows []int32) Source {
	part := &Cached{of: s.of, table: s.table.Take(rows)}
	if i := slices.IndexFunc(s.of.Sets, func(set cache.Set) bool { return set.Rows != nil && slices.Equal(set.Rows, rows) }); i >= 0 {
		part.set = &s.of.Sets[i]
	}
	return part
}

func (s *Cached) Fit(context.Context, []float64, binning.Params, uint64, *parallel.Pool) (*binning.Cuts, []string, error) {
	return s.of.Cuts, s.of.Notes, s.check()
}

func (s *Cached) Extend(context.Context, *binning.Cuts, binning.Params) (*binning.Cuts, []string, error) {
	return s.of.Cuts, s.of.Notes, s.check()
}

func (s *Cached) Code(context.Context, *binning.Cuts, binning.Params, *parallel.Pool) (*binning.Codes, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	codes := s.set.Codes
	s.set.Codes = nil // a matrix may take over their memory
	return codes, nil
}

// CheckCrossed makes sure that its crossed columns follow from what those of the run follow from.
func (s *Cached) CheckCrossed(how string) error {
	if s.of.Crossed != how {
		return fmt.Errorf("%w: other columns were made of others in it (categorical.combinations, categorical.counts)", cache.ErrUnusable)
	}
	return nil
}

func (s *Cached) check() error {
	if s.set == nil || s.set.Codes == nil {
		return fmt.Errorf("%w: it holds other rows than this run trains on", cache.ErrUnusable)
	}
	return nil
}
