package comm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"boost/internal/comm"
)

// join runs f at ranks that have so many rows each.
func join(t *testing.T, rows []int, f func(r *comm.Ranks)) {
	t.Helper()
	var all sync.WaitGroup
	for rank, c := range comm.Local(len(rows)) {
		all.Go(func() {
			defer c.Close()
			r, err := comm.Join(context.Background(), c, rows[rank])
			if err != nil {
				t.Errorf("rank %d: %v", rank, err)
				return
			}
			f(r)
		})
	}
	all.Wait()
}

func TestRanks(t *testing.T) {
	rows := []int{3, 0, 4}
	firsts := []int{0, 3, 3}
	join(t, rows, func(r *comm.Ranks) {
		rank := r.Rank()
		if !r.Shared() || r.Size() != 3 || r.First() != firsts[rank] || r.Rows(rows[rank]) != 7 {
			t.Errorf("rank %d: first row %d of %d, %d ranks", rank, r.First(), r.Rows(rows[rank]), r.Size())
		}
		n, sum := rank+1, int64(-rank)
		comm.Add(r, &n)
		comm.Add(r, &sum)
		if n != 6 || sum != -3 {
			t.Errorf("rank %d: sums %d and %d, want 6 and -3", rank, n, sum)
		}
		least, most := float32(-rank), uint32(10*rank)
		comm.Max(r, &least)
		comm.Max(r, &most)
		if least != 0 || most != 20 {
			t.Errorf("rank %d: largest %v and %d, want 0 and 20", rank, least, most)
		}
		if before := r.Before(rank + 5); before != []int{0, 5, 11}[rank] {
			t.Errorf("rank %d: %d before", rank, before)
		}
		if !r.Any(rank == 1) || r.Any(false) {
			t.Errorf("rank %d: Any", rank)
		}
		all := make([]float64, 7)
		r.GatherFloats(all, [][]float64{{1, 2, 3}, {}, {4, 5, 6, 7}}[rank])
		if !slices.Equal(all, []float64{1, 2, 3, 4, 5, 6, 7}) {
			t.Errorf("rank %d: gathered %v", rank, all)
		}
		if got := r.Broadcast([]byte{byte(rank)}); !slices.Equal(got, []byte{0}) {
			t.Errorf("rank %d: broadcast %v", rank, got)
		}
		if err := r.Err(); err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	})
}

// An error of one rank is one of all, and stays.
func TestRanksAgree(t *testing.T) {
	fault := errors.New("no such row")
	join(t, []int{1, 1, 1}, func(r *comm.Ranks) {
		if err := r.Agree(nil); err != nil {
			t.Errorf("rank %d: %v", r.Rank(), err)
		}
		var own error
		if r.Rank() == 1 {
			own = fault
		}
		err := r.Agree(own)
		blamed, isBlame := errors.AsType[*comm.Error](err)
		if r.Rank() == 1 && !errors.Is(err, fault) || r.Rank() != 1 && !(isBlame && blamed.Rank == 1 && strings.Contains(blamed.Text, fault.Error())) {
			t.Errorf("rank %d: %v", r.Rank(), err)
		}
		r.GatherFloats(make([]float64, 2), []float64{1}) // three numbers for two places
		first := r.Err()
		n := 4
		if comm.Add(r, &n); first == nil || n != 4 || !errors.Is(r.Err(), first) {
			t.Errorf("rank %d: %v, then %v with %d", r.Rank(), first, r.Err(), n)
		}
	})
}

// Without ranks there is one process with all rows.
func TestNoRanks(t *testing.T) {
	var r *comm.Ranks
	n := 5
	comm.Add(r, &n)
	comm.Max(r, &n)
	if n != 5 || r.Shared() || r.First() != 0 || r.Rows(9) != 9 || r.Size() != 1 || r.Any(false) || r.Before(3) != 0 || r.Err() != nil {
		t.Error("a nil *Ranks is not one process")
	}
}
