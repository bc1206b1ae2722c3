package comm_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"boost/internal/comm"
)

// TestAlike holds that all ranks get the same error where settings differ, with the setting and both values.
func TestAlike(t *testing.T) {
	one := map[string]string{"tree.leaves": "31", "train.seed": "1"}
	for _, c := range []struct {
		ranks []map[string]string
		want  string
	}{
		{[]map[string]string{one}, ""},
		{[]map[string]string{one, one, one}, ""},
		{[]map[string]string{one, one, {"tree.leaves": "15", "train.seed": "2"}}, "rank 2: train.seed is 2, and 1 at rank 0: give all ranks the same settings"},
		{[]map[string]string{one, {"tree.leaves": "31", "train.seed": "1", "--share": "given"}, one}, "rank 1: --share is given, and not given at rank 0: give all ranks the same settings"},
		{[]map[string]string{one, {"train.seed": "1"}, one}, "rank 1: tree.leaves is not given, and 31 at rank 0: give all ranks the same settings"},
	} {
		var all sync.WaitGroup
		for rank, end := range comm.Local(len(c.ranks)) {
			all.Go(func() {
				got := ""
				if err := comm.Alike(t.Context(), end, c.ranks[rank]); err != nil {
					got = err.Error()
				}
				if want := c.want; want != "" && got != "ranks of the training: "+want || want == "" && got != "" {
					t.Errorf("rank %d: %q, want %q", rank, got, want)
				}
			})
		}
		all.Wait()
	}
}

// TestReason holds that other ranks are told why a rank was stopped, and other errors as they are.
func TestReason(t *testing.T) {
	why, other := errors.New("interrupted"), errors.New("disk full")
	ctx, stop := context.WithCancelCause(t.Context())
	if got := comm.Reason(ctx, context.Canceled); got != context.Canceled {
		t.Errorf("of a context that is not at its end: %v, want %v", got, context.Canceled)
	}
	stop(why)
	for _, c := range []struct{ err, want error }{{context.Canceled, why}, {fmt.Errorf("t.csv: %w", context.Canceled), why}, {other, other}} {
		if got := comm.Reason(ctx, c.err); got != c.want {
			t.Errorf("of %v: %v, want %v", c.err, got, c.want)
		}
	}
}
