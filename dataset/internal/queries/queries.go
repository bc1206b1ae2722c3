// Package queries finds which rows of a table belong to one query.
//
// In: the query of each row, as a number that is the same for rows of one query. Out: where queries begin, and the order of rows
// in which those of a query stand together. It must not know columns or tables.
package queries

// Of returns the query of a row, and false for a row without one.
type Of func(row int) (query uint64, ok bool)

// Problem is a row that Starts cannot place.
type Problem struct {
	Row   int
	First int // the row with which its query begins, from which others divide it; -1 for a row without a query
}

// Starts returns the rows at which queries begin, and rows behind them; or the first row whose query is none, or began before
// the rows of another.
func Starts(rows int, of Of) (starts []int, bad *Problem) {
	first := make(map[uint64]int)
	var last uint64
	for row := range rows {
		query, ok := of(row)
		if !ok {
			return nil, &Problem{row, -1}
		}
		if row > 0 && query == last {
			continue
		}
		if begin, seen := first[query]; seen {
			return nil, &Problem{row, begin}
		}
		first[query], last = row, query
		starts = append(starts, row)
	}
	return append(starts, rows), nil
}

// Gather returns the rows with those of each query together, queries and their rows in the order in which they first appear; nil
// where they stand so, and where a row has no query.
func Gather(rows int, of Of) []int32 {
	number := make(map[uint64]int32)
	numbers := make([]int32, rows)
	apart := false
	for row := range numbers {
		query, ok := of(row)
		if !ok {
			return nil
		}
		q, seen := number[query]
		if !seen {
			q = int32(len(number))
			number[query] = q
		}
		numbers[row] = q
		apart = apart || row > 0 && q < numbers[row-1]
	}
	if !apart {
		return nil
	}
	next := make([]int32, len(number)+1) // row with which each query begins
	for _, q := range numbers {
		next[q+1]++
	}
	for q := 1; q < len(next); q++ {
		next[q] += next[q-1]
	}
	gathered := make([]int32, rows)
	for row, q := range numbers {
		gathered[next[q]] = int32(row)
		next[q]++
	}
	return gathered
}
