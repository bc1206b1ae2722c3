package paired_test

import (
	"slices"
	"testing"
	"time"

	"boost/internal/paired"
)

func TestSidesTakeTurns(t *testing.T) {
	var order []int
	times := paired.Times(0, func() { order = append(order, 0) }, func() { order = append(order, 1) }, func() { order = append(order, 2) })
	want := slices.Repeat([]int{0, 1, 2}, paired.Least)
	if !slices.Equal(order, want) || len(times) != 3 {
		t.Errorf("%d times, order %v, want %v", len(times), order, want)
	}
}

func TestShortestCounts(t *testing.T) {
	run := 0
	times := paired.Times(0, func() {
		if run++; run != 3 {
			time.Sleep(20 * time.Millisecond)
		}
	})
	if times[0] >= 20*time.Millisecond {
		t.Errorf("%v: one of the runs took next to nothing", times[0])
	}
}

func TestBudgetGivesMoreRounds(t *testing.T) {
	rounds := 0
	paired.Times(30*time.Millisecond, func() { rounds++; time.Sleep(time.Millisecond) })
	if rounds <= paired.Least {
		t.Errorf("%d rounds in 30 ms", rounds)
	}
}

func TestRatio(t *testing.T) {
	r := paired.Ratio(0, func() { time.Sleep(20 * time.Millisecond) }, func() { time.Sleep(time.Millisecond) })
	if r < 2 || r > 20.5 {
		t.Errorf("20 ms are %.1f times 1 ms", r)
	}
}
