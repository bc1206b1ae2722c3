package rowsample

import (
	"context"
	"slices"

	"boost/internal/rng"
	"boost/parallel"
)

const (
	sampleBlock = 1 << 16 // rows of one task
	bucketBits  = 12      // leading bits of a hash that the first pass counts by
)

// Rows returns, in ascending order, the size rows with the smallest
// hash(seed, row), among equal hashes the lower rows. It returns nil where that is
// every row.
//
// The first pass counts hashes by their leading bits, which gives the bucket that the
// greatest chosen hash lies in; the second takes the rows of lower buckets and sorts
// the few of that one.
func Rows(ctx context.Context, rows, size int, seed uint64, pool *parallel.Pool) ([]uint32, error) {
	if size == 0 || rows <= size {
		return nil, ctx.Err()
	}
	key := rng.Key(seed, rng.CutSample, 0, 0)
	blocks := parallel.Blocks(rows, sampleBlock)

	counts := make([][1 << bucketBits]uint32, pool.Threads())
	err := pool.DoContext(ctx, blocks, parallel.Func(func(worker, block int) {
		count := &counts[worker]
		lo, hi := parallel.Block(block, rows, sampleBlock)
		for row := lo; row < hi; row++ {
			count[rng.Draw(key, uint64(row))>>(64-bucketBits)]++
		}
	}))
	if err != nil {
		return nil, err
	}
	last, below := bucketOf(counts, size)

	taken := make([][]uint32, blocks)
	border := make([][]draw, blocks)
	err = pool.DoContext(ctx, blocks, parallel.Func(func(_, block int) {
		lo, hi := parallel.Block(block, rows, sampleBlock)
		for row := lo; row < hi; row++ {
			hash := rng.Draw(key, uint64(row))
			switch bucket := hash >> (64 - bucketBits); {
			case bucket < last:
				taken[block] = append(taken[block], uint32(row))
			case bucket == last:
				border[block] = append(border[block], draw{hash, uint32(row)})
			}
		}
	}))
	if err != nil {
		return nil, err
	}
	sample := slices.Concat(taken...)
	for _, d := range smallest(slices.Concat(border...), size-below) {
		sample = append(sample, d.row)
	}
	slices.Sort(sample)
	return sample, nil
}

type draw struct {
	hash uint64
	row  uint32
}

// smallest moves the n smallest draws, n > 0, to the front, the largest of them last, and returns them.
func smallest(draws []draw, n int) []draw {
	const few = 32
	lo, hi := 0, len(draws) // the n-th is among draws[lo:hi]
	for hi-lo > few {
		three := []draw{draws[lo], draws[(lo+hi)/2], draws[hi-1]}
		slices.SortFunc(three, compareDraws)
		pivot, i, j := three[1], lo, hi-1
		for i <= j {
			for draws[i].before(pivot) {
				i++
			}
			for pivot.before(draws[j]) {
				j--
			}
			if i <= j {
				draws[i], draws[j] = draws[j], draws[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n-1 <= j:
			hi = j + 1
		case n-1 >= i:
			lo = i
		default:
			return draws[:n]
		}
	}
	slices.SortFunc(draws[lo:hi], compareDraws)
	return draws[:n]
}

// before reports whether a draw is smaller than another.
func (d draw) before(other draw) bool {
	return d.hash < other.hash || d.hash == other.hash && d.row < other.row
}

// bucketOf returns the bucket that the size-th smallest hash lies in and how many
// hashes lie in lower buckets.
func bucketOf(counts [][1 << bucketBits]uint32, size int) (bucket uint64, below int) {
	for {
		var inBucket int
		for worker := range counts {
			inBucket += int(counts[worker][bucket])
		}
		if below+inBucket >= size {
			return bucket, below
		}
		below += inBucket
		bucket++
	}
}
