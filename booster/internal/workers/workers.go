// Package workers decides how many workers share what.
//
// In: the shape of a table, outputs, threads. Out: numbers of threads and of trees, none of which changes a model.
// It must not know what the workers do.
package workers

const (
	// cellsEach is the number of cells (rows × columns) below which another thread costs more
	// in waking and waiting than it saves.
	cellsEach = 12_500
	// From fewThreads threads on a tree takes moreCellsEach for each: it has not enough leaves for many workers to split one each,
	// and the more of them share a leaf, the longer they take to meet.
	fewThreads    = 4
	moreCellsEach = 500_000
)

// Sharing returns how many threads are worth it where each does a part of the cells, at least 1.
func Sharing(cells int) int { return max(1, cells/cellsEach) }

// Useful returns the number of threads that train fastest on a table, at least 1: as many as are of use to a single tree, or one
// for each tree of a round.
func Useful(cells, outputs int) int {
	alone := min(cells/cellsEach, fewThreads+cells/moreCellsEach)
	beside := min(outputs, outputs*cells/cellsEach)
	return max(1, alone, beside)
}

// Beside returns how many trees of a round grow side by side, one to a worker. The others follow, each on all
// workers: where so few are left over that this is faster.
func Beside(outputs, threads, cells int) int {
	left := outputs % threads
	switch {
	case threads == 1 || outputs == 1:
		return 0
	case left < wholeGain(cells):
		return outputs - left
	}
	return outputs
}

// wholeGain returns by how much all workers together grow a tree faster than one of them where there are many: passes
// over few rows gain little from more workers.
func wholeGain(cells int) int { return 2 + cells/4_000_000 }
