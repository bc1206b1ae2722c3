package profile

import (
	"context"

	"boost/dataset"
	"boost/internal/rng"
	"boost/parallel"
)

// same reports whether a column repeats an earlier one.
type same struct {
	column, first int
	renamed       bool // only after other names for the values
}

// minRenamedRows keeps small tables from looking full of columns that are equal up to names.
const minRenamedRows = 20

// sameColumns finds the columns that equal an earlier one in every row, by 64-bit hashes of
// their values, and those that do so after renaming their values one to one.
func (s *profiler) sameColumns(ctx context.Context, pool *parallel.Pool) ([]same, error) {
	var found []same
	first := map[uint64]int{}
	var candidates []int
	for i := range s.columns {
		c := s.columns[i]
		if c.classes < 2 || c.source.Kind() == dataset.Text {
			continue
		}
		if at, ok := first[c.valued]; ok {
			found = append(found, same{column: i, first: at})
			continue
		}
		first[c.valued] = i
		if present := s.table.NumRows() - c.out.Missing; present >= minRenamedRows && 2*c.out.Distinct <= present {
			candidates = append(candidates, i)
		}
	}
	candidates = s.withTwins(candidates)
	partitions := make([]uint64, len(candidates))
	err := pool.DoContext(ctx, len(candidates), parallel.Func(func(_, i int) {
		partitions[i] = partition(s.columns[candidates[i]].source, s.table.NumRows())
	}))
	if err != nil {
		return nil, err
	}
	clear(first)
	for i, hash := range partitions {
		if at, ok := first[hash]; ok {
			found = append(found, same{column: candidates[i], first: at, renamed: true})
			continue
		}
		first[hash] = candidates[i]
	}
	return found, nil
}

// withTwins keeps the columns whose values occur as often as those of another one.
func (s *profiler) withTwins(columns []int) []int {
	type shape struct {
		pattern uint64
		classes int
	}
	of := func(i int) shape { return shape{s.columns[i].pattern, s.columns[i].classes} }
	counts := map[shape]int{}
	for _, i := range columns {
		counts[of(i)]++
	}
	var twins []int
	for _, i := range columns {
		if counts[of(i)] > 1 {
			twins = append(twins, i)
		}
	}
	return twins
}

// partition hashes which rows have equal values, whatever these are; a missing value is a
// value like others. Values are numbered in order of first appearance, and rows of the most
// frequent one, of the earliest among equals, add nothing: so a sparse column costs no more
// than its stored cells.
func partition(c *dataset.Column, rows int) uint64 {
	if c.Kind() == dataset.Category {
		return codePartition(c)
	}
	walk, again := cellsOf(c), cellsOf(c)
	sparse := walk.sparse && 2*(rows-walk.stored()) > rows
	if walk.sparse && !sparse {
		walk, again = dense(c), dense(c)
	}
	numbers := map[uint64]int{}
	var cells []int
	var k chunk
	for walk.read(&k) {
		for _, v := range k.values[:k.n] {
			bits := bitsOf(v)
			at, known := numbers[bits]
			if !known {
				at = len(cells)
				numbers[bits] = at
				cells = append(cells, 0)
			}
			cells[at]++
		}
	}
	mode := len(cells)
	if !sparse {
		mode = largest(cells)
	}
	sum := uint64(0)
	for again.read(&k) {
		for i, v := range k.values[:k.n] {
			sum += partOf(k.rows[i], numbers[bitsOf(v)], mode)
		}
	}
	return sum
}

func codePartition(c *dataset.Column) uint64 {
	number := make([]int, len(c.Levels())+1) // the missing one is last; 0 = not met
	var cells []int
	of := func(code int32) int {
		if code < 0 {
			return len(number) - 1
		}
		return int(code)
	}
	for _, code := range c.Codes() {
		at := of(code)
		if number[at] == 0 {
			cells = append(cells, 0)
			number[at] = len(cells)
		}
		cells[number[at]-1]++
	}
	mode, sum := largest(cells), uint64(0)
	for row, code := range c.Codes() {
		sum += partOf(int32(row), number[of(code)]-1, mode)
	}
	return sum
}

// largest returns the index of the largest number, the first among equals.
func largest(numbers []int) int {
	best := 0
	for i, n := range numbers {
		if n > numbers[best] {
			best = i
		}
	}
	return best
}

// partOf is what a row of the class numbered so adds to a partition's hash.
func partOf(row int32, number, mode int) uint64 {
	switch {
	case number == mode:
		return 0
	case number > mode:
		number--
	}
	return rng.Mix(rng.Mix(uint64(number)+1) + uint64(row)*0x9E3779B97F4A7C15)
}
