package pack_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"boost/internal/entropy"
	"boost/tree/pack"
)

// Check takes what Write makes, and of other bytes those that are read as trees and written the same.
func TestCheck(t *testing.T) {
	for _, s := range samples(12) {
		if len(s.trees) > 60 {
			s.trees = s.trees[:60]
		}
		t.Run("S3.57/"+s.name, func(t *testing.T) {
			b := pack.Write(s.trees, s.features, s.outputs)
			if err := pack.Check(b, len(s.trees), s.features, s.outputs, nil); err != nil {
				t.Fatalf("what Write made: %v", err)
			}
			r := rand.New(rand.NewPCG(3, 3))
			for range 40 {
				bad := slices.Clone(b)
				if len(bad) > 0 {
					bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
				}
				trees := tryRead(t, bad, len(s.trees), s.features, s.outputs)
				same := trees != nil && slices.Equal(pack.Write(trees, s.features, s.outputs), bad)
				if err := pack.Check(bad, len(s.trees), s.features, s.outputs, nil); (err == nil) != same || err != nil && !errors.Is(err, pack.ErrDamaged) {
					t.Fatalf("%v; written again it is the same: %v", err, same)
				}
			}
			if pack.Check(append(slices.Clone(b), 0), len(s.trees), s.features, s.outputs, nil) == nil {
				t.Error("a zero behind the end is taken")
			}
		})
	}
}

// Zeros behind a few bytes say of a million trees that each is a leaf alone. They are refused in the memory of
// one tree.
func TestCheckManyLeaves(t *testing.T) {
	c := newClaims(0, nil)
	var alike entropy.Bit
	for range 1_000_000 {
		alike.Code(c.c, 1)
	}
	b := append(c.c.Close(), make([]byte, 20_000)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := pack.Check(b, 1_000_000, nil, 1, nil)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, pack.ErrDamaged) {
		t.Errorf("%v, want ErrDamaged", err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("%d bytes were allocated, want at most 1 MiB", got)
	}
}
