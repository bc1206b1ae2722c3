package tensorq

import "math"

// quantizeTwoLevel fills a block of 3 bits with two scales (SEEDS S3.32): the first serves
// the values up to the (k+1)-th largest magnitude, the second all up to peak. Each value
// takes the scale that it is nearer to a multiple of, the first where both are as near.
func quantizeTwoLevel(values []float32, peak float32, fraction float64, block *QuantizedBlock) {
	k := min(int(math.Ceil(float64(float64(len(values))*fraction))), len(values)-1)
	qmax := largestCode(coldBits)
	block.TwoLevel = true
	block.Scale = scaleFor(magnitudeAt(values, k), qmax)
	block.SecondaryScale = scaleFor(peak, qmax)
	block.Flags = resized(block.Flags, flagBytes(len(values)))
	clear(block.Flags)
	first, second, limit := float64(block.Scale), float64(block.SecondaryScale), float64(qmax)
	for i, v := range values {
		x := float64(v)
		a, b := multiple(x, first, limit), multiple(x, second, limit)
		// Products of a float32 and a code are exact in float64.
		if math.Abs(x-float64(b*second)) < math.Abs(x-float64(a*first)) {
			a = b
			block.Flags[i>>3] |= 1 << (i & 7)
		}
		block.Codes[i] = int8(a)
	}
}

// multiple is the code of x by a scale: see codec.Multiples. A scale of 0 has no multiple
// but 0.
func multiple(x, scale, limit float64) float64 {
	if scale == 0 {
		return 0
	}
	return math.Round(max(-limit, min(limit, x/scale)))
}

// hasOutliers says whether peak, the largest magnitude of values, exceeds threshold times
// the median, the ⌊(n−1)/2⌋-th magnitude in ascending order (SEEDS S3.31). It counts
// instead of sorting: the median is exceeded exactly if more than ⌊(n−1)/2⌋ magnitudes are.
func hasOutliers(values []float32, peak float32, threshold float64) bool {
	exceeded := 0
	for _, v := range values {
		if float64(threshold*math.Abs(float64(v))) < float64(peak) {
			exceeded++
		}
	}
	return len(values) > 0 && exceeded > (len(values)-1)/2
}

// magnitudeAt returns the k-th largest magnitude of values, counted from 0. The bits of
// magnitudes order as the magnitudes do, so the answer is found bit by bit: the
// largest number that more than k of them reach.
func magnitudeAt(values []float32, k int) float32 {
	var found uint32
	for bit := uint32(1) << 30; bit != 0; bit >>= 1 {
		try := found | bit
		reached := 0
		for _, v := range values {
			// Both are below 2³¹, so the sign of the difference says which is larger.
			reached += int((try - 1 - math.Float32bits(v)&^(1<<31)) >> 31)
		}
		if reached > k {
			found = try
		}
	}
	return math.Float32frombits(found)
}

// flagBytes is how many bytes the flags of n values take.
func flagBytes(n int) int { return PackedSize(n, 1) }

// resized returns a slice of n elements, s itself where it is long enough.
func resized[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n)
}
