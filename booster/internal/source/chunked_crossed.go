package source

import (
	"context"
	"slices"

	"boost/dataset"
)

// Features goes through the files once.
func (s *Chunked) Features(ctx context.Context, rows []int32) (t *dataset.Table, in []int32, err error) {
	some := &Chunked{of: s.of, sample: rows}
	if s.rows != nil {
		some.sample = make([]int32, len(rows))
		for i, row := range rows {
			some.sample[i] = s.rows[row]
		}
	}
	if err := s.of.gather(ctx, some, nil); err != nil {
		return nil, nil, err
	}
	t, err = some.joined(ctx)
	return t, nil, err
}

// Cross goes through the files once. All parts of the table have the columns.
func (s *Chunked) Cross(ctx context.Context, columns []dataset.CrossedColumn) (Source, error) {
	made, counts, err := s.of.table.CrossedColumns(ctx, columns, func(first int, chunk *dataset.Table) (int, *dataset.Table) {
		part := s.within(first, chunk)
		return part.first, part.table
	})
	if err != nil {
		return nil, err
	}
	wide := s.of.table.Schema()
	wide.Columns = append(slices.Clone(wide.Columns), made...)
	s.of.crossAs(wide)
	if whole := s.of.whole; s == whole {
		whole.counted = true
		copy(whole.pop.Missing, s.of.table.Missing()) // the others have none
		whole.pop.Counts = append(s.of.table.Counts(), counts...)
	}
	return s, nil
}

// features lists the features of a schema that are not crossed.
func features(schema dataset.Schema) (own []dataset.ColumnSchema) {
	for _, c := range schema.Columns {
		if c.Role == dataset.Feature && c.Crossed == nil {
			own = append(own, c)
		}
	}
	return own
}

func (s *chunkedFiles) schema() dataset.Schema {
	if s.wide != nil {
		return *s.wide
	}
	return s.table.Schema()
}

// crossed adds the crossed columns to some rows.
func (s *chunkedFiles) crossed(rows *dataset.Table) *dataset.Table {
	if s.wide == nil {
		return rows
	}
	return s.crosser.Cross(rows)
}

// crossAs lets the files have these columns. Cells are counted anew.
func (s *chunkedFiles) crossAs(wide dataset.Schema) {
	s.wide, s.crosser = &wide, dataset.NewCrosser(wide)
	pop := &s.whole.pop
	pop.Missing, pop.Counts = nil, nil
	for _, c := range wide.Columns {
		if c.Role != dataset.Feature {
			continue
		}
		pop.Missing, pop.Counts = append(pop.Missing, 0), append(pop.Counts, nil)
		if c.Kind == dataset.Category {
			pop.Counts[len(pop.Counts)-1] = make([]int, len(c.Levels))
		}
	}
	for _, part := range append([]*Chunked{s.whole}, s.parts...) {
		part.counted, part.pop.Stored = false, s.stored(part.pop.Rows)
	}
}

// stored returns for each feature how many cells some of the rows store, by their share of all, and -1 where it is dense; nil where none is sparse.
func (s *chunkedFiles) stored(rows int) (stored []int) {
	own, _ := s.table.Stored()
	if own == nil {
		return nil
	}
	schema := s.schema()
	for _, of := range schema.CrossedFeatures() {
		cells := -1
		if of == 0 {
			cells, own = own[0], own[1:]
		}
		if cells >= 0 {
			cells = int(float64(cells) * float64(rows) / float64(s.table.NumRows()))
		}
		stored = append(stored, cells)
	}
	return stored
}

// widened returns the schema of files with the crossed columns of that of a model, in whose order their other columns are.
func widened(files, model dataset.Schema) dataset.Schema {
	wide, rest := files, files.Columns
	wide.Columns = nil
	for _, c := range model.Columns {
		if c.Crossed != nil {
			wide.Columns = append(wide.Columns, c)
			continue
		}
		n := 1 + slices.IndexFunc(rest, func(of dataset.ColumnSchema) bool { return of.Name == c.Name && of.Role == c.Role })
		wide.Columns, rest = append(wide.Columns, rest[:n]...), rest[n:]
	}
	wide.Columns = append(wide.Columns, rest...)
	return wide
}
