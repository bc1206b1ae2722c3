package rng_test

import (
	"math"
	"math/bits"
	"testing"

	"boost/internal/rng"
)

const draws = 1_000_000

// All draws are fixed numbers, so these tests either always pass or never. The bound
// of 5 standard errors is what one honest draw in 1.7 million would miss.
const errors5 = 5

// Mean and variance of a uniform number are 1/2 and 1/12; the errors of their
// estimates are √(1/12n) and √(1/180n).
func TestUnitMoments(t *testing.T) {
	key := rng.Key(1, rng.RowSample, 3, 0)
	sum, squares := 0.0, 0.0
	for row := range uint64(draws) {
		u := rng.Unit(rng.Draw(key, row))
		if !(u >= 0 && u < 1) {
			t.Fatalf("row %d: %v is not in [0, 1)", row, u)
		}
		sum += u
		squares += (u - 0.5) * (u - 0.5)
	}
	if z := (sum/draws - 0.5) / math.Sqrt(1.0/12/draws); math.Abs(z) > errors5 {
		t.Errorf("mean %v is %.1f standard errors off", sum/draws, z)
	}
	if z := (squares/draws - 1.0/12) / math.Sqrt(1.0/180/draws); math.Abs(z) > errors5 {
		t.Errorf("variance %v is %.1f standard errors off", squares/draws, z)
	}
}

// Chi-square over 256 cells of each byte of the draw: mean 255, standard deviation √510.
func TestDrawBytes(t *testing.T) {
	key := rng.Key(42, rng.Rounding, 0, 0)
	var cells [8][256]int
	for row := range uint64(draws) {
		d := rng.Draw(key, row)
		for b := range cells {
			cells[b][d>>(8*b)&255]++
		}
	}
	for b := range cells {
		chi := 0.0
		for _, n := range cells[b] {
			d := float64(n) - draws/256.0
			chi += d * d / (draws / 256.0)
		}
		if z := (chi - 255) / math.Sqrt(510); math.Abs(z) > errors5 {
			t.Errorf("byte %d: chi-square %v is %.1f standard deviations off", b, chi, z)
		}
	}
}

// Streams that differ in one argument share no bits beyond chance: each of the
// 64·n pairs of bits agrees with probability 1/2.
func TestStreamsAreApart(t *testing.T) {
	const n = 20_000
	base := rng.Key(1, rng.RowSample, 0, 0)
	for name, key := range map[string]uint64{
		"seed":      rng.Key(2, rng.RowSample, 0, 0),
		"purpose":   rng.Key(1, rng.Holdout, 0, 0),
		"iteration": rng.Key(1, rng.RowSample, 1, 0),
		"output":    rng.Key(1, rng.RowSample, 0, 1),
	} {
		differ := 0
		for row := range uint64(n) {
			differ += bits.OnesCount64(rng.Draw(base, row) ^ rng.Draw(key, row))
		}
		if z := (float64(differ) - 32*n) / math.Sqrt(16*n); math.Abs(z) > errors5 {
			t.Errorf("another %s: %d of %d bits differ, %.1f standard errors from half", name, differ, 64*n, z)
		}
	}
	differ := 0
	for row := range uint64(n) {
		differ += bits.OnesCount64(rng.Draw(base, row) ^ rng.Draw(base, row+1))
	}
	if z := (float64(differ) - 32*n) / math.Sqrt(16*n); math.Abs(z) > errors5 {
		t.Errorf("neighbouring rows: %d of %d bits differ, %.1f standard errors from half", differ, 64*n, z)
	}
}

// Every input bit of Mix turns over each output bit in half of the cases.
func TestMixAvalanche(t *testing.T) {
	const n = 4000
	for in := range 64 {
		var flips [64]int
		for i := range uint64(n) {
			x := rng.Mix(i + 1<<40)
			for d := rng.Mix(x) ^ rng.Mix(x^1<<in); d != 0; d &= d - 1 {
				flips[bits.TrailingZeros64(d)]++
			}
		}
		for out, f := range flips {
			if z := (float64(f) - n/2) / math.Sqrt(n/4); math.Abs(z) > 6 { // of 4,096 pairs
				t.Errorf("input bit %d turns over output bit %d in %d of %d cases", in, out, f, n)
			}
		}
	}
}

// Mix is Steele, Lea and Flood's SplitMix64 finalizer: the first numbers of the
// generator seeded with 1234567, as published with the Java and C versions.
func TestSplitMix(t *testing.T) {
	state := uint64(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		state += 0x9E3779B97F4A7C15
		if got := rng.Mix(state); got != want {
			t.Errorf("number %d = %d, want %d", i, got, want)
		}
	}
}
