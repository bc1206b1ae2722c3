package dataset

import (
	"context"
	"slices"
	"sync"

	"boost/dataset/internal/crossed"
	"boost/dataset/internal/parts"
)

// CrossedColumns describes the columns that Table.Cross would add to some of the rows, and counts these by level. It goes through the
// files once: of a chunk that begins with row first, pick returns these rows, and how many there are before them.
func (s *ChunkedTable) CrossedColumns(ctx context.Context, columns []CrossedColumn, pick func(first int, chunk *Table) (before int, picked *Table)) (made []ColumnSchema, counts [][]int, err error) {
	taken := func(name string) bool {
		return slices.ContainsFunc(s.schema.Columns, func(c ColumnSchema) bool { return c.Name == name })
	}
	if err := crossed.Check(columns, taken); err != nil {
		return nil, nil, err
	}
	needed := func(c *Column) bool {
		return slices.ContainsFunc(columns, func(made CrossedColumn) bool { return slices.Contains(made.Of, c.name) })
	}
	unions := make([]crossed.Union, len(columns))
	var mutex sync.Mutex
	err = s.Chunks(ctx, func(first int, chunk *Table) error {
		few := *chunk
		few.index, few.columns = new(nameIndex), slices.DeleteFunc(slices.Clone(chunk.columns), func(c *Column) bool { return !needed(c) })
		before, picked := pick(first, &few)
		if picked.rows == 0 {
			return nil
		}
		values, found := crossed.NewColumns(picked.crossedValues), make([][]crossed.Level, len(columns))
		for i, c := range columns {
			found[i] = crossed.LevelsOf(values.Of(c.Of), before)
		}
		mutex.Lock()
		defer mutex.Unlock()
		for i := range found {
			unions[i].Add(found[i])
		}
		return nil
	})
	if err := s.joinLevels(ctx, unions, err); err != nil {
		return nil, nil, err
	}
	for i, c := range columns {
		column := ColumnSchema{Name: c.Name, Role: Feature, Kind: Category, Crossed: c.Of}
		var rows []int
		for _, l := range unions[i].Levels() {
			column.Levels, rows = append(column.Levels, l.Name), append(rows, l.Rows)
		}
		made, counts = append(made, column), append(counts, rows)
	}
	return made, counts, nil
}

// joinLevels adds the levels that other ranks have found.
func (s *ChunkedTable) joinLevels(ctx context.Context, unions []crossed.Union, err error) error {
	if s.in.shared == nil {
		return err
	}
	own := make([][]crossed.Level, len(unions))
	for i := range unions {
		own[i] = unions[i].Levels()
	}
	all, err := parts.Tell(ctx, s.in.Ranks, own, err, s.in.Split)
	for rank, theirs := range all {
		for i := range min(len(theirs), len(unions)) {
			if rank != s.in.Ranks.Rank() {
				unions[i].Add(theirs[i])
			}
		}
	}
	return err
}
