package hist

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// checkUnpack takes n sums apart, with others around them that must stay.
func checkUnpack(t *testing.T, r *rand.Rand, n int) {
	t.Helper()
	const guard = 9
	grad, hess, sums := make([]int64, n+2*guard), make([]uint64, n+2*guard), make([]uint64, n+2*guard)
	wantGrad, wantHess := make([]int64, len(grad)), make([]uint64, len(hess))
	for i := range sums {
		g, h := int32(r.Uint32()), r.Uint32()
		if i%7 == 0 {
			g, h = -1<<31, 1<<32-1
		}
		grad[i], hess[i], sums[i] = int64(r.Uint64()>>2), r.Uint64()>>2, uint64(uint32(g))<<32|uint64(h)
		wantGrad[i], wantHess[i] = grad[i], hess[i]
		if i >= guard && i < n+guard {
			wantGrad[i] += int64(g)
			wantHess[i] += uint64(h)
		}
	}
	packed, anyGrad, anyHess := slices.Clone(sums), slices.Clone(grad), slices.Clone(hess)
	UnpackTo(anyGrad[guard:n+guard], anyHess[guard:n+guard], packed[guard:n+guard])
	for i := range sums {
		inside := i >= guard && i < n+guard
		wantGrad, wantHess := grad[i], hess[i]
		if inside {
			wantGrad, wantHess = int64(int32(sums[i]>>32)), sums[i]&0xffffffff
		}
		if anyGrad[i] != wantGrad || anyHess[i] != wantHess || inside != (packed[i] == 0) {
			t.Fatalf("%d sums: entry %d becomes (%d, %d) with %x left, want (%d, %d)", n, i-guard, anyGrad[i], anyHess[i], packed[i], wantGrad, wantHess)
		}
	}
	checkWords(t, sums, guard, n)
	Unpack(grad[guard:n+guard], hess[guard:n+guard], sums[guard:n+guard])
	for i := range sums {
		if inside := i >= guard && i < n+guard; grad[i] != wantGrad[i] || hess[i] != wantHess[i] || inside != (sums[i] == 0) {
			t.Fatalf("%d sums: entry %d is (%d, %d) with %x left, want (%d, %d)", n, i-guard, grad[i], hess[i], sums[i], wantGrad[i], wantHess[i])
		}
	}
}

// checkWords reads n of the packed sums, from the at-th on, and adds them to others: both touch
// nothing beside them.
func checkWords(t *testing.T, sums []uint64, at, n int) {
	t.Helper()
	grad, hess := slices.Repeat([]int64{-5}, len(sums)), slices.Repeat([]uint64{5}, len(sums))
	left, from, to := slices.Clone(sums), slices.Clone(sums), slices.Clone(sums)
	slices.Reverse(to)
	want := slices.Clone(to)
	Split(grad[at:at+n], hess[at:at+n], left[at:at+n])
	moved, taken := slices.Clone(to), slices.Clone(from)
	Move(moved[at:at+n], taken[at:at+n])
	for i := range moved {
		wantMoved, wantTaken := to[i], from[i]
		if i >= at && i < at+n {
			wantMoved, wantTaken = from[i], 0
		}
		if moved[i] != wantMoved || taken[i] != wantTaken {
			t.Fatalf("%d sums moved: entry %d becomes %x with %x left, want %x with %x", n, i-at, moved[i], taken[i], wantMoved, wantTaken)
		}
	}
	Merge(to[at:at+n], from[at:at+n])
	for i, sum := range sums {
		wantGrad, wantHess, wantFrom := int64(-5), uint64(5), sum
		if i >= at && i < at+n {
			wantGrad, wantHess, wantFrom = int64(int32(sum>>32)), sum&0xffffffff, 0
			want[i] += sum
			if g, h := SplitWord(sum); g != wantGrad || h != wantHess || Join(g, h) != sum {
				t.Fatalf("%x is (%d, %d), which is %x", sum, g, h, Join(g, h))
			}
		}
		if grad[i] != wantGrad || hess[i] != wantHess || left[i] != sum {
			t.Fatalf("%d sums: %x at %d is split into (%d, %d) with %x left, want (%d, %d)", n, sum, i-at, grad[i], hess[i], left[i], wantGrad, wantHess)
		}
		if to[i] != want[i] || from[i] != wantFrom {
			t.Fatalf("%d sums: entry %d becomes %x with %x left, want %x with %x", n, i-at, to[i], from[i], want[i], wantFrom)
		}
	}
}

// checkPacking makes entries of n rows and adds them up.
func checkPacking(t *testing.T, r *rand.Rand, n int, extremes []int16) {
	t.Helper()
	const guard, untouched = 9, 0xdead
	entries, equal := slices.Repeat([]uint64{untouched}, n+2*guard), slices.Repeat([]uint64{untouched}, n+2*guard)
	grad, hess := make([]int16, n), make([]uint16, n)
	one := uint16(r.Uint32())
	var sumGrad int64
	var sumHess uint64
	for i := range grad {
		grad[i], hess[i] = int16(r.Uint32()), uint16(r.Uint32())
		if n == BlockRows || i%3 == 0 {
			grad[i], hess[i] = extremes[i%len(extremes)], 1<<16-1
		}
		sumGrad += int64(grad[i])
		sumHess += uint64(hess[i])
	}
	Pack(entries[guard:n+guard], grad, hess)
	PackEqual(equal[guard:n+guard], nil, grad, one)
	for i := range entries {
		want, wantEqual := uint64(untouched), uint64(untouched)
		if row := i - guard; row >= 0 && row < n {
			want, wantEqual = Entry(grad[row], hess[row], uint16(row)), Entry(grad[row], one, uint16(row))
		}
		if entries[i] != want || equal[i] != wantEqual {
			t.Fatalf("%d rows: entry %d is %x, with equal hessians %x, want %x and %x", n, i-guard, entries[i], equal[i], want, wantEqual)
		}
	}
	if g, h := Total(entries[guard : n+guard]); g != sumGrad || h != sumHess {
		t.Fatalf("%d rows add up to (%d, %d), want (%d, %d)", n, g, h, sumGrad, sumHess)
	}
	packed8, packed4 := make([]uint16, n), make([]uint8, n)
	entries8, entries4 := slices.Repeat([]uint64{untouched}, n+2*guard), slices.Repeat([]uint64{untouched}, n+2*guard)
	for i := range n {
		packed8[i], packed4[i] = uint16(r.Uint32()), uint8(r.Uint32())
	}
	Pack8(entries8[guard:n+guard], nil, packed8)
	Pack4(entries4[guard:n+guard], nil, packed4)
	for i := range entries8 {
		want8, want4 := uint64(untouched), uint64(untouched)
		if row := i - guard; row >= 0 && row < n {
			want8 = Entry(int16(int8(packed8[row]&0xff)), packed8[row]>>8, uint16(row))
			low := int16(packed4[row] & 15)
			if low > 7 {
				low -= 16
			}
			want4 = Entry(low, uint16(packed4[row]>>4), uint16(row))
		}
		if entries8[i] != want8 || entries4[i] != want4 {
			t.Fatalf("%d rows: entry %d is %x of 8 bits and %x of 4, want %x and %x", n, i-guard, entries8[i], entries4[i], want8, want4)
		}
	}
	if g, h := Total(equal[guard : n+guard]); g != sumGrad || h != uint64(one)*uint64(n) {
		t.Fatalf("%d rows of equal hessians add up to (%d, %d), want (%d, %d)", n, g, h, sumGrad, uint64(one)*uint64(n))
	}
}
