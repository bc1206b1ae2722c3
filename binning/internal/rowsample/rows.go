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

// smallest returns the n draws with the smallest hash, lower rows first among equals.
func smallest(draws []draw, n int) []draw {
	slices.SortFunc(draws, compareDraws)
	return draws[:n]
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
