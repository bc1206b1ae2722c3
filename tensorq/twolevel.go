package tensorq

import (
	"math"
	"math/bits"

	"boost/internal/kernel/codec"
)

// quantizeTwoLevel fills a block of 3 bits with two scales (S3.32): the first serves
// the values up to the (k+1)-th largest magnitude, the second all up to peak. Each value
// takes the scale that it is nearer to a multiple of, the first where both are as near.
func quantizeTwoLevel(values []float32, peak float32, fraction float64, block *QuantizedBlock) {
	k := min(int(math.Ceil(float64(float64(len(values))*fraction))), len(values)-1)
	qmax := largestCode(coldBits)
	block.TwoLevel = true
	block.Scale = scaleFor(magnitudeAt(values, k), qmax)
	block.SecondaryScale = scaleFor(peak, qmax)
	block.Flags = resized(block.Flags, flagBytes(len(values)))
	codes, flags := block.Codes, block.Flags
	for len(values) > 0 {
		n := min(len(values), flagged)
		word := codesOfTwo(codes[:n], values[:n], block.Scale, block.SecondaryScale)
		for i := range flags[:flagBytes(n)] {
			flags[i] = byte(word >> (8 * i))
		}
		values, codes, flags = values[n:], codes[n:], flags[flagBytes(n):]
	}
}

// flagged is how many values are quantized at a time: their flags are one word.
const flagged = 64

// codesOfTwo writes the codes of up to 64 values by the nearer of two scales, and returns a
// bit for each that is by the second.
func codesOfTwo(codes []int8, values []float32, first, second float32) (flags uint64) {
	var near [flagged]float32
	// What is beyond 3.5 times the first scale has its largest code; codec.Multiples takes no
	// more than 6 times. 4 times a scale is exact, or infinite and then no bound at all.
	bound := math.Float32bits(4 * first)
	// What is nearer to 0 than to the second scale is no nearer to it than to a multiple of the first, 0
	// being one of them. Where half of a subnormal scale is rounded down, some more are looked at.
	half := math.Float32bits(second / 2)
	far := uint64(0)
	for i, v := range values {
		magnitude := math.Float32bits(v) &^ (1 << 31)
		sign := math.Float32bits(v) ^ magnitude
		near[i&(flagged-1)] = math.Float32frombits(min(magnitude, bound) | sign)
		far |= uint64((magnitude-half)>>31^1) << (i & (flagged - 1))
	}
	multiples(codes, near[:len(values)], first)
	if second == 0 {
		return 0 // it has no multiple but 0 either
	}
	// Products of a float32 and a code are exact in float64.
	one, two := float64(first), float64(second)
	for ; far != 0; far &= far - 1 {
		i := bits.TrailingZeros64(far)
		v, a := math.Float32bits(values[i]), int32(codes[i])
		sign := int32(v) >> 31
		x := float64(math.Float32frombits(v &^ (1 << 31)))
		b := min(int32(x/two+0.5), 3) // rounded as codec.Multiples does
		nearer := int32(0)
		if math.Abs(x-float64(float64(b)*two)) < math.Abs(x-float64(float64(a^sign-sign)*one)) {
			nearer = 1
		}
		b = b ^ sign - sign
		codes[i] = int8(a ^ (a^b)&-nearer)
		flags |= uint64(nearer) << i
	}
	return flags
}

// multiples is codec.Multiples for 3 bits, and a scale that may be 0: it has no multiple but
// 0.
func multiples(codes []int8, values []float32, scale float32) {
	if scale == 0 {
		clear(codes)
		return
	}
	codec.Multiples(codes, values, scale, largestCode(coldBits))
}

// hasOutliers reports whether peak, the largest magnitude of values, exceeds threshold times
// the median, the ⌊(n−1)/2⌋-th magnitude in ascending order (S3.31). It counts
// instead of sorting: the median is exceeded exactly if more than ⌊(n−1)/2⌋ magnitudes are.
func hasOutliers(values []float32, peak float32, threshold float64) bool {
	if peak == 0 || len(values) == 0 {
		return false
	}
	exceeded := func(bits uint32) bool {
		return float64(threshold*float64(math.Float32frombits(bits))) < float64(peak)
	}
	// The largest magnitude that is exceeded is within a few units of the quotient.
	most := math.Float32bits(float32(float64(peak) / threshold))
	for !exceeded(most) { // 0 is
		most--
	}
	for exceeded(most + 1) { // peak is not
		most++
	}
	count := 0
	for _, v := range values {
		// Both are below 2³¹, so the sign of the difference says which is larger.
		count += int((math.Float32bits(v)&^(1<<31) - most - 1) >> 31)
	}
	return count > (len(values)-1)/2
}

// selected is how many magnitudes are put in order on the stack.
const selected = 128

// magnitudeAt returns the k-th largest magnitude of values, counted from 0. The bits of
// magnitudes order as the magnitudes do.
func magnitudeAt(values []float32, k int) float32 {
	switch {
	case k < leading:
		return magnitudeOfFirst(values, k)
	case len(values) > selected:
		return magnitudeByDigits(values, k)
	}
	var magnitudes [selected]uint32
	for i, v := range values {
		magnitudes[i&(selected-1)] = math.Float32bits(v) &^ (1 << 31)
	}
	rest := magnitudes[:len(values)]
	for {
		// Each turn leaves out one at least, which is the pivot.
		a, b, c := rest[0], rest[len(rest)/2], rest[len(rest)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		above := partition(rest, pivot)
		if k < above {
			rest = rest[:above]
			continue
		}
		rest, k = rest[above:], k-above
		// Of 0 there is nothing below: all of the rest are equal to it.
		equal := len(rest)
		if pivot > 0 {
			equal = partition(rest, pivot-1)
		}
		if k < equal {
			return math.Float32frombits(pivot)
		}
		rest, k = rest[equal:], k-equal
	}
}

// leading is how many magnitudes are kept in order while values are looked through.
const leading = 8

// magnitudeOfFirst is magnitudeAt for k below leading.
func magnitudeOfFirst(values []float32, k int) float32 {
	var top [leading]uint32 // in descending order
	last := &top[k&(leading-1)]
	for _, v := range values {
		magnitude := math.Float32bits(v) &^ (1 << 31)
		if magnitude <= *last {
			continue
		}
		at := k
		for ; at > 0 && top[(at-1)&(leading-1)] < magnitude; at-- {
			top[at&(leading-1)] = top[(at-1)&(leading-1)]
		}
		top[at&(leading-1)] = magnitude
	}
	return math.Float32frombits(*last)
}

// partition puts the numbers above a pivot before the others and returns how many they are.
// All are below 2³¹.
func partition(numbers []uint32, pivot uint32) (above int) {
	for i, v := range numbers {
		numbers[i] = numbers[above]
		numbers[above] = v
		above += int((pivot - v) >> 31)
	}
	return above
}

// magnitudeByDigits is magnitudeAt for any number of values: it finds the answer's bits 8 at a
// time, from the highest, by counting the values that have those found so far.
func magnitudeByDigits(values []float32, k int) float32 {
	var found, mask uint32
	for shift := 24; shift >= 0; shift -= 8 {
		var counts [256]int
		for _, v := range values {
			if bits := math.Float32bits(v) &^ (1 << 31); bits&mask == found {
				counts[bits>>shift&255]++
			}
		}
		digit := 255
		for ; k >= counts[digit]; digit-- {
			k -= counts[digit]
		}
		found, mask = found|uint32(digit)<<shift, mask|255<<shift
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
